// weir_max_pool: the largest element of each window that slides along one dimension. A frame is LINES lines of IN steps of INNER
// beats; each of the OUT windows of a line sees the steps o * STRIDE + k * DILATION - BEGIN for k in [0, KERNEL), as far as they lie
// in [0, IN). A pool over several dimensions is one of these for each.
//
// A window is held from its first step to its last: SLOTS = ceil(((KERNEL - 1) * DILATION) / STRIDE) of them are open at a time, so
// that is the buffer, INNER beats each: the least that can be. Windows that reach beyond the line are given after its last step.
//
// Latency:   2 - INNER * max(0, IN + BEGIN - (KERNEL - 1) * DILATION - 1 - (OUT - 1) * STRIDE) cycles from a frame's last beat to its
//            last result: 2 from the last beat that a result needs, behind which INNER beats a step may follow that none does.
// Interval:  LINES * (IN + OUT - max(0, ceil((IN + BEGIN - (KERNEL - 1) * DILATION) / STRIDE))) * INNER cycles a frame: a step more a
//            line for each window that ends behind it.
// State:     SLOTS memories of INNER beats (registers where INNER is 1), a beat between read and write, a register slice.
// Mapping:   block RAM; a comparator a lane and slot.
`default_nettype none

module weir_max_pool #(
  parameter integer LANES    = 1,
  parameter integer WIDTH    = 8,  // bits of an element
  parameter integer SIGNED   = 0,
  parameter integer INNER    = 1,  // beats of a step
  parameter integer IN       = 2,  // steps of a line
  parameter integer OUT      = 1,  // windows of a line
  parameter integer LINES    = 1,  // of a frame
  parameter integer KERNEL   = 2,
  parameter integer STRIDE   = 2,
  parameter integer DILATION = 1,
  parameter integer BEGIN    = 0   // padding in front of a line
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   s_valid,
  output wire                   s_ready,
  input  wire [LANES*WIDTH-1:0] s_data,
  /* verilator lint_off UNUSEDSIGNAL */ // lines are counted
  input  wire                   s_last,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [LANES*WIDTH-1:0] m_data,
  output wire                   m_last
);
  localparam integer REACH  = (KERNEL - 1) * DILATION;                // from a window's first step to its last
  localparam integer SLOTS  = (REACH + STRIDE - 1) / STRIDE;
  localparam integer HELD   = SLOTS > 0 ? SLOTS : 1;
  localparam integer PERIOD = HELD * STRIDE;                          // steps from a slot's window to its next
  localparam integer ENDED  = IN + BEGIN <= REACH ? 0 : (IN + BEGIN - REACH - 1) / STRIDE + 1;
  localparam integer TAIL   = OUT - ENDED;
  localparam integer FIRST  = REACH - BEGIN;                          // steps in front of the one that ends the first window
  localparam integer BEAT_W = LANES * WIDTH;

  generate
    if (LANES < 1 || WIDTH < 1 || INNER < 1 || IN < 1 || OUT < 1 || LINES < 1) begin : g_check_sizes
      weir_max_pool_LANES_WIDTH_INNER_IN_OUT_and_LINES_must_be_at_least_1 u_error ();
    end
    if (KERNEL < 1 || STRIDE < 1 || DILATION < 1) begin : g_check_window
      weir_max_pool_KERNEL_STRIDE_and_DILATION_must_be_at_least_1 u_error ();
    end
    if (BEGIN < 0 || BEGIN > REACH) begin : g_check_begin
      weir_max_pool_BEGIN_must_be_smaller_than_the_window u_error ();
    end
    if (TAIL < 0 || (OUT - 1) * STRIDE >= IN + BEGIN) begin : g_check_out
      weir_max_pool_OUT_windows_must_start_on_the_line_and_include_all_that_end_on_it u_error ();
    end
  endgenerate

  function integer bits(input integer most);
    bits = most < 1 ? 1 : $clog2(most + 1);
  endfunction

  // Which phases of a slot's window take an element: multiples of DILATION. What comes behind its last one, nobody reads.
  function [PERIOD-1:0] taking(input integer apart);
    integer p;
    for (p = 0; p < PERIOD; p = p + 1) taking[p] = p % apart == 0;
  endfunction
  localparam [PERIOD-1:0] TAKING = taking(DILATION);

  localparam integer INNER_W = bits(INNER - 1);
  localparam integer STEP_W  = bits(IN + TAIL - 1);
  localparam integer LINE_W  = bits(LINES - 1);
  localparam integer WAIT_W  = bits(FIRST > STRIDE - 1 ? FIRST : STRIDE - 1);
  localparam integer PHASE_W = bits(PERIOD - 1);
  localparam integer SLOT_W  = bits(HELD - 1);
  localparam integer LAST_INNER = INNER - 1;
  localparam integer LAST_REAL  = IN - 1;
  localparam integer FINAL_STEP = TAIL > 0 ? IN + TAIL - 1 : FIRST + (OUT - 1) * STRIDE;  // gives a line's last window
  localparam integer LAST_STEP  = IN + TAIL - 1;
  localparam integer LAST_LINE  = LINES - 1;
  localparam integer LAST_PHASE = PERIOD - 1;
  localparam integer LAST_SLOT  = HELD - 1;
  localparam integer NEXT_WAIT  = STRIDE - 1;

  // ---- where the next beat stands ----
  reg  [INNER_W-1:0] inner_q;
  reg  [STEP_W-1:0]  step_q;    // beyond the line: windows that end behind it
  reg  [LINE_W-1:0]  line_q;
  reg  [WAIT_W-1:0]  wait_q;    // steps in front of the one that ends a window
  reg  [SLOT_W-1:0]  slot_q;    // where that window is held
  reg  [HELD-1:0]    empty_q;   // slots whose window has seen nothing yet
  reg  [HELD*PHASE_W-1:0] phase_q;        // by slot: steps since the start of its window
  reg                tail_q;

  wire go, issue;
  wire inner_end  = inner_q == LAST_INNER[INNER_W-1:0];
  wire line_end   = step_q == LAST_STEP[STEP_W-1:0];
  wire ends       = tail_q || wait_q == {WAIT_W{1'b0}};

  reg  [HELD-1:0]    first, takes;
  integer            k;
  always @*
    for (k = 0; k < HELD; k = k + 1) begin
      first[k] = empty_q[k] || phase_q[k*PHASE_W +: PHASE_W] == {PHASE_W{1'b0}};
      takes[k] = !tail_q && TAKING[phase_q[k*PHASE_W +: PHASE_W]];
    end

  assign s_ready = go && !tail_q;
  assign issue   = go && (tail_q || s_valid);

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
      inner_q <= inner_end ? {INNER_W{1'b0}} : inner_q + 1'b1;
      if (inner_end) begin
        step_q  <= line_end ? {STEP_W{1'b0}} : step_q + 1'b1;
        tail_q  <= TAIL > 0 && !line_end && step_q >= LAST_REAL[STEP_W-1:0];
        wait_q  <= line_end ? FIRST[WAIT_W-1:0] : ends ? NEXT_WAIT[WAIT_W-1:0] : wait_q - 1'b1;
        empty_q <= line_end ? {HELD{1'b1}} : empty_q & ~takes;
        if (line_end) begin
          slot_q <= {SLOT_W{1'b0}};
          line_q <= line_q == LAST_LINE[LINE_W-1:0] ? {LINE_W{1'b0}} : line_q + 1'b1;
        end else if (ends) begin
          slot_q <= slot_q == LAST_SLOT[SLOT_W-1:0] ? {SLOT_W{1'b0}} : slot_q + 1'b1;
        end
      end
    end

  genvar g;
  generate
    for (g = 0; g < HELD; g = g + 1) begin : g_phase
      // The line starts at step BEGIN of the padded one; slot g's first window starts at step g * STRIDE of that.
      localparam integer START = (BEGIN + PERIOD - g * STRIDE) % PERIOD;
      always @(posedge clk)
        if (rst || (issue && inner_end && line_end)) phase_q[g*PHASE_W +: PHASE_W] <= START[PHASE_W-1:0];
        else if (issue && inner_end)
          phase_q[g*PHASE_W +: PHASE_W] <=
              phase_q[g*PHASE_W +: PHASE_W] == LAST_PHASE[PHASE_W-1:0] ? {PHASE_W{1'b0}}
                                                                       : phase_q[g*PHASE_W +: PHASE_W] + 1'b1;
    end
  endgenerate

  // ---- the beat between read and write ----
  reg                valid_q, ends_q, ends_frame_q, from_tail_q;
  reg  [BEAT_W-1:0]  x_q;
  reg  [HELD-1:0]    empty_then_q;
  reg  [SLOT_W-1:0]  from_q;
  /* verilator lint_off UNUSEDSIGNAL */ // nothing is held when a window is one step, and one beat has no address
  reg  [HELD-1:0]    first_q, takes_q;
  reg  [INNER_W-1:0] at_q;
  /* verilator lint_on UNUSEDSIGNAL */
  wire               o_ready;

  assign go = !valid_q || !ends_q || o_ready;

  always @(posedge clk)
    if (rst) valid_q <= 1'b0;
    else if (go) valid_q <= issue;

  always @(posedge clk)
    if (issue) begin
      x_q          <= s_data;
      ends_q       <= ends;
      ends_frame_q <= step_q == FINAL_STEP[STEP_W-1:0] && inner_end && line_q == LAST_LINE[LINE_W-1:0];
      from_tail_q  <= tail_q;
      first_q      <= first;
      takes_q      <= takes;
      empty_then_q <= empty_q;
      at_q         <= inner_q;
      from_q       <= slot_q;
    end

  function [BEAT_W-1:0] larger(input [BEAT_W-1:0] a, input [BEAT_W-1:0] b);
    integer i;
    reg     a_wins;
    for (i = 0; i < LANES; i = i + 1) begin
      if (SIGNED != 0) a_wins = $signed(a[i*WIDTH +: WIDTH]) > $signed(b[i*WIDTH +: WIDTH]);
      else a_wins = a[i*WIDTH +: WIDTH] > b[i*WIDTH +: WIDTH];
      larger[i*WIDTH +: WIDTH] = a_wins ? a[i*WIDTH +: WIDTH] : b[i*WIDTH +: WIDTH];
    end
  endfunction

  // ---- what the slots hold ----
  wire [HELD*BEAT_W-1:0] held;
  generate
    for (g = 0; g < SLOTS; g = g + 1) begin : g_slot
      wire [BEAT_W-1:0] old = held[g*BEAT_W +: BEAT_W];
      wire [BEAT_W-1:0] next = first_q[g] ? x_q : larger(old, x_q);
      wire              we  = valid_q && go && takes_q[g];
      if (INNER == 1) begin : g_register
        reg [BEAT_W-1:0] held_q;
        always @(posedge clk) if (we) held_q <= next;
        assign held[g*BEAT_W +: BEAT_W] = held_q;
      end else begin : g_ram
        weir_ram #(
          .WIDTH(BEAT_W),
          .DEPTH(INNER)
        ) u_ram (
          .clk  (clk),
          .we   (we),
          .waddr(at_q),
          .wdata(next),
          .re   (issue),
          .raddr(inner_q),
          .q    (held[g*BEAT_W +: BEAT_W])
        );
      end
    end
    if (SLOTS == 0) begin : g_none
      assign held = {BEAT_W{1'b0}};
    end
  endgenerate

  wire [BEAT_W-1:0] ended  = held[from_q*BEAT_W +: BEAT_W];
  wire [BEAT_W-1:0] result = SLOTS == 0 || (!from_tail_q && empty_then_q[from_q]) ? x_q
                           : from_tail_q ? ended : larger(ended, x_q);

  weir_register_slice #(
    .WIDTH(BEAT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(valid_q && ends_q),
    .s_ready(o_ready),
    .s_data (result),
    .s_last (ends_frame_q),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
endmodule

`default_nettype wire
