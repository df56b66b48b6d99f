// What all models of PLLs do: measures the period of clk_in over 16 cycles, again and again, and makes a clock MULTIPLY
// / DIVIDE times as fast; locked after the first measurement. The clock's rising edges lie where they belong to a
// picosecond, so that errors do not add up; each is followed by the falling one in the same moment, since no logic here
// looks at that and every event costs. With WEIR_SIM_OSCILLATOR defined, the name of the weir_sim_serial that makes
// clk_in and nothing else than PLLs takes it, it is asked for a rest after each measurement. For simulation only.
`timescale 1ps / 1ps
module weir_pll_model #(
    parameter integer MULTIPLY = 1,
    parameter integer DIVIDE = 1
) (
    input  wire clk_in,
    output wire clk,
    output reg  locked
);
    /* verilator no_inline_module */  // else its delays count in the units of the module around it
    localparam integer CYCLES = 16;
    localparam integer LOOK = 1000;  // ps, less than a period of clk
    integer count;
    reg [63:0] first, start;  // ps
    reg [63:0] period, next;  // 1/65536 ps
    reg rise, fall;
    assign clk = rise ^ fall;

    initial begin
        rise = 1'b0;
        fall = 1'b0;
        locked = 1'b0;
        count = 0;
        period = 64'd0;
    end

    /* verilator lint_off BLKSEQ */  // time passes here
    always @(posedge clk_in) begin
        if (count == CYCLES) begin
            period = (($time - first) << 16) * DIVIDE / (CYCLES * MULTIPLY);
            if (!locked) start = $time;
            locked = 1'b1;
            count = 0;
`ifdef WEIR_SIM_OSCILLATOR
            `WEIR_SIM_OSCILLATOR.rest = 1'b1;
`endif
        end else begin
            if (count == 0) first = $time;
            count = count + 1;
        end
    end

    initial begin
        while (locked !== 1'b1) #(LOOK);  // a process that waits for an event costs Verilator time at every other one
        next = start << 16;
        forever begin
            next = next + period;
            #((next >> 16) - $time) rise = !rise;
        end
    end
    /* verilator lint_on BLKSEQ */

    always @(posedge clk) fall <= rise;
endmodule
