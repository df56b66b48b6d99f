// Two ROMs in one array, one of 0, 1, 2, ... and one of three wider words: each gives its word for every address that
// it has, after the registers that it has, moving when it is enabled, whatever the other one does.
// sources: memory/weir_rom_pair.v
// prove: unbounded A_DEPTH=5 A_REGISTERED=0 B_REGISTERED=1
// prove: unbounded A_DEPTH=2 A_REGISTERED=1 B_REGISTERED=0
// prove: unbounded A_DEPTH=1 A_REGISTERED=0 B_REGISTERED=0
// nightly: unbounded A_DEPTH=32 A_REGISTERED=1 B_REGISTERED=1

// What a side gives: the word of the address that was there one or two cycles with `en` ago.
module proof_side #(
  parameter integer WIDTH      = 1,
  parameter integer REGISTERED = 0
) (
  input wire             clk, rst, en,
  input wire             known,  // the address has a word
  input wire [WIDTH-1:0] word, q
);
  reg             read_q, output_q;
  reg [WIDTH-1:0] word_q, output_word_q;

  always @(posedge clk)
    if (rst) begin
      read_q   <= 1'b0;
      output_q <= 1'b0;
    end else if (en) begin
      read_q        <= known;
      word_q        <= word;
      output_q      <= read_q;
      output_word_q <= word_q;
    end

  proof_equal #(WIDTH) u_equal (rst, REGISTERED != 0 ? output_q : read_q, q, REGISTERED != 0 ? output_word_q : word_q);
endmodule

module proof #(
  parameter integer A_DEPTH      = 2,
  parameter integer A_REGISTERED = 0,
  parameter integer B_REGISTERED = 0
) (
  input wire                                           clk, a_en,
  input wire [(A_DEPTH > 1 ? $clog2(A_DEPTH) : 1)-1:0] a_addr,
  input wire                                           b_en,
  input wire [1:0]                                     b_addr
);
  localparam integer A_WIDTH = 5, B_WIDTH = 15, B_DEPTH = 3;

  wire               rst;
  wire [A_WIDTH-1:0] a_q;
  wire [B_WIDTH-1:0] b_q;
  wire [B_WIDTH-1:0] b_word = b_addr == 2'd0 ? {5'd2, 5'd1, 5'd0} : b_addr == 2'd1 ? {5'd5, 5'd4, 5'd3} : {5'd0, 5'd7, 5'd6};

  weir_rom_pair #(
    .A_WIDTH     (A_WIDTH),
    .A_DEPTH     (A_DEPTH),
    .A_INIT      (A_DEPTH == 1 ? "count_01.hex" : A_DEPTH == 2 ? "count_02.hex" : A_DEPTH == 5 ? "count_05.hex" : "count_32.hex"),
    .A_REGISTERED(A_REGISTERED),
    .B_WIDTH     (B_WIDTH),
    .B_DEPTH     (B_DEPTH),
    .B_INIT      ("count_08_by_3.hex"),
    .B_REGISTERED(B_REGISTERED)
  ) u_dut (.*);

  proof_reset u_reset (clk, rst);
  proof_side #(A_WIDTH, A_REGISTERED) u_a (clk, rst, a_en, a_addr < A_DEPTH, a_addr, a_q);
  proof_side #(B_WIDTH, B_REGISTERED) u_b (clk, rst, b_en, b_addr < B_DEPTH, b_word, b_q);
endmodule
