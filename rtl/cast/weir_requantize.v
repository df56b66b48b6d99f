// weir_requantize: y = clip(floor((x * M + A) / 2^SHIFT), LO, HI), lane by lane, with M and A from a parameter stream.
//
// One parameter word a beat; lane l takes bits [l * (A_W + M_W) +: A_W + M_W] of it: {A signed, M unsigned}, M low.
// Latency:   2 + ceil(M_W / DIGIT) cycles.
// Interval:  ceil(M_W / DIGIT) cycles a beat.
// State:     weir_scale_multiply (with A beside it), the shifted sum, the output slice.
// Mapping:   the multiplier, one adder a lane with its register, a clip.
module weir_requantize #(
  parameter integer       LANES = 1,
  parameter integer       X_W   = 16,
  parameter integer       OUT_W = 8,
  parameter integer       M_W   = 16,
  parameter integer       A_W   = 16,
  parameter integer       SHIFT = 16,
  parameter integer       DIGIT = 16,
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
  localparam integer P_W   = X_W + M_W;
  localparam integer SUM_W = (P_W > A_W ? P_W : A_W) + 1;
  localparam integer E_W   = SUM_W > SHIFT ? SUM_W : SHIFT + 1;
  localparam integer R_W   = E_W - SHIFT;

  generate
    if (LANES < 1 || X_W < 1 || OUT_W < 1 || M_W < 1 || A_W < 1 || SHIFT < 0 || DIGIT < 1) begin : g_check
      weir_requantize_LANES_X_W_OUT_W_M_W_A_W_DIGIT_must_be_at_least_1_and_SHIFT_at_least_0 u_error ();
    end
  endgenerate

  wire                   x_ready, t_valid, t_ready, t_last, o_ready;
  wire [LANES*P_W-1:0]   t_product;
  wire [LANES*A_W-1:0]   t_addend;
  wire [LANES*OUT_W-1:0] clipped;
  reg  [LANES*M_W-1:0]   scale;
  reg  [LANES*A_W-1:0]   addend;
  reg                    r_valid_q, r_last_q;
  reg  [LANES*R_W-1:0]   r_q;
  reg  signed [E_W-1:0]  sum;
  integer                i, j;

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = s_valid && p_valid && x_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  assign s_ready = p_valid && x_ready;
  assign p_ready = s_valid && x_ready;

  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      scale[i*M_W +: M_W]  = p_data[i*(A_W+M_W) +: M_W];
      addend[i*A_W +: A_W] = p_data[i*(A_W+M_W) + M_W +: A_W];
    end

  weir_scale_multiply #(
    .LANES (LANES),
    .X_W   (X_W),
    .M_W   (M_W),
    .SIDE_W(LANES * A_W),
    .DIGIT (DIGIT)
  ) u_multiply (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_valid && p_valid),
    .s_ready(x_ready),
    .s_data (s_data),
    .s_scale(scale),
    .s_side (addend),
    .s_last (s_last),
    .m_valid(t_valid),
    .m_ready(t_ready),
    .m_data (t_product),
    .m_side (t_addend),
    .m_last (t_last)
  );

  assign t_ready = o_ready || !r_valid_q;

  // Evaluated only for a complete product: while a serial multiplier works its output changes in every cycle.
  /* verilator lint_off WIDTH */  // sign extension and truncation by assignment are meant
  /* verilator lint_off BLKSEQ */ // sum is a temporary of one evaluation
  always @(posedge clk)
    if (t_ready && t_valid) begin
      for (j = 0; j < LANES; j = j + 1) begin
        sum = $signed(t_product[j*P_W +: P_W]);
        sum = sum + $signed(t_addend[j*A_W +: A_W]);
        r_q[j*R_W +: R_W] <= sum >>> SHIFT;
      end
      r_last_q <= t_last;
    end
  /* verilator lint_on BLKSEQ */
  /* verilator lint_on WIDTH */

  always @(posedge clk)
    if (rst) r_valid_q <= 1'b0;
    else if (t_ready) r_valid_q <= t_valid;

  weir_saturate #(
    .LANES(LANES),
    .IN_W (R_W),
    .OUT_W(OUT_W),
    .LO   (LO),
    .HI   (HI)
  ) u_saturate (
    .x(r_q),
    .y(clipped)
  );

  weir_register_slice #(
    .WIDTH(LANES * OUT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(r_valid_q),
    .s_ready(o_ready),
    .s_data (clipped),
    .s_last (r_last_q),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
endmodule
