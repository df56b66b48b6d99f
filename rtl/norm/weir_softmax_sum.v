// weir_softmax_sum: sums non-negative floating-point numbers in sequence, rounding each sum to FRAC_W + 1 bits, half to
// even: with 23 and 8 as in float32. A number is {exponent, leading bit, fraction}: as in IEEE 754 without the sign,
// and with exponent 1 and leading bit 0 instead of exponent 0.
//
// Latency:   4 cycles from `valid`, with the number, to the sum.
// Interval:  4 cycles a beat.
// Clock:     rtl/README.md, Measured alone: weir_softmax.
// State:     the sum, the registers of a step.
// Invariant: the smaller number is shifted to the larger one's exponent with a guard bit and a sticky flag of the bits
//            lost: both decide the rounding, also after a carry.
// Contract:  sums stay below the largest exponent.
// Mapping:   a subtraction of exponents, a shifter, an adder, an increment, each between registers.
`default_nettype none

module weir_softmax_sum #(
  parameter integer FRAC_W = 23,
  parameter integer EXP_W  = 8
) (
  input  wire                    clk,
  input  wire                    valid,
  input  wire                    first,  // of a sum
  input  wire [EXP_W+FRAC_W:0]   number,
  output wire [EXP_W+FRAC_W:0]   sum
);
  generate
    if (FRAC_W < 1 || EXP_W < 2) begin : g_check
      weir_softmax_sum_FRAC_W_must_be_at_least_1_and_EXP_W_at_least_2 u_error ();
    end
  endgenerate

  localparam integer MANT_W  = FRAC_W + 1;
  localparam integer SHIFT_W = $clog2(MANT_W + 3);  // the largest shift leaves nothing but the flag
  localparam integer ALL_W   = EXP_W > SHIFT_W ? EXP_W : SHIFT_W;

  reg  [EXP_W-1:0]  exp_q;
  reg  [MANT_W-1:0] mant_q;
  reg  [3:1]        valid_q;

  assign sum = {exp_q, mant_q};

  always @(posedge clk) valid_q <= {valid_q[2:1], valid};

  // ---- the larger exponent ----
  wire [EXP_W-1:0]  exp    = number[EXP_W+FRAC_W:MANT_W];
  wire [MANT_W-1:0] mant   = number[MANT_W-1:0];
  wire [EXP_W:0]    ahead  = {1'b0, exp_q} - {1'b0, exp};
  wire [EXP_W-1:0]  behind = exp - exp_q;
  wire              less   = first || ahead[EXP_W];  // the sum is the smaller one
  reg  [SHIFT_W-1:0] shift_q;
  reg  [EXP_W-1:0]   exp_1_q;
  reg  [MANT_W-1:0]  large_1_q, small_q;

  // The largest shift for all that are larger. Of both differences, before it is known which counts.
  function [SHIFT_W-1:0] limited(input [ALL_W-1:0] apart);
    limited = apart[SHIFT_W-1:0] | {SHIFT_W{|(apart >> SHIFT_W)}};
  endfunction

  wire [SHIFT_W-1:0] shift_a = limited({{(ALL_W-EXP_W){1'b0}}, ahead[EXP_W-1:0]});
  wire [SHIFT_W-1:0] shift_b = limited({{(ALL_W-EXP_W){1'b0}}, behind});

  always @(posedge clk) begin
    shift_q   <= less ? shift_b : shift_a;
    exp_1_q   <= less ? exp : exp_q;
    large_1_q <= less ? mant : mant_q;
    small_q   <= less ? mant_q & {MANT_W{!first}} : mant;
  end

  // ---- the shift ----
  localparam [MANT_W:0] ONES = {(MANT_W+1){1'b1}};
  reg  [MANT_W:0]   shifted, shifted_q;
  reg               dropped, dropped_q;
  reg  [EXP_W-1:0]  exp_2_q;
  reg  [MANT_W-1:0] large_2_q;
  integer           i;

  always @* begin
    shifted = {small_q, 1'b0};
    dropped = 1'b0;
    for (i = SHIFT_W - 1; i >= 0; i = i - 1)
      if (shift_q[i]) begin
        dropped = dropped || |(shifted & ~(ONES << (1 << i)));
        shifted = shifted >> (1 << i);
      end
  end

  always @(posedge clk) begin
    shifted_q <= shifted;
    dropped_q <= dropped;
    exp_2_q   <= exp_1_q;
    large_2_q <= large_1_q;
  end

  // ---- the sum, exact except for the flag ----
  reg  [MANT_W+1:0] exact_q;
  reg               rest_q;
  reg  [EXP_W-1:0]  exp_3_q, next_q;

  always @(posedge clk) begin
    exact_q <= {1'b0, large_2_q, 1'b0} + {1'b0, shifted_q};
    rest_q  <= dropped_q;
    exp_3_q <= exp_2_q;
    next_q  <= exp_2_q + 1'b1;
  end

  // ---- the rounding, at one of two places: after a carry there is no second one ----
  wire              carry   = exact_q[MANT_W+1];
  wire              more    = exact_q[0] || rest_q;
  wire              up      = !carry && exact_q[0] && (rest_q || exact_q[1]);
  wire              up_2    = carry && exact_q[1] && (more || exact_q[2]);
  wire [MANT_W+1:0] rounded = exact_q + {{(MANT_W-1){1'b0}}, up_2, up, 1'b0};

  always @(posedge clk)
    if (valid_q[3]) begin
      exp_q  <= rounded[MANT_W+1] ? next_q : exp_3_q;
      mant_q <= carry ? rounded[MANT_W+1:2] : {|rounded[MANT_W+1:MANT_W], rounded[MANT_W-1:1]};
    end
endmodule

`default_nettype wire
