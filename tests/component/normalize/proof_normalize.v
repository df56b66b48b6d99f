// Rows whose gains are 0: each beat leaves once, in order, with the offset whose turn it is and the `last` that came
// with its row; a ring that is full and a root that is busy hold the stream up. Reset comes once.
// sources: norm/weir_normalize.v
// with: norm/weir_normalize_square.v norm/weir_normalize_sum.v norm/weir_normalize_root.v norm/weir_normalize_scale.v
// with: cast/weir_scale_blocks.v cast/weir_saturate.v linear/weir_mul.v
// with: stream/weir_pipeline.v stream/weir_fifo.v memory/weir_ram.v
// prove: bounded 46 LENGTH=2 ROWS=2 SHARED=0 HOLD=0
// nightly: bounded 52 LENGTH=3 ROWS=2 SHARED=1 HOLD=0
// nightly: bounded 50 LENGTH=2 ROWS=3 SHARED=0 HOLD=2
// faults: normalize/faults.txt
// planted: nightly
module proof #(
  parameter integer LENGTH = 2,
  parameter integer ROWS   = 2,
  parameter integer SHARED = 0,
  parameter integer HOLD   = 0
) (
  input wire       clk, s_valid, s_last, m_ready,
  input wire [1:0] s_data
);
  localparam integer BEATS = 64;  // of the record: more than are taken
  localparam integer TURNS = HOLD > 0 ? HOLD : 1;

  wire             rst, s_ready, m_valid, m_last, p_next;
  wire [2:0]       m_data;
  wire [8:0]       root_addr;
  reg  [1:0]       word_q;     // which offset is next
  reg  [5:0]       offset_q;   // a register after that of the word's address
  reg  [BEATS-1:0] lasts_q;
  reg  [7:0]       count_q, given_q, place_q, taken_place_q;
  reg  [1:0]       turn_q;
  reg  [2:0]       expected_q;
  reg              started_q = 1'b0;

  weir_normalize #(
    .WIDTH    (2),
    .X_W      (2),
    .LENGTH   (LENGTH),
    .SUM_W    (4),
    .SQUARES_W(5),
    .A_W      (5),
    .FRACTION (16),
    .BITS     (28),
    .STAGES   (2),
    .ROWS     (ROWS),
    .SHARED   (SHARED),
    .T_W      (20),
    .COARSE   (0),
    .GAIN_W   (2),
    .OFFSET_W (6),
    .HOLD     (HOLD),
    .SHIFT    (4),
    .POINT    (2),
    .OUT_W    (3),
    .LO       (-4),
    .HI       (3),
    .ROOT_READ(1),
    .READ     (1)
  ) u_dut (
    .*,
    .base_data (30'd0),
    .slope_data(35'd0),
    .p_data    ({offset_q, 2'b00})
  );

  wire take = s_valid && s_ready;
  wire give = m_valid && m_ready;

  assign rst = !started_q;

  // Offsets of 0, 1, 2 and 3 and a half of a step.
  always @(posedge clk) begin
    started_q <= 1'b1;
    offset_q  <= {2'b00, word_q, 2'b10};
    if (rst) begin
      word_q     <= 2'd0;
      count_q    <= 8'd0;
      given_q    <= 8'd0;
      place_q    <= 8'd0;
      taken_place_q <= 8'd0;
      turn_q     <= 2'd0;
      expected_q <= 3'd0;
    end else begin
      if (p_next) word_q <= word_q + 1'b1;
      if (take) begin
        count_q          <= count_q + 1'b1;
        lasts_q[count_q] <= s_last;
        taken_place_q    <= taken_place_q == LENGTH - 1 ? 8'd0 : taken_place_q + 1'b1;
      end
      if (give) begin
        given_q <= given_q + 1'b1;
        place_q <= place_q == LENGTH - 1 ? 8'd0 : place_q + 1'b1;
        turn_q  <= turn_q == TURNS - 1 ? 2'd0 : turn_q + 1'b1;
        if (turn_q == TURNS - 1) expected_q <= {1'b0, expected_q[1:0] + 1'b1};
      end
    end
  end

  always @* if (!rst && s_valid && taken_place_q != LENGTH - 1) assume (!s_last);

  always @* if (!rst && m_valid) begin
    order: assert (given_q - place_q + LENGTH <= count_q);
    values: assert (m_data == expected_q);
    last: assert (m_last == (place_q == LENGTH - 1 && lasts_q[given_q]));
  end

  always @* if (!rst) ring: assert (count_q - given_q <= ROWS * LENGTH + 16);

  proof_hold #(4) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  // While beats are offered and its own are taken, something is given, and a beat is taken.
  proof_answer #(42) u_given (clk, rst, s_valid && m_ready, m_valid);
  proof_answer #(42) u_taken (clk, rst, s_valid && m_ready, s_ready);
endmodule
