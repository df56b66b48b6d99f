// The beats of the pair: a's stream and b's, each with the sink as the other leaves it.
// sources: stream/weir_join.v
// prove: unbounded A_WIDTH=1 B_WIDTH=1
// prove: unbounded A_WIDTH=2 B_WIDTH=3
module proof #(
  parameter integer A_WIDTH = 1,
  parameter integer B_WIDTH = 1
) (
  input wire               clk, s_a_valid,
  input wire [A_WIDTH-1:0] s_a_data,
  input wire               s_a_last, s_b_valid,
  input wire [B_WIDTH-1:0] s_b_data,
  input wire               s_b_last, m_ready
);
  wire                       rst, s_a_ready, s_b_ready, m_valid, m_last;
  wire [A_WIDTH+B_WIDTH-1:0] m_data;

  weir_join #(
    .A_WIDTH(A_WIDTH),
    .B_WIDTH(B_WIDTH)
  ) u_dut (.*);

  proof_reset u_reset (clk, rst);
  proof_stream #(
    .S_WIDTH (A_WIDTH + 1),
    .M_WIDTH (A_WIDTH + 1),
    .CAPACITY(0)
  ) u_a (
    .clk     (clk),
    .rst     (rst),
    .fair    (s_b_valid),
    .s_valid (s_a_valid),
    .s_ready (s_a_ready),
    .s_value ({s_a_last, s_a_data}),
    .expected({s_a_last, s_a_data}),
    .m_valid (m_valid),
    .m_ready (m_ready),
    .m_value ({m_last, m_data[A_WIDTH-1:0]})
  );
  proof_stream #(
    .S_WIDTH (B_WIDTH + 1),
    .M_WIDTH (B_WIDTH),
    .CAPACITY(0)
  ) u_b (
    .clk     (clk),
    .rst     (rst),
    .fair    (s_a_valid),
    .s_valid (s_b_valid),
    .s_ready (s_b_ready),
    .s_value ({s_b_last, s_b_data}),
    .expected(s_b_data),
    .m_valid (m_valid),
    .m_ready (m_ready),
    .m_value (m_data[A_WIDTH+B_WIDTH-1:A_WIDTH])
  );
endmodule
