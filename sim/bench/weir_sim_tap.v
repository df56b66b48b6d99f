// Passive probe of a stream between two nodes: records the accepted beats and checks the protocol (u_check).
// Simulation only; a ring of DEPTH beats (a power of two, at least 32).
`timescale 1ns / 1ns
`default_nettype none
module weir_sim_tap #(
    parameter WIDTH = 8,
    parameter DEPTH = 1024
) (
    input  wire             clk, rst,
    input  wire [31:0]      cycle,
    input  wire             s_valid, s_ready,
    input  wire [WIDTH-1:0] s_data,
    input  wire             s_last,
    output wire             request
);
    wire unused_space;

    weir_sim_record #(.WIDTH(WIDTH), .DEPTH(DEPTH)) u_record (
        .clk(clk), .rst(rst), .cycle(cycle), .valid(s_valid), .ready(s_ready), .data(s_data), .last(s_last),
        .error(1'b0), .space(unused_space), .request(request)
    );
    weir_sim_check #(.WIDTH(WIDTH)) u_check (
        .clk(clk), .rst(rst), .cycle(cycle), .enable(u_record.enable), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
        .s_last(s_last), .s_error(1'b0)
    );
endmodule
`default_nettype wire
