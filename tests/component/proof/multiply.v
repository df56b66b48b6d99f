// weir_scale_multiply as proofs of its users see it: of one lane, its operands wait and are multiplied in the end, so
// that what is under way is plain to see. Where no result is promised there may be anything. proof_scale_multiply.v
// shows that weir_scale_multiply does what is said here. ANY_PRODUCT, for proofs of what is behind it: any product in
// any cycle.
module weir_scale_multiply #(
  parameter integer LANES = 1,
  parameter integer X_W   = 16,
  parameter integer M_W   = 16,
  parameter integer ADD_W = 0,
  parameter integer DIGIT = 16,
  parameter integer MUL_W = 18,
  parameter integer SUM_W = ADD_W == 0 ? X_W + M_W : (ADD_W > X_W + M_W ? ADD_W : X_W + M_W) + 1
) (
  input  wire                                     clk, load,
  input  wire [LANES*X_W-1:0]                     x,
  input  wire [LANES*M_W-1:0]                     m,
  input  wire [LANES*(ADD_W > 0 ? ADD_W : 1)-1:0] a,
  output wire [LANES*SUM_W-1:0]                   sum
);
`ifdef ANY_PRODUCT
  (* anyseq *) wire [LANES*SUM_W-1:0] any;
  assign sum = any;
`else
  proof_multiply #(
    .X_W  (X_W),
    .M_W  (M_W),
    .ADD_W(ADD_W),
    .DIGIT(DIGIT),
    .MUL_W(MUL_W),
    .SUM_W(SUM_W)
  ) u_definition (.*, .there());
`endif
endmodule
