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
  input wire                 clk, s_a_valid,
  input wire [LANES*A_W-1:0] s_a_data,
  input wire                 s_a_last, s_b_valid,
  input wire [LANES*B_W-1:0] s_b_data,
  input wire                 s_b_last, m_ready
);
  wire                   rst, s_a_ready, s_b_ready, m_valid, m_last;
  wire [LANES*OUT_W-1:0] m_data, expected;
  wire [LANES*32-1:0]    a_numbers, b_numbers;

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

  proof_numbers #(LANES, A_W, A_SIGNED) u_a (s_a_data, a_numbers);
  proof_numbers #(LANES, B_W, B_SIGNED) u_b (s_b_data, b_numbers);

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire signed [31:0] a = a_numbers[l*32 +: 32], b = b_numbers[l*32 +: 32];
      wire signed [31:0] y = CA * a + CB * b;
      assign expected[l*OUT_W +: OUT_W] = y[OUT_W-1:0];
    end
  endgenerate

  proof_pair #(LANES * A_W, LANES * B_W, LANES * OUT_W, LEVELS + 1, LEVELS - 1) u_pair (.*);
endmodule
