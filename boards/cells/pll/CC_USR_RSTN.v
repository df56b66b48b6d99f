// Cologne Chip's CC_USR_RSTN for simulation: low at first, as while the device is configured. Written from UG1001.
`timescale 1ps / 1ps
module CC_USR_RSTN (
    output reg USR_RSTN
);
    initial begin
        USR_RSTN = 1'b0;
        #1000000 USR_RSTN = 1'b1;
    end
endmodule
