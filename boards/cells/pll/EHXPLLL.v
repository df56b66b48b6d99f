// Lattice's EHXPLLL for simulation: feedback from CLKOP, phases 0; CLKOP and CLKOS. Written from FPGA-TN-02200.
`timescale 1ps / 1ps
module EHXPLLL #(
    parameter FEEDBK_PATH = "CLKOP",
    parameter CLKI_DIV = 1,
    parameter CLKFB_DIV = 1,
    parameter CLKOP_ENABLE = "ENABLED",
    parameter CLKOP_DIV = 8,
    parameter CLKOP_CPHASE = 0,
    parameter CLKOP_FPHASE = 0,
    parameter CLKOS_ENABLE = "DISABLED",
    parameter CLKOS_DIV = 8,
    parameter CLKOS_CPHASE = 0,
    parameter CLKOS_FPHASE = 0
) (
    input  wire CLKI,
    input  wire CLKFB,
    input  wire PHASESEL1,
    input  wire PHASESEL0,
    input  wire PHASEDIR,
    input  wire PHASESTEP,
    input  wire PHASELOADREG,
    input  wire STDBY,
    input  wire PLLWAKESYNC,
    input  wire RST,
    input  wire ENCLKOP,
    input  wire ENCLKOS,
    input  wire ENCLKOS2,
    input  wire ENCLKOS3,
    output wire CLKOP,
    output wire CLKOS,
    output wire CLKOS2,
    output wire CLKOS3,
    output wire LOCK,
    output wire INTLOCK,
    output wire REFCLK,
    output wire CLKINTFB
);
    weir_pll_model #(
        .MULTIPLY(CLKFB_DIV),
        .DIVIDE(CLKI_DIV)
    ) u_feedback (
        .clk_in(CLKI),
        .clk(CLKOP),
        .locked(INTLOCK)
    );
    weir_pll_model #(
        .MULTIPLY(CLKFB_DIV * CLKOP_DIV),
        .DIVIDE(CLKI_DIV * CLKOS_DIV)
    ) u_output (
        .clk_in(CLKI),
        .clk(CLKOS),
        .locked(LOCK)
    );
    assign CLKOS2 = 1'b0;
    assign CLKOS3 = 1'b0;
    assign REFCLK = CLKI;
    assign CLKINTFB = 1'b0;
endmodule
