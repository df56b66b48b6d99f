// A clock of a 7 series PLL: the oscillator runs at clk_in / DIVCLK_DIVIDE * CLKFBOUT_MULT, clk is that by
// CLKOUT0_DIVIDE. The parameters are those that `weir boards BOARD --clock MHZ` tells (toolchain/board/clock.c).
// Resources: one PLLE2_BASE and one BUFG. Not run here: no free tool of the distribution places this device.
module weir_pll_xilinx7 #(
    parameter CLKIN_HZ = 100000000,
    parameter DIVCLK_DIVIDE = 1,
    parameter CLKFBOUT_MULT = 10,
    parameter CLKOUT0_DIVIDE = 10
) (
    input  wire clk_in,
    output wire clk, locked
);
    wire feedback, clk_0;
    PLLE2_BASE #(
        .CLKIN1_PERIOD(1.0e9 / CLKIN_HZ),
        .DIVCLK_DIVIDE(DIVCLK_DIVIDE),
        .CLKFBOUT_MULT(CLKFBOUT_MULT),
        .CLKOUT0_DIVIDE(CLKOUT0_DIVIDE)
    ) u_pll (
        .CLKIN1(clk_in),
        .CLKFBIN(feedback),
        .CLKFBOUT(feedback),
        .CLKOUT0(clk_0),
        .LOCKED(locked),
        .PWRDWN(1'b0),
        .RST(1'b0)
    );
    BUFG u_buffer (
        .I(clk_0),
        .O(clk)
    );
endmodule
