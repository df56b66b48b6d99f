// The sum of the products since the sum before was finished, of those beats that are added. What was before the first
// beat of the window that finishes one is not looked at.
// sources: linear/weir_dot.v linear/weir_mul.v
// with: linear/weir_mul_logic.v
// prove: window 5 A_W=3 W_W=2 ACC_W=7 SIMD=3 ACCUMULATE=0 PARTS=1
// prove: window 8 A_W=2 W_W=3 ACC_W=7 SIMD=1 ACCUMULATE=1 PARTS=1
// prove: window 10 A_W=3 W_W=2 ACC_W=4 SIMD=2 ACCUMULATE=1 PARTS=2
// nightly: window 10 A_W=4 W_W=4 ACC_W=12 SIMD=3 ACCUMULATE=1 PARTS=2
module proof #(
  parameter integer A_W        = 3,
  parameter integer W_W        = 2,
  parameter integer ACC_W      = 7,
  parameter integer SIMD       = 1,
  parameter integer ACCUMULATE = 1,
  parameter integer PARTS      = 1
) (
  input wire                clk,
  input wire                add,
  input wire                finish,
  input wire [SIMD*A_W-1:0] x,
  input wire [SIMD*W_W-1:0] w
);
  localparam integer PROD_W = A_W + W_W < ACC_W ? A_W + W_W : ACC_W;
  localparam integer TREE   = 1 + $clog2(PARTS) + $clog2(SIMD);  // cycles to the sum of a beat's products

  wire                    begins, ends;
  wire [ACC_W-1:0]        result;
  reg  [TREE*ACC_W-1:0]   sums_q;                      // of the beats under way
  reg  signed [ACC_W-1:0] sum;
  reg  [ACC_W-1:0]        total_q, expected_q;
  reg                     known_q, finished_q;  // the total; the expected result
  wire [ACC_W-1:0]        oldest = sums_q[TREE*ACC_W-1 -: ACC_W];
  wire                    known  = known_q && !begins;
  integer                 e;

  weir_dot #(
    .A_W       (A_W),
    .W_W       (W_W),
    .PROD_W    (PROD_W),
    .ACC_W     (ACC_W),
    .SIMD      (SIMD),
    .ACCUMULATE(ACCUMULATE),
    .PARTS     (PARTS)
  ) u_dut (
    .clk   (clk),
    .add   (add),
    .finish(finish),
    .x     (x),
    .w     (w),
    .result(result)
  );

  always @* begin
    sum = {ACC_W{1'b0}};
    for (e = 0; e < SIMD; e = e + 1) sum = sum + $signed(x[e*A_W +: A_W]) * $signed(w[e*W_W +: W_W]);
  end

  always @(posedge clk) begin
    sums_q     <= {sums_q, sum};
    known_q    <= known || (add && finish);
    finished_q <= (finished_q && !begins) || (known && add && finish);
    if (add) total_q <= finish ? {ACC_W{1'b0}} : total_q + oldest;
    if (add && finish) expected_q <= total_q + oldest;
  end

  proof_window #(TREE + 1, TREE) u_window (clk, begins, ends);
  proof_equal #(ACC_W) u_equal (
    1'b0, ends && (finished_q || ACCUMULATE == 0), result, ACCUMULATE != 0 ? expected_q : oldest
  );
endmodule
