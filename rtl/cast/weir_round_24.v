// weir_round_24: rounds a signed integer to 24 significant bits, half to even, as its conversion to float32 does.
//
// Two's complement is rounded directly: the exponent of |x| says which bits are dropped and which is the last one kept,
// and ~x has the exponent of -x, except where -x is a power of two: that has no bits to drop, so nothing is lost.
// Latency:   2 cycles.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_requantize_float.
// State:     x with a mask of the dropped bits; x without them, the weight of the last bit kept, what decides.
// Mapping:   about 6 logic cells for each of the IN_W - 25 bits that may be dropped, an adder; the adder's result is
//            not registered.
`default_nettype none

module weir_round_24 #(
  parameter integer IN_W = 26
) (
  input  wire            clk,
  input  wire [IN_W-1:0] x,
  output wire [IN_W:0]   y
);
  localparam integer DROP_W = IN_W - 25;  // bits that may be dropped

  generate
    if (IN_W < 26) begin : g_check
      weir_round_24_IN_W_must_be_at_least_26 u_error ();
    end
  endgenerate

  reg  signed [IN_W-1:0] x_q, floor_q;
  reg  [DROP_W:0]        mask, mask_q;              // the highest is 0
  reg  [DROP_W:0]        unit_q;                    // the last bit that is kept; bit 0 is none
  reg                    half_q, rest_q;
  wire [DROP_W:0]        above = mask_q >> 1;
  wire [DROP_W:0]        below = mask_q << 1;
  wire [IN_W-1:0]        size  = x ^ {IN_W{x[IN_W-1]}};
  integer                i;

  always @* begin
    mask = {(DROP_W+1){1'b0}};
    for (i = 0; i < DROP_W; i = i + 1) mask[i] = (size >> (i + 24)) != 0;
  end

  /* verilator lint_off WIDTH */ // extension by assignment is meant
  always @(posedge clk) begin
    x_q     <= x;
    mask_q  <= mask;
    floor_q <= x_q & ~mask_q;
    unit_q  <= below & ~mask_q;
    half_q  <= (x_q & mask_q & ~above) != 0;              // the highest that is dropped
    rest_q  <= (x_q & (above | below & ~mask_q)) != 0;    // those below it, and the last that is kept
  end

  assign y = floor_q + $signed({1'b0, half_q && rest_q ? unit_q : {(DROP_W+1){1'b0}}});
  /* verilator lint_on WIDTH */
endmodule

`default_nettype wire
