// weir_board_memory: weir_rom, as it is where a board reads its parameter memories back, or writes them (LOADABLE).
//
// Latency:   that of weir_rom; while the request says serve, of the request's word.
// Interval:  1 cycle a word.
// State:     that of weir_rom and of weir_board_memory_port.
// Contract:  that of weir_rom; `serve` changes only while the accelerator is in reset. A word is never written in a
//            cycle in which it is read for use.
// Mapping:   as weir_rom, with a lookup table a bit of the address before it; LOADABLE: always block RAM, with a write
//            port that takes a byte of a word.
`default_nettype none

module weir_board_memory #(
  parameter integer WIDTH      = 8,       // as weir_rom's
  parameter integer DEPTH      = 2,
  parameter         INIT       = "",
  parameter         STYLE      = "auto",
  parameter integer REGISTERED = 0,
  parameter integer LOADABLE   = 0,       // 1: can be written
  parameter integer INDEX      = 0,       // as weir_board_memory_port's
  parameter integer SELECT_W   = 1,
  parameter integer PLACE_W    = 1,
  parameter integer WORD_W     = 1
) (
  input  wire                                       clk,
  input  wire                                       en,
  input  wire [(DEPTH > 1 ? $clog2(DEPTH) : 1)-1:0] addr,
  output wire [WIDTH-1:0]                           q,
  input  wire [11+SELECT_W+PLACE_W+WORD_W-1:0]      request,
  input  wire [9:0]                                 s_answer,
  output wire [9:0]                                 m_answer
);
  localparam integer ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;

  generate
    if (ADDR_W > WORD_W) begin : g_check
      weir_board_memory_DEPTH_must_be_words_of_WORD_W_bits u_error ();
    end
    if (LOADABLE != 0 && LOADABLE != 1) begin : g_check_loadable
      weir_board_memory_LOADABLE_must_be_0_or_1 u_error ();
    end
  endgenerate

  wire               serve, write;
  wire [WORD_W-1:0]  word;
  wire [PLACE_W-1:0] place;
  wire [7:0]         data;
  wire               unused = &{1'b0, word, write, place, data};  // above a small memory's; where nothing is written
  wire               read    = en || serve;
  wire [ADDR_W-1:0]  address = serve ? word[ADDR_W-1:0] : addr;

  weir_board_memory_port #(
    .WIDTH   (WIDTH),
    .INDEX   (INDEX),
    .SELECT_W(SELECT_W),
    .PLACE_W (PLACE_W),
    .WORD_W  (WORD_W)
  ) u_port (
    .clk     (clk),
    .request (request),
    .s_answer(s_answer),
    .m_answer(m_answer),
    .q       (q),
    .serve   (serve),
    .word    (word),
    .place   (place),
    .write   (write),
    .data    (data)
  );

  generate
    if (LOADABLE == 0) begin : g_rom
      weir_rom #(
        .WIDTH     (WIDTH),
        .DEPTH     (DEPTH),
        .INIT      (INIT),
        .STYLE     (STYLE),
        .REGISTERED(REGISTERED)
      ) u_rom (
        .clk (clk),
        .en  (read),
        .addr(address),
        .q   (q)
      );
    end else begin : g_ram
      localparam integer WHOLE = WIDTH / 8;       // bytes
      localparam integer REST  = WIDTH - 8 * WHOLE;
      genvar             i;

      (* ram_style = "block", no_rw_check *) reg [WIDTH-1:0] mem [0:DEPTH-1];
      reg [WIDTH-1:0] word_q;

      /* verilator lint_off WIDTH */ // strings of different lengths are compared
      initial if (INIT != "") $readmemh(INIT, mem);
      /* verilator lint_on WIDTH */
      always @(posedge clk) if (read) word_q <= mem[address];

      for (i = 0; i < WHOLE; i = i + 1) begin : g_byte
        localparam integer AT = i;
        always @(posedge clk) if (write && place == AT[PLACE_W-1:0]) mem[word[ADDR_W-1:0]][8*i+:8] <= data;
      end
      if (REST > 0) begin : g_rest
        always @(posedge clk) if (write && place == WHOLE[PLACE_W-1:0]) mem[word[ADDR_W-1:0]][8*WHOLE+:REST] <= data[REST-1:0];
      end
      if (REGISTERED != 0) begin : g_registered
        reg [WIDTH-1:0] output_q;
        always @(posedge clk) if (read) output_q <= word_q;
        assign q = output_q;
      end else begin : g_direct
        assign q = word_q;
      end
    end
  endgenerate
endmodule

`default_nettype wire
