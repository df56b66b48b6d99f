// weir_frame_guard: guards an input stream of a design. The design counts beats, so exactly BEATS of them are emitted
// for every accepted `last`: the beat that ends a short frame is repeated until the frame is complete, and accepted
// then; of a long frame, the beats from the last position on are dropped until the one that ends it, which fills that
// position. Data bypasses it: m_data is s_data.
//
// Latency:   0 cycles, combinational; transparent: s_ready depends on m_ready, on `hold` and on the offered beat.
// Interval:  1 cycle a beat of a frame of BEATS beats; a short frame takes as long as a complete one, a long one 1
//            cycle for each beat of its own.
// Clock:     rtl/README.md, Measured alone: weir_frame_guard.
// State:     the position in the frame, a bit for a damaged frame, `hold` with BEATS > 1, and the number of damaged
//            frames since reset, modulo 2^COUNT_W.
// Invariant: a beat with m_last leaves in the cycle in which one with s_last is accepted, and in no other; end_q says
//            that left_q is 0; damaged_q is clear at the first position except for the beat offered there.
// Mapping:   about two LUTs a bit of the two counters, and four more.
`default_nettype none

module weir_frame_guard #(
  parameter integer BEATS   = 2,  // of a frame
  parameter integer COUNT_W = 8
) (
  input  wire               clk,
  input  wire               rst,
  input  wire               s_valid,
  output wire               s_ready,
  input  wire               s_last,
  output wire               m_valid,
  input  wire               m_ready,
  output wire               m_last,
  input  wire               hold,     // no frame may end: it rises only when one has
  output wire               done,     // a frame ends
  output wire               damaged,  // with `done`: it was too short or too long
  output reg  [COUNT_W-1:0] count     // of damaged frames
);
  localparam integer LEFT_W = BEATS > 1 ? $clog2(BEATS) : 1;
  localparam integer FIRST  = BEATS - 1;

  generate
    if (BEATS < 1) begin : g_check_beats
      weir_frame_guard_BEATS_must_be_at_least_1 u_error ();
    end
    if (COUNT_W < 1) begin : g_check_count
      weir_frame_guard_COUNT_W_must_be_at_least_1 u_error ();
    end
  endgenerate

  reg  damaged_q;
  wire at_end;                       // the last place is next
  wire held;                         // nothing may be given there
  wire ends = s_valid && s_last;     // known while nothing is offered
  wire step = m_valid && m_ready;

  assign m_valid = s_valid && (at_end ? s_last && !held : 1'b1);
  assign m_last  = at_end;
  assign s_ready = ends ? at_end && !held && m_ready : at_end || m_ready;
  assign done    = step && at_end;
  assign damaged = damaged_q;

  generate
    if (BEATS == 1) begin : g_one
      assign at_end = 1'b1;
      assign held   = hold;
    end else begin : g_count
      reg [LEFT_W-1:0] left_q;  // places after this one
      reg              end_q, hold_q;

      assign at_end = end_q;
      assign held   = hold_q;

      always @(posedge clk) hold_q <= hold;  // in time: a frame has two beats, and a hold begins behind an end

      always @(posedge clk)
        if (rst || done) begin
          left_q <= FIRST[LEFT_W-1:0];
          end_q  <= 1'b0;
        end else if (step) begin
          left_q <= left_q - 1'b1;
          end_q  <= left_q == {{(LEFT_W-1){1'b0}}, 1'b1};
        end
    end
  endgenerate

  always @(posedge clk)
    if (rst || done) damaged_q <= 1'b0;
    else if (s_valid && s_last != at_end) damaged_q <= 1'b1;

  always @(posedge clk)
    if (rst) count <= {COUNT_W{1'b0}};
    else if (done && damaged_q) count <= count + 1'b1;

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_hold #("weir_frame_guard", "the source withdrew or changed a waiting beat", 1) u_check_source (
    clk, rst, s_valid, s_ready, s_last);
  weir_check_hold #("weir_frame_guard", "a waiting beat was withdrawn or changed", 1) u_check_hold (clk, rst, m_valid, m_ready, m_last);
  weir_check #("weir_frame_guard", "a frame begins or ends on one side alone") u_check_ends (
    clk, rst, (step && m_last) == (s_valid && s_ready && s_last));
  weir_check_last #("weir_frame_guard", "a frame of other than BEATS beats leaves", BEATS) u_check_beats (clk, rst, step, 1'b1, m_last);
`endif
endmodule

`default_nettype wire
