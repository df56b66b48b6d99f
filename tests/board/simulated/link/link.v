// A board with the least accelerator there is: frames of 16 bytes come back. Its PLL makes 24 MHz of 12.
`default_nettype none
module weir_board (
    input  wire clk, rx,
    output wire tx
);
    wire core_clk, locked, rst, restart, s_valid, s_ready, s_last, m_valid, m_ready, m_last, led;
    wire [7:0] s_data, m_data;

    weir_pll_ice40_pad #(
        .DIVR(4'd0),
        .DIVF(7'd63),
        .DIVQ(3'd5),
        .FILTER_RANGE(3'd1)
    ) u_pll (
        .clk_in(clk),
        .clk(core_clk),
        .locked(locked)
    );

    weir_board_reset u_reset (
        .clk(core_clk),
        .locked(locked),
        .button(1'b0),
        .rst(rst)
    );

    weir_board_core #(
        .CLOCK_HZ(24000000),
        .BAUD(3000000),
        .BUILD(32'h600DB0A2),
        .MODEL(32'h12345678),
        .IN_BEATS(16),
        .OUT_BEATS(16)
    ) u_core (
        .clk(core_clk),
        .rst(rst),
        .rx(rx),
        .tx(tx),
        .led(led),

        .accelerator_rst(restart),
        .s_valid(s_valid),
        .s_ready(s_ready),
        .s_data(s_data),
        .s_last(s_last),
        .s_error_count(8'd0),
        .m_valid(m_valid),
        .m_ready(m_ready),
        .m_data(m_data),
        .m_last(m_last),
        .m_error(1'b0),
        .bench_vary(8'd255),
        .bench_ones(8'd0),
        .tap_moves(1'b0),
        .tap_data(8'd0)
    );

    weir_register_slice #(
        .WIDTH(8)
    ) u_accelerator (
        .clk(core_clk),
        .rst(restart),
        .s_valid(s_valid),
        .s_ready(s_ready),
        .s_data(s_data),
        .s_last(s_last),
        .m_valid(m_valid),
        .m_ready(m_ready),
        .m_data(m_data),
        .m_last(m_last)
    );
endmodule
`default_nettype wire
