// The signed product of each pair of numbers.
// sources: linear/weir_mul_logic.v
// prove: window 2 A_W=4 B_W=4 PARTS=1
// prove: window 3 A_W=4 B_W=4 PARTS=2
// prove: window 4 A_W=3 B_W=5 PARTS=3
// prove: window 4 A_W=3 B_W=7 PARTS=4
module proof #(
  parameter integer A_W   = 3,
  parameter integer B_W   = 3,
  parameter integer PARTS = 2
) (
  input wire                  clk,
  input wire signed [A_W-1:0] a,
  input wire signed [B_W-1:0] b
);
  localparam integer LATENCY = 1 + $clog2(PARTS);
  localparam integer P_W     = A_W + B_W;

  wire                      ends;
  wire [P_W-1:0]            p;
  wire signed [P_W-1:0]     product = a * b;
  reg  [LATENCY*P_W-1:0]    products_q;

  weir_mul_logic #(
    .A_W  (A_W),
    .B_W  (B_W),
    .PARTS(PARTS)
  ) u_dut (
    .clk(clk),
    .a  (a),
    .b  (b),
    .p  (p)
  );

  always @(posedge clk) products_q <= {products_q, product};

  proof_window #(LATENCY) u_window (.clk(clk), .ends(ends));
  proof_equal #(P_W) u_equal (1'b0, ends, p, products_q[LATENCY*P_W-1 -: P_W]);
endmodule
