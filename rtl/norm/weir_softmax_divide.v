// weir_softmax_divide: of each lane min(share + ZERO, HIGH), where with HALF the share is
// floor((floor(numerator / sum) + 1) / 2), else floor(numerator / sum); one sum for all lanes.
//
// Non-restoring division: each step adds the sum to the remainder or subtracts it, and the remainder's sign is the next
// bit of the quotient. UNITS dividers form a pipeline, each with a share of the bits; bits above QUOTIENT_W that fill
// the last share are 0.
// Latency:   UNITS * ceil(QUOTIENT_W / UNITS) + 2 cycles from `load`, with the operands, to the codes.
// Interval:  ceil(QUOTIENT_W / UNITS) cycles a beat, during which the sum does not change.
// Clock:     rtl/README.md, Measured alone: weir_softmax_integer.
// State:     for each unit and lane a remainder, and a word of the numerator's bits that are still to come and the
//            quotient's bits so far; for each unit but the first a sum; the registers of the rounding.
// Invariant: after each step the remainder is from -sum to sum - 1, and negative where the quotient's bit is 0.
// Contract:  the numerator is below sum * 2^QUOTIENT_W.
// Mapping:   an addition of SUM_W + 1 bits with an exclusive or before it a unit and lane.
`default_nettype none

module weir_softmax_divide #(
  parameter integer LANES       = 1,
  parameter integer SUM_W       = 13,
  parameter integer NUMERATOR_W = 17,
  parameter integer QUOTIENT_W  = 8,
  parameter integer HALF        = 0,
  parameter integer UNITS       = 8,
  parameter integer OUT_W       = 8,
  parameter integer ZERO        = 0,
  parameter integer HIGH        = 255
) (
  input  wire                         clk,
  input  wire                         load,
  input  wire [LANES*NUMERATOR_W-1:0] numerator,
  input  wire [SUM_W-1:0]             sum,
  output wire [LANES*OUT_W-1:0]       code
);
  localparam integer CYCLES = (QUOTIENT_W + UNITS - 1) / UNITS;  // of a unit
  localparam integer BITS   = UNITS * CYCLES;
  localparam integer REM_W  = SUM_W + 1;
  localparam integer WORD_W = REM_W + BITS;

  generate
    if (LANES < 1 || QUOTIENT_W < 1 || UNITS < 1 || (UNITS - 1) * CYCLES >= QUOTIENT_W) begin : g_check_units
      weir_softmax_divide_UNITS_must_each_have_bits u_error ();
    end
    if (NUMERATOR_W < 1 || NUMERATOR_W > SUM_W + QUOTIENT_W) begin : g_check_numerator
      weir_softmax_divide_NUMERATOR_W_must_be_1_to_SUM_W_plus_QUOTIENT_W u_error ();
    end
  endgenerate

  reg  [BITS-1:0] go_q;  // `load`, a cycle later and so on
  wire [BITS:0]   go = {go_q, load};

  always @(posedge clk) go_q <= go[BITS-1:0];

  genvar u, l;
  generate
    for (u = 0; u < UNITS; u = u + 1) begin : g_unit
      wire             start = go[u*CYCLES];
      wire [SUM_W-1:0] divisor;

      if (u == 0) begin : g_given
        assign divisor = sum;
      end else begin : g_kept
        reg [SUM_W-1:0] divisor_q;
        always @(posedge clk) if (go[u*CYCLES-1]) divisor_q <= g_unit[u-1].divisor;
        assign divisor = divisor_q;
      end

      for (l = 0; l < LANES; l = l + 1) begin : g_lane
        wire [WORD_W-1:0] given;   // {remainder, bits of the numerator and of the quotient}
        reg  [WORD_W-1:0] word_q;
        wire [WORD_W-1:0] word   = start || CYCLES == 1 ? given : word_q;
        wire              minus  = !word[WORD_W-1];
        /* verilator lint_off UNUSEDSIGNAL */ // the lowest bit makes the carry
        wire [REM_W:0]    result = {word[WORD_W-2:BITS-1], 1'b1} + {{1'b0, divisor} ^ {REM_W{minus}}, minus};
        /* verilator lint_on UNUSEDSIGNAL */

        if (u == 0) begin : g_first
          assign given = {{(WORD_W-NUMERATOR_W){1'b0}}, numerator[l*NUMERATOR_W +: NUMERATOR_W]};
        end else begin : g_next
          assign given = g_unit[u-1].g_lane[l].word_q;
        end

        if (BITS == 1) begin : g_bit
          always @(posedge clk) word_q <= {result[REM_W:1], !result[REM_W]};
        end else begin : g_bits
          always @(posedge clk) word_q <= {result[REM_W:1], word[BITS-2:0], !result[REM_W]};
        end
      end
    end
  endgenerate

  // ---- the codes ----
  localparam integer CODE_W = (BITS > OUT_W ? BITS : OUT_W) + 3;
  localparam integer UP     = 2 * ZERO + 1;

  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_code
      /* verilator lint_off UNUSEDSIGNAL */ // the bit that is rounded away
      wire        [BITS-1:0]   quotient = g_unit[UNITS-1].g_lane[l].word_q[BITS-1:0];
      wire signed [CODE_W-1:0] exact    = $signed({{(CODE_W-BITS){1'b0}}, quotient})
                                        + (HALF != 0 ? $signed(UP[CODE_W-1:0]) : $signed(ZERO[CODE_W-1:0]));
      /* verilator lint_on UNUSEDSIGNAL */
      reg  signed [CODE_W-1:0] exact_q;
      reg         [OUT_W-1:0]  code_q;

      always @(posedge clk) begin
        exact_q <= HALF != 0 ? exact >>> 1 : exact;
        code_q  <= exact_q > $signed(HIGH[CODE_W-1:0]) ? HIGH[OUT_W-1:0] : exact_q[OUT_W-1:0];
      end

      assign code[l*OUT_W +: OUT_W] = code_q;
    end
  endgenerate
endmodule

`default_nettype wire
