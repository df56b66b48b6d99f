// weir_requantize_float: y = clip(rint(RN24(v)) + ZERO, LO, HI) with v = RN24(x + A) * M / 2^SHIFT, lane by lane: the float32
// arithmetic of ONNX Runtime (integer to float, one multiplication rounded to 24 significant bits, rounding half to even) in
// integers. One parameter word a beat; lane l takes bits [l * (A_W + M_W) +: A_W + M_W] of it: {A signed, M unsigned}, M low.
// x + A is rounded to 24 significant bits first, as the conversion to float32 does, where it can have more; M may be wider
// than 24 bits (mantissas aligned to one SHIFT).
//
// Derivation. Let k = floor(v), and let c = v - (k + 1/2) be the distance from the tie in v's unit interval. RN24 is monotone
// and keeps k + 1/2 where it is (it is representable while |v| < 2^23), so RN24(v) never crosses the tie, and both roundings
// together are the plain nearest integer, with one exception: RN24 lands on the tie itself, and then rint picks the
// even neighbour, whatever side v was on. It lands there exactly when |c| is at most half the spacing of the 24-bit
// numbers on v's side of the tie. With e the exponent of the tie's magnitude |k + 1/2| that half spacing is 2^(e-24), and its
// two ends belong to the tie because its significand is even (e <= 21). The magnitude's integer part is g = k or, for negative
// k, ~k; g >= 1 gives e = floor(log2(g)). g = 0 is the tie 1/2, a power of two: 2^-25 above it in magnitude, but 2^-26 below it,
// where the binade is the next lower one. In units of 2^-SHIFT the half spacing is a power of two `window`, or less than one
// unit, and then only the exact tie counts: window = 0 says the same. So: increment k by one if
// |c| <= window ? k is odd : c > 0.
// g beyond max(HI - ZERO, ZERO - LO) leads to a clipped result whichever neighbour is taken, so e needs to be exact for
// GAP_W bits of g only, and these bounds keep below 2^22, where the argument about even significands holds.
// The comparison uses the one's complement: n = c < 0; |c| <= window is (n ? ~c < window : c <= window), which is
// {c ^ n, 0} < {window, !n}. As 2^SHIFT * (k + 1/2) has only the bit SHIFT - 1 set below the cut, c's bits are those of the
// product with that one inverted, and n is its inverse.
//
// Latency:   2 + ceil(M_W / DIGIT) + (max(X_W, A_W) > 24 ? 2 : 0) cycles: 2 more where x + A has more than 25 bits.
// Interval:  ceil(M_W / DIGIT) cycles a beat.
// State:     weir_requantize_shell, k and its increment; with a wide x + A a slice before and behind its rounding.
// Mapping:   an adder for x + A (where that is wide, its rounding: a magnitude, a leading one, an adder), the multiplier, a
//            short comparator (SHIFT + log2 of the output range - 24 bits), two short adders, a clip.
module weir_requantize_float #(
  parameter integer       LANES = 1,
  parameter integer       X_W   = 16,
  parameter integer       OUT_W = 8,
  parameter integer       M_W   = 24,
  parameter integer       A_W   = 1,
  parameter integer       SHIFT = 24,
  parameter integer       DIGIT = 24,
  parameter signed [31:0] ZERO  = 0,
  parameter signed [31:0] LO    = -128,
  parameter signed [31:0] HI    = 127
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
  /* verilator lint_off WIDTH */ // the differences are taken in 34 bits
  localparam signed [33:0] UP    = HI - ZERO;
  localparam signed [33:0] DOWN  = ZERO - LO;
  localparam integer       REACH = UP > DOWN ? UP : DOWN;              // largest g that matters
  /* verilator lint_on WIDTH */
  localparam integer       GAP_W = REACH > 0 ? $clog2(REACH + 1) : 1;  // its bits
  localparam integer T_W    = (X_W > A_W ? X_W : A_W) + 1;             // x + A
  localparam integer WIDE   = T_W > 25 ? 1 : 0;                        // may have more than 24 significant bits
  localparam integer V_W    = T_W + WIDE;                              // rounded
  localparam integer P_W    = V_W + M_W;
  localparam integer E_W    = P_W > SHIFT + GAP_W ? P_W : SHIFT + GAP_W + 1;
  localparam integer K_W    = E_W - SHIFT;
  localparam integer NEAR_W = SHIFT + GAP_W > 24 ? SHIFT + GAP_W - 24 : 1;  // bits of window
  localparam integer R_W    = (K_W > 32 ? K_W : 32) + 2;               // k + 1 + ZERO

  generate
    if (LANES < 1 || X_W < 1 || OUT_W < 1 || M_W < 1 || A_W < 1 || DIGIT < 1) begin : g_check_sizes
      weir_requantize_float_LANES_X_W_OUT_W_M_W_A_W_and_DIGIT_must_be_at_least_1 u_error ();
    end
    if (SHIFT < 2) begin : g_check_shift
      weir_requantize_float_SHIFT_must_be_at_least_2 u_error ();
    end
    if (UP >= 34'sd4194304 || DOWN >= 34'sd4194304) begin : g_check_range
      weir_requantize_float_HI_minus_ZERO_and_ZERO_minus_LO_must_be_below_2_to_22 u_error ();
    end
  endgenerate

  wire                   x_ready, x_valid, x_last, a_ready, c_take;
  wire [LANES*V_W-1:0]   x_data;
  wire [LANES*M_W-1:0]   x_scale;
  wire [LANES*P_W-1:0]   c_product;
  reg  [LANES*M_W-1:0]   scale;
  reg  [LANES*T_W-1:0]   biased;
  reg  [LANES*K_W-1:0]   k_q;
  reg  [LANES-1:0]       up_q;
  reg  [LANES*R_W-1:0]   shifted;
  reg  signed [E_W-1:0]  v;
  reg  signed [T_W-1:0]  t;
  reg  signed [K_W-1:0]  k;
  reg  signed [R_W-1:0]  r;
  reg  [GAP_W-1:0]       g;
  reg  [SHIFT-2:0]       c;
  reg  [NEAR_W-1:0]      window;
  reg                    n, tie;
  integer                i, e, j;

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = s_valid && p_valid && a_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  assign s_ready = p_valid && a_ready;
  assign p_ready = s_valid && a_ready;

  /* verilator lint_off WIDTH */ // sign extension and truncation by assignment are meant
  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      t = $signed(s_data[i*X_W +: X_W]);
      t = t + $signed(p_data[i*(A_W+M_W) + M_W +: A_W]);
      biased[i*T_W +: T_W] = t;
      scale[i*M_W +: M_W]  = p_data[i*(A_W+M_W) +: M_W];
    end
  /* verilator lint_on WIDTH */

  generate
    if (WIDE == 1) begin : g_wide
      wire                          r_valid, r_ready, r_last;
      wire [LANES*(T_W+M_W)-1:0]    r_data;
      reg  [LANES*(V_W+M_W)-1:0]    nearest;
      reg  [T_W-1:0]                size, unit;
      reg  [V_W-1:0]                whole;
      reg                           up;
      integer                       l, b;

      weir_register_slice #(
        .WIDTH(LANES * (T_W + M_W))
      ) u_sum (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid && p_valid),
        .s_ready(a_ready),
        .s_data ({scale, biased}),
        .s_last (s_last),
        .m_valid(r_valid),
        .m_ready(r_ready),
        .m_data (r_data),
        .m_last (r_last)
      );

      // Half to even on the magnitude; unit is the weight of the last of its 24 bits, 0 where it has no more.
      /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
      always @* begin
        nearest[LANES*V_W +: LANES*M_W] = r_data[LANES*T_W +: LANES*M_W];
        for (l = 0; l < LANES; l = l + 1) begin
          size = r_data[l*T_W + T_W - 1] ? -r_data[l*T_W +: T_W] : r_data[l*T_W +: T_W];
          unit = 0;
          for (b = 1; b <= T_W - 24; b = b + 1)
            if ((size >> (b + 23)) == 1) unit[b] = 1'b1;
          up    = (size & (unit >> 1)) != 0 && (size & ((unit >> 1) - 1 | unit)) != 0;
          whole = unit == 0 ? size : (size & ~(unit - 1)) + (up ? {1'b0, unit} : 0);
          nearest[l*V_W +: V_W] = r_data[l*T_W + T_W - 1] ? -whole : whole;
        end
      end
      /* verilator lint_on WIDTH */

      weir_register_slice #(
        .WIDTH(LANES * (V_W + M_W))
      ) u_rounded (
        .clk    (clk),
        .rst    (rst),
        .s_valid(r_valid),
        .s_ready(r_ready),
        .s_data (nearest),
        .s_last (r_last),
        .m_valid(x_valid),
        .m_ready(x_ready),
        .m_data ({x_scale, x_data}),
        .m_last (x_last)
      );
    end else begin : g_exact
      assign x_valid = s_valid && p_valid;
      assign a_ready = x_ready;
      assign x_data  = biased;
      assign x_scale = scale;
      assign x_last  = s_last;
    end
  endgenerate

  weir_requantize_shell #(
    .LANES  (LANES),
    .X_W    (V_W),
    .M_W    (M_W),
    .SIDE_W (1),
    .DIGIT  (DIGIT),
    .VALUE_W(R_W),
    .OUT_W  (OUT_W),
    .LO     (LO),
    .HI     (HI)
  ) u_shell (
    .clk      (clk),
    .rst      (rst),
    .s_valid  (x_valid),
    .s_ready  (x_ready),
    .s_data   (x_data),
    .s_scale  (x_scale),
    .s_side   (1'b0),
    .s_last   (x_last),
    .c_take   (c_take),
    .c_product(c_product),
    /* verilator lint_off PINCONNECTEMPTY */ // nothing travels along
    .c_side   (),
    /* verilator lint_on PINCONNECTEMPTY */
    .c_value  (shifted),
    .m_valid  (m_valid),
    .m_ready  (m_ready),
    .m_data   (m_data),
    .m_last   (m_last)
  );

  /* verilator lint_off WIDTH */  // sign extension and truncation by assignment are meant
  /* verilator lint_off BLKSEQ */ // v to tie are temporaries of one evaluation
  always @(posedge clk)
    if (c_take)
      for (i = 0; i < LANES; i = i + 1) begin
        v      = $signed(c_product[i*P_W +: P_W]);
        k      = v >>> SHIFT;
        n      = !v[SHIFT-1];
        c      = v[SHIFT-2:0] ^ {(SHIFT-1){n}};
        g      = k[GAP_W-1:0] ^ {GAP_W{k[K_W-1]}};
        window = 0;
        if (SHIFT >= 26) window[SHIFT >= 26 ? SHIFT - 26 : 0] = g == 0 && n != k[K_W-1];
        if (SHIFT >= 25) window[SHIFT >= 25 ? SHIFT - 25 : 0] = g == 0 && n == k[K_W-1];
        for (e = 0; e < GAP_W; e = e + 1)
          if (SHIFT + e >= 24) window[SHIFT + e >= 24 ? SHIFT + e - 24 : 0] = (g >> e) == 1;
        tie     = (c >> NEAR_W) == 0 && {c[NEAR_W-1:0], 1'b0} < {window, !n};
        up_q[i] <= tie ? k[0] : !n;
        k_q[i*K_W +: K_W] <= k;
      end
  /* verilator lint_on BLKSEQ */

  always @*
    for (j = 0; j < LANES; j = j + 1) begin
      r = $signed(k_q[j*K_W +: K_W]);
      r = r + ZERO;
      r = r + $signed({1'b0, up_q[j]});
      shifted[j*R_W +: R_W] = r;
    end
  /* verilator lint_on WIDTH */
endmodule
