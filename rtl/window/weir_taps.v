// weir_taps: all elements that a window along one dimension sees at a position, in one beat: a delay line with KERNEL
// taps. A frame is LINES lines of IN pixels of INNER beats; each of the OUT positions of a line sees the pixels o *
// STRIDE + k * DILATION - BEGIN for k in [0, KERNEL), separately for each beat of a pixel: a result beat has the lowest
// pixel in its low bits. Where there is no pixel, elements are FILL.
//
// A beat may hold several pixels: ACROSS of neighbouring lines, each with its own position, or ALONG of a line, with
// ALONG / STRIDE positions. A result beat holds positions in the order in which an input beat holds pixels.
//
// A step is the part of a line in a beat: a pixel, or ALONG of them. Steps before the last tap are kept in a word for
// each beat of a step, which is read, shifted by the accepted beat and written back. Positions that reach beyond the
// line follow its last step, each a shift without input. The last JOINED of these shifts share the first steps of the
// next line, which end no position: as its beats arrive. Where one has not arrived, the remaining shifts are made
// without input and leave the next line's pixels in place; that line then continues with the missing beat.
//
// Latency:   3 + INNER * JOINED - INNER * max(0, IN / ALONG - ceil(((OUT - 1) * STRIDE + (KERNEL - 1) * DILATION -
//            BEGIN + 1) / ALONG)) cycles from a frame's last beat to its last result: 3 from the last beat that a
//            result needs; steps of INNER beats that no result needs may follow it.
// Interval:  LINES * (max(IN / ALONG, ceil(((OUT - 1) * STRIDE + (KERNEL - 1) * DILATION - BEGIN + 1) / ALONG)) -
//            JOINED) * INNER cycles a frame: the steps of a line, and those after it that its last positions see,
//            except the JOINED ones.
// Bound:     With fixed taps a position is emitted in the step that ends it, FIRST to FINAL counted from its line's
//            first step. If lines start P steps apart, P >= IN / ALONG, because a step takes a cycle a beat, and P >
//            FINAL - FIRST, because the last position of a line leaves before the first one of the next. JOINED steps
//            reach this minimum, unless more than IN / ALONG would have to be joined, with taps that see no pixel at
//            any position (tests/component/taps/test_taps_bound.c searches all orders of small lines).
// Clock:     rtl/README.md, Measured alone: weir_taps.
// State:     a memory of INNER words of (KERNEL - 1) * DILATION beats, registers in a loop where INNER is below 3; two
//            registers of a word and a beat; a register slice.
// Invariant: a word is written 2 cycles after it is read, and read again INNER beats after that: block RAM from INNER 3
//            on.
// Mapping:   block RAM with a register after it, a 2:1 multiplexer an element.
`default_nettype none

module weir_taps #(
  parameter integer LANES    = 1,  // elements of a pixel
  parameter integer ACROSS   = 1,  // pixels of a beat
  parameter integer ALONG    = 1,
  parameter integer X_W      = 8,  // bits of an input element
  parameter integer X_SIGNED = 0,  // 1: two's complement
  // bits of an output element: at least X_W, enough for FILL, signed if X_SIGNED
  parameter integer Y_W      = 8,
  parameter integer INNER    = 1,  // beats of a step
  parameter integer IN       = 2,  // pixels of a line
  parameter integer OUT      = 1,  // positions of a line
  parameter integer LINES    = 1,  // of a frame
  parameter integer KERNEL   = 2,
  parameter integer STRIDE   = 1,
  parameter integer DILATION = 1,
  parameter integer BEGIN    = 0,  // padding before a line
  parameter integer JOINED   = 0,  // shifts after a line that are made with the next line's first steps
  parameter integer FILL     = 0   // element where there is no pixel
) (
  input  wire                        clk,
  input  wire                        rst,
  input  wire                        s_valid,
  output wire                        s_ready,
  input  wire [ALONG*ACROSS*LANES*X_W-1:0] s_data,
  /* verilator lint_off UNUSEDSIGNAL */ // lines are counted
  input  wire                        s_last,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire                        m_valid,
  input  wire                        m_ready,
  output wire [(ALONG>1?ALONG/STRIDE:1)*ACROSS*KERNEL*LANES*Y_W-1:0] m_data,
  output wire                        m_last
);
  // FILL in the bits of a result, which may be more than a parameter has.
  function [Y_W-1:0] code_of(input integer fill);
    integer b;
    for (b = 0; b < Y_W; b = b + 1) code_of[b] = ((fill >>> b) & 1) != 0;
  endfunction
  localparam [Y_W-1:0] FILL_CODE = code_of(FILL);

  localparam integer MOVED     = ALONG > 1 ? ALONG / STRIDE : 1;                  // positions of a step
  localparam integer MOVE      = ALONG > 1 ? 1 : STRIDE;                          // steps from those to the next ones
  localparam integer POSITIONS = MOVED * ACROSS;                                  // of a beat
  localparam integer BEAT_W    = ALONG * ACROSS * LANES * X_W;
  localparam integer GIVEN_W   = POSITIONS * KERNEL * LANES * Y_W;
  // from a position's first pixel to its last
  localparam integer SPAN      = (KERNEL - 1) * DILATION;
  // the step that ends the first positions
  localparam integer FIRST     = ((MOVED - 1) * STRIDE + SPAN - BEGIN) / ALONG;
  localparam integer FINAL     = (OUT / MOVED - 1) * MOVE + FIRST;                // and the last ones
  localparam integer STEPS     = (IN / ALONG > FINAL ? IN / ALONG : FINAL + 1) - JOINED;
  // from a position's first step to its last
  localparam integer NEEDED    = FIRST + (BEGIN + ALONG - 1) / ALONG;
  localparam integer REACH     = NEEDED > 1 ? NEEDED : 1;
  localparam integer HELD_W    = REACH * BEAT_W;

  generate
    if (LANES < 1 || ACROSS < 1 || ALONG < 1 || X_W < 1 || INNER < 1 || IN < 1 || OUT < 1 || LINES < 1) begin : g_check_sizes
      weir_taps_sizes_must_be_at_least_1 u_error ();
    end
    if (Y_W < X_W) begin : g_check_widths
      weir_taps_Y_W_must_be_at_least_X_W u_error ();
    end
    if (KERNEL < 1 || STRIDE < 1 || DILATION < 1) begin : g_check_window
      weir_taps_KERNEL_STRIDE_and_DILATION_must_be_at_least_1 u_error ();
    end
    if (ALONG > 1 && (IN % ALONG != 0 || ALONG % STRIDE != 0 || OUT % MOVED != 0)) begin : g_check_along
      weir_taps_ALONG_must_divide_IN_and_STRIDE_must_divide_it_and_its_positions_OUT u_error ();
    end
    if (BEGIN < 0 || BEGIN > SPAN) begin : g_check_begin
      weir_taps_BEGIN_must_be_smaller_than_the_window u_error ();
    end
    if ((OUT - 1) * STRIDE >= IN + BEGIN || FINAL + MOVE < IN / ALONG) begin : g_check_out
      weir_taps_positions_must_start_in_the_line_and_be_all_that_end_in_it u_error ();
    end
    if (JOINED < 0 || (JOINED > 0 && (JOINED > FINAL + 1 - IN / ALONG || JOINED > FIRST || JOINED > IN / ALONG))) begin : g_check_joined
      weir_taps_JOINED_must_be_at_most_the_steps_after_the_line_and_of_it_before_a_position_ends u_error ();
    end
  endgenerate

  function integer bits(input integer most);
    bits = most < 1 ? 1 : $clog2(most + 1);
  endfunction

  // ---- the step ----
  localparam integer INNER_W = bits(INNER - 1);
  localparam integer STEP_W  = bits(STEPS - 1);
  localparam integer LINE_W  = bits(LINES - 1);
  localparam integer WAIT_W  = bits(FIRST > MOVE - 1 ? FIRST : MOVE - 1);
  localparam integer BEFORE_INNER = INNER - 2;  // before a loop's last
  localparam integer BEFORE_STEP  = STEPS - 2;
  localparam integer BEFORE_LINE  = LINES - 2;
  localparam integer LAST_IN      = IN / ALONG - 1;
  localparam integer NEXT_WAIT    = MOVE - 1;

  reg  [INNER_W-1:0] inner_q;
  reg  [STEP_W-1:0]  step_q;
  reg  [LINE_W-1:0]  line_q;
  reg                inner_last_q, step_last_q, line_last_q;
  reg                beyond_q;  // the step is after the line
  reg  [REACH:0]     exists_q;  // so many steps before it, there is one
  reg  [WAIT_W-1:0]  wait_q;    // steps to the next that ends a position
  reg                ends_q;    // this one does
  wire               go;        // the output has room
  wire               joins;     // one of a line's first steps, with a shift of the line before
  wire               apart;     // that shift alone: the step's beat has not arrived
  wire               idle;      // neither: on the way to that beat
  // it ends a position, it is the last one, and of the frame
  wire               joined_gives, joined_final, joined_last;
  // pixels of the word, the latest first, that are the next line's and not moved; it may have one less
  wire [HELD_STAY-1:0] stays;
  wire [INNER_W-1:0] next_inner;  // after the step
  wire               next_inner_last;
  wire               move   = go && (s_valid || beyond_q || joins || idle);
  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire               active = s_valid && s_ready;
  /* verilator lint_on UNUSEDSIGNAL */
  wire               step_end = inner_last_q && !apart && !idle;
  wire               line_end = step_end && step_last_q;
  wire               next_beyond = IN / ALONG < STEPS && (beyond_q || step_q == LAST_IN[STEP_W-1:0]) && !line_end;
  wire               final_step;  // ends the line's last position
  wire [WAIT_W-1:0]  next_wait = line_end ? FIRST[WAIT_W-1:0] : ends_q ? NEXT_WAIT[WAIT_W-1:0] : wait_q - 1'b1;

  generate
    if (FINAL == STEPS - 1) begin : g_ends_line
      assign final_step = step_last_q;
    end else begin : g_steps_follow
      localparam integer LAST_STEP = FINAL;
      assign final_step = step_q == LAST_STEP[STEP_W-1:0];
    end
  endgenerate

  always @(posedge clk)
    if (rst) begin
      inner_q      <= {INNER_W{1'b0}};
      step_q       <= {STEP_W{1'b0}};
      line_q       <= {LINE_W{1'b0}};
      inner_last_q <= INNER == 1;
      step_last_q  <= STEPS == 1;
      line_last_q  <= LINES == 1;
      beyond_q     <= 1'b0;
      exists_q     <= {{REACH{1'b0}}, 1'b1};
      wait_q       <= FIRST[WAIT_W-1:0];
      ends_q       <= FIRST == 0;
    end else if (move) begin
      inner_q      <= inner_last_q ? next_inner : inner_q + 1'b1;
      inner_last_q <= INNER == 1 || (inner_last_q ? next_inner_last : inner_q == BEFORE_INNER[INNER_W-1:0]);
      if (inner_last_q && joins && (apart || !joined_final)) exists_q <= joined_final ? own_exists : {exists_q[REACH-1:0], 1'b0};
      if (step_end) begin
        step_q      <= step_last_q ? {STEP_W{1'b0}} : step_q + 1'b1;
        step_last_q <= STEPS == 1 || step_q == BEFORE_STEP[STEP_W-1:0];
        beyond_q    <= next_beyond;
        if (!joins || joined_final)
          exists_q  <= line_end && JOINED == 0 ? {{REACH{1'b0}}, 1'b1} : {own_exists[REACH-1:0], !next_beyond && !(line_end && JOINED != 0)};
        wait_q      <= next_wait;
        ends_q      <= next_wait == {WAIT_W{1'b0}};
      end
      if (line_end) begin
        line_q      <= line_last_q ? {LINE_W{1'b0}} : line_q + 1'b1;
        line_last_q <= LINES == 1 || line_q == BEFORE_LINE[LINE_W-1:0];
      end
    end

  // ---- a line's first steps with the last shifts of the line before ----
  localparam integer HELD_STAY = JOINED > 0 ? JOINED : 1;
  /* verilator lint_off UNUSEDSIGNAL */ // the oldest leaves
  wire [REACH:0] own_exists;  // as exists_q, of the step's own line
  /* verilator lint_on UNUSEDSIGNAL */

  generate
    if (JOINED == 0) begin : g_alone
      assign joins           = 1'b0;
      assign apart           = 1'b0;
      assign idle            = 1'b0;
      assign joined_gives    = 1'b0;
      assign joined_final    = 1'b0;
      assign joined_last     = 1'b0;
      assign own_exists      = exists_q;
      assign stays           = 1'b0;
      assign next_inner      = {INNER_W{1'b0}};
      assign next_inner_last = INNER == 1;
      assign s_ready         = go && !beyond_q;
    end else begin : g_joined
      localparam integer LEFT_W     = bits(JOINED - 1);
      localparam integer MOST_LEFT  = JOINED - 1;
      localparam integer LAST_INNER = INNER - 1;

      reg                joins_q, last_q;  // last: they are the frame's last
      reg  [LEFT_W-1:0]  left_q;           // shifts after this one
      reg  [JOINED-1:0]  own_q;            // of the step's line: so many steps before it, there is one
      reg                apart_q, idle_q;
      reg  [INNER_W-1:0] kept_q;           // the beat of the step that has not arrived
      wire [INNER_W-1:0] kept = apart_q || idle_q ? kept_q : inner_q;
      wire [JOINED-1:0]  gives;            // by the shifts left after it: it ends a position
      // Memories read at that beat, registers come around to it.
      wire               comes_around = INNER < 3 && kept != {INNER_W{1'b0}};
      genvar             t;

      assign joins           = joins_q;
      assign apart           = joins_q && (apart_q || !s_valid);
      assign idle            = idle_q;
      assign joined_gives    = joins_q && gives[left_q];
      assign joined_final    = left_q == {LEFT_W{1'b0}};
      assign joined_last     = joined_final && last_q;
      assign next_inner      = apart && joined_final && !comes_around ? kept : {INNER_W{1'b0}};
      assign next_inner_last = INNER == 1 || (apart && joined_final && !comes_around && kept == LAST_INNER[INNER_W-1:0]);
      assign s_ready         = go && !beyond_q && !apart_q && !idle_q;
      for (t = 0; t <= REACH; t = t + 1) begin : g_exists
        assign own_exists[t] = joins_q ? t < JOINED && own_q[t < JOINED ? t : 0] : exists_q[t];
      end
      for (t = 0; t < JOINED; t = t + 1) begin : g_shift
        assign gives[t] = t % MOVE == 0 && t <= FINAL - FIRST;
        assign stays[t] = (apart || idle_q) && own_q[t];
      end

      always @(posedge clk) begin
        if (move) begin
          kept_q <= kept;
          idle_q <= inner_last_q && apart && joined_final && comes_around;
          if (inner_last_q) begin
            apart_q <= apart && !joined_final;
            left_q  <= left_q - 1'b1;
            if (joined_final) joins_q <= 1'b0;
          end else if (apart) apart_q <= 1'b1;
          if (step_end) own_q <= own_q | own_q << 1;
          if (line_end) begin
            joins_q <= 1'b1;
            own_q   <= ~({JOINED{1'b1}} << 1);
            left_q  <= MOST_LEFT[LEFT_W-1:0];
            last_q  <= line_last_q;
          end
        end
        if (rst) begin
          joins_q <= 1'b0;
          apart_q <= 1'b0;
          idle_q  <= 1'b0;
        end
      end
    end
  endgenerate

  // ---- the delay line: the beats accepted 1 to REACH steps ago, the latest in the low bits ----
  reg                valid_1_q, valid_2_q, last_1_q, last_2_q;
  reg  [REACH:0]     exists_1_q, exists_2_q;
  reg  [BEAT_W-1:0]  x_1_q, x_2_q;
  reg  [HELD_W-1:0]  held_2_q;
  wire [HELD_W-1:0]  held;       // of the beat in x_1_q
  wire               o_ready;

  assign go = !valid_2_q || o_ready;

  // The word after a shift by `x`; pixels that stay do so. A memory's word is not written with the last shift.
  localparam integer STAYING = INNER < 3 ? JOINED : JOINED - 1;
  function [HELD_W-1:0] moved(input [HELD_W-1:0] word, input [BEAT_W-1:0] x, input [HELD_STAY-1:0] stay);
    integer p;
    begin
      /* verilator lint_off WIDTH */ // the oldest leaves
      moved = {word, x};
      /* verilator lint_on WIDTH */
      for (p = 0; p < STAYING; p = p + 1) if (stay[p]) moved[p*BEAT_W +: BEAT_W] = word[p*BEAT_W +: BEAT_W];
    end
  endfunction

  generate
    if (INNER < 3) begin : g_registers
      reg  [INNER*HELD_W-1:0] words_q;  // that of the beat at the bottom
      reg  [HELD_W-1:0]       held_1_q;
      wire [HELD_W-1:0]       next = moved(words_q[HELD_W-1:0], s_data, stays);
      assign held = held_1_q;
      always @(posedge clk)
        if (move) begin
          /* verilator lint_off WIDTH */ // the one that is read leaves at the bottom
          words_q  <= {next, words_q} >> HELD_W;
          /* verilator lint_on WIDTH */
          held_1_q <= words_q[HELD_W-1:0];
        end
    end else begin : g_memory
      reg                       moved_1_q, moved_2_q;
      reg  [INNER_W-1:0]        inner_1_q, inner_2_q;
      reg  [HELD_STAY-1:0]      stays_1_q, stays_2_q;
      always @(posedge clk) begin
        if (go) begin
          moved_1_q <= move && !(apart && joined_final);
          moved_2_q <= moved_1_q;
          stays_1_q <= stays;
          stays_2_q <= stays_1_q;
          inner_1_q <= inner_q;
          inner_2_q <= inner_1_q;
        end
        if (rst) begin
          moved_1_q <= 1'b0;
          moved_2_q <= 1'b0;
        end
      end
      weir_ram #(
        .WIDTH(HELD_W),
        .DEPTH(INNER)
      ) u_ram (
        .clk  (clk),
        .we   (moved_2_q && go),
        .waddr(inner_2_q),
        .wdata(moved(held_2_q, x_2_q, stays_2_q)),
        .re   (move),
        .raddr(inner_q),
        .q    (held)
      );
    end
  endgenerate

  always @(posedge clk) begin
    if (go) begin
      valid_1_q  <= move && !idle && (joins ? joined_gives : ends_q);
      exists_1_q <= exists_q;
      last_1_q   <= JOINED != 0 ? joins && joined_last && inner_last_q : final_step && step_end && line_last_q;
      x_1_q      <= s_data;
      valid_2_q  <= valid_1_q;
      exists_2_q <= exists_1_q;
      last_2_q   <= last_1_q;
      x_2_q      <= x_1_q;
      held_2_q   <= held;
    end
    if (rst) begin
      valid_1_q <= 1'b0;
      valid_2_q <= 1'b0;
    end
  end

  // ---- the beat: the tap of each pixel, extended, or FILL ----
  /* verilator lint_off UNUSEDSIGNAL */ // of several pixels a step the first ones may be of no position
  wire [HELD_W+BEAT_W-1:0] seen = {held_2_q, x_2_q};
  wire [REACH:0]           known = exists_2_q;
  /* verilator lint_on UNUSEDSIGNAL */
  reg  [GIVEN_W-1:0]       given;
  integer                  n, k, l, back, at;  // pixels before the line's latest; where a pixel lies
  always @*
    for (n = 0; n < POSITIONS; n = n + 1)
      for (k = 0; k < KERNEL; k = k + 1)
        for (l = 0; l < LANES; l = l + 1) begin
          back = FIRST * ALONG + ALONG - 1 - n / ACROSS * STRIDE - k * DILATION + BEGIN;
          at   = ((back / ALONG * ALONG + ALONG - 1 - back % ALONG) * ACROSS + n % ACROSS) * LANES + l;
          given[((n*KERNEL + k)*LANES + l)*Y_W +: Y_W] = {Y_W{X_SIGNED != 0 && seen[at*X_W + X_W - 1]}};
          given[((n*KERNEL + k)*LANES + l)*Y_W +: X_W] = seen[at*X_W +: X_W];
          if (!known[back/ALONG]) given[((n*KERNEL + k)*LANES + l)*Y_W +: Y_W] = FILL_CODE;
        end

  weir_register_slice #(
    .WIDTH(GIVEN_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(valid_2_q),
    .s_ready(o_ready),
    .s_data (given),
    .s_last (last_2_q),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_frames #("weir_taps", GIVEN_W, LINES * (IN / ALONG) * INNER, LINES * (OUT / MOVED) * INNER) u_check (
    clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
