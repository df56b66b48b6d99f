// Cologne Chip's CC_PLL for simulation: CLK0 is OUT_CLK / REF_CLK times as fast as CLK_REF; the other phases and
// feedback are left out. Written from UG1001.
`timescale 1ps / 1ps
module CC_PLL #(
    parameter REF_CLK = "10.0",
    parameter OUT_CLK = "50.0",
    parameter PERF_MD = "ECONOMY",
    parameter LOW_JITTER = 1,
    parameter CI_FILTER_CONST = 2,
    parameter CP_FILTER_CONST = 4
) (
    input  wire CLK_REF, CLK_FEEDBACK, USR_CLK_REF, USR_LOCKED_STDY_RST,
    output wire USR_PLL_LOCKED_STDY, USR_PLL_LOCKED, CLK270, CLK180, CLK90, CLK0, CLK_REF_OUT
);
    // "12.5" in MHz, to tens of kilohertz.
    function integer hundredths(input [127:0] text);
        integer i, places;
        reg [7:0] c;
        begin
            hundredths = 0;
            places = -1;
            for (i = 15; i >= 0; i = i - 1) begin
                c = text[8*i+:8];
                if (c == 8'h2e) places = 0;
                else if (c >= 8'h30 && c <= 8'h39 && places < 2) begin
                    hundredths = hundredths * 10 + {24'd0, c} - 48;
                    if (places >= 0) places = places + 1;
                end
            end
            if (places < 0) places = 0;
            for (i = 0; i < 2; i = i + 1) if (i >= places) hundredths = hundredths * 10;
        end
    endfunction

    weir_pll_model #(
        .MULTIPLY(hundredths(OUT_CLK)),
        .DIVIDE(hundredths(REF_CLK))
    ) u_model (
        .clk_in(CLK_REF),
        .clk(CLK0),
        .locked(USR_PLL_LOCKED)
    );
    assign USR_PLL_LOCKED_STDY = USR_PLL_LOCKED;
    assign CLK90 = 1'b0;
    assign CLK180 = ~CLK0;
    assign CLK270 = 1'b0;
    assign CLK_REF_OUT = CLK_REF;
endmodule
