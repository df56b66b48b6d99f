// weir_board_memory_sequence: weir_rom_sequence, as it is where a board reads its parameter memories back, or writes
// them.
//
// Latency, interval, state: those of weir_rom_sequence, with a weir_board_memory.
// Mapping:   weir_rom_sequence_reader and one weir_board_memory.
`default_nettype none

module weir_board_memory_sequence #(
  parameter integer WIDTH    = 8,  // as weir_rom_sequence's
  parameter integer DEPTH    = 2,
  parameter         INIT     = "",
  parameter         STYLE    = "auto",
  parameter integer READ     = 1,
  parameter integer WORDS    = 1,
  parameter integer ODD      = 0,
  parameter integer LOADABLE = 0,  // 1: can be written
  parameter integer INDEX    = 0,  // as weir_board_memory_port's
  parameter integer SELECT_W = 1,
  parameter integer PLACE_W  = 1,
  parameter integer WORD_W   = 1
) (
  input  wire                                  clk,
  input  wire                                  rst,
  input  wire                                  next,
  output wire [WIDTH-1:0]                      q,
  input  wire [11+SELECT_W+PLACE_W+WORD_W-1:0] request,
  input  wire [9:0]                            s_answer,
  output wire [9:0]                            m_answer
);
  localparam integer LINES  = (DEPTH + WORDS - 1) / WORDS;
  localparam integer ADDR_W = LINES > 1 ? $clog2(LINES) : 1;
  localparam integer LINE_W = WORDS * (WIDTH - (ODD > 1 ? WIDTH / ODD : 0));

  wire [ADDR_W-1:0] addr;
  wire [LINE_W-1:0] line;

  weir_rom_sequence_reader #(
    .WIDTH(WIDTH),
    .DEPTH(DEPTH),
    .READ (READ),
    .WORDS(WORDS),
    .ODD  (ODD)
  ) u_reader (
    .clk     (clk),
    .rst     (rst),
    .next    (next),
    .q       (q),
    .rom_addr(addr),
    .rom_q   (line)
  );

  weir_board_memory #(
    .WIDTH     (LINE_W),
    .DEPTH     (LINES),
    .INIT      (INIT),
    .STYLE     (STYLE),
    .REGISTERED(READ > 1 && DEPTH > 1 ? 1 : 0),
    .LOADABLE  (LOADABLE),
    .INDEX     (INDEX),
    .SELECT_W  (SELECT_W),
    .PLACE_W   (PLACE_W),
    .WORD_W    (WORD_W)
  ) u_memory (
    .clk     (clk),
    .en      (1'b1),
    .addr    (addr),
    .q       (line),
    .request (request),
    .s_answer(s_answer),
    .m_answer(m_answer)
  );
endmodule

`default_nettype wire
