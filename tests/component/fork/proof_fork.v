// The stream of a free output. A beat enters as the source offers it first: an output may take it before another does.
// sources: stream/weir_fork.v
// define: WEIR_CHECK
// prove: unbounded WIDTH=1 OUTPUTS=2
// prove: unbounded WIDTH=2 OUTPUTS=3
// prove: unbounded WIDTH=1 OUTPUTS=5
module proof #(
  parameter integer WIDTH   = 1,
  parameter integer OUTPUTS = 2
) (
  input wire               clk, s_valid,
  input wire [WIDTH-1:0]   s_data,
  input wire               s_last,
  input wire [OUTPUTS-1:0] m_ready
);
  localparam integer COUNT_W = $clog2(OUTPUTS);
  localparam [COUNT_W:0] COUNT = OUTPUTS;

  (* anyconst *) wire [COUNT_W-1:0] which;
  wire               rst, s_ready, m_last;
  wire [OUTPUTS-1:0] m_valid;
  wire [WIDTH-1:0]   m_data;
  wire [1:0]         inside;
  reg                waits_q;  // the source offered this beat before
  wire               enter = s_valid && !waits_q;
  wire               leave = m_valid[which] && m_ready[which];

  weir_fork #(
    .WIDTH  (WIDTH),
    .OUTPUTS(OUTPUTS)
  ) u_dut (.*);

  always @(posedge clk) waits_q <= !rst && s_valid && !s_ready;

  always @* assume (which < COUNT);

  proof_reset u_reset (clk, rst);
  proof_source #(WIDTH + 1) u_source (clk, rst, s_valid, s_ready, {s_last, s_data});
  proof_hold #(WIDTH + 1) u_hold (clk, rst, m_valid[which], m_ready[which], {m_last, m_data});
  proof_order #(WIDTH + 1, 1) u_order (
    clk, rst, enter, {s_last, s_data}, m_valid[which], leave, {m_last, m_data}, inside, );
  proof_answer #(0) u_leaves (clk, rst, inside != 0 || enter, m_valid[which]);
  proof_answer #(0) u_enters (clk, rst, s_valid && &m_ready, s_ready);

  // The source is let go when every output has taken the beat.
  always @* if (!rst && s_valid && s_ready) all_have_taken: assert (inside + enter == leave);
endmodule
