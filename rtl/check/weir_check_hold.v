// Asserts that a waiting beat does not change until it is accepted.
`ifdef WEIR_CHECK
`default_nettype none

module weir_check_hold #(
  parameter         OWNER = "",  // the module that says it
  parameter         SAYS  = "",
  parameter integer WIDTH = 9  // bits of a beat, `last` included
) (
  input wire             clk,
  input wire             rst,
  input wire             valid,
  input wire             ready,
  input wire [WIDTH-1:0] beat
);
  reg             waits_q;
  reg [WIDTH-1:0] beat_q;

  always @(posedge clk) begin
    waits_q <= valid && !ready && !rst;
    if (valid && !ready) beat_q <= beat;
  end

  weir_check #(OWNER, SAYS) u_check (clk, rst, !waits_q || (valid && beat === beat_q));
endmodule

`default_nettype wire
`endif
