// What the design offers is a stream whose beats with `last` say when a frame leaves; inputs end frames whenever they
// may. The flags are kept in rings: input i's frame number n is at place n modulo RING of ring i.
// sources: stream/weir_frame_flags.v
// define: WEIR_CHECK
// prove: unbounded INPUTS=1 DEPTH=2
// prove: unbounded INPUTS=1 DEPTH=3
// prove: unbounded INPUTS=2 DEPTH=2
// nightly: unbounded INPUTS=1 DEPTH=5
// nightly: unbounded INPUTS=3 DEPTH=2
// nightly: unbounded INPUTS=2 DEPTH=3
// faults: frame/faults.txt
module proof #(
  parameter integer INPUTS = 1,
  parameter integer DEPTH  = 2
) (
  input wire              clk,
  input wire [INPUTS-1:0] done, damaged,
  input wire              s_valid, s_last, m_ready
);
  localparam integer PLACE_W = $clog2(DEPTH);
  localparam integer RING    = 1 << PLACE_W;

  wire              rst, s_ready, m_valid, m_last, m_error;
  wire [INPUTS-1:0] hold;

  weir_frame_flags #(
    .INPUTS(INPUTS),
    .DEPTH (DEPTH)
  ) u_dut (.*);

  proof_reset u_reset (clk, rst);
  proof_source #(1) u_source (clk, rst, s_valid, s_ready, s_last);
  proof_hold #(2) u_hold (clk, rst, m_valid, m_ready, {m_error, m_last});

  always @* assume ((done & hold) == 0);  // of weir_frame_guard

  wire              leave = m_valid && m_ready && m_last;
  wire [INPUTS-1:0] inside, flag;
  reg [PLACE_W-1:0] read_q;
  always @(posedge clk)
    if (rst) read_q <= {PLACE_W{1'b0}};
    else read_q <= read_q + leave;

  genvar i;
  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : g_ring
      reg [RING-1:0]  ring_q;
      reg [PLACE_W:0] count_q;  // frames inside
      assign inside[i] = count_q != 0;
      assign flag[i]   = ring_q[read_q];
      wire [PLACE_W-1:0] write = read_q + count_q[PLACE_W-1:0];
      always @(posedge clk) begin
        if (done[i]) ring_q[write] <= damaged[i];
        if (rst) count_q <= {(PLACE_W + 1){1'b0}};
        else count_q <= count_q + done[i] - leave;
      end
      always @* if (!rst) begin
        assert (count_q <= DEPTH);
        assert (hold[i] == (count_q == DEPTH));
        assert (!leave || inside[i]);
      end
    end
  endgenerate

  always @* if (!rst && m_valid) begin
    last_passes: assert (m_last == s_last);
    flag_is_right: assert (m_error == (m_last && |flag));
  end
  always @* if (!rst) begin
    beats_pass: assert ((s_valid && s_ready) == (m_valid && m_ready));
    waits_for_the_inputs_only: assert (m_valid == (s_valid && (!s_last || &inside)));
  end
endmodule
