// weir_sequence: before the guard of an input; announces each frame to the States that are kept, and whether a
//                sequence begins: after reset, after a damaged frame, and where `reset_state` is set with a frame's
//                first beat. Data bypasses it: m_data is s_data.
//
// Latency:   0 cycles, combinational; transparent: s_ready depends on m_ready and on the offered beat. An announcement
//            is there in the next cycle.
// Interval:  1 cycle a beat; a frame begins when all inputs have ended the frame before, and no State has DEPTH frames
//            before it that it has not begun.
// Clock:     rtl/README.md, Measured alone: weir_sequence.
// State:     whether a frame begins, and has been announced; a weir_frame_flags of two frames; whether each of the
//            newest DEPTH frames begins a sequence; for each State, where the first is that it has not begun.
// Invariant: each State gets one announcement a frame, before the frame's first beat leaves.
// Mapping:   what a weir_frame_flags takes, DEPTH flip-flops, and a counter and a multiplexer of them for each State.
`default_nettype none

module weir_sequence #(
  parameter integer INPUTS = 1,  // that frames come from
  parameter integer STATES = 1,  // that are kept
  parameter integer DEPTH  = 2   // frames that a State may begin late, a power of two
) (
  input  wire              clk,
  input  wire              rst,
  input  wire              s_valid,
  output wire              s_ready,
  input  wire              s_last,
  output wire              m_valid,
  input  wire              m_ready,
  output wire              m_last,
  input  wire              reset_state,  // with a frame's first beat: it begins a sequence
  input  wire [INPUTS-1:0] done,         // the input ends a frame
  input  wire [INPUTS-1:0] damaged,      // with `done`: a damaged one
  output wire [INPUTS-1:0] hold,         // the input must not end another one
  output wire [STATES-1:0] t_valid,      // the State's next frame has begun
  input  wire [STATES-1:0] t_ready,
  output wire [STATES-1:0] t_first       // it begins a sequence
);
  localparam integer PLACE_W = $clog2(DEPTH);

  generate
    if (STATES < 1 || DEPTH != 1 << PLACE_W || DEPTH < 2) begin : g_check
      weir_sequence_STATES_must_be_at_least_1_and_DEPTH_a_power_of_two u_error ();
    end
  endgenerate

  reg  open_q;   // the beat that comes next begins a frame
  reg  told_q;   // it has been announced
  reg  begun_q;  // there was a frame before
  wire known, damage;
  wire [STATES-1:0] full;
  wire offer = s_valid && open_q && !told_q;
  wire room  = !(|full);
  wire tell  = offer && room && (!begun_q || known);
  wire first = !begun_q || damage || reset_state;
  wire pass  = !open_q || told_q || tell;

  assign m_valid = s_valid && pass;
  assign s_ready = m_ready && pass;
  assign m_last  = s_last;

  always @(posedge clk)
    if (rst) begin
      open_q  <= 1'b1;
      told_q  <= 1'b0;
      begun_q <= 1'b0;
    end else begin
      if (s_valid && s_ready) open_q <= s_last;
      told_q  <= (told_q || tell) && !(s_valid && s_ready);
      begun_q <= begun_q || tell;
    end

  /* verilator lint_off PINCONNECTEMPTY */ // of the beats that it sees only the valid one and the flag matter
  weir_frame_flags #(
    .INPUTS(INPUTS),
    .DEPTH (2)
  ) u_flags (
    .clk    (clk),
    .rst    (rst),
    .done   (done),
    .damaged(damaged),
    .hold   (hold),
    .s_valid(offer && begun_q),
    .s_ready(),
    .s_last (1'b1),
    .m_valid(known),
    .m_ready(room),
    .m_last (),
    .m_error(damage)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- a ring of the frames that have begun; each State is somewhere in it ----
  reg [DEPTH-1:0] first_q;
  reg [PLACE_W:0] place_q;  // of the next frame

  always @(posedge clk)
    if (rst) place_q <= {PLACE_W + 1{1'b0}};
    else if (tell) place_q <= place_q + 1'b1;

  genvar i;
  generate
    for (i = 0; i < DEPTH; i = i + 1) begin : g_frame
      localparam [PLACE_W-1:0] PLACE = i;
      wire here = place_q[PLACE_W-1:0] == PLACE;
      always @(posedge clk) if (tell && here) first_q[i] <= first;
    end
    for (i = 0; i < STATES; i = i + 1) begin : g_state
      reg              valid_q;  // there is a frame that it has not begun
      reg  [PLACE_W:0] next_q;   // the first of these
      wire             turn = t_valid[i] && t_ready[i];
      wire [PLACE_W:0] after = next_q + 1'b1;

      assign t_valid[i] = valid_q;
      assign t_first[i] = first_q[next_q[PLACE_W-1:0]];
      assign full[i]    = next_q == {!place_q[PLACE_W], place_q[PLACE_W-1:0]};

      always @(posedge clk)
        if (rst) begin
          valid_q <= 1'b0;
          next_q  <= {PLACE_W + 1{1'b0}};
        end else begin
          valid_q <= tell || (valid_q && !(turn && after == place_q));
          if (turn) next_q <= after;
        end
    end
  endgenerate

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_hold #("weir_sequence", "a waiting beat was withdrawn or changed", 1) u_check_hold (
    clk, rst, m_valid, m_ready, m_last);
`endif
endmodule

`default_nettype wire
