// weir_board_core: all that a board carries around an accelerator with one clock: UART, link, registers, modes.
//
// Latency:   that of the wire; accelerator_rst is high for a cycle at each start that the host asks for.
// Interval:  on the wire, CLOCK_HZ / BAUD cycles a bit; in a benchmark the accelerator takes a beat a cycle and may
//            give a byte of results a cycle.
// State:     weir_link's and weir_board_registers', a place in the frames that enter and leave.
// Frames go from input to input and come from output to output, as README.md says. So that an accelerator may take its
// inputs side by side, and give its outputs likewise, each input but the last and each output but the first has a
// weir_fifo of a frame.
// Mapping:   two block RAMs of iCE40 with buffers of 512 bytes; boards/README.md has what the options cost.
`default_nettype none

module weir_board_core #(
  parameter integer          CLOCK_HZ  = 12000000,
  parameter integer          BAUD      = 115200,
  parameter [31:0]           BUILD     = 0,    // id of the bitstream
  parameter integer          INPUTS    = 1,
  parameter integer          IN_WIDTH  = 8,    // bits of an input's part of s_data
  parameter [32*INPUTS-1:0]  IN_BITS   = 8,    // of a beat of each input, the first one low
  parameter [32*INPUTS-1:0]  IN_BEATS  = 1,    // of a frame of each input
  parameter integer          OUTPUTS   = 1,
  parameter integer          OUT_WIDTH = 8,
  parameter [32*OUTPUTS-1:0] OUT_BITS  = 8,
  parameter [32*OUTPUTS-1:0] OUT_BEATS = 1,
  parameter integer          RX_BYTES  = 512,  // receive buffer: 512, 1024, 2048 or 4096
  parameter integer          TX_BYTES  = 512,  // send buffer: likewise
  parameter [31:0]           MODEL     = 0,    // id of the model's parameters, where MODEL_INIT is empty
  parameter                  MODEL_INIT = "",  // hex file whose first four bytes are that id
  parameter integer          EXTREMES  = 0,    // options, 1: with
  parameter integer          STALLS    = 0,
  parameter integer          BENCHMARK = 0,
  parameter integer          TAPS      = 0,    // streams inside of the accelerator, 0: without
  parameter integer          TAP_BYTES = 1,    // of all their beats
  parameter integer          READ_BACK = 0,    // 1: parameter memories can be read,
  parameter integer          LOADABLE  = 0,    // and, 1: written
  parameter integer          INITIAL   = 1,    // 0: registers begin without a value
  parameter integer          SELECT_W  = 1,    // as weir_board_memories'
  parameter integer          PLACE_W   = 1,
  parameter integer          WORD_W    = 1
) (
  input  wire                         clk,
  input  wire                         rst,
  input  wire                         rx,
  output wire                         tx,
  output wire                         led,
  output wire                         accelerator_rst,
  output wire [INPUTS-1:0]            s_valid,          // the accelerator's inputs
  input  wire [INPUTS-1:0]            s_ready,
  output wire [INPUTS*IN_WIDTH-1:0]   s_data,
  output wire [INPUTS-1:0]            s_last,
  input  wire [8*INPUTS-1:0]          s_error_count,
  input  wire [OUTPUTS-1:0]           m_valid,          // its outputs
  output wire [OUTPUTS-1:0]           m_ready,
  input  wire [OUTPUTS*OUT_WIDTH-1:0] m_data,
  input  wire [OUTPUTS-1:0]           m_last,
  input  wire [OUTPUTS-1:0]           m_error,
  input  wire [INPUTS*IN_WIDTH-1:0]   bench_vary,       // constants: of a benchmark's beats the bits that vary,
  input  wire [INPUTS*IN_WIDTH-1:0]   bench_ones,       // and those that are 1
  input  wire [(TAPS==0?1:TAPS)-1:0]  tap_moves,        // a beat of the stream does
  // all streams' beats side by side, each from a byte of its own on
  input  wire [8*TAP_BYTES-1:0]       tap_data,
  // to all parameter memories, as weir_board_memory_port takes it,
  output wire [11+SELECT_W+PLACE_W+WORD_W-1:0] memory_request,
  input  wire [9:0]                   memory_answer     // and from the last of them
);
  // any other drops what comes
  localparam [2:0] ACCELERATOR = 3'd0, ECHO = 3'd1, SOURCE = 3'd3, BENCH = 3'd4, READ = 3'd5, LOAD = 3'd6;

  // ---- the wire ----
  wire       rx_valid, rx_error, tx_valid, tx_ready;
  wire [7:0] rx_data, tx_data;

  weir_uart_rx #(
    .CLOCK_HZ(CLOCK_HZ),
    .BAUD    (BAUD)
  ) u_uart_rx (
    .clk    (clk),
    .rst    (rst),
    .rx     (rx),
    .m_valid(rx_valid),
    .m_data (rx_data),
    .m_error(rx_error)
  );

  weir_uart_tx #(
    .CLOCK_HZ(CLOCK_HZ),
    .BAUD    (BAUD)
  ) u_uart_tx (
    .clk    (clk),
    .rst    (rst),
    .s_valid(tx_valid),
    .s_ready(tx_ready),
    .s_data (tx_data),
    .tx     (tx)
  );

  wire        restart, access, access_write;
  wire [6:0]  access_address;
  wire [31:0] access_value, access_answer, model;
  wire [31:0] tapped, stored;  // the answers of weir_board_taps and weir_board_memories
  wire [3:0]  link_errors;
  wire        to_valid, to_ready, from_valid, from_ready;
  wire [7:0]  to_data, from_data;

  weir_link #(
    .RX_BYTES  (RX_BYTES),
    .TX_BYTES  (TX_BYTES),
    .MODEL     (MODEL),
    .MODEL_INIT(MODEL_INIT)
  ) u_link (
    .clk           (clk),
    .rst           (rst),
    .rx_valid      (rx_valid),
    .rx_data       (rx_data),
    .rx_error      (rx_error),
    .tx_valid      (tx_valid),
    .tx_ready      (tx_ready),
    .tx_data       (tx_data),
    .m_valid       (to_valid),
    .m_ready       (to_ready),
    .m_data        (to_data),
    .s_valid       (from_valid),
    .s_ready       (from_ready),
    .s_data        (from_data),
    .restart       (restart),
    .access        (access),
    .access_write  (access_write),
    .access_address(access_address),
    .access_value  (access_value),
    .access_answer (access_answer | tapped | stored),
    .model         (model),
    .errors        (link_errors)
  );

  // ---- modes ----
  wire [2:0]  mode;
  wire        begin_again = rst || restart;
  wire        unpack_ready, results_valid, results_ready;
  wire [7:0]  results;
  wire [31:0] bench_frames;
  // the upper bits; without the options
  wire        unused = &{1'b0, s_error_count, bench_frames, bench_vary, bench_ones, tap_moves, tap_data, memory_answer};
  reg  [7:0]  source_q;

  wire works  = mode == ACCELERATOR;
  wire echoes = mode == ECHO;
  wire runs   = BENCHMARK != 0 && mode == BENCH;
  wire counts = mode == SOURCE;
  wire reads  = READ_BACK != 0 && mode == READ;
  wire loads  = LOADABLE != 0 && mode == LOAD;

  wire        words_valid, words_ready;  // of parameter memories
  wire [7:0]  words;
  wire [31:0] model_now;

  assign accelerator_rst = begin_again || reads || loads;
  assign to_ready        = works ? unpack_ready : echoes ? from_ready : !loads || words_ready;
  assign from_valid      = works ? results_valid : echoes ? to_valid : reads || loads ? words_valid : counts;
  assign from_data       = works ? results : echoes ? to_data : reads || loads ? words : source_q;
  assign results_ready   = works ? from_ready : 1'b1;

  always @(posedge clk)
    if (begin_again) source_q <= 8'd0;
    else if (counts && from_ready) source_q <= source_q + 8'd1;

  // ---- to the accelerator ----
  wire [INPUTS-1:0]          unpack_valid, fifo_ready, fed_valid, fed_last;
  wire [INPUTS*IN_WIDTH-1:0] fed_data;
  wire [IN_WIDTH-1:0]        unpack_data;
  wire                       unpack_last;

  weir_board_unpack #(
    .INPUTS(INPUTS),
    .WIDTH (IN_WIDTH),
    .BITS  (IN_BITS),
    .BEATS (IN_BEATS)
  ) u_unpack (
    .clk    (clk),
    .rst    (begin_again),
    .s_valid(to_valid && works),
    .s_ready(unpack_ready),
    .s_data (to_data),
    .m_valid(unpack_valid),
    .m_ready(fifo_ready),
    .m_data (unpack_data),
    .m_last (unpack_last)
  );

  wire [INPUTS-1:0]          bench_valid, bench_last;
  wire [INPUTS*IN_WIDTH-1:0] bench_data;

  assign s_valid = runs ? bench_valid : fed_valid;
  assign s_data  = runs ? bench_data : fed_data;
  assign s_last  = runs ? bench_last : fed_last;

  genvar i;
  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : g_input
      localparam [31:0] BITS = IN_BITS[32*i+:32];
      localparam [31:0] BEATS = IN_BEATS[32*i+:32];

      if (i + 1 < INPUTS) begin : g_fifo
        weir_fifo #(
          .WIDTH(IN_WIDTH),
          .DEPTH(BEATS < 2 ? 2 : BEATS)
        ) u_fifo (
          .clk    (clk),
          .rst    (begin_again),
          .s_valid(unpack_valid[i]),
          .s_ready(fifo_ready[i]),
          .s_data (unpack_data),
          .s_last (unpack_last),
          .m_valid(fed_valid[i]),
          .m_ready(s_ready[i] && !runs),
          .m_data (fed_data[IN_WIDTH*i+:IN_WIDTH]),
          .m_last (fed_last[i])
        );
      end else begin : g_last
        assign fed_valid[i]                    = unpack_valid[i];
        assign fed_data[IN_WIDTH*i+:IN_WIDTH]  = unpack_data;
        assign fed_last[i]                     = unpack_last;
        assign fifo_ready[i]                   = s_ready[i];
      end

      if (BENCHMARK != 0) begin : g_bench
        wire [BITS-1:0] data;

        weir_board_generator #(
          .WIDTH(BITS),
          .BEATS(BEATS),
          .SEED (32'hFFFFFFFF - i)
        ) u_generator (
          .clk    (clk),
          .rst    (begin_again),
          .run    (runs),
          .frames (bench_frames),
          .vary   (bench_vary[IN_WIDTH*i+:BITS]),
          .ones   (bench_ones[IN_WIDTH*i+:BITS]),
          .m_valid(bench_valid[i]),
          .m_ready(s_ready[i]),
          .m_data (data),
          .m_last (bench_last[i])
        );
        if (IN_WIDTH > BITS) begin : g_pad
          assign bench_data[IN_WIDTH*i+:IN_WIDTH] = {{(IN_WIDTH-BITS){1'b0}}, data};
        end else begin : g_whole
          assign bench_data[IN_WIDTH*i+:IN_WIDTH] = data;
        end
      end else begin : g_no_bench
        assign bench_valid[i]                   = 1'b0;
        assign bench_data[IN_WIDTH*i+:IN_WIDTH] = fed_data[IN_WIDTH*i+:IN_WIDTH];
        assign bench_last[i]                    = fed_last[i];
      end
    end
  endgenerate

  // ---- from the accelerator ----
  wire [OUTPUTS-1:0]           given_valid, given_ready, given_last;
  wire [OUTPUTS*OUT_WIDTH-1:0] given_data;
  wire                         frame_out, misplaced;

  generate
    for (i = 0; i < OUTPUTS; i = i + 1) begin : g_output
      localparam [31:0] BEATS = OUT_BEATS[32*i+:32];

      if (i > 0) begin : g_fifo
        weir_fifo #(
          .WIDTH(OUT_WIDTH),
          .DEPTH(BEATS < 2 ? 2 : BEATS)
        ) u_fifo (
          .clk    (clk),
          .rst    (begin_again),
          .s_valid(m_valid[i]),
          .s_ready(m_ready[i]),
          .s_data (m_data[OUT_WIDTH*i+:OUT_WIDTH]),
          .s_last (m_last[i]),
          .m_valid(given_valid[i]),
          .m_ready(given_ready[i]),
          .m_data (given_data[OUT_WIDTH*i+:OUT_WIDTH]),
          .m_last (given_last[i])
        );
      end else begin : g_first
        assign given_valid[i]                      = m_valid[i];
        assign given_data[OUT_WIDTH*i+:OUT_WIDTH]  = m_data[OUT_WIDTH*i+:OUT_WIDTH];
        assign given_last[i]                       = m_last[i];
        assign m_ready[i]                          = given_ready[i];
      end
    end
  endgenerate

  weir_board_pack #(
    .OUTPUTS(OUTPUTS),
    .WIDTH  (OUT_WIDTH),
    .BITS   (OUT_BITS),
    .BEATS  (OUT_BEATS)
  ) u_pack (
    .clk      (clk),
    .rst      (begin_again),
    .s_valid  (given_valid),
    .s_ready  (given_ready),
    .s_data   (given_data),
    .s_last   (given_last),
    .m_valid  (results_valid),
    .m_ready  (results_ready),
    .m_flows  (runs),
    .m_data   (results),
    .frame    (frame_out),
    .misplaced(misplaced)
  );

  generate
    if (TAPS != 0) begin : g_taps
      weir_board_taps #(
        .TAPS (TAPS),
        .BYTES(TAP_BYTES)
      ) u_taps (
        .clk    (clk),
        .rst    (begin_again),
        .write  (access && access_write),
        .address(access_address),
        .value  (access_value),
        .answer (tapped),
        .moves  (tap_moves),
        .data   (tap_data)
      );
    end else begin : g_no_taps
      assign tapped = 32'd0;
    end
  endgenerate

  generate
    if (READ_BACK != 0) begin : g_memories
      weir_board_memories #(
        .LOADABLE(LOADABLE),
        .INITIAL (INITIAL),
        .SELECT_W(SELECT_W),
        .PLACE_W (PLACE_W),
        .WORD_W  (WORD_W)
      ) u_memories (
        .clk           (clk),
        .rst           (rst),
        .restart       (restart),
        .reads         (reads),
        .loads         (loads),
        .write         (access && access_write),
        .address       (access_address),
        .value         (access_value),
        .answer        (stored),
        .model         (model),
        .loaded        (model_now),
        .s_valid       (to_valid),
        .s_ready       (words_ready),
        .s_data        (to_data),
        .m_valid       (words_valid),
        .m_ready       (from_ready),
        .m_data        (words),
        .memory_request(memory_request),
        .memory_answer (memory_answer)
      );
    end else begin : g_no_memories
      assign stored         = 32'd0;
      assign model_now      = model;
      assign words_valid    = 1'b0;
      assign words_ready    = 1'b0;
      assign words          = 8'd0;
      assign memory_request = {(11+SELECT_W+PLACE_W+WORD_W){1'b0}};
    end
  endgenerate

  // ---- registers ----
  // A frame has gone in when its last input has; one begins with its first input.
  reg  [INPUTS-1:0] odd_q;    // damaged frames of each input, lowest bit
  reg               first_q;  // the next beat of the first input begins a frame
  wire [INPUTS-1:0] odd;
  wire              first_moves = s_valid[0] && s_ready[0];
  wire              last_moves  = s_valid[INPUTS-1] && s_ready[INPUTS-1];

  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : g_odd
      assign odd[i] = s_error_count[8*i];
    end
  endgenerate

  always @(posedge clk)
    if (begin_again) begin
      first_q <= 1'b1;
      odd_q   <= {INPUTS{1'b0}};
    end else begin
      if (first_moves) first_q <= s_last[0];
      odd_q <= odd;
    end

  weir_board_registers #(
    .CLOCK_HZ (CLOCK_HZ),
    .BUILD    (BUILD),
    .RX_BYTES (RX_BYTES),
    .TX_BYTES (TX_BYTES),
    .EXTREMES (EXTREMES),
    .STALLS   (STALLS),
    .BENCHMARK(BENCHMARK)
  ) u_registers (
    .clk         (clk),
    .rst         (rst),
    .restart     (restart),
    .write       (access && access_write),
    .address     (access_address),
    .value       (access_value),
    .answer      (access_answer),
    .model       (model_now),
    .errors      ({|(odd ^ odd_q), |(m_valid & m_ready & m_error), misplaced, link_errors}),
    .frame_first (first_moves && first_q),
    .frame_in    (last_moves && s_last[INPUTS-1]),
    .frame_out   (frame_out),
    .stalled_in  (|(s_ready & ~s_valid)),
    .stalled_out (|(m_valid & ~m_ready)),
    .result      (results_valid && results_ready),
    .result_byte (results),
    .mode        (mode),
    .bench_frames(bench_frames),
    .led         (led)
  );
endmodule

`default_nettype wire
