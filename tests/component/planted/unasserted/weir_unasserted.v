// An assertion for which no list has a fault.
module weir_unasserted (
  input wire clk,
  input wire rst
);
`ifdef WEIR_CHECK
  weir_check #("weir_unasserted", "nothing breaks this") u_check (clk, rst, 1'b1);
`endif
endmodule
