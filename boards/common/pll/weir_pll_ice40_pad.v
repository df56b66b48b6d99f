// A clock of iCE40's PLL: clk_in / (DIVR + 1) * (DIVF + 1) / 2^DIVQ. The parameters are those that
// `weir boards BOARD --clock MHZ` tells (toolchain/board/clock.c). Latency: the PLL locks within 50 us. Resources: one
// SB_PLL40_PAD, for boards whose clock is at the pad of the PLL: nextpnr refuses the other form there.
module weir_pll_ice40_pad #(
    parameter [3:0] DIVR = 4'd0,
    parameter [6:0] DIVF = 7'd63,
    parameter [2:0] DIVQ = 3'd4,
    parameter [2:0] FILTER_RANGE = 3'd1
) (
    input  wire clk_in,
    output wire clk, locked
);
    SB_PLL40_PAD #(
        .FEEDBACK_PATH("SIMPLE"),
        .PLLOUT_SELECT("GENCLK"),
        .DIVR(DIVR),
        .DIVF(DIVF),
        .DIVQ(DIVQ),
        .FILTER_RANGE(FILTER_RANGE)
    ) u_pll (
        .PACKAGEPIN(clk_in),
        .PLLOUTGLOBAL(clk),
        .LOCK(locked),
        .BYPASS(1'b0),
        .RESETB(1'b1)
    );
endmodule
