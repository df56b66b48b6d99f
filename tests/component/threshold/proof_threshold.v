// The number of thresholds that a code reaches, for every code and all thresholds that ascend. The proof offers each
// word of a beat's thresholds in turn; they are free, but the same for all beats.
// sources: activation/weir_threshold.v stream/weir_register_slice.v
// prove: bounded 12 IN_W=2 IN_SIGNED=0 OUT_W=4 COUNT=2 PARALLEL=1 T_W=4 BASE=3 STEP=-2
// prove: bounded 12 IN_W=3 IN_SIGNED=1 OUT_W=3 COUNT=3 PARALLEL=3 T_W=4 BASE=-1 STEP=1
// prove: bounded 12 IN_W=3 IN_SIGNED=1 OUT_W=3 COUNT=7 PARALLEL=7 T_W=4 BASE=0 STEP=1
// prove: bounded 7 IN_W=4 IN_SIGNED=1 OUT_W=4 COUNT=8 PARALLEL=8 T_W=5 BASE=-4 STEP=1
// prove: unbounded IN_W=1 IN_SIGNED=0 OUT_W=2 COUNT=2 PARALLEL=2 T_W=2 BASE=0 STEP=1
// nightly: bounded 12 IN_W=2 IN_SIGNED=1 OUT_W=3 COUNT=3 PARALLEL=2 T_W=3 BASE=0 STEP=1
// nightly: unbounded IN_W=2 IN_SIGNED=1 OUT_W=2 COUNT=2 PARALLEL=1 T_W=3 BASE=0 STEP=1
// planted: nightly
module proof #(
  parameter integer       IN_W      = 2,
  parameter integer       IN_SIGNED = 1,
  parameter integer       OUT_W     = 2,
  parameter integer       COUNT     = 2,
  parameter integer       PARALLEL  = 1,
  parameter integer       T_W       = 3,
  parameter signed [31:0] BASE      = 0,
  parameter signed [31:0] STEP      = 1,
  parameter integer       WORDS     = (COUNT + PARALLEL - 1) / PARALLEL,
  parameter integer       PADDED    = WORDS * PARALLEL
) (
  input wire            clk, s_valid,
  input wire [IN_W-1:0] s_data,
  input wire            s_last, p_valid, m_ready
);
  localparam integer WORD_W = $clog2(WORDS + 1);
  localparam [WORD_W-1:0] LAST_WORD = WORDS - 1;
  localparam signed [T_W-1:0] MOST = {1'b0, {(T_W-1){1'b1}}};

  (* anyconst *) wire [PADDED*T_W-1:0] thresholds;
  wire                    rst, s_ready, p_ready, m_valid, m_last;
  wire [OUT_W-1:0]        m_data, expected;
  reg  [WORD_W-1:0]       word_q;
  wire [PARALLEL*T_W-1:0] p_data = thresholds >> (word_q * PARALLEL * T_W);
  wire signed [31:0]      x = {{(32-IN_W){IN_SIGNED != 0 && s_data[IN_W-1]}}, s_data};
  reg  signed [31:0]      y;
  integer                 i;

  weir_threshold #(
    .LANES    (1),
    .IN_W     (IN_W),
    .IN_SIGNED(IN_SIGNED),
    .OUT_W    (OUT_W),
    .COUNT    (COUNT),
    .PARALLEL (PARALLEL),
    .T_W      (T_W),
    .BASE     (BASE),
    .STEP     (STEP)
  ) u_dut (.*);

  always @(posedge clk)
    if (rst) word_q <= {WORD_W{1'b0}};
    else if (p_valid && p_ready) word_q <= word_q == LAST_WORD ? {WORD_W{1'b0}} : word_q + 1'b1;

  function signed [T_W-1:0] threshold(input integer at);
    threshold = thresholds >> (at * T_W);
  endfunction

  always @* begin
    y = BASE;
    for (i = 0; i < PADDED; i = i + 1) if (x >= threshold(i)) y = y + STEP;
  end
  assign expected = y[OUT_W-1:0];

  // They ascend; the missing ones are the largest number, which no code reaches.
  genvar t;
  generate
    for (t = 0; t < PADDED; t = t + 1) begin : g_threshold
      wire signed [T_W-1:0] this = thresholds[t*T_W +: T_W];
      if (t > 0) begin : g_ascend
        always @* assume (this >= $signed(thresholds[(t-1)*T_W +: T_W]));
      end
      if (t >= COUNT) begin : g_missing
        always @* assume (this == MOST && x < MOST);
      end
    end
  endgenerate

  proof_reset u_reset (clk, rst);
  proof_source #(1) u_words (clk, rst, p_valid, p_ready, 1'b0);
  proof_stream #(
    .S_WIDTH (IN_W + 1),
    .M_WIDTH (OUT_W + 1),
    .CAPACITY(7),
    .LATENCY (WORDS + 4),
    .STALL   (WORDS + 4)
  ) u_stream (
    .*,
    .fair    (p_valid),
    .s_value ({s_last, s_data}),
    .expected({s_last, expected}),
    .m_value ({m_last, m_data}),
    .mark    ()
  );
endmodule
