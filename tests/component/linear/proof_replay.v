// Rows of beats, each emitted several times; a marked beat is watched in every repetition of its row.
// sources: memory/weir_replay.v memory.v
// prove: unbounded WIDTH=1 BEATS=1 TIMES=2
// prove: unbounded WIDTH=1 BEATS=1 TIMES=1
// prove: unbounded WIDTH=1 BEATS=3 TIMES=1
// prove: unbounded WIDTH=1 BEATS=1 TIMES=3
// prove: unbounded WIDTH=1 BEATS=2 TIMES=2
// prove: unbounded WIDTH=1 BEATS=2 TIMES=2 REGISTERED=1
// nightly: unbounded WIDTH=1 BEATS=3 TIMES=2
// nightly: unbounded WIDTH=1 BEATS=4 TIMES=3
// nightly: bounded 12 WIDTH=129 BEATS=2 TIMES=2
// planted: nightly
module proof #(
  parameter integer WIDTH = 1,
  parameter integer BEATS = 1,
  parameter integer TIMES = 1,
  parameter integer REGISTERED = 0
) (
  input wire             clk, s_valid,
  input wire [WIDTH-1:0] s_data,
  input wire             s_last, m_ready
);
  localparam integer BEAT_W = $clog2(BEATS + 1);
  localparam integer TIME_W = $clog2(TIMES + 1);
  localparam [BEAT_W-1:0] LAST_BEAT = BEATS - 1;
  localparam [TIME_W-1:0] LAST_TIME = TIMES - 1;

  localparam integer ADDR_W = BEATS > 1 ? 1 + $clog2(BEATS) : 1;
  localparam integer MEMORY = BEATS > 1 && TIMES > 1 && (WIDTH << ADDR_W) > 512;  // weir_ram

  (* hierconn *) wire [ADDR_W-1:0] \u_dut.g_buffer.genblk1.g_memory.u_ram.waddr , \u_dut.g_buffer.genblk1.g_memory.u_ram.watched ;
  wire              rst, s_ready, m_valid, m_last, mark, watched;
  wire [WIDTH-1:0]  m_data;
  reg               waits_q;              // the source offered this beat before
  reg  [BEAT_W-1:0] s_beat_q, m_beat_q;   // positions in their rows
  reg  [TIME_W-1:0] time_q;
  wire [2:0]        rows;                 // that have entered whole and not left
  reg               last_q;
  reg  [BEAT_W-1:0] beat_q;               // the marked beat's
  reg  [WIDTH-1:0]  value_q;

  weir_replay #(
    .WIDTH(WIDTH),
    .BEATS(BEATS),
    .TIMES(TIMES),
    .REGISTERED(REGISTERED)
  ) u_dut (.*);

  wire take    = s_valid && s_ready;
  wire leave   = m_valid && m_ready;
  wire s_row   = take && s_beat_q == LAST_BEAT;
  wire m_row   = leave && m_beat_q == LAST_BEAT && time_q == LAST_TIME;
  // Transparent for rows that are emitted once: a beat leaves as it enters.
  wire here    = rows != 0 || m_beat_q < s_beat_q || (TIMES == 1 && s_valid);
  wire is_here = m_valid && TIMES > 1 && watched && m_beat_q == beat_q;

  always @(posedge clk)
    if (rst) begin
      s_beat_q <= {BEAT_W{1'b0}};
      m_beat_q <= {BEAT_W{1'b0}};
      time_q   <= {TIME_W{1'b0}};
    end else begin
      if (take) s_beat_q <= s_row ? {BEAT_W{1'b0}} : s_beat_q + 1'b1;
      if (leave) begin
        m_beat_q <= m_beat_q == LAST_BEAT ? {BEAT_W{1'b0}} : m_beat_q + 1'b1;
        if (m_beat_q == LAST_BEAT) time_q <= m_row ? {TIME_W{1'b0}} : time_q + 1'b1;
      end
      if (mark) begin
        beat_q  <= s_beat_q;
        value_q <= s_data;
        last_q  <= s_last;
      end
    end

  always @* if (MEMORY && mark) assume (\u_dut.g_buffer.genblk1.g_memory.u_ram.waddr == \u_dut.g_buffer.genblk1.g_memory.u_ram.watched );

  always @* if (!rst) begin
    at_most_three_rows: assert (rows <= 3 && (rows < 3 || s_beat_q == 0));
    if (m_valid) nothing_invented: assert (here);
    if (is_here) value: assert (m_data == value_q);
    if (m_valid && TIMES == 1) passes: assert (m_data == s_data && s_ready == m_ready);
    if (m_valid && (m_beat_q != LAST_BEAT || time_q != LAST_TIME)) no_last: assert (!m_last);
    if (is_here && beat_q == LAST_BEAT && time_q == LAST_TIME) last: assert (m_last == last_q);
    if (m_valid && TIMES == 1 && m_beat_q == LAST_BEAT) last_passes: assert (m_last == s_last);
  end

  proof_reset u_reset (clk, rst);
  proof_marked u_marked (clk, rst, take, s_row, m_row, rows, mark, watched);
  proof_source #(WIDTH + 1) u_source (clk, rst, s_valid, s_ready, {s_last, s_data});
  proof_hold #(WIDTH + 1) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  proof_answer #(TIMES == 1 ? 0 : 1 + REGISTERED) u_leaves (clk, rst, here, m_valid);
  proof_answer #(TIMES == 1 ? 0 : BEATS * TIMES + 2 + REGISTERED) u_enters (clk, rst, s_valid && m_ready, s_ready);
endmodule
