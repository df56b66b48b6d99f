// What two loops walk, from a record of all that has been taken: every beat inside in its place, none before it is
// there, fill values around them, none before the frame's first beat; `last` at the end of a frame.
// sources: stream/weir_select.v stream/weir_register_slice.v
// define: WEIR_CHECK
// without: u_s_last u_check_source
// prove: bounded 16 FILLS=0 SIZE_A=2 BEGIN_A=0 END_A=1 SIZE_B=3 BEGIN_B=1 END_B=3
// prove: bounded 14 FILLS=0 SIZE_A=3 BEGIN_A=1 END_A=2 SIZE_B=1 BEGIN_B=0 END_B=1
// nightly: bounded 18 FILLS=1 SIZE_A=2 BEGIN_A=1 END_A=2 SIZE_B=3 BEGIN_B=1 END_B=2
// nightly: bounded 16 FILLS=1 SIZE_A=1 BEGIN_A=0 END_A=1 SIZE_B=3 BEGIN_B=0 END_B=2
// nightly: bounded 30 FILLS=1 SIZE_A=3 BEGIN_A=1 END_A=2 SIZE_B=3 BEGIN_B=1 END_B=3
// faults: select/mutants.txt select/proof_faults.txt
// planted: nightly
// spared: select_lane_zero_for_all there is one: random.c
// spared: select_unsigned_as_signed codes are signed: random.c
// spared: select_fill_of_32_bits lanes of one bit: random.c
module proof #(
  parameter integer FILLS   = 0,
  parameter integer SIZE_A  = 2,
  parameter integer BEGIN_A = 0,
  parameter integer END_A   = 1,
  parameter integer SIZE_B  = 3,
  parameter integer BEGIN_B = 1,
  parameter integer END_B   = 3
) (
  input wire clk, s_valid, s_data, m_ready
);
  localparam integer FIRST_A = FILLS != 0 ? 0 : BEGIN_A, LAST_A = (FILLS != 0 ? SIZE_A : END_A) - 1;  // of the results
  localparam integer FIRST_B = FILLS != 0 ? 0 : BEGIN_B, LAST_B = (FILLS != 0 ? SIZE_B : END_B) - 1;
  // of the frame that is taken
  localparam integer ROW     = FILLS != 0 ? END_B - BEGIN_B : SIZE_B;
  localparam integer FRAME   = ROW * (FILLS != 0 ? END_A - BEGIN_A : SIZE_A);
  localparam integer START_A = FILLS != 0 ? BEGIN_A : 0;
  localparam integer START_B = FILLS != 0 ? BEGIN_B : 0;

  wire        rst, s_ready, m_valid, m_last;
  wire [2:0]  m_data;
  wire [63:0] taken;
  wire [7:0]  count;
  reg  [7:0]  frame_q, a_q, b_q;

  weir_select #(
    .X_W    (1),
    .Y_W    (3),
    .FILLS  (FILLS),
    .FILL   (2),
    .SIZE_4 (SIZE_A),
    .BEGIN_4(BEGIN_A),
    .END_4  (END_A),
    .SIZE_5 (SIZE_B),
    .BEGIN_5(BEGIN_B),
    .END_5  (END_B)
  ) u_dut (.*, .s_last(1'b0));

  wire       give   = m_valid && m_ready;
  wire       inside = a_q >= BEGIN_A && a_q < END_A && b_q >= BEGIN_B && b_q < END_B;
  wire [7:0] at     = frame_q + (a_q - START_A) * ROW + b_q - START_B;  // of the record
  wire       b_end  = b_q == LAST_B;
  wire       a_end  = b_end && a_q == LAST_A;

  proof_record u_record (clk, rst, s_valid, s_ready, s_data, taken, count);

  always @(posedge clk)
    if (rst) begin
      frame_q <= 8'd0;
      a_q     <= FIRST_A;
      b_q     <= FIRST_B;
    end else if (give) begin
      b_q <= b_end ? FIRST_B : b_q + 1'b1;
      if (b_end) a_q <= a_end ? FIRST_A : a_q + 1'b1;
      if (a_end) frame_q <= frame_q + FRAME;
    end

  always @* if (!rst && m_valid) begin
    order: assert (frame_q < count && (!inside || at < count));
    values: assert (m_data == (inside ? {3{taken[at]}} : 3'd2));
    last: assert (m_last == a_end);
  end

  proof_hold #(4) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  // While beats are offered and its own are taken, something is given: the longest wait is for a frame that is left
  // out.
  proof_answer #(SIZE_A * SIZE_B + 3) u_answer (clk, rst, s_valid && m_ready, m_valid);
endmodule
