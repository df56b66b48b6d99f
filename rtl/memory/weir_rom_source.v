// weir_rom_source: endless stream of the words of a ROM, 0 to DEPTH - 1 and again from 0 (weights, parameter words).
//
// Latency:   3 + REGISTERED cycles from reset to the first word.
// Interval:  DEPTH == 1 ? 1 : min(INTERVAL, 2) cycles a word.
// Clock:     rtl/README.md, Measured alone: weir_rom_source.
// State:     that of weir_rom_source_reader, and the ROM's registers.
// Invariant: m_valid and m_data hold until a word is accepted; words leave in order, each once.
// Mapping:   weir_rom_source_reader and one weir_rom, which reads ahead. A single word is a constant.
`default_nettype none

module weir_rom_source #(
  parameter integer WIDTH      = 8,       // bits of a word
  parameter integer DEPTH      = 2,       // words
  parameter         INIT       = "",      // hex file of DEPTH words
  parameter         STYLE      = "auto",  // as in weir_rom
  parameter integer INTERVAL   = 1,       // cycles a word that the consumer needs at least: 1, or 2 for any more
  parameter integer REGISTERED = 0        // 1: a register after the ROM's own, for the clock
) (
  input  wire             clk,
  input  wire             rst,
  output wire             m_valid,
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data
);
  localparam integer ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;

  wire              en;
  wire [ADDR_W-1:0] addr;
  wire [WIDTH-1:0]  word;

  weir_rom_source_reader #(
    .WIDTH     (WIDTH),
    .DEPTH     (DEPTH),
    .STYLE     (STYLE),
    .INTERVAL  (INTERVAL),
    .REGISTERED(REGISTERED)
  ) u_reader (
    .clk     (clk),
    .rst     (rst),
    .m_valid (m_valid),
    .m_ready (m_ready),
    .m_data  (m_data),
    .rom_en  (en),
    .rom_addr(addr),
    .rom_q   (word)
  );

  weir_rom #(
    .WIDTH     (WIDTH),
    .DEPTH     (DEPTH),
    .INIT      (INIT),
    .STYLE     (STYLE),
    .REGISTERED(REGISTERED)
  ) u_rom (
    .clk (clk),
    .en  (en),
    .addr(addr),
    .q   (word)
  );
endmodule

`default_nettype wire
