// Rows and matrices of any bits: each result is the sum of the products of its row and its output of its page's matrix,
// modulo 2^ACC_W, in order; no row is multiplied before its matrix is there.
// sources: linear/weir_product.v
// with: memory/weir_matrix.v memory/weir_nest.v memory/weir_replay.v linear/weir_mvu.v linear/weir_dot.v linear/weir_mul.v
// with: linear/weir_mul_logic.v linear/weir_mul_sign.v stream/weir_fifo.v
// prove: bounded 16 SIMD=1 PE=1 BEATS=2 GROUPS=1 ROWS=1 ALONG=0 READ=1
// prove: bounded 15 SIMD=2 PE=2 BEATS=1 GROUPS=1 ROWS=2 ALONG=1 READ=1
// prove: bounded 12 SIMD=2 PE=2 BEATS=1 GROUPS=1 ROWS=1 ALONG=0 READ=1
// nightly: bounded 20 SIMD=1 PE=1 BEATS=2 GROUPS=2 ROWS=1 ALONG=0 READ=2
// nightly: bounded 20 SIMD=2 PE=1 BEATS=1 GROUPS=2 ROWS=2 ALONG=1 READ=1
// planted: nightly
// spared: product_page_of_one_matrix a page has one matrix here: random.c
module proof #(
  parameter integer SIMD   = 1,
  parameter integer PE     = 1,
  parameter integer BEATS  = 2,
  parameter integer GROUPS = 1,
  parameter integer ROWS   = 1,
  parameter integer ALONG  = 0,
  parameter integer READ   = 1
) (
  input wire                          clk, s_a_valid, s_b_valid,
  input wire [SIMD-1:0]               s_a_data,
  input wire [(ALONG!=0?PE:SIMD)-1:0] s_b_data,
  input wire                          m_ready
);
  localparam integer ACC_W = 2;
  localparam integer BANKS = ALONG != 0 ? SIMD : PE;
  localparam integer BEAT  = ALONG != 0 ? PE : SIMD;
  localparam integer INNER = BEATS * SIMD;
  localparam integer OUTER = GROUPS * PE;
  localparam integer MOST  = 64;  // elements of a record: more than are taken

  wire                s_a_ready, s_b_ready, m_valid, m_last;
  wire [PE*ACC_W-1:0] m_data;
  reg                 started_q = 1'b0;
  wire                rst = !started_q;
  reg  [MOST-1:0]     a_q, b_q;
  reg  [7:0]          a_count_q, b_count_q, row_q, group_q, page_q;  // elements; of the next result
  reg  [PE*ACC_W-1:0] expected;
  reg  [ACC_W-1:0]    sum;
  integer             p, k;

  // The matrix comes output by output, or, ALONG, element by element of all outputs.
  weir_product #(
    .X_W       (1),
    .W_W       (1),
    .ACC_W     (ACC_W),
    .SIMD      (SIMD),
    .PE        (PE),
    .BEATS     (BEATS),
    .GROUPS    (GROUPS),
    .MATRIX    (BEATS * GROUPS * BANKS),
    .ALONG     (ALONG),
    .READ      (READ),
    .SIZE_3    (ALONG != 0 ? BEATS : GROUPS),
    .STRIDE_3  (ALONG != 0 ? 1 : BEATS),
    .SIZE_4    (BANKS),
    .STRIDE_4  (0),
    .SIZE_5    (ALONG != 0 ? GROUPS : BEATS),
    .STRIDE_5  (ALONG != 0 ? BEATS : 1),
    .BANK      (4),
    .ROW_SIZE_3(ROWS)
  ) u_dut (.*, .s_a_last(1'b0), .s_b_last(1'b0));

  wire take_a = s_a_valid && s_a_ready;
  wire take_b = s_b_valid && s_b_ready;
  wire give   = m_valid && m_ready;
  wire g_end  = group_q == GROUPS - 1;
  wire r_end  = g_end && row_q == ROWS - 1;

  always @(posedge clk) begin
    started_q <= 1'b1;
    if (rst) {a_count_q, b_count_q, row_q, group_q, page_q} <= 40'd0;
    else begin
      if (take_a) a_q[a_count_q +: SIMD] <= s_a_data;
      if (take_b) b_q[b_count_q +: BEAT] <= s_b_data;
      if (take_a) a_count_q <= a_count_q + SIMD;
      if (take_b) b_count_q <= b_count_q + BEAT;
      if (give) begin
        group_q <= g_end ? 8'd0 : group_q + 1'b1;
        if (g_end) row_q <= r_end ? 8'd0 : row_q + 1'b1;
        if (r_end) page_q <= page_q + 1'b1;
      end
    end
  end

  always @*
    for (p = 0; p < PE; p = p + 1) begin
      sum = {ACC_W{1'b0}};
      for (k = 0; k < INNER; k = k + 1)
        sum = sum + (a_q[(page_q * ROWS + row_q) * INNER + k] &&
                     b_q[page_q * INNER * OUTER + (ALONG != 0 ? k * OUTER + group_q * PE + p : (group_q * PE + p) * INNER + k)]);
      expected[p*ACC_W +: ACC_W] = sum;
    end

  always @* if (!rst && m_valid) begin
    rows: assert ((page_q * ROWS + row_q + 1) * INNER <= a_count_q);
    matrices: assert ((page_q + 1) * INNER * OUTER <= b_count_q);
    values: assert (m_data == expected);
  end

  proof_hold #(PE * ACC_W) u_hold (clk, rst, m_valid, m_ready, m_data);
endmodule
