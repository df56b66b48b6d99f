// weir_normalize_root: P 2^n of exec/normalize.h, of a row's sums, as P 2^(n mod 4) and n / 4.
//
// V is normalized by a stage for each bit of n; its leading bits choose a row of a table, whose parabola gives P. The
// table is two external ROMs: base_data (c) and slope_data ({b, a}) are the words at root_addr, READ cycles later.
// Latency:   max(3, MODE == 1 ? 2 : SUM_W > MUL_W ? 3 + clog2(ceil((SUM_W - 1) / (MUL_W - 1)) * ceil((SUM_W - 1) /
//            (MUL_W - 1))) : 2) + STAGES + READ + 7 + 3 * SHARED cycles from `start`, with the sums, to `done`, with
//            the results.
// Interval:  SHARED == 0 ? 1 : MODE == 1 ? 5 : SUM_W > MUL_W ? 5 : STAGES + READ + 9 cycles a row; `ready` is low as
//            long.
// Clock:     rtl/README.md, Measured alone: weir_normalize.
// State:     a register for each step.
// Contract:  V is below 2^BITS, and the table as weir_normalize_table makes it; of V below 2^(BITS - 2^(STAGES + 1))
//            the results have no meaning: all elements of the row are as large as its mean.
// Mapping:   SHARED: one weir_mul forms the square of the sum (up to MUL_W bits) and the three products of the parabola
//            in turn, else a weir_mul for each; multiplexers, adders.
`default_nettype none

module weir_normalize_root #(
  parameter integer    MODE      = 0,   // 0: mean, 1: square, 2: magnitude
  parameter integer    LENGTH    = 16,  // elements of a row
  parameter integer    SUM_W     = 12,  // signed
  parameter integer    SQUARES_W = 19,
  parameter integer    FRACTION  = 8,
  parameter [63:0]     EPSILON   = 0,
  parameter integer    BITS      = 36,
  parameter integer    STAGES    = 3,   // bits of n
  parameter integer    SHARED    = 1,
  parameter integer    MUL_W     = 18,  // bits of the signed operands of a multiplier block, at least 18
  parameter integer    READ      = 1    // registers from the address of a table to its word
) (
  input  wire                 clk,
  input  wire                 rst,
  input  wire                 start,
  output wire                 ready,
  /* verilator lint_off UNUSEDSIGNAL */ // without one of them
  input  wire [SUM_W-1:0]     sum,
  input  wire [SQUARES_W-1:0] squares,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire [8:0]           root_addr,
  input  wire [29:0]          base_data,
  input  wire [34:0]          slope_data,
  output wire                 done,
  output reg  [32:0]          factor,
  output reg  [3:0]           coarse
);
  localparam integer WIDE   = SUM_W > MUL_W ? 1 : 0;
  localparam integer PIECES = (SUM_W - 2) / (MUL_W - 1) + 1;
  localparam integer SQUARE = MODE != 1 && WIDE != 0 ? 2 + $clog2(PIECES * PIECES) : 1;
  localparam integer V_AT   = SQUARE > 2 ? SQUARE + 1 : 3;     // cycles from `start` to V
  localparam integer ROW_AT = V_AT + STAGES + 1;               // to the row of the table
  localparam integer WORD   = ROW_AT + READ;                   // to its words
  localparam integer TIME   = WORD + 6 + (SHARED != 0 ? 3 : 0);
  localparam integer C_AT   = TIME - 2 - WORD;                 // from the words to where c is needed
  localparam integer N_AT   = TIME - 1 - ROW_AT;               // from the row to where n is
  localparam integer DS     = READ + 3 + (SHARED != 0 ? 2 : 0);  // that are kept of d
  localparam integer GAP    = SHARED == 0 ? 1 : MODE != 1 && WIDE == 0 ? TIME - 4 : 5;
  localparam integer HIGH_W = BITS - FRACTION;                 // of V without the fraction, which is epsilon's
  /* verilator lint_off WIDTH */ // it is cut to the bits of V
  localparam [BITS-1:0] LEAST = EPSILON;                       // V of equal elements
  /* verilator lint_on WIDTH */

  generate
    if (BITS < 28 || BITS % 2 != 0 || FRACTION < 0 || FRACTION >= BITS || MODE < 0 || MODE > 2) begin : g_check_bits
      weir_normalize_root_BITS_must_be_even_at_least_28_and_above_FRACTION u_error ();
    end
    if (STAGES < 2) begin : g_check_stages
      weir_normalize_root_STAGES_must_be_at_least_2 u_error ();
    end
    if (MUL_W < 18 || SUM_W < 2 || READ < 1) begin : g_check_sizes
      weir_normalize_root_MUL_W_must_be_at_least_18_SUM_W_2_and_READ_1 u_error ();
    end
  endgenerate

  reg [TIME:1] line_q;  // rows on their way

  always @(posedge clk)
    if (rst) line_q <= {TIME{1'b0}};
    else line_q <= {line_q[TIME-1:1], start};

  assign done = line_q[TIME];

  generate
    if (GAP == 1) begin : g_always
      assign ready = 1'b1;
    end else begin : g_wait
      assign ready = line_q[GAP-1:1] == {(GAP-1){1'b0}};
    end
  endgenerate

  // ---- V ----
  /* verilator lint_off UNUSEDSIGNAL */ // of a wider sum, or without one
  wire signed [35:0] own_square;  // of a sum up to MUL_W bits, SHARED + 1 cycles later
  /* verilator lint_on UNUSEDSIGNAL */
  wire [HIGH_W-1:0]  square;      // at V_AT - 1, and what it is subtracted from or added to
  wire [HIGH_W-1:0]  minuend;
  reg  [HIGH_W-1:0]  high_q;

  /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant: V has BITS bits
  generate
    if (MODE == 2) begin : g_magnitude
      assign minuend = LEAST >> FRACTION;
    end else begin : g_squares
      localparam integer HOLD = V_AT - 2;
      reg  [HIGH_W-1:0]      product_q;
      reg  [HOLD*HIGH_W-1:0] hold_q;

      // x by the length, whose digits are +1, 0 and -1.
      function [HIGH_W-1:0] by_length(input [HIGH_W-1:0] x);
        integer i, left;
        begin
          by_length = {HIGH_W{1'b0}};
          left      = MODE == 0 ? LENGTH : 1;
          for (i = 0; i < 26; i = i + 1) begin
            if (left % 4 == 3) begin
              by_length = by_length - (x << i);
              left      = left + 1;
            end else if (left % 2 == 1) begin
              by_length = by_length + (x << i);
              left      = left - 1;
            end
            left = left / 2;
          end
        end
      endfunction

      wire [HIGH_W-1:0] wide  = squares;
      wire [HIGH_W-1:0] whole = product_q + (LEAST >> FRACTION);

      always @(posedge clk) begin
        product_q <= by_length(wide);
        hold_q    <= {hold_q, whole};
      end
      assign minuend = hold_q[HOLD*HIGH_W-1 -: HIGH_W];
    end

    if (MODE == 1) begin : g_no_square
      assign square = {HIGH_W{1'b0}};
    end else if (WIDE != 0) begin : g_wide_square
      /* verilator lint_off UNUSEDSIGNAL */ // V has fewer bits than the square of a sum that does not occur
      wire [2*SUM_W-1:0] product;
      /* verilator lint_on UNUSEDSIGNAL */

      weir_scale_blocks #(
        .LANES   (1),
        .X_W     (SUM_W),
        .M_W     (SUM_W),
        .M_SIGNED(1),
        .MUL_W   (MUL_W)
      ) u_square (
        .clk(clk),
        .x  (sum),
        .m  (sum),
        .a  (1'b0),
        .sum(product)
      );
      assign square = product;
    end else if (SHARED != 0) begin : g_shared_square
      assign square = own_square;
    end else begin : g_own_square
      reg [HIGH_W-1:0] square_q;

      always @(posedge clk) square_q <= own_square;
      assign square = square_q;
    end
  endgenerate
  /* verilator lint_on WIDTH */

  always @(posedge clk) high_q <= MODE == 0 ? minuend - square : minuend + square;

  // ---- V 2^(2n): one of the two bits at the top is 1 ----
  genvar t;
  generate
    for (t = 0; t <= STAGES; t = t + 1) begin : g_stage
      wire [BITS-1:0]   number;
      wire [STAGES-1:0] places;

      if (t == 0) begin : g_first
        if (FRACTION == 0) begin : g_whole
          assign number = high_q;
        end else begin : g_fraction
          assign number = {high_q, LEAST[FRACTION-1:0]};
        end
        assign places = {STAGES{1'b0}};
      end else begin : g_shift
        localparam integer PLACES = 2 << (STAGES - t);
        wire               zero   = g_stage[t-1].number[BITS-1 -: PLACES] == {PLACES{1'b0}};
        reg  [BITS-1:0]    number_q;
        reg  [STAGES-1:0]  places_q;

        always @(posedge clk) begin
          number_q <= zero ? g_stage[t-1].number << PLACES : g_stage[t-1].number;
          places_q <= g_stage[t-1].places | {{(STAGES-1){1'b0}}, zero} << (STAGES - t);
        end
        assign number = number_q;
        assign places = places_q;
      end
    end
  endgenerate

  /* verilator lint_off UNUSEDSIGNAL */ // what is below P's exactness
  wire [BITS-1:0] number = g_stage[STAGES].number;
  /* verilator lint_on UNUSEDSIGNAL */
  wire            parity = number[BITS-1];
  wire [25:0]     below  = parity ? number[BITS-2 -: 26] : number[BITS-3 -: 26];  // the leading bit

  // ---- the table's row, d and n, the newest in the low bits ----
  reg [8:0]                 row_q;
  reg [18*DS-1:0]           rest_q;
  reg [STAGES*(N_AT+1)-1:0] places_q;

  assign root_addr = row_q;

  always @(posedge clk) begin
    row_q    <= {parity, below[25:18]};
    rest_q   <= {rest_q[18*(DS-1)-1:0], ~below[17], below[16:0]};
    places_q <= {places_q[STAGES*N_AT-1:0], g_stage[STAGES].places};
  end

  // ---- the parabola ----
  localparam integer BEND = SHARED != 0 ? 2 : 1;        // cycles from the words to a d
  wire signed [17:0] d_0 = rest_q[18*READ +: 18];       // with the words
  wire signed [17:0] curve = {5'b0, slope_data[12:0]};  // a
  reg  [22*BEND-1:0] early_q;                           // b
  reg  [21:0]        slope_q;                           // b - a d
  wire signed [35:0] bend, low, high;                   // a d; d by the slope's low bits, and by its others
  wire signed [17:0] low_slope = {1'b0, slope_q[16:0]};
  reg  signed [40:0] fall_q;
  reg  [30*C_AT-1:0] base_q;                            // c
  reg  [29:0]        p_q;
  wire [STAGES-1:0]  n = places_q[STAGES*N_AT +: STAGES];

  /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant: P has 30 bits
  always @(posedge clk) begin
    early_q <= {early_q, slope_data[34:13]};
    slope_q <= $signed({1'b0, early_q[22*BEND-1 -: 22]}) - (bend >>> 18);
    fall_q  <= (high <<< 17) + low;
    base_q  <= {base_q, base_data};
    p_q     <= $signed({1'b0, base_q[30*C_AT-1 -: 30]}) - (fall_q >>> 18);
    factor  <= p_q << n[1:0];
    coarse  <= n >> 2;
  end
  /* verilator lint_on WIDTH */

  // ---- products ----
  generate
    if (SHARED != 0) begin : g_shared
      wire signed [17:0] d_3 = rest_q[18*(READ+3) +: 18], d_4 = rest_q[18*(READ+4) +: 18];
      reg  signed [35:0] low_q;
      reg  signed [17:0] high_slope_q, a_q, b_q;
      wire signed [35:0] product;
      wire signed [17:0] own;

      if (MODE != 1 && WIDE == 0) begin : g_own
        /* verilator lint_off WIDTH */ // sign extension by assignment is meant
        assign own = $signed(sum);
        /* verilator lint_on WIDTH */
      end else begin : g_none
        assign own = 18'b0;
      end

      always @(posedge clk)
        if (line_q[WORD]) begin
          a_q <= curve;
          b_q <= d_0;
        end else if (line_q[WORD+3]) begin
          a_q <= low_slope;
          b_q <= d_3;
        end else if (line_q[WORD+4]) begin
          a_q <= high_slope_q;
          b_q <= d_4;
        end else begin
          a_q <= own;
          b_q <= own;
        end

      weir_mul #(
        .A_W(18),
        .B_W(18)
      ) u_mul (
        .clk(clk),
        .en (1'b1),
        .a  (a_q),
        .b  (b_q),
        .p  (product)
      );

      always @(posedge clk) begin
        low_q        <= product;
        high_slope_q <= {13'b0, slope_q[21:17]};
      end
      assign own_square = product;
      assign bend       = product;
      assign low        = low_q;
      assign high       = product;
    end else begin : g_each
      wire signed [17:0] d_2 = rest_q[18*(READ+2) +: 18];

      weir_mul #(.A_W(18), .B_W(18)) u_bend (
        .clk(clk),
        .en (1'b1),
        .a  (curve),
        .b  (d_0),
        .p  (bend)
      );

      weir_mul #(.A_W(18), .B_W(18)) u_low (
        .clk(clk),
        .en (1'b1),
        .a  (low_slope),
        .b  (d_2),
        .p  (low)
      );

      weir_mul #(.A_W(18), .B_W(18)) u_high (
        .clk(clk),
        .en (1'b1),
        .a  ({13'b0, slope_q[21:17]}),
        .b  (d_2),
        .p  (high)
      );

      if (MODE != 1 && WIDE == 0) begin : g_own
        /* verilator lint_off WIDTH */ // sign extension by assignment is meant
        wire signed [17:0] own = $signed(sum);
        /* verilator lint_on WIDTH */

        weir_mul #(.A_W(18), .B_W(18)) u_square (
          .clk(clk),
          .en (1'b1),
          .a  (own),
          .b  (own),
          .p  (own_square)
        );
      end else begin : g_none
        assign own_square = 36'b0;
      end
    end
  endgenerate
endmodule

`default_nettype wire
