// Clock, reset and cycle counter of a bench.
// clk: period 10 time units, first rising edge at time 5. rst: synchronous, active high, for the first 10 rising edges.
// cycle: 0 until the first rising edge with rst low, then counts rising edges; a beat taken on that edge has 0.
`timescale 1ns / 1ns
`default_nettype none
module weir_sim_clock (
    output reg clk,
    output reg rst,
    output reg [31:0] cycle /*verilator public_flat_rd*/
);
    reg [3:0] reset_count_q;

    initial begin
        clk = 1'b0;
        rst = 1'b1;
        cycle = 32'd0;
        reset_count_q = 4'd0;
    end

    /* verilator lint_off BLKSEQ */  // the clock comes first in its time step
    always begin
        #5 clk = 1'b1;
        #5 clk = 1'b0;
    end
    /* verilator lint_on BLKSEQ */

    always @(posedge clk) begin
        if (rst) begin
            reset_count_q <= reset_count_q + 4'd1;
            if (reset_count_q == 4'd9) rst <= 1'b0;
        end else begin
            cycle <= cycle + 32'd1;
        end
    end
endmodule
`default_nettype wire
