// What a weir_uart_tx is given a weir_uart_rx has, in order and without an error, at the latest a stop bit and a half
// after it was sent; whatever the pauses between bytes, and none at all.
// sources: ../boards/common/weir_uart_tx.v ../boards/common/weir_uart_rx.v
// with: ../boards/common/weir_uart_divider.v
// prove: bounded 95 CLOCKS=4 BAUDS=1
// nightly: bounded 110 CLOCKS=9 BAUDS=2
// faults: board/faults.txt
module proof #(
  parameter integer CLOCKS = 4,
  parameter integer BAUDS  = 1
) (
  input wire       clk, s_valid,
  input wire [7:0] s_data
);
  localparam integer LONGEST = 10 * CLOCKS / BAUDS + 5;

  reg        started_q = 1'b0;
  wire       rst = !started_q;
  wire       s_ready, line, m_valid, m_error;
  wire [7:0] m_data;
  reg        sent_q;
  reg  [7:0] value_q, waited_q;

  always @(posedge clk) started_q <= 1'b1;

  weir_uart_tx #(
    .CLOCK_HZ(CLOCKS),
    .BAUD    (BAUDS)
  ) u_tx (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_valid),
    .s_ready(s_ready),
    .s_data (s_data),
    .tx     (line)
  );

  weir_uart_rx #(
    .CLOCK_HZ(CLOCKS),
    .BAUD    (BAUDS)
  ) u_rx (
    .clk    (clk),
    .rst    (rst),
    .rx     (line),
    .m_valid(m_valid),
    .m_data (m_data),
    .m_error(m_error)
  );

  // A byte that is under way is there before the next one's first data bit.
  reg       next_q;
  reg [7:0] next_value_q;

  always @(posedge clk)
    if (rst) begin
      sent_q <= 1'b0;
      next_q <= 1'b0;
    end else begin
      if (s_valid && s_ready && (!sent_q || m_valid)) begin
        sent_q   <= 1'b1;
        value_q  <= s_data;
        waited_q <= 8'd0;
      end else if (m_valid) begin
        sent_q   <= next_q;
        next_q   <= 1'b0;
        value_q  <= next_value_q;
        waited_q <= waited_q - (10 * CLOCKS / BAUDS - 1);
      end else begin
        waited_q <= waited_q + 8'd1;
        if (s_valid && s_ready) begin
          next_q       <= 1'b1;
          next_value_q <= s_data;
        end
      end
    end

  always @* if (!rst) begin
    if (m_valid) comes_once: assert (sent_q);
    if (m_valid) comes_right: assert (m_data == value_q && !m_error);
    if (sent_q) comes_in_time: assert (waited_q <= LONGEST);
    one_at_a_time: assert (!next_q || !(s_valid && s_ready));
  end
endmodule
