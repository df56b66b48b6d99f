// A clock of GateMate's PLL: the placement tool finds the dividers that make OUT_CLK of REF_CLK, both in MHz. The
// parameters are those that `weir boards BOARD --clock MHZ` tells (toolchain/board/clock.c), which can be made exactly.
// Resources: one CC_PLL and one CC_BUFG.
module weir_pll_gatemate #(
    parameter REF_CLK = "10",
    parameter OUT_CLK = "50"
) (
    input  wire clk_in,
    output wire clk, locked
);
    wire clk_0;
    CC_PLL #(
        .REF_CLK(REF_CLK),
        .OUT_CLK(OUT_CLK),
        .PERF_MD("ECONOMY"),
        .LOW_JITTER(1)
    ) u_pll (
        .CLK_REF(clk_in),
        .CLK_FEEDBACK(1'b0),
        .USR_CLK_REF(1'b0),
        .USR_LOCKED_STDY_RST(1'b0),
        .USR_PLL_LOCKED(locked),
        .CLK0(clk_0)
    );
    CC_BUFG u_buffer (
        .I(clk_0),
        .O(clk)
    );
endmodule
