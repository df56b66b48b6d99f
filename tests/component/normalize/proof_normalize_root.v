// The table's row, P by its parabola and n, of any sums: with CURVED of any c, where a and b are powers of two and the
// parabola's argument has few values; else the parabola is flat. Other rows follow as soon as they may.
// sources: norm/weir_normalize_root.v
// with: linear/weir_mul.v
// prove: bounded 28 MODE=0 FRACTION=16 BITS=28 STAGES=3 SQUARES_W=8 SUM_W=5 CURVED=0 SHARED=1 READ=2
// prove: bounded 20 MODE=1 FRACTION=20 BITS=28 STAGES=3 SQUARES_W=6 CURVED=1 SHARED=0 READ=1
// nightly: bounded 24 MODE=1 FRACTION=20 BITS=28 STAGES=3 SQUARES_W=6 CURVED=1 SHARED=1 READ=2
// nightly: bounded 24 MODE=2 FRACTION=14 BITS=30 STAGES=2 SQUARES_W=2 SUM_W=7 CURVED=0 SHARED=0 READ=1
// planted: nightly
module proof #(
  parameter integer MODE      = 0,
  parameter integer SUM_W     = 5,
  parameter integer SQUARES_W = 8,
  parameter integer FRACTION  = 16,
  parameter integer BITS      = 28,
  parameter integer STAGES    = 3,
  parameter integer SHARED    = 0,
  parameter integer READ      = 1,
  parameter integer CURVED    = 0
) (
  input wire                 clk, start,
  input wire [SUM_W-1:0]     sum,
  input wire [SQUARES_W-1:0] squares,
  input wire [29:0]          base_data,
  input wire [34:0]          slope_data
);
  localparam integer LENGTH = 3;
  localparam [63:0]  EPSILON = 37;
  localparam integer ROW_AT = 3 + STAGES + 1;
  localparam integer WORD   = ROW_AT + READ;
  localparam integer TIME   = WORD + 6 + 3 * SHARED;
  localparam integer LEAST  = BITS > 2 << STAGES ? BITS - (2 << STAGES) : 0;  // a V of more bits has its n

  wire        rst, ready, done;
  wire [8:0]  root_addr;
  wire [32:0] factor;
  wire [3:0]  coarse;
  reg         started_q = 1'b0;
  reg  [7:0]  cycle_q = 8'd0;  // since the reset, which comes once; the first row is watched

  weir_normalize_root #(
    .MODE     (MODE),
    .LENGTH   (LENGTH),
    .SUM_W    (SUM_W),
    .SQUARES_W(SQUARES_W),
    .FRACTION (FRACTION),
    .EPSILON  (EPSILON),
    .BITS     (BITS),
    .STAGES   (STAGES),
    .SHARED   (SHARED),
    .READ     (READ)
  ) u_dut (.*);

  assign rst = !started_q;

  reg signed [SUM_W-1:0]  sum_q;
  reg [SQUARES_W-1:0]     squares_q;
  reg [29:0]              c_q;
  reg [34:0]              slope_q;
  reg [8:0]               row_q;

  always @(posedge clk) begin
    started_q <= 1'b1;
    if (started_q) cycle_q <= cycle_q + 1'b1;
    if (cycle_q == 0 && started_q) {sum_q, squares_q} <= {sum, squares};
    if (cycle_q == ROW_AT) row_q <= root_addr;
    if (cycle_q == WORD) {c_q, slope_q} <= {base_data, slope_data};
  end

  // ---- what is to be ----
  wire signed [2*SUM_W:0] own   = sum_q;
  wire [2*SUM_W:0]        power = own * own;
  reg  [BITS-1:0]         v, normal;
  reg  [STAGES-1:0]       n;
  reg  [27:0]             top, lead;
  reg  signed [17:0]      d;
  integer                 i;

  always @* begin
    v = EPSILON;
    if (MODE == 0) v = v + ((LENGTH * squares_q - power) << FRACTION);
    else if (MODE == 1) v = v + (squares_q << FRACTION);
    else v = v + (power << FRACTION);
    normal = v;
    n      = 0;
    for (i = 0; i < (1 << STAGES) - 1; i = i + 1)
      if (normal[BITS-1 -: 2] == 2'b00) begin
        normal = normal << 2;
        n      = n + 1'b1;
      end
    top  = normal[BITS-1 -: 28];
    lead = top[27] ? top : top << 1;
    d    = {~lead[18], lead[17:1]};
  end

  wire signed [41:0] bend  = $signed({1'b0, slope_q[12:0]}) * d;
  wire signed [23:0] slope = $signed({1'b0, slope_q[34:13]}) - (bend >>> 18);
  wire signed [41:0] fall  = slope * d;
  wire signed [42:0] exact = $signed({1'b0, c_q}) - (fall >>> 18);
  wire [29:0]        p     = exact[29:0];
  wire [32:0]        all   = p;

  always @* begin
    if (started_q) assume (!start || ready);
    if (started_q && cycle_q == 0) assume (start);
    if (cycle_q > 0 && MODE == 0) assume (LENGTH * squares_q >= power);
    if (cycle_q > 0 && MODE == 0) assume (LENGTH * squares_q - power < 1 << (BITS - FRACTION));
    if (cycle_q > 0 && MODE == 1) assume (squares_q < (1 << (BITS - FRACTION)) - 38);
    if (cycle_q > 0 && MODE == 2) assume (power < 1 << (BITS - FRACTION));
    if (cycle_q > 0) assume (v >> LEAST != 0);
    if (CURVED == 0) assume (slope_data == 35'd0);
    assume ((slope_data[34:13] & (slope_data[34:13] - 22'd1)) == 22'd0);
    assume ((slope_data[12:0] & (slope_data[12:0] - 13'd1)) == 13'd0);
    if (cycle_q > WORD) assume (slope >= 0 && slope < 1 << 22);
  end

  always @* if (started_q && cycle_q == TIME) begin
    there: assert (done);
    row: assert (row_q == {lead != top || top[27] == 1'b0 ? 1'b0 : 1'b1, lead[26:19]});
    value: assert (factor == all << n[1:0]);
    exponent: assert (coarse == n >> 2);
  end

  always @* if (started_q && cycle_q > 0 && cycle_q < TIME) early: assert (!done);
endmodule
