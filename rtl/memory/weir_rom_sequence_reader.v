// weir_rom_sequence_reader: weir_rom_sequence without its memory, which is an external weir_rom or one side of a
// weir_rom_pair.
//
// Latency:   READ cycles from a cycle with next high to its word, which is valid for that cycle.
// Interval:  1 cycle a word.
// Clock:     rtl/README.md, Measured alone: weir_rom_sequence.
// State:     the address of the next line and, with WORDS above 1, the positions in their lines of the next word and of
//            those in the memory's registers; READ - 2 registers of a word, without reset or enable.
// Invariant: the memory reads in each cycle, and has an output register if READ > 1 and DEPTH > 1.
// Mapping:   a counter, so no handshake reaches the memory; the multiplexer of a line's words is after the blocks'
//            output registers, not before.
`default_nettype none

module weir_rom_sequence_reader #(
  parameter integer WIDTH = 8,  // bits of a word
  parameter integer DEPTH = 2,  // words
  // registers from the address to q, those of the memory included; at least 3 with WORDS above 1
  parameter integer READ  = 1,
  parameter integer WORDS = 1,  // words a line of the memory, below DEPTH
  // 0, or bits of the fields of a word, which are odd numbers: the lowest bit of each is not stored
  parameter integer ODD   = 0
) (
  /* verilator lint_off UNUSEDSIGNAL */ // without use for a single word
  input  wire                                                                       clk,
  input  wire                                                                       rst,
  input  wire                                                                       next,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire [WIDTH-1:0]                                                           q,
  output wire [((DEPTH+WORDS-1)/WORDS > 1 ? $clog2((DEPTH+WORDS-1)/WORDS) : 1)-1:0] rom_addr,
  input  wire [WORDS*(WIDTH-(ODD > 1 ? WIDTH/ODD : 0))-1:0]                         rom_q
);
  localparam integer LINES  = (DEPTH + WORDS - 1) / WORDS;
  localparam integer ADDR_W = LINES > 1 ? $clog2(LINES) : 1;
  localparam integer TOP    = LINES - 1;
  localparam integer FIELDS = ODD > 1 ? WIDTH / ODD : 0;
  localparam integer STORED = WIDTH - FIELDS;

  generate
    if (WIDTH < 1 || DEPTH < 1 || READ < 1) begin : g_check
      weir_rom_sequence_WIDTH_DEPTH_and_READ_must_be_at_least_1 u_error ();
    end
    if (WORDS < 1 || (WORDS > 1 && (WORDS >= DEPTH || READ < 3))) begin : g_check_words
      weir_rom_sequence_WORDS_must_be_1_or_below_DEPTH_with_READ_at_least_3 u_error ();
    end
    if (ODD != 0 && (ODD < 2 || WIDTH % ODD != 0)) begin : g_check_odd
      weir_rom_sequence_ODD_must_be_0_or_above_1_and_divide_WIDTH u_error ();
    end
  endgenerate

  wire [STORED-1:0] stored;

  generate
    if (DEPTH == 1) begin : g_constant
      assign rom_addr = 1'b0;
      assign stored   = rom_q;
    end else begin : g_words
      reg  [ADDR_W-1:0] addr_q;
      wire              line_end;  // the line's last word is asked for
      wire [STORED-1:0] word;

      assign rom_addr = addr_q;

      always @(posedge clk)
        if (rst) addr_q <= {ADDR_W{1'b0}};
        else if (next && line_end) addr_q <= addr_q == TOP[ADDR_W-1:0] ? {ADDR_W{1'b0}} : addr_q + 1'b1;

      if (WORDS == 1) begin : g_word
        assign line_end = 1'b1;
        assign word     = rom_q;
      end else begin : g_side
        localparam integer PLACE_W = $clog2(WORDS);
        localparam integer LAST    = WORDS - 1;
        localparam integer TOP_LAST = DEPTH - TOP * WORDS - 1;  // of the last line, which may have fewer

        reg [PLACE_W-1:0] place_q, read_q, output_q;  // of the next word, of those in the ROM's registers

        assign line_end = place_q == LAST[PLACE_W-1:0] || (addr_q == TOP[ADDR_W-1:0] && place_q == TOP_LAST[PLACE_W-1:0]);
        assign word     = rom_q[output_q*STORED +: STORED];

        always @(posedge clk) begin
          if (rst) place_q <= {PLACE_W{1'b0}};
          else if (next) place_q <= line_end ? {PLACE_W{1'b0}} : place_q + 1'b1;
          read_q   <= place_q;
          output_q <= read_q;
        end
      end

      if (READ > 2) begin : g_delay
        reg [(READ-2)*STORED-1:0] word_q;

        /* verilator lint_off WIDTH */ // the oldest word drops out
        always @(posedge clk) word_q <= {word_q, word};
        /* verilator lint_on WIDTH */
        assign stored = word_q[(READ-2)*STORED-1 -: STORED];
      end else begin : g_direct
        assign stored = word;
      end
    end

    if (ODD == 0) begin : g_whole
      assign q = stored;
    end else if (FIELDS <= 1024) begin : g_odd
      genvar f;
      for (f = 0; f < FIELDS; f = f + 1) begin : g_field
        assign q[f*ODD +: ODD] = {stored[f*(ODD-1) +: ODD-1], 1'b1};
      end
    end else begin : g_many_odd  // more than tools generate
      reg [WIDTH-1:0] whole;
      integer         f;
      always @*
        for (f = 0; f < FIELDS; f = f + 1) whole[f*ODD +: ODD] = {stored[f*(ODD-1) +: ODD-1], 1'b1};
      assign q = whole;
    end
  endgenerate
endmodule

`default_nettype wire
