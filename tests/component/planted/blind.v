// Wrong on purpose: looks at valid alone, so that faults survive.
// sources: stream/weir_register_slice.v
// faults: register_slice/mutants.txt
// prove: unbounded WIDTH=1
module proof #(
  parameter integer WIDTH = 1
) (
  input wire             clk,
  input wire             s_valid,
  input wire [WIDTH-1:0] s_data,
  input wire             s_last,
  input wire             m_ready
);
  wire             rst, s_ready, m_valid, m_last;
  wire [WIDTH-1:0] m_data;

  weir_register_slice #(
    .WIDTH(WIDTH)
  ) u_dut (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_valid),
    .s_ready(s_ready),
    .s_data (s_data),
    .s_last (s_last),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

  proof_reset u_reset (clk, rst);
  proof_stream #(
    .S_WIDTH (WIDTH + 1),
    .M_WIDTH (WIDTH + 1),
    .CAPACITY(2),
    .LATENCY (0),
    .STALL   (1)
  ) u_stream (
    .clk     (clk),
    .rst     (rst),
    .fair    (1'b1),
    .s_valid (s_valid),
    .s_ready (s_ready),
    .s_value (2'b0),
    .expected(2'b0),
    .m_valid (m_valid),
    .m_ready (m_ready),
    .m_value (2'b0)
  );
endmodule
