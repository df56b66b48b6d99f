// Performance counters of one node, from its first accepted input on; the C harness reads them at the end.
// busy: cycles with `active`; starved: not active, ready for an input that is not there; blocked: an output is waiting.
// occupancy: with IS_FIFO the largest number of beats inside, input beats minus output beats.
// Simulation only.
`timescale 1ns / 1ns
`default_nettype none
module weir_sim_meter #(
    parameter IS_FIFO = 0
) (
    input wire        clk, rst,
    input wire [31:0] cycle,
    input wire        in_valid, in_ready, out_valid, out_ready, active
);
    reg        enable /*verilator public_flat_rw*/;     // else nothing is counted
    reg [31:0] busy /*verilator public_flat_rd*/;
    reg [31:0] starved /*verilator public_flat_rd*/;
    reg [31:0] blocked /*verilator public_flat_rd*/;
    reg [31:0] occupancy /*verilator public_flat_rd*/;
    reg [31:0] in_beats /*verilator public_flat_rd*/;
    reg [31:0] out_beats /*verilator public_flat_rd*/;
    reg [31:0] first_in /*verilator public_flat_rd*/;   // cycle of the first accepted input
    reg [31:0] last_out /*verilator public_flat_rd*/;   // cycle of the newest accepted output

    wire in_accept = in_valid && in_ready;
    wire out_accept = out_valid && out_ready;
    wire started = in_accept || in_beats != 32'd0;

    initial begin
        enable = 1'b0;
        busy = 32'd0;
        starved = 32'd0;
        blocked = 32'd0;
        occupancy = 32'd0;
        in_beats = 32'd0;
        out_beats = 32'd0;
        first_in = 32'd0;
        last_out = 32'd0;
    end

    always @(posedge clk) begin
        if (!rst && enable) begin
            if (in_accept) in_beats <= in_beats + 32'd1;
            if (in_accept && in_beats == 32'd0) first_in <= cycle;
            if (out_accept) out_beats <= out_beats + 32'd1;
            if (out_accept) last_out <= cycle;
            if (started && active) busy <= busy + 32'd1;
            if (started && !active && in_ready && !in_valid) starved <= starved + 32'd1;
            if (started && out_valid && !out_ready) blocked <= blocked + 32'd1;
        end
    end

    generate
        if (IS_FIFO != 0) begin : g_fifo
            wire [31:0] held = in_beats - out_beats;
            always @(posedge clk) begin
                if (!rst && enable && held > occupancy) occupancy <= held;
            end
        end
    endgenerate
endmodule
`default_nettype wire
