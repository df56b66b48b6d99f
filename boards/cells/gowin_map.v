// $alu of Yosys as carry chains of Gowin's ALU, instead of Yosys' own gowin/arith_map.v: up to version 0.28 that one
// does not invert B in its output X when BI subtracts. Of X the pass alumacc makes the equality in $le and $ge, so x <=
// y and x >= y are wrong where x and y are equal, and where all of their bits differ.

(* techmap_celltype = "$alu" *)
module _80_weir_gowin_alu (A, B, CI, BI, X, Y, CO);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;

  (* force_downto *) input [A_WIDTH-1:0] A;
  (* force_downto *) input [B_WIDTH-1:0] B;
  (* force_downto *) output [Y_WIDTH-1:0] X, Y, CO;
  input CI, BI;

  wire _TECHMAP_FAIL_ = Y_WIDTH <= 2; // shorter in lookup tables

  (* force_downto *) wire [Y_WIDTH-1:0] a, b;
  \$pos #(.A_SIGNED(A_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) u_a (.A(A), .Y(a));
  \$pos #(.A_SIGNED(B_SIGNED), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) u_b (.A(B), .Y(b));
  (* force_downto *) wire [Y_WIDTH-1:0] carry = {CO, CI};

  genvar i;
  generate for (i = 0; i < Y_WIDTH; i = i + 1) begin : slice
    ALU #(.ALU_MODE(2)) alu (.I0(a[i]), .I1(b[i]), .I3(~BI), .CIN(carry[i]), .COUT(CO[i]), .SUM(Y[i])); // I3: adds
  end endgenerate
  assign X = a ^ b ^ {Y_WIDTH{BI}};
endmodule
