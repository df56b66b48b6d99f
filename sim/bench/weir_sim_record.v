// Recorder of accepted beats in a ring memory that the C harness drains on request; shared by sink and tap.
// A record is a beat of the result file: the data in whole 32-bit words, a flags word (bit 0: last, bit 3: error), the
// cycle; PACK records share a ring word, lowest bits first, because the price of a VPI access is per word. `request`
// rises when the ring is half full, and once when `count` reaches `target`; service comes in the same clock cycle, so
// the ring never overflows. Simulation only; a ring of DEPTH beats (a power of two, at least 32). Wide vectors are
// handled in clocked code only, where Icarus is fast.
`timescale 1ns / 1ns
`default_nettype none
module weir_sim_record #(
    parameter WIDTH = 8,
    parameter DEPTH = 1024
) (
    input  wire             clk, rst,
    input  wire [31:0]      cycle,
    input  wire             valid, ready,
    input  wire [WIDTH-1:0] data,
    input  wire             last, error,
    output reg              space,  // for three more beats
    output reg              request
);
    localparam WORDS = (WIDTH + 31) / 32;
    localparam RECORD = 32 * (WORDS + 2);
    localparam PACK = RECORD <= 64 ? 16 : RECORD <= 128 ? 8 : RECORD <= 256 ? 4 : RECORD <= 512 ? 2 : 1;

    reg [PACK*RECORD-1:0] mem [0:DEPTH/PACK-1] /*verilator public_flat_rd*/;
    reg [31:0] width /*verilator public_flat_rd*/;
    reg [31:0] depth /*verilator public_flat_rd*/;
    reg [31:0] pack /*verilator public_flat_rd*/;
    reg        enable /*verilator public_flat_rw*/;        // else nothing happens
    reg [31:0] target /*verilator public_flat_rw*/;        // beats expected
    reg [31:0] drained /*verilator public_flat_rw*/;       // beats the harness has taken
    reg [31:0] count /*verilator public_flat_rd*/;         // beats accepted
    reg [31:0] first_cycle /*verilator public_flat_rd*/;   // of the first accepted beat
    reg [31:0] last_cycle /*verilator public_flat_rd*/;    // of the newest accepted beat

    reg [RECORD-1:0] record;

    initial begin
        width = WIDTH;
        depth = DEPTH;
        pack = PACK;
        enable = 1'b0;
        target = 32'd0;
        drained = 32'd0;
        count = 32'd0;
        first_cycle = 32'd0;
        last_cycle = 32'd0;
        request = 1'b0;
        record = {RECORD{1'b0}};
    end

    /* verilator lint_off BLKSEQ */  // `record` is a temporary of the clocked block
    always @(posedge clk) begin
        if (rst) begin
            count <= 32'd0;
            space <= 1'b1;
            request <= 1'b0;
        end else if (enable) begin
            space <= count - drained < DEPTH - 2;
            request <= count - drained >= DEPTH / 2;
            if (valid && ready) begin
                record[WIDTH-1:0] = data;
                record[32*WORDS] = last;
                record[32*WORDS+3] = last && error;
                record[32*WORDS+32+:32] = cycle;
                mem[(count % DEPTH) / PACK][count % PACK * RECORD +: RECORD] <= record;
                if (count + 32'd1 == target) request <= 1'b1;
                count <= count + 32'd1;
                last_cycle <= cycle;
                if (count == 32'd0) first_cycle <= cycle;
            end
        end
    end
    /* verilator lint_on BLKSEQ */
endmodule
`default_nettype wire
