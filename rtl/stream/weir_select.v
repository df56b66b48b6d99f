// weir_select: emits a part of each frame, or a frame as part of a larger one. Six nested loops, the first one
// outermost, run once a frame, an iteration a beat; an iteration is inside where each loop's index is in [BEGIN, END).
// Without FILLS every iteration accepts a beat and those inside emit it; with FILLS every iteration emits a beat: those
// inside the accepted one, the others FILL in each element.
//
// Latency:   FILLS ? 2 : 1 - ((((((SIZE_0 - END_0) * SIZE_1 + SIZE_1 - END_1) * SIZE_2 + SIZE_2 - END_2) * SIZE_3 +
//            SIZE_3 - END_3) * SIZE_4 + SIZE_4 - END_4) * SIZE_5 + SIZE_5 - END_5) cycles from a frame's last beat to
//            its last result: the subtracted term is the number of beats after the last one inside.
// Interval:  SIZE_0 * SIZE_1 * SIZE_2 * SIZE_3 * SIZE_4 * SIZE_5 cycles a frame.
// Clock:     rtl/README.md, Measured alone: weir_select.
// State:     the iteration, with FILLS a beat; a register slice.
// Mapping:   a counter a loop with flags for its bounds, and with FILLS a 2:1 multiplexer a bit.
`default_nettype none

module weir_select #(
  parameter integer LANES    = 1,
  parameter integer X_W      = 8,  // bits of an element
  parameter integer X_SIGNED = 1,
  parameter integer Y_W      = 8,  // bits of a result
  parameter integer FILLS    = 0,
  parameter integer FILL     = 0,
  parameter integer SIZE_0   = 1,
  parameter integer SIZE_1   = 1,
  parameter integer SIZE_2   = 1,
  parameter integer SIZE_3   = 1,
  parameter integer SIZE_4   = 1,
  parameter integer SIZE_5   = 2,
  parameter integer BEGIN_0  = 0,
  parameter integer BEGIN_1  = 0,
  parameter integer BEGIN_2  = 0,
  parameter integer BEGIN_3  = 0,
  parameter integer BEGIN_4  = 0,
  parameter integer BEGIN_5  = 0,
  parameter integer END_0    = 1,
  parameter integer END_1    = 1,
  parameter integer END_2    = 1,
  parameter integer END_3    = 1,
  parameter integer END_4    = 1,
  parameter integer END_5    = 1
) (
  input  wire                 clk,
  input  wire                 rst,
  input  wire                 s_valid,
  output wire                 s_ready,
  input  wire [LANES*X_W-1:0] s_data,
  /* verilator lint_off UNUSEDSIGNAL */ // the loops end with the frame
  input  wire                 s_last,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire                 m_valid,
  input  wire                 m_ready,
  output wire [LANES*Y_W-1:0] m_data,
  output wire                 m_last
);
  // FILL in the bits of a result, which may be more than a parameter has.
  function [Y_W-1:0] code_of(input integer fill);
    integer b;
    for (b = 0; b < Y_W; b = b + 1) code_of[b] = ((fill >>> b) & 1) != 0;
  endfunction
  localparam [Y_W-1:0] FILL_CODE = code_of(FILL);

  localparam integer LOOPS = 6;
  /* verilator lint_off WIDTHCONCAT */ // integers have 32 bits
  localparam [32*LOOPS-1:0] SIZES  = {SIZE_5, SIZE_4, SIZE_3, SIZE_2, SIZE_1, SIZE_0};
  localparam [32*LOOPS-1:0] BEGINS = {BEGIN_5, BEGIN_4, BEGIN_3, BEGIN_2, BEGIN_1, BEGIN_0};
  localparam [32*LOOPS-1:0] ENDS   = {END_5, END_4, END_3, END_2, END_1, END_0};
  /* verilator lint_on WIDTHCONCAT */

  generate
    if (LANES < 1 || X_W < 1) begin : g_check
      weir_select_LANES_and_X_W_must_be_at_least_1 u_error ();
    end
    if (Y_W < X_W) begin : g_check_out
      weir_select_Y_W_must_hold_the_elements u_error ();
    end
    if (BEGIN_0 < 0 || BEGIN_0 >= END_0 || END_0 > SIZE_0 ||
        BEGIN_1 < 0 || BEGIN_1 >= END_1 || END_1 > SIZE_1 ||
        BEGIN_2 < 0 || BEGIN_2 >= END_2 || END_2 > SIZE_2 ||
        BEGIN_3 < 0 || BEGIN_3 >= END_3 || END_3 > SIZE_3 ||
        BEGIN_4 < 0 || BEGIN_4 >= END_4 || END_4 > SIZE_4 ||
        BEGIN_5 < 0 || BEGIN_5 >= END_5 || END_5 > SIZE_5) begin : g_check_loops
      weir_select_BEGIN_must_be_below_END_and_END_within_SIZE u_error ();
    end
  endgenerate

  // ---- the iteration ----
  /* verilator lint_off UNUSEDSIGNAL */ // loops of one iteration make no step
  wire             step;    // to the next one
  /* verilator lint_on UNUSEDSIGNAL */
  /* verilator lint_off UNOPTFLAT */ // a bit depends on those of the loops in it
  /* verilator lint_off UNUSEDSIGNAL */ // the outermost loop ends with the frame
  wire [LOOPS:0]   at_end;  // of the loops from there on
  /* verilator lint_on UNUSEDSIGNAL */
  /* verilator lint_on UNOPTFLAT */
  wire [LOOPS-1:0] in;      // inside, of the loop
  /* verilator lint_off UNUSEDSIGNAL */ // only what keeps a part of the frame ends with it
  wire [LOOPS-1:0] ending;   // the last one inside
  /* verilator lint_on UNUSEDSIGNAL */
  wire             is_inside = &in;

  assign at_end[LOOPS] = 1'b1;

  genvar l;
  generate
    for (l = 0; l < LOOPS; l = l + 1) begin : g_loop
      localparam integer SIZE  = SIZES[32*l +: 32];
      localparam integer BEGIN = BEGINS[32*l +: 32];
      localparam integer END   = ENDS[32*l +: 32];
      if (SIZE == 1) begin : g_once
        assign at_end[l] = at_end[l+1];
        assign in[l]     = 1'b1;
        assign ending[l]  = 1'b1;
      end else begin : g_count
        localparam integer COUNT_W = $clog2(SIZE);
        localparam integer LAST    = SIZE - 1;
        localparam integer FINAL   = END - 1;
        reg  [COUNT_W-1:0] count_q;
        reg                last_q, in_q, ending_q;
        wire [COUNT_W-1:0] next  = last_q ? {COUNT_W{1'b0}} : count_q + 1'b1;
        wire               leave = END < SIZE ? ending_q : last_q;
        assign at_end[l] = at_end[l+1] && last_q;
        assign in[l]     = in_q;
        assign ending[l]  = ending_q;
        always @(posedge clk)
          if (rst) begin
            count_q <= {COUNT_W{1'b0}};
            last_q  <= 1'b0;
            in_q    <= BEGIN == 0;
            ending_q <= FINAL == 0;
          end else if (step && at_end[l+1]) begin
            count_q <= next;
            last_q  <= next == LAST[COUNT_W-1:0];
            in_q    <= next == BEGIN[COUNT_W-1:0] || (in_q && !leave);
            ending_q <= next == FINAL[COUNT_W-1:0];
          end
      end
    end
  endgenerate

  // ---- the beat ----
  wire                 o_valid, o_ready, o_last;
  wire [LANES*X_W-1:0] x;
  wire                 taken = s_valid && s_ready;
  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire                 active = taken;
  /* verilator lint_on UNUSEDSIGNAL */

  generate
    if (FILLS != 0) begin : g_fills
      reg                 held_q, first_q;  // a frame's first iteration waits for its first beat
      reg [LANES*X_W-1:0] x_q;
      wire                leave = step && is_inside;
      assign o_valid = held_q || (!is_inside && !first_q);
      assign o_last  = at_end[0];
      assign step    = o_valid && o_ready;
      assign s_ready = !held_q || leave;
      assign x       = x_q;
      always @(posedge clk) begin
        if (taken) x_q <= s_data;
        if (rst) begin
          held_q  <= 1'b0;
          first_q <= 1'b1;
        end else begin
          held_q <= taken || (held_q && !leave);
          if (step) first_q <= at_end[0];
        end
      end
    end else begin : g_drops
      assign o_valid = s_valid && is_inside;
      assign o_last  = &ending;
      assign step    = taken;
      assign s_ready = o_ready || !is_inside;
      assign x       = s_data;
    end
  endgenerate

  reg [LANES*Y_W-1:0] y;
  integer             i;
  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      y[i*Y_W +: Y_W] = {Y_W{X_SIGNED != 0 && x[i*X_W + X_W - 1]}};
      y[i*Y_W +: X_W] = x[i*X_W +: X_W];
      if (FILLS != 0 && !is_inside) y[i*Y_W +: Y_W] = FILL_CODE;
    end

  weir_register_slice #(
    .WIDTH(LANES * Y_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(o_valid),
    .s_ready(o_ready),
    .s_data (y),
    .s_last (o_last),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  localparam integer CHECK_ALL  = SIZE_0 * SIZE_1 * SIZE_2 * SIZE_3 * SIZE_4 * SIZE_5;
  localparam integer CHECK_PART = (END_0 - BEGIN_0) * (END_1 - BEGIN_1) * (END_2 - BEGIN_2) * (END_3 - BEGIN_3) *
      (END_4 - BEGIN_4) * (END_5 - BEGIN_5);

  weir_check_frames #("weir_select", LANES * Y_W, FILLS != 0 ? CHECK_PART : CHECK_ALL,
      FILLS != 0 ? CHECK_ALL : CHECK_PART) u_check (
    clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
