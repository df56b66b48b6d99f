// weir_state: what a loop over time remembers. A row of BEATS beats that is taken is given as the next step's row; the
//             first step of a frame, or with KEPT of a frame that begins a sequence (t), has the initial row.
//
// Latency:   0 cycles from s to m; from s to r 1 cycle, of rows above 32 beats 2.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_state.
// State:     a weir_fifo of one row, the position in a frame of what is taken and of what is given, a bit for each of
//            the two places to which s goes.
// Invariant: r gives STEPS rows a frame: row 0 is the initial one, which i repeats; row t is row t - 1 of s. Without
//            KEPT row STEPS - 1 of s goes to m alone, so nothing is left for the next frame; with it, that row is the
//            next frame's row 0, or is dropped while the initial one is given in its place.
// Mapping:   counters and multiplexers of one beat; the row is weir_fifo's.
`default_nettype none

module weir_state #(
  parameter integer WIDTH  = 8,  // bits of a beat
  parameter integer BEATS  = 2,  // of a row
  parameter integer STEPS  = 2,  // rows of a frame
  parameter integer KEPT   = 0,  // 1: the last row of a frame is the first of the next one
  parameter integer SPREAD = 0   // 1: the device has distributed RAM
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             s_valid,
  output wire             s_ready,
  input  wire [WIDTH-1:0] s_data,
  input  wire             s_last,
  output wire             m_valid,  // s, unchanged
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data,
  output wire             m_last,
  input  wire             i_valid,  // the initial row: again and again, or one a frame
  output wire             i_ready,
  input  wire [WIDTH-1:0] i_data,
  /* verilator lint_off UNUSEDSIGNAL */ // r has a position of its own; 0 of what is the same again and again
  input  wire             i_last,
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire             t_valid,  // with KEPT: a frame begins
  output wire             t_ready,
  input  wire             t_first,  // and with it a sequence
  output wire             r_valid,  // the row before
  input  wire             r_ready,
  output wire [WIDTH-1:0] r_data,
  output wire             r_last
);
  localparam integer BEAT_W = BEATS > 1 ? $clog2(BEATS) : 1;
  localparam integer STEP_W = STEPS > 1 ? $clog2(STEPS) : 1;
  localparam integer TOP    = BEATS - 1;
  localparam integer END    = STEPS - 1;
  localparam integer DEPTH  = BEATS < 2 ? 2 : BEATS;

  generate
    if (WIDTH < 1 || BEATS < 1 || STEPS < 1) begin : g_check
      weir_state_WIDTH_BEATS_and_STEPS_must_be_at_least_1 u_error ();
    end
    if ((KEPT != 0 && KEPT != 1) || (SPREAD != 0 && SPREAD != 1)) begin : g_check_flags
      weir_state_KEPT_and_SPREAD_must_be_0_or_1 u_error ();
    end
  endgenerate

  reg  [BEAT_W-1:0] taken_q, given_q;  // beats of the row
  reg  [STEP_W-1:0] step_q, row_q;     // steps of the frame: of s, of r
  reg               start_q;           // r has no row before: it gives the initial one
  wire              take = s_valid && s_ready;
  wire              give = r_valid && r_ready;
  wire              taken_end = taken_q == TOP[BEAT_W-1:0];
  wire              given_end = given_q == TOP[BEAT_W-1:0];
  wire              dropped   = KEPT == 0 && step_q == END[STEP_W-1:0];

  // ---- s to m and to the row that is held: each takes a beat when it can, s waits for both ----
  reg  passed_q, held_q;
  wire hold_ready;
  wire hold_valid = s_valid && !held_q && !dropped;
  wire passed     = passed_q || m_ready;
  wire held       = held_q || dropped || hold_ready;

  assign s_ready = passed && held;
  assign m_valid = s_valid && !passed_q;
  assign m_data  = s_data;
  assign m_last  = s_last;

  always @(posedge clk)
    if (rst) begin
      passed_q <= 1'b0;
      held_q   <= 1'b0;
    end else if (s_valid) begin
      passed_q <= !s_ready && passed;
      held_q   <= !s_ready && held;
    end

  always @(posedge clk)
    if (rst) begin
      taken_q <= {BEAT_W{1'b0}};
      step_q  <= {STEP_W{1'b0}};
    end else if (take) begin
      taken_q <= taken_end ? {BEAT_W{1'b0}} : taken_q + 1'b1;
      if (taken_end) step_q <= step_q == END[STEP_W-1:0] ? {STEP_W{1'b0}} : step_q + 1'b1;
    end

  // ---- r ----
  wire             opens     = row_q == {STEP_W{1'b0}};         // the row begins a frame
  wire             known     = KEPT == 0 || !opens || t_valid;  // where that row is from
  wire             initially = start_q || (KEPT != 0 && opens && t_first);
  wire             row_valid;
  wire [WIDTH-1:0] row_data;
  /* verilator lint_off UNUSEDSIGNAL */ // r has a position of its own
  wire             row_last;
  /* verilator lint_on UNUSEDSIGNAL */

  weir_fifo #(
    .WIDTH (WIDTH),
    .DEPTH (DEPTH),
    .SPREAD(SPREAD)
  ) u_row (
    .clk    (clk),
    .rst    (rst),
    .s_valid(hold_valid),
    .s_ready(hold_ready),
    .s_data (s_data),
    .s_last (1'b0),
    .m_valid(row_valid),
    .m_ready(r_ready && known && !start_q && (!initially || i_valid)),
    .m_data (row_data),
    .m_last (row_last)
  );

  wire has_row = start_q || row_valid;  // what the initial row replaces is there

  assign r_valid = known && has_row && (!initially || i_valid);
  assign r_data  = initially ? i_data : row_data;
  assign r_last  = given_end && row_q == END[STEP_W-1:0];
  assign i_ready = r_ready && known && has_row && initially;
  assign t_ready = KEPT != 0 && opens && give && given_end;

  always @(posedge clk)
    if (rst) begin
      given_q <= {BEAT_W{1'b0}};
      row_q   <= {STEP_W{1'b0}};
      start_q <= 1'b1;
    end else if (give) begin
      given_q <= given_end ? {BEAT_W{1'b0}} : given_q + 1'b1;
      if (given_end) begin
        row_q   <= row_q == END[STEP_W-1:0] ? {STEP_W{1'b0}} : row_q + 1'b1;
        start_q <= KEPT == 0 && row_q == END[STEP_W-1:0];
      end
    end

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_hold #("weir_state", "the source withdrew or changed a waiting beat", WIDTH + 1) u_check_source (
    clk, rst, s_valid, s_ready, {s_last, s_data});
  weir_check_hold #("weir_state", "a waiting row was withdrawn or changed", WIDTH + 1) u_check_hold (
    clk, rst, r_valid, r_ready, {r_last, r_data});
  weir_check #("weir_state", "s_last is not at the end of the frame's last row") u_check_last (
    clk, rst, !take || s_last == (taken_end && step_q == END[STEP_W-1:0]));
`endif
endmodule

`default_nettype wire
