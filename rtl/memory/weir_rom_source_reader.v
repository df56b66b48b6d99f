// weir_rom_source_reader: weir_rom_source without its memory, which is an external weir_rom or one side of a
// weir_rom_pair.
//
// Latency:   3 + REGISTERED cycles from reset to the first word.
// Interval:  DEPTH == 1 ? 1 : min(INTERVAL, 2) cycles a word.
// Clock:     rtl/README.md, Measured alone: weir_rom_source.
// State:     the next address; words read ahead, beyond the memory's registers: one word register with INTERVAL 2 (the
//            memory's own with STYLE "logic"), two with INTERVAL 1; none with INTERVAL 1 of STYLE "logic" or for a
//            single word.
// Invariant: m_valid and m_data hold until a word is accepted; words leave in order, each once. The memory has an
//            output register if REGISTERED.
// Mapping:   a counter; m_ready reaches neither a memory block's enable nor its address, and m_data comes from
//            flip-flops, through a multiplexer where there are two word registers.
`default_nettype none

module weir_rom_source_reader #(
  parameter integer WIDTH      = 8,       // bits of a word
  parameter integer DEPTH      = 2,       // words
  parameter         STYLE      = "auto",  // of the memory, as in weir_rom
  parameter integer INTERVAL   = 1,       // cycles a word that the consumer needs at least: 1, or 2 for any more
  parameter integer REGISTERED = 0        // 1: the memory has a register after its own, for the clock
) (
  input  wire                                       clk,
  input  wire                                       rst,
  output wire                                       m_valid,
  input  wire                                       m_ready,
  output wire [WIDTH-1:0]                           m_data,
  output wire                                       rom_en,
  output wire [(DEPTH > 1 ? $clog2(DEPTH) : 1)-1:0] rom_addr,
  input  wire [WIDTH-1:0]                           rom_q
);
  localparam integer ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam integer TOP = DEPTH - 1;

  generate
    if (WIDTH < 1 || DEPTH < 1) begin : g_check
      weir_rom_source_WIDTH_and_DEPTH_must_be_at_least_1 u_error ();
    end
    if (INTERVAL < 1) begin : g_check_interval
      weir_rom_source_INTERVAL_must_be_at_least_1 u_error ();
    end
    /* verilator lint_off WIDTH */ // strings of different lengths are compared
    if (REGISTERED != 0 && (REGISTERED != 1 || DEPTH == 1 || INTERVAL > 1 || STYLE == "logic")) begin : g_check_registered
      weir_rom_source_REGISTERED_must_be_0_but_for_blocks_of_words_at_INTERVAL_1 u_error ();
    end
    /* verilator lint_on WIDTH */
  endgenerate

  reg  [ADDR_W-1:0] addr_q;
  wire              next;  // the address moves on
  /* verilator lint_off UNUSEDSIGNAL */ // two word registers need no start
  reg               start_q;
  /* verilator lint_on UNUSEDSIGNAL */

  assign rom_addr = addr_q;

  always @(posedge clk) begin
    start_q <= rst;
    if (rst) addr_q <= {ADDR_W{1'b0}};
    else if (next) addr_q <= addr_q == TOP[ADDR_W-1:0] ? {ADDR_W{1'b0}} : addr_q + 1'b1;
  end

  generate
    /* verilator lint_off WIDTH */ // strings of different lengths are compared
    if (DEPTH == 1) begin : g_constant
      reg valid_q;

      /* verilator lint_off UNUSEDSIGNAL */ // it never changes
      wire unused_ready = m_ready;
      /* verilator lint_on UNUSEDSIGNAL */

      assign rom_en  = 1'b1;
      assign next    = 1'b0;
      assign m_valid = valid_q;
      assign m_data  = rom_q;

      always @(posedge clk) valid_q <= !rst && !start_q;
    end else if (STYLE == "logic" && INTERVAL == 1) begin : g_logic
      reg valid_q;

      assign rom_en  = !start_q && (m_ready || !valid_q);
      assign next    = rom_en;
      assign m_valid = valid_q;
      assign m_data  = rom_q;

      always @(posedge clk)
        if (rst) valid_q <= 1'b0;
        else if (rom_en) valid_q <= 1'b1;
    end else if (STYLE == "logic") begin : g_logic_slow
      // The cycle after a word is taken loads the next one.
      reg valid_q, load_q;

      assign rom_en  = load_q;
      assign next    = load_q;
      assign m_valid = valid_q;
      assign m_data  = rom_q;

      always @(posedge clk)
        if (rst) begin
          valid_q <= 1'b0;
          load_q  <= 1'b0;
        end else begin
          valid_q <= load_q || (valid_q && !m_ready);
          load_q  <= start_q || (valid_q && m_ready);
        end
    end else if (INTERVAL == 1) begin : g_pair
      // Two registers in turn take what the ROM has read; it stalls while both are full.
      reg  [REGISTERED:0] read_q;  // bit i: register i of the ROM holds a word
      reg                 write_q, from_q;
      reg  [1:0]          full_q;
      reg  [WIDTH-1:0]    data_0_q, data_1_q;
      wire                accept = read_q[REGISTERED] && full_q != 2'b11;
      wire                take   = m_valid && m_ready;

      assign rom_en  = !read_q[REGISTERED] || full_q != 2'b11;
      assign next    = rom_en;
      assign m_valid = full_q != 2'b00;
      assign m_data  = from_q ? data_1_q : data_0_q;

      always @(posedge clk)
        if (rst) begin
          read_q  <= {(REGISTERED+1){1'b0}};
          write_q <= 1'b0;
          from_q  <= 1'b0;
          full_q  <= 2'b00;
        end else begin
          if (rom_en) read_q <= {read_q, 1'b1};
          if (accept) write_q <= !write_q;
          if (take) from_q <= !from_q;
          full_q[0] <= (full_q[0] || (accept && !write_q)) && !(take && !from_q);
          full_q[1] <= (full_q[1] || (accept && write_q)) && !(take && from_q);
        end

      always @(posedge clk) begin
        if (accept && !write_q) data_0_q <= rom_q;
        if (accept && write_q) data_1_q <= rom_q;
      end
    end else begin : g_register
      // The cycle after a word is taken loads the next one, which has been read by then.
      reg             valid_q, load_q;
      reg [WIDTH-1:0] data_q;

      assign rom_en  = 1'b1;
      assign next    = load_q;
      assign m_valid = valid_q;
      assign m_data  = data_q;

      always @(posedge clk)
        if (rst) begin
          valid_q <= 1'b0;
          load_q  <= 1'b0;
        end else begin
          valid_q <= load_q || (valid_q && !m_ready);
          load_q  <= start_q || (valid_q && m_ready);
        end

      always @(posedge clk) if (load_q) data_q <= rom_q;
    end
    /* verilator lint_on WIDTH */
  endgenerate

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_hold #("weir_rom_source_reader", "a waiting word was withdrawn or changed", WIDTH) u_check_hold (
    clk, rst, m_valid, m_ready, m_data);
`endif
endmodule

`default_nettype wire
