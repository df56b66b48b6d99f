// weir_product: rows of one stream times matrices that another one writes: PE dot products at a time, SIMD elements of
// each a cycle.
//
// A row of BEATS beats (s_a) meets each of its matrix's GROUPS groups of PE outputs. All of a page of matrices (s_b,
// MATRIX beats in any order, weir_matrix) is there before its rows are multiplied; while they are, the next page is
// taken. With ALONG = 0 a beat of s_b holds the SIMD elements of an output that meet a beat of a row, else those of PE
// outputs that meet one element of a row. A page has ROW_SIZE_0 * ROW_SIZE_1 * ROW_SIZE_2 * ROW_SIZE_3 rows. The
// compiler's range proof makes sums of ACC_W bits exact; READ, PARTS and SPREAD as weir_mvu has them.
// Latency:   min(MATRIX, ROW_SIZE_0 * ROW_SIZE_1 * ROW_SIZE_2 * ROW_SIZE_3 * BEATS * GROUPS) + READ + clog2(PARTS) +
//            clog2(SIMD) + (BEATS > 1 ? 3 : 2) cycles by which a frame takes longer than its interval; those after
//            MATRIX from the last beat of a row, if the multipliers are free.
// Interval:  PAGES * max(MATRIX, ROW_SIZE_0 * ROW_SIZE_1 * ROW_SIZE_2 * ROW_SIZE_3 * BEATS * GROUPS) cycles a frame.
// Clock:     rtl/README.md, Measured alone: weir_product.
// State:     two pages of matrices, two rows (none if GROUPS == 1), and that of weir_mvu.
// Mapping:   weir_replay, weir_matrix, weir_mvu.
`default_nettype none

module weir_product #(
  parameter integer X_W          = 8,   // bits of an element of a row
  parameter integer X_SIGNED     = 0,   // 1: two's complement
  parameter integer W_W          = 8,   // bits of an element of a matrix
  parameter integer W_SIGNED     = 0,
  parameter integer ACC_W        = 24,  // bits of a result, two's complement
  parameter integer SIMD         = 1,
  parameter integer PE           = 1,
  parameter integer BEATS        = 2,   // of a row
  parameter integer GROUPS       = 1,   // of outputs
  parameter integer PAGES        = 1,   // of a frame
  parameter integer MATRICES     = 1,   // of a page
  parameter integer MATRIX       = 2,   // beats of a page of matrices
  parameter integer ALONG        = 0,
  parameter integer READ         = 1,   // registers from a word's address to its multiplication
  parameter integer PARTS        = 1,   // of a product in lookup tables; 1: DSP blocks
  parameter integer SPREAD       = 0,   // 1: the device has distributed RAM
  parameter integer REGISTERED   = 0,   // 1: a register after the buffer of rows
  parameter integer SIZE_0       = 1,
  parameter integer SIZE_1       = 1,
  parameter integer SIZE_2       = 1,
  parameter integer SIZE_3       = 1,
  parameter integer SIZE_4       = 1,
  parameter integer SIZE_5       = 2,
  parameter integer STRIDE_0     = 0,
  parameter integer STRIDE_1     = 0,
  parameter integer STRIDE_2     = 0,
  parameter integer STRIDE_3     = 0,
  parameter integer STRIDE_4     = 0,
  parameter integer STRIDE_5     = 1,
  parameter integer BANK         = 0,
  parameter integer ROW_SIZE_0   = 1,
  parameter integer ROW_SIZE_1   = 1,
  parameter integer ROW_SIZE_2   = 1,
  parameter integer ROW_SIZE_3   = 1,
  parameter integer ROW_STRIDE_0 = 0,
  parameter integer ROW_STRIDE_1 = 0,
  parameter integer ROW_STRIDE_2 = 0,
  parameter integer ROW_STRIDE_3 = 0
) (
  input  wire                                    clk,
  input  wire                                    rst,
  input  wire                                    s_a_valid,
  output wire                                    s_a_ready,
  input  wire [SIMD*X_W-1:0]                     s_a_data,
  input  wire                                    s_a_last,
  input  wire                                    s_b_valid,
  output wire                                    s_b_ready,
  input  wire [(ALONG!=0?PE:SIMD)*W_W-1:0]       s_b_data,
  /* verilator lint_off UNUSEDSIGNAL */ // pages are counted
  input  wire                                    s_b_last,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire                                    m_valid,
  input  wire                                    m_ready,
  output wire [PE*ACC_W-1:0]                     m_data,
  output wire                                    m_last
);
  localparam integer BANKS  = ALONG != 0 ? SIMD : PE;
  localparam integer BEAT   = ALONG != 0 ? PE : SIMD;  // elements of a beat of s_b
  localparam integer FACTOR = W_SIGNED != 0 ? W_W : W_W + 1;

  generate
    if (PAGES < 1) begin : g_check
      weir_product_PAGES_must_be_at_least_1 u_error ();
    end
    if (MATRIX != MATRICES * BEATS * GROUPS * BANKS) begin : g_check_matrix
      weir_product_MATRIX_must_be_MATRICES_times_the_beats_of_a_matrix u_error ();
    end
  endgenerate

  wire                    x_valid, x_last, x_ready, y_ready, open;
  wire [SIMD*X_W-1:0]     x_data;
  wire [PE*SIMD*W_W-1:0]  word;
  reg  [PE*SIMD*FACTOR-1:0] weights;
  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters; the word is asked for as a beat is taken
  wire                    active = x_valid && x_ready;
  wire                    w_next;
  /* verilator lint_on UNUSEDSIGNAL */

  assign x_ready = y_ready && open;

  weir_replay #(
    .WIDTH     (SIMD * X_W),
    .BEATS     (BEATS),
    .TIMES     (GROUPS),
    .REGISTERED(REGISTERED)
  ) u_replay (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_a_valid),
    .s_ready(s_a_ready),
    .s_data (s_a_data),
    .s_last (s_a_last),
    .m_valid(x_valid),
    .m_ready(x_ready),
    .m_data (x_data),
    .m_last (x_last)
  );

  weir_matrix #(
    .WIDTH       (BEAT * W_W),
    .BANKS       (BANKS),
    .PAGE        (MATRICES * BEATS * GROUPS),
    .SIZE_0      (SIZE_0),
    .SIZE_1      (SIZE_1),
    .SIZE_2      (SIZE_2),
    .SIZE_3      (SIZE_3),
    .SIZE_4      (SIZE_4),
    .SIZE_5      (SIZE_5),
    .STRIDE_0    (STRIDE_0),
    .STRIDE_1    (STRIDE_1),
    .STRIDE_2    (STRIDE_2),
    .STRIDE_3    (STRIDE_3),
    .STRIDE_4    (STRIDE_4),
    .STRIDE_5    (STRIDE_5),
    .BANK        (BANK),
    .ROW_SIZE_0  (ROW_SIZE_0),
    .ROW_SIZE_1  (ROW_SIZE_1),
    .ROW_SIZE_2  (ROW_SIZE_2),
    .ROW_SIZE_3  (ROW_SIZE_3),
    .ROW_STRIDE_0(ROW_STRIDE_0),
    .ROW_STRIDE_1(ROW_STRIDE_1),
    .ROW_STRIDE_2(ROW_STRIDE_2),
    .ROW_STRIDE_3(ROW_STRIDE_3),
    .WORDS       (BEATS * GROUPS),
    .READ        (READ)
  ) u_matrix (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_b_valid),
    .s_ready(s_b_ready),
    .s_data (s_b_data),
    .open   (open),
    .next   (active),
    .q      (word)
  );

  // Element s of output p, as a signed factor.
  integer p, s;
  /* verilator lint_off WIDTH */ // an unsigned element gains a zero sign bit by assignment
  always @*
    for (p = 0; p < PE; p = p + 1)
      for (s = 0; s < SIMD; s = s + 1)
        weights[(p*SIMD+s)*FACTOR +: FACTOR] = word[(ALONG != 0 ? s * PE + p : p * SIMD + s)*W_W +: W_W];
  /* verilator lint_on WIDTH */

  weir_mvu #(
    .X_W     (X_W),
    .X_SIGNED(X_SIGNED),
    .W_W     (FACTOR),
    .ACC_W   (ACC_W),
    .SIMD    (SIMD),
    .PE      (PE),
    .BEATS   (BEATS),
    .READ    (READ),
    .PARTS   (PARTS),
    .SPREAD  (SPREAD)
  ) u_mvu (
    .clk    (clk),
    .rst    (rst),
    .s_valid(x_valid && open),
    .s_ready(y_ready),
    .s_data (x_data),
    .s_last (x_last),
    .w_next (w_next),
    .w_data (weights),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_last #("weir_product", "s_b_last is not where a frame ends", PAGES * MATRIX) u_check_s_b_last (
    clk, rst, s_b_valid, s_b_ready, s_b_last);
`endif
endmodule

`default_nettype wire
