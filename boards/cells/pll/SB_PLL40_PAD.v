// Lattice's SB_PLL40_PAD for simulation: feedback SIMPLE, fixed delays. Written from FPGA-TN-02052.
`timescale 1ps / 1ps
module SB_PLL40_PAD #(
    parameter FEEDBACK_PATH = "SIMPLE",
    parameter DELAY_ADJUSTMENT_MODE_FEEDBACK = "FIXED",
    parameter DELAY_ADJUSTMENT_MODE_RELATIVE = "FIXED",
    parameter SHIFTREG_DIV_MODE = 0,
    parameter [3:0] FDA_FEEDBACK = 4'd0,
    parameter [3:0] FDA_RELATIVE = 4'd0,
    parameter PLLOUT_SELECT = "GENCLK",
    parameter ENABLE_ICEGATE = 1'b0,
    parameter TEST_MODE = 1'b0,
    parameter [3:0] DIVR = 4'd0,
    parameter [6:0] DIVF = 7'd0,
    parameter [2:0] DIVQ = 3'd0,
    parameter [2:0] FILTER_RANGE = 3'd0
) (
    input  wire       PACKAGEPIN, EXTFEEDBACK,
    input  wire [7:0] DYNAMICDELAY,
    input  wire       LATCHINPUTVALUE, SDI, SCLK, BYPASS, RESETB,
    output wire       PLLOUTCORE, PLLOUTGLOBAL, LOCK, SDO
);
    generate
        if (FEEDBACK_PATH != "SIMPLE" || PLLOUT_SELECT != "GENCLK") begin : g_check
            weir_pll_FEEDBACK_PATH_must_be_SIMPLE_and_PLLOUT_SELECT_GENCLK u_error ();
        end
    endgenerate
    wire made;
    weir_pll_model #(
        .MULTIPLY({25'd0, DIVF} + 1),
        .DIVIDE(({28'd0, DIVR} + 1) << DIVQ)
    ) u_model (
        .clk_in(PACKAGEPIN),
        .clk(made),
        .locked(LOCK)
    );
    assign PLLOUTCORE = BYPASS ? PACKAGEPIN : made & RESETB;
    assign PLLOUTGLOBAL = PLLOUTCORE;
    assign SDO = 1'b0;
endmodule
