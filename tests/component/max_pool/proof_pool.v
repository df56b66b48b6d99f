// The largest element that a window sees, or the sum of what it sees: of a free window at a free place of a step, in a
// marked line.
// sources: pool/weir_pool.v stream/weir_register_slice.v memory.v
// define: WEIR_CHECK
// without: u_s_last
// prove: unbounded WIDTH=1 INNER=1 IN=1 OUT=1 LINES=1 KERNEL=1 STRIDE=1
// prove: unbounded WIDTH=1 LANES=2 INNER=1 IN=2 OUT=1 LINES=1 KERNEL=2 STRIDE=1
// prove: unbounded WIDTH=2 LANES=2 TOGETHER=2 PIXEL=1 INNER=1 IN=2 OUT=2 LINES=1 KERNEL=1 STRIDE=1
// prove: unbounded WIDTH=1 OUT_W=4 SUM=1 COMMON=4 FACTOR_W=2 TOGETHER=2 PIXEL=1 INNER=1 IN=2 OUT=2 LINES=1 KERNEL=1 STRIDE=1
// prove: bounded 14 WIDTH=1 INNER=1 IN=2 OUT=2 LINES=1 KERNEL=2 STRIDE=1 JOINED=1
// nightly: unbounded WIDTH=1 INNER=1 IN=3 OUT=3 LINES=1 KERNEL=3 STRIDE=1 BEGIN=1 JOINED=1
// nightly: unbounded WIDTH=1 INNER=2 IN=2 OUT=2 LINES=2 KERNEL=2 STRIDE=1 JOINED=1
// nightly: bounded 18 WIDTH=1 INNER=4 IN=2 OUT=2 LINES=1 KERNEL=2 STRIDE=1 JOINED=1
// nightly: unbounded WIDTH=1 INNER=1 IN=2 OUT=2 LINES=1 KERNEL=4 STRIDE=1 BEGIN=1 JOINED=1
// nightly: unbounded WIDTH=1 OUT_W=2 SUM=1 INNER=2 IN=3 OUT=3 LINES=1 KERNEL=3 STRIDE=1 BEGIN=1 JOINED=1
// nightly: unbounded WIDTH=1 OUT_W=3 SUM=1 LANES=2 ZERO=-1 INNER=1 IN=3 OUT=1 LINES=1 KERNEL=3 STRIDE=3
// nightly: bounded 17 WIDTH=1 INNER=4 IN=2 OUT=2 LINES=1 KERNEL=2 STRIDE=1
// nightly: unbounded WIDTH=2 INNER=1 IN=4 OUT=2 LINES=2 KERNEL=2 STRIDE=2 SIGNED=1
// nightly: unbounded WIDTH=1 INNER=1 IN=3 OUT=3 LINES=1 KERNEL=3 STRIDE=1 BEGIN=1
// nightly: unbounded WIDTH=1 INNER=1 IN=5 OUT=2 LINES=1 KERNEL=2 STRIDE=2 DILATION=2
// nightly: unbounded WIDTH=2 OUT_W=4 SUM=1 ZERO=3 INNER=1 IN=4 OUT=2 LINES=2 KERNEL=2 STRIDE=2 SIGNED=1
// nightly: unbounded WIDTH=1 OUT_W=2 SUM=1 INNER=1 IN=3 OUT=3 LINES=1 KERNEL=3 STRIDE=1 BEGIN=1
// nightly: bounded 17 WIDTH=1 OUT_W=4 SUM=1 COMMON=6 FACTOR_W=2 SIGNED=1 INNER=1 IN=3 OUT=3 LINES=1 KERNEL=3 STRIDE=1 BEGIN=1
// nightly: unbounded WIDTH=1 OUT_W=4 SUM=1 COMMON=6 FACTOR_W=2 SIGNED=1 INNER=1 IN=3 OUT=3 LINES=1 KERNEL=3 STRIDE=1 BEGIN=1
// nightly: unbounded WIDTH=1 OUT_W=3 SUM=1 LANES=2 TOGETHER=3 PIXEL=2 ZERO=1 INNER=1 IN=2 OUT=2 LINES=1 KERNEL=1 STRIDE=1
// nightly: bounded 18 WIDTH=1 INNER=4 IN=3 OUT=3 LINES=1 KERNEL=3 STRIDE=1 BEGIN=1
// nightly: unbounded WIDTH=1 INNER=2 IN=3 OUT=3 LINES=1 KERNEL=3 STRIDE=1 BEGIN=1
// nightly: bounded 18 WIDTH=1 OUT_W=2 SUM=1 INNER=4 IN=3 OUT=3 LINES=1 KERNEL=3 STRIDE=1 BEGIN=1
// nightly: bounded 18 WIDTH=1 INNER=4 IN=4 OUT=2 LINES=1 KERNEL=3 STRIDE=2 BEGIN=1 SIGNED=1
// faults: max_pool/mutants.txt sum_pool/mutants.txt
// planted: nightly
// spared: max_pool_joined_begins_the_step_again a step of a memory is begun again after more cycles than these: random.c
// spared: sum_pool_window_moves_each_beat where windows have factors of their own, a step is one beat here: random.c
module proof #(
  parameter integer LANES    = 1,
  parameter integer WIDTH    = 1,
  parameter integer SIGNED   = 0,
  parameter integer SUM      = 0,
  parameter integer ZERO     = 0,
  parameter integer OUT_W    = WIDTH,
  parameter integer COMMON   = 0,
  parameter integer FACTOR_W = 0,
  parameter integer INNER    = 1,
  parameter integer IN       = 2,
  parameter integer OUT      = 1,
  parameter integer LINES    = 1,
  parameter integer KERNEL   = 2,
  parameter integer STRIDE   = 2,
  parameter integer DILATION = 1,
  parameter integer BEGIN    = 0,
  parameter integer TOGETHER = 1,
  parameter integer PIXEL    = LANES,
  parameter integer JOINED   = 0
) (
  input wire                            clk, s_valid,
  input wire [TOGETHER*LANES*WIDTH-1:0] s_data,
  input wire                            s_last, m_ready
);
  localparam integer DATA_W  = TOGETHER * LANES * WIDTH;
  localparam integer RESULT_W = LANES * OUT_W;
  localparam integer REACH   = (KERNEL - 1) * DILATION;
  localparam integer PLACE_W = $clog2(IN + INNER + OUT * STRIDE + REACH + 1);
  localparam [PLACE_W-1:0] TOP_INNER = INNER - 1;
  localparam [PLACE_W-1:0] TOP_STEP  = IN - 1;
  localparam [PLACE_W-1:0] TOP_WINDOW = OUT - 1;

  (* anyconst *) wire [PLACE_W-1:0] window, place;  // the marked line's window that is watched, and its beat
  (* hierconn *) wire [$clog2(INNER+1)-1:0] \u_dut.g_slot[0].g_ram.u_ram.watched , \u_dut.g_slot[1].g_ram.u_ram.watched ;
  wire                rst, s_ready, m_valid, m_last, mark, watched;
  wire [RESULT_W-1:0] m_data;
  reg  [PLACE_W-1:0]  s_inner_q, s_step_q, m_inner_q, m_window_q;
  wire [2:0]          lines;  // that have entered whole and not left
  reg                 enters_q, seen_q;  // the marked one enters; its window has seen something
  reg  [RESULT_W-1:0] result, result_q;  // of what has been seen
  reg  [RESULT_W-1:0] wanted;
  reg  [PLACE_W-1:0]  seen;              // by the marked line's window
  reg  signed [WIDTH:0] x;
  reg  signed [OUT_W:0] y, z;
  reg                 sees;
  reg  [RESULT_W-1:0] joined;            // the pixels of a beat that are of one window
  integer             k, l, t, at;

  weir_pool #(
    .LANES   (LANES),
    .WIDTH   (WIDTH),
    .SIGNED  (SIGNED),
    .SUM     (SUM),
    .ZERO    (ZERO),
    .OUT_W   (OUT_W),
    .COMMON  (COMMON),
    .FACTOR_W(FACTOR_W),
    .INNER   (INNER),
    .IN      (IN),
    .OUT     (OUT),
    .LINES   (LINES),
    .KERNEL  (KERNEL),
    .STRIDE  (STRIDE),
    .DILATION(DILATION),
    .BEGIN   (BEGIN),
    .TOGETHER(TOGETHER),
    .PIXEL   (PIXEL),
    .JOINED  (JOINED)
  ) u_dut (.*);

  wire take   = s_valid && s_ready;
  wire leave  = m_valid && m_ready;
  wire s_line = take && s_inner_q == TOP_INNER && s_step_q == TOP_STEP;
  wire m_line = leave && m_inner_q == TOP_INNER && m_window_q == TOP_WINDOW;
  wire may    = take && s_inner_q == 0 && s_step_q == 0;
  // The last beat that the next result needs, and whether it has entered.
  wire [PLACE_W-1:0] reach  = m_window_q * STRIDE + REACH - BEGIN;
  wire [PLACE_W-1:0] needed = reach > TOP_STEP ? TOP_STEP : reach;
  wire               needed_in = lines != 0 || needed < s_step_q || (needed == s_step_q && m_inner_q < s_inner_q);
  wire               behind = reach > TOP_STEP;  // the window ends behind the line: given when all of it has entered
  wire               owed   = behind ? lines != 0 : needed_in;
  wire               here   = watched && m_window_q == window && m_inner_q == place;

  always @* begin
    sees = 1'b0;
    for (k = 0; k < KERNEL; k = k + 1) if (s_step_q + BEGIN == window * STRIDE + k * DILATION) sees = 1'b1;
    sees = sees && take && (mark || enters_q) && s_inner_q == place;
    for (l = 0; l < LANES; l = l + 1) begin
      for (t = 0; t < TOGETHER; t = t + 1) begin
        at = (l / PIXEL * TOGETHER + t) * PIXEL + l % PIXEL;
        x  = {SIGNED != 0 && s_data[at*WIDTH + WIDTH - 1], s_data[at*WIDTH +: WIDTH]};
        y  = {SIGNED != 0 && joined[l*OUT_W + OUT_W - 1], joined[l*OUT_W +: OUT_W]};
        if (SUM != 0) joined[l*OUT_W +: OUT_W] = x - ZERO + (t > 0 ? y : 0);
        else if (t == 0 || x > y) joined[l*OUT_W +: OUT_W] = s_data[at*WIDTH +: WIDTH];
      end
      z = {SIGNED != 0 && joined[l*OUT_W + OUT_W - 1], joined[l*OUT_W +: OUT_W]};
      y = {SIGNED != 0 && result_q[l*OUT_W + OUT_W - 1], result_q[l*OUT_W +: OUT_W]};
      if (SUM != 0) result[l*OUT_W +: OUT_W] = z + (!mark && seen_q ? y : 0);
      else result[l*OUT_W +: OUT_W] = !mark && seen_q && y > z ? result_q[l*OUT_W +: OUT_W] : joined[l*OUT_W +: OUT_W];
    end
  end

  always @* begin
    seen = {PLACE_W{1'b0}};
    for (k = 0; k < KERNEL; k = k + 1)
      if (window * STRIDE + k * DILATION >= BEGIN && window * STRIDE + k * DILATION < IN + BEGIN) seen = seen + 1'b1;
    wanted = result_q;
    for (l = 0; l < LANES; l = l + 1)
      for (k = 1; k <= KERNEL; k = k + 1)
        if (COMMON != 0 && seen == k) wanted[l*OUT_W +: OUT_W] = result_q[l*OUT_W +: OUT_W] * (COMMON / (TOGETHER * k));
  end

  always @(posedge clk)
    if (rst) begin
      s_inner_q  <= {PLACE_W{1'b0}};
      s_step_q   <= {PLACE_W{1'b0}};
      m_inner_q  <= {PLACE_W{1'b0}};
      m_window_q <= {PLACE_W{1'b0}};
      enters_q   <= 1'b0;
    end else begin
      if (take) begin
        s_inner_q <= s_inner_q == TOP_INNER ? {PLACE_W{1'b0}} : s_inner_q + 1'b1;
        if (s_inner_q == TOP_INNER) s_step_q <= s_line ? {PLACE_W{1'b0}} : s_step_q + 1'b1;
      end
      if (leave) begin
        m_inner_q <= m_inner_q == TOP_INNER ? {PLACE_W{1'b0}} : m_inner_q + 1'b1;
        if (m_inner_q == TOP_INNER) m_window_q <= m_line ? {PLACE_W{1'b0}} : m_window_q + 1'b1;
      end
      enters_q <= (enters_q || mark) && !s_line;
      if (mark || sees) seen_q <= sees;
      if (sees) result_q <= result;
    end

  always @* begin
    assume (window < OUT && place < INNER);
    if (INNER > 3) assume (\u_dut.g_slot[0].g_ram.u_ram.watched == place && \u_dut.g_slot[1].g_ram.u_ram.watched == place);
  end

  always @* if (!rst) begin
    if (m_valid) nothing_invented: assert (owed);
    if (m_valid && here) sees_something: assert (seen_q);
  end

  proof_reset u_reset (clk, rst);
  proof_marked u_marked (clk, rst, may, s_line, m_line, lines, mark, watched);
  proof_source #(DATA_W + 1) u_source (clk, rst, s_valid, s_ready, {s_last, s_data});
  proof_hold #(RESULT_W + 1) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  proof_equal #(RESULT_W) u_equal (rst, m_valid && here, m_data, wanted);
  proof_last #(LINES * OUT * INNER) u_last (clk, rst, m_valid, m_ready, m_last);
  proof_answer #(5 + FACTOR_W) u_leaves (clk, rst, owed, m_valid);
  proof_answer #(OUT * INNER + 4 + FACTOR_W) u_enters (clk, rst, s_valid && m_ready, s_ready);
endmodule
