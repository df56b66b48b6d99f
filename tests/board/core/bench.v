// The board's core with an accelerator of a few lines (of STREAMS inputs, the first with beats of IN_BITS, the next
// with beats of IN_STEP more, each BEATS and BEATS_STEP more of them; as many outputs likewise), its UART pins at the
// end of two pipes. In each turn, of ten bits of the wire, the program behind them (host.c) is told which bytes have
// come and says what goes to the board. model.hex, where it runs, is what the receive buffer begins with.
// CHAIN: registers between these and the core, as if there were so many memories more.
// MEMORIES: 1, the accelerator has parameter memories of each kind that can be read back (words of memory_0.hex ...);
//           2, they can be written, too.
// +to=FILE: pairs of bytes, an order and a value; orders: 0 nothing, 1 a byte, 2 one without a stop bit, 3 a glitch of
// a quarter of a bit, 4 the end, 5 nothing, and from its middle on the button is pressed (bit 0 of the value) and the
// PLL has not locked (bit 1). +from=FILE: for each turn a line, 2 * 256 + byte of each that came (3 * 256: its stop bit
// was low), and '.'. +slow=N: the accelerator takes a beat in one of N cycles. +hangs: it never does. +early: its
// frames end a beat early. +flags: it flags each third frame.
`timescale 1ps / 1ps
`default_nettype none

