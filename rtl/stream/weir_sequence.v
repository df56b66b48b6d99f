// weir_sequence: before the guard of an input; announces each frame to the States that are kept, and whether a
//                sequence begins: after reset, after a damaged frame, and where `reset_state` is set with a frame's
//                first beat. Data bypasses it: m_data is s_data.
//
// Latency:   0 cycles, combinational; transparent: s_ready depends on m_ready and on the offered beat. An announcement
//            is there in the next cycle.
// Interval:  1 cycle a beat; a frame begins when all inputs have ended the frame before, and no State has two frames
//            before it that it has not begun.
// Clock:     rtl/README.md, Measured alone: weir_sequence.
// State:     whether a frame begins, and has been announced; a weir_frame_flags of two frames; for each State two
//            announcements.
// Invariant: each State gets one announcement a frame, before the frame's first beat leaves.
// Mapping:   what a weir_frame_flags takes, and about four LUTs and four flip-flops a State.
`default_nettype none

module weir_sequence #(
  parameter integer INPUTS = 1,  // that frames come from
  parameter integer STATES = 1   // that are kept
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
  generate
    if (STATES < 1) begin : g_check_states
      weir_sequence_STATES_must_be_at_least_1 u_error ();
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

  genvar i;
  generate
    for (i = 0; i < STATES; i = i + 1) begin : g_state
      reg  valid_q, first_q;   // the frame that it begins next
      reg  more_q, second_q;   // the one behind that
      wire turn = t_ready[i] || !valid_q;

      assign t_valid[i] = valid_q;
      assign t_first[i] = first_q;
      assign full[i]    = more_q;

      always @(posedge clk) begin
        if (turn) first_q <= more_q ? second_q : first;
        if (tell) second_q <= first;
        if (rst) begin
          valid_q <= 1'b0;
          more_q  <= 1'b0;
        end else begin
          if (turn) valid_q <= more_q || tell;
          more_q <= more_q ? !turn : tell && !turn;
        end
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
