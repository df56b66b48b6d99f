// Rows of any bits, with tables in which the term of the smaller one is half the other: each code is that of its
// element in its row, in order, `last` with the beat that came with it; none is given twice or not at all. Reset comes
// once.
// sources: norm/weir_softmax_integer.v
// with: norm/weir_softmax_divide.v stream/weir_pipeline.v stream/weir_fifo.v memory/weir_ram.v
// prove: bounded 34 LANES=1 UNITS=3 READ=1
// nightly: bounded 34 LANES=2 UNITS=3 READ=1
// nightly: bounded 40 LANES=1 UNITS=1 READ=2
// planted: nightly
// spared: softmax_integer_best_of_two_rows shares of a row are the same where all its distances are one more: random.c
// spared: softmax_integer_unsigned codes are unsigned here: random.c
// spared: softmax_integer_wraps all distances are in the tables here: random.c
// spared: softmax_integer_distances_full the queue of distances does not fill within the bound: random.c
module proof #(
  parameter integer LANES = 1,
  parameter integer UNITS = 3,
  parameter integer READ  = 1
) (
  input wire clk, s_valid, s_last, m_ready,
  input wire [LANES-1:0] s_data
);
  localparam integer BEATS = 64;  // of the record: more than are taken
  localparam integer ROW   = 2 * LANES;

  wire                   rst, s_ready, m_valid, m_last;
  wire [LANES-1:0]       term_addr, numerator_addr;
  wire [3*LANES-1:0]     m_data;
  reg  [2*LANES-1:0]     term_1_q, term_2_q;            // of the ROMs' registers
  reg  [4*LANES-1:0]     numerator_1_q, numerator_2_q;
  reg  [BEATS*LANES-1:0] taken_q;
  reg  [BEATS-1:0]       lasts_q;
  reg  [7:0]             count_q, given_q;
  reg                    started_q = 1'b0;

  weir_softmax_integer #(
    .LANES      (LANES),
    .WIDTH      (1),
    .BEATS      (2),
    .ADDR_W     (1),
    .TERM_W     (2),
    .SUM_W      (4),
    .NUMERATOR_W(4),
    .QUOTIENT_W (3),
    .UNITS      (UNITS),
    .OUT_W      (3),
    .HIGH       (7),
    .READ       (READ)
  ) u_dut (
    .*,
    .term_data     (READ == 1 ? term_1_q : term_2_q),
    .numerator_data(READ == 1 ? numerator_1_q : numerator_2_q)
  );

  wire            take     = s_valid && s_ready;
  wire            give     = m_valid && m_ready;
  wire [7:0]      row      = {given_q[7:1], 1'b0};
  wire [ROW-1:0]  elements = taken_q >> (row * LANES);
  wire [LANES-1:0] here    = taken_q >> (given_q * LANES);
  wire            some     = elements != 0;
  reg  [4:0]      sum;
  reg  [3*LANES-1:0] expected;
  integer         i;

  // A term of 2 for the largest, of 1 for the other one; numerators of 13 and 6.
  always @* begin
    sum = 0;
    for (i = 0; i < ROW; i = i + 1) sum = sum + (some && !elements[i] ? 5'd1 : 5'd2);
    for (i = 0; i < LANES; i = i + 1)
      if (some && !here[i]) expected[3*i +: 3] = sum == 3 ? 3'd2 : sum > 6 ? 3'd0 : 3'd1;            // 6 by 3, 5, 6, 7
      else expected[3*i +: 3] = sum == 3 ? 3'd4 : sum == 4 ? 3'd3 : sum < 7 ? 3'd2 : 3'd1;          // 13 by 3 to 8
  end

  assign rst = !started_q;

  always @(posedge clk) begin
    started_q <= 1'b1;
    for (i = 0; i < LANES; i = i + 1) begin
      term_1_q[2*i +: 2]      <= term_addr[i] ? 2'd1 : 2'd2;
      numerator_1_q[4*i +: 4] <= numerator_addr[i] ? 4'd6 : 4'd13;
    end
    term_2_q      <= term_1_q;
    numerator_2_q <= numerator_1_q;
    if (rst) {count_q, given_q} <= 16'd0;
    else begin
      if (take) begin
        count_q                          <= count_q + 1'b1;
        taken_q[count_q*LANES +: LANES] <= s_data;
        lasts_q[count_q]                 <= s_last;
      end
      if (give) given_q <= given_q + 1'b1;
    end
  end

  always @* if (!rst && m_valid) begin
    order: assert (row + 8'd2 <= count_q);
    values: assert (m_data == expected);
    last: assert (m_last == (given_q[0] && lasts_q[given_q]));  // a frame ends with a row
  end

  proof_hold #(3 * LANES + 1) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  // While beats are offered and its own are taken, something is given, and a beat is taken.
  proof_answer #(6 * 3 / UNITS + 2 * READ + 16 + 2 * LANES) u_given (clk, rst, s_valid && m_ready, m_valid);
  proof_answer #(6 * 3 / UNITS + 4) u_taken (clk, rst, s_valid && m_ready, s_ready);
endmodule
