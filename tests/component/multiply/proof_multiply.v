// (a - A_ZERO) * (b - B_ZERO) of the beats of two streams, in two or more levels of registers before a register slice.
// The pair enters as one.
// sources: linear/weir_multiply.v
// with: stream/weir_join.v stream/weir_register_slice.v linear/weir_mul.v linear/weir_mul_logic.v
// prove: unbounded A_W=2 A_SIGNED=1 A_ZERO=-1 A_BITS=3 B_W=2 B_SIGNED=0 B_ZERO=2 B_BITS=3 OUT_W=5 LANES=1
// prove: unbounded A_W=2 A_SIGNED=0 A_ZERO=3 A_BITS=3 B_W=1 B_SIGNED=1 B_ZERO=0 B_BITS=1 OUT_W=3 LANES=1
// prove: unbounded A_W=1 A_SIGNED=1 A_ZERO=0 A_BITS=1 B_W=2 B_SIGNED=1 B_ZERO=0 B_BITS=2 OUT_W=3 LANES=1 PARTS=2
// nightly: unbounded A_W=1 A_SIGNED=0 A_ZERO=0 A_BITS=2 B_W=2 B_SIGNED=1 B_ZERO=1 B_BITS=3 OUT_W=3 LANES=2
// planted: nightly
module proof #(
  parameter integer       A_W      = 2,
  parameter integer       A_SIGNED = 1,
  parameter signed [31:0] A_ZERO   = 0,
  parameter integer       A_BITS   = 3,
  parameter integer       B_W      = 2,
  parameter integer       B_SIGNED = 1,
  parameter signed [31:0] B_ZERO   = 0,
  parameter integer       B_BITS   = 3,
  parameter integer       OUT_W    = 5,
  parameter integer       LANES    = 1,
  parameter integer       PARTS    = 1
) (
  input wire                 clk, s_a_valid,
  input wire [LANES*A_W-1:0] s_a_data,
  input wire                 s_a_last, s_b_valid,
  input wire [LANES*B_W-1:0] s_b_data,
  input wire                 s_b_last, m_ready
);
  wire                   rst, s_a_ready, s_b_ready, m_valid, m_last;
  wire [LANES*OUT_W-1:0] m_data, expected;
  wire [LANES*32-1:0]    a_numbers, b_numbers;

  weir_multiply #(
    .A_W     (A_W),
    .A_SIGNED(A_SIGNED),
    .A_ZERO  (A_ZERO),
    .A_BITS  (A_BITS),
    .B_W     (B_W),
    .B_SIGNED(B_SIGNED),
    .B_ZERO  (B_ZERO),
    .B_BITS  (B_BITS),
    .OUT_W   (OUT_W),
    .LANES   (LANES),
    .PARTS   (PARTS)
  ) u_dut (.*);

  proof_numbers #(LANES, A_W, A_SIGNED) u_a (s_a_data, a_numbers);
  proof_numbers #(LANES, B_W, B_SIGNED) u_b (s_b_data, b_numbers);

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire signed [31:0] a = a_numbers[l*32 +: 32], b = b_numbers[l*32 +: 32];
      wire signed [31:0] y = (a - A_ZERO) * (b - B_ZERO);
      assign expected[l*OUT_W +: OUT_W] = y[OUT_W-1:0];
    end
  endgenerate

  proof_pair #(LANES * A_W, LANES * B_W, LANES * OUT_W, 4 + $clog2(PARTS), 2 + $clog2(PARTS)) u_pair (.*);
endmodule
