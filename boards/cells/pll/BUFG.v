// Xilinx' BUFG for simulation: a wire. Written from UG472.
`timescale 1ps / 1ps
module BUFG (
    input  wire I,
    output wire O
);
    assign O = I;
endmodule
