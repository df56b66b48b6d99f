// Of any sum and any numerators below sum * 2^QUOTIENT_W, one beat each ceil(QUOTIENT_W / UNITS) cycles: the code of
// each lane is the quotient, or half of it rounded up from one half on, plus ZERO, at most HIGH.
// sources: norm/weir_softmax_divide.v
// prove: window 7 SUM_W=3 NUMERATOR_W=6 QUOTIENT_W=3 UNITS=3 HALF=0 ZERO=-1 HIGH=5
// prove: window 9 SUM_W=3 NUMERATOR_W=6 QUOTIENT_W=3 UNITS=2 HALF=1 ZERO=-2 HIGH=1
// prove: window 9 SUM_W=3 NUMERATOR_W=5 QUOTIENT_W=3 UNITS=1 HALF=1 ZERO=3 HIGH=7
// nightly: window 9 SUM_W=4 NUMERATOR_W=8 QUOTIENT_W=4 UNITS=2 HALF=1 ZERO=-4 HIGH=3
// planted: nightly
module proof #(
  parameter integer       SUM_W       = 3,
  parameter integer       NUMERATOR_W = 6,
  parameter integer       QUOTIENT_W  = 3,
  parameter integer       UNITS       = 3,
  parameter integer       HALF        = 0,
  parameter signed [31:0] ZERO        = 0,
  parameter signed [31:0] HIGH        = 7
) (
  input wire                     clk, load,
  input wire [2*NUMERATOR_W-1:0] numerator,
  input wire [SUM_W-1:0]         sum
);
  localparam integer OUT_W   = QUOTIENT_W + 1;
  localparam integer CYCLES  = (QUOTIENT_W + UNITS - 1) / UNITS;
  localparam integer LATENCY = UNITS * CYCLES + 2;
  localparam integer BEFORE  = CYCLES > 1 ? CYCLES - 1 : 1;

  wire                      begins, ends;
  wire [2*OUT_W-1:0]        code;
  reg  [BEFORE-1:0]         before_q;  // the last cycles' `load`
  reg                       load_q;
  reg  [2*NUMERATOR_W-1:0]  numerator_q;
  reg  [SUM_W-1:0]          sum_q, held_q;

  weir_softmax_divide #(
    .LANES      (2),
    .SUM_W      (SUM_W),
    .NUMERATOR_W(NUMERATOR_W),
    .QUOTIENT_W (QUOTIENT_W),
    .UNITS      (UNITS),
    .HALF       (HALF),
    .OUT_W      (OUT_W),
    .ZERO       (ZERO),
    .HIGH       (HIGH)
  ) u_dut (.*);

  // The whole number of sums in the numerator, counted.
  function signed [31:0] share(input [NUMERATOR_W-1:0] of, input [SUM_W-1:0] by);
    integer k;
    begin
      share = 0;
      for (k = 1; k < 1 << QUOTIENT_W; k = k + 1) if ({16'd0, of} >= k * by) share = k;
      if (HALF != 0) share = (share + 1) >>> 1;
      share = share + ZERO > HIGH ? HIGH : share + ZERO;
    end
  endfunction

  wire signed [31:0] expected_0 = share(numerator_q[NUMERATOR_W-1:0], sum_q);
  wire signed [31:0] expected_1 = share(numerator_q[2*NUMERATOR_W-1:NUMERATOR_W], sum_q);

  always @(posedge clk) begin
    before_q <= {before_q, load};
    held_q   <= sum;
    if (begins) begin
      load_q      <= load;
      numerator_q <= numerator;
      sum_q       <= sum;
    end
  end

  always @* begin
    if (load && CYCLES > 1) assume (before_q == 0);
    if (!load && CYCLES > 1) assume (sum == held_q);  // it changes with `load` only
    if (load) assume ({16'd0, numerator[NUMERATOR_W-1:0]} < {16'd0, sum} << QUOTIENT_W);
    if (load) assume ({16'd0, numerator[2*NUMERATOR_W-1:NUMERATOR_W]} < {16'd0, sum} << QUOTIENT_W);
  end

  proof_window #(LATENCY + CYCLES, CYCLES) u_window (.clk(clk), .begins(begins), .ends(ends));

  always @* if (ends && load_q) values: assert (code == {expected_1[OUT_W-1:0], expected_0[OUT_W-1:0]});
endmodule
