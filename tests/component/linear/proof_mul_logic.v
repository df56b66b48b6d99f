// The signed product of each pair of numbers, after LATENCY cycles with en high.
// sources: linear/weir_mul_logic.v
// faults: linear/mutants.txt multiply/mutants.txt
// prove: bounded 4 A_W=4 B_W=4 PARTS=1
// prove: bounded 5 A_W=4 B_W=4 PARTS=2
// prove: bounded 6 A_W=3 B_W=5 PARTS=3
// prove: bounded 6 A_W=3 B_W=7 PARTS=4
module proof #(
  parameter integer A_W   = 3,
  parameter integer B_W   = 3,
  parameter integer PARTS = 2
) (
  input wire                  clk, en,
  input wire signed [A_W-1:0] a,
  input wire signed [B_W-1:0] b
);
  localparam integer LATENCY = 1 + $clog2(PARTS);
  localparam integer P_W     = A_W + B_W;

  wire [P_W-1:0]            p;
  wire signed [P_W-1:0]     product = a * b;
  reg  [LATENCY*P_W-1:0]    products_q;
  reg  [LATENCY-1:0]        known_q = {LATENCY{1'b0}};  // of the pairs of the proof

  weir_mul_logic #(
    .A_W  (A_W),
    .B_W  (B_W),
    .PARTS(PARTS)
  ) u_dut (.*);

  always @(posedge clk)
    if (en) begin
      products_q <= {products_q, product};
      known_q    <= {known_q, 1'b1};
    end

  proof_equal #(P_W) u_equal (1'b0, known_q[LATENCY-1], p, products_q[LATENCY*P_W-1 -: P_W]);
endmodule
