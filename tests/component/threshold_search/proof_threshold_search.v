// The number of thresholds that a code reaches, for every code and all thresholds that ascend, found by bisection.
// sources: activation/weir_threshold_search.v stream/weir_pipeline.v stream/weir_fifo.v
// prove: bounded 12 IN_W=3 IN_SIGNED=1 OUT_W=3 COUNT=3 T_W=4 BASE=-1 STEP=1
// prove: bounded 10 IN_W=2 IN_SIGNED=0 OUT_W=4 COUNT=2 T_W=4 BASE=3 STEP=-2
// prove: bounded 12 IN_W=3 IN_SIGNED=1 OUT_W=3 COUNT=5 T_W=4 BASE=0 STEP=1
// prove: unbounded IN_W=1 IN_SIGNED=0 OUT_W=2 COUNT=1 T_W=2 BASE=0 STEP=1
// nightly: bounded 14 IN_W=4 IN_SIGNED=1 OUT_W=4 COUNT=8 T_W=5 BASE=-4 STEP=1
// planted: nightly
module proof #(
  parameter integer       IN_W      = 3,
  parameter integer       IN_SIGNED = 1,
  parameter integer       OUT_W     = 3,
  parameter integer       COUNT     = 3,
  parameter integer       T_W       = 4,
  parameter signed [31:0] BASE      = 0,
  parameter signed [31:0] STEP      = 1
) (
  input wire            clk,
  input wire            s_valid,
  input wire [IN_W-1:0] s_data,
  input wire            s_last,
  input wire            m_ready
);
  localparam integer LATENCY = 2 * $clog2(COUNT + 1);
  localparam signed [T_W-1:0] MOST = {1'b0, {(T_W-1){1'b1}}};

  (* hierconn *) wire [COUNT*T_W-1:0] \u_dut.thresholds ;
  wire                rst, s_ready, m_valid, m_last;
  wire [OUT_W-1:0]    m_data, expected;
  wire signed [31:0]  x = {{(32-IN_W){IN_SIGNED != 0 && s_data[IN_W-1]}}, s_data};
  reg  signed [31:0]  y;
  integer             i;

  weir_threshold_search #(
    .LANES    (1),
    .IN_W     (IN_W),
    .IN_SIGNED(IN_SIGNED),
    .OUT_W    (OUT_W),
    .COUNT    (COUNT),
    .T_W      (T_W),
    .BASE     (BASE),
    .STEP     (STEP)
  ) u_dut (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_valid),
    .s_ready(s_ready),
    .s_data (s_data),
    .s_last (s_last),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

  function signed [T_W-1:0] threshold(input integer at);
    threshold = \u_dut.thresholds >> (at * T_W);
  endfunction

  always @* begin
    y = BASE;
    for (i = 0; i < COUNT; i = i + 1) if (x >= threshold(i)) y = y + STEP;
  end
  assign expected = y[OUT_W-1:0];

  // They ascend, and no code reaches the largest number.
  always @* assume (x < MOST);
  genvar t;
  generate
    for (t = 1; t < COUNT; t = t + 1) begin : g_ascend
      always @* assume ($signed(\u_dut.thresholds [t*T_W +: T_W]) >= $signed(\u_dut.thresholds [(t-1)*T_W +: T_W]));
    end
  endgenerate

  proof_reset u_reset (clk, rst);
  proof_stream #(
    .S_WIDTH (IN_W + 1),
    .M_WIDTH (OUT_W + 1),
    .CAPACITY(LATENCY + 1),
    .LATENCY (LATENCY),
    .STALL   (1)
  ) u_stream (
    .clk     (clk),
    .rst     (rst),
    .fair    (1'b1),
    .s_valid (s_valid),
    .s_ready (s_ready),
    .s_value ({s_last, s_data}),
    .expected({s_last, expected}),
    .m_valid (m_valid),
    .m_ready (m_ready),
    .m_value ({m_last, m_data})
  );
endmodule

// A word that is anything, and always the same.
module weir_rom #(
  parameter integer WIDTH = 8,
  parameter integer DEPTH = 1,
  parameter         INIT  = "",
  parameter         STYLE = "logic"
) (
  input  wire             clk,
  input  wire             en,
  input  wire             addr,
  output wire [WIDTH-1:0] q
);
  (* anyconst *) wire [WIDTH-1:0] word;
  assign q = word;
endmodule
