// Gowin's rPLL for simulation: static dividers, CLKOUT. Written from UG286.
`timescale 1ps / 1ps
module rPLL #(
    parameter FCLKIN = "100.0",
    parameter IDIV_SEL = 0,
    parameter FBDIV_SEL = 0,
    parameter ODIV_SEL = 8
) (
    input  wire       CLKIN, CLKFB, RESET, RESET_P,
    input  wire [5:0] FBDSEL, IDSEL, ODSEL,
    input  wire [3:0] PSDA, DUTYDA, FDLY,
    output wire       CLKOUT, CLKOUTP, CLKOUTD, CLKOUTD3, LOCK
);
    weir_pll_model #(
        .MULTIPLY(FBDIV_SEL + 1),
        .DIVIDE(IDIV_SEL + 1)
    ) u_model (
        .clk_in(CLKIN),
        .clk(CLKOUT),
        .locked(LOCK)
    );
    assign CLKOUTP = 1'b0;
    assign CLKOUTD = 1'b0;
    assign CLKOUTD3 = 1'b0;
endmodule
