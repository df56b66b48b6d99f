// weir_cast: y = clip(round((x + add) * 2^LEFT / 2^SHIFT), LO, HI), lane by lane: moves integers between grids.
//
// ROUND: 0 floor; 1 towards zero; 2 half up; 3 half to even; 4 half down; 5 half away from zero; 6 ceiling; 7 away from
// zero. ADD_W > 0: a parameter word of LANES signed addends of ADD_W bits comes with every beat; ADD_W == 0: add = 0
// and the parameter port is ignored (p_ready high).
// Latency:   1 + (ADD_W > 0) + min(ROUND > 0, SHIFT > LEFT) cycles.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_cast.
// State:     the sum x + add if there is an addend, the rounded value if there is a bias, with a valid bit each; a
//            register slice of LANES * OUT_W bits. All of them stall while the slice is full.
// Every rounding is floor((v + bias) / 2^S), S = SHIFT - LEFT, where the bias depends only on v's sign or on the bit
// above the cut: S = 0 needs none.
// Mapping:   one adder a lane for add, one for the bias, a clip; no DSP block.
`default_nettype none

module weir_cast #(
  parameter integer       LANES     = 1,
  parameter integer       IN_W      = 16,
  parameter integer       IN_SIGNED = 1,
  parameter integer       OUT_W     = 8,
  parameter integer       SHIFT     = 0,
  parameter integer       LEFT      = 0,
  parameter integer       ROUND     = 0,
  parameter signed [31:0] LO        = -128,
  parameter signed [31:0] HI        = 127,
  parameter integer       ADD_W     = 0
) (
  input  wire                                       clk,
  input  wire                                       rst,
  input  wire                                       s_valid,
  output wire                                       s_ready,
  input  wire [LANES*IN_W-1:0]                      s_data,
  input  wire                                       s_last,
  input  wire                                       p_valid,
  output wire                                       p_ready,
  input  wire [(ADD_W > 0 ? LANES*ADD_W : 1)-1:0]   p_data,
  output wire                                       m_valid,
  input  wire                                       m_ready,
  output wire [LANES*OUT_W-1:0]                     m_data,
  output wire                                       m_last
);
  localparam integer X_W = IN_SIGNED != 0 ? IN_W : IN_W + 1;                            // x, signed
  localparam integer T_W = ADD_W == 0 ? X_W : (X_W > ADD_W ? X_W : ADD_W) + 1;          // x + add
  localparam integer S   = SHIFT > LEFT ? SHIFT - LEFT : 0;
  localparam integer L   = LEFT > SHIFT ? LEFT - SHIFT : 0;
  localparam integer E_W = T_W > S ? T_W : S + 1;                                       // reaches above the cut
  localparam integer V_W = E_W + L + (S > 0 ? 1 : 0);                                   // scaled, plus bias
  localparam integer R_W = V_W - S;                                                     // rounded
  localparam [V_W-1:0] ONE  = 1;
  localparam [V_W-1:0] FULL = (ONE << S) - ONE;                                         // 2^S - 1
  localparam [V_W-1:0] HALF = S > 0 ? ONE << (S > 0 ? S - 1 : 0) : 0;                   // 2^(S-1)

  generate
    if (LANES < 1 || IN_W < 1 || OUT_W < 1 || SHIFT < 0 || LEFT < 0 || ADD_W < 0) begin : g_check_sizes
      weir_cast_LANES_IN_W_OUT_W_must_be_at_least_1_and_SHIFT_LEFT_ADD_W_at_least_0 u_error ();
    end
    if (ROUND < 0 || ROUND > 7) begin : g_check_round
      weir_cast_ROUND_must_be_0_to_7 u_error ();
    end
  endgenerate

  localparam integer ADDS   = ADD_W > 0 ? 1 : 0;
  localparam integer BIASED = ROUND > 0 && SHIFT > LEFT ? 1 : 0;

  wire                   o_ready, t_valid, t_last, r_valid, r_last;
  wire                   both = s_valid && (p_valid || ADD_W == 0);
  wire [LANES*OUT_W-1:0] clipped;
  reg  [LANES*T_W-1:0]   added;
  reg  [LANES*R_W-1:0]   rounded;
  wire [LANES*T_W-1:0]   sums;
  wire [LANES*R_W-1:0]   results;
  reg  signed [T_W-1:0]  t;
  reg  signed [V_W-1:0]  v, bias;
  reg                    negative, odd;
  integer                i, j;

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = both && o_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  assign s_ready = o_ready && (p_valid || ADD_W == 0);
  assign p_ready = ADD_W == 0 || (o_ready && s_valid);

  /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      if (IN_SIGNED != 0) t = $signed(s_data[i*IN_W +: IN_W]);
      else t = s_data[i*IN_W +: IN_W];
      if (ADD_W > 0) t = t + $signed(p_data[(ADD_W > 0 ? i*ADD_W : 0) +: (ADD_W > 0 ? ADD_W : 1)]);
      added[i*T_W +: T_W] = t;
    end

  always @*
    for (j = 0; j < LANES; j = j + 1) begin
      v        = $signed(sums[j*T_W +: T_W]);
      v        = v <<< L;
      negative = v[V_W-1];
      odd      = v[S];
      case (ROUND)
        1: bias = negative ? FULL : 0;
        2: bias = HALF;
        3: bias = S == 0 ? 0 : HALF - ONE + odd;
        4: bias = S == 0 ? 0 : HALF - ONE;
        5: bias = S == 0 ? 0 : HALF - negative;
        6: bias = FULL;
        7: bias = negative ? 0 : FULL;
        default: bias = 0;
      endcase
      v = v + bias;
      rounded[j*R_W +: R_W] = v >>> S;
    end
  /* verilator lint_on WIDTH */

  generate
    if (ADDS != 0) begin : g_added
      reg                 valid_q, last_q;
      reg [LANES*T_W-1:0] sums_q;

      always @(posedge clk)
        if (rst) valid_q <= 1'b0;
        else if (o_ready) valid_q <= both;
      always @(posedge clk) if (o_ready) {last_q, sums_q} <= {s_last, added};
      assign t_valid = valid_q;
      assign t_last  = last_q;
      assign sums    = sums_q;
    end else begin : g_plain
      assign t_valid = both;
      assign t_last  = s_last;
      assign sums    = added;
    end

    if (BIASED != 0) begin : g_rounded
      reg                 valid_q, last_q;
      reg [LANES*R_W-1:0] results_q;

      always @(posedge clk)
        if (rst) valid_q <= 1'b0;
        else if (o_ready) valid_q <= t_valid;
      always @(posedge clk) if (o_ready) {last_q, results_q} <= {t_last, rounded};
      assign r_valid = valid_q;
      assign r_last  = last_q;
      assign results = results_q;
    end else begin : g_cut
      assign r_valid = t_valid;
      assign r_last  = t_last;
      assign results = rounded;
    end
  endgenerate

  weir_saturate #(
    .LANES(LANES),
    .IN_W (R_W),
    .OUT_W(OUT_W),
    .LO   (LO),
    .HI   (HI)
  ) u_saturate (
    .x(results),
    .y(clipped)
  );

  weir_register_slice #(
    .WIDTH(LANES * OUT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(r_valid),
    .s_ready(o_ready),
    .s_data (clipped),
    .s_last (r_last),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_carried #("weir_cast", LANES * OUT_W) u_check (
    clk, rst, s_valid && s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
