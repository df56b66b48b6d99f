// The quotient of any two numbers, rounded to FRAC_W + 1 bits and then to a whole number, both as IEEE 754 says it,
// ties to the one whose last bit is zero; with ZERO, clipped: operands come as often as a unit takes them.
// sources: norm/weir_softmax_share.v
// prove: window 14 FRAC_W=3 EXP_W=3 STEPS_W=2 UNITS=1 ZERO=0 HIGH=7
// nightly: window 15 FRAC_W=4 EXP_W=3 STEPS_W=3 UNITS=2 ZERO=-4 HIGH=3
// prove: window 14 FRAC_W=3 EXP_W=3 STEPS_W=2 UNITS=2 ZERO=-2 HIGH=1
// planted: nightly
module proof #(
  parameter integer       FRAC_W  = 3,
  parameter integer       EXP_W   = 3,
  parameter integer       STEPS_W = 3,
  parameter integer       UNITS   = 1,
  parameter signed [31:0] ZERO    = 0,
  parameter signed [31:0] HIGH    = 7
) (
  input wire                  clk, load,
  input wire [EXP_W+FRAC_W:0] product, sum
);
  localparam integer MANT_W  = FRAC_W + 1;
  localparam integer CYCLES  = (STEPS_W + UNITS) / UNITS;
  localparam integer LATENCY = STEPS_W + UNITS + 7;
  localparam integer WIDE    = MANT_W + (1 << EXP_W) + STEPS_W + FRAC_W + 2;

  wire                    begins, ends;
  wire [STEPS_W:0]        code;
  reg  [CYCLES-2:0]       before_q;         // the last cycles' `load`
  reg                     load_q;
  reg  [EXP_W+FRAC_W:0]   product_q;
  reg  [EXP_W+FRAC_W:0]   sum_q;
  reg  signed [31:0]      expected;
  integer                 k, unit, tie;

  weir_softmax_share #(
    .FRAC_W (FRAC_W),
    .EXP_W  (EXP_W),
    .STEPS_W(STEPS_W),
    .UNITS  (UNITS),
    .OUT_W  (STEPS_W + 1),
    .ZERO   (ZERO),
    .HIGH   (HIGH)
  ) u_dut (.*);

  // In units of the least number.
  function [WIDE-1:0] value(input [EXP_W+FRAC_W:0] x);
    value = {{(WIDE-MANT_W){1'b0}}, x[FRAC_W:0]} << (x[EXP_W+FRAC_W:MANT_W] - 1);
  endfunction

  function is_number(input [EXP_W+FRAC_W:0] x);
    is_number = x[EXP_W+FRAC_W:MANT_W] == 1 || (x[EXP_W+FRAC_W:MANT_W] > 1 && x[FRAC_W]);
  endfunction

  // A result is above k where the quotient is more than half a step of its FRAC_W + 1 bits above k + 1/2, or is rounded
  // to k + 1/2 and k is odd. All times 2^(FRAC_W + 2).
  always @* begin
    expected = ZERO;
    unit     = 1;  // twice the power of two that is not above k + 1/2
    for (k = 0; k < 1 << STEPS_W; k = k + 1) begin
      if (k == unit) unit = 2 * unit;
      tie = (2 * k + 1) << (FRAC_W + 1);
      if (k % 2 == 0 ? value(product_q) << (FRAC_W + 2) > value(sum_q) * (tie + unit)
                     : value(product_q) << (FRAC_W + 2) >= value(sum_q) * (tie - unit)) expected = expected + 1;
    end
    if (expected > HIGH) expected = HIGH;
  end

  always @(posedge clk) begin
    before_q <= {before_q, load};
    if (begins) begin
      load_q    <= load;
      product_q <= product;
      sum_q     <= sum;
    end
  end

  always @* begin
    if (load) assume (before_q == 0);
    if (load) assume (is_number(product) && is_number(sum) && sum[FRAC_W] && value(product) < value(sum) << STEPS_W);
  end

  proof_window #(LATENCY + CYCLES, CYCLES) u_window (.clk(clk), .begins(begins), .ends(ends));

  always @* if (ends && load_q) values: assert (code == expected[STEPS_W:0]);
endmodule
