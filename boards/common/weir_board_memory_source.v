// weir_board_memory_source: weir_rom_source, as it is where a board reads its parameter memories back, or writes them.
//
// Latency, interval, state: those of weir_rom_source, with a weir_board_memory.
// Mapping:   weir_rom_source_reader and one weir_board_memory.
`default_nettype none

module weir_board_memory_source #(
  parameter integer WIDTH      = 8,  // as weir_rom_source's
  parameter integer DEPTH      = 2,
  parameter         INIT       = "",
  parameter         STYLE      = "auto",
  parameter integer INTERVAL   = 1,
  parameter integer REGISTERED = 0,
  parameter integer LOADABLE   = 0,  // 1: can be written
  parameter integer INDEX      = 0,  // as weir_board_memory_port's
  parameter integer SELECT_W   = 1,
  parameter integer PLACE_W    = 1,
  parameter integer WORD_W     = 1
) (
  input  wire                                  clk,
  input  wire                                  rst,
  output wire                                  m_valid,
  input  wire                                  m_ready,
  output wire [WIDTH-1:0]                      m_data,
  input  wire [11+SELECT_W+PLACE_W+WORD_W-1:0] request,
  input  wire [9:0]                            s_answer,
  output wire [9:0]                            m_answer
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

  weir_board_memory #(
    .WIDTH     (WIDTH),
    .DEPTH     (DEPTH),
    .INIT      (INIT),
    .STYLE     (STYLE),
    .REGISTERED(REGISTERED),
    .LOADABLE  (LOADABLE),
    .INDEX     (INDEX),
    .SELECT_W  (SELECT_W),
    .PLACE_W   (PLACE_W),
    .WORD_W    (WORD_W)
  ) u_memory (
    .clk     (clk),
    .en      (en),
    .addr    (addr),
    .q       (word),
    .request (request),
    .s_answer(s_answer),
    .m_answer(m_answer)
  );
endmodule

`default_nettype wire
