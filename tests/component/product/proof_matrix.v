// Every word of a matrix as it was written, whichever of two loops is the one through the banks, from a record of all
// that has been taken: a page is open only when all of it is there.
// sources: memory/weir_matrix.v memory/weir_nest.v
// define: WEIR_CHECK
// prove: bounded 16 INSIDE=1 WORDS=1 MATRICES=2 TIMES=1 READ=1
// prove: bounded 18 INSIDE=0 WORDS=2 MATRICES=1 TIMES=2 READ=2
// nightly: bounded 24 INSIDE=1 WORDS=2 MATRICES=2 TIMES=2 READ=1
// nightly: bounded 22 INSIDE=0 WORDS=3 MATRICES=1 TIMES=1 READ=3
// planted: nightly
// spared: matrix_one_bank memories are so small here that they are no weir_ram: random.c
module proof #(
  parameter integer INSIDE   = 1,  // the loop through the banks is the inner one
  parameter integer WORDS    = 2,
  parameter integer MATRICES = 1,
  parameter integer TIMES    = 1,
  parameter integer READ     = 1
) (
  input wire clk, s_valid, s_data, want
);
  localparam integer BANKS = 2;
  localparam integer PAGE  = MATRICES * WORDS;
  localparam integer BEATS = PAGE * BANKS;

  wire             rst, s_ready, open;
  wire [BANKS-1:0] q;
  wire [63:0]      taken;
  wire [7:0]       count;
  reg  [7:0]       page_q, word_q, row_q;
  reg  [READ-1:0]  asked_q;
  reg  [READ*BANKS-1:0] expected_q;

  weir_matrix #(
    .WIDTH       (1),
    .BANKS       (BANKS),
    .PAGE        (PAGE),
    .SIZE_4      (INSIDE != 0 ? PAGE : BANKS),
    .SIZE_5      (INSIDE != 0 ? BANKS : PAGE),
    .STRIDE_4    (INSIDE != 0 ? 1 : 0),
    .STRIDE_5    (INSIDE != 0 ? 0 : 1),
    .BANK        (INSIDE != 0 ? 5 : 4),
    .ROW_SIZE_2  (TIMES),
    .ROW_SIZE_3  (MATRICES),
    .ROW_STRIDE_3(WORDS),
    .WORDS       (WORDS),
    .READ        (READ)
  ) u_dut (.*, .next(next));

  wire       next  = want && open;
  wire       w_end = word_q == PAGE - 1;
  wire       p_end = w_end && row_q == TIMES - 1;
  wire [7:0] first = page_q + (INSIDE != 0 ? word_q * BANKS : word_q);  // of the record, in bank 0
  wire [7:0] other = first + (INSIDE != 0 ? 1 : PAGE);

  proof_record u_record (clk, rst, s_valid, s_ready, s_data, taken, count);

  always @(posedge clk) begin
    asked_q    <= rst ? {READ{1'b0}} : {asked_q, next};
    expected_q <= {expected_q, taken[other], taken[first]};
    if (rst) {page_q, word_q, row_q} <= 24'd0;
    else if (next) begin
      word_q <= w_end ? 8'd0 : word_q + 1'b1;
      if (w_end) row_q <= p_end ? 8'd0 : row_q + 1'b1;
      if (p_end) page_q <= page_q + BEATS;
    end
  end

  always @* if (!rst && open) there: assert (page_q + BEATS <= count);
  always @* if (!rst && asked_q[READ-1]) words: assert (q == expected_q[READ*BANKS-1 -: BANKS]);

  proof_answer #(TIMES * PAGE) u_taken (clk, rst, s_valid && want, s_ready);
  proof_answer #(BEATS) u_opened (clk, rst, s_valid, open);
endmodule
