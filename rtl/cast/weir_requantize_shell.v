// weir_requantize_shell: what requantizers share: the multiplication x * M with what travels beside it, the handshake around
// the contract's arithmetic, the clip and the output.
//
// The arithmetic stands in the module around the shell: when c_take is high at a clock edge it registers what it makes of
// c_product and c_side, and c_value follows from that register until the next c_take. It is evaluated for complete products
// only: while a serial multiplier works its output changes in every cycle.
// Latency:   2 + ceil(M_W / DIGIT) cycles.
// Interval:  ceil(M_W / DIGIT) cycles a beat.
// State:     weir_scale_multiply, whether c_value counts and is the last, the output slice.
// Mapping:   the multiplier, a clip, the slice's registers.
module weir_requantize_shell #(
  parameter integer       LANES   = 1,
  parameter integer       X_W     = 16,
  parameter integer       M_W     = 16,
  parameter integer       SIDE_W  = 1,
  parameter integer       DIGIT   = 16,
  parameter integer       VALUE_W = 16,
  parameter integer       OUT_W   = 8,
  parameter signed [31:0] LO      = -128,
  parameter signed [31:0] HI      = 127
) (
  input  wire                         clk,
  input  wire                         rst,
  input  wire                         s_valid,
  output wire                         s_ready,
  input  wire [LANES*X_W-1:0]         s_data,
  input  wire [LANES*M_W-1:0]         s_scale,
  input  wire [SIDE_W-1:0]            s_side,
  input  wire                         s_last,
  output wire                         c_take,
  output wire [LANES*(X_W+M_W)-1:0]   c_product,
  output wire [SIDE_W-1:0]            c_side,
  input  wire [LANES*VALUE_W-1:0]     c_value,
  output wire                         m_valid,
  input  wire                         m_ready,
  output wire [LANES*OUT_W-1:0]       m_data,
  output wire                         m_last
);
  wire                   t_valid, t_ready, t_last, o_ready;
  wire [LANES*OUT_W-1:0] clipped;
  reg                    c_valid_q, c_last_q;

  weir_scale_multiply #(
    .LANES (LANES),
    .X_W   (X_W),
    .M_W   (M_W),
    .SIDE_W(SIDE_W),
    .DIGIT (DIGIT)
  ) u_multiply (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_valid),
    .s_ready(s_ready),
    .s_data (s_data),
    .s_scale(s_scale),
    .s_side (s_side),
    .s_last (s_last),
    .m_valid(t_valid),
    .m_ready(t_ready),
    .m_data (c_product),
    .m_side (c_side),
    .m_last (t_last)
  );

  assign t_ready = o_ready || !c_valid_q;
  assign c_take  = t_ready && t_valid;

  always @(posedge clk)
    if (rst) c_valid_q <= 1'b0;
    else if (t_ready) c_valid_q <= t_valid;

  always @(posedge clk)
    if (c_take) c_last_q <= t_last;

  weir_saturate #(
    .LANES(LANES),
    .IN_W (VALUE_W),
    .OUT_W(OUT_W),
    .LO   (LO),
    .HI   (HI)
  ) u_saturate (
    .x(c_value),
    .y(clipped)
  );

  weir_register_slice #(
    .WIDTH(LANES * OUT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(c_valid_q),
    .s_ready(o_ready),
    .s_data (clipped),
    .s_last (c_last_q),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
endmodule
