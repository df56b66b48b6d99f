// Both products of every pair of factors.
// sources: linear/weir_mul_pair.v
// with: linear/weir_mul.v
// prove: window 3 X_W=3 X_SIGNED=0 B_W=3
// prove: window 3 X_W=3 X_SIGNED=1 B_W=4
// nightly: window 3 X_W=5 X_SIGNED=0 B_W=4
module proof #(
  parameter integer X_W      = 2,
  parameter integer X_SIGNED = 0,
  parameter integer B_W      = 2,
  parameter integer A_W      = X_SIGNED != 0 ? X_W : X_W + 1  // not to be set
) (
  input wire                  clk,
  input wire        [X_W-1:0] x,
  input wire signed [B_W-1:0] b_low, b_high
);
  localparam integer P_W = X_W + B_W;

  wire                  begins, ends;
  wire        [P_W-1:0] p_low, p_high;
  wire signed [A_W-1:0] a    = {X_SIGNED != 0 && x[X_W-1], x};
  wire signed [P_W-1:0] low  = a * b_low;
  wire signed [P_W-1:0] high = a * b_high;
  reg  [2*2*P_W-1:0]    products_q;

  weir_mul_pair #(
    .A_W  (A_W),
    .B_W  (B_W),
    .LOW_W(P_W)
  ) u_dut (.*, .b_high(b_low[B_W-1] ? b_high - 1'b1 : b_high));

  always @(posedge clk) products_q <= {products_q, low, high};
  always @* assume (b_high != {1'b1, {(B_W-1){1'b0}}});

  proof_window #(2) u_window (clk, begins, ends);
  proof_equal #(2 * P_W) u_equal (1'b0, ends, {p_low, p_high}, products_q[2*2*P_W-1 -: 2*P_W]);
endmodule
