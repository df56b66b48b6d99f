// Rows of two elements of any three bits, with gains of 1 and -1: each quotient is that of its element in its row, in
// order, `last` with the row that came with it; none is given twice or not at all. Reset comes once.
// sources: norm/weir_normalize_integer.v norm/weir_normalize_sum.v norm/weir_softmax_divide.v
// with: norm/weir_normalize_integer_root.v cast/weir_scale_blocks.v linear/weir_mul.v stream/weir_pipeline.v stream/weir_fifo.v memory/weir_ram.v
// prove: bounded 34 UNITS=2 CENTRED=1
// nightly: bounded 40 UNITS=1 CENTRED=1
// nightly: bounded 40 UNITS=2 CENTRED=0
// planted: nightly
// spared: normalize_integer_unsigned codes are signed here: random.c
// spared: normalize_integer_full the ring does not fill within the bound: random.c
// spared: normalize_integer_lane one lane here: random.c
module proof #(
  parameter integer UNITS   = 2,
  parameter integer CENTRED = 1
) (
  input wire       clk, s_valid, s_last, m_ready,
  input wire [2:0] s_data
);
  localparam integer BEATS = 32;  // of the record: more than are taken

  wire               rst, s_ready, m_valid, m_last, p_next;
  wire signed [2:0]  m_data;
  reg                word_q, sign_1_q, sign_2_q;
  reg  [3*BEATS-1:0] taken_q;
  reg  [BEATS-1:0]   lasts_q;
  reg  [7:0]         count_q, given_q;
  reg                started_q = 1'b0;

  weir_normalize_integer #(
    .WIDTH      (3),
    .LENGTH     (2),
    .CENTRED    (CENTRED),
    .SUM_W      (5),
    .SQUARES_W  (7),
    .MEAN_W     (3),
    .ROOT_W     (3),
    .AWAY_W     (3),
    .GAIN_W     (1),
    .NUMERATOR_W(3),
    .QUOTIENT_W (2),
    .UNITS      (UNITS),
    .OUT_W      (3),
    .ROWS       (4)
  ) u_dut (.*, .p_data({sign_2_q, 1'b1}));

  wire              take    = s_valid && s_ready;
  wire              give    = m_valid && m_ready;
  wire [7:0]        row     = {given_q[7:1], 1'b0};
  wire [5:0]        both    = taken_q >> (row * 3);
  wire signed [31:0] a      = {{29{both[2]}}, both[2:0]};
  wire signed [31:0] b      = {{29{both[5]}}, both[5:3]};
  wire signed [31:0] mean   = CENTRED == 0 ? 0 : a + b < 0 ? -(-(a + b) >> 1) : (a + b) >> 1;
  wire signed [31:0] square = (((a - mean) * (a - mean) + (b - mean) * (b - mean)) >> 1) + 1;
  wire signed [31:0] root   = square < 4 ? 1 : square < 9 ? 2 : square < 16 ? 3 : 4;
  wire signed [31:0] away   = (given_q[0] ? b : a) - mean;
  wire signed [31:0] size   = away < 0 ? -away : away;
  wire signed [31:0] share  = size >= 3 * root ? 3 : size >= 2 * root ? 2 : size >= root ? 1 : 0;
  wire signed [31:0] expected = (away < 0) != given_q[0] ? -share : share;

  assign rst = !started_q;

  always @(posedge clk) begin
    started_q <= 1'b1;
    sign_1_q  <= word_q;
    sign_2_q  <= sign_1_q;
    if (rst) {word_q, count_q, given_q} <= 17'd0;
    else begin
      if (p_next) word_q <= !word_q;
      if (take) begin
        count_q                  <= count_q + 1'b1;
        taken_q[count_q*3 +: 3] <= s_data;
        lasts_q[count_q]         <= s_last;
      end
      if (give) given_q <= given_q + 1'b1;
    end
  end

  always @* if (!rst && m_valid) begin
    order: assert (row + 8'd2 <= count_q);
    values: assert ({{29{m_data[2]}}, m_data} == expected);
    last: assert (m_last == (given_q[0] && lasts_q[given_q]));  // a frame ends with a row
  end

  proof_hold #(4) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  // While beats are offered and its own are taken, something is given, and a beat is taken.
  proof_answer #(40) u_given (clk, rst, s_valid && m_ready, m_valid);
  proof_answer #(20) u_taken (clk, rst, s_valid && m_ready, s_ready);
endmodule
