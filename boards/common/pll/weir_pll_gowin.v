// A clock of Gowin's rPLL: clk_in / (IDIV_SEL + 1) * (FBDIV_SEL + 1); the oscillator runs ODIV_SEL times as fast.
// FCLKIN is clk_in in MHz. The parameters are those that `weir boards BOARD --clock MHZ` tells
// (toolchain/board/clock.c). Resources: one rPLL.
module weir_pll_gowin #(
    parameter FCLKIN = "27",
    parameter IDIV_SEL = 2,
    parameter FBDIV_SEL = 6,
    parameter ODIV_SEL = 16
) (
    input  wire clk_in,
    output wire clk, locked
);
    rPLL #(
        .FCLKIN(FCLKIN),
        .IDIV_SEL(IDIV_SEL),
        .FBDIV_SEL(FBDIV_SEL),
        .ODIV_SEL(ODIV_SEL)
    ) u_pll (
        .CLKIN(clk_in),
        .CLKFB(1'b0),
        .CLKOUT(clk),
        .LOCK(locked),
        .RESET(1'b0),
        .RESET_P(1'b0),
        .FBDSEL(6'b0),
        .IDSEL(6'b0),
        .ODSEL(6'b0),
        .PSDA(4'b0),
        .DUTYDA(4'b0),
        .FDLY(4'b0)
    );
endmodule
