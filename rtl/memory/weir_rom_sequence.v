// weir_rom_sequence: the words of a ROM in order, 0 to DEPTH - 1 and again from 0, each on request.
//
// Latency:   READ cycles from a cycle with next high to its word, which is valid for that cycle.
// Interval:  1 cycle a word.
// Clock:     rtl/README.md, Measured alone: weir_rom_sequence.
// State:     that of weir_rom_sequence_reader; READ registers of a word, including those of the ROM, without reset or
//            enable.
// Mapping:   weir_rom_sequence_reader and one weir_rom that always reads; a single word is constant. Where the memory
//            is deeper than a block, a line of the ROM holds WORDS words, the first in the low bits. Weights of 1 and
//            -1 are stored as their signs (ODD = 2).
`default_nettype none

module weir_rom_sequence #(
  parameter integer WIDTH = 8,       // bits of a word
  parameter integer DEPTH = 2,       // words
  parameter         INIT  = "",      // hex file of ceil(DEPTH / WORDS) lines, of what is stored
  parameter         STYLE = "auto",  // as in weir_rom
  parameter integer READ  = 1,       // registers from the address to q; at least 3 with WORDS above 1
  parameter integer WORDS = 1,       // words a line of the ROM, below DEPTH
  // 0, or bits of the fields of a word, which are odd numbers: the lowest bit of each is not stored
  parameter integer ODD   = 0
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             next,
  output wire [WIDTH-1:0] q
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

  weir_rom #(
    .WIDTH     (LINE_W),
    .DEPTH     (LINES),
    .INIT      (INIT),
    .STYLE     (STYLE),
    .REGISTERED(READ > 1 && DEPTH > 1 ? 1 : 0)
  ) u_rom (
    .clk (clk),
    .en  (1'b1),
    .addr(addr),
    .q   (line)
  );
endmodule

`default_nettype wire
