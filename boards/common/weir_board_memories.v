// weir_board_memories: parameter memories of the accelerator as streams of bytes: they are read back, or written while
// what was there goes to the host.
//
// Latency:   about 6 cycles and one a memory from a word's address to its byte.
// Interval:  likewise, a byte.
// State:     which memory, its first word, the present one and its byte; a byte that was read, one that is written;
//            LOADABLE: the id of the parameters that were loaded.
// Contract:  rst is high for more cycles than there are memories; `reads` and `loads` change with restart or rst;
//            s_ready and m_valid are functions of registers and of the other stream's side.
// A memory's words come from the one that the register `memory` names down to word 0, the bytes of each from the lowest
// up. Then nothing comes. `answer` is 0 for registers of others, and its bits of `version`. The id is kept through
// every reset, as memories are, where registers begin with a value (INITIAL); else a reset brings back that of the
// bitstream.
// Mapping:   about 110 lookup tables, LOADABLE 60 more.
`default_nettype none

module weir_board_memories #(
  parameter integer LOADABLE = 0,  // 1: they can be written
  parameter integer INITIAL  = 1,  // 0: registers begin without a value
  parameter integer SELECT_W = 1,  // bits: which memory,
  parameter integer PLACE_W  = 1,  // which byte of a word,
  parameter integer WORD_W   = 1   // which word
) (
  input  wire                                  clk,
  input  wire                                  rst,
  input  wire                                  restart,  // streams begin
  input  wire                                  reads,    // modes: all bytes go to the host;
  input  wire                                  loads,    // for each that goes one comes, and takes its place
  input  wire                                  write,
  input  wire [6:0]                            address,
  input  wire [31:0]                           value,
  output reg  [31:0]                           answer,
  input  wire [31:0]                           model,    // id of the parameters in the bitstream
  output wire [31:0]                           loaded,   // of those that are there
  input  wire                                  s_valid,
  output wire                                  s_ready,
  input  wire [7:0]                            s_data,
  output wire                                  m_valid,
  input  wire                                  m_ready,
  output wire [7:0]                            m_data,
  output wire [11+SELECT_W+PLACE_W+WORD_W-1:0] memory_request,  // as weir_board_memory_port takes it
  input  wire [9:0]                            memory_answer
);
  generate
    if (LOADABLE < 0 || LOADABLE > 1 || INITIAL < 0 || INITIAL > 1) begin : g_check
      weir_board_memories_LOADABLE_and_INITIAL_must_be_0_or_1 u_error ();
    end
    if (SELECT_W < 1 || SELECT_W > 10 || WORD_W < 1 || WORD_W > 19 || PLACE_W < 1) begin : g_check_bits
      weir_board_memories_must_have_at_most_1024_memories_of_524288_words u_error ();
    end
  endgenerate

  // A word is asked for when it has been read, after two registers of a memory and a cycle to spare, and when no answer
  // of before a restart is in flight. Then its byte waits, is replaced, and the next one begins.
  localparam [2:0] READ = 3'd2, ASK = 3'd3, WAIT = 3'd4, HOLD = 3'd5, WRITE = 3'd6, END = 3'd7;

  reg [2:0]          step_q;
  reg [SELECT_W-1:0] which_q;
  reg [WORD_W-1:0]   first_q, word_q;  // where a stream begins, and is
  reg [PLACE_W-1:0]  place_q;
  reg                last_q, asked_q;  // an answer is in flight
  reg [7:0]          byte_q, data_q;
  wire               loading = LOADABLE != 0 && loads;
  wire               serve   = reads || loading;
  wire               hold    = step_q == HOLD;
  wire               moves   = m_valid && m_ready;
  wire               stores  = LOADABLE != 0 && step_q == WRITE;
  wire               next    = loading ? step_q == WRITE : moves;
  wire               begins  = write && address == 7'd40;
  wire               unused  = &{1'b0, value, s_valid, s_data};  // bits that no memory has; where nothing is written

  assign m_valid        = hold && (reads || s_valid);
  assign m_data         = byte_q;
  assign s_ready        = hold && loading && m_ready;
  assign memory_request = {serve, step_q == ASK, stores, data_q, which_q, place_q, word_q};

  always @(posedge clk)
    if (rst || restart || !serve) step_q <= 3'd0;
    else
      case (step_q)
        READ:    step_q <= asked_q ? READ : ASK;
        WAIT:    step_q <= memory_answer[9] ? HOLD : WAIT;
        HOLD:    step_q <= !moves ? HOLD : loading ? WRITE : last_q && word_q == {WORD_W{1'b0}} ? END : 3'd0;
        WRITE:   step_q <= last_q && word_q == {WORD_W{1'b0}} ? END : 3'd0;
        END:     step_q <= END;
        default: step_q <= step_q + 3'd1;
      endcase

  always @(posedge clk)
    if (begins) begin
      which_q <= value[20+:SELECT_W];
      first_q <= value[WORD_W-1:0];
    end

  always @(posedge clk)
    if (restart) begin
      word_q  <= first_q;
      place_q <= {PLACE_W{1'b0}};
    end else if (next) begin
      if (last_q) word_q <= word_q - 1'b1;
      place_q <= last_q ? {PLACE_W{1'b0}} : place_q + 1'b1;
    end

  always @(posedge clk)
    if (rst) asked_q <= 1'b0;
    else if (step_q == ASK) asked_q <= 1'b1;
    else if (memory_answer[9]) asked_q <= 1'b0;

  always @(posedge clk) begin
    if (memory_answer[9]) {last_q, byte_q} <= memory_answer[8:0];
    if (LOADABLE != 0 && hold) data_q <= s_data;
  end

  always @*
    case (address)
      7'd1: answer = {19'd0, LOADABLE != 0, 1'b1, 11'd0};
      7'd40: answer = {{(12-SELECT_W){1'b0}}, which_q, {(20-WORD_W){1'b0}}, first_q};
      default: answer = 32'd0;
    endcase

  generate
    if (LOADABLE != 0) begin : g_model
      reg        known_q;
      reg [31:0] model_q;

      if (INITIAL != 0) begin : g_initial
        initial known_q = 1'b0;
        always @(posedge clk) if (write && address == 7'd3) known_q <= 1'b1;
      end else begin : g_reset
        always @(posedge clk)
          if (rst) known_q <= 1'b0;
          else if (write && address == 7'd3) known_q <= 1'b1;
      end
      always @(posedge clk) if (write && address == 7'd3) model_q <= value;
      assign loaded = known_q ? model_q : model;
    end else begin : g_built
      assign loaded = model;
    end
  endgenerate
endmodule

`default_nettype wire
