// weir_normalize: rows of LENGTH elements, each less the mean and by the reciprocal root of the variance of its row, by
// a gain and plus an offset: the integer program of exec/normalize.h, bit for bit.
//
// A row's elements wait in a ring of ROWS rows while its sums are formed and their root is found; then they are scaled.
// The table of the root is two external ROMs (weir_normalize_root), gain and offset are words in order, read on
// request: p_data is the word READ cycles after the cycle with p_next high, in the format of weir_normalize_scale.
// Latency:   LENGTH / LANES + 20 + (X_W > 9 ? 2 + clog2(ceil((X_W - 1) / (MUL_W - 1)) * ceil((X_W - 1) / (MUL_W - 1)))
//            : 1 + clog2(X_W)) + clog2(LANES) + max(3, MODE == 1 ? 2 : SUM_W > MUL_W ? 3 + clog2(ceil((SUM_W - 1) /
//            (MUL_W - 1)) * ceil((SUM_W - 1) / (MUL_W - 1))) : 2) + STAGES + ROOT_READ + 3 * SHARED +
//            clog2(ceil(max(A_W - 1, 1) / (MUL_W - 1)) * ceil(33 / (MUL_W - 1))) + clog2(ceil(max(T_W - 1, 1) / (MUL_W
//            - 1)) * ceil(max(GAIN_W - 1, 1) / (MUL_W - 1)) + 1) cycles from a row's last beat to its last result.
// Interval:  1 cycle a beat, if ROWS - 1 rows cover the cycles from a row's last beat to its first that is scaled; with
//            SHARED, if a row has as many beats as the root's interval and two more than its sums take.
// Clock:     rtl/README.md, Measured alone: weir_normalize.
// State:     the ring, the sums of a row that is complete, sums and factors of rows that wait, the registers of the
//            modules.
// Invariant: beats in the ring = used_q <= ROWS * BEATS; rows that wait are at most ROWS.
// Mapping:   a block RAM with a register after it; weir_normalize_square, weir_normalize_sum, weir_normalize_root,
//            weir_normalize_scale, weir_pipeline.
`default_nettype none

module weir_normalize #(
  parameter integer       LANES    = 1,
  parameter integer       WIDTH    = 8,    // bits of an element
  parameter integer       SIGNED   = 1,
  parameter signed [31:0] ZERO     = 0,    // what is subtracted from it
  parameter integer       X_W      = 8,    // bits of the signed difference
  parameter integer       LENGTH   = 16,
  parameter integer       SUM_W    = 12,   // of a row's sum, signed
  parameter integer       SQUARES_W = 19,  // and of its squares
  parameter integer       A_W      = 13,   // of LENGTH elements less the sum, signed
  parameter integer       MODE     = 0,    // 0: mean, 1: square, 2: magnitude
  parameter integer       FRACTION = 8,
  parameter [63:0]        EPSILON  = 0,
  parameter integer       BITS     = 36,
  parameter integer       STAGES   = 3,
  parameter integer       ROWS     = 2,
  parameter integer       SHARED   = 1,
  parameter integer       T_W      = 48,
  parameter integer       COARSE   = 1,
  parameter integer       GAIN_W   = 8,
  parameter integer       OFFSET_W = 36,
  // beats that a word of one lane's gain and offset serves; 0: a beat, all lanes
  parameter integer       HOLD     = 0,
  parameter integer       SHIFT    = 40,
  parameter integer       POINT    = 26,
  parameter integer       OUT_W    = 8,
  parameter signed [31:0] LO       = -128,
  parameter signed [31:0] HI       = 127,
  parameter integer       MUL_W    = 18,
  parameter integer       ROOT_READ = 1,   // registers from the address of a table to its word
  parameter integer       READ     = 1,    // the same of gain and offset
  parameter integer       SPREAD   = 0     // 1: the device has distributed RAM
) (
  input  wire                                                  clk,
  input  wire                                                  rst,
  input  wire                                                  s_valid,
  output wire                                                  s_ready,
  input  wire [LANES*WIDTH-1:0]                                s_data,
  input  wire                                                  s_last,
  output wire [8:0]                                            root_addr,
  input  wire [29:0]                                           base_data,
  input  wire [34:0]                                           slope_data,
  output wire                                                  p_next,
  input  wire [(HOLD > 0 ? 1 : LANES)*(OFFSET_W+GAIN_W)-1:0]   p_data,
  output wire                                                  m_valid,
  input  wire                                                  m_ready,
  output wire [LANES*OUT_W-1:0]                                m_data,
  output wire                                                  m_last
);
  localparam integer BEATS = LENGTH / LANES;
  localparam integer DEPTH = ROWS * BEATS;

  generate
    if (LANES < 1 || LENGTH < 1 || LENGTH % LANES != 0) begin : g_check_length
      weir_normalize_LENGTH_must_be_a_multiple_of_LANES u_error ();
    end
    if (ROWS < 2) begin : g_check_rows
      weir_normalize_ROWS_must_be_at_least_2 u_error ();
    end
  endgenerate

  // 2^i that divide the length.
  function integer twos_of(input integer length);
    integer i;
    begin
      twos_of = 0;
      for (i = 1; i < 25; i = i + 1) if (length % (1 << i) == 0) twos_of = i;
    end
  endfunction

  // Has a counter bits beyond its end?
  function wraps(input integer count);
    wraps = count != 1 << $clog2(count);
  endfunction

  localparam integer MEAN      = MODE == 0 ? 1 : 0;
  localparam integer TWOS      = MEAN != 0 ? twos_of(LENGTH) : 0;
  localparam integer ODD       = MEAN != 0 ? LENGTH >> TWOS : 1;
  localparam integer KEPT_W    = X_W + $clog2(ODD);  // of an element by ODD
  localparam integer PIECES    = (X_W - 2) / (MUL_W - 1) + 1;
  localparam integer SQUARE    = X_W > 9 ? 2 + $clog2(PIECES * PIECES) : 1 + $clog2(X_W);  // cycles of the squares
  localparam integer SUMMED    = SQUARE + 2 + $clog2(LANES);                              // of the sums
  localparam integer A_PIECES  = (A_W < 3 ? 0 : (A_W - 2) / (MUL_W - 1)) + 1;
  localparam integer FIRST     = 2 + $clog2(A_PIECES * (32 / (MUL_W - 1) + 1));
  localparam integer T_PIECES  = (T_W - 2) / (MUL_W - 1) + 1;
  localparam integer G_PIECES  = (GAIN_W < 3 ? 0 : (GAIN_W - 2) / (MUL_W - 1)) + 1;
  localparam integer SECOND    = 2 + $clog2(T_PIECES * G_PIECES + 1);
  localparam integer SCALED    = 5 + FIRST + SECOND;

  // ---- a row comes ----
  localparam integer AT_W   = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam integer USED_W = $clog2(DEPTH + 1);
  localparam integer ROW_W  = BEATS > 1 ? $clog2(BEATS) : 1;
  localparam integer FULL   = DEPTH - 1;
  localparam integer END    = BEATS - 1;
  reg  [AT_W-1:0]           write_q, read_q;
  reg  [USED_W-1:0]         used_q;
  reg                       full_q;
  reg  [ROW_W-1:0]          count_q;       // beats of the row so far
  reg                       busy_q;        // a row is complete whose root is not begun
  wire                      ends    = count_q == END[ROW_W-1:0];
  wire                      take;          // a beat is scaled
  wire                      start;         // a root
  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire                      active  = s_valid && s_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  assign s_ready = !full_q && !(SHARED != 0 && ends && busy_q);

  always @(posedge clk)
    if (rst) begin
      write_q <= {AT_W{1'b0}};
      read_q  <= {AT_W{1'b0}};
      used_q  <= {USED_W{1'b0}};
      full_q  <= 1'b0;
      count_q <= {ROW_W{1'b0}};
      busy_q  <= 1'b0;
    end else begin
      if (write_2_q) write_q <= wraps(DEPTH) && write_q == FULL[AT_W-1:0] ? {AT_W{1'b0}} : write_q + 1'b1;
      if (take) read_q <= wraps(DEPTH) && read_q == FULL[AT_W-1:0] ? {AT_W{1'b0}} : read_q + 1'b1;
      if (active) count_q <= wraps(BEATS) && ends ? {ROW_W{1'b0}} : count_q + 1'b1;
      if (active != take) begin
        used_q <= active ? used_q + 1'b1 : used_q - 1'b1;
        full_q <= active && used_q == FULL[USED_W-1:0];
      end
      busy_q <= (active && ends) || (busy_q && !start);
    end

  // ---- elements less the zero; by the odd part of the length they wait ----
  reg                       write_1_q, write_2_q;
  reg  [LANES*X_W-1:0]      x_q;
  reg  [LANES*KEPT_W-1:0]   kept_q;
  reg  [LANES*X_W-1:0]      less;
  reg  [LANES*KEPT_W-1:0]   by_odd;
  integer                   i;

  /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
  function [X_W-1:0] less_zero(input [WIDTH-1:0] x);
    reg signed [WIDTH:0] wide;
    begin
      wide      = {SIGNED != 0 && x[WIDTH-1], x};
      less_zero = ZERO == 0 ? wide : wide - ZERO;
    end
  endfunction

  // By ODD, whose digits are +1, 0 and -1.
  function [KEPT_W-1:0] times_odd(input signed [X_W-1:0] x);
    reg signed [KEPT_W-1:0] wide;
    integer                 k, left;
    begin
      wide      = x;
      times_odd = {KEPT_W{1'b0}};
      left      = ODD;
      for (k = 0; k < 26; k = k + 1) begin
        if (left % 4 == 3) begin
          times_odd = times_odd - (wide << k);
          left      = left + 1;
        end else if (left % 2 == 1) begin
          times_odd = times_odd + (wide << k);
          left      = left - 1;
        end
        left = left / 2;
      end
    end
  endfunction
  /* verilator lint_on WIDTH */

  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      less[i*X_W +: X_W]         = less_zero(s_data[i*WIDTH +: WIDTH]);
      by_odd[i*KEPT_W +: KEPT_W] = times_odd(x_q[i*X_W +: X_W]);
    end

  always @(posedge clk) begin
    write_1_q <= active && !rst;
    write_2_q <= write_1_q && !rst;
    x_q       <= less;
    kept_q    <= by_odd;
  end

  wire [LANES*KEPT_W-1:0] word;
  reg  [LANES*KEPT_W-1:0] word_q;

  weir_ram #(
    .WIDTH(LANES * KEPT_W),
    .DEPTH(DEPTH)
  ) u_elements (
    .clk  (clk),
    .we   (write_2_q),
    .waddr(write_q),
    .wdata(kept_q),
    .re   (1'b1),
    .raddr(read_q),
    .q    (word)
  );

  always @(posedge clk) word_q <= word;

  // ---- its sums ----
  reg  [SUMMED-1:0]       valid_q, first_q, end_q, last_q;  // of beats on their way, the newest in bit 0
  reg                     begins_q;
  reg                     held_q, held_last_q;
  reg  [SUM_W-1:0]        sum_q;
  reg  [SQUARES_W-1:0]    squares_q;
  wire [SUM_W-1:0]        sum;
  wire [SQUARES_W-1:0]    squares;

  always @(posedge clk) begin
    if (rst) valid_q <= {SUMMED{1'b0}};
    else valid_q <= {valid_q[SUMMED-2:0], active};
    first_q <= {first_q[SUMMED-2:0], begins_q};
    end_q   <= {end_q[SUMMED-2:0], ends};
    last_q  <= {last_q[SUMMED-2:0], s_last};
    if (rst) begins_q <= 1'b1;
    else if (active) begins_q <= ends;
    if (rst) held_q <= 1'b0;
    else held_q <= (valid_q[SUMMED-1] && end_q[SUMMED-1]) || (held_q && !start);
    if (valid_q[SUMMED-1] && end_q[SUMMED-1]) begin
      held_last_q <= last_q[SUMMED-1];
      sum_q       <= sum;
      squares_q   <= squares;
    end
  end

  generate
    if (MODE != 1) begin : g_sum
      reg  [(SQUARE-1)*LANES*X_W-1:0] line_q;  // as late as the squares
      reg  [LANES*X_W-1:0]            late_q;
      wire [LANES*X_W-1:0]            late = line_q[(SQUARE-1)*LANES*X_W-1 -: LANES*X_W];
      integer                         j;

      /* verilator lint_off WIDTH */ // the oldest leaves
      always @(posedge clk) begin
        line_q <= {line_q, x_q};
        for (j = 0; j < LANES; j = j + 1)
          late_q[j*X_W +: X_W] <= MODE == 2 && late[j*X_W + X_W - 1] ? -late[j*X_W +: X_W] : late[j*X_W +: X_W];
      end
      /* verilator lint_on WIDTH */

      weir_normalize_sum #(
        .LANES (LANES),
        .IN_W  (X_W),
        .SIGNED(MODE == 0 ? 1 : 0),
        .SUM_W (SUM_W)
      ) u_sum (
        .clk  (clk),
        .valid(valid_q[SQUARE]),
        .first(first_q[SQUARE]),
        .x    (late_q),
        .sum  (sum)
      );
    end else begin : g_no_sum
      assign sum = {SUM_W{1'b0}};
    end

    if (MODE != 2) begin : g_squares
      wire [LANES*2*X_W-1:0]     square;
      reg  [LANES*(2*X_W-1)-1:0] cut;  // it is at most 2^(2 * X_W - 2)
      integer                    j;

      always @*
        for (j = 0; j < LANES; j = j + 1) cut[j*(2*X_W-1) +: 2*X_W-1] = square[j*2*X_W +: 2*X_W-1];

      weir_normalize_square #(
        .LANES(LANES),
        .X_W  (X_W),
        .MUL_W(MUL_W)
      ) u_square (
        .clk(clk),
        .x  (x_q),
        .y  (square)
      );

      weir_normalize_sum #(
        .LANES (LANES),
        .IN_W  (2 * X_W - 1),
        .SIGNED(0),
        .SUM_W (SQUARES_W)
      ) u_sum (
        .clk  (clk),
        .valid(valid_q[SQUARE]),
        .first(first_q[SQUARE]),
        .x    (cut),
        .sum  (squares)
      );
    end else begin : g_no_squares
      assign squares = {SQUARES_W{1'b0}};
    end
  endgenerate

  // ---- its root ----
  wire        done;
  wire [32:0] found, factor;
  wire [3:0]  found_coarse, coarse;

  weir_normalize_root #(
    .MODE     (MODE),
    .LENGTH   (LENGTH),
    .SUM_W    (SUM_W),
    .SQUARES_W(SQUARES_W),
    .FRACTION (FRACTION),
    .EPSILON  (EPSILON),
    .BITS     (BITS),
    .STAGES   (STAGES),
    .SHARED   (SHARED),
    .MUL_W    (MUL_W),
    .READ     (ROOT_READ)
  ) u_root (
    .clk       (clk),
    .rst       (rst),
    .start     (start),
    .ready     (root_ready),
    .sum       (sum_q),
    .squares   (squares_q),
    .root_addr (root_addr),
    .base_data (base_data),
    .slope_data(slope_data),
    .done      (done),
    .factor    (found),
    .coarse    (found_coarse)
  );

  wire root_ready;

  assign start = held_q && root_ready;

  // ---- rows that wait for their turn ----
  wire             row_valid, row_last;
  wire [SUM_W-1:0] row_sum;
  wire             row_ends;
  wire             pop = take && row_ends;

  /* verilator lint_off PINCONNECTEMPTY */ // there is room for all rows of the ring
  weir_fifo #(
    .WIDTH(SUM_W),
    .DEPTH(ROWS)
  ) u_sums (
    .clk    (clk),
    .rst    (rst),
    .s_valid(start),
    .s_ready(),
    .s_data (sum_q),
    .s_last (held_last_q),
    .m_valid(),
    .m_ready(pop),
    .m_data (row_sum),
    .m_last (row_last)
  );

  weir_fifo #(
    .WIDTH(37),
    .DEPTH(ROWS)
  ) u_factors (
    .clk    (clk),
    .rst    (rst),
    .s_valid(done),
    .s_ready(),
    .s_data ({found_coarse, found}),
    .s_last (1'b0),
    .m_valid(row_valid),
    .m_ready(pop),
    .m_data ({coarse, factor}),
    .m_last ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- its elements are scaled ----
  localparam integer ASKED = 4 + FIRST - READ;  // cycles from a beat to when its gain and offset are asked for
  reg  [ROW_W-1:0]       place_q;
  reg  [ASKED:0]         taken_q;
  reg  [2*SUM_W-1:0]     sums_q;
  reg  [2*33-1:0]        factors_q;
  reg  [2*4-1:0]         coarses_q;
  wire [LANES*OUT_W-1:0] code;
  wire [LANES*(OFFSET_W+GAIN_W)-1:0] parameters;

  assign row_ends = place_q == END[ROW_W-1:0];

  always @(posedge clk) begin
    if (rst) place_q <= {ROW_W{1'b0}};
    else if (take) place_q <= wraps(BEATS) && row_ends ? {ROW_W{1'b0}} : place_q + 1'b1;
    if (rst) taken_q <= {(ASKED+1){1'b0}};
    else taken_q <= {taken_q[ASKED-1:0], take};
    sums_q    <= {sums_q[SUM_W-1:0], row_sum};
    factors_q <= {factors_q[32:0], factor};
    coarses_q <= {coarses_q[3:0], coarse};
  end

  generate
    if (HOLD > 1) begin : g_hold
      localparam integer HOLD_W = $clog2(HOLD);
      localparam integer LAST   = HOLD - 1;
      reg  [HOLD_W-1:0]  served_q;
      wire               turns = served_q == LAST[HOLD_W-1:0];

      always @(posedge clk)
        if (rst) served_q <= {HOLD_W{1'b0}};
        else if (taken_q[ASKED-1]) served_q <= turns ? {HOLD_W{1'b0}} : served_q + 1'b1;
      assign p_next = taken_q[ASKED-1] && turns;
    end else begin : g_each
      assign p_next = taken_q[ASKED-1];
    end
    if (HOLD > 0) begin : g_one_word
      assign parameters = {LANES{p_data}};
    end else begin : g_words
      assign parameters = p_data;
    end
  endgenerate

  weir_normalize_scale #(
    .LANES   (LANES),
    .MEAN    (MEAN),
    .X_W     (KEPT_W),
    .TWOS    (TWOS),
    .SUM_W   (SUM_W),
    .A_W     (A_W),
    .T_W     (T_W),
    .COARSE  (COARSE),
    .GAIN_W  (GAIN_W),
    .OFFSET_W(OFFSET_W),
    .SHIFT   (SHIFT),
    .POINT   (POINT),
    .OUT_W   (OUT_W),
    .LO      (LO),
    .HI      (HI),
    .MUL_W   (MUL_W)
  ) u_scale (
    .clk       (clk),
    .x         (word_q),
    .sum       (sums_q[2*SUM_W-1 -: SUM_W]),
    .factor    (factors_q[65:33]),
    .coarse    (coarses_q[7:4]),
    .parameters(parameters),
    .code      (code)
  );

  /* verilator lint_off PINCONNECTEMPTY */ // a beat is there as long as its row is
  weir_pipeline #(
    .WIDTH   (LANES * OUT_W),
    .LATENCY (SCALED),
    .INTERVAL(1),
    .SPREAD  (SPREAD)
  ) u_pipeline (
    .clk    (clk),
    .rst    (rst),
    .s_valid(row_valid),
    .s_ready(),
    .s_last (row_ends && row_last),
    .take   (take),
    .c_data (code),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
  /* verilator lint_on PINCONNECTEMPTY */

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_last #("weir_normalize", "s_last is not where a row ends", BEATS, 1) u_check_s_last (
    clk, rst, s_valid, s_ready, s_last);
  weir_check_last #("weir_normalize", "m_last is not where a row ends", BEATS, 1) u_check_m_last (
    clk, rst, m_valid, m_ready, m_last);
  weir_check_taken #("weir_normalize", "a beat leaves that was never taken") u_check_taken (
    clk, rst, s_valid && s_ready, m_valid, m_ready);
  weir_check_hold #("weir_normalize", "a waiting beat was withdrawn or changed", LANES * OUT_W + 1) u_check_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
`endif
endmodule

`default_nettype wire
