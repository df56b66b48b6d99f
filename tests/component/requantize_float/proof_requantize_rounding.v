// Each product rounded to 24 significant bits, then to a multiple of 2^SHIFT, both times half to even, and clipped: two
// roundings, bit by bit as IEEE 754 says them, against the single one of weir_requantize_float, at the widths of real
// networks.
// sources: cast/weir_requantize_float.v
// define: ANY_PRODUCT
// with: multiply.v stream/weir_pipeline.v stream/weir_fifo.v
// prove: window 3 P_W=8 SHIFT=2 ZERO=1 LO=-4 HI=3 OUT_W=3
// prove: window 3 P_W=36 SHIFT=27 ZERO=0 LO=-8 HI=7 OUT_W=4
// nightly: window 3 P_W=33 SHIFT=24 ZERO=3 LO=0 HI=15 OUT_W=4
// nightly: window 3 P_W=36 SHIFT=25 ZERO=-2 LO=-8 HI=7 OUT_W=4
// nightly: window 3 P_W=47 SHIFT=33 ZERO=128 LO=0 HI=255 OUT_W=8
// nightly: window 3 P_W=56 SHIFT=36 ZERO=0 LO=-32768 HI=32767 OUT_W=16
// nightly: window 3 P_W=72 SHIFT=51 ZERO=0 LO=-32768 HI=32767 OUT_W=16
// planted: nightly
// spared: float_bias_missing what is before the product: proof_requantize_float.v
// spared: float_wide_load_early what is before the product: proof_requantize_float.v
// spared: float_wide_multiplier_lost what is before the product: proof_requantize_float.v
// spared: float_sum_early what is before the product: proof_requantize_float.v
// spared: float_multiplier_early what is before the product: proof_requantize_float.v
module proof #(
  parameter integer       P_W   = 8,
  parameter integer       OUT_W = 3,
  parameter integer       SHIFT = 2,
  parameter signed [31:0] ZERO  = 0,
  parameter signed [31:0] LO    = -4,
  parameter signed [31:0] HI    = 3
) (
  input wire           clk, rst, s_valid, s_data, s_last, p_valid,
  input wire [P_W-2:0] p_data,
  input wire           m_ready
);
  localparam integer E_W = P_W + 34;

  (* hierconn *) wire [P_W-1:0]   \u_dut.product ;
  (* hierconn *) wire [OUT_W-1:0] \u_dut.result ;
  wire                  ends;
  reg  signed [P_W-1:0] p_1_q, p_2_q;
  wire signed [E_W-1:0] wide = p_2_q;
  wire [E_W-1:0]        size = wide < 0 ? -wide : wide;
  reg  [E_W-1:0]        unit, once, twice;
  reg  signed [E_W-1:0] y;
  reg  [OUT_W-1:0]      expected;
  integer               i;

  // x + A has two bits, M the others.
  weir_requantize_float #(
    .LANES(1),
    .X_W  (1),
    .OUT_W(OUT_W),
    .M_W  (P_W - 2),
    .A_W  (1),
    .SHIFT(SHIFT),
    .DIGIT(P_W),
    .ZERO (ZERO),
    .LO   (LO),
    .HI   (HI)
  ) u_dut (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_valid),
    .s_data (s_data),
    .s_last (s_last),
    .p_valid(p_valid),
    .p_data (p_data),
    .m_ready(m_ready)
  );

  // The multiple of a power of two that is nearest to a magnitude, of two the even one.
  function [E_W-1:0] nearest(input [E_W-1:0] value, input [E_W-1:0] step);
    reg [E_W-1:0] down, rest;
    begin
      down    = value & ~(step - 1'b1);
      rest    = value - down;
      nearest = rest + rest > step || (rest + rest == step && (down & step) != 0) ? down + step : down;
    end
  endfunction

  always @* begin
    unit = 1'b1;
    for (i = 24; i < P_W; i = i + 1) if (size[i]) unit = {{(E_W-1){1'b0}}, 1'b1} << (i - 23);
    once     = nearest(size, unit);
    twice    = nearest(once, {{(E_W-1){1'b0}}, 1'b1} << SHIFT) >> SHIFT;
    y        = wide < 0 ? -twice : twice;
    y        = y + ZERO;
    expected = y < LO ? LO : y > HI ? HI : y;
  end

  always @(posedge clk) begin
    p_1_q <= \u_dut.product ;
    p_2_q <= p_1_q;
  end

  proof_window #(2) u_window (.clk(clk), .ends(ends));
  proof_equal #(OUT_W) u_equal (1'b0, ends, \u_dut.result , expected);
endmodule
