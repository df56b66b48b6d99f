// weir_softmax_share: min(half_even(product / sum) + ZERO, HIGH) of floating-point numbers; the quotient is rounded to
// FRAC_W + 1 bits, half to even, before it is rounded to an integer: with 23 and 8 as in float32. The numbers have the
// format of weir_softmax_sum; the leading bit of the sum is 1.
//
// A quotient has STEPS_W integer bits and one fraction bit, computed in sequence by restoring division. UNITS dividers
// form a pipeline, each with a share of the bits and a register between them.
// Latency:   STEPS_W + UNITS + 7 cycles from `load`, with the operands, to the code.
// Interval:  ceil((STEPS_W + 1) / UNITS) cycles a beat.
// Clock:     rtl/README.md, Measured alone: weir_softmax.
// State:     for each unit a remainder, a divisor, bits of the quotient and how many of its bits are 0 because of the
//            exponents, and these once more where another unit follows; the registers of the rounding.
// Invariant: before each trial the remainder is less than twice the divisor.
// Contract:  the quotient is below 2^STEPS_W.
// Mapping:   a subtraction of FRAC_W + 3 bits and a multiplexer a unit.
`default_nettype none

module weir_softmax_share #(
  parameter integer FRAC_W  = 23,
  parameter integer EXP_W   = 8,
  parameter integer STEPS_W = 9,  // bits of a quotient
  parameter integer UNITS   = 1,
  parameter integer OUT_W   = 8,
  parameter integer ZERO    = 0,
  parameter integer HIGH    = 255
) (
  input  wire                    clk,
  input  wire                    load,
  input  wire [EXP_W+FRAC_W:0]   product,
  input  wire [EXP_W+FRAC_W:0]   sum,
  output reg  [OUT_W-1:0]        code
);
  localparam integer MANT_W = FRAC_W + 1;
  localparam integer REM_W  = MANT_W + 1;
  localparam integer BITS   = STEPS_W + 1;
  localparam integer CYCLES = (BITS + UNITS - 1) / UNITS;  // of a unit
  localparam integer SKIP_W = $clog2(BITS + 1);

  generate
    if (FRAC_W < 1 || EXP_W < 2 || UNITS < 1 || (UNITS - 1) * CYCLES >= BITS) begin : g_check
      weir_softmax_share_UNITS_must_each_have_bits u_error ();
    end
    if (STEPS_W < 1 || STEPS_W >= FRAC_W || $clog2(STEPS_W + 1) >= EXP_W) begin : g_check_steps
      weir_softmax_share_STEPS_W_must_be_1_or_more_below_FRAC_W_and_fit_the_exponents u_error ();
    end
  endgenerate

  // ---- which bit of the quotient is the first ----
  localparam integer GAP_W  = EXP_W + 2;
  localparam integer BEFORE = STEPS_W - 1;
  localparam [SKIP_W-1:0] NONE = BITS[SKIP_W-1:0];
  reg  signed [GAP_W-1:0]  gap_q;
  reg         [MANT_W-1:0] product_q, sum_q, sum_2_q;
  reg         [REM_W-1:0]  rem_2_q;
  reg                      load_q, load_2_q;
  wire signed [GAP_W-1:0]  skips = gap_q + BEFORE[GAP_W-1:0];
  reg  signed [GAP_W-1:0]  skips_q;

  always @(posedge clk) begin
    load_q    <= load;
    gap_q     <= $signed({2'b0, sum[EXP_W+FRAC_W:MANT_W]}) - $signed({2'b0, product[EXP_W+FRAC_W:MANT_W]});
    product_q <= product[MANT_W-1:0];
    sum_q     <= sum[MANT_W-1:0];
  end

  always @(posedge clk) begin
    load_2_q <= load_q;
    skips_q  <= skips;
    rem_2_q  <= skips[GAP_W-1] ? {product_q, 1'b0} : {1'b0, product_q};
    sum_2_q  <= sum_q;
  end

  wire early = skips_q[GAP_W-1];  // by one bit: then the product is the smaller one, and doubled
  wire never = !early && skips_q[GAP_W-2:0] >= {{(GAP_W-1-SKIP_W){1'b0}}, NONE};

  // ---- the units ----
  genvar u;
  generate
    for (u = 0; u < UNITS; u = u + 1) begin : g_unit
      localparam integer FOUND  = u * CYCLES;  // bits before it
      localparam integer ENDS   = FOUND + CYCLES < BITS ? FOUND + CYCLES : BITS;
      wire              start;
      wire [REM_W-1:0]  rem_in;
      wire [MANT_W-1:0] minus_in;
      wire [SKIP_W-1:0] skip_in;
      wire [ENDS-1:0]   found_in;
      reg  [REM_W-1:0]  rem_q;
      reg  [MANT_W-1:0] minus_q;  // the divisor's complement: a sum needs no inverter before its carry chain
      reg  [SKIP_W-1:0] skip_q;
      reg               skip_some_q;  // it is not 0
      reg  [ENDS-1:0]   found_q;
      /* verilator lint_off UNUSEDSIGNAL */ // the lowest bit makes the carry
      wire [REM_W+1:0]  sum_1  = {1'b0, !skip_some_q && rem_q[REM_W-1], rem_q[REM_W-2:0], 1'b1}
                               + {1'b1, !skip_some_q, minus_q, 1'b1};
      /* verilator lint_on UNUSEDSIGNAL */
      wire [REM_W:0]    trial  = sum_1[REM_W+1:1];
      wire              found  = !trial[REM_W];  // never while bits are skipped: no carry comes to the sign
      (* keep *) // or it is merged with what waits for the trial's sign, which then passes two LUTs
      wire [REM_W-1:0]  kept;
      wire [REM_W-1:0]  rem    = {found ? trial[REM_W-2:0] : kept[REM_W-1:1], kept[0]};
      wire [SKIP_W-1:0] left   = skip_some_q ? skip_q - 1'b1 : skip_q;
      /* verilator lint_off WIDTH */ // the oldest bit is dropped, which is none of this quotient
      wire [ENDS-1:0]   quotient = {found_q, found};
      /* verilator lint_on WIDTH */

      assign kept = skip_some_q ? rem_q : {rem_q[REM_W-2:0], 1'b0};

      if (u == 0) begin : g_first
        assign start    = load_2_q;
        assign rem_in   = rem_2_q;
        assign minus_in = ~sum_2_q;
        assign skip_in  = early ? {SKIP_W{1'b0}} : never ? NONE : skips_q[SKIP_W-1:0];
        assign found_in = {ENDS{1'b0}};
      end else begin : g_next
        reg [CYCLES:0]   line_q;
        // of the unit before, a cycle later: what it leaves passes one multiplexer a cycle, not two
        reg [REM_W-1:0]  rem_1_q;
        reg [MANT_W-1:0] minus_1_q;
        reg [SKIP_W-1:0] skip_1_q;
        reg [ENDS-1:0]   found_1_q;

        /* verilator lint_off WIDTH */ // the oldest bits drop out, those of quotients before
        always @(posedge clk) begin
          line_q    <= {line_q, g_unit[u-1].start};
          rem_1_q   <= g_unit[u-1].rem;
          minus_1_q <= g_unit[u-1].minus_q;
          skip_1_q  <= g_unit[u-1].left;
          found_1_q <= g_unit[u-1].quotient;
        end
        /* verilator lint_on WIDTH */

        assign start    = line_q[CYCLES];
        assign rem_in   = rem_1_q;
        assign minus_in = minus_1_q;
        assign skip_in  = skip_1_q;
        assign found_in = found_1_q;
      end

      always @(posedge clk)
        if (start) begin
          rem_q       <= rem_in;
          minus_q     <= minus_in;
          skip_q      <= skip_in;
          skip_some_q <= |skip_in;
          found_q     <= found_in;
        end else begin
          rem_q       <= rem;
          skip_q      <= left;
          skip_some_q <= |left;
          found_q     <= quotient;
        end
    end
  endgenerate

  // ---- how near the quotient is to a tie: within half a step of its FRAC_W + 1 bits it is rounded to it ----
  reg  [BITS-1:0]    quotient_q;
  reg  [REM_W:0]     trial_q;
  reg                some_q;
  reg  [STEPS_W-1:0] top_q;     // upper bits of the divisor
  wire               below  = trial_q[REM_W];
  wire [REM_W-1:0]   away   = trial_q[REM_W-1:0] ^ {REM_W{below}};  // one less than the distance if it is below
  reg  [STEPS_W-1:0] band;
  integer            e;

  always @(posedge clk) begin
    quotient_q <= g_unit[UNITS-1].quotient;
    trial_q    <= g_unit[UNITS-1].trial;
    some_q     <= !g_unit[UNITS-1].skip_some_q;
    top_q      <= ~g_unit[UNITS-1].minus_q[MANT_W-1 -: STEPS_W];
  end

  always @* begin
    band = {STEPS_W{1'b0}};
    for (e = 0; e < STEPS_W; e = e + 1) if (quotient_q[e+1]) band = top_q >> (STEPS_W - 1 - e);
  end

  reg  [BITS-1:0]    quotient_2_q;
  reg  [STEPS_W-1:0] band_q, away_q;
  reg                far_q, below_q;
  wire [STEPS_W:0]   room   = {1'b0, band_q} - {1'b0, away_q} - {{STEPS_W{1'b0}}, below_q};
  wire               near   = !far_q && !room[STEPS_W];
  reg  [STEPS_W-1:0] whole_q;
  reg                up_q;

  always @(posedge clk) begin
    quotient_2_q <= quotient_q;
    band_q       <= band;
    away_q       <= away[STEPS_W-1:0];
    far_q        <= !some_q || |away[REM_W-1:STEPS_W];
    below_q      <= below;
    whole_q      <= quotient_2_q[BITS-1:1];
    up_q         <= near ? quotient_2_q[1] : quotient_2_q[0];
  end

  // ---- the code ----
  localparam integer CODE_W = (STEPS_W > OUT_W ? STEPS_W : OUT_W) + 3;
  wire signed [CODE_W-1:0] exact = $signed({{(CODE_W-STEPS_W){1'b0}}, whole_q}) + $signed(ZERO[CODE_W-1:0])
                                 + $signed({{(CODE_W-1){1'b0}}, up_q});
  reg  signed [CODE_W-1:0] exact_q;

  always @(posedge clk) begin
    exact_q <= exact;
    code    <= exact_q > $signed(HIGH[CODE_W-1:0]) ? HIGH[OUT_W-1:0] : exact_q[OUT_W-1:0];
  end
endmodule

`default_nettype wire
