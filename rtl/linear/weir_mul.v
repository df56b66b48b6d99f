// weir_mul: signed product with a registered, enabled output; with weir_mul_logic the only place where variables are
// multiplied.
//
// Latency:   1 cycle, counting those with en high only; otherwise p holds.
// Interval:  1 cycle a product.
// Clock:     rtl/README.md, Measured alone: weir_mvu.
// State:     the product register; it has no reset.
// Mapping:   one DSP block with its output register inside, up to 16x16 on iCE40 (SB_MAC16), or LUTs when the tool
//            finds it small. keep_hierarchy is required for correct results on iCE40: without it Yosys silently merges
//            registered products and the adders after them into wrong DSP chains. Elsewhere it may be removed once
//            cells are mapped.
`default_nettype none

(* keep_hierarchy *)
module weir_mul #(
  parameter integer A_W = 8,
  parameter integer B_W = 8
) (
  input  wire                      clk,
  input  wire                      en,
  input  wire signed [A_W-1:0]     a,
  input  wire signed [B_W-1:0]     b,
  output reg  signed [A_W+B_W-1:0] p
);
  generate
    if (A_W < 1 || B_W < 1) begin : g_check
      weir_mul_A_W_and_B_W_must_be_at_least_1 u_error ();
    end
  endgenerate

  /* verilator lint_off WIDTH */ // both operands extend to the width of the product
  always @(posedge clk) if (en) p <= a * b;
  /* verilator lint_on WIDTH */
endmodule

`default_nettype wire
