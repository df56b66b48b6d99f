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
    input  wire CLKI, CLKFB, PHASESEL1, PHASESEL0, PHASEDIR, PHASESTEP, PHASELOADREG, STDBY, PLLWAKESYNC, RST, ENCLKOP,
                ENCLKOS, ENCLKOS2, ENCLKOS3,
    output wire CLKOP, CLKOS, CLKOS2, CLKOS3, LOCK, INTLOCK, REFCLK, CLKINTFB
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
