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
  input wire                   clk,
  input wire                   s_valid,
  input wire [LANES*WIDTH-1:0] s_data,
  input wire                   s_last,
  input wire                   m_ready
);
  wire                   rst, s_ready, m_valid, m_last;
  wire [LANES*WIDTH-1:0] m_data, expected;

  weir_relu #(
    .LANES (LANES),
    .WIDTH (WIDTH),
    .SIGNED(SIGNED),
    .ZERO  (ZERO)
  ) u_dut (.*);

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire [WIDTH-1:0]    x     = s_data[l*WIDTH +: WIDTH];
      wire signed [31:0]  value = {{(32-WIDTH){SIGNED != 0 && x[WIDTH-1]}}, x};
      assign expected[l*WIDTH +: WIDTH] = value > ZERO ? x : ZERO;
    end
  endgenerate

  proof_component #(LANES * WIDTH, LANES * WIDTH, 2, 0) u_component (.*);
endmodule
