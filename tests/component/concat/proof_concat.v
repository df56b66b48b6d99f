// A_BEATS beats of a and B_BEATS of b in turn, in a register slice; each stream sees the sink when it is its turn.
// sources: stream/weir_concat.v stream/weir_register_slice.v
// prove: unbounded A_W=1 A_SIGNED=0 B_W=1 B_SIGNED=0 OUT_W=1 LANES=1 A_BEATS=1 B_BEATS=1
// prove: unbounded A_W=1 A_SIGNED=0 B_W=2 B_SIGNED=1 OUT_W=2 LANES=1 A_BEATS=3 B_BEATS=2
// prove: unbounded A_W=2 A_SIGNED=1 B_W=1 B_SIGNED=0 OUT_W=3 LANES=2 A_BEATS=1 B_BEATS=3
// prove: unbounded A_W=2 A_SIGNED=1 B_W=1 B_SIGNED=1 OUT_W=2 LANES=1 A_BEATS=2 B_BEATS=1
// planted: nightly
module proof #(
  parameter integer A_W      = 1,
  parameter integer A_SIGNED = 0,
  parameter integer B_W      = 1,
  parameter integer B_SIGNED = 0,
  parameter integer OUT_W    = 1,
  parameter integer LANES    = 1,
  parameter integer A_BEATS  = 1,
  parameter integer B_BEATS  = 1
) (
  input wire                 clk, s_a_valid,
  input wire [LANES*A_W-1:0] s_a_data,
  input wire                 s_a_last, s_b_valid,
  input wire [LANES*B_W-1:0] s_b_data,
  input wire                 s_b_last, m_ready
);
  localparam integer PERIOD_W = $clog2(A_BEATS + B_BEATS);

  wire                   rst, s_a_ready, s_b_ready, m_valid, m_last;
  wire [LANES*OUT_W-1:0] m_data, expected_a, expected_b;
  wire [LANES*32-1:0]    a_numbers, b_numbers;
  reg  [PERIOD_W-1:0]    place_q;  // in a's beats and b's
  wire                   turn  = place_q >= A_BEATS;
  wire                   valid = turn ? s_b_valid : s_a_valid;
  wire                   ready = turn ? s_b_ready : s_a_ready;

  weir_concat #(
    .A_W     (A_W),
    .A_SIGNED(A_SIGNED),
    .B_W     (B_W),
    .B_SIGNED(B_SIGNED),
    .OUT_W   (OUT_W),
    .LANES   (LANES),
    .A_BEATS (A_BEATS),
    .B_BEATS (B_BEATS)
  ) u_dut (.*);

  always @(posedge clk)
    if (rst) place_q <= {PERIOD_W{1'b0}};
    else if (valid && ready) place_q <= place_q == A_BEATS + B_BEATS - 1 ? {PERIOD_W{1'b0}} : place_q + 1'b1;

  always @* if (!rst) waits_for_its_turn: assert (turn ? !s_a_ready : !s_b_ready);

  proof_numbers #(LANES, A_W, A_SIGNED) u_a (s_a_data, a_numbers);
  proof_numbers #(LANES, B_W, B_SIGNED) u_b (s_b_data, b_numbers);

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      assign expected_a[l*OUT_W +: OUT_W] = a_numbers[l*32 +: OUT_W];
      assign expected_b[l*OUT_W +: OUT_W] = b_numbers[l*32 +: OUT_W];
    end
  endgenerate

  proof_source #(LANES * A_W + 1) u_source_a (clk, rst, s_a_valid, s_a_ready, {s_a_last, s_a_data});
  proof_source #(LANES * B_W + 1) u_source_b (clk, rst, s_b_valid, s_b_ready, {s_b_last, s_b_data});
  proof_reset u_reset (clk, rst);
  proof_stream #(
    .S_WIDTH (1),
    .M_WIDTH (LANES * OUT_W + 1),
    .CAPACITY(2),
    .LATENCY (0),
    .STALL   (1)
  ) u_stream (
    .*,
    .fair    (1'b1),
    .s_valid (valid),
    .s_ready (ready),
    .s_value (1'b0),
    .expected({turn && s_b_last, turn ? expected_b : expected_a}),
    .m_value ({m_last, m_data}),
    .mark    ()
  );
endmodule
