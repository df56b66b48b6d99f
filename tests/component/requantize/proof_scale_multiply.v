// Signed x times unsigned m plus signed a, of operands that come at any time.
// sources: cast/weir_scale_multiply.v cast/weir_scale_rows.v cast/weir_scale_blocks.v
// with: linear/weir_mul.v
// prove: window 23 X_W=3 M_W=3 ADD_W=3 DIGIT=1 MUL_W=0
// prove: window 21 X_W=3 M_W=4 ADD_W=0 DIGIT=2 MUL_W=0
// prove: window 21 X_W=3 M_W=5 ADD_W=9 DIGIT=3 MUL_W=0
// prove: window 21 X_W=2 M_W=8 ADD_W=3 DIGIT=4 MUL_W=0
// prove: window 19 X_W=3 M_W=3 ADD_W=2 DIGIT=3 MUL_W=18
// prove: window 19 X_W=5 M_W=3 ADD_W=2 DIGIT=3 MUL_W=3
// prove: window 21 X_W=4 M_W=5 ADD_W=2 DIGIT=3 MUL_W=3
// nightly: window 23 X_W=6 M_W=9 ADD_W=0 DIGIT=4 MUL_W=0
// nightly: window 19 X_W=6 M_W=7 ADD_W=12 DIGIT=7 MUL_W=0
// nightly: window 19 X_W=8 M_W=6 ADD_W=15 DIGIT=6 MUL_W=4
// planted: nightly
module proof #(
  parameter integer X_W   = 3,
  parameter integer M_W   = 3,
  parameter integer ADD_W = 0,
  parameter integer DIGIT = 1,
  parameter integer MUL_W = 18,
  parameter integer A_W   = ADD_W > 0 ? ADD_W : 1
) (
  input wire           clk, load,
  input wire [X_W-1:0] x,
  input wire [M_W-1:0] m,
  input wire [A_W-1:0] a
);
  localparam integer SUM_W = ADD_W == 0 ? X_W + M_W : (ADD_W > X_W + M_W ? ADD_W : X_W + M_W) + 1;
  localparam integer BEATS = (M_W + DIGIT - 1) / DIGIT;
  localparam integer TIME  = BEATS + 8;  // of a multiplication at most

  wire             there, ends;
  wire [SUM_W-1:0] sum, expected;

  weir_scale_multiply #(
    .LANES(1),
    .X_W  (X_W),
    .M_W  (M_W),
    .ADD_W(ADD_W),
    .DIGIT(DIGIT),
    .MUL_W(MUL_W)
  ) u_dut (.*);
  proof_multiply #(
    .X_W  (X_W),
    .M_W  (M_W),
    .ADD_W(ADD_W),
    .DIGIT(DIGIT),
    .MUL_W(MUL_W),
    .SUM_W(SUM_W)
  ) u_definition (.*, .sum(expected));

  proof_window #(2 * TIME) u_window (.clk(clk), .ends(ends));
  proof_equal #(SUM_W) u_equal (1'b0, ends && there, sum, expected);
endmodule
