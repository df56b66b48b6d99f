// Protocol check of one stream: valid, once high, stays high with the same data and last until ready accepts it;
// valid and ready are known, while `enable` is high. The first offence is kept. Passive; simulation only.
`timescale 1ns / 1ns
`default_nettype none
module weir_sim_check #(
    parameter WIDTH = 8
) (
    input wire             clk, rst,
    input wire [31:0]      cycle,
    input wire             enable, s_valid, s_ready,
    input wire [WIDTH-1:0] s_data,
    input wire             s_last, s_error
);
    // 0 none, 1 valid dropped, 2 data changed, 3 last or error changed, 4 valid or ready unknown
    reg [2:0]  violation /*verilator public_flat_rd*/;
    reg [31:0] violation_cycle /*verilator public_flat_rd*/;

    reg             waiting_q;
    reg [WIDTH-1:0] data_q;
    reg             last_q;
    reg             error_q;
    reg [2:0]       kind;

    initial begin
        violation = 3'd0;
        violation_cycle = 32'd0;
        waiting_q = 1'b0;
    end

    /* verilator lint_off BLKSEQ */  // `kind` is a temporary of the clocked block
    always @(posedge clk) begin
        if (rst) begin
            waiting_q <= 1'b0;
        end else if (enable) begin
            kind = 3'd0;
            if ((s_valid ^ s_ready) === 1'bx) kind = 3'd4;
            if (waiting_q) begin
                if (s_valid === 1'b0) kind = 3'd1;
                else if (s_data !== data_q) kind = 3'd2;
                else if (s_last !== last_q || (s_last && s_error !== error_q)) kind = 3'd3;
            end
            if (kind != 3'd0 && violation == 3'd0) begin
                violation <= kind;
                violation_cycle <= cycle;
            end
            waiting_q <= s_valid && !s_ready;
            if (s_valid && !s_ready) begin
                data_q <= s_data;
                last_q <= s_last;
                error_q <= s_error;
            end
        end
    end
    /* verilator lint_on BLKSEQ */
endmodule
`default_nettype wire
