// weir_normalize_integer_root: of a row's sum and its sum of squares, the mean, toward 0, and the deviation from it:
// the root, rounded down, of floor(sum of (x - mean)^2 / LENGTH) + 1. A row at a time.
//
// The mean is the sum's magnitude divided by LENGTH, a bit a cycle: where a bit 2^k is 1, (remainders before and after)
// times 2^k is subtracted from the squares. Then root^2 LENGTH is the largest that is not above what is left of these
// plus LENGTH, a bit each two cycles. Without CENTRED the mean is 0.
// Latency:   2 * ROOT_W + 1 + (CENTRED ? MEAN_W + 2 : 0) cycles from `start`, with the sums, to `done`, with the
//            results.
// Interval:  2 * ROOT_W + 1 + (CENTRED ? MEAN_W + 2 : 0) cycles a row.
// Clock:     rtl/README.md, Measured alone: weir_normalize_integer.
// State:     two remainders, what is subtracted from them next, the results, a counter.
// Invariant: `ready` is high where no row is inside.
// Contract:  the mean's magnitude is below 2^MEAN_W, the root below 2^ROOT_W.
// Mapping:   adders as wide as the squares.
`default_nettype none

module weir_normalize_integer_root #(
  parameter integer LENGTH    = 16,
  parameter integer CENTRED   = 1,
  parameter integer SUM_W     = 12,  // bits of the sum, signed
  parameter integer SQUARES_W = 19,
  parameter integer MEAN_W    = 8,   // bits of the mean's magnitude
  parameter integer ROOT_W    = 8
) (
  input  wire                 clk,
  input  wire                 rst,
  input  wire                 start,
  output wire                 ready,
  /* verilator lint_off UNUSEDSIGNAL */ // without CENTRED
  input  wire [SUM_W-1:0]     sum,
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire [SQUARES_W-1:0] squares,
  output wire                 done,
  output wire [MEAN_W:0]      mean,  // signed
  output wire [ROOT_W-1:0]    root
);
  localparam integer LENGTH_W = $clog2(LENGTH + 1);
  localparam integer ROOTED_W = LENGTH_W + 2 * ROOT_W + 2;
  localparam integer WORD_W   = SQUARES_W + 2 > ROOTED_W ? SQUARES_W + 2 : ROOTED_W;
  localparam integer FIRST    = CENTRED != 0 ? MEAN_W + 2 : 0;  // cycles before the root's
  localparam integer TIME     = FIRST + 2 * ROOT_W + 1;
  localparam integer AT_W     = $clog2(TIME + 1);

  generate
    if (LENGTH < 2 || MEAN_W < 1 || ROOT_W < 1 || SUM_W < 2 || SQUARES_W < 1) begin : g_check
      weir_normalize_integer_root_LENGTH_must_be_at_least_2_and_widths_at_least_1 u_error ();
    end
  endgenerate

  reg  [AT_W-1:0] at_q;  // cycles since the start; 0: no row is inside
  wire            idle = at_q == {AT_W{1'b0}};

  assign done  = at_q == TIME[AT_W-1:0];
  assign ready = idle || done;

  always @(posedge clk)
    if (rst) at_q <= {AT_W{1'b0}};
    else if (start) at_q <= {{(AT_W-1){1'b0}}, 1'b1};
    else if (done) at_q <= {AT_W{1'b0}};
    else if (!idle) at_q <= at_q + 1'b1;

  /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
  // ---- the mean ----
  wire [WORD_W-1:0] given = squares + LENGTH;
  wire [WORD_W-1:0] left;   // of these, less what the mean takes
  wire              begins; // the root

  generate
    if (CENTRED != 0) begin : g_mean
      localparam integer     REM_W  = SUM_W > LENGTH_W + MEAN_W ? SUM_W : LENGTH_W + MEAN_W;
      localparam [REM_W-1:0] ONE    = LENGTH;
      reg                    negative_q;
      reg  [REM_W-1:0]       rem_q, by_q;
      reg  [REM_W:0]         both_q;           // remainders before and after the last bit, where that is 1
      reg  [MEAN_W-1:0]      mean_q;
      reg  [WORD_W-1:0]      given_q, taken_q;
      wire signed [SUM_W-1:0] signed_sum = sum;
      wire signed [REM_W-1:0] wide_sum   = signed_sum;
      wire [REM_W:0]         after = {1'b0, rem_q} - {1'b0, by_q};
      wire                   one   = !after[REM_W];

      always @(posedge clk) begin
        if (start) negative_q <= sum[SUM_W-1];
        if (start) given_q <= given;
        rem_q   <= start ? (sum[SUM_W-1] ? -wide_sum : wide_sum) : one ? after[REM_W-1:0] : rem_q;
        by_q    <= start ? ONE << (MEAN_W - 1) : by_q >> 1;
        both_q  <= start || !one ? {(REM_W+1){1'b0}} : {rem_q, 1'b0} - by_q;
        taken_q <= start ? {WORD_W{1'b0}} : {taken_q, 1'b0} + both_q;
        if (at_q <= MEAN_W[AT_W-1:0]) mean_q <= {mean_q, one};
      end
      assign mean   = negative_q ? -{1'b0, mean_q} : {1'b0, mean_q};
      assign left   = given_q - taken_q;
      assign begins = at_q == FIRST[AT_W-1:0];
    end else begin : g_no_mean
      assign mean   = {(MEAN_W+1){1'b0}};
      assign left   = given;
      assign begins = start;
    end
  endgenerate

  // ---- the root ----
  localparam [WORD_W-1:0] HIGHEST = LENGTH;
  reg  [WORD_W-1:0] rem_q;    // less root^2 LENGTH
  reg  [WORD_W-1:0] twice_q;  // root LENGTH, and 2^k LENGTH, each times what makes them terms of the next root's square
  reg  [WORD_W-1:0] own_q;
  reg  [WORD_W-1:0] more_q;   // that square times LENGTH, less what is subtracted
  reg  [WORD_W-1:0] next_q;   // the first of these where the root has the bit
  reg  [ROOT_W-1:0] root_q;
  reg               decides_q;
  wire [WORD_W:0]   after = {1'b0, rem_q} - {1'b0, more_q};
  wire              one   = !after[WORD_W];

  always @(posedge clk) begin
    decides_q <= !begins && !decides_q;
    more_q    <= twice_q + own_q;
    next_q    <= (twice_q >> 1) + own_q;
    if (begins) begin
      rem_q   <= left;
      twice_q <= {WORD_W{1'b0}};
      own_q   <= HIGHEST << (2 * ROOT_W - 2);
    end else if (decides_q) begin
      if (one) rem_q <= after;
      twice_q <= one ? next_q : twice_q >> 1;
      own_q   <= own_q >> 2;
      root_q  <= {root_q, one};
    end
  end
  /* verilator lint_on WIDTH */

  assign root = root_q;
endmodule

`default_nettype wire
