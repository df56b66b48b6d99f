// weir_requantize: y = clip(floor((x * M + A) / 2^SHIFT), LO, HI), lane by lane, with M and A from a parameter stream.
//
// One parameter word a beat; lane l takes bits [l * (A_W + M_W) +: A_W + M_W] of it: {A signed, M unsigned}, M low.
// Latency:   2 + ceil(M_W / DIGIT) cycles.
// Interval:  ceil(M_W / DIGIT) cycles a beat.
// State:     weir_requantize_shell (with A beside the multiplication), the shifted sum.
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

  wire                  x_ready, c_take;
  wire [LANES*P_W-1:0]  c_product;
  wire [LANES*A_W-1:0]  c_addend;
  reg  [LANES*M_W-1:0]  scale;
  reg  [LANES*A_W-1:0]  addend;
  reg  [LANES*R_W-1:0]  r_q;
  reg  signed [E_W-1:0] sum;
  integer               i, j;

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

  weir_requantize_shell #(
    .LANES  (LANES),
    .X_W    (X_W),
    .M_W    (M_W),
    .SIDE_W (LANES * A_W),
    .DIGIT  (DIGIT),
    .VALUE_W(R_W),
    .OUT_W  (OUT_W),
    .LO     (LO),
    .HI     (HI)
  ) u_shell (
    .clk      (clk),
    .rst      (rst),
    .s_valid  (s_valid && p_valid),
    .s_ready  (x_ready),
    .s_data   (s_data),
    .s_scale  (scale),
    .s_side   (addend),
    .s_last   (s_last),
    .c_take   (c_take),
    .c_product(c_product),
    .c_side   (c_addend),
    .c_value  (r_q),
    .m_valid  (m_valid),
    .m_ready  (m_ready),
    .m_data   (m_data),
    .m_last   (m_last)
  );

  /* verilator lint_off WIDTH */  // sign extension and truncation by assignment are meant
  /* verilator lint_off BLKSEQ */ // sum is a temporary of one evaluation
  always @(posedge clk)
    if (c_take)
      for (j = 0; j < LANES; j = j + 1) begin
        sum = $signed(c_product[j*P_W +: P_W]);
        sum = sum + $signed(c_addend[j*A_W +: A_W]);
        r_q[j*R_W +: R_W] <= sum >>> SHIFT;
      end
  /* verilator lint_on BLKSEQ */
  /* verilator lint_on WIDTH */
endmodule