module bench;
  parameter integer CLOCK_HZ = 48000000;
  parameter integer BAUD = 3000000;
  parameter integer SKEW = 0;  // parts in a thousand by which the program's bits are longer
  parameter integer RX_BYTES = 512;
  parameter integer TX_BYTES = 512;
  parameter integer OPTIONS = 0;
  parameter integer IN_BITS = 8;
  parameter integer OUT_BITS = 8;
  parameter integer BEATS = 4;
  parameter integer STREAMS = 1;
  parameter integer IN_STEP = 0;
  parameter integer OUT_STEP = 0;
  parameter integer BEATS_STEP = 0;
  parameter integer MEMORIES = 0;
  parameter integer CHAIN = 1;
  parameter integer WORDS = 5;  // of memory 1
  localparam integer IN_WIDTH = IN_STEP > 0 ? IN_BITS + (STREAMS - 1) * IN_STEP : IN_BITS;
  localparam integer OUT_WIDTH = OUT_STEP > 0 ? OUT_BITS + (STREAMS - 1) * OUT_STEP : OUT_BITS;
  localparam integer PERIOD = 1000;
  localparam integer IN_BYTES = (IN_BITS + 7) / 8;
  localparam integer OUT_BYTES = (OUT_BITS + 7) / 8;
  localparam real BIT = 1.0 * CLOCK_HZ * PERIOD / BAUD * (1000 + SKEW) / 1000;

  reg clk = 1'b0;
  reg line = 1'b1, button = 1'b0, locked = 1'b1;
  wire rst, tx, led, restart;
  wire [STREAMS-1:0] s_valid, s_ready, s_last, m_valid, m_ready, m_last, m_error;
  wire [STREAMS*IN_WIDTH-1:0] s_data;
  wire [STREAMS*OUT_WIDTH-1:0] m_data;

  // FIRST, FIRST + STEP, ..., 32 bits each.
  function [32*STREAMS-1:0] numbers;
    input integer first, step;
    integer k;
    for (k = 0; k < STREAMS; k = k + 1) numbers[32*k+:32] = first + k * step;
  endfunction

  // The first stream's, tapped.
  wire [8*IN_BYTES-1:0] s_tapped = s_data[IN_BITS-1:0];
  wire [8*OUT_BYTES-1:0] m_tapped = m_data[OUT_BITS-1:0];

  always #(PERIOD / 2) clk = !clk;

  weir_board_reset u_reset (
    .clk   (clk),
    .locked(locked),
    .button(button),
    .rst   (rst)
  );

  weir_board_core #(
    .CLOCK_HZ (CLOCK_HZ),
    .BAUD     (BAUD),
    .BUILD    (32'h01234567),
    .INPUTS   (STREAMS),
    .IN_WIDTH (IN_WIDTH),
    .IN_BITS  (numbers(IN_BITS, IN_STEP)),
    .IN_BEATS (numbers(BEATS, BEATS_STEP)),
    .OUTPUTS  (STREAMS),
    .OUT_WIDTH(OUT_WIDTH),
    .OUT_BITS (numbers(OUT_BITS, OUT_STEP)),
    .OUT_BEATS(numbers(BEATS, BEATS_STEP)),
    .RX_BYTES (RX_BYTES),
    .TX_BYTES (TX_BYTES),
    .MODEL_INIT("model.hex"),
    .EXTREMES (OPTIONS),
    .STALLS   (OPTIONS),
    .BENCHMARK(OPTIONS),
    .TAPS     (2),
    .TAP_BYTES(IN_BYTES + OUT_BYTES),
    .READ_BACK(MEMORIES > 0 ? 1 : 0),
    .LOADABLE (MEMORIES > 1 ? 1 : 0),
    .SELECT_W (3),
    .PLACE_W  (3),
    .WORD_W   (10)
  ) u_core (
    .clk            (clk),
    .rst            (rst),
    .rx             (line),
    .tx             (tx),
    .led            (led),
    .accelerator_rst(restart),
    .s_valid        (s_valid),
    .s_ready        (s_ready),
    .s_data         (s_data),
    .s_last         (s_last),
    .s_error_count  ({8*STREAMS{1'b0}}),
    .m_valid        (m_valid),
    .m_ready        (m_ready),
    .m_data         (m_data),
    .m_last         (m_last),
    .m_error        (m_error),
    .bench_vary     ({STREAMS * IN_WIDTH{1'b1}}),
    .bench_ones     ({STREAMS * IN_WIDTH{1'b0}}),
    .tap_moves      ({m_valid[0] && m_ready[0], s_valid[0] && s_ready[0]}),
    .tap_data       ({m_tapped, s_tapped}),
    .memory_request (request),
    .memory_answer  (answer)
  );

  wire [26:0] request;
  wire [9:0] answer;

  generate
    if (MEMORIES > 0) begin : g_memories
      wire [9:0] given;
      reg [10*CHAIN-1:0] chain_q = 0;

      memories #(
        .WORDS   (WORDS),
        .LOADABLE(MEMORIES > 1 ? 1 : 0)
      ) u_memories (
        .clk    (clk),
        .rst    (restart),
        .request(request),
        .answer (given)
      );

      always @(posedge clk) chain_q <= {chain_q, given};
      assign answer = chain_q[10*CHAIN-1-:10];
    end else begin : g_no_memories
      assign answer = 10'd0;
    end
  endgenerate

  genvar g;
  generate
    for (g = 0; g < STREAMS; g = g + 1) begin : g_stream
      accelerator #(
        .IN_BITS (IN_BITS + g * IN_STEP),
        .OUT_BITS(OUT_BITS + g * OUT_STEP),
        .BEATS   (BEATS + g * BEATS_STEP)
      ) u_accelerator (
        .clk    (clk),
        .rst    (restart),
        .s_valid(s_valid[g]),
        .s_ready(s_ready[g]),
        .s_data (s_data[g*IN_WIDTH+:IN_BITS+g*IN_STEP]),
        .s_last (s_last[g]),
        .m_valid(m_valid[g]),
        .m_ready(m_ready[g]),
        .m_data (m_data[g*OUT_WIDTH+:OUT_BITS+g*OUT_STEP]),
        .m_last (m_last[g]),
        .m_error(m_error[g])
      );
      if (OUT_WIDTH > OUT_BITS + g * OUT_STEP) begin : g_rest // nothing may be made of it
        assign m_data[(g+1)*OUT_WIDTH-1:g*OUT_WIDTH+OUT_BITS+g*OUT_STEP] = {(OUT_WIDTH-OUT_BITS-g*OUT_STEP){1'b1}};
      end
    end
  endgenerate

  // What comes from the board.
  reg [9:0] came[0:7];
  reg [2:0] came_in = 0, came_out = 0;
  reg [7:0] value;
  integer n;

  always @(negedge tx) begin
    #(BIT / 2);
    for (n = 0; n < 8; n = n + 1) begin
      #(BIT);
      value[n] = tx;
    end
    #(BIT);
    came[came_in] = {1'b1, !tx, value};
    came_in = came_in + 1;
    if (came_in == came_out) $display("bench: more bytes than fit a turn");
  end

  integer to, from, order, given, b;
  reg [8*256-1:0] name;

  task send(input [9:0] bits);
    for (b = 0; b < 10; b = b + 1) begin
      line = bits[b];
      #(BIT);
    end
  endtask

  initial begin
    if (!$value$plusargs("from=%s", name)) $stop;
    from = $fopen(name, "w");
    if (!$value$plusargs("to=%s", name)) $stop;
    to = $fopen(name, "rb");
    order = 0;
    while (order != 4) begin
      while (came_out != came_in) begin
        $fwrite(from, "%03x ", came[came_out]);
        came_out = came_out + 1;
      end
      $fwrite(from, ".\n");
      $fflush(from);
      order = $fgetc(to);
      given = $fgetc(to);
      case (order)
        1: send({1'b1, given[7:0], 1'b0});
        2: begin
          send({1'b0, given[7:0], 1'b0});
          line = 1'b1;
        end
        3: begin
          line = 1'b0;
          #(BIT / 4);
          line = 1'b1;
          #(BIT * 9.75);
        end
        5: begin
          #(5 * BIT);
          button = given[0];
          locked = !given[1];
          #(5 * BIT);
        end
        -1, 4: order = 4;
        default: #(10 * BIT);
      endcase
    end
    $finish;
  end
endmodule

// Each kind of memory, with words of less than a byte, of bytes, of more, with and without registers, read all the time
// where the accelerator is not in reset.
module memories #(
  parameter integer WORDS    = 5,
  parameter integer LOADABLE = 0
) (
  input  wire        clk, rst,
  input  wire [26:0] request,
  output wire [9:0]  answer
);
  wire [9:0] answer_0, answer_1, answer_2, answer_3;
  wire [11:0] q_0;
  wire [7:0] q_1;
  wire [42:0] q_2;
  wire [2:0] q_3;
  wire valid;
  reg [4:0] n;

  always @(posedge clk)
    if (rst) n <= 0;
    else n <= n + 1;

  weir_board_memory_sequence #(.WIDTH(12), .DEPTH(9), .INIT("memory_0.hex"), .STYLE("block"), .READ(1), .LOADABLE(LOADABLE), .INDEX(0), .SELECT_W(3),
    .PLACE_W(3), .WORD_W(10)) u_0 (clk, rst, n[0], q_0, request, 10'd0, answer_0);
  weir_board_memory_source #(.WIDTH(8), .DEPTH(WORDS), .INIT("memory_1.hex"), .STYLE("block"), .INTERVAL(1), .REGISTERED(1), .LOADABLE(LOADABLE), .INDEX(1),
    .SELECT_W(3), .PLACE_W(3), .WORD_W(10)) u_1 (clk, rst, valid, n[1], q_1, request, answer_0, answer_1);
  weir_board_memory #(.WIDTH(43), .DEPTH(11), .INIT("memory_2.hex"), .STYLE("block"), .REGISTERED(1), .LOADABLE(LOADABLE), .INDEX(2), .SELECT_W(3),
    .PLACE_W(3), .WORD_W(10)) u_2 (clk, n[0], n[3:0], q_2, request, answer_1, answer_2);
  weir_board_memory #(.WIDTH(3), .DEPTH(1), .INIT("memory_3.hex"), .STYLE("block"), .LOADABLE(LOADABLE), .INDEX(3), .SELECT_W(3), .PLACE_W(3),
    .WORD_W(10)) u_3 (clk, 1'b0, 1'b0, q_3, request, answer_2, answer_3);
  generate
    if (LOADABLE == 0) begin : g_pair
      wire [15:0] q_4;
      wire [8:0] q_5;

      weir_board_memory_pair #(.A_WIDTH(16), .A_DEPTH(9), .A_INIT("memory_4.hex"), .A_REGISTERED(1), .A_INDEX(4), .B_WIDTH(9), .B_DEPTH(6),
        .B_INIT("memory_5.hex"), .B_INDEX(5), .SELECT_W(3), .PLACE_W(3), .WORD_W(10)) u_4 (clk, n[0], n[3:0], q_4, n[1], n[2:0], q_5, request, answer_3, answer);
    end else begin : g_none
      assign answer = answer_3;
    end
  endgenerate
endmodule

// Each beat times 3 and 1 more, two cycles later at the earliest.
module accelerator #(
  parameter integer IN_BITS  = 8,
  parameter integer OUT_BITS = 8,
  parameter integer BEATS    = 4
) (
  input  wire                clk, rst, s_valid,
  output wire                s_ready,
  input  wire [IN_BITS-1:0]  s_data,
  input  wire                s_last,
  output wire                m_valid,
  input  wire                m_ready,
  output wire [OUT_BITS-1:0] m_data,
  output wire                m_last, m_error
);
  reg [31:0] wait_q;
  reg [1:0] frame_q;
  reg [31:0] beat_q;
  reg valid_q, last_q, error_q;
  reg [OUT_BITS-1:0] data_q;
  wire [63:0] scaled = 64'd3 * {{(64-IN_BITS){1'b0}}, s_data} + 64'd1;
  wire free = !valid_q || m_ready;
  reg [31:0] slow;
  reg hangs, early, flags;

  initial begin
    if (!$value$plusargs("slow=%d", slow)) slow = 1;
    hangs = $test$plusargs("hangs") != 0;
    early = $test$plusargs("early") != 0;
    flags = $test$plusargs("flags") != 0;
  end

  assign s_ready = free && wait_q == 0 && !hangs;
  assign m_valid = valid_q;
  assign m_data  = data_q;
  assign m_last  = last_q;
  assign m_error = error_q;

  always @(posedge clk)
    if (rst) begin
      wait_q  <= 0;
      frame_q <= 0;
      beat_q  <= 0;
      valid_q <= 1'b0;
    end else begin
      if (wait_q != 0) wait_q <= wait_q - 1;
      if (free) valid_q <= 1'b0;
      if (s_valid && s_ready) begin
        wait_q  <= slow - 1;
        valid_q <= 1'b1;
        data_q  <= scaled[OUT_BITS-1:0];
        last_q  <= early ? beat_q == BEATS - 2 : s_last;
        error_q <= flags && s_last && frame_q == 2;
        beat_q  <= s_last ? 0 : beat_q + 1;
        if (s_last) frame_q <= frame_q == 2 ? 0 : frame_q + 1;
        if (s_last != (beat_q == BEATS - 1)) begin
          $display("error: turn unknown: last is not where a frame ends");
          $stop;
        end
      end
    end
endmodule

`default_nettype wire
