// weir_saturate: clips LANES signed values to [LO, HI] and outputs the low OUT_W bits of the result.
//
// Latency:   0 cycles, combinational, no state.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_cast.
// Mapping:   bounds of the forms 2^k - 1, -2^k and 0 test the upper bits only; others cost a comparator; a bound that
//            IN_W bits cannot exceed costs nothing.
`default_nettype none

module weir_saturate #(
  parameter integer       LANES = 1,
  parameter integer       IN_W  = 16,
  parameter integer       OUT_W = 8,
  /* verilator lint_off WIDTH */ // numbers of 32 bits are written without a size
  parameter signed [63:0] LO    = -128,
  parameter signed [63:0] HI    = 127
  /* verilator lint_on WIDTH */
) (
  input  wire [LANES*IN_W-1:0]  x,
  output reg  [LANES*OUT_W-1:0] y
);
  // Number of bits of a value that is not negative.
  function integer bits(input signed [63:0] value);
    integer k;
    begin
      bits = 0;
      for (k = 0; k < 63; k = k + 1) if (value[k]) bits = k + 1;
    end
  endfunction

  localparam integer HI_BITS  = bits(HI);
  localparam integer LO_BITS  = bits(~LO);
  localparam integer HI_PLAIN = HI >= 0 && (HI & (HI + 1)) == 0 ? 1 : 0;
  localparam integer LO_PLAIN = LO < 0 && (~LO & (~LO + 1)) == 0 ? 1 : 0;

  generate
    if (LANES < 1 || IN_W < 1 || OUT_W < 1) begin : g_check_widths
      weir_saturate_LANES_IN_W_and_OUT_W_must_be_at_least_1 u_error ();
    end
    if (LO > HI) begin : g_check_bounds
      weir_saturate_LO_must_not_exceed_HI u_error ();
    end
  endgenerate

  reg signed [IN_W-1:0] v;
  reg                   above, below;
  integer               i;

  /* verilator lint_off WIDTH */ // sign extension and truncation by assignment are meant
  /* verilator lint_off CMPCONST */ // a bound may be out of reach
  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      v = x[i*IN_W +: IN_W];
      if (HI_PLAIN != 0) above = !v[IN_W-1] && (v >>> HI_BITS) != 0;
      else above = v > HI;
      if (LO == 0) below = v[IN_W-1];
      else if (LO_PLAIN != 0) below = v[IN_W-1] && (~v >>> LO_BITS) != 0;
      else below = v < LO;
      y[i*OUT_W +: OUT_W] = below ? LO : above ? HI : v;
    end
  /* verilator lint_on CMPCONST */
  /* verilator lint_on WIDTH */
endmodule

`default_nettype wire
