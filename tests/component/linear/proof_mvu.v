// Dot products with whatever weight words come READ cycles after they are asked for, each for its beat. Sums are taken
// modulo 2^ACC_W, which loses nothing of what an element, a weight or a sum of the wrong beat would do.
// sources: linear/weir_mvu.v
// with: linear/weir_dot.v linear/weir_mul.v linear/weir_mul_logic.v linear/weir_mul_sign.v stream/weir_fifo.v
// prove: unbounded SIMD=1 PE=1 BEATS=1 READ=1 PARTS=1 ACC_W=1
// prove: unbounded SIMD=1 PE=1 BEATS=5 READ=1 PARTS=1 ACC_W=1
// prove: bounded 16 SIMD=2 PE=1 BEATS=3 READ=3 PARTS=1 ACC_W=2
// prove: bounded 12 SIMD=2 PE=2 BEATS=2 READ=1 PARTS=1 ACC_W=1 VECTORS=2
// prove: bounded 12 SIMD=2 PE=2 BEATS=1 READ=1 PARTS=1 ACC_W=2 ROWS=2
// nightly: bounded 12 SIMD=2 PE=2 BEATS=1 READ=2 PARTS=1 ACC_W=2 VECTORS=2 ROWS=2
// nightly: unbounded SIMD=2 PE=1 BEATS=1 READ=1 PARTS=1 ACC_W=1
// nightly: unbounded SIMD=1 PE=1 BEATS=2 READ=1 PARTS=1 ACC_W=2
// nightly: unbounded SIMD=1 PE=1 BEATS=3 READ=2 PARTS=1 ACC_W=1
// nightly: unbounded SIMD=1 PE=2 BEATS=1 READ=1 PARTS=2 ACC_W=1
// nightly: unbounded SIMD=2 PE=1 BEATS=1 READ=2 PARTS=1 ACC_W=2
// nightly: unbounded SIMD=1 PE=1 BEATS=3 READ=3 PARTS=1 ACC_W=1
// nightly: bounded 18 SIMD=3 PE=1 BEATS=4 READ=2 PARTS=2 ACC_W=3
// planted: nightly
module proof #(
  parameter integer SIMD    = 1,
  parameter integer PE      = 1,
  parameter integer BEATS   = 1,
  parameter integer READ    = 1,
  parameter integer PARTS   = 1,
  parameter integer X_W     = 1,
  parameter integer W_W     = PARTS,
  parameter integer ACC_W   = 1,
  parameter integer VECTORS = 1,
  parameter integer ROWS    = 1
) (
  input wire                             clk, s_valid,
  input wire [ROWS*VECTORS*SIMD*X_W-1:0] s_data,
  input wire                             s_last,
  input wire [PE*SIMD*W_W-1:0]           word,  // of the beat, if it is taken
  input wire [PE*SIMD*W_W-1:0]           other,  // what the weights' memory gives for no beat
  input wire                             m_ready
);
  localparam integer WORD_W = PE * SIMD * W_W;
  localparam integer BEAT_W = $clog2(BEATS + 1);
  localparam integer RESULT = READ + 1 + $clog2(PARTS) + $clog2(SIMD) + (BEATS > 1 ? 1 : 0);  // cycles to a result
  localparam integer PLACES = 2 + (RESULT + 1) / BEATS;
  localparam [BEAT_W-1:0] TOP = BEATS - 1;

  wire                      rst, s_ready, w_next, m_valid, m_last, mark;
  wire [ROWS*PE*ACC_W-1:0]  m_data;
  reg  [READ-1:0]           asked_q;  // bit i: i + 1 cycles ago
  reg  [READ*WORD_W-1:0]    words_q;
  reg  [BEAT_W-1:0]         beat_q;
  reg  [ROWS*PE*ACC_W-1:0]  expected, expected_q;
  reg  signed [ACC_W-1:0]   sum;
  wire [$clog2(PLACES+2)-1:0] results;
  integer                   p, e;

  weir_mvu #(
    .X_W    (X_W),
    .W_W    (W_W),
    .ACC_W  (ACC_W),
    .SIMD   (SIMD),
    .PE     (PE),
    .BEATS  (BEATS),
    .READ   (READ),
    .PARTS  (PARTS),
    .VECTORS(VECTORS),
    .ROWS   (ROWS)
  ) u_dut (.*, .w_data(asked_q[READ-1] ? words_q[READ*WORD_W-1 -: WORD_W] : other));

  wire take  = s_valid && s_ready;
  wire enter = take && beat_q == TOP;
  wire leave = m_valid && m_ready;

  // Elements are unsigned, weights are signed.
  always @*
    for (p = 0; p < ROWS * PE; p = p + 1) begin
      sum = beat_q == 0 ? {ACC_W{1'b0}} : expected_q[p*ACC_W +: ACC_W];
      for (e = 0; e < SIMD; e = e + 1)
        sum = sum + $signed({1'b0, s_data[((p/PE*SIMD+e)*VECTORS+p%VECTORS)*X_W +: X_W]}) * $signed(word[(p%PE*SIMD+e)*W_W +: W_W]);
      expected[p*ACC_W +: ACC_W] = sum;
    end

  always @(posedge clk) begin
    asked_q <= {asked_q, w_next};
    words_q <= {words_q, word};
    if (rst) beat_q <= {BEAT_W{1'b0}};
    else if (take) beat_q <= beat_q == TOP ? {BEAT_W{1'b0}} : beat_q + 1'b1;
    if (take) expected_q <= expected;
  end

  always @* if (!rst) one_word_a_beat: assert (w_next == take);

  proof_reset u_reset (clk, rst);
  proof_source #(ROWS * VECTORS * SIMD * X_W + 1) u_source (clk, rst, s_valid, s_ready, {s_last, s_data});
  proof_hold #(ROWS * PE * ACC_W + 1) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  proof_order #(ROWS * PE * ACC_W + 1, PLACES) u_order (
    clk, rst, enter, {s_last, expected}, m_valid, leave, {m_last, m_data}, results, mark
  );
  proof_answer #(RESULT) u_leaves (clk, rst, results != 0, m_valid);
  proof_answer #(RESULT + 1) u_enters (clk, rst, s_valid && m_ready, s_ready);
endmodule
