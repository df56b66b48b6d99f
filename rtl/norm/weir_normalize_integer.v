// weir_normalize_integer: of each element of a row of LENGTH the quotient, toward 0, of (x - mean) * gain by the row's
// deviation: the mean of the row, toward 0 (without CENTRED 0), and the root, rounded down, of floor(sum of (x -
// mean)^2 / LENGTH) + 1. All of it is of integers and exact.
//
// A row's elements wait in a ring while its sums are formed and their root is found; then they are divided. Gains are
// words of LANES {sign, magnitude} in order, a word a beat: p_data is the word READ cycles after a cycle with p_next
// high.
// Latency:   LENGTH / LANES + (LENGTH / LANES - 1) * ceil(QUOTIENT_W / UNITS) + UNITS * ceil(QUOTIENT_W / UNITS) + 15 +
//            clog2(LANES) + clog2(ceil(AWAY_W / (MUL_W - 1)) * ceil(GAIN_W / (MUL_W - 1))) + 2 * ROOT_W + 1 + (CENTRED
//            ? MEAN_W + 2 : 0) - max(max(LENGTH / LANES * ceil(QUOTIENT_W / UNITS), 2 * ROOT_W + 1 + (CENTRED ? MEAN_W
//            + 2 : 0)), 5 + clog2(LANES)) cycles from a row's last beat to its last result.
// Interval:  max(max(LENGTH / LANES * ceil(QUOTIENT_W / UNITS), 2 * ROOT_W + 1 + (CENTRED ? MEAN_W + 2 : 0)), 5 +
//            clog2(LANES)) cycles a row.
// Clock:     rtl/README.md, Measured alone: weir_normalize_integer.
// State:     the ring, the sums of a row that is complete, mean and deviation of rows that wait, the registers of the
//            modules.
// Invariant: beats in the ring = used_q <= ROWS * BEATS; rows that wait are at most ROWS.
// Contract:  the parameters' widths hold every row's numbers; a quotient is below 2^QUOTIENT_W.
// Mapping:   a block RAM with a register after it, a square and ceil(AWAY_W / (MUL_W - 1)) * ceil(GAIN_W / (MUL_W - 1))
//            products a lane, weir_normalize_sum, weir_normalize_integer_root, weir_softmax_divide, weir_pipeline.
`default_nettype none

module weir_normalize_integer #(
  parameter integer LANES       = 1,
  parameter integer WIDTH       = 8,   // bits of an element
  parameter integer SIGNED      = 1,
  parameter integer LENGTH      = 16,
  parameter integer CENTRED     = 1,
  parameter integer SUM_W       = 13,  // of a row's sum, signed
  parameter integer SQUARES_W   = 19,  // and of its squares
  parameter integer MEAN_W      = 8,   // of the mean's magnitude
  parameter integer ROOT_W      = 8,
  parameter integer AWAY_W      = 8,   // of an element's distance from the mean
  parameter integer GAIN_W      = 8,   // of a gain's magnitude
  parameter integer NUMERATOR_W = 16,  // of a distance by a gain
  parameter integer QUOTIENT_W  = 11,
  parameter integer UNITS       = 11,  // of the division
  parameter integer OUT_W       = 12,
  parameter integer ROWS        = 4,   // of the ring
  parameter integer MUL_W       = 18,  // bits of the signed operands of a multiplier block
  parameter integer READ        = 2
) (
  input  wire                        clk,
  input  wire                        rst,
  input  wire                        s_valid,
  output wire                        s_ready,
  input  wire [LANES*WIDTH-1:0]      s_data,
  input  wire                        s_last,
  output wire                        p_next,
  input  wire [LANES*(GAIN_W+1)-1:0] p_data,
  output wire                        m_valid,
  input  wire                        m_ready,
  output wire [LANES*OUT_W-1:0]      m_data,
  output wire                        m_last
);
  localparam integer BEATS  = LENGTH / LANES;
  localparam integer DEPTH  = ROWS * BEATS;
  localparam integer CYCLES = (QUOTIENT_W + UNITS - 1) / UNITS;  // a beat

  generate
    if (LANES < 1 || LENGTH % LANES != 0 || BEATS < 2) begin : g_check_length
      weir_normalize_integer_LENGTH_must_be_two_or_more_times_LANES u_error ();
    end
    if (ROWS < 2) begin : g_check_rows
      weir_normalize_integer_ROWS_must_be_at_least_2 u_error ();
    end
    if (READ < 1 || READ > 4) begin : g_check_read
      weir_normalize_integer_READ_must_be_1_to_4 u_error ();
    end
  endgenerate

  localparam integer X_W     = WIDTH + (SIGNED != 0 ? 0 : 1);  // of a signed element
  localparam integer SUMMED  = 3 + $clog2(LANES);              // cycles from a beat to the sums with it
  localparam integer PIECES  = ((AWAY_W - 1) / (MUL_W - 1) + 1) * ((GAIN_W - 1) / (MUL_W - 1) + 1);
  localparam integer PRODUCT = 2 + $clog2(PIECES);
  localparam integer LOAD    = 4 + PRODUCT;                    // cycles from a beat of the ring to its numerators
  localparam integer DIVIDED = UNITS * CYCLES + 2;
  localparam integer LATENCY = LOAD + DIVIDED + 1;

  genvar l;
  /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant

  // ---- a row comes ----
  localparam integer AT_W   = $clog2(DEPTH);
  localparam integer USED_W = $clog2(DEPTH + 1);
  localparam integer ROW_W  = $clog2(BEATS);
  localparam integer FULL   = DEPTH - 1;
  localparam integer END    = BEATS - 1;
  reg  [AT_W-1:0]   write_q, read_q;
  reg  [USED_W-1:0] used_q;
  reg               full_q;
  reg  [ROW_W-1:0]  count_q;  // beats of the row so far
  reg               busy_q;   // a row is complete whose root is not begun
  wire              ends   = count_q == END[ROW_W-1:0];
  wire              take;     // a beat is divided
  wire              start;    // a root
  wire              active = s_valid && s_ready;  // observed by utilisation counters, too

  assign s_ready = !full_q && !(ends && busy_q);

  always @(posedge clk)
    if (rst) begin
      write_q <= {AT_W{1'b0}};
      read_q  <= {AT_W{1'b0}};
      used_q  <= {USED_W{1'b0}};
      full_q  <= 1'b0;
      count_q <= {ROW_W{1'b0}};
      busy_q  <= 1'b0;
    end else begin
      if (active) write_q <= write_q == FULL[AT_W-1:0] ? {AT_W{1'b0}} : write_q + 1'b1;
      if (take) read_q <= read_q == FULL[AT_W-1:0] ? {AT_W{1'b0}} : read_q + 1'b1;
      if (active) count_q <= ends ? {ROW_W{1'b0}} : count_q + 1'b1;
      if (active != take) begin
        used_q <= active ? used_q + 1'b1 : used_q - 1'b1;
        full_q <= active && used_q == FULL[USED_W-1:0];
      end
      busy_q <= (active && ends) || (busy_q && !start);
    end

  wire [LANES*WIDTH-1:0] word;
  reg  [LANES*WIDTH-1:0] word_q;

  weir_ram #(
    .WIDTH(LANES * WIDTH),
    .DEPTH(DEPTH)
  ) u_elements (
    .clk  (clk),
    .we   (active),
    .waddr(write_q),
    .wdata(s_data),
    .re   (1'b1),
    .raddr(read_q),
    .q    (word)
  );

  always @(posedge clk) word_q <= word;

  // ---- its sums ----
  reg  [SUMMED-1:0]        valid_q, first_q, end_q, last_q;  // of beats on their way, the newest in bit 0
  reg                      held_q, held_last_q;
  reg  [SUM_W-1:0]         sum_q;
  reg  [SQUARES_W-1:0]     squares_q;
  wire [SUM_W-1:0]         sum;
  wire [SQUARES_W-1:0]     squares;
  wire [LANES*2*WIDTH-1:0] square;  // at most 2^(2 * WIDTH) - 1 each
  wire                     summed = valid_q[SUMMED-1] && end_q[SUMMED-1];

  always @(posedge clk) begin
    if (rst) valid_q <= {SUMMED{1'b0}};
    else valid_q <= {valid_q, active};
    first_q <= {first_q, count_q == {ROW_W{1'b0}}};
    end_q   <= {end_q, ends};
    last_q  <= {last_q, s_last};
    held_q  <= !rst && (summed || (held_q && !start));
    if (summed) begin
      held_last_q <= last_q[SUMMED-1];
      sum_q       <= sum;
      squares_q   <= squares;
    end
  end

  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_square
      wire        [WIDTH-1:0] given = s_data[l*WIDTH +: WIDTH];
      reg  signed [X_W-1:0]   x_q;
      /* verilator lint_off UNUSEDSIGNAL */ // the top bits are 0
      wire        [2*X_W-1:0] product;
      /* verilator lint_on UNUSEDSIGNAL */

      always @(posedge clk) x_q <= {SIGNED == 0 ? 1'b0 : given[WIDTH-1], given};

      weir_mul #(
        .A_W(X_W),
        .B_W(X_W)
      ) u_mul (
        .clk(clk),
        .en (1'b1),
        .a  (x_q),
        .b  (x_q),
        .p  (product)
      );
      assign square[l*2*WIDTH +: 2*WIDTH] = product;
    end

    if (CENTRED != 0) begin : g_sum
      reg [LANES*WIDTH-1:0] early_q, x_q;  // as late as the squares

      always @(posedge clk) begin
        early_q <= s_data;
        x_q     <= early_q;
      end

      weir_normalize_sum #(
        .LANES (LANES),
        .IN_W  (WIDTH),
        .SIGNED(SIGNED),
        .SUM_W (SUM_W)
      ) u_sum (
        .clk  (clk),
        .valid(valid_q[1]),
        .first(first_q[1]),
        .x    (x_q),
        .sum  (sum)
      );
    end else begin : g_no_sum
      assign sum = {SUM_W{1'b0}};
    end
  endgenerate

  weir_normalize_sum #(
    .LANES (LANES),
    .IN_W  (2 * WIDTH),
    .SIGNED(0),
    .SUM_W (SQUARES_W)
  ) u_squares (
    .clk  (clk),
    .valid(valid_q[1]),
    .first(first_q[1]),
    .x    (square),
    .sum  (squares)
  );

  // ---- its root ----
  wire              root_ready, done;
  wire [MEAN_W:0]   found_mean;
  wire [ROOT_W-1:0] found_root;
  reg               found_last_q;

  assign start = held_q && root_ready;

  always @(posedge clk) if (start) found_last_q <= held_last_q;

  weir_normalize_integer_root #(
    .LENGTH   (LENGTH),
    .CENTRED  (CENTRED),
    .SUM_W    (SUM_W),
    .SQUARES_W(SQUARES_W),
    .MEAN_W   (MEAN_W),
    .ROOT_W   (ROOT_W)
  ) u_root (
    .clk    (clk),
    .rst    (rst),
    .start  (start),
    .ready  (root_ready),
    .sum    (sum_q),
    .squares(squares_q),
    .done   (done),
    .mean   (found_mean),
    .root   (found_root)
  );

  // ---- rows that wait for their turn ----
  wire              row_valid, row_last;
  wire [MEAN_W:0]   mean;
  wire [ROOT_W-1:0] root;
  reg  [ROW_W-1:0]  place_q;
  wire              row_ends = place_q == END[ROW_W-1:0];

  /* verilator lint_off PINCONNECTEMPTY */ // there is room for all rows of the ring
  weir_fifo #(
    .WIDTH(MEAN_W + 1 + ROOT_W),
    .DEPTH(ROWS)
  ) u_rows (
    .clk    (clk),
    .rst    (rst),
    .s_valid(done),
    .s_ready(),
    .s_data ({found_mean, found_root}),
    .s_last (found_last_q),
    .m_valid(row_valid),
    .m_ready(take && row_ends),
    .m_data ({mean, root}),
    .m_last (row_last)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- its elements are divided ----
  reg  [LOAD:1]              taken_q;   // beats on their way, the newest in bit 1
  wire [LOAD:0]              taken = {taken_q, take};
  reg  [2*(MEAN_W+1)-1:0]    means_q;   // with the beat, the oldest at the top
  reg  [LOAD*ROOT_W-1:0]     roots_q;
  reg  [ROOT_W-1:0]          held_root_q;
  wire signed [MEAN_W:0]     own_mean = means_q[2*(MEAN_W+1)-1 -: MEAN_W+1];
  wire [ROOT_W-1:0]          own_root = roots_q[LOAD*ROOT_W-1 -: ROOT_W];
  wire [LANES*(AWAY_W+1)-1:0] away;     // with a sign bit of 0
  wire [LANES*GAIN_W-1:0]    gain;
  /* verilator lint_off UNUSEDSIGNAL */ // the top bits are 0
  wire [LANES*(AWAY_W+1+GAIN_W)-1:0] product;
  /* verilator lint_on UNUSEDSIGNAL */
  wire [LANES*NUMERATOR_W-1:0] numerator;
  wire [LANES*QUOTIENT_W-1:0] quotient;
  wire [LANES*OUT_W-1:0]     code;

  assign p_next = taken[4-READ];

  always @(posedge clk) begin
    if (rst) place_q <= {ROW_W{1'b0}};
    else if (take) place_q <= row_ends ? {ROW_W{1'b0}} : place_q + 1'b1;
    if (rst) taken_q <= {LOAD{1'b0}};
    else taken_q <= taken;
    means_q <= {means_q, mean};
    roots_q <= {roots_q, root};
    if (taken[LOAD]) held_root_q <= own_root;
  end

  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      localparam integer AWAY = (X_W > MEAN_W + 1 ? X_W : MEAN_W + 1) + 1;  // bits of the signed difference
      localparam integer SIGN = PRODUCT + DIVIDED;
      wire        [WIDTH-1:0]  given = word_q[l*WIDTH +: WIDTH];
      wire signed [X_W-1:0]    x     = {SIGNED == 0 ? 1'b0 : given[WIDTH-1], given};
      reg  signed [AWAY-1:0]   difference_q;
      reg                      negative_q;
      reg         [AWAY_W-1:0] away_q;
      reg         [SIGN-1:0]   sign_q;   // of the quotient, the oldest at the top
      reg         [OUT_W-1:0]  code_q;
      wire        [QUOTIENT_W-1:0] own = quotient[l*QUOTIENT_W +: QUOTIENT_W];

      always @(posedge clk) begin
        difference_q <= x - own_mean;
        negative_q   <= difference_q[AWAY-1];
        away_q       <= difference_q[AWAY-1] ? -difference_q : difference_q;
        sign_q       <= {sign_q, negative_q ^ p_data[l*(GAIN_W+1) + GAIN_W]};
        code_q       <= sign_q[SIGN-1] ? -{1'b0, own} : {1'b0, own};
      end
      assign away[l*(AWAY_W+1) +: AWAY_W+1]            = {1'b0, away_q};
      assign gain[l*GAIN_W +: GAIN_W]                  = p_data[l*(GAIN_W+1) +: GAIN_W];
      assign numerator[l*NUMERATOR_W +: NUMERATOR_W]   = product[l*(AWAY_W+1+GAIN_W) +: AWAY_W+GAIN_W];
      assign code[l*OUT_W +: OUT_W]                    = code_q;
    end
  endgenerate

  weir_scale_blocks #(
    .LANES(LANES),
    .X_W  (AWAY_W + 1),
    .M_W  (GAIN_W),
    .MUL_W(MUL_W)
  ) u_product (
    .clk(clk),
    .x  (away),
    .m  (gain),
    .a  ({LANES{1'b0}}),
    .sum(product)
  );

  weir_softmax_divide #(
    .LANES      (LANES),
    .SUM_W      (ROOT_W),
    .NUMERATOR_W(NUMERATOR_W),
    .QUOTIENT_W (QUOTIENT_W),
    .UNITS      (UNITS),
    .OUT_W      (QUOTIENT_W),
    .HIGH       ((1 << QUOTIENT_W) - 1)
  ) u_divide (
    .clk      (clk),
    .load     (taken[LOAD]),
    .numerator(numerator),
    .sum      (taken[LOAD] ? own_root : held_root_q),
    .code     (quotient)
  );
  /* verilator lint_on WIDTH */

  /* verilator lint_off PINCONNECTEMPTY */ // a beat is there as long as its row is
  weir_pipeline #(
    .WIDTH   (LANES * OUT_W),
    .LATENCY (LATENCY),
    .INTERVAL(CYCLES)
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
  weir_check_last #("weir_normalize_integer", "s_last is not where a row ends", BEATS, 1) u_check_s_last (
    clk, rst, s_valid, s_ready, s_last);
  weir_check_last #("weir_normalize_integer", "m_last is not where a row ends", BEATS, 1) u_check_m_last (
    clk, rst, m_valid, m_ready, m_last);
  weir_check_taken #("weir_normalize_integer", "a beat leaves that was never taken") u_check_taken (
    clk, rst, s_valid && s_ready, m_valid, m_ready);
  weir_check_hold #("weir_normalize_integer", "a waiting beat was withdrawn or changed", LANES * OUT_W + 1)
  u_check_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
`endif
endmodule

`default_nettype wire
