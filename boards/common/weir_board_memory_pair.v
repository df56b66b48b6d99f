// weir_board_memory_pair: weir_rom_pair, as it is where a board reads its parameter memories back.
//
// Latency, interval, state: those of weir_rom_pair, and two weir_board_memory_port. While the request says serve, each
// port reads the request's word of its memory.
// Mapping:   weir_rom_pair, with a lookup table a bit of either address before it.
`default_nettype none

module weir_board_memory_pair #(
  parameter integer A_WIDTH      = 8,   // as weir_rom_pair's
  parameter integer A_DEPTH      = 2,
  parameter         A_INIT       = "",
  parameter integer A_REGISTERED = 0,
  parameter integer B_WIDTH      = 8,
  parameter integer B_DEPTH      = 2,
  parameter         B_INIT       = "",
  parameter integer B_REGISTERED = 0,
  parameter integer A_INDEX      = 0,   // as weir_board_memory_port's
  parameter integer B_INDEX      = 1,
  parameter integer SELECT_W     = 1,
  parameter integer PLACE_W      = 1,
  parameter integer WORD_W       = 1
) (
  input  wire                                           clk,
  input  wire                                           a_en,
  input  wire [(A_DEPTH > 1 ? $clog2(A_DEPTH) : 1)-1:0] a_addr,
  output wire [A_WIDTH-1:0]                             a_q,
  input  wire                                           b_en,
  input  wire [(B_DEPTH > 1 ? $clog2(B_DEPTH) : 1)-1:0] b_addr,
  output wire [B_WIDTH-1:0]                             b_q,
  input  wire [11+SELECT_W+PLACE_W+WORD_W-1:0]          request,
  input  wire [9:0]                                     s_answer,
  output wire [9:0]                                     m_answer
);
  localparam integer A_ADDR_W = A_DEPTH > 1 ? $clog2(A_DEPTH) : 1;
  localparam integer B_ADDR_W = B_DEPTH > 1 ? $clog2(B_DEPTH) : 1;

  generate
    if (A_ADDR_W > WORD_W || B_ADDR_W > WORD_W) begin : g_check
      weir_board_memory_pair_DEPTH_must_be_words_of_WORD_W_bits u_error ();
    end
  endgenerate

  wire               serve;
  wire [9:0]         answer;
  wire [WORD_W-1:0]  word;
  wire               also_serve, a_write, b_write;
  wire [WORD_W-1:0]  also_word;
  wire [PLACE_W-1:0] a_place, b_place;
  wire [7:0]         a_data, b_data;
  // nothing is written here
  wire               unused = &{1'b0, word, also_serve, also_word, a_write, b_write, a_place, b_place, a_data, b_data};

  weir_board_memory_port #(
    .WIDTH   (A_WIDTH),
    .INDEX   (A_INDEX),
    .SELECT_W(SELECT_W),
    .PLACE_W (PLACE_W),
    .WORD_W  (WORD_W)
  ) u_a_port (
    .clk     (clk),
    .request (request),
    .s_answer(s_answer),
    .m_answer(answer),
    .q       (a_q),
    .serve   (serve),
    .word    (word),
    .place   (a_place),
    .write   (a_write),
    .data    (a_data)
  );

  weir_board_memory_port #(
    .WIDTH   (B_WIDTH),
    .INDEX   (B_INDEX),
    .SELECT_W(SELECT_W),
    .PLACE_W (PLACE_W),
    .WORD_W  (WORD_W)
  ) u_b_port (
    .clk     (clk),
    .request (request),
    .s_answer(answer),
    .m_answer(m_answer),
    .q       (b_q),
    .serve   (also_serve),
    .word    (also_word),
    .place   (b_place),
    .write   (b_write),
    .data    (b_data)
  );

  weir_rom_pair #(
    .A_WIDTH     (A_WIDTH),
    .A_DEPTH     (A_DEPTH),
    .A_INIT      (A_INIT),
    .A_REGISTERED(A_REGISTERED),
    .B_WIDTH     (B_WIDTH),
    .B_DEPTH     (B_DEPTH),
    .B_INIT      (B_INIT),
    .B_REGISTERED(B_REGISTERED)
  ) u_pair (
    .clk   (clk),
    .a_en  (a_en || serve),
    .a_addr(serve ? word[A_ADDR_W-1:0] : a_addr),
    .a_q   (a_q),
    .b_en  (b_en || serve),
    .b_addr(serve ? word[B_ADDR_W-1:0] : b_addr),
    .b_q   (b_q)
  );
endmodule

`default_nettype wire
