// weir_ram as proofs of its users see it: one word at a free address is kept, any other reads as anything, so that the
// size of the memory costs nothing. A proof about the marked beat assumes that this is the word it is written to; as
// the address is free, that loses no case. What users promise is asserted: the word being written is not read.
// proof_ram.v shows that weir_ram does what is said here.
module weir_ram #(
  parameter integer WIDTH = 8,
  parameter integer DEPTH = 2
) (
  input  wire                                       clk, we,
  input  wire [(DEPTH > 1 ? $clog2(DEPTH) : 1)-1:0] waddr,
  input  wire [WIDTH-1:0]                           wdata,
  input  wire                                       re,
  input  wire [(DEPTH > 1 ? $clog2(DEPTH) : 1)-1:0] raddr,
  output reg  [WIDTH-1:0]                           q
);
  localparam integer ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam [ADDR_W:0] WORDS = DEPTH;

  (* anyconst *) wire [ADDR_W-1:0] watched;
  (* anyseq *)   wire [WIDTH-1:0]  other;
  reg [WIDTH-1:0] word_q;
  reg             started_q = 1'b0;  // users have been reset

  always @(posedge clk) started_q <= 1'b1;

  always @(posedge clk) begin
    if (we && waddr == watched) word_q <= wdata;
    if (re) q <= raddr == watched ? word_q : other;
  end

  always @* if (started_q) begin
    if (we) write_in_memory: assert (waddr < WORDS);
    if (re) read_in_memory: assert (raddr < WORDS);
    if (we && re) no_collision: assert (waddr != raddr);
  end
endmodule
