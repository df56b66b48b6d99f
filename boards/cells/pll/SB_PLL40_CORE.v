// Lattice's SB_PLL40_CORE for simulation: feedback SIMPLE, fixed delays. Written from FPGA-TN-02052.
`timescale 1ps / 1ps
module SB_PLL40_CORE #(
    parameter FEEDBACK_PATH = "SIMPLE",
    parameter PLLOUT_SELECT = "GENCLK",
    parameter [3:0] DIVR = 4'd0,
    parameter [6:0] DIVF = 7'd0,
    parameter [2:0] DIVQ = 3'd0,
    parameter [2:0] FILTER_RANGE = 3'd0
) (
    input  wire REFERENCECLK,
    input  wire EXTFEEDBACK,
    input  wire [7:0] DYNAMICDELAY,
    input  wire LATCHINPUTVALUE,
    input  wire SDI,
    input  wire SCLK,
    input  wire BYPASS,
    input  wire RESETB,
    output wire PLLOUTCORE,
    output wire PLLOUTGLOBAL,
    output wire LOCK,
    output wire SDO
);
    wire made;
    weir_pll_model #(
        .MULTIPLY({25'd0, DIVF} + 1),
        .DIVIDE(({28'd0, DIVR} + 1) << DIVQ)
    ) u_model (
        .clk_in(REFERENCECLK),
        .clk(made),
        .locked(LOCK)
    );
    assign PLLOUTCORE = BYPASS ? REFERENCECLK : made & RESETB;
    assign PLLOUTGLOBAL = PLLOUTCORE;
    assign SDO = 1'b0;
endmodule
