// An assertion: `holds` in every cycle except under reset (rtl/README.md, Assertions), in simulation or in a proof. No
// hardware: the files of this folder are empty without WEIR_CHECK.
`ifdef WEIR_CHECK
`default_nettype none

module weir_check #(
  parameter OWNER = "",  // the module that says it
  parameter SAYS  = ""
) (
  input wire clk,
  input wire rst,
  input wire holds
);
`ifdef FORMAL
  always @(posedge clk) if (!rst) assert (holds);
`else
  always @(posedge clk)
    if (!rst && !holds) begin
      $display("assertion: %m (%0s): %0s", OWNER, SAYS);
      $stop;
    end
`endif
endmodule

`default_nettype wire
`endif
