// The larger of x and ZERO, in a register slice.
// sources: activation/weir_relu.v stream/weir_register_slice.v
// prove: unbounded LANES=1 WIDTH=1 SIGNED=0 ZERO=1
// prove: unbounded LANES=1 WIDTH=4 SIGNED=1 ZERO=0
// prove: unbounded LANES=2 WIDTH=3 SIGNED=0 ZERO=5
// prove: unbounded LANES=1 WIDTH=4 SIGNED=1 ZERO=-3
// planted: nightly
module proof #(
  parameter integer       LANES  = 1,
  parameter integer       WIDTH  = 4,
  parameter integer       SIGNED = 1,
  parameter signed [31:0] ZERO   = 0
) (
  input wire                   clk, s_valid,
  input wire [LANES*WIDTH-1:0] s_data,
  input wire                   s_last, m_ready
);
  wire                   rst, s_ready, m_valid, m_last;
  wire [LANES*WIDTH-1:0] m_data, expected;
  wire [LANES*32-1:0]    numbers;

  weir_relu #(
    .LANES (LANES),
    .WIDTH (WIDTH),
    .SIGNED(SIGNED),
    .ZERO  (ZERO)
  ) u_dut (.*);

  proof_numbers #(LANES, WIDTH, SIGNED) u_numbers (s_data, numbers);

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire signed [31:0] x = numbers[l*32 +: 32];
      assign expected[l*WIDTH +: WIDTH] = x > ZERO ? x : ZERO;
    end
  endgenerate

  proof_component #(LANES * WIDTH, LANES * WIDTH, 2, 0) u_component (.*);
endmodule
