// CA * a + CB * b of the beats of two streams, LEVELS of adders before a register slice. The pair enters as one.
// sources: linear/weir_add.v
// with: stream/weir_join.v stream/weir_register_slice.v
// prove: unbounded A_W=2 A_SIGNED=0 B_W=3 B_SIGNED=1 CA=-1 CB=7 OUT_W=7 LANES=1 LEVELS=2
// prove: unbounded A_W=2 A_SIGNED=1 B_W=2 B_SIGNED=1 CA=1 CB=1 OUT_W=3 LANES=2
// prove: unbounded A_W=1 A_SIGNED=1 B_W=2 B_SIGNED=0 CA=-1 CB=-5 OUT_W=5 LANES=1 LEVELS=2
// nightly: unbounded A_W=3 A_SIGNED=1 B_W=2 B_SIGNED=0 CA=3 CB=-2 OUT_W=6 LANES=1 LEVELS=2
// nightly: unbounded A_W=2 A_SIGNED=0 B_W=2 B_SIGNED=1 CA=21 CB=11 OUT_W=8 LANES=1 LEVELS=3
// planted: nightly
module proof #(
  parameter integer       A_W      = 2,
  parameter integer       A_SIGNED = 1,
  parameter integer       B_W      = 2,
  parameter integer       B_SIGNED = 1,
  parameter signed [31:0] CA       = 1,
  parameter signed [31:0] CB       = 1,
  parameter integer       OUT_W    = 3,
  parameter integer       LANES    = 1,
  parameter integer       LEVELS   = 1
) (
  input wire                 clk,
  input wire                 s_a_valid,
  input wire [LANES*A_W-1:0] s_a_data,
  input wire                 s_a_last,
  input wire                 s_b_valid,
  input wire [LANES*B_W-1:0] s_b_data,
  input wire                 s_b_last,
  input wire                 m_ready
);
  wire                   rst, s_a_ready, s_b_ready, m_valid, m_last;
  wire [LANES*OUT_W-1:0] m_data, expected;

  weir_add #(
    .A_W     (A_W),
    .A_SIGNED(A_SIGNED),
    .B_W     (B_W),
    .B_SIGNED(B_SIGNED),
    .CA      (CA),
    .CB      (CB),
    .OUT_W   (OUT_W),
    .LANES   (LANES)
  ) u_dut (.*);

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire [A_W-1:0]     a_code = s_a_data[l*A_W +: A_W];
      wire [B_W-1:0]     b_code = s_b_data[l*B_W +: B_W];
      wire signed [31:0] a = {{(32-A_W){A_SIGNED != 0 && a_code[A_W-1]}}, a_code};
      wire signed [31:0] b = {{(32-B_W){B_SIGNED != 0 && b_code[B_W-1]}}, b_code};
      wire signed [31:0] y = CA * a + CB * b;
      assign expected[l*OUT_W +: OUT_W] = y[OUT_W-1:0];
    end
  endgenerate

  always @* if (!rst) together: assert ((s_a_valid && s_a_ready) == (s_b_valid && s_b_ready));

  proof_source #(LANES * B_W + 1) u_source (clk, rst, s_b_valid, s_b_ready, {s_b_last, s_b_data});
  proof_reset u_reset (clk, rst);
  proof_stream #(
    .S_WIDTH (LANES * A_W + 1),
    .M_WIDTH (LANES * OUT_W + 1),
    .CAPACITY(LEVELS + 1),
    .LATENCY (LEVELS - 1),
    .STALL   (1)
  ) u_stream (
    .*,
    .fair    (s_b_valid),
    .s_valid (s_a_valid),
    .s_ready (s_a_ready),
    .s_value ({s_a_last, s_a_data}),
    .expected({s_a_last, expected}),
    .m_value ({m_last, m_data}),
    .mark    ()
  );
endmodule
