// weir_rom_source: endless stream of the words of a ROM, 0 to DEPTH - 1 and again from 0 (weights, parameter words).
//
// Latency:   2 cycles from reset to the first word.
// Interval:  1 cycle a word.
// State:     the next address and whether the ROM's read register holds a word that has not been taken.
// Mapping:   a counter and one weir_rom; m_ready reaches the ROM's read enable combinationally.
module weir_rom_source #(
  parameter integer WIDTH = 8,       // bits of a word
  parameter integer DEPTH = 2,       // words
  parameter         INIT  = "",      // hex file of DEPTH words
  parameter         STYLE = "auto"   // as in weir_rom
) (
  input  wire             clk,
  input  wire             rst,
  output wire             m_valid,
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data
);
  localparam integer ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam integer TOP = DEPTH - 1;

  generate
    if (WIDTH < 1 || DEPTH < 1) begin : g_check
      weir_rom_source_WIDTH_and_DEPTH_must_be_at_least_1 u_error ();
    end
  endgenerate

  reg               valid_q;
  reg  [ADDR_W-1:0] addr_q;
  wire              fetch = m_ready || !valid_q;

  assign m_valid = valid_q;

  always @(posedge clk)
    if (rst) begin
      valid_q <= 1'b0;
      addr_q  <= {ADDR_W{1'b0}};
    end else if (fetch) begin
      valid_q <= 1'b1;
      addr_q  <= addr_q == TOP[ADDR_W-1:0] ? {ADDR_W{1'b0}} : addr_q + 1'b1;
    end

  weir_rom #(
    .WIDTH(WIDTH),
    .DEPTH(DEPTH),
    .INIT (INIT),
    .STYLE(STYLE)
  ) u_rom (
    .clk (clk),
    .en  (fetch && !rst),
    .addr(addr_q),
    .q   (m_data)
  );
endmodule
