// Xilinx' PLLE2_BASE for simulation: CLKOUT0 is CLKFBOUT_MULT / (DIVCLK_DIVIDE * CLKOUT0_DIVIDE) times as fast as
// CLKIN1; the other outputs, phases and feedback are left out. Written from UG472.
`timescale 1ps / 1ps
module PLLE2_BASE #(
    parameter real CLKIN1_PERIOD = 0.0,
    parameter integer DIVCLK_DIVIDE = 1,
    parameter integer CLKFBOUT_MULT = 5,
    parameter integer CLKOUT0_DIVIDE = 1
) (
    input  wire CLKIN1, CLKFBIN, PWRDWN, RST,
    output wire CLKFBOUT, CLKOUT0, LOCKED
);
    weir_pll_model #(
        .MULTIPLY(CLKFBOUT_MULT),
        .DIVIDE(DIVCLK_DIVIDE * CLKOUT0_DIVIDE)
    ) u_model (
        .clk_in(CLKIN1),
        .clk(CLKOUT0),
        .locked(LOCKED)
    );
    assign CLKFBOUT = 1'b0;
endmodule
