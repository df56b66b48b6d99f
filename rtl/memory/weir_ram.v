// weir_ram: memory with one write port and one read port on the same clock.
//
// Latency:   1 cycle from raddr to q, counting those with re high only; otherwise q holds.
// Interval:  1 cycle a word, for writing and for reading.
// Clock:     rtl/README.md, Measured alone: weir_fifo.
// State:     the words and the read register; neither has a reset.
// Contract:  the word being written is never read in the same cycle (its value would be undefined): the users' pointers
//            exclude it, and no_rw_check avoids the bypass logic.
// Mapping:   block RAM.
`default_nettype none

module weir_ram #(
  parameter integer WIDTH = 8,  // bits of a word
  parameter integer DEPTH = 2   // words
) (
  input  wire                                       clk,
  input  wire                                       we,
  input  wire [(DEPTH > 1 ? $clog2(DEPTH) : 1)-1:0] waddr,
  input  wire [WIDTH-1:0]                           wdata,
  input  wire                                       re,
  input  wire [(DEPTH > 1 ? $clog2(DEPTH) : 1)-1:0] raddr,
  output reg  [WIDTH-1:0]                           q
);
  generate
    if (WIDTH < 1 || DEPTH < 1) begin : g_check
      weir_ram_WIDTH_and_DEPTH_must_be_at_least_1 u_error ();
    end
  endgenerate

  (* ram_style = "block", no_rw_check *) reg [WIDTH-1:0] mem [0:DEPTH-1];

  always @(posedge clk) begin
    if (we) mem[waddr] <= wdata;
    if (re) q <= mem[raddr];
  end
endmodule

`default_nettype wire
