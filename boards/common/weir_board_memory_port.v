// weir_board_memory_port: what lets weir_board_memories reach one parameter memory: a byte of the word that it reads,
// put into a chain.
//
// Latency:   1 cycle from `ask` to m_answer, and 1 from s_answer to m_answer; q belongs to request two cycles after
//            that is stable at the latest.
// Interval:  1 cycle.
// State:     an answer, without reset: it is 0 a cycle after s_answer and `ask` are.
// A request is {serve, ask, write, 8 bits to write, which memory, which byte of a word, which word}; an answer is
// {valid, the word's last byte, byte}. Memories that nobody asks pass on what comes from those before them. While
// `serve` is high the accelerator is in reset, and the memory reads `word` in each cycle.
// Mapping:   about 2 lookup tables for 3 bits of a word, 10 and a comparison for the answer.
`default_nettype none

module weir_board_memory_port #(
  parameter integer WIDTH    = 8,  // bits of a word
  parameter integer INDEX    = 0,  // of this memory
  parameter integer SELECT_W = 1,  // bits of a request: which memory,
  parameter integer PLACE_W  = 1,  // which byte,
  parameter integer WORD_W   = 1   // which word
) (
  input  wire                                  clk,
  input  wire [11+SELECT_W+PLACE_W+WORD_W-1:0] request,
  input  wire [9:0]                            s_answer,
  output reg  [9:0]                            m_answer,
  input  wire [WIDTH-1:0]                      q,      // that the memory has read
  output wire                                  serve,
  output wire [WORD_W-1:0]                     word,
  output wire [PLACE_W-1:0]                    place,
  output wire                                  write,  // of this memory
  output wire [7:0]                            data
);
  localparam integer BYTES = (WIDTH + 7) / 8;
  localparam integer LAST  = BYTES - 1;

  generate
    if (SELECT_W < 1 || PLACE_W < 1 || WORD_W < 1 || INDEX < 0 || INDEX >= 1 << SELECT_W) begin : g_check
      weir_board_memory_port_INDEX_must_be_one_of_SELECT_W_bits u_error ();
    end
    if (WIDTH < 1 || BYTES > 1 << PLACE_W) begin : g_check_width
      weir_board_memory_port_WIDTH_must_have_bytes_of_PLACE_W_bits u_error ();
    end
  endgenerate

  wire                ask, stores;
  wire [SELECT_W-1:0] which;
  wire                chosen = which == INDEX[SELECT_W-1:0];
  wire [7:0]          part;

  assign {serve, ask, stores, data, which, place, word} = request;
  assign write = chosen && stores;

  generate
    if (BYTES == 1) begin : g_byte
      /* verilator lint_off WIDTH */ // a narrower word is extended with zeros
      assign part = q;
      /* verilator lint_on WIDTH */
    end else begin : g_bytes
      /* verilator lint_off WIDTH */ // likewise
      wire [8*(1<<PLACE_W)-1:0] padded = q;
      /* verilator lint_on WIDTH */

      assign part = padded[8*place+:8];
    end
  endgenerate

  always @(posedge clk)
    m_answer <= s_answer | (chosen && ask ? {1'b1, place == LAST[PLACE_W-1:0], part} : 10'd0);
endmodule

`default_nettype wire
