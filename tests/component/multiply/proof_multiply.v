// (a - A_ZERO) * (b - B_ZERO) of the beats of two streams, in two or more levels of registers before a register slice. The pair enters as one.
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

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire [A_W-1:0]     a_code = s_a_data[l*A_W +: A_W];
      wire [B_W-1:0]     b_code = s_b_data[l*B_W +: B_W];
      wire signed [31:0] a = {{(32-A_W){A_SIGNED != 0 && a_code[A_W-1]}}, a_code};
      wire signed [31:0] b = {{(32-B_W){B_SIGNED != 0 && b_code[B_W-1]}}, b_code};
      wire signed [31:0] y = (a - A_ZERO) * (b - B_ZERO);
      assign expected[l*OUT_W +: OUT_W] = y[OUT_W-1:0];
    end
  endgenerate

  always @* if (!rst) together: assert ((s_a_valid && s_a_ready) == (s_b_valid && s_b_ready));

  proof_source #(LANES * B_W + 1) u_source (clk, rst, s_b_valid, s_b_ready, {s_b_last, s_b_data});
  proof_reset u_reset (clk, rst);
  proof_stream #(
    .S_WIDTH (LANES * A_W + 1),
    .M_WIDTH (LANES * OUT_W + 1),
    .CAPACITY(4 + $clog2(PARTS)),
    .LATENCY (2 + $clog2(PARTS)),
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
