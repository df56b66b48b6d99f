// weir_uart_divider: a tick for each bit of a UART, CLOCK_HZ / BAUD cycles apart in the mean and never more than one
// off.
//
// Latency:   after `hold` falls the first tick comes after a whole bit, or after half of one (HALF).
// State:     the distance to the next tick, a fraction with the period's numerator as unit.
// Invariant: -BAUDS <= distance < CLOCKS - BAUDS. CLOCKS / BAUDS is CLOCK_HZ / BAUD exactly where that reduces to
//            65,536 or less over something, and within 1 / 65,536 of it otherwise: a ratio that is whole is exact.
// Mapping:   an adder of clog2(CLOCKS) + 1 bits, at most 17.
`default_nettype none

module weir_uart_divider #(
  parameter integer CLOCK_HZ = 12000000,
  parameter integer BAUD     = 115200,
  parameter integer HALF     = 0  // 1: the first tick is in the middle of a bit
) (
  input  wire clk,
  input  wire hold,
  output wire tick
);
  generate
    if (BAUD < 1 || CLOCK_HZ / (BAUD > 0 ? BAUD : 1) < 4) begin : g_check_fast
      weir_uart_divider_CLOCK_HZ_must_be_at_least_4_BAUD u_error ();
    end
    if (CLOCK_HZ / (BAUD > 0 ? BAUD : 1) > 32767) begin : g_check_slow
      weir_uart_divider_CLOCK_HZ_must_be_below_32768_BAUD u_error ();
    end
  endgenerate

  function integer common;  // the greatest common divisor
    input integer a;
    input integer b;
    integer x, y, rest;
    begin
      x = a;
      y = b;
      while (y > 0) begin
        rest = x % y;
        x = y;
        y = rest;
      end
      common = x > 0 ? x : 1;
    end
  endfunction

  localparam integer COMMON = common(CLOCK_HZ, BAUD);
  localparam integer CLOCKS_LEAST = CLOCK_HZ / COMMON;
  localparam integer BAUDS_LEAST = BAUD > 0 ? BAUD / COMMON : 1;
  localparam [63:0] CLOCKS_EXACT = {32'd0, CLOCKS_LEAST[31:0]};
  localparam [63:0] BAUDS_EXACT = {32'd0, BAUDS_LEAST[31:0]};
  localparam [63:0] BAUDS = CLOCKS_EXACT <= 65536 ? BAUDS_EXACT : 65536 * BAUDS_EXACT / CLOCKS_EXACT;
  localparam [63:0] CLOCKS = (2 * BAUDS * CLOCKS_EXACT / BAUDS_EXACT + 1) / 2;
  localparam integer WIDTH = $clog2(CLOCKS[31:0]) + 1;
  localparam [63:0] FIRST = (HALF != 0 ? CLOCKS / 2 : CLOCKS) - 2 * BAUDS;
  localparam [63:0] FORWARD = -BAUDS;
  localparam [63:0] BACK = CLOCKS - BAUDS;

  reg [WIDTH-1:0] distance_q;

  assign tick = distance_q[WIDTH-1];

  always @(posedge clk)
    if (hold) distance_q <= FIRST[WIDTH-1:0];
    else distance_q <= distance_q + (tick ? BACK[WIDTH-1:0] : FORWARD[WIDTH-1:0]);
endmodule

`default_nettype wire
