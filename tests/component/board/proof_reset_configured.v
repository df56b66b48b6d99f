// As proof_reset.v, with initial values: the configuration counts as a cause, so that CYCLES cycles of reset follow it.
// sources: ../boards/common/weir_board_reset.v
// prove: unbounded
// faults: board/faults_reset_configured.txt
module proof (
  input wire clk, locked, button
);
  wire rst;

  weir_board_reset #(
    .CYCLES (1024),
    .INITIAL(1)
  ) u_dut (.*);

  reg        once_q, twice_q;  // a cause, one and two cycles ago
  reg [10:0] since_q;          // cycles since the last one, up to 1,024

  always @(posedge clk) begin
    once_q  <= button || !locked;
    twice_q <= once_q;
    since_q <= twice_q ? 11'd0 : since_q == 11'd1024 ? since_q : since_q + 11'd1;
  end

  initial begin
    once_q  = 1'b1;
    twice_q = 1'b1;
    since_q = 11'd0;
  end

  always @* stays: assert (rst == (since_q < 11'd1024));
endmodule
