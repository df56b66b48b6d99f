// The code of every element: of factors and gains that are powers of two, gains with a sign, so that the products are
// plain to see.
// sources: norm/weir_normalize_scale.v
// with: cast/weir_scale_blocks.v linear/weir_mul.v cast/weir_saturate.v
// prove: window 11 X_W=3 MEAN=1 TWOS=1 SUM_W=4 A_W=5 COARSE=1 GAIN_W=3 OFFSET_W=6 SHIFT=36 POINT=2 T_W=42
// prove: window 11 X_W=3 MEAN=0 TWOS=0 SUM_W=3 A_W=3 COARSE=0 GAIN_W=2 OFFSET_W=5 SHIFT=3 POINT=3 T_W=36
// nightly: window 11 X_W=4 MEAN=1 TWOS=2 SUM_W=5 A_W=7 COARSE=2 GAIN_W=4 OFFSET_W=7 SHIFT=38 POINT=3 T_W=48
// planted: nightly
module proof #(
  parameter integer MEAN     = 1,
  parameter integer X_W      = 3,
  parameter integer TWOS     = 1,
  parameter integer SUM_W    = 4,
  parameter integer A_W      = 5,
  parameter integer T_W      = 42,
  parameter integer COARSE   = 1,
  parameter integer GAIN_W   = 3,
  parameter integer OFFSET_W = 6,
  parameter integer SHIFT    = 36,
  parameter integer POINT    = 2
) (
  input wire                       clk,
  input wire [X_W-1:0]             x,
  input wire [SUM_W-1:0]           sum,
  input wire [5:0]                 place,   // of the factor
  input wire [3:0]                 coarse,
  input wire [OFFSET_W-1:0]        offset,
  input wire [1:0]                 gain_place,
  input wire                       minus
);
  localparam integer OUT_W   = 4;
  localparam integer FIRST   = 3;
  localparam integer PIECES  = (T_W - 2) / 17 + 1;
  localparam integer SECOND  = 2 + $clog2(PIECES + 1);
  localparam integer GAIN_AT = 2 + FIRST;
  localparam integer LATENCY = 3 + FIRST + SECOND;
  localparam integer WIDE    = T_W + GAIN_W + OFFSET_W + SHIFT + 4;

  wire                       begins, ends;
  wire [32:0]                factor = 33'd1 << place;
  wire signed [GAIN_W-1:0]   power  = $signed({{(GAIN_W-1){1'b0}}, 1'b1}) << gain_place;
  wire [GAIN_W-1:0]          gain   = minus ? -power : power;
  wire [OFFSET_W+GAIN_W-1:0] parameters = {offset, gain};
  wire [OUT_W-1:0]           code;
  reg  signed [X_W-1:0]      x_q;
  reg  signed [SUM_W-1:0]    sum_q;
  reg  [5:0]                 place_q;
  reg  [3:0]                 coarse_q;
  wire                       there;
  reg  signed [OFFSET_W-1:0] offset_q;
  reg  [1:0]                 gain_place_q;
  reg                        minus_q;

  weir_normalize_scale #(
    .LANES   (1),
    .MEAN    (MEAN),
    .X_W     (X_W),
    .TWOS    (TWOS),
    .SUM_W   (SUM_W),
    .A_W     (A_W),
    .T_W     (T_W),
    .COARSE  (COARSE),
    .GAIN_W  (GAIN_W),
    .OFFSET_W(OFFSET_W),
    .SHIFT   (SHIFT),
    .POINT   (POINT),
    .OUT_W   (OUT_W),
    .LO      (-6),
    .HI      (5)
  ) u_dut (.*);

  always @(posedge clk) begin
    if (begins) {x_q, sum_q, place_q, coarse_q} <= {x, sum, place, coarse};
    if (there) {offset_q, gain_place_q, minus_q} <= {offset, gain_place, minus};
  end

  // ---- what is to be ----
  wire signed [A_W-1:0]  a       = MEAN != 0 ? (x_q <<< TWOS) - sum_q : x_q;
  wire signed [WIDE-1:0] whole   = a;
  wire signed [WIDE-1:0] t       = whole <<< (place_q + 4 * coarse_q);
  wire signed [WIDE-1:0] scaled  = t <<< gain_place_q;
  wire signed [WIDE-1:0] wide    = offset_q;
  wire signed [WIDE-1:0] half    = $signed({{(WIDE-1){1'b0}}, 1'b1}) <<< (SHIFT - 1);
  wire signed [WIDE-1:0] y       = (minus_q ? -scaled : scaled) + (wide <<< (SHIFT - POINT));  // with the half
  wire signed [WIDE-1:0] exact   = y - half;
  wire signed [WIDE-1:0] down    = exact >>> SHIFT;
  wire signed [WIDE-1:0] rest    = exact - (down <<< SHIFT);
  wire signed [WIDE-1:0] rounded = rest > half || (rest == half && down[0]) ? down + 1 : down;
  wire signed [WIDE-1:0] clipped = rounded < -6 ? -6 : rounded > 5 ? 5 : rounded;

  always @* begin
    assume (place < 33);
    assume (coarse <= COARSE);
    assume (gain_place < GAIN_W - 1);
    if (ends) assume (t == $signed(t[T_W-1:0]));
  end

  proof_window #(LATENCY) u_window (.clk(clk), .begins(begins), .ends(ends));
  proof_window #(.LENGTH(LATENCY), .FLUSH(GAIN_AT)) u_gain (.clk(clk), .begins(there), .ends());

  always @* if (ends) values: assert (code == clipped[OUT_W-1:0]);
endmodule
