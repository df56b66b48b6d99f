// weir_rom_pair: two read-only memories that share memory blocks, each with its own read port, as if they were two
// weir_rom.
//
// Latency:   A_REGISTERED == 0 ? 1 : 2 cycles from a_addr to a_q, counting those with a_en high; for b likewise with
//            B_REGISTERED and b_en.
// Interval:  1 cycle a word, for each memory independently of the other.
// Clock:     rtl/README.md, Measured alone: weir_rom_pair.
// State:     for each port its read register and, if it is REGISTERED, its output register; without reset, so they pack
//            into the memory blocks.
// Mapping:   one array, as wide as the wider memory, in block RAM with two read ports: a port's word is half as wide as
//            the widest of a block. The words of B follow those of A from the next multiple of a power of two, so the
//            upper bits of their addresses are constant and need no logic. Useful only on devices whose blocks have two
//            read ports; others need twice the blocks.
// A_INIT and B_INIT name $readmemh files of A_DEPTH and B_DEPTH words, as for weir_rom.
`default_nettype none

module weir_rom_pair #(
  parameter integer A_WIDTH      = 8,   // bits of a word
  parameter integer A_DEPTH      = 2,   // words
  parameter         A_INIT       = "",  // hex file
  parameter integer A_REGISTERED = 0,   // 1: a register after the memory's own, for the clock
  parameter integer B_WIDTH      = 8,
  parameter integer B_DEPTH      = 2,
  parameter         B_INIT       = "",
  parameter integer B_REGISTERED = 0
) (
  input  wire                                           clk,
  input  wire                                           a_en,
  input  wire [(A_DEPTH > 1 ? $clog2(A_DEPTH) : 1)-1:0] a_addr,
  output wire [A_WIDTH-1:0]                             a_q,
  input  wire                                           b_en,
  input  wire [(B_DEPTH > 1 ? $clog2(B_DEPTH) : 1)-1:0] b_addr,
  output wire [B_WIDTH-1:0]                             b_q
);
  localparam integer WIDTH    = A_WIDTH > B_WIDTH ? A_WIDTH : B_WIDTH;
  localparam integer B_ADDR_W = B_DEPTH > 1 ? $clog2(B_DEPTH) : 1;
  localparam integer B_PAGE   = (A_DEPTH + (1 << B_ADDR_W) - 1) >> B_ADDR_W;  // upper bits of B's addresses
  localparam integer B_FIRST  = B_PAGE << B_ADDR_W;
  localparam integer DEPTH    = B_FIRST + B_DEPTH;
  localparam integer PAGE_W   = $clog2(DEPTH) - B_ADDR_W;

  (* ram_style = "block", rom_style = "block", romstyle = "M20K" *) reg [WIDTH-1:0] mem [0:DEPTH-1];
  reg [A_WIDTH-1:0] a_word_q;
  reg [B_WIDTH-1:0] b_word_q;

  generate
    if (A_WIDTH < 1 || B_WIDTH < 1) begin : g_check_width
      weir_rom_pair_A_WIDTH_and_B_WIDTH_must_be_at_least_1 u_error ();
    end
    if (A_DEPTH < 1 || B_DEPTH < 1) begin : g_check_depth
      weir_rom_pair_A_DEPTH_and_B_DEPTH_must_be_at_least_1 u_error ();
    end
  endgenerate

  /* verilator lint_off WIDTH */ // strings of different lengths are compared; an address of A has fewer bits; a word of one is narrower
  initial begin
    if (A_INIT != "") $readmemh(A_INIT, mem, 0, A_DEPTH - 1);
    if (B_INIT != "") $readmemh(B_INIT, mem, B_FIRST, DEPTH - 1);
  end

  always @(posedge clk) if (a_en) a_word_q <= mem[a_addr];
  always @(posedge clk) if (b_en) b_word_q <= mem[{B_PAGE[PAGE_W-1:0], b_addr}];
  /* verilator lint_on WIDTH */

  generate
    if (A_REGISTERED != 0) begin : g_a_registered
      reg [A_WIDTH-1:0] output_q;
      always @(posedge clk) if (a_en) output_q <= a_word_q;
      assign a_q = output_q;
    end else begin : g_a_direct
      assign a_q = a_word_q;
    end
    if (B_REGISTERED != 0) begin : g_b_registered
      reg [B_WIDTH-1:0] output_q;
      always @(posedge clk) if (b_en) output_q <= b_word_q;
      assign b_q = output_q;
    end else begin : g_b_direct
      assign b_q = b_word_q;
    end
  endgenerate
endmodule

`default_nettype wire
