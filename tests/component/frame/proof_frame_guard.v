// What is offered is a beat's `last`; frames are of any length. `taken_q` counts the beats of the frame that is being
// taken, and stays at BEATS + 1.
// sources: stream/weir_frame_guard.v
// define: WEIR_CHECK
// prove: unbounded BEATS=1 COUNT_W=2
// prove: unbounded BEATS=2 COUNT_W=2
// prove: unbounded BEATS=3 COUNT_W=2
// prove: unbounded BEATS=4 COUNT_W=1
// prove: unbounded BEATS=7 COUNT_W=1
// nightly: unbounded BEATS=20 COUNT_W=3
// faults: frame/faults.txt
module proof #(
  parameter integer BEATS   = 2,
  parameter integer COUNT_W = 2
) (
  input wire clk, s_valid, s_last, m_ready, hold
);
  localparam integer TAKEN_W = $clog2(BEATS + 2);

  wire               rst, s_ready, m_valid, m_last, done, damaged;
  wire [COUNT_W-1:0] count;

  weir_frame_guard #(
    .BEATS  (BEATS),
    .COUNT_W(COUNT_W)
  ) u_dut (.*);

  proof_reset u_reset (clk, rst);
  proof_source #(1) u_source (clk, rst, s_valid, s_ready, s_last);
  proof_hold #(1) u_hold (clk, rst, m_valid, m_ready, m_last);
  proof_last #(BEATS) u_last (clk, rst, m_valid, m_ready, m_last);

  wire take = s_valid && s_ready;
  wire give = m_valid && m_ready;

  // Of weir_frame_flags: it holds no frame that it did not hold while the frame before it ended.
  reg free_q = 1'b0;
  always @(posedge clk) free_q <= !rst && !hold && !done;
  always @* if (free_q && !rst) assume (!hold);

  reg [TAKEN_W-1:0] taken_q;    // beats of the frame
  reg [COUNT_W-1:0] bad_q;      // frames
  reg               doubled_q;  // a beat of the frame has been given and not taken
  wire              complete = taken_q + 1'b1 == BEATS;

  always @(posedge clk)
    if (rst) begin
      taken_q <= {TAKEN_W{1'b0}};
      bad_q   <= {COUNT_W{1'b0}};
      doubled_q <= 1'b0;
    end else begin
      if (take) taken_q <= s_last ? {TAKEN_W{1'b0}} : taken_q == BEATS + 1 ? taken_q : taken_q + 1'b1;
      bad_q     <= bad_q + (take && s_last && !complete);
      doubled_q <= !(take && s_last) && (doubled_q || give && !take);
    end

  always @* if (!rst) begin
    one_frame_for_every_last: assert ((take && s_last) == (give && m_last));
    done_is_the_end: assert (done == (take && s_last));
    none_ends_on_hold: assert (!(done && hold));
    flag_is_right: assert (!done || damaged == !complete);
    counted: assert (count == bad_q);
    // Beats of a frame that is not damaged are given as they are taken; none is dropped before the last place, none
    // given again before `last`.
    dropped_only_at_the_end: assert (!take || give || m_last && !s_last);
    again_only_what_ends: assert (!give || take || s_last && !m_last);
    rest_is_dropped_at_once: assert (!(s_valid && m_last && !s_last) || take && !give);
    doubled_is_damaged: assert (!(done && doubled_q) || damaged);
  end

  // A beat is taken within BEATS cycles in which the sink takes one; the end of a hold may be seen a cycle late.
  proof_answer #(BEATS + (BEATS > 1)) u_answer (clk, rst, s_valid && m_ready && !hold, take);
endmodule
