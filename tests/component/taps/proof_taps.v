// What each position of the window sees, from a record of all that has been taken: every beat in its place, none before
// its last step is there, `last` at the end of a frame; the word being written is never read.
// sources: window/weir_taps.v memory/weir_ram.v stream/weir_register_slice.v
// define: WEIR_CHECK
// without: u_s_last
// prove: bounded 14 INNER=1 IN=3 OUT=3 LINES=1 KERNEL=3 STRIDE=1 BEGIN=1
// prove: bounded 14 INNER=1 IN=4 OUT=4 LINES=1 KERNEL=2 STRIDE=1 BEGIN=1 ALONG=2
// prove: bounded 14 INNER=2 IN=2 OUT=2 LINES=1 KERNEL=2 STRIDE=1 BEGIN=0 JOINED=1
// nightly: bounded 16 INNER=3 IN=2 OUT=2 LINES=1 KERNEL=2 STRIDE=1 BEGIN=0 JOINED=1
// nightly: bounded 16 INNER=1 IN=3 OUT=3 LINES=2 KERNEL=3 STRIDE=1 BEGIN=1 JOINED=1
// nightly: bounded 16 INNER=1 IN=2 OUT=2 LINES=1 KERNEL=4 STRIDE=1 BEGIN=1 JOINED=1
// nightly: bounded 16 INNER=1 IN=3 OUT=3 LINES=1 KERNEL=4 STRIDE=1 BEGIN=1 JOINED=2
// nightly: bounded 16 INNER=1 IN=3 OUT=2 LINES=1 KERNEL=4 STRIDE=2 BEGIN=1 JOINED=2
// nightly: bounded 18 INNER=2 IN=2 OUT=2 LINES=1 KERNEL=3 STRIDE=1 BEGIN=0 JOINED=2
// nightly: bounded 14 INNER=3 IN=2 OUT=2 LINES=1 KERNEL=2 STRIDE=1 BEGIN=1
// nightly: bounded 16 INNER=1 IN=4 OUT=1 LINES=2 KERNEL=2 STRIDE=3 BEGIN=0
// nightly: bounded 14 INNER=2 IN=2 OUT=2 LINES=1 KERNEL=2 STRIDE=1 BEGIN=0 ACROSS=2
// nightly: bounded 16 INNER=1 IN=8 OUT=4 LINES=2 KERNEL=3 STRIDE=2 BEGIN=1 ALONG=4
// nightly: bounded 16 INNER=2 IN=3 OUT=2 LINES=1 KERNEL=2 STRIDE=2 BEGIN=1
// nightly: bounded 22 INNER=3 IN=3 OUT=2 LINES=1 KERNEL=3 STRIDE=2 BEGIN=1
// faults: taps/mutants.txt taps/proof_faults.txt
// spared: taps_ignores_dilation there is none: random.c
// spared: taps_lane_zero_for_all there is one: random.c
// spared: taps_sign_lost elements are unsigned: random.c
// planted: nightly
module proof #(
  parameter integer INNER  = 1,
  parameter integer IN     = 3,
  parameter integer OUT    = 3,
  parameter integer LINES  = 1,
  parameter integer KERNEL = 3,
  parameter integer STRIDE = 1,
  parameter integer BEGIN  = 1,
  parameter integer ACROSS = 1,
  parameter integer ALONG  = 1,
  parameter integer JOINED = 0
) (
  input wire                    clk, s_valid,
  input wire [ACROSS*ALONG-1:0] s_data,
  input wire                    m_ready
);
  localparam integer MOVED  = ALONG > 1 ? ALONG / STRIDE : 1;
  localparam integer GIVEN  = MOVED * ACROSS * KERNEL;
  localparam integer FINAL  = (OUT - 1) * STRIDE + KERNEL - 1 - BEGIN;
  localparam integer STEPS  = IN > FINAL ? IN : FINAL + 1;

  localparam integer AT_W  = INNER > 2 ? $clog2(INNER) : 1;

  wire               rst, s_ready, m_valid, m_last;
  wire [2*GIVEN-1:0] m_data;
  wire [63:0]        taken;
  wire [7:0]         count;
  reg  [7:0]         line_at_q, inner_q, o_q, line_q;
  (* hierconn *) wire \u_dut.g_memory.u_ram.we , \u_dut.g_memory.u_ram.re ;
  (* hierconn *) wire [AT_W-1:0] \u_dut.g_memory.u_ram.waddr , \u_dut.g_memory.u_ram.raddr ;

  weir_taps #(
    .X_W   (1),
    .Y_W   (2),
    .INNER (INNER),
    .IN    (IN),
    .OUT   (OUT),
    .LINES (LINES),
    .KERNEL(KERNEL),
    .STRIDE(STRIDE),
    .BEGIN (BEGIN),
    .ACROSS(ACROSS),
    .ALONG (ALONG),
    .JOINED(JOINED),
    .FILL  (2)
  ) u_dut (.*, .s_last(1'b0));

  wire give = m_valid && m_ready;
  wire inner_end = inner_q == INNER - 1;
  wire o_end     = inner_end && o_q == OUT - MOVED;
  wire line_end  = o_end && line_q == LINES - 1;

  proof_record #(ACROSS * ALONG) u_record (clk, rst, s_valid, s_ready, s_data, taken, count);

  always @(posedge clk)
    if (rst) {line_at_q, inner_q, o_q, line_q} <= 32'd0;
    else if (give) begin
      inner_q <= inner_end ? 8'd0 : inner_q + 1'b1;
      if (inner_end) o_q <= o_end ? 8'd0 : o_q + MOVED;
      if (o_end) begin
        line_q    <= line_end ? 8'd0 : line_q + 1'b1;
        line_at_q <= line_at_q + IN * INNER * ACROSS;
      end
    end

  // Pixels of a step lie side by side, those of ACROSS lines too.
  genvar v, a, k;
  generate
    for (v = 0; v < MOVED; v = v + 1) begin : g_moved
      for (a = 0; a < ACROSS; a = a + 1) begin : g_line
        for (k = 0; k < KERNEL; k = k + 1) begin : g_tap
          localparam integer SEEN = (v * ACROSS + a) * KERNEL + k;
          wire [7:0] pixel  = (o_q + v) * STRIDE + k - BEGIN;  // beyond the line when negative
          wire [7:0] at     = line_at_q + (pixel * INNER + inner_q) * ACROSS + a;
          wire       exists = pixel < IN;
          always @* if (!rst && m_valid) begin
            assert (!exists || at < count);
            assert (m_data[2*SEEN +: 2] == (exists ? {1'b0, taken[at]} : 2'd2));
          end
        end
      end
    end
  endgenerate

  always @* if (!rst && m_valid) last: assert (m_last == line_end);

  always @* if (INNER > 2 && !rst && \u_dut.g_memory.u_ram.we && \u_dut.g_memory.u_ram.re )
    no_collision: assert (\u_dut.g_memory.u_ram.waddr != \u_dut.g_memory.u_ram.raddr );

  proof_hold #(2 * GIVEN + 1) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  // While it is offered beats and its own are taken, something is given: the steps of a line and the pipeline are the
  // longest wait.
  proof_answer #(STEPS * INNER + 6) u_answer (clk, rst, s_valid && m_ready, m_valid);
  // Of lines that have come to their end nothing waits for the next one.
  wire [7:0] left = count - line_at_q;
  proof_answer #(STRIDE * INNER + 4) u_end (clk, rst, left != 8'd0 && left % (IN * INNER * ACROSS) == 0 && m_ready, m_valid);
endmodule
