// The handshake around arithmetic that gives each beat's value LATENCY cycles after the beat was taken, and anything in
// other cycles.
// sources: stream/weir_pipeline.v
// with: stream/weir_fifo.v
// define: WEIR_CHECK
// prove: unbounded LATENCY=1 INTERVAL=1
// prove: unbounded LATENCY=3 INTERVAL=1
// prove: unbounded LATENCY=2 INTERVAL=2
// prove: unbounded LATENCY=5 INTERVAL=2
// prove: unbounded LATENCY=7 INTERVAL=4
// nightly: unbounded LATENCY=4 INTERVAL=1
// nightly: unbounded LATENCY=8 INTERVAL=3
// planted: nightly
module proof #(
  parameter integer LATENCY  = 1,
  parameter integer INTERVAL = 1
) (
  input wire clk, s_valid, s_data, s_last,
  input wire other,  // what the arithmetic gives where no beat is
  input wire m_ready
);
  localparam integer PLACES = (LATENCY + 1) / INTERVAL + 1;

  wire               rst, s_ready, take, m_valid, m_data, m_last;
  reg  [LATENCY-1:0] taken_q, value_q;  // bit i: i + 1 cycles ago

  weir_pipeline #(
    .WIDTH   (1),
    .LATENCY (LATENCY),
    .INTERVAL(INTERVAL)
  ) u_dut (.*, .c_data(taken_q[LATENCY-1] ? value_q[LATENCY-1] : other));

  always @(posedge clk) begin
    taken_q <= {taken_q, s_valid && s_ready};
    value_q <= {value_q, s_data};
  end

  always @* if (!rst) taken_as_said: assert (take == (s_valid && s_ready));

  proof_component #(1, 1, PLACES, LATENCY, LATENCY + 1) u_component (.*, .expected(s_data));
endmodule
