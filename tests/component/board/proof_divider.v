// A tick comes in the cycle in which so many bits are over as there were ticks, and none more than one cycle off: the
// k-th at k * CLOCKS / BAUDS cycles since `hold` fell, less the half of a bit with HALF; for ever, without drift.
// sources: ../boards/common/weir_uart_divider.v
// prove: window 2 CLOCKS=4 BAUDS=1 HALF=0
// prove: window 2 CLOCKS=9 BAUDS=2 HALF=1
// prove: window 2 CLOCKS=625 BAUDS=6 HALF=0
// prove: window 2 CLOCKS=8640 BAUDS=1001 HALF=1
// faults: board/faults_divider.txt
module proof #(
  parameter integer CLOCKS = 4,
  parameter integer BAUDS  = 1,
  parameter integer HALF   = 0
) (
  input wire clk,
  input wire hold
);
  wire tick;

  weir_uart_divider #(
    .CLOCK_HZ(CLOCKS),
    .BAUD    (BAUDS),
    .HALF    (HALF)
  ) u_dut (.*);

  // How far the next tick is ahead of the cycles since, in 1 / BAUDS of a cycle.
  localparam signed [31:0] FIRST = HALF ? CLOCKS / 2 : CLOCKS;
  reg signed [31:0] ahead_q;

  always @(posedge clk)
    if (hold) ahead_q <= FIRST - BAUDS;
    else ahead_q <= ahead_q + (tick ? CLOCKS : 0) - BAUDS;

  (* hierconn *) wire [$clog2(CLOCKS):0] \u_dut.distance_q ;
  wire [31:0] distance = ahead_q - BAUDS;

  wire [2:0] holds;
  assign holds[0] = tick == (ahead_q < BAUDS);
  assign holds[1] = ahead_q >= 0 && ahead_q < CLOCKS;
  assign holds[2] = \u_dut.distance_q == distance[$clog2(CLOCKS):0];

  proof_stays #(3) u_stays (clk, hold, holds);
endmodule
