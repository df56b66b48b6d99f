// The number of thresholds of a beat's group that a code reaches, for every code and all thresholds that ascend, found
// by bisection and read through the registers of ROMs.
// sources: activation/weir_threshold_search.v stream/weir_pipeline.v stream/weir_fifo.v
// prove: bounded 12 IN_W=3 IN_SIGNED=1 OUT_W=3 COUNT=3 T_W=4 BASE=-1 STEP=1
// prove: bounded 10 IN_W=2 IN_SIGNED=0 OUT_W=4 COUNT=2 T_W=4 BASE=3 STEP=-2
// prove: bounded 12 IN_W=3 IN_SIGNED=1 OUT_W=3 COUNT=5 T_W=4 BASE=0 STEP=1
// nightly: bounded 12 LANES=2 IN_W=2 IN_SIGNED=1 OUT_W=2 COUNT=3 T_W=3 BASE=0 STEP=1 GROUPS=3
// prove: bounded 12 IN_W=2 IN_SIGNED=0 OUT_W=2 COUNT=3 T_W=3 BASE=0 STEP=1 GROUPS=2 READ=2
// prove: unbounded IN_W=1 IN_SIGNED=0 OUT_W=2 COUNT=1 T_W=2 BASE=0 STEP=1
// nightly: bounded 14 IN_W=4 IN_SIGNED=1 OUT_W=4 COUNT=8 T_W=5 BASE=-4 STEP=1
// nightly: bounded 16 LANES=2 IN_W=3 IN_SIGNED=1 OUT_W=3 COUNT=5 T_W=4 BASE=0 STEP=1 GROUPS=3 READ=2
// nightly: unbounded IN_W=1 IN_SIGNED=0 OUT_W=1 COUNT=1 T_W=2 BASE=0 STEP=1 GROUPS=3
// planted: nightly
module proof #(
  parameter integer       LANES     = 1,
  parameter integer       IN_W      = 3,
  parameter integer       IN_SIGNED = 1,
  parameter integer       OUT_W     = 3,
  parameter integer       COUNT     = 3,
  parameter integer       T_W       = 4,
  parameter signed [31:0] BASE      = 0,
  parameter signed [31:0] STEP      = 1,
  parameter integer       GROUPS    = 1,
  parameter integer       READ      = 1,
  parameter integer       BITS      = $clog2(COUNT + 1),
  parameter integer       GROUP_W   = $clog2(GROUPS),
  parameter integer       ADDR_W    = LANES * (BITS * (2 * GROUP_W + BITS - 1) / 2 + (GROUPS > 1 ? 0 : 1)),
  parameter integer       WORDS_W   = LANES * BITS * T_W
) (
  input wire                  clk, s_valid,
  input wire [LANES*IN_W-1:0] s_data,
  input wire                  s_last, m_ready
);
  localparam integer LATENCY = BITS * (READ + 1) - (GROUPS > 1 ? 0 : READ) + 1;
  localparam signed [T_W-1:0] MOST = {1'b0, {(T_W-1){1'b1}}};

  (* anyconst *) wire [GROUPS*LANES*COUNT*T_W-1:0] thresholds;  // of group 0, lane 0 first
  wire                   rst, s_ready, m_valid, m_last;
  wire [ADDR_W-1:0]      t_addr;
  wire [WORDS_W-1:0]     word;
  reg  [READ*WORDS_W-1:0] words_q;  // of the ROMs' registers, the oldest at the top
  reg  [31:0]            group_q;
  wire [LANES*OUT_W-1:0] m_data, expected;

  weir_threshold_search #(
    .LANES    (LANES),
    .IN_W     (IN_W),
    .IN_SIGNED(IN_SIGNED),
    .OUT_W    (OUT_W),
    .COUNT    (COUNT),
    .T_W      (T_W),
    .BASE     (BASE),
    .STEP     (STEP),
    .GROUPS   (GROUPS),
    .READ     (READ)
  ) u_dut (.*, .t_data(words_q[READ*WORDS_W-1 -: WORDS_W]));

  always @(posedge clk) begin
    words_q <= {words_q, word};
    if (rst) group_q <= 32'd0;
    else if (s_valid && s_ready) group_q <= group_q == GROUPS - 1 ? 32'd0 : group_q + 32'd1;
  end

  function signed [T_W-1:0] threshold(input integer group, input integer lane, input integer at);
    threshold = thresholds >> (((group * LANES + lane) * COUNT + at) * T_W);
  endfunction

  // A word of each lane and level: group and bits of the number so far are its address.
  genvar l, k;
  generate
    for (k = 0; k < BITS; k = k + 1) begin : g_level
      localparam integer PART_W = GROUP_W + k > 0 ? GROUP_W + k : 1;
      localparam integer PART   = LANES * (k * (2 * GROUP_W + k - 1) / 2 + (GROUPS == 1 && k > 0 ? 1 : 0));
      for (l = 0; l < LANES; l = l + 1) begin : g_word
        wire [31:0] at    = t_addr[PART + l*PART_W +: PART_W];
        wire [31:0] group = at >> k;
        wire [31:0] place = (2 * (at & ((1 << k) - 1)) + 1) * (1 << (BITS - 1 - k)) - 1;
        assign word[(k*LANES + l)*T_W +: T_W] = group < GROUPS && place < COUNT ? threshold(group, l, place) : MOST;
      end
    end

    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire signed [31:0] x = {{(32-IN_W){IN_SIGNED != 0 && s_data[(l+1)*IN_W-1]}}, s_data[l*IN_W +: IN_W]};
      reg  signed [31:0] y;
      integer            i;
      always @* begin
        y = BASE;
        for (i = 0; i < COUNT; i = i + 1) if (x >= threshold(group_q, l, i)) y = y + STEP;
      end
      assign expected[l*OUT_W +: OUT_W] = y[OUT_W-1:0];
      always @* assume (x < MOST);  // no code reaches the largest number
    end

    for (l = 0; l < GROUPS * LANES; l = l + 1) begin : g_row
      for (k = 1; k < COUNT; k = k + 1) begin : g_ascend
        always @* assume ($signed(thresholds[(l*COUNT + k)*T_W +: T_W]) >= $signed(thresholds[(l*COUNT + k - 1)*T_W +: T_W]));
      end
    end
  endgenerate

  proof_component #(LANES * IN_W, LANES * OUT_W, LATENCY + 1, LATENCY) u_component (.*);
endmodule
