// weir_window: the elements that a window sees at each of its positions, for a convolution as a matrix product. A frame
// is IN_Y rows of IN_X pixels of GROUPS * RUN beats; the window of KERNEL_Y by KERNEL_X pixels, DILATION apart, moves
// by STRIDE over OUT_Y by OUT_X positions, starting BEGIN before the frame. The beats of a position are ordered by
// group, then column, row and beat of the group; where there is no pixel, elements are FILL.
//
// Rows are in a ring of ROWS = (KERNEL_Y - 1) * DILATION_Y + STRIDE_Y + SPARE: those that a row of positions sees and
// those by which the next one advances, less the first, whose pixels are replaced as the window leaves them; and SPARE
// more. Frames follow each other in the ring.
//
// Latency:   3 cycles from the beat that completes the last position to its last beat, when no earlier beat is pending.
// Interval:  FRAMES * max(OUT_X * OUT_Y * KERNEL_X * KERNEL_Y, IN_X * IN_Y) * GROUPS * RUN cycles a frame, when the
//            first position's pixels arrive while the last frame is emitted: each beat emitted takes a cycle, and so
//            does each accepted. Without SPARE rows the reader waits for the rows that a frame needs at its start
//            beyond those that the last one has released at its end, and for a row instead of one that its last
//            position sees. No wait is longer than accepting the missing rows takes. With max(1, KEPT + NEEDED -
//            (KERNEL_Y - 1) * DILATION_Y - STRIDE_Y) of them there is none, KEPT being the rows that the last positions
//            of a frame see, and NEEDED those that its first ones see: the ring has room for both, and for one row more
//            than positions see, so each row is accepted while the positions emitted see neither it nor the row that it
//            replaces (unit/test_window_pauses tries all small windows).
// Clock:     rtl/README.md, Measured alone: weir_window.
// State:     a memory of ROWS * IN_X * GROUPS * RUN beats, three registers of a beat, a register slice; the reader's
//            address and steps and the position after it, its distance behind the writer, and the writer's behind the
//            rows that may be replaced. s_ready is the sign of the last.
// Invariant: a beat is read only after it is written, and replaced only after the last position that sees it.
// Mapping:   block RAM with a register after it. An address is one sum modulo the ring; its step, which depends on the
//            loops that end with the beat, is a register.
`default_nettype none

module weir_window #(
  parameter integer LANES      = 1,
  parameter integer X_W        = 8,  // bits of an input element
  parameter integer X_SIGNED   = 0,  // 1: two's complement
  // bits of an output element: at least X_W, enough for FILL, signed if X_SIGNED
  parameter integer Y_W        = 8,
  parameter integer FRAMES     = 1,  // up to one with m_last
  parameter integer GROUPS     = 1,
  parameter integer RUN        = 1,  // beats of a group's channels
  parameter integer IN_X       = 4,  // pixels of a row
  parameter integer IN_Y       = 4,  // rows of a frame
  parameter integer OUT_X      = 2,  // positions in a row
  parameter integer OUT_Y      = 2,
  parameter integer KERNEL_X   = 3,
  parameter integer KERNEL_Y   = 3,
  parameter integer STRIDE_X   = 1,
  parameter integer STRIDE_Y   = 1,
  parameter integer DILATION_X = 1,
  parameter integer DILATION_Y = 1,
  parameter integer BEGIN_X    = 0,  // columns before the first
  parameter integer BEGIN_Y    = 0,
  parameter integer SPARE      = 0,  // rows of the ring beyond those that it needs
  parameter integer FILL       = 0   // element where there is no pixel
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   s_valid,
  output wire                   s_ready,
  input  wire [LANES*X_W-1:0] s_data,
  /* verilator lint_off UNUSEDSIGNAL */ // beats are counted
  input  wire                   s_last,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [LANES*Y_W-1:0] m_data,
  output wire                   m_last
);
  // FILL in the bits of a result, which may be more than a parameter has.
  function [Y_W-1:0] code_of(input integer fill);
    integer b;
    for (b = 0; b < Y_W; b = b + 1) code_of[b] = ((fill >>> b) & 1) != 0;
  endfunction
  localparam [Y_W-1:0] FILL_CODE = code_of(FILL);

  localparam integer BEAT_W  = LANES * X_W;
  localparam integer GIVEN_W = LANES * Y_W;
  localparam integer PIXEL   = GROUPS * RUN;                          // beats
  localparam integer ROW     = IN_X * PIXEL;
  localparam integer REACH_X = (KERNEL_X - 1) * DILATION_X;
  localparam integer REACH_Y = (KERNEL_Y - 1) * DILATION_Y;
  localparam integer ROWS    = REACH_Y + STRIDE_Y + SPARE;
  localparam integer RING    = ROWS * ROW;

  generate
    if (LANES < 1 || X_W < 1 || FRAMES < 1 || GROUPS < 1 || RUN < 1 || IN_X < 1 || IN_Y < 1 || OUT_X < 1 || OUT_Y < 1) begin : g_check_sizes
      weir_window_sizes_must_be_at_least_1 u_error ();
    end
    if (Y_W < X_W) begin : g_check_widths
      weir_window_Y_W_must_be_at_least_X_W u_error ();
    end
    if (KERNEL_X < 1 || KERNEL_Y < 1 || STRIDE_X < 1 || STRIDE_Y < 1 || DILATION_X < 1 || DILATION_Y < 1) begin : g_check_window
      weir_window_KERNEL_STRIDE_and_DILATION_must_be_at_least_1 u_error ();
    end
    if (SPARE < 0) begin : g_check_spare
      weir_window_SPARE_must_be_at_least_0 u_error ();
    end
    if (BEGIN_X < 0 || BEGIN_Y < 0 || BEGIN_X > REACH_X || BEGIN_Y > REACH_Y) begin : g_check_begin
      weir_window_BEGIN_must_be_smaller_than_the_window u_error ();
    end
    if ((OUT_X - 1) * STRIDE_X >= IN_X + BEGIN_X || (OUT_Y - 1) * STRIDE_Y >= IN_Y + BEGIN_Y) begin : g_check_out
      weir_window_positions_must_start_in_the_frame u_error ();
    end
  endgenerate

  function integer bits(input integer most);
    bits = most < 1 ? 1 : $clog2(most + 1);
  endfunction

  // A step in the ring.
  function integer around(input integer step);
    around = ((step % RING) + RING) % RING;
  endfunction

  function integer positive(input integer value);
    positive = value > 0 ? value : 0;
  endfunction

  // ---- beats between reader and writer ----
  // Both registers count beats in the order of the frame. read_q is the reader's less the writer's: negative when the
  // reader's has been written. A frame's first beat waits for the frame's first pixel even where it is filled. write_q
  // is the beat that the writer's replaces less the first one still needed: never above 0, negative when it may be
  // replaced.
  localparam integer FRAME   = IN_Y * ROW;
  localparam integer COUNT_W = bits(FRAME + RING) + 1;
  localparam integer AT_W    = bits(RING - 1);
  localparam integer LAST_AT = RING - 1;
  localparam integer EMPTY   = -RING;

  reg  [COUNT_W-1:0] read_q, write_q;
  reg  [COUNT_W-1:0] read_step_q, write_step_q;  // when a beat is emitted
  reg  [AT_W-1:0]    write_at_q;
  wire               write = s_valid && s_ready;
  wire               go, issue;              // the output has room; a beat is emitted
  /* verilator lint_off UNUSEDSIGNAL */ // sums have a bit for the carry in
  wire               active = write;         // observed by utilisation counters
  // by 1 less than its step
  wire [COUNT_W:0]   read_sum  = {read_q, 1'b1} + {issue ? read_step_q : {COUNT_W{1'b1}}, !write};
  wire [COUNT_W:0]   write_sum = {write_q, 1'b1} + {issue ? write_step_q : {COUNT_W{1'b0}}, write};
  /* verilator lint_on UNUSEDSIGNAL */

  assign s_ready = write_q[COUNT_W-1];

  always @(posedge clk)
    if (rst) begin
      read_q     <= {COUNT_W{1'b0}};
      write_q    <= EMPTY[COUNT_W-1:0];
      write_at_q <= {AT_W{1'b0}};
    end else begin
      read_q  <= read_sum[COUNT_W:1];
      write_q <= write_sum[COUNT_W:1];
      if (write) write_at_q <= write_at_q == LAST_AT[AT_W-1:0] ? {AT_W{1'b0}} : write_at_q + 1'b1;
    end

  // ---- the reader: the position of the beat after the one to be emitted ----
  localparam integer RUN_W    = bits(RUN - 1);
  localparam integer KX_W     = bits(KERNEL_X - 1);
  localparam integer KY_W     = bits(KERNEL_Y - 1);
  localparam integer G_W      = bits(GROUPS - 1);
  localparam integer OX_W     = bits(OUT_X - 1);
  localparam integer OY_W     = bits(OUT_Y - 1);
  localparam integer COLUMN_W = bits(BEGIN_X + IN_X + REACH_X);
  localparam integer ROW_W    = bits(BEGIN_Y + IN_Y + REACH_Y);
  localparam integer LAST_RUN = RUN - 1;
  localparam integer LAST_G   = GROUPS - 1;
  localparam integer LAST_OX  = OUT_X - 1;
  localparam integer LAST_OY  = OUT_Y - 1;
  localparam integer BEFORE_RUN = RUN - 2;  // before a loop's last
  localparam integer BEFORE_KX  = KERNEL_X - 2;
  localparam integer BEFORE_KY  = KERNEL_Y - 2;
  localparam integer BEFORE_G   = GROUPS - 2;
  localparam integer BEFORE_OX  = OUT_X - 2;
  localparam integer BEFORE_OY  = OUT_Y - 2;

  // Steps in the frame where a loop continues, from the last beat of the loops in it.
  localparam integer ORIGIN    = -BEGIN_Y * ROW - BEGIN_X * PIXEL;
  localparam integer STEP_RUN  = 1;
  localparam integer STEP_KY   = DILATION_Y * ROW - LAST_RUN;
  localparam integer STEP_KX   = DILATION_X * PIXEL - REACH_Y * ROW - LAST_RUN;
  // to the window's first beat of the group
  localparam integer BACK      = -REACH_X * PIXEL - REACH_Y * ROW - LAST_RUN;
  localparam integer STEP_G    = BACK + RUN;
  localparam integer STEP_OX   = BACK - LAST_G * RUN + STRIDE_X * PIXEL;
  localparam integer STEP_OY   = BACK - LAST_G * RUN - LAST_OX * STRIDE_X * PIXEL + STRIDE_Y * ROW;
  localparam integer STEP_LAST = BACK - LAST_G * RUN - LAST_OX * STRIDE_X * PIXEL - LAST_OY * STRIDE_Y * ROW + FRAME;
  localparam integer STEP_FIRST = RUN > 1 ? STEP_RUN : KERNEL_Y > 1 ? STEP_KY : KERNEL_X > 1 ? STEP_KX : GROUPS > 1 ? STEP_G :
                                  OUT_X > 1 ? STEP_OX : STEP_OY;                           // from a frame's first beat

  localparam integer AT_ORIGIN = around(ORIGIN);
  localparam integer AT_RUN  = around(STEP_RUN),  OVER_RUN  = AT_RUN - RING;               // in the ring; over its end
  localparam integer AT_KY   = around(STEP_KY),   OVER_KY   = AT_KY - RING;
  localparam integer AT_KX   = around(STEP_KX),   OVER_KX   = AT_KX - RING;
  localparam integer AT_G    = around(STEP_G),    OVER_G    = AT_G - RING;
  localparam integer AT_OX   = around(STEP_OX),   OVER_OX   = AT_OX - RING;
  localparam integer AT_OY   = around(STEP_OY),   OVER_OY   = AT_OY - RING;
  localparam integer AT_LAST = around(STEP_LAST), OVER_LAST = AT_LAST - RING;

  // a beat written at the same time is one more
  localparam integer READ_RUN   = STEP_RUN - 1;
  localparam integer READ_KY    = STEP_KY - 1;
  localparam integer READ_KX    = STEP_KX - 1;
  localparam integer READ_G     = STEP_G - 1;
  localparam integer READ_OX    = STEP_OX - 1;
  localparam integer READ_OY    = STEP_OY - 1;
  localparam integer READ_LAST  = STEP_LAST - ORIGIN - 1;
  localparam integer READ_FIRST = STEP_FIRST + ORIGIN - 1;

  // By which the first beat still needed moves: none above the frame or left of it, so a window's first one in the
  // frame counts.
  // in the row, of its last position
  localparam integer HELD_X    = positive(LAST_OX * STRIDE_X - BEGIN_X) * PIXEL;
  // to the first column in the frame
  localparam integer CROSS_X   = -((STRIDE_X - BEGIN_X % STRIDE_X) % STRIDE_X) * PIXEL;
  localparam integer CROSS_Y   = -((STRIDE_Y - BEGIN_Y % STRIDE_Y) % STRIDE_Y) * ROW;
  localparam integer RELEASE_X = -STRIDE_X * PIXEL;
  localparam integer RELEASE_Y = -STRIDE_Y * ROW + HELD_X;
  localparam integer RELEASE   = -FRAME + (LAST_OY * STRIDE_Y < BEGIN_Y ? 0 : (LAST_OY * STRIDE_Y - BEGIN_Y) * ROW + HELD_X);

  // Columns and rows count from the first ones of the first window.
  // after which a column of the window is in the frame,
  localparam integer ENTER_X = positive(BEGIN_X - DILATION_X);
  localparam integer ENTER_Y = positive(BEGIN_Y - DILATION_Y);
  localparam integer LEAVE_X = positive(BEGIN_X + IN_X - DILATION_X);  // and behind it
  localparam integer LEAVE_Y = positive(BEGIN_Y + IN_Y - DILATION_Y);
  // from where the first one of the window after the next is
  localparam integer REACHED_X = positive(BEGIN_X - 2 * STRIDE_X);
  localparam integer REACHED_Y = positive(BEGIN_Y - 2 * STRIDE_Y);

  reg  [RUN_W-1:0]    run_q;
  reg  [KX_W-1:0]     kx_q;
  reg  [KY_W-1:0]     ky_q;
  reg  [G_W-1:0]      g_q;
  reg  [OX_W-1:0]     ox_q;
  reg  [OY_W-1:0]     oy_q;
  reg                 run_last_q, kx_last_q, ky_last_q, g_last_q, ox_last_q, oy_last_q;
  reg  [COLUMN_W-1:0] x_q, first_x_q;  // column of the pixel, of the window
  reg  [ROW_W-1:0]    y_q, first_y_q;
  // in the frame; of the next window
  reg                 x_in_q, y_in_q, first_x_in_q, first_y_in_q, second_x_in_q, second_y_in_q;
  reg                 first_q;         // a frame's first beat
  reg                 begun_q;         // there is a beat to be emitted
  wire                advance = issue || !begun_q;

  wire run_end = run_last_q;
  wire ky_end  = run_end && ky_last_q;
  wire kx_end  = ky_end && kx_last_q;
  wire g_end   = kx_end && g_last_q;
  wire ox_end  = g_end && ox_last_q;
  wire oy_end  = ox_end && oy_last_q;

  /* verilator lint_off UNSIGNED */ // a bound may be 0
  /* verilator lint_off CMPCONST */ // likewise
  wire right_in = x_q >= ENTER_X[COLUMN_W-1:0] && x_q < LEAVE_X[COLUMN_W-1:0];
  wire below_in = y_q >= ENTER_Y[ROW_W-1:0] && y_q < LEAVE_Y[ROW_W-1:0];
  wire third_x_in = REACHED_X == 0 || first_x_q >= REACHED_X[COLUMN_W-1:0];
  wire third_y_in = REACHED_Y == 0 || first_y_q >= REACHED_Y[ROW_W-1:0];
  /* verilator lint_on CMPCONST */
  /* verilator lint_on UNSIGNED */
  wire next_first_x_in = BEGIN_X == 0 || (!ox_end && second_x_in_q);
  wire next_first_y_in = BEGIN_Y == 0 || (!oy_end && second_y_in_q);
  wire next_x_in = !ky_end ? x_in_q : g_end ? next_first_x_in : kx_end ? first_x_in_q : right_in;
  wire next_y_in = !run_end ? y_in_q : ox_end ? next_first_y_in : ky_end ? first_y_in_q : below_in;
  wire exists    = x_in_q && y_in_q;

  reg  [AT_W-1:0]    at_step;
  reg  [AT_W:0]      over_step;
  reg  [COUNT_W-1:0] read_step, write_step;
  always @* begin
    at_step    = AT_RUN[AT_W-1:0];
    over_step  = OVER_RUN[AT_W:0];
    read_step  = READ_RUN[COUNT_W-1:0];
    write_step = {COUNT_W{1'b0}};
    if (run_end) begin
      at_step   = AT_KY[AT_W-1:0];
      over_step = OVER_KY[AT_W:0];
      read_step = READ_KY[COUNT_W-1:0];
    end
    if (ky_end) begin
      at_step   = AT_KX[AT_W-1:0];
      over_step = OVER_KX[AT_W:0];
      read_step = READ_KX[COUNT_W-1:0];
    end
    if (kx_end) begin
      at_step   = AT_G[AT_W-1:0];
      over_step = OVER_G[AT_W:0];
      read_step = READ_G[COUNT_W-1:0];
    end
    if (g_end) begin
      at_step   = AT_OX[AT_W-1:0];
      over_step = OVER_OX[AT_W:0];
      read_step = READ_OX[COUNT_W-1:0];
      if (first_y_in_q && second_x_in_q) write_step = first_x_in_q ? RELEASE_X[COUNT_W-1:0] : CROSS_X[COUNT_W-1:0];
    end
    if (ox_end) begin
      at_step   = AT_OY[AT_W-1:0];
      over_step = OVER_OY[AT_W:0];
      read_step = READ_OY[COUNT_W-1:0];
      write_step = first_y_in_q ? RELEASE_Y[COUNT_W-1:0] : second_y_in_q ? CROSS_Y[COUNT_W-1:0] : {COUNT_W{1'b0}};
    end
    if (first_q) read_step = READ_FIRST[COUNT_W-1:0];
    if (oy_end) begin
      at_step    = AT_LAST[AT_W-1:0];
      over_step  = OVER_LAST[AT_W:0];
      read_step  = READ_LAST[COUNT_W-1:0];
      write_step = RELEASE[COUNT_W-1:0];
    end
  end

  wire frames_end;
  generate
    if (FRAMES == 1) begin : g_frame
      assign frames_end = 1'b1;
    end else begin : g_frames
      localparam integer FRAME_W = $clog2(FRAMES);
      localparam integer LAST_FRAME = FRAMES - 1;
      reg [FRAME_W-1:0] frame_q;
      assign frames_end = frame_q == LAST_FRAME[FRAME_W-1:0];
      always @(posedge clk)
        if (rst) frame_q <= {FRAME_W{1'b0}};
        else if (advance && oy_end) frame_q <= frames_end ? {FRAME_W{1'b0}} : frame_q + 1'b1;
    end
  endgenerate

  wire [COLUMN_W-1:0] next_first_x = ox_end ? {COLUMN_W{1'b0}} : first_x_q + STRIDE_X[COLUMN_W-1:0];
  wire [ROW_W-1:0]    next_first_y = oy_end ? {ROW_W{1'b0}} : first_y_q + STRIDE_Y[ROW_W-1:0];

  always @(posedge clk)
    if (rst) begin
      run_q         <= {RUN_W{1'b0}};
      kx_q          <= {KX_W{1'b0}};
      ky_q          <= {KY_W{1'b0}};
      g_q           <= {G_W{1'b0}};
      ox_q          <= {OX_W{1'b0}};
      oy_q          <= {OY_W{1'b0}};
      run_last_q    <= RUN == 1;
      kx_last_q     <= KERNEL_X == 1;
      ky_last_q     <= KERNEL_Y == 1;
      g_last_q      <= GROUPS == 1;
      ox_last_q     <= OUT_X == 1;
      oy_last_q     <= OUT_Y == 1;
      x_q           <= {COLUMN_W{1'b0}};
      first_x_q     <= {COLUMN_W{1'b0}};
      y_q           <= {ROW_W{1'b0}};
      first_y_q     <= {ROW_W{1'b0}};
      x_in_q        <= BEGIN_X == 0;
      y_in_q        <= BEGIN_Y == 0;
      first_x_in_q  <= BEGIN_X == 0;
      first_y_in_q  <= BEGIN_Y == 0;
      second_x_in_q <= BEGIN_X <= STRIDE_X;
      second_y_in_q <= BEGIN_Y <= STRIDE_Y;
      first_q       <= 1'b1;
      begun_q       <= 1'b0;
    end else if (advance) begin
      begun_q    <= 1'b1;
      x_in_q     <= next_x_in;
      y_in_q     <= next_y_in;
      first_q    <= oy_end;
      run_q      <= run_end ? {RUN_W{1'b0}} : run_q + 1'b1;
      run_last_q <= RUN == 1 || run_q == BEFORE_RUN[RUN_W-1:0];
      if (run_end) begin
        ky_q      <= ky_end ? {KY_W{1'b0}} : ky_q + 1'b1;
        ky_last_q <= KERNEL_Y == 1 || ky_q == BEFORE_KY[KY_W-1:0];
        y_q       <= ox_end ? next_first_y : ky_end ? first_y_q : y_q + DILATION_Y[ROW_W-1:0];
      end
      if (ky_end) begin
        kx_q      <= kx_end ? {KX_W{1'b0}} : kx_q + 1'b1;
        kx_last_q <= KERNEL_X == 1 || kx_q == BEFORE_KX[KX_W-1:0];
        x_q       <= g_end ? next_first_x : kx_end ? first_x_q : x_q + DILATION_X[COLUMN_W-1:0];
      end
      if (kx_end) begin
        g_q      <= g_end ? {G_W{1'b0}} : g_q + 1'b1;
        g_last_q <= GROUPS == 1 || g_q == BEFORE_G[G_W-1:0];
      end
      if (g_end) begin
        ox_q          <= ox_end ? {OX_W{1'b0}} : ox_q + 1'b1;
        ox_last_q     <= OUT_X == 1 || ox_q == BEFORE_OX[OX_W-1:0];
        first_x_q     <= next_first_x;
        first_x_in_q  <= next_first_x_in;
        second_x_in_q <= ox_end ? BEGIN_X <= STRIDE_X : third_x_in;
      end
      if (ox_end) begin
        oy_q          <= oy_end ? {OY_W{1'b0}} : oy_q + 1'b1;
        oy_last_q     <= OUT_Y == 1 || oy_q == BEFORE_OY[OY_W-1:0];
        first_y_q     <= next_first_y;
        first_y_in_q  <= next_first_y_in;
        second_y_in_q <= oy_end ? BEGIN_Y <= STRIDE_Y : third_y_in;
      end
    end

  // ---- the beat to be emitted ----
  reg  [AT_W-1:0] at_q, at_step_q;
  reg  [AT_W:0]   over_step_q;
  reg             exists_q, fill_q, last_q;             // fill: emitted without waiting for the pixel
  wire [AT_W-1:0] ahead   = at_q + at_step_q;
  wire [AT_W:0]   wrapped = {1'b0, at_q} + over_step_q;  // negative: not beyond the ring's end

  always @(posedge clk)
    if (rst) begin
      at_q   <= AT_ORIGIN[AT_W-1:0];
      fill_q <= 1'b0;
    end else begin
      if (issue) at_q <= wrapped[AT_W] ? ahead : wrapped[AT_W-1:0];
      if (advance) begin
        at_step_q    <= at_step;
        over_step_q  <= over_step;
        read_step_q  <= read_step;
        write_step_q <= write_step;
        exists_q     <= exists;
        fill_q       <= !exists && !first_q;
        last_q       <= oy_end && frames_end;
      end
    end

  assign issue = go && (read_q[COUNT_W-1] || fill_q);

  // ---- from the address to the output ----
  reg                valid_1_q, valid_2_q, exists_1_q, exists_2_q, last_1_q, last_2_q;
  reg  [BEAT_W-1:0]  word_2_q;
  wire [BEAT_W-1:0]  word;
  wire               o_ready;

  assign go = !valid_2_q || o_ready;

  reg  [GIVEN_W-1:0] given;  // the word's elements, extended, or FILL
  integer            i;
  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      given[i*Y_W +: Y_W] = {Y_W{X_SIGNED != 0 && word_2_q[i*X_W + X_W - 1]}};
      given[i*Y_W +: X_W] = word_2_q[i*X_W +: X_W];
      if (!exists_2_q) given[i*Y_W +: Y_W] = FILL_CODE;
    end

  weir_ram #(
    .WIDTH(BEAT_W),
    .DEPTH(RING)
  ) u_ram (
    .clk  (clk),
    .we   (write),
    .waddr(write_at_q),
    .wdata(s_data),
    .re   (issue && exists_q),
    .raddr(at_q),
    .q    (word)
  );

  always @(posedge clk) begin
    if (go) begin
      valid_1_q  <= issue;
      exists_1_q <= exists_q;
      last_1_q   <= last_q;
      valid_2_q  <= valid_1_q;
      exists_2_q <= exists_1_q;
      last_2_q   <= last_1_q;
      word_2_q   <= word;
    end
    if (rst) begin
      valid_1_q <= 1'b0;
      valid_2_q <= 1'b0;
    end
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
  weir_check_frames #("weir_window", LANES * Y_W, FRAMES * IN_Y * IN_X * GROUPS * RUN,
      FRAMES * OUT_Y * OUT_X * KERNEL_Y * KERNEL_X * GROUPS * RUN) u_check (
    clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
