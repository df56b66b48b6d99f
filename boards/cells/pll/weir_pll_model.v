// What all models of PLLs do: measures the period of clk_in over 16 cycles, again and again, and makes a clock MULTIPLY / DIVIDE times as fast; locked after
// the first measurement. The clock's edges lie where they belong to a picosecond, so that errors do not add up. For simulation only.
`timescale 1ps / 1ps
module weir_pll_model #(
    parameter integer MULTIPLY = 1,
    parameter integer DIVIDE = 1
) (
    input  wire clk_in,
    output reg  clk,
    output reg  locked
);
    localparam integer CYCLES = 16;
    integer count;
    real first, half, next;

    initial begin
        clk = 1'b0;
        locked = 1'b0;
        count = 0;
        half = 0.0;
    end

    always @(posedge clk_in) begin
        if (count == 0) first = $realtime;
        if (count == CYCLES) begin
            half = ($realtime - first) * DIVIDE / (2.0 * CYCLES * MULTIPLY);
            first = $realtime;
            count = 1;
            locked = 1'b1;
        end else begin
            count = count + 1;
        end
    end

    always begin
        if (!locked) begin
            @(posedge locked);
            next = $realtime;
        end
        next = next + half;
        #(next - $realtime) clk = ~clk;
    end
endmodule
