// Recorder of accepted beats in a ring memory that the C harness drains on request; shared by sink and tap.
// A ring word is the record of the result file: the data in whole 32-bit words, a flags word (bit 0: last), the cycle.
// `request` rises when the ring is half full, and once when `count` reaches `target`; service comes in the same clock
// cycle, so a ring of at least 8 beats never overflows.
// Simulation only; a ring of DEPTH beats (a power of two, at least 8).
`timescale 1ns / 1ns
module weir_sim_record #(
    parameter WIDTH = 8,
    parameter DEPTH = 1024
) (
    input  wire             clk,
    input  wire             rst,
    input  wire [31:0]      cycle,
    input  wire             accept,
    input  wire [WIDTH-1:0] data,
    input  wire             last,
    output wire             space,
    output reg              request
);
    localparam WORDS = (WIDTH + 31) / 32;
    localparam ADDRESS = $clog2(DEPTH);

    reg [32*(WORDS+2)-1:0] mem [0:DEPTH-1] /*verilator public_flat_rd*/;
    reg [31:0] width /*verilator public_flat_rd*/;
    reg [31:0] depth /*verilator public_flat_rd*/;
    reg        enable /*verilator public_flat_rw*/;        // record at all
    reg [31:0] target /*verilator public_flat_rw*/;        // beats expected
    reg [31:0] drained /*verilator public_flat_rw*/;       // beats the harness has taken
    reg [31:0] count /*verilator public_flat_rd*/;         // beats accepted
    reg [31:0] first_cycle /*verilator public_flat_rd*/;   // of the first accepted beat
    reg [31:0] last_cycle /*verilator public_flat_rd*/;    // of the newest accepted beat

    wire [31:0] count_d = count + 32'd1;
    wire [32*WORDS-1:0] padded;

    generate
        if (32 * WORDS == WIDTH) begin : g_whole
            assign padded = data;
        end else begin : g_pad
            assign padded = {{(32 * WORDS - WIDTH) {1'b0}}, data};
        end
    endgenerate

    // One beat may be accepted between this test and the cycle that uses it.
    assign space = count - drained < DEPTH - 1;

    initial begin
        width = WIDTH;
        depth = DEPTH;
        enable = 1'b0;
        target = 32'd0;
        drained = 32'd0;
        count = 32'd0;
        first_cycle = 32'd0;
        last_cycle = 32'd0;
        request = 1'b0;
    end

    always @(posedge clk) begin
        if (rst) begin
            count <= 32'd0;
            request <= 1'b0;
        end else begin
            request <= enable && ((accept && count_d == target) || count - drained >= DEPTH / 2);
            if (accept) begin
                if (enable) mem[count[ADDRESS-1:0]] <= {cycle, 31'd0, last, padded};
                count <= count_d;
                last_cycle <= cycle;
                if (count == 32'd0) first_cycle <= cycle;
            end
        end
    end
endmodule
