// weir_fork: copies every beat to OUTPUTS streams, to each as soon as it is ready (eager fork).
//
// Latency:   0 cycles; transparent: s_ready depends on m_ready in the same cycle.
// Interval:  1 cycle a beat when all outputs are ready; an output that has accepted the beat waits for the others.
// Clock:     rtl/README.md, Measured alone: weir_fork.
// State:     one bit an output, `done_q`: it has already accepted the beat that the input offers.
// Mapping:   OUTPUTS flip-flops and a few LUTs; data is not stored.
`default_nettype none

module weir_fork #(
  parameter integer WIDTH   = 8,  // bits of a beat
  parameter integer OUTPUTS = 2   // number of sinks
) (
  input  wire               clk,
  input  wire               rst,
  input  wire               s_valid,
  output wire               s_ready,
  input  wire [WIDTH-1:0]   s_data,
  input  wire               s_last,
  output wire [OUTPUTS-1:0] m_valid,
  input  wire [OUTPUTS-1:0] m_ready,
  output wire [WIDTH-1:0]   m_data,
  output wire               m_last
);
  generate
    if (WIDTH < 1) begin : g_check_width
      weir_fork_WIDTH_must_be_at_least_1 u_error ();
    end
    if (OUTPUTS < 2) begin : g_check_outputs
      weir_fork_OUTPUTS_must_be_at_least_2 u_error ();
    end
  endgenerate

  reg  [OUTPUTS-1:0] done_q;
  wire [OUTPUTS-1:0] done = done_q | m_ready;  // after this cycle, if the input offers a beat

  assign s_ready = &done;
  assign m_valid = {OUTPUTS{s_valid}} & ~done_q;
  assign m_data  = s_data;
  assign m_last  = s_last;

  always @(posedge clk)
    if (rst) done_q <= {OUTPUTS{1'b0}};
    else if (s_valid) done_q <= s_ready ? {OUTPUTS{1'b0}} : done;

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  reg [OUTPUTS-1:0] check_waits_q;

  always @(posedge clk) check_waits_q <= m_valid & ~m_ready & {OUTPUTS{!rst}};

  weir_check_hold #("weir_fork", "the source withdrew or changed a waiting beat", WIDTH + 1) u_check_source (
    clk, rst, s_valid, s_ready, {s_last, s_data});
  weir_check #("weir_fork", "a waiting beat was withdrawn from an output") u_check_hold (
    clk, rst, (check_waits_q & ~m_valid) == {OUTPUTS{1'b0}});
`endif
endmodule

`default_nettype wire
