// A clock of ECP5's PLL: the oscillator runs at clk_in / CLKI_DIV * CLKFB_DIV * CLKOP_DIV, fed back through CLKOP; clk
// is that by CLKOS_DIV. The parameters are those that `weir boards BOARD --clock MHZ` tells (toolchain/board/clock.c).
// Phases are those of Lattice's Clarity: divider - 1 is 0 degrees. Resources: one EHXPLLL.
module weir_pll_ecp5 #(
    parameter CLKI_DIV = 1,
    parameter CLKFB_DIV = 1,
    parameter CLKOP_DIV = 24,
    parameter CLKOS_DIV = 6
) (
    input  wire clk_in,
    output wire clk, locked
);
    wire feedback;
    (* ICP_CURRENT = "12" *) (* LPF_RESISTOR = "8" *) (* MFG_ENABLE_FILTEROPAMP = "1" *) (* MFG_GMCREF_SEL = "2" *)
    EHXPLLL #(
        .FEEDBK_PATH("CLKOP"),
        .CLKI_DIV(CLKI_DIV),
        .CLKFB_DIV(CLKFB_DIV),
        .CLKOP_ENABLE("ENABLED"),
        .CLKOP_DIV(CLKOP_DIV),
        .CLKOP_CPHASE(CLKOP_DIV - 1),
        .CLKOP_FPHASE(0),
        .CLKOS_ENABLE("ENABLED"),
        .CLKOS_DIV(CLKOS_DIV),
        .CLKOS_CPHASE(CLKOS_DIV - 1),
        .CLKOS_FPHASE(0)
    ) u_pll (
        .CLKI(clk_in),
        .CLKFB(feedback),
        .CLKOP(feedback),
        .CLKOS(clk),
        .LOCK(locked),
        .PHASESEL1(1'b0),
        .PHASESEL0(1'b0),
        .PHASEDIR(1'b1),
        .PHASESTEP(1'b1),
        .PHASELOADREG(1'b1),
        .STDBY(1'b0),
        .PLLWAKESYNC(1'b0),
        .RST(1'b0),
        .ENCLKOP(1'b0),
        .ENCLKOS(1'b0),
        .ENCLKOS2(1'b0),
        .ENCLKOS3(1'b0)
    );
endmodule
