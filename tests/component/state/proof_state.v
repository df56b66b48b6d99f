// m is s; r is, row by row, the initial one and then the rows of s but a frame's last, or with KEPT all of them. With
// KEPT a frame begins when t says so: with the row before or, if a sequence begins, with the initial one in its place.
// sources: stream/weir_state.v stream/weir_fifo.v memory.v
// define: WEIR_CHECK
// prove: unbounded WIDTH=1 BEATS=1 STEPS=1
// prove: unbounded WIDTH=1 BEATS=1 STEPS=3
// prove: unbounded WIDTH=1 BEATS=2 STEPS=2
// prove: unbounded WIDTH=1 BEATS=1 STEPS=1 KEPT=1
// prove: unbounded WIDTH=1 BEATS=3 STEPS=2 KEPT=1
// nightly: unbounded WIDTH=2 BEATS=3 STEPS=3
// nightly: unbounded WIDTH=1 BEATS=4 STEPS=2 SPREAD=1
// nightly: unbounded WIDTH=2 BEATS=4 STEPS=1 KEPT=1
module proof #(
  parameter integer WIDTH  = 1,
  parameter integer BEATS  = 2,
  parameter integer STEPS  = 2,
  parameter integer KEPT   = 0,
  parameter integer SPREAD = 0
) (
  input wire             clk, s_valid, i_valid, t_valid, t_first, m_ready, r_ready,
  input wire [WIDTH-1:0] s_data, i_data,
  input wire             s_last, i_last
);
  localparam integer FRAME = BEATS * STEPS;
  localparam integer AT_W  = $clog2(FRAME + 1);
  localparam integer DEPTH = BEATS < 2 ? 2 : BEATS;

  wire             rst, s_ready, i_ready, t_ready, m_valid, m_last, r_valid, r_last;
  wire [WIDTH-1:0] m_data, r_data;
  reg  [AT_W-1:0]  taken_q, given_q;  // beats of the frame
  reg              begun_q;           // a frame of r has ended
  reg              waits_q;           // s offered this beat before
  wire             take  = s_valid && s_ready;
  wire             give  = r_valid && r_ready;
  wire             opens = given_q < BEATS;                           // r's row is a frame's first
  wire             none  = opens && !(KEPT != 0 && begun_q);          // there is no row before
  wire             first = none || (KEPT != 0 && opens && t_first);   // it is the initial one
  wire             known = KEPT == 0 || !opens || t_valid;
  wire             kept  = KEPT != 0 || taken_q < FRAME - BEATS;

  weir_state #(
    .WIDTH (WIDTH),
    .BEATS (BEATS),
    .STEPS (STEPS),
    .KEPT  (KEPT),
    .SPREAD(SPREAD)
  ) u_dut (.*);

  always @(posedge clk)
    if (rst) begin
      taken_q <= 0;
      given_q <= 0;
      begun_q <= 0;
      waits_q <= 0;
    end else begin
      if (take) taken_q <= taken_q == FRAME - 1 ? 0 : taken_q + 1;
      if (give) given_q <= given_q == FRAME - 1 ? 0 : given_q + 1;
      if (give && given_q == FRAME - 1) begun_q <= 1;
      waits_q <= s_valid && !s_ready;
    end

  proof_reset u_reset (clk, rst);
  proof_source #(WIDTH + 1) u_source (clk, rst, s_valid, s_ready, {s_last, s_data});
  proof_source #(WIDTH + 1) u_initial (clk, rst, i_valid, i_ready, {i_last, i_data});
  proof_source #(1) u_begin (clk, rst, t_valid, t_ready, t_first);
  proof_hold #(WIDTH + 1) u_hold_m (clk, rst, m_valid, m_ready, {m_last, m_data});
  proof_hold #(WIDTH + 1) u_hold_r (clk, rst, r_valid, r_ready, {r_last, r_data});

  always @* assume (s_last == (taken_q == FRAME - 1));

  // s may leave at m, or into the row, before the other takes it: both see it as it is offered first. A row that the
  // initial one takes the place of leaves unseen.
  proof_order #(WIDTH + 1, 1) u_passed (
    clk, rst, s_valid && !waits_q, {s_last, s_data}, m_valid, m_valid && m_ready, {m_last, m_data}, , );
  proof_order #(WIDTH, DEPTH + 1) u_row (
    clk, rst, s_valid && !waits_q && kept, s_data, r_valid && !first, give && !none, r_data, , );

  always @* if (!rst) begin
    if (none) starts_anew: assert (r_valid == (i_valid && known));
    if (first && r_valid) starts_with_the_initial: assert (r_data == i_data);
    takes_the_initial_with_it: assert ((i_valid && i_ready) == (first && give));
    if (!known) waits_for_the_frame: assert (!r_valid);
    hears_once: assert (t_ready == (KEPT != 0 && give && given_q == BEATS - 1));
    if (r_valid) row_ends: assert (r_last == (given_q == FRAME - 1));
  end
endmodule
