// weir_mul_pair: two signed products with a common factor, a * b_low and a * b_high, from one multiplication.
//
// The factors are packed side by side, a * (b_high * 2^LOW_W + b_low): the low bits are the low product, and the bits
// above are too small by 1 where the low product is negative. Where b_low is negative the caller subtracts 1 from
// b_high, so the two are merely concatenated; b_high must exceed its minimum, so that this does not overflow.
// Latency:   2 cycles.
// Interval:  1 cycle a pair.
// Clock:     rtl/README.md, Measured alone: weir_mvu.
// State:     the product, then both products; without reset or enable.
// Mapping:   one weir_mul of A_W x (LOW_W + B_W) bits and an increment of LOW_W bits, instead of two weir_mul.
`default_nettype none

module weir_mul_pair #(
  parameter integer A_W   = 9,  // bits of the common factor
  parameter integer B_W   = 4,  // bits of the others
  parameter integer LOW_W = 12  // bits of a product: two's complement
) (
  input  wire                    clk,
  input  wire signed [A_W-1:0]   a,
  input  wire        [B_W-1:0]   b_low,
  input  wire        [B_W-1:0]   b_high,  // less 1 where b_low is negative
  output reg         [LOW_W-1:0] p_low,
  output reg         [LOW_W-1:0] p_high
);
  localparam integer BOTH_W = LOW_W + B_W;

  generate
    if (LOW_W <= B_W) begin : g_check
      weir_mul_pair_LOW_W_must_be_more_than_B_W u_error ();
    end
  endgenerate

  /* verilator lint_off UNUSEDSIGNAL */ // the top bits repeat the sign
  wire [A_W+BOTH_W-1:0] product;
  /* verilator lint_on UNUSEDSIGNAL */
  wire [LOW_W-1:0]      low = {{(LOW_W-B_W){b_low[B_W-1]}}, b_low};

  weir_mul #(
    .A_W(A_W),
    .B_W(BOTH_W)
  ) u_mul (
    .clk(clk),
    .en (1'b1),
    .a  (a),
    .b  ({b_high, low}),
    .p  (product)
  );

  always @(posedge clk) begin
    p_low  <= product[LOW_W-1:0];
    p_high <= product[LOW_W +: LOW_W] + {{(LOW_W-1){1'b0}}, product[LOW_W-1]};
  end
endmodule

`default_nettype wire
