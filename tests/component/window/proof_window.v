// What each position of the window sees, from a record of all that has been taken: every beat in its place, none before
// its pixel is there, `last` at the end of a frame; the word being written is never read.
// sources: window/weir_window.v memory/weir_ram.v stream/weir_register_slice.v
// define: WEIR_CHECK
// without: u_s_last
// prove: bounded 16 IN_X=2 IN_Y=2 OUT_X=2 OUT_Y=2 KERNEL_X=2 KERNEL_Y=2 BEGIN_X=1 BEGIN_Y=1 STRIDE=1
// prove: bounded 16 IN_X=3 IN_Y=2 OUT_X=2 OUT_Y=1 KERNEL_X=1 KERNEL_Y=1 BEGIN_X=0 BEGIN_Y=0 STRIDE=2
// prove: bounded 12 IN_X=2 IN_Y=2 OUT_X=1 OUT_Y=2 KERNEL_X=2 KERNEL_Y=1 BEGIN_X=0 BEGIN_Y=0 STRIDE=1 SPARE=1
// nightly: bounded 22 IN_X=2 IN_Y=2 OUT_X=2 OUT_Y=2 KERNEL_X=2 KERNEL_Y=2 BEGIN_X=1 BEGIN_Y=1 STRIDE=1 SPARE=2
// nightly: bounded 14 IN_X=2 IN_Y=2 OUT_X=2 OUT_Y=2 KERNEL_X=1 KERNEL_Y=1 BEGIN_X=0 BEGIN_Y=0 STRIDE=1
// nightly: bounded 18 IN_X=1 IN_Y=1 OUT_X=2 OUT_Y=1 KERNEL_X=2 KERNEL_Y=1 BEGIN_X=1 BEGIN_Y=0 STRIDE=1
// nightly: bounded 18 IN_X=1 IN_Y=1 OUT_X=1 OUT_Y=2 KERNEL_X=1 KERNEL_Y=2 BEGIN_X=0 BEGIN_Y=1 STRIDE=1
// nightly: bounded 24 IN_X=2 IN_Y=2 OUT_X=2 OUT_Y=2 KERNEL_X=2 KERNEL_Y=2 BEGIN_X=1 BEGIN_Y=1 STRIDE=1
// nightly: bounded 20 IN_X=3 IN_Y=3 OUT_X=2 OUT_Y=2 KERNEL_X=2 KERNEL_Y=1 BEGIN_X=0 BEGIN_Y=0 STRIDE=2
// faults: window/mutants.txt window/proof_faults.txt
// spared: window_ignores_dilation there is none: random.c
// spared: window_last_each_frame every frame has its own: random.c
// spared: window_same_group there is one: random.c
// spared: window_groups_not_left there is one: random.c
// planted: nightly
module proof #(
  parameter integer IN_X     = 2,
  parameter integer IN_Y     = 2,
  parameter integer OUT_X    = 2,
  parameter integer OUT_Y    = 2,
  parameter integer KERNEL_X = 2,
  parameter integer KERNEL_Y = 2,
  parameter integer BEGIN_X  = 1,
  parameter integer BEGIN_Y  = 1,
  parameter integer STRIDE   = 1,
  parameter integer SPARE    = 0
) (
  input wire clk, s_valid, s_data, m_ready
);
  localparam integer RING = (KERNEL_Y - 1 + STRIDE + SPARE) * IN_X;
  localparam integer AT_W = RING > 1 ? $clog2(RING) : 1;

  wire        rst, s_ready, m_valid, m_last;
  wire [1:0]  m_data;
  wire [63:0] taken;
  wire [7:0]  count;
  reg  [7:0]  frame_q, kx_q, ky_q, ox_q, oy_q;
  (* hierconn *) wire \u_dut.u_ram.we , \u_dut.u_ram.re ;
  (* hierconn *) wire [AT_W-1:0] \u_dut.u_ram.waddr , \u_dut.u_ram.raddr ;

  weir_window #(
    .X_W     (1),
    .Y_W     (2),
    .IN_X    (IN_X),
    .IN_Y    (IN_Y),
    .OUT_X   (OUT_X),
    .OUT_Y   (OUT_Y),
    .KERNEL_X(KERNEL_X),
    .KERNEL_Y(KERNEL_Y),
    .STRIDE_X(STRIDE),
    .STRIDE_Y(STRIDE),
    .BEGIN_X (BEGIN_X),
    .BEGIN_Y (BEGIN_Y),
    .SPARE   (SPARE),
    .FILL    (2)
  ) u_dut (.*, .s_last(1'b0));

  wire give = m_valid && m_ready;
  wire [7:0] x = ox_q * STRIDE + kx_q - BEGIN_X;  // beyond the frame when negative
  wire [7:0] y = oy_q * STRIDE + ky_q - BEGIN_Y;
  wire [7:0] at = frame_q + y * IN_X + x;         // of the record
  wire exists = x < IN_X && y < IN_Y;
  wire ky_end = ky_q == KERNEL_Y - 1;
  wire kx_end = ky_end && kx_q == KERNEL_X - 1;
  wire ox_end = kx_end && ox_q == OUT_X - 1;
  wire oy_end = ox_end && oy_q == OUT_Y - 1;

  proof_record u_record (clk, rst, s_valid, s_ready, s_data, taken, count);

  always @(posedge clk)
    if (rst) {frame_q, kx_q, ky_q, ox_q, oy_q} <= 40'd0;
    else if (give) begin
      ky_q <= ky_end ? 8'd0 : ky_q + 1'b1;
      if (ky_end) kx_q <= kx_end ? 8'd0 : kx_q + 1'b1;
      if (kx_end) ox_q <= ox_end ? 8'd0 : ox_q + 1'b1;
      if (ox_end) oy_q <= oy_end ? 8'd0 : oy_q + 1'b1;
      if (oy_end) frame_q <= frame_q + IN_X * IN_Y;
    end

  always @* if (!rst && m_valid) begin
    order: assert (frame_q < count && (!exists || at < count));
    values: assert (m_data == (exists ? {1'b0, taken[at]} : 2'd2));
    last: assert (m_last == oy_end);
  end

  always @* if (!rst && \u_dut.u_ram.we && \u_dut.u_ram.re ) no_collision: assert (\u_dut.u_ram.waddr != \u_dut.u_ram.raddr );

  proof_hold #(3) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  // While it is offered beats and its own are taken, something is given: a frame's pixels and the pipeline are the
  // longest wait.
  proof_answer #(IN_X * IN_Y + 6) u_answer (clk, rst, s_valid && m_ready, m_valid);
endmodule
