// Stream source of a bench: plays the words that the C harness keeps putting into a ring memory.
// Once valid is high, valid and data hold until accepted; while it is low, data and last are LFSR garbage.
// A full beat a cycle with profile 0. Profiles: 0 always valid, 1 valid half of the time, 2 an eighth, 3 bursts.
//
// The harness writes mem, limit, more, seed and profile on falling edges only. A record is a beat of the stimulus file:
// the data in whole 32-bit words, then a flags word (bit 0: last, bit 4: reset_state); PACK records share a ring word,
// lowest bits first, because the price of a VPI access is per word.
// Simulation only; a ring of DEPTH beats (a power of two, at least 32). Wide vectors are handled in clocked code only,
// where Icarus is fast.
`timescale 1ns / 1ns
`default_nettype none
module weir_sim_source #(
    parameter WIDTH = 8,
    parameter DEPTH = 1024
) (
    input  wire             clk, rst,
    input  wire [31:0]      cycle,
    output reg              m_valid,
    input  wire             m_ready,
    output reg  [WIDTH-1:0] m_data,
    output reg              m_last,
    output reg              m_reset_state,  // with a frame's first beat: a sequence begins
    input  wire [7:0]       m_error_count,  // of damaged frames, by the design
    output reg              request
);
    localparam WORDS = (WIDTH + 31) / 32;
    localparam RECORD = 32 * (WORDS + 1);
    localparam PACK = RECORD <= 64 ? 16 : RECORD <= 128 ? 8 : RECORD <= 256 ? 4 : RECORD <= 512 ? 2 : 1;

    reg [PACK*RECORD-1:0] mem [0:DEPTH/PACK-1] /*verilator public_flat_rw*/;
    reg [31:0] width /*verilator public_flat_rd*/;
    reg [31:0] depth /*verilator public_flat_rd*/;
    reg [31:0] pack /*verilator public_flat_rd*/;
    reg [31:0] seed /*verilator public_flat_rw*/;
    reg [1:0]  profile /*verilator public_flat_rw*/;
    reg        more /*verilator public_flat_rw*/;          // the harness has beats beyond `limit`
    reg [31:0] limit /*verilator public_flat_rw*/;         // beats written to the ring so far
    reg [31:0] count /*verilator public_flat_rd*/;         // beats accepted so far
    reg [31:0] first_cycle /*verilator public_flat_rd*/;   // of the first accepted beat
    reg [31:0] last_cycle /*verilator public_flat_rd*/;    // of the newest accepted beat
    reg [31:0] errors /*verilator public_flat_rd*/;        // what the design has counted

    reg [31:0] next_q;  // beats moved to the output register so far
    reg [31:0] lfsr_q;
    reg        burst_q;
    reg        go;

    initial begin
        width = WIDTH;
        depth = DEPTH;
        pack = PACK;
        seed = 32'd1;
        profile = 2'd0;
        more = 1'b0;
        limit = 32'd0;
        count = 32'd0;
        first_cycle = 32'd0;
        last_cycle = 32'd0;
        errors = 32'd0;
        m_valid = 1'b0;
        request = 1'b0;
    end

    /* verilator lint_off BLKSEQ */  // `go` is a temporary of the clocked block
    /* verilator lint_off WIDTH */  // garbage is whole words, the excess is cut off
    always @(posedge clk) begin
        if (rst) begin
            lfsr_q <= seed;
            burst_q <= 1'b0;
            next_q <= 32'd0;
            count <= 32'd0;
            request <= 1'b0;
            m_valid <= 1'b0;
        end else begin
            lfsr_q <= (lfsr_q >> 1) ^ (lfsr_q[0] ? 32'ha3000000 : 32'd0);
            if (lfsr_q[15:12] == 4'd0) burst_q <= lfsr_q[20];
            errors <= {24'd0, m_error_count};
            request <= more && limit - count <= DEPTH / 2;
            if (m_valid && m_ready) begin
                count <= count + 32'd1;
                last_cycle <= cycle;
                if (count == 32'd0) first_cycle <= cycle;
            end
            case (profile)
                2'd0: go = 1'b1;
                2'd1: go = lfsr_q[4];
                2'd2: go = lfsr_q[6:4] == 3'd0;
                default: go = burst_q;
            endcase
            if (!m_valid || m_ready) begin
                if (go && next_q != limit) begin
                    m_valid <= 1'b1;
                    m_data <= mem[(next_q % DEPTH) / PACK][next_q % PACK * RECORD +: WIDTH];
                    m_last <= mem[(next_q % DEPTH) / PACK][next_q % PACK * RECORD + 32 * WORDS];
                    m_reset_state <= mem[(next_q % DEPTH) / PACK][next_q % PACK * RECORD + 32 * WORDS + 4];
                    next_q <= next_q + 32'd1;
                end else begin
                    m_valid <= 1'b0;
                    m_data <= {WORDS{lfsr_q}};
                    m_last <= lfsr_q[9];
                    m_reset_state <= lfsr_q[11];
                end
            end
        end
    end
    /* verilator lint_on WIDTH */
    /* verilator lint_on BLKSEQ */
endmodule
`default_nettype wire
