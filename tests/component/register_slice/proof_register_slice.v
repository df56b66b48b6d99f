// sources: stream/weir_register_slice.v
// define: WEIR_CHECK
// prove: unbounded WIDTH=1
// prove: unbounded WIDTH=3
module proof #(
  parameter integer WIDTH = 1,
  parameter integer BEATS = 2   // that it holds
) (
  input wire             clk, s_valid,
  input wire [WIDTH-1:0] s_data,
  input wire             s_last, m_ready
);
  wire             rst, s_ready, m_valid, m_last;
  wire [WIDTH-1:0] m_data;

  weir_register_slice #(
    .WIDTH(WIDTH)
  ) u_dut (.*);

  proof_component #(WIDTH, WIDTH, BEATS, 0) u_component (.*, .expected(s_data));
endmodule
