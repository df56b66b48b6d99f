// A board with the least accelerator there is, a register of 8 bits, for synthesis and placement of what is around it.
`default_nettype none

module top #(
  parameter integer EXTREMES  = 0,
  parameter integer STALLS    = 0,
  parameter integer BENCHMARK = 0,
  parameter integer TAPS      = 0,
  parameter integer READ_BACK = 0,  // of a memory of 256 words of 16 bits
  parameter integer LOADABLE  = 0
) (
  input  wire clk, rx,
  output wire tx, led
);
  wire rst, restart, s_valid, s_ready, s_last, m_valid, m_ready, m_last;
  wire [7:0] s_data, m_data;

  weir_board_reset u_reset (
    .clk   (clk),
    .locked(1'b1),
    .button(1'b0),
    .rst   (rst)
  );

  weir_board_core #(
    .CLOCK_HZ (48000000),
    .BAUD     (3000000),
    .BUILD    (32'h6C078965),
    .IN_BEATS (64),
    .OUT_BEATS(10),
    .MODEL_INIT("model.hex"),
    .EXTREMES (EXTREMES),
    .STALLS   (STALLS),
    .BENCHMARK(BENCHMARK),
    .TAPS     (TAPS),
    .READ_BACK(READ_BACK),
    .LOADABLE (LOADABLE),
    .WORD_W   (8)
  ) u_core (
    .clk            (clk),
    .rst            (rst),
    .rx             (rx),
    .tx             (tx),
    .led            (led),
    .accelerator_rst(restart),
    .s_valid        (s_valid),
    .s_ready        (s_ready),
    .s_data         (s_data),
    .s_last         (s_last),
    .s_error_count  (8'd0),
    .m_valid        (m_valid),
    .m_ready        (m_ready),
    .m_data         (m_data),
    .m_last         (m_last),
    .m_error        (1'b0),
    .bench_vary     (8'd255),
    .bench_ones     (8'd0),
    .tap_moves      (m_valid && m_ready),
    .tap_data       (m_data),
    .memory_request (request),
    .memory_answer  (answer)
  );

  wire [20:0] request;
  wire [9:0] answer;

  generate
    if (READ_BACK != 0) begin : g_memory
      wire [15:0] q;

      weir_board_memory #(
        .WIDTH   (16),
        .DEPTH   (256),
        .INIT    ("memory.hex"),
        .STYLE   ("block"),
        .LOADABLE(LOADABLE),
        .WORD_W  (8)
      ) u_memory (
        .clk     (clk),
        .en      (s_valid),
        .addr    (s_data),
        .q       (q),
        .request (request),
        .s_answer(10'd0),
        .m_answer(answer)
      );
    end else begin : g_no_memory
      assign answer = 10'd0;
    end
  endgenerate

  weir_register_slice #(
    .WIDTH(8)
  ) u_accelerator (
    .clk    (clk),
    .rst    (restart),
    .s_valid(s_valid),
    .s_ready(s_ready),
    .s_data (s_data),
    .s_last (s_last),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
endmodule

`default_nettype wire
