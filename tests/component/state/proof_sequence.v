// The guard behind it ends a frame of the first input with the beat that has `last`; other inputs end theirs whenever
// they may. A frame begins in the first cycle in which its first beat is at m: its announcement then reaches each State
// once, in order. The flags of damaged frames are kept in rings, as in proof_frame_flags.
// sources: stream/weir_sequence.v stream/weir_frame_flags.v
// define: WEIR_CHECK
// prove: unbounded INPUTS=1 STATES=1
// prove: unbounded INPUTS=1 STATES=2
// prove: unbounded INPUTS=1 STATES=1 DEPTH=4
// prove: unbounded INPUTS=2 STATES=1
// nightly: unbounded INPUTS=2 STATES=3
// nightly: unbounded INPUTS=3 STATES=1
// nightly: unbounded INPUTS=1 STATES=2 DEPTH=4
// nightly: unbounded INPUTS=1 STATES=1 DEPTH=8
// faults: state/faults.txt
module proof #(
  parameter integer INPUTS = 1,
  parameter integer STATES = 1,
  parameter integer DEPTH  = 2
) (
  input wire              clk, s_valid, s_last, reset_state, m_ready,
  input wire [INPUTS-1:0] ends, damaged,
  input wire [STATES-1:0] t_ready
);
  wire              rst, s_ready, m_valid, m_last;
  wire [INPUTS-1:0] hold, inside, flag;
  wire [STATES-1:0] t_valid, t_first, full;
  reg               open_q, seen_q, begun_q;
  wire              step = m_valid && m_ready;
  wire              tell = m_valid && open_q && !seen_q;  // the frame begins
  wire              first = !begun_q || |flag || reset_state;
  wire [INPUTS-1:0] done;

  weir_sequence #(
    .INPUTS(INPUTS),
    .STATES(STATES),
    .DEPTH (DEPTH)
  ) u_dut (.*);

  proof_reset u_reset (clk, rst);
  proof_source #(1) u_source (clk, rst, s_valid, s_ready, s_last);
  proof_hold #(1) u_hold (clk, rst, m_valid, m_ready, m_last);

  always @* assume ((done & hold) == 0);  // of weir_frame_guard

  always @(posedge clk)
    if (rst) begin
      open_q  <= 1'b1;
      seen_q  <= 1'b0;
      begun_q <= 1'b0;
    end else begin
      if (step) open_q <= m_last;
      seen_q  <= (seen_q || tell) && !step;
      begun_q <= begun_q || tell;
    end

  genvar i;
  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : g_ring
      reg [1:0] ring_q;
      reg       read_q;
      reg [1:0] count_q;  // frames that have ended, and the one behind has not begun
      wire      write = read_q + count_q[0];
      if (i == 0) assign done[i] = step && m_last;
      else        assign done[i] = ends[i];
      assign inside[i] = count_q != 0;
      assign flag[i]   = begun_q && ring_q[read_q];
      always @(posedge clk) begin
        if (done[i]) ring_q[write] <= damaged[i];
        if (rst) begin
          count_q <= 2'd0;
          read_q  <= 1'b0;
        end else begin
          count_q <= count_q + done[i] - (tell && begun_q);
          read_q  <= read_q + (tell && begun_q);
        end
      end
      always @* if (!rst) begin
        assert (count_q <= 2);
        assert (hold[i] == (count_q == 2));
      end
    end
    for (i = 0; i < STATES; i = i + 1) begin : g_state
      wire [$clog2(DEPTH+2)-1:0] told;
      assign full[i] = told == DEPTH;
      proof_order #(1, DEPTH) u_told (
        clk, rst, tell, first, t_valid[i], t_valid[i] && t_ready[i], t_first[i], told, );
      proof_hold #(1) u_hold (clk, rst, t_valid[i], t_ready[i], t_first[i]);
      always @* if (!rst && told != 0) assert (t_valid[i]);
    end
  endgenerate

  always @* if (!rst) begin
    last_passes: assert (m_last == s_last);
    beats_pass: assert ((s_valid && s_ready) == step);
    if (!open_q || seen_q) inside_a_frame: assert (m_valid == s_valid);
    else waits_for_the_inputs_and_states: assert (m_valid == (s_valid && !(|full) && (!begun_q || &inside)));
  end
endmodule
