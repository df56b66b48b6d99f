// weir_uart_tx: sender of a UART, 8 data bits, no parity, one stop bit.
//
// Latency:   the start bit begins in the cycle after a byte is taken.
// Interval:  10 bits a byte: one that is offered at the end of a stop bit follows without a gap.
// State:     the line, the bits to come, the bit's number, the divider.
// Mapping:   about 20 lookup tables and those of weir_uart_divider.
`default_nettype none

module weir_uart_tx #(
  parameter integer CLOCK_HZ = 12000000,
  parameter integer BAUD     = 115200     // at most CLOCK_HZ / 4
) (
  input  wire       clk,
  input  wire       rst,
  input  wire       s_valid,
  output wire       s_ready,
  input  wire [7:0] s_data,
  output reg        tx
);
  reg       busy_q;
  reg [3:0] bit_q;  // 0 the start bit, 9 the stop bit
  reg [7:0] data_q;
  wire      tick;

  weir_uart_divider #(
    .CLOCK_HZ(CLOCK_HZ),
    .BAUD    (BAUD),
    .HALF    (0)
  ) u_divider (
    .clk (clk),
    .hold(!busy_q),
    .tick(tick)
  );

  wire free = !busy_q || (tick && bit_q == 4'd9);
  wire take = s_valid && s_ready;

  assign s_ready = free;

  always @(posedge clk)
    if (rst) begin
      busy_q <= 1'b0;
      tx     <= 1'b1;
    end else if (free) begin
      busy_q <= s_valid;
      tx     <= !s_valid;
    end else if (tick) begin
      tx <= data_q[0];
    end

  always @(posedge clk) begin
    if (take) bit_q <= 4'd0;
    else if (tick) bit_q <= bit_q + 4'd1;
    if (take) data_q <= s_data;
    else if (tick) data_q <= {1'b1, data_q[7:1]};
  end
endmodule

`default_nettype wire
