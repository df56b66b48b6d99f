// weir_rom: read-only memory with a registered output, filled from a hex file at elaboration.
//
// Latency:   REGISTERED == 0 ? 1 : 2 cycles from addr to q, counting those with en high: the read register and the
//            output register after it (with REGISTERED) change in these only.
// Interval:  1 cycle a word.
// Clock:     rtl/README.md, Measured alone: weir_rom_source.
// State:     the read register and, if REGISTERED, the output register; neither has a reset, so they pack into the
//            memory block.
// Mapping:   STYLE "block": block RAM; "logic": LUTs; "auto": the synthesis tool chooses by size. Each style has its
//            own array declaration, because an attribute cannot depend on a parameter. Yosys reads ram_style, Vivado
//            rom_style, Quartus romstyle.
// INIT names a $readmemh file of DEPTH words ending in a newline; an empty name leaves the memory undefined.
`default_nettype none

module weir_rom #(
  parameter integer WIDTH      = 8,       // bits of a word
  parameter integer DEPTH      = 2,       // words
  parameter         INIT       = "",      // hex file
  parameter         STYLE      = "auto",  // "block", "logic" or "auto"
  parameter integer REGISTERED = 0        // 1: a register after the memory's own, for the clock
) (
  input  wire                                       clk,
  input  wire                                       en,
  input  wire [(DEPTH > 1 ? $clog2(DEPTH) : 1)-1:0] addr,
  output wire [WIDTH-1:0]                           q
);
  reg [WIDTH-1:0] word_q;

  generate
    if (WIDTH < 1) begin : g_check_width
      weir_rom_WIDTH_must_be_at_least_1 u_error ();
    end
    if (DEPTH < 1) begin : g_check_depth
      weir_rom_DEPTH_must_be_at_least_1 u_error ();
    end
    /* verilator lint_off WIDTH */ // strings of different lengths are compared
    if (STYLE != "block" && STYLE != "logic" && STYLE != "auto") begin : g_check_style
      weir_rom_STYLE_must_be_block_logic_or_auto u_error ();
    end
    if (STYLE == "block") begin : g_block
      (* ram_style = "block", rom_style = "block", romstyle = "M20K" *) reg [WIDTH-1:0] mem [0:DEPTH-1];
      initial if (INIT != "") $readmemh(INIT, mem);
      always @(posedge clk) if (en) word_q <= mem[addr];
    end else if (STYLE == "logic") begin : g_logic
      (* ram_style = "registers", rom_style = "distributed", romstyle = "logic" *) reg [WIDTH-1:0] mem [0:DEPTH-1];
      initial if (INIT != "") $readmemh(INIT, mem);
      always @(posedge clk) if (en) word_q <= mem[addr];
    end else begin : g_auto
      reg [WIDTH-1:0] mem [0:DEPTH-1];
      initial if (INIT != "") $readmemh(INIT, mem);
      always @(posedge clk) if (en) word_q <= mem[addr];
    end
    /* verilator lint_on WIDTH */
    if (REGISTERED != 0) begin : g_registered
      reg [WIDTH-1:0] output_q;
      always @(posedge clk) if (en) output_q <= word_q;
      assign q = output_q;
    end else begin : g_direct
      assign q = word_q;
    end
  endgenerate
endmodule

`default_nettype wire
