// The reset is high in a cycle if and only if a cause was there in one of the CYCLES cycles that end two before it.
// sources: ../boards/common/weir_board_reset.v
// prove: window 2
// faults: board/faults_reset.txt
module proof (
  input wire clk, locked, button
);
  wire rst;

  weir_board_reset #(
    .CYCLES (1024),
    .INITIAL(0)  // what a window begins with is any state, that after the configuration too: proof_reset_configured.v
  ) u_dut (.*);

  (* hierconn *) wire [1:0] \u_dut.cause_q ;
  (* hierconn *) wire [10:0] \u_dut.count_q ;

  reg        once_q, twice_q;  // a cause, one and two cycles ago
  reg [10:0] since_q;          // cycles since the last one, up to 1,024

  always @(posedge clk) begin
    once_q  <= button || !locked;
    twice_q <= once_q;
    since_q <= twice_q ? 11'd0 : since_q == 11'd1024 ? since_q : since_q + 11'd1;
  end

  wire holds = rst == (since_q < 11'd1024) && \u_dut.cause_q == {twice_q, once_q} && \u_dut.count_q == since_q && since_q <= 11'd1024;

  proof_stays u_stays (clk, 1'b0, holds);
endmodule
