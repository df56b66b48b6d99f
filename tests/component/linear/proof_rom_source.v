// The words of a ROM that holds 0, 1, 2, ..., in turn, whatever is read ahead.
// sources: memory/weir_rom_source.v memory/weir_rom_source_reader.v memory/weir_rom.v
// prove: unbounded DEPTH=1 LOGIC=0 INTERVAL=1
// prove: unbounded DEPTH=2 LOGIC=1 INTERVAL=1
// prove: unbounded DEPTH=5 LOGIC=1 INTERVAL=1
// prove: unbounded DEPTH=5 LOGIC=1 INTERVAL=2
// prove: unbounded DEPTH=5 LOGIC=0 INTERVAL=1
// prove: unbounded DEPTH=8 LOGIC=0 INTERVAL=3
// prove: unbounded DEPTH=5 LOGIC=0 INTERVAL=1 REGISTERED=1
// nightly: unbounded DEPTH=32 LOGIC=0 INTERVAL=1
// planted: nightly
module proof #(
  parameter integer DEPTH    = 2,
  parameter integer LOGIC    = 0,
  parameter integer INTERVAL = 1,
  parameter integer REGISTERED = 0
) (
  input wire clk,
  input wire m_ready
);
  localparam integer WIDTH = 5;
  localparam [WIDTH-1:0] TOP = DEPTH - 1;

  wire             rst, m_valid;
  wire [WIDTH-1:0] m_data;
  reg  [WIDTH-1:0] index_q;
  reg              begun_q;

  weir_rom_source #(
    .WIDTH   (WIDTH),
    .DEPTH   (DEPTH),
    .INIT    (DEPTH == 1 ? "count_01.hex" : DEPTH == 2 ? "count_02.hex" : DEPTH == 5 ? "count_05.hex" :
              DEPTH == 8 ? "count_08.hex" : "count_32.hex"),
    .STYLE   (LOGIC != 0 ? "logic" : "block"),
    .INTERVAL(INTERVAL),
    .REGISTERED(REGISTERED)
  ) u_dut (.*);

  always @(posedge clk)
    if (rst) begin
      index_q <= {WIDTH{1'b0}};
      begun_q <= 1'b0;
    end else begin
      if (m_valid) begun_q <= 1'b1;
      if (m_valid && m_ready) index_q <= index_q == TOP ? {WIDTH{1'b0}} : index_q + 1'b1;
    end

  proof_reset u_reset (clk, rst);
  proof_hold #(WIDTH) u_hold (clk, rst, m_valid, m_ready, m_data);
  proof_equal #(WIDTH) u_equal (rst, m_valid, m_data, index_q);
  proof_answer #(2 + REGISTERED) u_begins (clk, rst, 1'b1, m_valid);
  proof_answer #(DEPTH == 1 || INTERVAL == 1 ? 0 : 1) u_goes_on (clk, rst, begun_q, m_valid);
endmodule
