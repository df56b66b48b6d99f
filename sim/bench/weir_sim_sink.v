// Stream sink of a bench: accepts beats by profile and records data, last, cycle of each (u_record).
// Profiles: 0 always ready, 1 ready half of the time, 2 an eighth, 3 ready only after valid has been seen.
// Not ready while the ring is full, which the harness prevents. Checks the protocol too (u_check).
// Simulation only; a ring of DEPTH beats (a power of two, at least 32).
`timescale 1ns / 1ns
`default_nettype none
module weir_sim_sink #(
    parameter WIDTH = 8,
    parameter DEPTH = 1024
) (
    input  wire             clk, rst,
    input  wire [31:0]      cycle,
    input  wire             s_valid,
    output reg              s_ready,
    input  wire [WIDTH-1:0] s_data,
    input  wire             s_last,
    input  wire             s_error,  // with s_last: the frame is damaged
    output wire             request
);
    reg [31:0] seed /*verilator public_flat_rw*/;
    reg [1:0]  profile /*verilator public_flat_rw*/;

    reg [31:0] lfsr_q;
    wire       space;

    weir_sim_record #(.WIDTH(WIDTH), .DEPTH(DEPTH)) u_record (
        .clk(clk), .rst(rst), .cycle(cycle), .valid(s_valid), .ready(s_ready), .data(s_data), .last(s_last),
        .error(s_error), .space(space), .request(request)
    );
    weir_sim_check #(.WIDTH(WIDTH)) u_check (
        .clk(clk), .rst(rst), .cycle(cycle), .enable(u_record.enable), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
        .s_last(s_last), .s_error(s_error)
    );

    initial begin
        seed = 32'd1;
        profile = 2'd0;
        s_ready = 1'b0;
    end

    always @(posedge clk) begin
        if (rst) begin
            lfsr_q <= seed;
            s_ready <= 1'b0;
        end else begin
            lfsr_q <= (lfsr_q >> 1) ^ (lfsr_q[0] ? 32'ha3000000 : 32'd0);
            case (profile)
                2'd0: s_ready <= space;
                2'd1: s_ready <= space && lfsr_q[4];
                2'd2: s_ready <= space && lfsr_q[6:4] == 3'd0;
                default: s_ready <= space && s_valid && !s_ready;
            endcase
        end
    end
endmodule
`default_nettype wire
