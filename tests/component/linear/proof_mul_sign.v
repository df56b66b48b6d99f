// The product of every element with -1, 0 and 1, with its carry.
// sources: linear/weir_mul_sign.v
// prove: window 2 A_W=1 WHOLE=0
// prove: window 2 A_W=4 WHOLE=0
// prove: window 2 A_W=4 WHOLE=1
module proof #(
  parameter integer A_W   = 2,
  parameter integer WHOLE = 0
) (
  input wire                  clk,
  input wire signed [A_W-1:0] a,
  input wire signed [1:0]     b
);
  wire                begins, ends, carry;
  wire        [A_W:0] p;
  wire signed [A_W:0] product = a * b;
  reg         [A_W:0] product_q;

  weir_mul_sign #(
    .A_W  (A_W),
    .WHOLE(WHOLE)
  ) u_dut (.*);

  always @(posedge clk) product_q <= product;
  always @* assume (b != 2'b10);

  proof_window #(1) u_window (clk, begins, ends);
  proof_equal #(A_W + 1) u_equal (1'b0, ends, p + carry, product_q);
endmodule
