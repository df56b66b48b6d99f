// weir_requantize: y = clip(floor((x * M + A) / 2^SHIFT), LO, HI), lane by lane, with M and A from a parameter stream.
//
// One parameter word a beat; lane l takes bits [l * (A_W + M_W) +: A_W + M_W] of it: {A signed, M unsigned}, M low.
// Latency:   1 + (max(DIGIT < M_W, MUL_W == 0) ? 2 + ceil(M_W / DIGIT) + (min(DIGIT, M_W) < 3 ? min(DIGIT, M_W) - 1 : 2
//            + clog2(MUL_W > 0 ? ceil(max(X_W - 1, 1) / max(MUL_W - 1, 1)) * ceil(min(DIGIT, M_W) / max(MUL_W - 1, 1))
//            : min(DIGIT, M_W) / 2)) + min(DIGIT > 3, DIGIT < M_W) : 2 + clog2(ceil(max(X_W - 1, 1) / max(MUL_W - 1,
//            1)) * ceil(M_W / max(MUL_W - 1, 1)) + 1)) cycles.
// Interval:  ceil(M_W / DIGIT) cycles a beat.
// Clock:     rtl/README.md, Measured alone: weir_requantize.
// State:     weir_pipeline, weir_scale_multiply.
// Mapping:   the multiplier, which also adds A, a clip, a buffer of a few results.
`default_nettype none

module weir_requantize #(
  parameter integer       LANES = 1,
  parameter integer       X_W   = 16,
  parameter integer       OUT_W = 8,
  parameter integer       M_W   = 16,
  parameter integer       A_W   = 16,
  parameter integer       SHIFT = 16,
  parameter integer       DIGIT = 16,
  parameter integer       MUL_W = 18,
  /* verilator lint_off WIDTH */ // numbers of 32 bits are written without a size
  parameter signed [63:0] LO    = -128,
  parameter signed [63:0] HI    = 127
  /* verilator lint_on WIDTH */
) (
  input  wire                       clk,
  input  wire                       rst,
  input  wire                       s_valid,
  output wire                       s_ready,
  input  wire [LANES*X_W-1:0]       s_data,
  input  wire                       s_last,
  input  wire                       p_valid,
  output wire                       p_ready,
  input  wire [LANES*(A_W+M_W)-1:0] p_data,
  output wire                       m_valid,
  input  wire                       m_ready,
  output wire [LANES*OUT_W-1:0]     m_data,
  output wire                       m_last
);
  localparam integer BEATS = (M_W + DIGIT - 1) / DIGIT;
  localparam integer K     = DIGIT < M_W ? DIGIT : M_W;
  localparam integer OF_X  = X_W < 3 || MUL_W < 2 ? 1 : (X_W - 2) / (MUL_W - 1) + 1;  // pieces of x, of m, of a digit
  localparam integer OF_M  = MUL_W < 2 ? 1 : (M_W + MUL_W - 2) / (MUL_W - 1);
  localparam integer OF_K  = MUL_W < 2 ? 1 : (K + MUL_W - 2) / (MUL_W - 1);
  localparam integer AHEAD = K < 3 ? K - 1 : 2 + $clog2(MUL_W > 0 ? OF_X * OF_K : (K + 1) / 2);
  localparam integer ROWS  = 2 + BEATS + AHEAD + (K > 3 && K < M_W ? 1 : 0);
  localparam integer TERMS = OF_X * OF_M + 1;
  localparam integer TIME  = DIGIT < M_W || MUL_W == 0 ? ROWS : 2 + $clog2(TERMS);  // of the multiplication
  localparam integer P_W   = X_W + M_W;
  localparam integer SUM_W = (P_W > A_W ? P_W : A_W) + 1;
  localparam integer E_W   = SUM_W > SHIFT ? SUM_W : SHIFT + 1;
  localparam integer R_W   = E_W - SHIFT;

  generate
    if (LANES < 1 || X_W < 1 || OUT_W < 1 || M_W < 1 || A_W < 1 || SHIFT < 0 || DIGIT < 1) begin : g_check
      weir_requantize_LANES_X_W_OUT_W_M_W_A_W_DIGIT_must_be_at_least_1_and_SHIFT_at_least_0 u_error ();
    end
  endgenerate

  wire                   x_ready, active;
  wire [LANES*SUM_W-1:0] sum;
  wire [LANES*OUT_W-1:0] clipped;
  reg  [LANES*M_W-1:0]   scale;
  reg  [LANES*A_W-1:0]   addend;
  reg  [LANES*R_W-1:0]   shifted;
  integer                i, j;

  assign s_ready = p_valid && x_ready;
  assign p_ready = s_valid && x_ready;

  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      scale[i*M_W +: M_W]  = p_data[i*(A_W+M_W) +: M_W];
      addend[i*A_W +: A_W] = p_data[i*(A_W+M_W) + M_W +: A_W];
    end

  weir_scale_multiply #(
    .LANES(LANES),
    .X_W  (X_W),
    .M_W  (M_W),
    .ADD_W(A_W),
    .DIGIT(DIGIT),
    .MUL_W(MUL_W)
  ) u_multiply (
    .clk (clk),
    .load(active),
    .x   (s_data),
    .m   (scale),
    .a   (addend),
    .sum (sum)
  );

  /* verilator lint_off WIDTH */ // sign extension and truncation by assignment are meant
  always @*
    for (j = 0; j < LANES; j = j + 1) shifted[j*R_W +: R_W] = $signed(sum[j*SUM_W +: SUM_W]) >>> SHIFT;
  /* verilator lint_on WIDTH */

  weir_saturate #(
    .LANES(LANES),
    .IN_W (R_W),
    .OUT_W(OUT_W),
    .LO   (LO),
    .HI   (HI)
  ) u_saturate (
    .x(shifted),
    .y(clipped)
  );

  weir_pipeline #(
    .WIDTH   (LANES * OUT_W),
    .LATENCY (TIME),
    .INTERVAL(BEATS)
  ) u_pipeline (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_valid && p_valid),
    .s_ready(x_ready),
    .s_last (s_last),
    .take   (active),
    .c_data (clipped),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_carried #("weir_requantize", LANES * OUT_W) u_check (
    clk, rst, s_valid && s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
