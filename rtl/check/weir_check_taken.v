// Asserts that no more beats are emitted than accepted.
`ifdef WEIR_CHECK
`default_nettype none

module weir_check_taken #(
  parameter OWNER = "",  // the module that says it
  parameter SAYS = ""
) (
  input wire clk,
  input wire rst,
  input wire taken,  // a beat in this cycle
  input wire m_valid,
  input wire m_ready
);
  integer inside_q;

  always @(posedge clk)
    if (rst) inside_q <= 0;
    else inside_q <= inside_q + {31'd0, taken} - {31'd0, m_valid && m_ready};

  weir_check #(OWNER, SAYS) u_check (clk, rst, !m_valid || inside_q != 0);
endmodule

`default_nettype wire
`endif
