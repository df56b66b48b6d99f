// weir_window: the elements that a window sees at each of its positions, for a convolution as a product with a matrix. A frame is
// IN_Y rows of IN_X pixels of GROUPS * RUN beats; the window of KERNEL_Y by KERNEL_X pixels, DILATION apart, moves by STRIDE over OUT_Y
// by OUT_X positions, from BEGIN before the frame on. A position gives its beats by group, then column, row and beat of the group;
// where there is no pixel, elements are FILL.
//
// Rows lie in a ring of ROWS = (KERNEL_Y - 1) * DILATION_Y + STRIDE_Y of them: those that a row of positions sees and those by which the
// next one moves on, less the first, whose pixels are replaced as the window leaves them. Frames follow each other in the ring.
//
// Latency:   3 cycles from the beat that completes the last position to its last beat, when nothing was to be given before.
// Interval:  FRAMES * max(OUT_X * OUT_Y * KERNEL_X * KERNEL_Y, IN_X * IN_Y) * GROUPS * RUN cycles a frame, when the first position's pixels
//            arrive while the last frame is given: each beat given takes a cycle, and so does each taken. Where a frame needs more
//            rows at its start than the last one has released at its end, these are waited for.
// State:     a memory of ROWS * IN_X * GROUPS * RUN beats, three registers of a beat, a register slice; positions of reader and writer.
// Invariant: a pixel is read only after it is written, and replaced only after the last position that sees it.
// Mapping:   block RAM with a register after it. An address is one sum modulo the ring, a step by what ends with the beat.
`default_nettype none

module weir_window #(
  parameter integer LANES      = 1,
  parameter integer X_W        = 8,  // bits of an element that is taken
  parameter integer X_SIGNED   = 0,  // 1: two's complement
  parameter integer Y_W        = 8,  // bits of an element that is given: at least X_W, enough for FILL, signed if X_SIGNED
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
  localparam integer BEAT_W  = LANES * X_W;
  localparam integer GIVEN_W = LANES * Y_W;
  localparam integer PIXEL   = GROUPS * RUN;                          // beats
  localparam integer ROW     = IN_X * PIXEL;
  localparam integer REACH_X = (KERNEL_X - 1) * DILATION_X;
  localparam integer REACH_Y = (KERNEL_Y - 1) * DILATION_Y;
  localparam integer ROWS    = REACH_Y + STRIDE_Y;
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

  // ---- the writer: pixels in order, row by row around the ring ----
  localparam integer PIXEL_W = bits(PIXEL - 1);
  localparam integer AT_W    = bits(RING - 1);
  localparam integer COLUMN_W = bits(IN_X + REACH_X + OUT_X * STRIDE_X) + 1;                 // signed columns
  localparam integer ROW_W    = bits(2 * IN_Y + ROWS + REACH_Y + OUT_Y * STRIDE_Y) + 1;      // signed rows
  localparam integer NEXT_FRAME = -IN_Y;
  localparam integer LAST_PIXEL = PIXEL - 1;
  localparam integer LAST_AT    = RING - 1;
  localparam integer LAST_X     = IN_X - 1;

  reg         [PIXEL_W-1:0] write_beat_q;
  reg         [AT_W-1:0]    write_at_q;
  reg  signed [COLUMN_W-1:0]     write_x_q;    // complete pixels of the row
  reg  signed [ROW_W-1:0]     write_y_q;    // complete rows, counted from the first row of the reader's frame
  wire                      write = s_valid && s_ready;
  wire                      pixel_end = write_beat_q == LAST_PIXEL[PIXEL_W-1:0];
  wire                      row_end   = pixel_end && write_x_q == LAST_X[COLUMN_W-1:0];
  wire                      frame_end;    // the reader takes the frame's last beat

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = write;
  /* verilator lint_on UNUSEDSIGNAL */

  always @(posedge clk)
    if (rst) begin
      write_beat_q <= {PIXEL_W{1'b0}};
      write_at_q   <= {AT_W{1'b0}};
      write_x_q    <= {COLUMN_W{1'b0}};
      write_y_q    <= {ROW_W{1'b0}};
    end else begin
      if (write) begin
        write_beat_q <= pixel_end ? {PIXEL_W{1'b0}} : write_beat_q + 1'b1;
        write_at_q   <= write_at_q == LAST_AT[AT_W-1:0] ? {AT_W{1'b0}} : write_at_q + 1'b1;
        if (pixel_end) write_x_q <= row_end ? {COLUMN_W{1'b0}} : write_x_q + 1'b1;
      end
      if (write && row_end) write_y_q <= frame_end ? write_y_q + NEXT_FRAME[ROW_W-1:0] + 1'b1 : write_y_q + 1'b1;
      else if (frame_end) write_y_q <= write_y_q + NEXT_FRAME[ROW_W-1:0];
    end

  // ---- the reader: the position of the next beat ----
  localparam integer RUN_W  = bits(RUN - 1);
  localparam integer KX_W   = bits(KERNEL_X - 1);
  localparam integer KY_W   = bits(KERNEL_Y - 1);
  localparam integer G_W    = bits(GROUPS - 1);
  localparam integer OX_W   = bits(OUT_X - 1);
  localparam integer OY_W   = bits(OUT_Y - 1);
  localparam integer LAST_RUN = RUN - 1;
  localparam integer LAST_KX  = KERNEL_X - 1;
  localparam integer LAST_KY  = KERNEL_Y - 1;
  localparam integer LAST_G   = GROUPS - 1;
  localparam integer LAST_OX  = OUT_X - 1;
  localparam integer LAST_OY  = OUT_Y - 1;
  localparam integer FIRST_X  = -BEGIN_X;
  localparam integer FIRST_Y  = -BEGIN_Y;

  // Steps of the address where a loop goes on, from the last beat of the loops in it.
  localparam integer ORIGIN    = around(-BEGIN_Y * ROW - BEGIN_X * PIXEL);
  localparam integer STEP_RUN  = around(1);
  localparam integer STEP_KY   = around(DILATION_Y * ROW - LAST_RUN);
  localparam integer STEP_KX   = around(DILATION_X * PIXEL - REACH_Y * ROW - LAST_RUN);
  localparam integer BACK      = -REACH_X * PIXEL - REACH_Y * ROW - LAST_RUN;               // to the window's first beat of the group
  localparam integer STEP_G    = around(BACK + RUN);
  localparam integer STEP_OX   = around(BACK - LAST_G * RUN + STRIDE_X * PIXEL);
  localparam integer STEP_OY   = around(BACK - LAST_G * RUN - LAST_OX * STRIDE_X * PIXEL + STRIDE_Y * ROW);
  localparam integer STEP_LAST = around(BACK - LAST_G * RUN - LAST_OX * STRIDE_X * PIXEL - LAST_OY * STRIDE_Y * ROW + IN_Y * ROW);

  reg         [RUN_W-1:0] run_q;
  reg         [KX_W-1:0]  kx_q;
  reg         [KY_W-1:0]  ky_q;
  reg         [G_W-1:0]   g_q;
  reg         [OX_W-1:0]  ox_q;
  reg         [OY_W-1:0]  oy_q;
  reg         [AT_W-1:0]  at_q;
  reg  signed [COLUMN_W-1:0]   x_q, first_x_q;   // column of the pixel, of the window
  reg  signed [ROW_W-1:0]   y_q, first_y_q;
  wire                    go, issue;

  wire run_end = run_q == LAST_RUN[RUN_W-1:0];
  wire ky_end  = run_end && ky_q == LAST_KY[KY_W-1:0];
  wire kx_end  = ky_end && kx_q == LAST_KX[KX_W-1:0];
  wire g_end   = kx_end && g_q == LAST_G[G_W-1:0];
  wire ox_end  = g_end && ox_q == LAST_OX[OX_W-1:0];
  wire oy_end  = ox_end && oy_q == LAST_OY[OY_W-1:0];

  reg  [AT_W-1:0] step;
  always @* begin
    step = STEP_RUN[AT_W-1:0];
    if (run_end) step = STEP_KY[AT_W-1:0];
    if (ky_end) step = STEP_KX[AT_W-1:0];
    if (kx_end) step = STEP_G[AT_W-1:0];
    if (g_end) step = STEP_OX[AT_W-1:0];
    if (ox_end) step = STEP_OY[AT_W-1:0];
    if (oy_end) step = STEP_LAST[AT_W-1:0];
  end
  wire [AT_W-1:0] ahead   = at_q + step;
  wire [AT_W:0]   wrapped = {1'b0, at_q} + {1'b0, step} - RING[AT_W:0];  // negative: not beyond the ring's end

  assign frame_end = issue && oy_end;

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
        else if (frame_end) frame_q <= frames_end ? {FRAME_W{1'b0}} : frame_q + 1'b1;
    end
  endgenerate

  wire signed [COLUMN_W-1:0] next_first_x = ox_end ? FIRST_X[COLUMN_W-1:0] : first_x_q + STRIDE_X[COLUMN_W-1:0];
  wire signed [ROW_W-1:0] next_first_y = oy_end ? FIRST_Y[ROW_W-1:0] : first_y_q + STRIDE_Y[ROW_W-1:0];

  always @(posedge clk)
    if (rst) begin
      run_q     <= {RUN_W{1'b0}};
      kx_q      <= {KX_W{1'b0}};
      ky_q      <= {KY_W{1'b0}};
      g_q       <= {G_W{1'b0}};
      ox_q      <= {OX_W{1'b0}};
      oy_q      <= {OY_W{1'b0}};
      at_q      <= ORIGIN[AT_W-1:0];
      x_q       <= FIRST_X[COLUMN_W-1:0];
      first_x_q <= FIRST_X[COLUMN_W-1:0];
      y_q       <= FIRST_Y[ROW_W-1:0];
      first_y_q <= FIRST_Y[ROW_W-1:0];
    end else if (issue) begin
      at_q  <= wrapped[AT_W] ? ahead : wrapped[AT_W-1:0];
      run_q <= run_end ? {RUN_W{1'b0}} : run_q + 1'b1;
      if (run_end) begin
        ky_q <= ky_end ? {KY_W{1'b0}} : ky_q + 1'b1;
        y_q  <= ox_end ? next_first_y : ky_end ? first_y_q : y_q + DILATION_Y[ROW_W-1:0];
      end
      if (ky_end) begin
        kx_q <= kx_end ? {KX_W{1'b0}} : kx_q + 1'b1;
        x_q  <= g_end ? next_first_x : kx_end ? first_x_q : x_q + DILATION_X[COLUMN_W-1:0];
      end
      if (kx_end) g_q <= g_end ? {G_W{1'b0}} : g_q + 1'b1;
      if (g_end) begin
        ox_q      <= ox_end ? {OX_W{1'b0}} : ox_q + 1'b1;
        first_x_q <= next_first_x;
      end
      if (ox_end) begin
        oy_q      <= oy_end ? {OY_W{1'b0}} : oy_q + 1'b1;
        first_y_q <= next_first_y;
      end
    end

  // ---- who waits for whom ----
  // The pixel that the next one replaces is ROWS above it: of an earlier frame, above the window, or left of it in its first row.
  wire signed [ROW_W-1:0] replaced_y = write_y_q - ROWS[ROW_W-1:0];
  wire begun   = !write_y_q[ROW_W-1] && (write_y_q != {ROW_W{1'b0}} || write_x_q != {COLUMN_W{1'b0}});  // the reader's frame
  wire present = y_q < write_y_q || (y_q == write_y_q && x_q < write_x_q);
  wire exists  = !y_q[ROW_W-1] && y_q < IN_Y[ROW_W-1:0] && !x_q[COLUMN_W-1] && x_q < IN_X[COLUMN_W-1:0];
  wire free    = replaced_y[ROW_W-1] || replaced_y < first_y_q || (replaced_y == first_y_q && write_x_q < first_x_q);

  assign s_ready = free;
  assign issue   = go && begun && (present || !exists);

  // ---- from the address to the output ----
  reg               valid_1_q, valid_2_q, exists_1_q, last_1_q, last_2_q;
  reg  [GIVEN_W-1:0] data_2_q;
  wire [BEAT_W-1:0] word;
  wire              o_ready;

  assign go = !valid_2_q || o_ready;

  reg  [GIVEN_W-1:0] given;  // the word, its elements extended
  integer            i;
  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      given[i*Y_W +: Y_W] = {Y_W{X_SIGNED != 0 && word[i*X_W + X_W - 1]}};
      given[i*Y_W +: X_W] = word[i*X_W +: X_W];
    end

  weir_ram #(
    .WIDTH(BEAT_W),
    .DEPTH(RING)
  ) u_ram (
    .clk  (clk),
    .we   (write),
    .waddr(write_at_q),
    .wdata(s_data),
    .re   (go),
    .raddr(at_q),
    .q    (word)
  );

  always @(posedge clk) begin
    if (go) begin
      valid_1_q  <= issue;
      exists_1_q <= exists;
      last_1_q   <= oy_end && frames_end;
      valid_2_q  <= valid_1_q;
      last_2_q   <= last_1_q;
      data_2_q   <= exists_1_q ? given : {LANES{FILL[Y_W-1:0]}};
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
    .s_data (data_2_q),
    .s_last (last_2_q),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
endmodule

`default_nettype wire
