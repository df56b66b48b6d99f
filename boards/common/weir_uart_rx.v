// weir_uart_rx: receiver of a UART, 8 data bits, no parity, one stop bit.
//
// Latency:   m_valid rises 3 cycles after the middle of the stop bit, for one cycle: whoever listens must take it.
// Interval:  10 bits a byte; the next start bit may begin half a bit after the middle of the stop bit.
// State:     two registers that synchronise `rx` and the one before, a byte, the bit's number, the divider.
// A start bit that is high in its middle is none. A stop bit that is low sets m_error; the line must then be high
// before the next start bit, so that a broken line gives one byte, not many.
// Mapping:   about 15 lookup tables and those of weir_uart_divider.
`default_nettype none

module weir_uart_rx #(
  parameter integer CLOCK_HZ = 12000000,
  parameter integer BAUD     = 115200     // at most CLOCK_HZ / 4
) (
  input  wire       clk,
  input  wire       rst,
  input  wire       rx,
  output reg        m_valid,
  output reg  [7:0] m_data,
  output reg        m_error
);
  reg       first_q, line_q, before_q;
  reg       busy_q;
  reg [3:0] bit_q;  // 0 the start bit, 9 the stop bit
  wire      tick;

  weir_uart_divider #(
    .CLOCK_HZ(CLOCK_HZ),
    .BAUD    (BAUD),
    .HALF    (1)
  ) u_divider (
    .clk (clk),
    .hold(!busy_q),
    .tick(tick)
  );

  wire stop  = bit_q == 4'd9;
  wire sense = busy_q && tick;

  always @(posedge clk)
    if (rst) begin
      first_q  <= 1'b1;
      line_q   <= 1'b1;
      before_q <= 1'b1;
      busy_q   <= 1'b0;
      m_valid  <= 1'b0;
    end else begin
      first_q  <= rx;
      line_q   <= first_q;
      before_q <= line_q;
      m_valid  <= sense && stop;
      if (!busy_q) busy_q <= before_q && !line_q;
      else if (tick && (stop || (bit_q == 4'd0 && line_q))) busy_q <= 1'b0;
    end

  always @(posedge clk) begin
    if (!busy_q) bit_q <= 4'd0;
    else if (tick) bit_q <= bit_q + 4'd1;
    if (sense && !stop) m_data <= {line_q, m_data[7:1]};
    if (sense) m_error <= !line_q;
  end
endmodule

`default_nettype wire
