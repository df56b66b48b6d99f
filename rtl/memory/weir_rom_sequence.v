// weir_rom_sequence: the words of a ROM in turn, 0 to DEPTH - 1 and again from 0, each when it is asked for.
//
// Latency:   READ cycles from a cycle with next high to its word, which is valid for that cycle.
// Interval:  1 cycle a word.
// Clock:     rtl/README.md, Measured alone: weir_rom_sequence.
// State:     the address of the next word; READ registers of the ROM, without reset or enable.
// Mapping:   a counter and one weir_rom that always reads, so that no handshake reaches the memory; a single word is constant.
`default_nettype none

module weir_rom_sequence #(
  parameter integer WIDTH = 8,       // bits of a word
  parameter integer DEPTH = 2,       // words
  parameter         INIT  = "",      // hex file of DEPTH words
  parameter         STYLE = "auto",  // as in weir_rom
  parameter integer READ  = 1        // registers from the address to q
) (
  input  wire             clk,
  /* verilator lint_off UNUSEDSIGNAL */ // without use for a single word
  input  wire             rst,
  input  wire             next,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire [WIDTH-1:0] q
);
  localparam integer ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam integer TOP    = DEPTH - 1;

  generate
    if (WIDTH < 1 || DEPTH < 1 || READ < 1) begin : g_check
      weir_rom_sequence_WIDTH_DEPTH_and_READ_must_be_at_least_1 u_error ();
    end
  endgenerate

  wire [ADDR_W-1:0] addr;

  generate
    if (DEPTH == 1) begin : g_constant
      assign addr = 1'b0;

      weir_rom #(
        .WIDTH(WIDTH),
        .DEPTH(DEPTH),
        .INIT (INIT),
        .STYLE(STYLE)
      ) u_rom (
        .clk (clk),
        .en  (1'b1),
        .addr(addr),
        .q   (q)
      );
    end else begin : g_words
      reg  [ADDR_W-1:0] addr_q;
      wire [WIDTH-1:0]  word;

      assign addr = addr_q;

      always @(posedge clk)
        if (rst) addr_q <= {ADDR_W{1'b0}};
        else if (next) addr_q <= addr_q == TOP[ADDR_W-1:0] ? {ADDR_W{1'b0}} : addr_q + 1'b1;

      weir_rom #(
        .WIDTH     (WIDTH),
        .DEPTH     (DEPTH),
        .INIT      (INIT),
        .STYLE     (STYLE),
        .REGISTERED(READ > 1 ? 1 : 0)
      ) u_rom (
        .clk (clk),
        .en  (1'b1),
        .addr(addr),
        .q   (word)
      );

      if (READ > 2) begin : g_delay
        reg [(READ-2)*WIDTH-1:0] word_q;

        /* verilator lint_off WIDTH */ // the oldest word drops out
        always @(posedge clk) word_q <= {word_q, word};
        /* verilator lint_on WIDTH */
        assign q = word_q[(READ-2)*WIDTH-1 -: WIDTH];
      end else begin : g_direct
        assign q = word;
      end
    end
  endgenerate
endmodule

`default_nettype wire
