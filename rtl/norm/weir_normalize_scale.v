// weir_normalize_scale: codes of a row's elements: floor((x * LENGTH - sum) * factor * 16^coarse * gain + offset) /
// 2^SHIFT, lane by lane, rounded half to even and clipped; no stalls, no handshake.
//
// An element, its row's sum, factor and exponent come at once; gain and offset 2 + FIRST cycles later, those
// of the first product: lane l takes bits [l * (GAIN_W + OFFSET_W) +: GAIN_W + OFFSET_W], {offset, gain}, both signed.
// The offset has POINT bits below its point.
// Latency:   7 + clog2(ceil(max(A_W - 1, 1) / (MUL_W - 1)) * ceil(33 / (MUL_W - 1))) + clog2(ceil(max(T_W - 1, 1) /
//            (MUL_W - 1)) * ceil(max(GAIN_W - 1, 1) / (MUL_W - 1)) + 1) cycles, those of the two products and three.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_normalize.
// State:     a register for each step.
// Mapping:   ceil((A_W - 1) / (MUL_W - 1)) * 2 blocks for the first product and ceil((T_W - 1) / (MUL_W - 1)) *
//            ceil((GAIN_W - 1) / (MUL_W - 1)) for the second, with MUL_W = 18; adders; COARSE multiplexers of T_W bits.
`default_nettype none

module weir_normalize_scale #(
  parameter integer LANES    = 1,
  parameter integer MEAN     = 1,   // 0: the element as it is
  parameter integer X_W      = 8,   // of an element, with MEAN by the odd part of the length
  parameter integer TWOS     = 4,   // the length's other part, 2^TWOS
  parameter integer SUM_W    = 12,
  parameter integer A_W      = 13,  // of the difference, signed
  parameter integer T_W      = 48,  // of the first product, signed
  parameter integer COARSE   = 1,   // the largest exponent
  parameter integer GAIN_W   = 8,
  parameter integer OFFSET_W = 30,
  parameter integer SHIFT    = 40,
  parameter integer POINT    = 26,
  parameter integer OUT_W    = 8,
  parameter signed [31:0] LO = -128,
  parameter signed [31:0] HI = 127,
  parameter integer MUL_W    = 18
) (
  input  wire                               clk,
  input  wire [LANES*X_W-1:0]               x,
  /* verilator lint_off UNUSEDSIGNAL */ // without MEAN
  input  wire [SUM_W-1:0]                   sum,
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire [32:0]                        factor,
  input  wire [3:0]                         coarse,
  input  wire [LANES*(OFFSET_W+GAIN_W)-1:0] parameters,
  output wire [LANES*OUT_W-1:0]             code
);
  localparam integer A_LOW  = A_W < 3 ? 0 : (A_W - 2) / (MUL_W - 1);
  localparam integer F_LOW  = 32 / (MUL_W - 1);
  localparam integer FIRST  = 2 + $clog2((A_LOW + 1) * (F_LOW + 1));  // cycles of the first product
  localparam integer ADD_W  = OFFSET_W + SHIFT - POINT;
  localparam integer P_W    = T_W + GAIN_W;
  localparam integer ALL_W  = (ADD_W > P_W ? ADD_W : P_W) + 1;
  localparam integer END_W  = ALL_W > SHIFT + OUT_W ? ALL_W : SHIFT + OUT_W + 1;
  localparam integer CODE_W = END_W - SHIFT;

  generate
    if (LANES < 1 || X_W < 1 || POINT < 1 || SHIFT < POINT) begin : g_check
      weir_normalize_scale_LANES_and_X_W_must_be_at_least_1_and_SHIFT_at_least_POINT u_error ();
    end
  endgenerate

  reg [32:0]            factor_q;
  reg [4*(FIRST+1)-1:0] coarse_q;

  always @(posedge clk) begin
    factor_q <= factor;
    coarse_q <= {coarse_q[4*FIRST-1:0], coarse};
  end

  wire [LANES*CODE_W-1:0] whole;

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      reg  [A_W-1:0]    a_q;
      wire [A_W+33-1:0] product;
      reg  [T_W-1:0]    shifted, t_q;
      wire [ALL_W-1:0]  all;
      reg  [CODE_W-1:0] code_q;
      integer           i;

      /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
      wire signed [A_W-1:0] element = $signed(x[l*X_W +: X_W]);
      wire signed [A_W-1:0] total   = $signed(sum);

      always @(posedge clk) a_q <= MEAN != 0 ? (element <<< TWOS) - total : element;

      weir_scale_blocks #(
        .LANES(1),
        .X_W  (A_W),
        .M_W  (33),
        .MUL_W(MUL_W)
      ) u_first (
        .clk(clk),
        .x  (a_q),
        .m  (factor_q),
        .a  (1'b0),
        .sum(product)
      );

      always @* begin
        shifted = $signed(product);
        for (i = 1; i <= COARSE; i = i + 1)
          if (coarse_q[4*FIRST +: 4] == i) shifted = $signed(product) <<< (4 * i);
      end

      always @(posedge clk) t_q <= shifted;

      wire signed [ADD_W-1:0] addend =
        $signed(parameters[l*(OFFSET_W+GAIN_W) + GAIN_W +: OFFSET_W]) <<< (SHIFT - POINT);

      weir_scale_blocks #(
        .LANES   (1),
        .X_W     (T_W),
        .M_W     (GAIN_W),
        .ADD_W   (ADD_W),
        .M_SIGNED(1),
        .MUL_W   (MUL_W)
      ) u_second (
        .clk(clk),
        .x  (t_q),
        .m  (parameters[l*(OFFSET_W+GAIN_W) +: GAIN_W]),
        .a  (addend),
        .sum(all)
      );

      // The offset has the half of a step: what then has no fraction was halfway between two codes.
      wire signed [END_W-1:0] wide = $signed(all);
      wire                    tie  = wide[SHIFT-1:0] == {SHIFT{1'b0}};

      always @(posedge clk) code_q <= (wide >>> SHIFT) & ~{{(CODE_W-1){1'b0}}, tie};
      assign whole[l*CODE_W +: CODE_W] = code_q;
      /* verilator lint_on WIDTH */
    end
  endgenerate

  weir_saturate #(
    .LANES(LANES),
    .IN_W (CODE_W),
    .OUT_W(OUT_W),
    .LO   (LO),
    .HI   (HI)
  ) u_saturate (
    .x(whole),
    .y(code)
  );
endmodule

`default_nettype wire
