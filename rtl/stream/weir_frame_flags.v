// weir_frame_flags: the door of a stream out of a design. It keeps a flag for each frame that is inside, of each input that the stream depends
// on, and gives it with the frame's last beat, which waits until all inputs have ended their frame. Data passes beside: m_data is s_data.
//
// Latency:   0 cycles, combinational; transparent: s_ready depends on m_ready and on the beat that is offered.
// Interval:  1 cycle a beat; a frame leaves at the earliest in the cycle after its inputs' last beats.
// Clock:     rtl/README.md, Measured alone: weir_frame_flags.
// State:     for each input a shift register of DEPTH flags and the place of the oldest one, -1 when there is none.
// Invariant: a place is below DEPTH, since `hold` keeps an input from ending one frame more; flags behind the oldest one mean nothing.
// Mapping:   for each input a flip-flop a frame, a multiplexer of DEPTH bits, a counter; about four LUTs more.
`default_nettype none

module weir_frame_flags #(
  parameter integer INPUTS = 1,  // that the stream depends on
  parameter integer DEPTH  = 2   // frames inside
) (
  input  wire              clk,
  input  wire              rst,
  input  wire [INPUTS-1:0] done,     // the input ends a frame
  input  wire [INPUTS-1:0] damaged,  // with `done`: a damaged one
  output wire [INPUTS-1:0] hold,     // the input must not end another one
  input  wire              s_valid,
  output wire              s_ready,
  input  wire              s_last,
  output wire              m_valid,
  input  wire              m_ready,
  output wire              m_last,
  output wire              m_error   // with m_last: a frame of an input was damaged
);
  localparam integer PLACE_W = $clog2(DEPTH) + 1;
  localparam integer TOP     = DEPTH - 1;

  generate
    if (INPUTS < 1) begin : g_check_inputs
      weir_frame_flags_INPUTS_must_be_at_least_1 u_error ();
    end
    if (DEPTH < 2) begin : g_check_depth
      weir_frame_flags_DEPTH_must_be_at_least_2 u_error ();
    end
  endgenerate

  wire [INPUTS-1:0] known, flag;
  wire              closed = s_valid && s_last && !(&known);
  wire              leave  = m_valid && m_ready && s_last;

  assign m_valid = s_valid && !closed;
  assign s_ready = m_ready && !closed;
  assign m_last  = s_last;
  assign m_error = s_last && |flag;

  genvar i;
  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : g_input
      reg [PLACE_W-1:0] place_q;
      reg [DEPTH-1:0]   flags_q;  // the newest one lowest

      assign known[i] = !place_q[PLACE_W-1];
      assign hold[i]  = place_q == TOP[PLACE_W-1:0];
      assign flag[i]  = flags_q[place_q[PLACE_W-2:0]];

      always @(posedge clk) if (done[i]) flags_q <= {flags_q[DEPTH-2:0], damaged[i]};

      always @(posedge clk)
        if (rst) place_q <= {PLACE_W{1'b1}};
        else if (done[i] && !leave) place_q <= place_q + 1'b1;
        else if (leave && !done[i]) place_q <= place_q - 1'b1;
    end
  endgenerate
endmodule

`default_nettype wire
