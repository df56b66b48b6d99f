// Writes a line `trace INDEX BITS` whenever `stable` rises: what a design's outputs are after a row of
// weir_sim_stimulus. Bits are 0, 1, x or z, the most significant one first. Simulation only.
`timescale 1ns / 1ns
`default_nettype none
module weir_sim_trace #(
    parameter WIDTH = 8,
    parameter INDEX = 0
) (
    input wire             stable,
    input wire [WIDTH-1:0] data
);
    always @(posedge stable) $display("trace %0d %b", INDEX, data);
endmodule
`default_nettype wire
