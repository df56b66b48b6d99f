// The sum of the products since the sum before was finished, of those beats that are added. What was before the first
// beat of the window that finishes one is not looked at. Of two outputs it is that of either.
// sources: linear/weir_dot.v linear/weir_mul.v
// with: linear/weir_mul_logic.v linear/weir_mul_pair.v linear/weir_mul_sign.v
// prove: window 5 X_W=3 X_SIGNED=1 W_W=2 ACC_W=7 SIMD=3 ACCUMULATE=0 PARTS=1
// prove: window 8 X_W=2 X_SIGNED=1 W_W=3 ACC_W=7 SIMD=1 ACCUMULATE=1 PARTS=1
// prove: window 10 X_W=3 X_SIGNED=1 W_W=2 ACC_W=4 SIMD=2 ACCUMULATE=1 PARTS=2
// prove: window 6 X_W=2 X_SIGNED=1 W_W=2 ACC_W=6 SIMD=2 ACCUMULATE=0 PARTS=1 PAIR=4
// prove: window 8 X_W=2 X_SIGNED=0 W_W=2 ACC_W=5 SIMD=1 ACCUMULATE=1 PARTS=1 PAIR=4
// prove: window 6 X_W=2 X_SIGNED=0 W_W=2 ACC_W=6 SIMD=3 ACCUMULATE=0 PARTS=1
// prove: window 5 X_W=3 X_SIGNED=1 W_W=2 ACC_W=6 SIMD=3 ACCUMULATE=0 PARTS=1 SIGNS=1
// prove: window 8 X_W=2 X_SIGNED=0 W_W=2 ACC_W=4 SIMD=2 ACCUMULATE=1 PARTS=1 SIGNS=1
// prove: window 8 X_W=2 X_SIGNED=1 W_W=2 ACC_W=4 SIMD=3 ACCUMULATE=1 PARTS=1 SIGNS=2
// prove: window 5 X_W=1 X_SIGNED=0 W_W=2 ACC_W=4 SIMD=4 ACCUMULATE=0 PARTS=1 SIGNS=2
// prove: window 5 X_W=2 X_SIGNED=1 W_W=2 ACC_W=4 SIMD=6 ACCUMULATE=0 PARTS=1 SIGNS=3
// prove: window 8 X_W=2 X_SIGNED=1 W_W=2 ACC_W=3 SIMD=2 ACCUMULATE=1 PARTS=1 SIGNS=3
// nightly: window 6 X_W=4 X_SIGNED=1 W_W=2 ACC_W=8 SIMD=8 ACCUMULATE=0 PARTS=1 SIGNS=1
// nightly: window 10 X_W=4 X_SIGNED=1 W_W=4 ACC_W=12 SIMD=3 ACCUMULATE=1 PARTS=2
// planted: nightly
module proof #(
  parameter integer X_W        = 3,
  parameter integer X_SIGNED   = 1,
  parameter integer W_W        = 2,
  parameter integer ACC_W      = 7,
  parameter integer SIMD       = 1,
  parameter integer ACCUMULATE = 1,
  parameter integer PARTS      = 1,
  parameter integer PAIR       = 0,
  parameter integer SIGNS      = 0,
  parameter integer OUTS       = PAIR > 0 ? 2 : 1  // not to be set
) (
  input wire                     clk, add, finish,
  input wire [SIMD*X_W-1:0]      x,
  input wire [OUTS*SIMD*W_W-1:0] w
);
  localparam integer FULL_W = SIGNS == 0 ? X_W + W_W : SIGNS == 1 ? X_W + 1 : SIGNS == 2 ? 2 : 1;
  localparam integer PROD_W = FULL_W < ACC_W ? FULL_W : ACC_W;
  localparam integer TREE   = 1 + $clog2(PARTS) + OUTS - 1 + $clog2(SIMD);  // cycles to the sum of a beat's products

  wire                    begins, ends;
  wire [OUTS*ACC_W-1:0]   results;
  (* anyconst *) wire     second;                      // output
  wire                    output_1 = PAIR > 0 && second;
  wire [ACC_W-1:0]        result   = results[output_1*ACC_W +: ACC_W];
  reg  [OUTS*SIMD*W_W-1:0] given;                      // weights, as weir_mul_pair takes them
  reg  [TREE*ACC_W-1:0]   sums_q;                      // of the beats under way
  reg  signed [ACC_W-1:0] sum;
  reg  [ACC_W-1:0]        total_q, expected_q;
  reg                     known_q, finished_q;  // the total; the expected result
  wire [ACC_W-1:0]        oldest = sums_q[TREE*ACC_W-1 -: ACC_W];
  wire                    known  = known_q && !begins;
  integer                 e;

  weir_dot #(
    .X_W       (X_W),
    .X_SIGNED  (X_SIGNED),
    .W_W       (W_W),
    .PROD_W    (PROD_W),
    .ACC_W     (ACC_W),
    .SIMD      (SIMD),
    .ACCUMULATE(ACCUMULATE),
    .PARTS     (PARTS),
    .PAIR      (PAIR),
    .SIGNS     (SIGNS)
  ) u_dut (.*, .w(given), .result(results));

  always @* begin
    sum = {ACC_W{1'b0}};
    for (e = 0; e < SIMD; e = e + 1)
      sum = sum + $signed({X_SIGNED != 0 && x[(e+1)*X_W - 1], x[e*X_W +: X_W]}) * $signed(w[(output_1*SIMD+e)*W_W +: W_W]);
    for (e = 0; e < SIMD; e = e + 1) begin
      if (SIGNS > 0) assume (w[e*W_W +: W_W] != {1'b1, {(W_W-1){1'b0}}});
      if (SIGNS > 1) assume (X_SIGNED == 0 || x[e*X_W +: X_W] != {1'b1, {(X_W-1){1'b0}}});
      if (SIGNS == 3) assume (x[e*X_W] && w[e*W_W]);
    end
    given = w;
    if (PAIR > 0)
      for (e = 0; e < SIMD; e = e + 1) begin
        assume (w[((OUTS-1)*SIMD+e)*W_W +: W_W] != {1'b1, {(W_W-1){1'b0}}});
        if (w[(e+1)*W_W-1]) given[((OUTS-1)*SIMD+e)*W_W +: W_W] = w[((OUTS-1)*SIMD+e)*W_W +: W_W] - 1'b1;
      end
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
