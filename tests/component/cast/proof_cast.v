// The software reference's cast of every code and addend, in a register slice.
// sources: cast/weir_cast.v cast/weir_saturate.v stream/weir_register_slice.v
// table: cast
// prove: unbounded IN_W=3 IN_SIGNED=1 ADD_W=4 LEFT=0 SHIFT=2 ROUND=3 LO=-2 HI=1 OUT_W=3
// prove: unbounded IN_W=5 IN_SIGNED=1 ADD_W=0 LEFT=0 SHIFT=2 ROUND=1 LO=-4 HI=3 OUT_W=3
// prove: unbounded IN_W=5 IN_SIGNED=1 ADD_W=0 LEFT=0 SHIFT=2 ROUND=0 LO=-4 HI=3 OUT_W=3
// prove: unbounded IN_W=5 IN_SIGNED=0 ADD_W=0 LEFT=0 SHIFT=1 ROUND=2 LO=0 HI=7 OUT_W=3
// prove: unbounded IN_W=5 IN_SIGNED=1 ADD_W=0 LEFT=0 SHIFT=2 ROUND=3 LO=-3 HI=3 OUT_W=3
// prove: unbounded IN_W=5 IN_SIGNED=1 ADD_W=0 LEFT=1 SHIFT=3 ROUND=4 LO=-4 HI=2 OUT_W=3
// prove: unbounded IN_W=5 IN_SIGNED=1 ADD_W=0 LEFT=0 SHIFT=2 ROUND=5 LO=-4 HI=3 OUT_W=3
// prove: unbounded IN_W=5 IN_SIGNED=1 ADD_W=0 LEFT=0 SHIFT=3 ROUND=6 LO=-1 HI=3 OUT_W=3
// prove: unbounded IN_W=5 IN_SIGNED=1 ADD_W=0 LEFT=0 SHIFT=2 ROUND=7 LO=-4 HI=3 OUT_W=3
// prove: unbounded IN_W=5 IN_SIGNED=1 ADD_W=0 LEFT=0 SHIFT=1 ROUND=2 LO=0 HI=7 OUT_W=3
// prove: unbounded IN_W=3 IN_SIGNED=0 ADD_W=2 LEFT=2 SHIFT=0 ROUND=2 LO=-3 HI=14 OUT_W=5
// prove: unbounded IN_W=2 IN_SIGNED=1 ADD_W=2 LEFT=0 SHIFT=5 ROUND=3 LO=-2 HI=1 OUT_W=2
// nightly: unbounded IN_W=8 IN_SIGNED=1 ADD_W=0 LEFT=0 SHIFT=4 ROUND=3 LO=-7 HI=6 OUT_W=4
// nightly: unbounded IN_W=6 IN_SIGNED=1 ADD_W=6 LEFT=0 SHIFT=3 ROUND=5 LO=-8 HI=7 OUT_W=4
// planted: nightly
module proof #(
  parameter integer       IN_W      = 3,
  parameter integer       IN_SIGNED = 1,
  parameter integer       OUT_W     = 3,
  parameter integer       SHIFT     = 0,
  parameter integer       LEFT      = 0,
  parameter integer       ROUND     = 0,
  parameter signed [31:0] LO        = -4,
  parameter signed [31:0] HI        = 3,
  parameter integer       ADD_W     = 0,
  parameter integer       P_W       = ADD_W > 0 ? ADD_W : 1
) (
  input wire            clk, s_valid,
  input wire [IN_W-1:0] s_data,
  input wire            s_last, p_valid,
  input wire [P_W-1:0]  p_data,
  input wire            m_ready
);
  localparam integer STAGES = (ADD_W > 0 ? 1 : 0) + (ROUND > 0 && SHIFT > LEFT ? 1 : 0);  // before the slice

  wire             rst, s_ready, p_ready, m_valid, m_last;
  wire [OUT_W-1:0] m_data, expected;
  wire [IN_W+P_W-1:0] key = {p_data, s_data};

  weir_cast #(
    .LANES    (1),
    .IN_W     (IN_W),
    .IN_SIGNED(IN_SIGNED),
    .OUT_W    (OUT_W),
    .SHIFT    (SHIFT),
    .LEFT     (LEFT),
    .ROUND    (ROUND),
    .LO       (LO),
    .HI       (HI),
    .ADD_W    (ADD_W)
  ) u_dut (.*);

  table u_table (key[IN_W+ADD_W-1:0], expected);

  always @* if (!rst) one_word_a_beat: assert (ADD_W == 0 || (s_valid && s_ready) == (p_valid && p_ready));

  proof_source #(P_W) u_words (clk, rst, p_valid, p_ready, p_data);
  proof_reset u_reset (clk, rst);
  proof_stream #(
    .S_WIDTH (IN_W + 1),
    .M_WIDTH (OUT_W + 1),
    .CAPACITY(2 + STAGES),
    .LATENCY (STAGES),
    .STALL   (1)
  ) u_stream (
    .*,
    .fair    (p_valid || ADD_W == 0),
    .s_value ({s_last, s_data}),
    .expected({s_last, expected}),
    .m_value ({m_last, m_data}),
    .mark    ()
  );
endmodule
