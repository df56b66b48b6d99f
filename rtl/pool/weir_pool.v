// weir_pool: the largest element of each window that slides along one dimension, or with SUM the sum of x - ZERO of its
// elements. A frame is LINES lines of IN steps of INNER beats; each of the OUT windows of a line sees the steps o *
// STRIDE + k * DILATION - BEGIN for k in [0, KERNEL) that are in [0, IN). With COMMON the sum of a window is multiplied
// by COMMON / the number of steps that it sees, an integer of at most FACTOR_W bits, so all sums have the same number
// of terms. A pool over several dimensions uses one of these for each.
//
// With TOGETHER > 1 a beat holds whole windows of TOGETHER neighbouring pixels of PIXEL elements, which are reduced as
// they arrive: then a step is a beat of results, and KERNEL and STRIDE are 1.
//
// A window is held from its first step to its last: SLOTS = ceil(((KERNEL - 1) * DILATION) / STRIDE) are open at a
// time, so the buffer holds that many, INNER beats each: the minimum. Windows that reach beyond the line are emitted
// after its last step, and with JOINED the last of them with the first step of the next line, which ends none: as its
// beats arrive, or where one has not arrived, without them to the end of the step.
//
// Latency:   (INNER < 4 ? 3 : 4) + FACTOR_W + INNER * JOINED - INNER * max(0, IN + BEGIN - (KERNEL - 1) * DILATION - 1
//            - (OUT - 1) * STRIDE) cycles from a frame's last beat to its last result: the terms before the minus count
//            from the last beat that a result needs; steps of INNER beats that no result needs may follow it.
// Interval:  LINES * (IN + OUT - JOINED - max(0, ceil((IN + BEGIN - (KERNEL - 1) * DILATION) / STRIDE))) * INNER cycles
//            a frame: one more step a line for each window that ends after it, except the JOINED one.
// Bound:     A window's position on the line fixes its slot, and a step updates all slots. So at a line's first step no
//            window of the line before remains except one that leaves its slot in the same cycle, and none where that
//            step itself ends a window. Windows that reach beyond the line are emitted after it, one a step: with
//            JOINED no frame can take fewer cycles (tests/component/max_pool/test_pool_bound.c searches all orders of
//            small lines).
// Clock:     rtl/README.md, Measured alone: weir_pool.
// State:     SLOTS memories of INNER beats (shift registers where INNER is below 4), the beats between read and write,
//            a register slice.
// Invariant: a word is written 3 cycles after it is read, and read again INNER beats after that: block RAM from INNER 4
//            on.
// Mapping:   block RAM with a register after it; a comparator or an adder a lane and slot between registers, and with a
//            ZERO an adder a lane before them. With TOGETHER a chain of them a lane instead of the slots.
`default_nettype none

module weir_pool #(
  parameter integer LANES    = 1,  // elements a beat of results
  parameter integer TOGETHER = 1,
  parameter integer PIXEL    = 1,
  parameter integer WIDTH    = 8,  // bits of an element
  parameter integer SIGNED   = 0,
  parameter integer SUM      = 0,
  parameter integer ZERO     = 0,
  parameter integer OUT_W    = 8,  // bits of a result: WIDTH, or with SUM what every sum fits
  parameter integer COMMON   = 0,
  parameter integer FACTOR_W = 0,
  parameter integer INNER    = 1,  // beats of a step
  parameter integer IN       = 2,  // steps of a line
  parameter integer OUT      = 1,  // windows of a line
  parameter integer LINES    = 1,  // of a frame
  parameter integer KERNEL   = 2,
  parameter integer STRIDE   = 2,
  parameter integer DILATION = 1,
  parameter integer BEGIN    = 0,  // padding before a line
  parameter integer JOINED   = 0   // 1: the last window after a line is given with the next line's first step
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   s_valid,
  output wire                   s_ready,
  input  wire [TOGETHER*LANES*WIDTH-1:0] s_data,
  /* verilator lint_off UNUSEDSIGNAL */ // lines are counted
  input  wire                   s_last,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [LANES*OUT_W-1:0] m_data,
  output wire                   m_last
);
  localparam integer REACH  = (KERNEL - 1) * DILATION;                // from a window's first step to its last
  localparam integer SLOTS  = (REACH + STRIDE - 1) / STRIDE;
  localparam integer HELD   = SLOTS > 0 ? SLOTS : 1;
  localparam integer PERIOD = HELD * STRIDE;                          // steps from a slot's window to its next
  localparam integer ENDED  = IN + BEGIN <= REACH ? 0 : (IN + BEGIN - REACH - 1) / STRIDE + 1;
  localparam integer TAIL   = OUT - ENDED;
  localparam integer FIRST  = REACH - BEGIN;                          // steps before the one that ends the first window
  localparam integer AFTER  = TAIL - JOINED;                          // steps after a line
  localparam integer BEAT_W = LANES * OUT_W;
  localparam integer TAKEN  = TOGETHER * LANES;                       // elements
  localparam integer RAM    = INNER < 4 ? 0 : 1;                      // memories hold the slots

  generate
    if (LANES < 1 || WIDTH < 1 || OUT_W < 1 || INNER < 1 || IN < 1 || OUT < 1 || LINES < 1) begin : g_check_sizes
      weir_pool_LANES_WIDTH_OUT_W_INNER_IN_OUT_and_LINES_must_be_at_least_1 u_error ();
    end
    if (SUM == 0 && (OUT_W != WIDTH || ZERO != 0 || COMMON != 0)) begin : g_check_result
      weir_pool_OUT_W_must_be_WIDTH_and_ZERO_and_COMMON_0_unless_SUM u_error ();
    end
    if ((COMMON > 0) != (FACTOR_W > 0)) begin : g_check_factor
      weir_pool_COMMON_must_have_factors_of_FACTOR_W_bits u_error ();
    end
    if (TOGETHER < 1 || (TOGETHER > 1 && (KERNEL > 1 || STRIDE > 1 || PIXEL < 1 || LANES % PIXEL != 0))) begin : g_check_together
      weir_pool_TOGETHER_must_be_at_least_1_and_1_without_whole_pixels_or_with_KERNEL_or_STRIDE u_error ();
    end
    if (KERNEL < 1 || STRIDE < 1 || DILATION < 1) begin : g_check_window
      weir_pool_KERNEL_STRIDE_and_DILATION_must_be_at_least_1 u_error ();
    end
    if (BEGIN < 0 || BEGIN > REACH) begin : g_check_begin
      weir_pool_BEGIN_must_be_smaller_than_the_window u_error ();
    end
    if (TAIL < 0 || (OUT - 1) * STRIDE >= IN + BEGIN) begin : g_check_out
      weir_pool_OUT_windows_must_start_on_the_line_and_include_all_that_end_on_it u_error ();
    end
    if (JOINED < 0 || JOINED > 1 || (JOINED > 0 && (TAIL < 1 || FIRST < 1))) begin : g_check_joined
      weir_pool_JOINED_must_be_0_unless_a_window_ends_after_the_line_and_none_on_its_first_step u_error ();
    end
  endgenerate

  function integer bits(input integer most);
    bits = most < 1 ? 1 : $clog2(most + 1);
  endfunction

  // Which phases of a slot's window take an element: multiples of DILATION. What follows its last one is never read.
  function [PERIOD-1:0] taking(input integer apart);
    integer p;
    for (p = 0; p < PERIOD; p = p + 1) taking[p] = p % apart == 0;
  endfunction

  localparam integer NUMBER_W = FACTOR_W > 0 ? FACTOR_W : 1;
  // By window: how often its sum counts.
  function [OUT*NUMBER_W-1:0] factors(input integer common);
    integer o, n, at, seen;
    for (o = 0; o < OUT; o = o + 1) begin
      seen = 0;
      for (n = 0; n < KERNEL; n = n + 1) begin
        at = o * STRIDE + n * DILATION - BEGIN;
        if (at >= 0 && at < IN) seen = seen + 1;
      end
      /* verilator lint_off WIDTH */ // NUMBER_W bits hold it
      factors[o*NUMBER_W +: NUMBER_W] = common / (TOGETHER * seen);
      /* verilator lint_on WIDTH */
    end
  endfunction

  localparam integer INNER_W = bits(INNER - 1);
  localparam integer STEP_W  = bits(IN + AFTER - 1);
  localparam integer LINE_W  = bits(LINES - 1);
  localparam integer WAIT_W  = bits(FIRST > STRIDE - 1 ? FIRST : STRIDE - 1);
  localparam integer PHASE_W = bits(PERIOD - 1);
  localparam integer SLOT_W  = bits(HELD - 1);
  localparam integer LAST_INNER = INNER - 1;
  localparam integer LAST_REAL  = IN - 1;
  localparam integer FINAL_STEP = TAIL > 0 ? IN + TAIL - 1 : FIRST + (OUT - 1) * STRIDE;  // gives a line's last window
  localparam integer LAST_STEP  = IN + AFTER - 1;
  localparam integer LAST_LINE  = LINES - 1;
  localparam integer LAST_PHASE = PERIOD - 1;
  localparam integer LAST_SLOT  = HELD - 1;
  localparam integer NEXT_WAIT  = STRIDE - 1;

  // ---- the position of the next beat ----
  reg  [INNER_W-1:0] inner_q;
  reg  [STEP_W-1:0]  step_q;    // beyond the line: windows that end after it
  reg  [LINE_W-1:0]  line_q;
  reg  [WAIT_W-1:0]  wait_q;    // steps before the one that ends a window
  reg  [SLOT_W-1:0]  slot_q;    // where that window is held
  reg  [HELD-1:0]    empty_q;   // slots whose window has seen nothing yet
  reg  [HELD*PHASE_W-1:0] phase_q;        // by slot: steps since the start of its window
  reg                tail_q;
  wire               joins;     // a line's first step, with a window of the line before
  wire               apart;     // without the step's beat
  wire               idle;      // on the way to the beat that is to come
  wire               joined_last;
  wire [INNER_W-1:0] next_inner;  // after the step, or after the window

  wire go, issue;
  wire inner_end  = inner_q == LAST_INNER[INNER_W-1:0];
  wire step_end   = inner_end && !apart && !idle;
  wire line_end   = step_q == LAST_STEP[STEP_W-1:0];
  wire own_end      = tail_q || wait_q == {WAIT_W{1'b0}};
  wire ends       = (own_end || joins) && !idle;

  reg  [HELD-1:0]    first, takes;
  wire [HELD-1:0]    spaced;    // by slot: a phase that takes
  integer            k;
  always @*
    for (k = 0; k < HELD; k = k + 1) begin
      first[k] = empty_q[k] || phase_q[k*PHASE_W +: PHASE_W] == {PHASE_W{1'b0}};
      takes[k] = !tail_q && !apart && !idle && spaced[k];
    end

  assign issue = go && (tail_q || joins || idle || s_valid);

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = s_valid && s_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  always @(posedge clk)
    if (rst) begin
      inner_q <= {INNER_W{1'b0}};
      step_q  <= {STEP_W{1'b0}};
      line_q  <= {LINE_W{1'b0}};
      wait_q  <= FIRST[WAIT_W-1:0];
      slot_q  <= {SLOT_W{1'b0}};
      empty_q <= {HELD{1'b1}};
      tail_q  <= 1'b0;
    end else if (issue) begin
      inner_q <= inner_end ? next_inner : inner_q + 1'b1;
      if (inner_end && apart) slot_q <= {SLOT_W{1'b0}};
      if (step_end) begin
        step_q  <= line_end ? {STEP_W{1'b0}} : step_q + 1'b1;
        tail_q  <= AFTER > 0 && !line_end && step_q >= LAST_REAL[STEP_W-1:0];
        wait_q  <= line_end ? FIRST[WAIT_W-1:0] : own_end ? NEXT_WAIT[WAIT_W-1:0] : wait_q - 1'b1;
        empty_q <= line_end ? {HELD{1'b1}} : empty_q & ~takes;
        if (line_end) line_q <= line_q == LAST_LINE[LINE_W-1:0] ? {LINE_W{1'b0}} : line_q + 1'b1;
        if (joins || (line_end && JOINED == 0)) slot_q <= {SLOT_W{1'b0}};
        else if (own_end) slot_q <= slot_q == LAST_SLOT[SLOT_W-1:0] ? {SLOT_W{1'b0}} : slot_q + 1'b1;
      end
    end

  // ---- a line's first step with the last window of the line before ----
  generate
    if (JOINED == 0) begin : g_apart
      assign joins       = 1'b0;
      assign apart       = 1'b0;
      assign idle        = 1'b0;
      assign joined_last = 1'b0;
      assign next_inner  = {INNER_W{1'b0}};
      assign s_ready     = go && !tail_q;
    end else begin : g_joined
      reg               joins_q, last_q;  // last: that window is the frame's last
      reg               apart_q, idle_q;
      reg [INNER_W-1:0] kept_q;           // the beat of the step that has not arrived
      wire [INNER_W-1:0] kept = apart_q ? kept_q : inner_q;
      assign joins       = joins_q;
      assign apart       = joins_q && (apart_q || !s_valid);
      assign idle        = idle_q;
      assign joined_last = last_q;
      // Shift registers come around to the beat, a memory is read there.
      assign next_inner  = apart && RAM != 0 ? kept : {INNER_W{1'b0}};
      assign s_ready     = go && !tail_q && !apart_q && !idle_q;
      always @(posedge clk) begin
        if (issue) begin
          if (!idle_q) kept_q <= kept;
          if (step_end) begin
            joins_q <= line_end;
            last_q  <= line_q == LAST_LINE[LINE_W-1:0];
          end
          if (apart) begin
            joins_q <= !inner_end;
            apart_q <= !inner_end;
            idle_q  <= inner_end && RAM == 0 && kept != {INNER_W{1'b0}};
          end
          if (idle_q) idle_q <= inner_q + 1'b1 != kept_q;
        end
        if (rst) begin
          joins_q <= 1'b0;
          apart_q <= 1'b0;
          idle_q  <= 1'b0;
        end
      end
    end
  endgenerate

  genvar g;
  generate
    for (g = 0; g < HELD; g = g + 1) begin : g_phase
      // The line starts at step BEGIN of the padded one; slot g's first window starts at step g * STRIDE of that.
      localparam integer START = (BEGIN + PERIOD - g * STRIDE) % PERIOD;
      always @(posedge clk)
        if (rst || (issue && step_end && line_end)) phase_q[g*PHASE_W +: PHASE_W] <= START[PHASE_W-1:0];
        else if (issue && step_end)
          phase_q[g*PHASE_W +: PHASE_W] <=
              phase_q[g*PHASE_W +: PHASE_W] == LAST_PHASE[PHASE_W-1:0] ? {PHASE_W{1'b0}}
                                                                       : phase_q[g*PHASE_W +: PHASE_W] + 1'b1;
      if (DILATION == 1) begin : g_every
        assign spaced[g] = 1'b1;
      end else begin : g_some
        localparam [PERIOD-1:0] TAKING = taking(DILATION);
        assign spaced[g] = TAKING[phase_q[g*PHASE_W +: PHASE_W]];
      end
    end
  endgenerate

  // ---- from read to write ----
  // Stage 1: the beat, and what memories read for it. Stage 2, only after memories: the same in registers. Stage 3: the
  // comparisons' results.
  wire                ends_frame = JOINED != 0 ? joined_last && joins && inner_end
                                   : step_q == FINAL_STEP[STEP_W-1:0] && inner_end && line_q == LAST_LINE[LINE_W-1:0];
  localparam integer  FLAG_W = 4 + 3 * HELD + SLOT_W + INNER_W;
  /* verilator lint_off UNUSEDSIGNAL */ // nothing is held when a window is one step, and one beat has no address
  wire [FLAG_W-1:0]   flags_1, flags_2;
  wire [TAKEN*OUT_W-1:0] x_1, x_2;
  reg  [FLAG_W-1:0]   flags_1_q, flags_3_q;
  reg  [TAKEN*OUT_W-1:0] x_1_q;
  reg  [BEAT_W-1:0]   x_3_q;
  wire [INNER_W-1:0]  at_2, at_3;
  wire [SLOT_W-1:0]   from_2, from_3;
  wire [HELD-1:0]     first_2, first_3, takes_2, takes_3, empty_2, empty_3;
  wire                valid_2, valid_3, ends_2, ends_3, last_2, last_3, from_tail_2, from_tail_3;
  /* verilator lint_on UNUSEDSIGNAL */
  wire                o_ready;

  assign go      = !ends_3 || !valid_3 || o_ready;
  assign flags_1 = flags_1_q;
  assign x_1     = x_1_q;
  assign {valid_2, ends_2, last_2, from_tail_2, first_2, takes_2, empty_2, from_2, at_2} = flags_2;
  assign {valid_3, ends_3, last_3, from_tail_3, first_3, takes_3, empty_3, from_3, at_3} = flags_3_q;

  // The elements less ZERO, modulo the width of a result.
  function [TAKEN*OUT_W-1:0] centred(input [TAKEN*WIDTH-1:0] beat);
    integer i;
    reg signed [WIDTH:0] x;
    for (i = 0; i < TAKEN; i = i + 1) begin
      x = {SIGNED != 0 && beat[i*WIDTH + WIDTH - 1], beat[i*WIDTH +: WIDTH]};
      /* verilator lint_off WIDTH */ // extension by assignment is meant
      centred[i*OUT_W +: OUT_W] = x - ZERO;
      /* verilator lint_on WIDTH */
    end
  endfunction

  // The sum, or the larger one by the sign of a difference, the end of a carry chain. For a window after the line, no
  // element is added to its value or exceeds it.
  function [OUT_W-1:0] pair(input [OUT_W-1:0] a, input [OUT_W-1:0] b, input keep);
    reg signed [OUT_W:0] x, y, difference;
    begin
      x          = {SIGNED != 0 && a[OUT_W-1], a};
      y          = {SIGNED != 0 && b[OUT_W-1], b};
      difference = y - x;
      pair       = SUM != 0 ? a + (b & {OUT_W{!keep}}) : difference[OUT_W] || keep ? a : b;
    end
  endfunction

  // What is held and the beat, lane by lane.
  function [BEAT_W-1:0] joined(input [BEAT_W-1:0] a, input [BEAT_W-1:0] b, input keep);
    integer i;
    for (i = 0; i < LANES; i = i + 1) joined[i*OUT_W +: OUT_W] = pair(a[i*OUT_W +: OUT_W], b[i*OUT_W +: OUT_W], keep);
  endfunction

  // The windows of a beat.
  function [BEAT_W-1:0] whole(input [TAKEN*OUT_W-1:0] beat);
    integer i, j, at;
    for (i = 0; i < LANES; i = i + 1) begin
      at = i / PIXEL * TOGETHER * PIXEL + i % PIXEL;
      whole[i*OUT_W +: OUT_W] = beat[at*OUT_W +: OUT_W];
      for (j = 1; j < TOGETHER; j = j + 1)
        whole[i*OUT_W +: OUT_W] = pair(whole[i*OUT_W +: OUT_W], beat[(at + j*PIXEL)*OUT_W +: OUT_W], 1'b0);
    end
  endfunction

  always @(posedge clk) begin
    if (go) begin
      flags_1_q <= {issue, ends, ends_frame, tail_q || joins, first, takes, empty_q, slot_q, inner_q};
      x_1_q     <= centred(s_data);
      flags_3_q <= flags_2;
      x_3_q     <= whole(x_2);
    end
    if (rst) begin
      flags_1_q[FLAG_W-1] <= 1'b0;
      flags_3_q[FLAG_W-1] <= 1'b0;
    end
  end

  generate
    if (RAM != 0) begin : g_read
      reg [FLAG_W-1:0] flags_2_q;
      reg [TAKEN*OUT_W-1:0] x_2_q;
      always @(posedge clk) begin
        if (go) begin
          flags_2_q <= flags_1;
          x_2_q     <= x_1;
        end
        if (rst) flags_2_q[FLAG_W-1] <= 1'b0;
      end
      assign flags_2 = flags_2_q;
      assign x_2     = x_2_q;
    end else begin : g_shift
      assign flags_2 = flags_1;
      assign x_2     = x_1;
    end
  endgenerate

  // ---- what the slots hold ----
  wire [HELD*BEAT_W-1:0] all;   // of stage 3: the beat and what is held, joined
  generate
    for (g = 0; g < SLOTS; g = g + 1) begin : g_slot
      wire [BEAT_W-1:0] held;   // in stage 2
      wire [BEAT_W-1:0] all_d = joined(held, x_2[BEAT_W-1:0], from_tail_2);
      reg  [BEAT_W-1:0] all_q;
      always @(posedge clk) if (go) all_q <= all_d;
      assign all[g*BEAT_W +: BEAT_W] = all_q;
      if (RAM != 0) begin : g_ram
        wire [BEAT_W-1:0] word;
        reg  [BEAT_W-1:0] word_q;
        always @(posedge clk) if (go) word_q <= word;
        assign held = word_q;
        weir_ram #(
          .WIDTH(BEAT_W),
          .DEPTH(INNER)
        ) u_ram (
          .clk  (clk),
          .we   (valid_3 && go && takes_3[g]),
          .waddr(at_3),
          .wdata(first_3[g] ? x_3_q : all_q),
          .re   (go),
          .raddr(inner_q),
          .q    (word)
        );
      end else begin : g_shift
        reg  [INNER*BEAT_W-1:0] held_q;  // the beat that is next at the bottom
        wire [BEAT_W-1:0]       next = !takes_2[g] ? held : first_2[g] ? x_2[BEAT_W-1:0] : all_d;
        /* verilator lint_off WIDTH */ // the one that leaves drops out
        always @(posedge clk) if (valid_2 && go) held_q <= {next, held_q} >> BEAT_W;
        /* verilator lint_on WIDTH */
        assign held = held_q[BEAT_W-1:0];
      end
    end
    if (SLOTS == 0) begin : g_none
      assign all = {BEAT_W{1'b0}};
    end
  endgenerate

  // Chosen slot by slot: an index times the beat's width would be a multiplier.
  reg [BEAT_W-1:0] ended, result;
  reg              alone;
  always @* begin
    ended = all[0 +: BEAT_W];
    alone = empty_3[0];
    for (k = 1; k < HELD; k = k + 1)
      if (from_3 == k[SLOT_W-1:0]) begin
        ended = all[k*BEAT_W +: BEAT_W];
        alone = empty_3[k];
      end
    result = SLOTS == 0 || (!from_tail_3 && alone) ? x_3_q : ended;
  end

  // ---- the product ----
  wire              given, given_last, taken;  // taken: what stage 3 or the product's last stage offers, if it does
  wire [BEAT_W-1:0] given_data;

  generate
    if (COMMON == 0) begin : g_as_it_is
      assign given      = valid_3 && ends_3;
      assign given_last = last_3;
      assign given_data = result;
      assign o_ready    = taken;
    end else begin : g_product
      localparam integer WINDOW_W    = bits(OUT - 1);
      localparam integer LAST_WINDOW = OUT - 1;

      localparam [OUT*FACTOR_W-1:0] FACTORS = factors(COMMON);

      // x times one bit of the factor.
      function [BEAT_W-1:0] part(input [BEAT_W-1:0] x, input integer b, input asked);
        integer i;
        for (i = 0; i < LANES; i = i + 1) part[i*OUT_W +: OUT_W] = (x[i*OUT_W +: OUT_W] & {OUT_W{asked}}) << b;
      endfunction

      function [BEAT_W-1:0] sum(input [BEAT_W-1:0] x, input [BEAT_W-1:0] y);
        integer i;
        for (i = 0; i < LANES; i = i + 1) sum[i*OUT_W +: OUT_W] = x[i*OUT_W +: OUT_W] + y[i*OUT_W +: OUT_W];
      endfunction

      // Stage b has added what bits 0 to b of the factor ask for. All stages move at once.
      reg  [WINDOW_W-1:0]          window_q;   // of the result in stage 3
      reg  [FACTOR_W*BEAT_W-1:0]   sum_q;
      /* verilator lint_off UNUSEDSIGNAL */ // no stage comes after the last
      reg  [FACTOR_W*BEAT_W-1:0]   x_q;
      reg  [FACTOR_W*FACTOR_W-1:0] factor_q;
      /* verilator lint_on UNUSEDSIGNAL */
      reg  [FACTOR_W-1:0]          valid_q, last_q;
      wire [FACTOR_W-1:0]          factor = FACTORS[window_q*FACTOR_W +: FACTOR_W];
      wire                         leaves = valid_3 && ends_3 && o_ready;

      assign o_ready    = !given || taken;
      assign given      = valid_q[FACTOR_W-1];
      assign given_last = last_q[FACTOR_W-1];
      assign given_data = sum_q[(FACTOR_W-1)*BEAT_W +: BEAT_W];

      always @(posedge clk)
        if (rst) window_q <= {WINDOW_W{1'b0}};
        else if (leaves && at_3 == LAST_INNER[INNER_W-1:0])
          window_q <= window_q == LAST_WINDOW[WINDOW_W-1:0] ? {WINDOW_W{1'b0}} : window_q + 1'b1;

      for (g = 0; g < FACTOR_W; g = g + 1) begin : g_bit
        if (g == 0) begin : g_first
          always @(posedge clk) begin
            if (o_ready) begin
              x_q[0 +: BEAT_W]        <= result;
              sum_q[0 +: BEAT_W]      <= part(result, 0, factor[0]);
              factor_q[0 +: FACTOR_W] <= factor;
              last_q[0]               <= last_3;
              valid_q[0]              <= leaves;
            end
            if (rst) valid_q[0] <= 1'b0;
          end
        end else begin : g_next
          always @(posedge clk) begin
            if (o_ready) begin
              x_q[g*BEAT_W +: BEAT_W]          <= x_q[(g-1)*BEAT_W +: BEAT_W];
              sum_q[g*BEAT_W +: BEAT_W]        <= sum(sum_q[(g-1)*BEAT_W +: BEAT_W],
                                                      part(x_q[(g-1)*BEAT_W +: BEAT_W], g, factor_q[(g-1)*FACTOR_W+g]));
              factor_q[g*FACTOR_W +: FACTOR_W] <= factor_q[(g-1)*FACTOR_W +: FACTOR_W];
              last_q[g]                        <= last_q[g-1];
              valid_q[g]                       <= valid_q[g-1];
            end
            if (rst) valid_q[g] <= 1'b0;
          end
        end
      end
    end
  endgenerate

  weir_register_slice #(
    .WIDTH(BEAT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(given),
    .s_ready(taken),
    .s_data (given_data),
    .s_last (given_last),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_frames #("weir_pool", LANES * OUT_W, LINES * IN * INNER, LINES * OUT * INNER) u_check (
    clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
