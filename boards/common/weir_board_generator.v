// weir_board_generator: frames of numbers that the host can predict, for a benchmark on the chip.
//
// Latency:   the first beat is offered in the cycle after `run` rises.
// Interval:  1 cycle a beat.
// State:     the register of CRC-32, the places in frame and frames.
// The register begins as SEED; a beat is its bits, from bit 0 on and repeated where a beat is wider than 32; after each
// beat the register takes the 8 bits 0 as zlib's does: r = (r >> 8) ^ table[r & 255]. Of a beat the bits of `vary` are
// taken; those of `ones` are 1.
// Mapping:   32 flip-flops with an exclusive or of a few bits each, two counters.
`default_nettype none

module weir_board_generator #(
  parameter integer WIDTH = 8,           // bits of a beat
  parameter [31:0]  BEATS = 1,           // of a frame
  parameter [31:0]  SEED  = 32'hFFFFFFFF // not 0
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             run,
  input  wire [31:0]      frames,  // must not change, nor must
  input  wire [WIDTH-1:0] vary,
  input  wire [WIDTH-1:0] ones,
  output wire             m_valid,
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data,
  output wire             m_last
);
  generate
    if (WIDTH < 1 || BEATS < 1 || SEED == 32'd0) begin : g_check
      weir_board_generator_WIDTH_BEATS_and_SEED_must_be_at_least_1 u_error ();
    end
  endgenerate

  localparam integer BEAT_W = BEATS > 1 ? $clog2(BEATS) : 1;
  localparam [31:0] BEAT_END = BEATS - 32'd1;

  reg [31:0]       state_q, frame_q;
  reg [BEAT_W-1:0] beat_q;
  reg [31:0]       following;
  integer          i;

  wire step = m_valid && m_ready;

  assign m_valid = run && frame_q != frames;
  assign m_last  = beat_q == BEAT_END[BEAT_W-1:0];

  genvar j;
  generate
    for (j = 0; j < WIDTH; j = j + 1) begin : g_bit
      assign m_data[j] = ones[j] || (vary[j] && state_q[j%32]);
    end
  endgenerate

  always @* begin
    following = state_q;
    for (i = 0; i < 8; i = i + 1)
      following = {1'b0, following[31:1]} ^ (following[0] ? 32'hEDB88320 : 32'd0);
  end

  always @(posedge clk)
    if (rst) begin
      state_q <= SEED;
      beat_q  <= {BEAT_W{1'b0}};
      frame_q <= 32'd0;
    end else if (step) begin
      state_q <= following;
      beat_q  <= m_last ? {BEAT_W{1'b0}} : beat_q + 1'b1;
      if (m_last) frame_q <= frame_q + 32'd1;
    end
endmodule

`default_nettype wire
