// Cologne Chip's CC_BUFG for simulation: a wire.
`timescale 1ps / 1ps
module CC_BUFG (
    input  wire I,
    output wire O
);
    assign O = I;
endmodule
