// weir_add: CA * a + CB * b, lane by lane, of two streams with the same beats; CA and CB are signed constants.
//
// Latency:   1 cycle.
// Interval:  1 cycle a beat.
// State:     a register slice of LANES * OUT_W bits. OUT_W holds every result by the compiler's range proof; the arithmetic is
//            modulo 2^OUT_W. A beat is taken from both streams together (weir_join); `last` is a's.
// Mapping:   one adder a lane if both factors are powers of two (with either sign); otherwise one adder more for each further
//            digit of the factors' canonical signed form: no DSP block.
`default_nettype none

module weir_add #(
  parameter integer        A_W      = 8,
  parameter integer        A_SIGNED = 1,
  parameter integer        B_W      = 8,
  parameter integer        B_SIGNED = 1,
  parameter signed [31:0]  CA       = 1,
  parameter signed [31:0]  CB       = 1,
  parameter integer        OUT_W    = 9,
  parameter integer        LANES    = 1
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   s_a_valid,
  output wire                   s_a_ready,
  input  wire [LANES*A_W-1:0]   s_a_data,
  input  wire                   s_a_last,
  input  wire                   s_b_valid,
  output wire                   s_b_ready,
  input  wire [LANES*B_W-1:0]   s_b_data,
  input  wire                   s_b_last,
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [LANES*OUT_W-1:0] m_data,
  output wire                   m_last
);
  // Canonical signed digits: c = sum of 2^d over the positive digits minus the same over the negative ones.
  function [34:0] positive(input signed [31:0] c);
    positive = (triple(c) & ~extended(c)) >> 1;
  endfunction

  function [34:0] negative(input signed [31:0] c);
    negative = (extended(c) & ~triple(c)) >> 1;
  endfunction

  function [34:0] extended(input signed [31:0] c);
    extended = {{3{c[31]}}, c};
  endfunction

  function [34:0] triple(input signed [31:0] c);
    triple = extended(c) + (extended(c) << 1);
  endfunction

  function integer digits(input signed [31:0] c);
    integer k;
    begin
      digits = 0;
      for (k = 0; k < 34; k = k + 1) if ((((positive(c) | negative(c)) >> k) & 35'd1) != 0) digits = k + 1;
    end
  endfunction

  localparam [34:0]  A_PLUS   = positive(CA);
  localparam [34:0]  A_MINUS  = negative(CA);
  localparam [34:0]  B_PLUS   = positive(CB);
  localparam [34:0]  B_MINUS  = negative(CB);
  localparam integer A_DIGITS = digits(CA);
  localparam integer B_DIGITS = digits(CB);

  generate
    if (A_W < 1 || B_W < 1 || OUT_W < 1 || LANES < 1) begin : g_check
      weir_add_A_W_B_W_OUT_W_and_LANES_must_be_at_least_1 u_error ();
    end
  endgenerate

  wire                       j_valid, j_ready, j_last;
  wire [LANES*(A_W+B_W)-1:0] j_data;
  reg  [LANES*OUT_W-1:0]     sum;
  reg  signed [OUT_W-1:0]    a, b, y;
  integer                    i, d;

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = j_valid && j_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  weir_join #(
    .A_WIDTH(LANES * A_W),
    .B_WIDTH(LANES * B_W)
  ) u_join (
    .s_a_valid(s_a_valid),
    .s_a_ready(s_a_ready),
    .s_a_data (s_a_data),
    .s_a_last (s_a_last),
    .s_b_valid(s_b_valid),
    .s_b_ready(s_b_ready),
    .s_b_data (s_b_data),
    .s_b_last (s_b_last),
    .m_valid  (j_valid),
    .m_ready  (j_ready),
    .m_data   (j_data),
    .m_last   (j_last)
  );

  /* verilator lint_off WIDTH */ // extension and truncation to OUT_W by assignment are meant
  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      if (A_SIGNED != 0) a = $signed(j_data[i*A_W +: A_W]);
      else a = j_data[i*A_W +: A_W];
      if (B_SIGNED != 0) b = $signed(j_data[LANES*A_W + i*B_W +: B_W]);
      else b = j_data[LANES*A_W + i*B_W +: B_W];
      y = 0;
      for (d = 0; d < A_DIGITS; d = d + 1) begin
        if (A_PLUS[d]) y = y + (a <<< d);
        if (A_MINUS[d]) y = y - (a <<< d);
      end
      for (d = 0; d < B_DIGITS; d = d + 1) begin
        if (B_PLUS[d]) y = y + (b <<< d);
        if (B_MINUS[d]) y = y - (b <<< d);
      end
      sum[i*OUT_W +: OUT_W] = y;
    end
  /* verilator lint_on WIDTH */

  weir_register_slice #(
    .WIDTH(LANES * OUT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(j_valid),
    .s_ready(j_ready),
    .s_data (sum),
    .s_last (j_last),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
endmodule

`default_nettype wire
