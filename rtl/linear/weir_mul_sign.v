// weir_mul_sign: product with a factor of -1, 0 or 1, as the inverted, kept or cleared bits of the other one: where the
// factor is -1 it is one too low, and `carry` says so to the adder behind it.
//
// Latency:   1 cycle to p and carry.
// Interval:  1 cycle a product.
// Clock:     rtl/README.md, Measured alone: weir_mvu.
// State:     the product and the carry, without reset.
// Mapping:   a lookup table of three inputs a bit; with WHOLE a negation before it. No multiplier.
`default_nettype none

module weir_mul_sign #(
  parameter integer A_W   = 8,
  parameter integer WHOLE = 0  // 1: the carry is added here
) (
  input  wire                  clk,
  input  wire signed [A_W-1:0] a,
  input  wire [1:0]            b,  // two's complement, not -2
  output reg  signed [A_W:0]   p,  // p + carry = a * b
  output wire                  carry
);
  generate
    if (A_W < 1) begin : g_check
      weir_mul_sign_A_W_must_be_at_least_1 u_error ();
    end
  endgenerate

  wire signed [A_W:0] wide = {a[A_W-1], a};
  wire        [A_W:0] kept = {(A_W+1){b[0]}};

  generate
    if (WHOLE != 0) begin : g_whole
      assign carry = 1'b0;
      always @(posedge clk) p <= (b[1] ? -wide : wide) & kept;
    end else begin : g_carry
      reg carry_q;
      assign carry = carry_q;
      always @(posedge clk) begin
        p       <= (wide ^ {(A_W+1){b[1]}}) & kept;
        carry_q <= b[1];
      end
    end
  endgenerate
endmodule

`default_nettype wire
