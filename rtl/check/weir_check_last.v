// Asserts that `last` comes with the final one of every BEATS beats of a stream and with no other. With ROWS these are
// rows, several in a frame: `last` may come with the final beat of any.
`ifdef WEIR_CHECK
`default_nettype none

module weir_check_last #(
  parameter         OWNER = "",  // the module that says it
  parameter         SAYS  = "",
  parameter integer BEATS = 1,  // of a frame, or of a row
  parameter integer ROWS  = 0
) (
  input wire clk,
  input wire rst,
  input wire valid,
  input wire ready,
  input wire last
);
  integer place_q;  // beats of the frame so far
  wire    at_end = place_q == BEATS - 1;

  always @(posedge clk)
    if (rst) place_q <= 0;
    else if (valid && ready) place_q <= (ROWS != 0 ? at_end : last) ? 0 : place_q + 1;

  weir_check #(OWNER, SAYS) u_check (clk, rst, !valid || last == at_end || (ROWS != 0 && !last));
endmodule

`default_nettype wire
`endif
