// weir_board_unpack: makes beats of the bytes that come from the host: frames of all inputs one after the other,
// without marks.
//
// Latency:   1 cycle from the last byte of a beat; none with one input of at most 8 bits (there m_ready reaches
//            s_ready).
// Interval:  a byte a cycle and one cycle more a beat.
// State:     a beat, the places in beat, frame and inputs.
// What a byte has above the bits of its beat is ignored. With several inputs m_data and m_last are for the one whose
// m_valid is high.
// Mapping:   8 flip-flops a byte of a beat, counters.
`default_nettype none

module weir_board_unpack #(
  parameter integer            INPUTS = 1,
  parameter integer            WIDTH  = 8,  // bits of m_data
  parameter [32*INPUTS-1:0]    BITS   = 8,  // of a beat of each input, the first one low
  parameter [32*INPUTS-1:0]    BEATS  = 1   // of a frame of each input
) (
  input  wire              clk,
  input  wire              rst,
  input  wire              s_valid,
  output wire              s_ready,
  input  wire [7:0]        s_data,
  output wire [INPUTS-1:0] m_valid,
  input  wire [INPUTS-1:0] m_ready,
  output wire [WIDTH-1:0]  m_data,
  output wire              m_last
);
  localparam integer BYTES = (WIDTH + 7) / 8;
  localparam integer LANE_W = BYTES > 1 ? $clog2(BYTES) : 1;
  localparam integer INPUT_W = INPUTS > 1 ? $clog2(INPUTS) : 1;

  function integer most_beats;
    input unused;
    integer k;
    begin
      most_beats = 1;
      for (k = 0; k < INPUTS; k = k + 1) if (BEATS[32*k+:32] > most_beats) most_beats = BEATS[32*k+:32];
    end
  endfunction

  localparam integer MOST = most_beats(1'b0);
  localparam integer BEAT_W = MOST > 1 ? $clog2(MOST) : 1;

  reg  [BEAT_W-1:0] beat_q;    // of the frame
  wire [31:0]       bits, beats;  // of the input whose frame comes
  wire              valid, ready;
  wire              step = valid && ready;

  wire [31:0]       beat_end = beats - 32'd1;
  wire [31:0]       lane_end = (bits - 32'd1) >> 3;
  wire              unused = &{1'b0, s_data, beat_end, lane_end};  // what is above

  assign m_last = beat_q == beat_end[BEAT_W-1:0];

  always @(posedge clk)
    if (rst) beat_q <= {BEAT_W{1'b0}};
    else if (step) beat_q <= m_last ? {BEAT_W{1'b0}} : beat_q + 1'b1;

  genvar i;
  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : g_check
      if (BITS[32*i+:32] < 1 || BITS[32*i+:32] > WIDTH || BEATS[32*i+:32] < 1) begin : g_wrong
        weir_board_unpack_BITS_must_be_1_to_WIDTH_and_BEATS_at_least_1 u_error ();
      end
    end

    if (INPUTS == 1) begin : g_one
      assign m_valid = valid;
      assign ready   = m_ready;
      assign bits    = BITS;
      assign beats   = BEATS;
    end else begin : g_several
      reg [INPUT_W-1:0] input_q;
      localparam integer LAST = INPUTS - 1;

      assign ready = m_ready[input_q];
      assign bits  = BITS[32*input_q+:32];
      assign beats = BEATS[32*input_q+:32];
      for (i = 0; i < INPUTS; i = i + 1) begin : g_valid
        assign m_valid[i] = valid && input_q == i;
      end

      always @(posedge clk)
        if (rst) input_q <= {INPUT_W{1'b0}};
        else if (step && m_last) input_q <= input_q == LAST[INPUT_W-1:0] ? {INPUT_W{1'b0}} : input_q + 1'b1;
    end

    if (INPUTS == 1 && BYTES == 1) begin : g_direct
      assign valid   = s_valid;
      assign s_ready = ready;
      assign m_data  = s_data[WIDTH-1:0];
    end else begin : g_lanes
      reg               valid_q;
      reg [LANE_W-1:0]  lane_q;
      reg [8*BYTES-1:0] beat_bytes_q;
      wire              take = s_valid && s_ready;
      wire              full = lane_q == lane_end[LANE_W-1:0];

      assign valid   = valid_q;
      assign s_ready = !valid_q;
      assign m_data  = beat_bytes_q[WIDTH-1:0];

      always @(posedge clk)
        if (rst) begin
          valid_q <= 1'b0;
          lane_q  <= {LANE_W{1'b0}};
        end else begin
          valid_q <= valid_q ? !ready : take && full;
          if (take) lane_q <= full ? {LANE_W{1'b0}} : lane_q + 1'b1;
        end

      for (i = 0; i < BYTES; i = i + 1) begin : g_lane
        always @(posedge clk) if (take && lane_q == i) beat_bytes_q[8*i+:8] <= s_data;
      end
    end
  endgenerate
endmodule

`default_nettype wire
