// weir_frame_flags: guards an output stream of a design. It keeps a flag for each frame in flight, for each input that
// the stream depends on, and emits it with the frame's last beat, which waits until all inputs have ended their frame.
// Data bypasses it: m_data is s_data.
//
// Latency:   0 cycles, combinational; transparent: s_ready depends on m_ready and on the offered beat.
// Interval:  1 cycle a beat; a frame leaves at the earliest in the cycle after its inputs' last beats.
// Clock:     rtl/README.md, Measured alone: weir_frame_flags.
// State:     for each input the flag of the oldest frame and whether there is one, the flags of up to DEPTH - 1 others,
//            and their number in one-hot code.
// Invariant: there are others only if there is an oldest one, and at most DEPTH in all, because `hold` keeps an input
//            from ending one more.
// Mapping:   for each input about five LUTs and two a frame, three flip-flops for the first frame and two for each
//            other; two more LUTs in all.
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
  wire              leave  = s_valid && s_last && &known && m_ready;

  assign m_valid = s_valid && !closed;
  assign s_ready = m_ready && !closed;
  assign m_last  = s_last;
  assign m_error = s_last && |flag;

  genvar i;
  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : g_input
      reg              known_q, flag_q;  // of the oldest frame
      reg  [DEPTH-2:0] flags_q;          // of the others, the newest one lowest
      reg  [DEPTH-1:0] others_q;         // bit N: there are N of them
      wire [DEPTH-1:0] flags = {flags_q, damaged[i]};
      wire             turn  = leave || !known_q;  // the next one is, or may be, the oldest

      assign known[i] = known_q;
      assign hold[i]  = others_q[DEPTH-1];
      assign flag[i]  = flag_q;

      always @(posedge clk) begin
        if (done[i]) flags_q <= flags[DEPTH-2:0];
        if (turn) flag_q <= |(flags & others_q);
      end

      always @(posedge clk)
        if (rst) begin
          known_q  <= 1'b0;
          others_q <= {{(DEPTH-1){1'b0}}, 1'b1};
        end else begin
          if (turn) known_q <= done[i] || !others_q[0];
          if (done[i] != turn) others_q <= done[i] ? others_q << 1 : others_q >> 1 | {{(DEPTH-1){1'b0}}, others_q[0]};
        end
    end
  endgenerate

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  wire [INPUTS-1:0] check_kept;

  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : g_check
      wire [DEPTH-1:0] others = g_input[i].others_q;
      assign check_kept[i] = others != {DEPTH{1'b0}} && (others & (others - 1'b1)) == {DEPTH{1'b0}};
    end
  endgenerate

  weir_check #("weir_frame_flags", "an input ends a frame for whose flag there is no place") u_check_flags (
    clk, rst, &check_kept);
  weir_check_hold #("weir_frame_flags", "a waiting beat was withdrawn or changed", 2) u_check_hold (
    clk, rst, m_valid, m_ready, {m_last, m_error});
`endif
endmodule

`default_nettype wire
