// weir_board_pack: makes the bytes that go to the host of beats: a frame of each output after the other, without marks.
//
// Latency:   1 cycle a byte.
// Interval:  2 cycles a byte, or 1 where the sink always takes; a beat is taken with its last byte. s_ready does not
//            depend on m_ready.
// State:     a byte, the places in beat, frame and outputs.
// Only the output whose frame is due is taken. Bits above those of a beat go out as 0. `last` is counted: where it
// comes elsewhere, `misplaced` is high for a cycle, and the beats are cut into frames as they should be.
// Mapping:   a multiplexer of all bytes of all outputs' beats, 8 flip-flops, counters.
`default_nettype none

module weir_board_pack #(
  parameter integer         OUTPUTS = 1,
  parameter integer         WIDTH   = 8,  // bits of an output's part of s_data
  parameter [32*OUTPUTS-1:0] BITS   = 8,  // of a beat of each output, the first one low
  parameter [32*OUTPUTS-1:0] BEATS  = 1   // of a frame of each output
) (
  input  wire                     clk,
  input  wire                     rst,
  input  wire [OUTPUTS-1:0]       s_valid,
  output wire [OUTPUTS-1:0]       s_ready,
  input  wire [OUTPUTS*WIDTH-1:0] s_data,
  input  wire [OUTPUTS-1:0]       s_last,
  output wire                     m_valid,
  input  wire                     m_ready,
  input  wire                     m_flows,   // m_ready is high as long as this is
  output wire [7:0]               m_data,
  output wire                     frame,     // the last beat of the last output is taken
  output wire                     misplaced
);
  localparam integer BYTES = (WIDTH + 7) / 8;
  localparam integer LANE_W = BYTES > 1 ? $clog2(BYTES) : 1;
  localparam integer OUTPUT_W = OUTPUTS > 1 ? $clog2(OUTPUTS) : 1;

  function integer most_beats;
    input unused;
    integer k;
    begin
      most_beats = 1;
      for (k = 0; k < OUTPUTS; k = k + 1) if (BEATS[32*k+:32] > most_beats) most_beats = BEATS[32*k+:32];
    end
  endfunction

  localparam integer MOST = most_beats(1'b0);
  localparam integer BEAT_W = MOST > 1 ? $clog2(MOST) : 1;

  reg                valid_q;
  reg  [7:0]         byte_q;
  reg  [BEAT_W-1:0]  beat_q;
  wire [31:0]        bits, beats;  // of the output whose frame is due
  wire [8*BYTES-1:0] bytes;
  wire               valid, last, full, outermost;
  wire               free = !valid_q || m_flows;
  wire               take = valid && free;  // a byte
  wire               step = take && full;   // a beat
  wire [31:0]        beat_end = beats - 32'd1;
  wire               ends = beat_q == beat_end[BEAT_W-1:0];
  wire [31:0]        lane_end = (bits - 32'd1) >> 3;
  wire               unused = &{1'b0, beat_end, lane_end};  // what is above
  wire [7:0]         lane;

  assign m_valid   = valid_q;
  assign m_data    = byte_q;
  assign frame     = step && ends && outermost;
  assign misplaced = step && last != ends;

  always @(posedge clk)
    if (rst) begin
      valid_q <= 1'b0;
      beat_q  <= {BEAT_W{1'b0}};
    end else begin
      valid_q <= free ? valid : !m_ready;
      if (step) beat_q <= ends ? {BEAT_W{1'b0}} : beat_q + 1'b1;
    end

  always @(posedge clk) if (take) byte_q <= lane;

  genvar i;
  generate
    for (i = 0; i < OUTPUTS; i = i + 1) begin : g_check
      if (BITS[32*i+:32] < 1 || BITS[32*i+:32] > WIDTH || BEATS[32*i+:32] < 1) begin : g_wrong
        weir_board_pack_BITS_must_be_1_to_WIDTH_and_BEATS_at_least_1 u_error ();
      end
    end

    if (OUTPUTS == 1) begin : g_one
      assign valid   = s_valid;
      assign last    = s_last;
      assign outermost   = 1'b1;
      assign bits    = BITS;
      assign beats   = BEATS;
      assign s_ready = step;
      if (8 * BYTES > BITS) begin : g_pad
        assign bytes = {{(8*BYTES-BITS){1'b0}}, s_data[BITS-1:0]};
      end else begin : g_whole
        assign bytes = s_data;
      end
    end else begin : g_several
      reg  [OUTPUT_W-1:0]        output_q;
      localparam integer LAST = OUTPUTS - 1;
      wire [OUTPUTS*8*BYTES-1:0] all;

      assign valid = s_valid[output_q];
      assign last  = s_last[output_q];
      assign outermost = output_q == LAST[OUTPUT_W-1:0];
      assign bits  = BITS[32*output_q+:32];
      assign beats = BEATS[32*output_q+:32];
      assign bytes = all[8*BYTES*output_q+:8*BYTES];
      for (i = 0; i < OUTPUTS; i = i + 1) begin : g_output
        localparam integer USED = BITS[32*i+:32];

        assign s_ready[i] = step && output_q == i;
        if (8 * BYTES > USED) begin : g_pad
          assign all[8*BYTES*i+:8*BYTES] = {{(8*BYTES-USED){1'b0}}, s_data[WIDTH*i+:USED]};
        end else begin : g_whole
          assign all[8*BYTES*i+:8*BYTES] = s_data[WIDTH*i+:WIDTH];
        end
      end

      always @(posedge clk)
        if (rst) output_q <= {OUTPUT_W{1'b0}};
        else if (step && ends) output_q <= outermost ? {OUTPUT_W{1'b0}} : output_q + 1'b1;
    end

    if (BYTES == 1) begin : g_byte
      assign full = 1'b1;
      assign lane = bytes;
    end else begin : g_lanes
      reg  [LANE_W-1:0] lane_q;

      assign full = lane_q == lane_end[LANE_W-1:0];
      assign lane = bytes[8*lane_q+:8];

      always @(posedge clk)
        if (rst) lane_q <= {LANE_W{1'b0}};
        else if (take) lane_q <= full ? {LANE_W{1'b0}} : lane_q + 1'b1;
    end
  endgenerate
endmodule

`default_nettype wire
