// The software reference's multiplication, addition and shift of every code and parameter; with FLOAT,
// weir_requantize_float instead.
// sources: cast/weir_requantize.v
// with: multiply.v cast/weir_saturate.v stream/weir_pipeline.v stream/weir_fifo.v
// table: requantize
// prove: bounded 14 X_W=3 M_W=5 A_W=2 SHIFT=4 LO=0 HI=5 OUT_W=3 DIGIT=4 MUL_W=18
// prove: unbounded X_W=1 M_W=2 A_W=1 SHIFT=1 LO=-2 HI=1 OUT_W=2 DIGIT=1 MUL_W=18
// nightly: bounded 14 X_W=4 M_W=3 A_W=3 SHIFT=3 LO=-3 HI=2 OUT_W=3 DIGIT=3 MUL_W=2
// nightly: unbounded X_W=2 M_W=2 A_W=2 SHIFT=2 LO=-2 HI=1 OUT_W=2 DIGIT=1 MUL_W=18
// nightly: unbounded X_W=2 M_W=1 A_W=1 SHIFT=1 LO=-2 HI=1 OUT_W=2 DIGIT=1 MUL_W=18
// planted: nightly
module proof #(
  parameter integer       FLOAT = 0,
  parameter integer       X_W   = 3,
  parameter integer       PAD   = 0,    // bits above x that repeat its sign
  parameter integer       OUT_W = 3,
  parameter integer       M_W   = 2,
  parameter integer       A_W   = 3,
  parameter integer       SHIFT = 2,
  parameter integer       DIGIT = 2,
  parameter integer       MUL_W = 18,
  parameter signed [31:0] ZERO  = 0,
  parameter signed [31:0] LO    = -4,
  parameter signed [31:0] HI    = 3,
  parameter integer       P_W   = A_W + M_W
) (
  input wire           clk, s_valid,
  input wire [X_W-1:0] s_data,
  input wire           s_last, p_valid,
  input wire [P_W-1:0] p_data,
  input wire           m_ready
);
  localparam integer TIME = 16;  // at most, from entering to being offered

  wire                rst, s_ready, p_ready, m_valid, m_last, mark;
  wire [OUT_W-1:0]    m_data, expected, remembered;
  wire [PAD+X_W-1:0]  x = $signed(s_data);
  reg  [P_W+X_W-1:0]  key_q;  // of the marked beat
  (* hierconn *) wire \u_stream.u_order.waits_q ;
  (* hierconn *) wire [OUT_W:0] \u_stream.u_order.value_q ;

  // What both requantizers have; that of floats has a zero point too.
  `define SETTINGS .LANES(1), .X_W(PAD + X_W), .OUT_W(OUT_W), .M_W(M_W), .A_W(A_W), .SHIFT(SHIFT), .DIGIT(DIGIT), .MUL_W(MUL_W), \
    .LO(LO), .HI(HI)
  `define STREAMS .clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .s_data(x), .s_last(s_last), .p_valid(p_valid), \
    .p_ready(p_ready), .p_data(p_data), .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data), .m_last(m_last)
  generate
    if (FLOAT != 0) begin : g_float
      weir_requantize_float #(`SETTINGS, .ZERO(ZERO)) u_dut (`STREAMS);
    end else begin : g_integer
      weir_requantize #(`SETTINGS) u_dut (`STREAMS);
    end
  endgenerate

  table u_table ({p_data, s_data}, expected);
  table u_remembered (key_q, remembered);

  always @(posedge clk) if (mark) key_q <= {p_data, s_data};

  // What an invariant is easily made of: operands wait, and results of those marked.
  always @* if (!rst && \u_stream.u_order.waits_q ) assert (\u_stream.u_order.value_q [OUT_W-1:0] == remembered);

  always @* if (!rst) one_word_a_beat: assert ((s_valid && s_ready) == (p_valid && p_ready));

  proof_source #(P_W) u_words (clk, rst, p_valid, p_ready, p_data);
  proof_reset u_reset (clk, rst);
  proof_stream #(
    .S_WIDTH (X_W + 1),
    .M_WIDTH (OUT_W + 1),
    .CAPACITY(TIME),
    .LATENCY (TIME),
    .STALL   (TIME)
  ) u_stream (
    .*,
    .fair    (p_valid),
    .s_value ({s_last, s_data}),
    .expected({s_last, expected}),
    .m_value ({m_last, m_data})
  );
endmodule
