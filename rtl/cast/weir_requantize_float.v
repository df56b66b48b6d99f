// weir_requantize_float: y = clip(rint(RN24(v)) + ZERO, LO, HI) with v = RN24(x + A) * M / 2^SHIFT, lane by lane: the
// float32 arithmetic of ONNX Runtime (integer to float, one multiplication rounded to 24 significant bits, rounding
// half to even) in integers. One parameter word a beat; lane l takes bits [l * (A_W + M_W) +: A_W + M_W] of it: {A
// signed, M unsigned}, M low. Where x + A can have more than 24 significant bits it is rounded to 24 first, as the
// conversion to float32 does; M may be wider than 24 bits (mantissas aligned to one SHIFT).
//
// Derivation. Let k = floor(v), and let c = v - (k + 1/2) be the distance from the tie in v's unit interval. RN24 is
// monotone and leaves k + 1/2 unchanged (it is representable while |v| < 2^23), so RN24(v) never crosses the tie, and
// both roundings together give the nearest integer, with one exception: where RN24(v) is the tie itself, rint picks the
// even neighbour, whichever side v was on. That happens exactly when |c| is at most half the spacing of the 24-bit
// numbers on v's side of the tie. With e the exponent of the tie's magnitude |k + 1/2| that half spacing is 2^(e-24),
// and its two ends belong to the tie because its significand is even (e <= 21). The magnitude's integer part is g = k
// or, for negative k, ~k; g >= 1 gives e = floor(log2(g)). g = 0 is the tie 1/2, a power of two: 2^-25 above it in
// magnitude, but 2^-26 below it, where the binade is the next lower one. In units of 2^-SHIFT the half spacing is a
// power of two `window`, or less than one unit; then only the exact tie counts, which window = 0 expresses. So:
// increment k by one if |c| <= window ? k is odd : c > 0. g beyond max(HI - ZERO, ZERO - LO) gives a clipped result
// whichever neighbour is picked, so e must be exact for GAP_W bits of g only, and these bounds are below 2^22, where
// the argument about even significands holds. The comparison uses the one's complement: n = c < 0; |c| <= window is (n
// ? ~c < window : c <= window), which is {c ^ n, 0} < {window, !n}. As 2^SHIFT * (k + 1/2) has only the bit SHIFT - 1
// set below the cut, c's bits are those of the product with that one inverted, and n is its inverse.
//
// k alone decides whether the result is clipped: from HI - ZERO upwards it is HI, below LO - ZERO it is LO, whichever
// neighbour is picked, and between these bounds neither neighbour is clipped. So k + ZERO is computed for OUT_W bits
// only.
//
// Latency:   3 + (max(X_W, A_W) > 24 ? 3 : 0) + (max(DIGIT < M_W, MUL_W == 0) ? 1 + ceil(M_W / DIGIT) + (min(DIGIT,
//            M_W) < 3 ? min(DIGIT, M_W) - 1 : 2 + clog2(MUL_W > 0 ? ceil((max(X_W, A_W) + (max(X_W, A_W) > 24)) /
//            max(MUL_W - 1, 1)) * ceil(min(DIGIT, M_W) / max(MUL_W - 1, 1)) : min(DIGIT, M_W) / 2)) + min(DIGIT > 3,
//            DIGIT < M_W) : 2 + (max(X_W, A_W) <= 24) + clog2(ceil((max(X_W, A_W) + (max(X_W, A_W) > 24)) / max(MUL_W -
//            1, 1)) * ceil(M_W / max(MUL_W - 1, 1)))) cycles.
// Interval:  ceil(M_W / DIGIT) cycles a beat.
// Clock:     rtl/README.md, Measured alone: weir_requantize_float.
// State:     weir_pipeline, weir_scale_multiply, the product in parts, k and its increment; with a wide x + A the three
//            steps of its rounding, otherwise x + A and M once more before the multiplier blocks: these may be far from
//            the source of x, and the operands' own registers move into them.
// Mapping:   an adder a lane before the multiplier, a comparison of SHIFT + GAP_W - 24 bits and an increment of OUT_W
//            bits after it; a wide x + A needs some masks and another adder.
`default_nettype none

module weir_requantize_float #(
  parameter integer       LANES = 1,
  parameter integer       X_W   = 16,
  parameter integer       OUT_W = 8,
  parameter integer       M_W   = 24,
  parameter integer       A_W   = 1,
  parameter integer       SHIFT = 24,
  parameter integer       DIGIT = 24,
  parameter integer       MUL_W = 18,
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
  localparam integer BEATS  = (M_W + DIGIT - 1) / DIGIT;
  localparam integer DIGITS = DIGIT < M_W ? DIGIT : M_W;
  // pieces of the value, of M, of a digit
  localparam integer OF_V   = V_W < 3 || MUL_W < 2 ? 1 : (V_W - 2) / (MUL_W - 1) + 1;
  localparam integer OF_M   = MUL_W < 2 ? 1 : (M_W + MUL_W - 2) / (MUL_W - 1);
  localparam integer OF_K   = MUL_W < 2 ? 1 : (DIGITS + MUL_W - 2) / (MUL_W - 1);
  localparam integer AHEAD  = DIGITS < 3 ? DIGITS - 1 : 2 + $clog2(MUL_W > 0 ? OF_V * OF_K : (DIGITS + 1) / 2);
  localparam integer ROWS   = 1 + BEATS + AHEAD + (DIGITS > 3 && DIGITS < M_W ? 1 : 0);
  localparam integer TERMS  = OF_V * OF_M;
  localparam integer BLOCKS = DIGIT < M_W || MUL_W == 0 ? 0 : 1;       // a product a cycle, out of multiplier blocks
  localparam integer TIME   = BLOCKS == 1 ? 2 + $clog2(TERMS) : ROWS;  // of the multiplication
  localparam integer BEFORE = WIDE == 1 ? 3 : BLOCKS;                  // cycles until the multiplication

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

  wire                   x_ready, active, load;
  wire [LANES*V_W-1:0]   x_data;
  wire [LANES*M_W-1:0]   x_scale;
  wire [LANES*P_W-1:0]   product;
  wire [LANES*OUT_W-1:0] result;

  assign s_ready = p_valid && x_ready;
  assign p_ready = s_valid && x_ready;

  genvar l;
  generate
    if (BEFORE > 0) begin : g_load_later
      reg  [BEFORE-1:0] load_q;
      wire [BEFORE:0]   loads = {load_q, active};
      assign load = loads[BEFORE];
      always @(posedge clk) load_q <= loads[BEFORE-1:0];
    end else begin : g_load
      assign load = active;
    end

    for (l = 0; l < LANES; l = l + 1) begin : g_before
      wire        [M_W-1:0] scale = p_data[l*(A_W+M_W) +: M_W];
      wire signed [T_W-1:0] biased;

      /* verilator lint_off WIDTH */ // sign extension by assignment is meant
      assign biased = $signed(s_data[l*X_W +: X_W]) + $signed(p_data[l*(A_W+M_W) + M_W +: A_W]);
      /* verilator lint_on WIDTH */

      if (WIDE == 1) begin : g_wide
        reg [T_W-1:0]        biased_q;
        reg [BEFORE*M_W-1:0] scale_q;

        always @(posedge clk) begin
          biased_q <= biased;
          scale_q  <= {scale_q[(BEFORE-1)*M_W-1:0], scale};
        end

        weir_round_24 #(
          .IN_W(T_W)
        ) u_round (
          .clk(clk),
          .x  (biased_q),
          .y  (x_data[l*V_W +: V_W])
        );
        assign x_scale[l*M_W +: M_W] = scale_q[(BEFORE-1)*M_W +: M_W];
      end else if (BLOCKS == 1) begin : g_apart
        reg [V_W-1:0] biased_q;
        reg [M_W-1:0] scale_q;

        always @(posedge clk) begin
          biased_q <= biased;
          scale_q  <= scale;
        end

        assign x_data[l*V_W +: V_W]  = biased_q;
        assign x_scale[l*M_W +: M_W] = scale_q;
      end else begin : g_exact
        assign x_data[l*V_W +: V_W]  = biased;
        assign x_scale[l*M_W +: M_W] = scale;
      end
    end
  endgenerate

  weir_scale_multiply #(
    .LANES(LANES),
    .X_W  (V_W),
    .M_W  (M_W),
    .ADD_W(0),
    .DIGIT(DIGIT),
    .MUL_W(MUL_W)
  ) u_multiply (
    .clk (clk),
    .load(load),
    .x   (x_data),
    .m   (x_scale),
    .a   ({LANES{1'b0}}),
    .sum (product)
  );

  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_behind
      reg  signed [E_W-1:0]   v;
      reg  signed [K_W-1:0]   k;
      reg  [GAP_W-1:0]        g;
      reg  [SHIFT-2:0]        c;
      reg  [NEAR_W-1:0]       window, window_q, near_q;
      reg                     n;
      reg                     n_q, apart_q, odd_q, up_q;       // apart: c is beyond any window
      reg                     far_q, sign_q, above_q, below_q;  // far: k is beyond both bounds
      reg  [GAP_W+1:0]        up_gap_q, down_gap_q;             // k's distances from them, if it is not
      reg  [OUT_W-1:0]        k_q, kept_q;
      wire [OUT_W-1:0]        moved;
      integer                 e;

      /* verilator lint_off WIDTH */ // sign extension and truncation by assignment are meant
      always @* begin
        v      = $signed(product[l*P_W +: P_W]);
        k      = v >>> SHIFT;
        n      = !v[SHIFT-1];
        c      = v[SHIFT-2:0] ^ {(SHIFT-1){n}};
        g      = k[GAP_W-1:0] ^ {GAP_W{k[K_W-1]}};
        window = 0;
        if (SHIFT >= 26) window[SHIFT >= 26 ? SHIFT - 26 : 0] = g == 0 && n != k[K_W-1];
        if (SHIFT >= 25) window[SHIFT >= 25 ? SHIFT - 25 : 0] = g == 0 && n == k[K_W-1];
        for (e = 0; e < GAP_W; e = e + 1)
          if (SHIFT + e >= 24) window[SHIFT + e >= 24 ? SHIFT + e - 24 : 0] = (g >> e) == 1;
      end

      always @(posedge clk) begin
        k_q        <= k;
        odd_q      <= k[0];
        n_q        <= n;
        near_q     <= c;
        apart_q    <= (c >> NEAR_W) != 0;
        window_q   <= window;
        far_q      <= k[K_W-1:GAP_W] != {(K_W-GAP_W){k[K_W-1]}};
        sign_q     <= k[K_W-1];
        up_gap_q   <= $signed(k[GAP_W:0]) - UP;
        down_gap_q <= $signed(k[GAP_W:0]) + DOWN;
        up_q       <= !apart_q && {near_q, 1'b0} < {window_q, !n_q} ? odd_q : !n_q;
        kept_q     <= k_q;
        above_q    <= far_q ? !sign_q : !up_gap_q[GAP_W+1];
        below_q    <= far_q ? sign_q : down_gap_q[GAP_W+1];
      end

      assign moved = kept_q + ZERO + up_q;
      assign result[l*OUT_W +: OUT_W] = below_q ? LO : above_q ? HI : moved;
      /* verilator lint_on WIDTH */
    end
  endgenerate

  weir_pipeline #(
    .WIDTH   (LANES * OUT_W),
    .LATENCY (BEFORE + TIME + 2),
    .INTERVAL(BEATS)
  ) u_pipeline (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_valid && p_valid),
    .s_ready(x_ready),
    .s_last (s_last),
    .take   (active),
    .c_data (result),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_carried #("weir_requantize_float", LANES * OUT_W) u_check (
    clk, rst, s_valid && s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
