// sources: stream/weir_register_slice.v
// define: WEIR_CHECK
// prove: unbounded WIDTH=1
// prove: unbounded WIDTH=3
module proof #(
  parameter integer WIDTH = 1,
  parameter integer BEATS = 2   // that it holds
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
  ) u_dut (.*);

  proof_reset u_reset (clk, rst);
  proof_stream #(
    .S_WIDTH (WIDTH + 1),
    .M_WIDTH (WIDTH + 1),
    .CAPACITY(BEATS),
    .LATENCY (0),
    .STALL   (1)
  ) u_stream (
    .*,
    .fair    (1'b1),
    .s_value ({s_last, s_data}),
    .expected({s_last, s_data}),
    .m_value ({m_last, m_data}),
    .mark    ()
  );
endmodule
