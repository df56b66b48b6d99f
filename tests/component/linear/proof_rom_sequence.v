// The words of a ROM that holds 0, 1, 2, ..., each READ cycles after it is asked for; also as odd numbers of three
// bits, of which two are stored.
// sources: memory/weir_rom_sequence.v memory/weir_rom_sequence_reader.v
// with: memory/weir_rom.v
// prove: unbounded DEPTH=1 LOGIC=0 READ=1
// prove: unbounded DEPTH=2 LOGIC=1 READ=1
// prove: unbounded DEPTH=5 LOGIC=0 READ=2
// prove: unbounded DEPTH=8 LOGIC=1 READ=4
// prove: unbounded DEPTH=5 LOGIC=0 READ=3 WORDS=2
// prove: unbounded DEPTH=8 LOGIC=0 READ=4 WORDS=3
// prove: unbounded DEPTH=8 LOGIC=0 READ=2 ODD=3
// nightly: unbounded DEPTH=32 LOGIC=0 READ=3
// planted: nightly
module proof #(
  parameter integer DEPTH = 2,
  parameter integer LOGIC = 0,
  parameter integer READ  = 1,
  parameter integer WORDS = 1,
  parameter integer ODD   = 0
) (
  input wire clk,
  input wire next
);
  localparam integer WIDTH = ODD != 0 ? 6 : 5;
  localparam [WIDTH-1:0] TOP = DEPTH - 1;

  wire                  rst;
  wire [WIDTH-1:0]      q;
  reg  [WIDTH-1:0]      index_q;
  wire [WIDTH-1:0]      word = ODD != 0 ? {index_q[3:2], 1'b1, index_q[1:0], 1'b1} : index_q;
  reg  [READ-1:0]       asked_q;    // bit i: i + 1 cycles ago
  reg  [READ*WIDTH-1:0] words_q;    // these words

  weir_rom_sequence #(
    .WIDTH(WIDTH),
    .DEPTH(DEPTH),
    .INIT (WORDS == 2 ? "count_05_by_2.hex" : WORDS == 3 ? "count_08_by_3.hex" : DEPTH == 1 ? "count_01.hex" : DEPTH == 2 ? "count_02.hex" : DEPTH == 5 ? "count_05.hex" :
           DEPTH == 8 ? "count_08.hex" : "count_32.hex"),
    .STYLE(LOGIC != 0 ? "logic" : "block"),
    .READ (READ),
    .WORDS(WORDS),
    .ODD  (ODD)
  ) u_dut (.*);

  always @(posedge clk) begin
    words_q <= {words_q, word};
    if (rst) begin
      index_q <= {WIDTH{1'b0}};
      asked_q <= {READ{1'b0}};
    end else begin
      asked_q <= {asked_q, next};
      if (next) index_q <= index_q == TOP ? {WIDTH{1'b0}} : index_q + 1'b1;
    end
  end

  proof_reset u_reset (clk, rst);
  proof_equal #(WIDTH) u_equal (rst, asked_q[READ-1], q, words_q[READ*WIDTH-1 -: WIDTH]);
endmodule
