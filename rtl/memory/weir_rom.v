// weir_rom: read-only memory with a registered output, filled from a hex file at elaboration.
//
// Latency:   1 cycle from addr to q, taken only in cycles with en high; otherwise q holds.
// Interval:  1 cycle a word.
// State:     the read register; it has no reset, so that it packs into the memory block.
// Mapping:   STYLE "block": block RAM; "logic": LUTs; "auto": the synthesis tool chooses by size. One array declaration a
//            style, because an attribute cannot depend on a parameter.
// INIT names a $readmemh file of DEPTH words ending in a newline; the empty name leaves the memory undefined.
module weir_rom #(
  parameter integer WIDTH = 8,       // bits of a word
  parameter integer DEPTH = 2,       // words
  parameter         INIT  = "",      // hex file
  parameter         STYLE = "auto"   // "block", "logic" or "auto"
) (
  input  wire                                       clk,
  input  wire                                       en,
  input  wire [(DEPTH > 1 ? $clog2(DEPTH) : 1)-1:0] addr,
  output reg  [WIDTH-1:0]                           q
);
  generate
    if (WIDTH < 1) begin : g_check_width
      weir_rom_WIDTH_must_be_at_least_1 u_error ();
    end
    if (DEPTH < 1) begin : g_check_depth
      weir_rom_DEPTH_must_be_at_least_1 u_error ();
    end
    /* verilator lint_off WIDTH */ // strings of different lengths are compared
    if (STYLE == "block") begin : g_block
      (* rom_style = "block", ram_style = "block" *) reg [WIDTH-1:0] mem [0:DEPTH-1];
      initial if (INIT != "") $readmemh(INIT, mem);
      always @(posedge clk) if (en) q <= mem[addr];
    end else if (STYLE == "logic") begin : g_logic
      (* rom_style = "logic", ram_style = "logic" *) reg [WIDTH-1:0] mem [0:DEPTH-1];
      initial if (INIT != "") $readmemh(INIT, mem);
      always @(posedge clk) if (en) q <= mem[addr];
    end else if (STYLE == "auto") begin : g_auto
      reg [WIDTH-1:0] mem [0:DEPTH-1];
      initial if (INIT != "") $readmemh(INIT, mem);
      always @(posedge clk) if (en) q <= mem[addr];
    end else begin : g_check_style
      weir_rom_STYLE_must_be_block_logic_or_auto u_error ();
    end
    /* verilator lint_on WIDTH */
  endgenerate
endmodule
