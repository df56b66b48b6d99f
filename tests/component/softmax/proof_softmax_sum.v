// The exact sum of two numbers, rounded to FRAC_W + 1 bits as IEEE 754 says it, ties to the one whose last bit is zero:
// of any sum so far and any number, one each 4 cycles.
// sources: norm/weir_softmax_sum.v
// prove: window 9 FRAC_W=2 EXP_W=4
// prove: window 9 FRAC_W=3 EXP_W=3
// nightly: window 9 FRAC_W=5 EXP_W=5
// planted: nightly
module proof #(
  parameter integer FRAC_W = 3,
  parameter integer EXP_W  = 4
) (
  input wire                  clk, valid, first,
  input wire [EXP_W+FRAC_W:0] number
);
  localparam integer MANT_W = FRAC_W + 1;
  localparam integer WIDE   = MANT_W + (1 << EXP_W);
  localparam [EXP_W-1:0] ONES = {EXP_W{1'b1}};

  wire                    begins, ends;
  wire [EXP_W+FRAC_W:0]   sum;
  reg  [2:0]              before_q;  // the last cycles' `valid`
  reg                     valid_q, idle_q, first_q;
  reg  [EXP_W+FRAC_W:0]   number_q;
  reg  [EXP_W+FRAC_W:0]   sum_q;
  reg  [WIDE-1:0]         exact, unit, down, rest, rounded;
  integer                 i;

  weir_softmax_sum #(
    .FRAC_W(FRAC_W),
    .EXP_W (EXP_W)
  ) u_dut (.*);

  // In units of the least number: {exponent, leading bit, fraction}.
  function [WIDE-1:0] value(input [EXP_W+FRAC_W:0] x);
    value = {{(WIDE-MANT_W){1'b0}}, x[FRAC_W:0]} << (x[EXP_W+FRAC_W:MANT_W] - 1);
  endfunction

  function is_number(input [EXP_W+FRAC_W:0] x);
    is_number = x[EXP_W+FRAC_W:MANT_W] == 1 || (x[EXP_W+FRAC_W:MANT_W] > 1 && x[FRAC_W]);
  endfunction

  always @* begin
    exact = value(number_q) + (first_q ? 0 : value(sum_q));
    unit  = 1;
    for (i = MANT_W; i < WIDE; i = i + 1) if (exact[i]) unit = 1 << (i - FRAC_W);
    down    = exact & ~(unit - 1);
    rest    = exact - down;
    rounded = rest + rest > unit || (rest + rest == unit && (down & unit) != 0) ? down + unit : down;
  end

  always @(posedge clk) begin
    before_q <= {before_q, valid};
    if (begins) begin
      valid_q  <= valid;
      idle_q   <= !valid && before_q == 0;
      first_q  <= first;
      number_q <= number;
      sum_q    <= sum;
    end
  end

  always @* begin
    if (valid) assume (before_q == 0);
    if (begins) assume (is_number(sum) && is_number(number) && sum[EXP_W+FRAC_W:MANT_W] < ONES - 1 && number[EXP_W+FRAC_W:MANT_W] < ONES - 1);
  end

  proof_window #(8, 4) u_window (.clk(clk), .begins(begins), .ends(ends));
  proof_equal #(WIDE) u_value (1'b0, ends && valid_q, value(sum), rounded);
  proof_equal #(1) u_form (1'b0, ends && valid_q, is_number(sum), 1'b1);
  proof_equal #(EXP_W + FRAC_W + 1) u_holds (1'b0, ends && idle_q, sum, sum_q);
endmodule
