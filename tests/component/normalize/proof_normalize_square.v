// The square of every number.
// sources: norm/weir_normalize_square.v
// with: cast/weir_scale_blocks.v linear/weir_mul.v
// prove: window 5 X_W=5
// prove: window 4 X_W=3
// nightly: window 6 X_W=9
// nightly: window 3 X_W=10 MUL_W=18
module proof #(
  parameter integer X_W   = 5,
  parameter integer MUL_W = 18
) (
  input wire           clk,
  input wire [X_W-1:0] x
);
  localparam integer LATENCY = X_W > 9 ? 2 : 1 + $clog2(X_W);

  wire                    begins, ends;
  wire [2*X_W-1:0]        y;
  reg  signed [2*X_W-1:0] x_q;

  weir_normalize_square #(
    .LANES(1),
    .X_W  (X_W),
    .MUL_W(MUL_W)
  ) u_dut (.*);

  always @(posedge clk) if (begins) x_q <= $signed(x);

  wire [2*X_W-1:0] expected = x_q * x_q;

  proof_window #(LATENCY) u_window (.clk(clk), .begins(begins), .ends(ends));
  proof_equal #(2 * X_W) u_equal (1'b0, ends, y, expected);
endmodule
