// weir_reorder: emits the beats of each page in another order, each once, repeatedly or never. PAGE beats are written
// in sequence; six nested loops, the first one outermost, then read beat START + the sum of STRIDE * iteration. A frame
// has PAGES pages.
//
// Latency:   3 + min(PAGE, SIZE_0 * SIZE_1 * SIZE_2 * SIZE_3 * SIZE_4 * SIZE_5) cycles from a frame's last beat to its
//            last result: a page is read once all of it is written.
// Interval:  PAGES * max(PAGE, SIZE_0 * SIZE_1 * SIZE_2 * SIZE_3 * SIZE_4 * SIZE_5) cycles a frame.
// Clock:     rtl/README.md, Measured alone: weir_reorder.
// State:     two pages, one read while the other is written; a register slice.
// Mapping:   block RAM with a register after it, a counter a loop, an adder.
`default_nettype none

module weir_reorder #(
  parameter integer WIDTH    = 8,  // bits of a beat
  parameter integer PAGES    = 1,
  parameter integer PAGE     = 2,
  parameter integer START    = 0,
  parameter integer SIZE_0   = 1,
  parameter integer SIZE_1   = 1,
  parameter integer SIZE_2   = 1,
  parameter integer SIZE_3   = 1,
  parameter integer SIZE_4   = 1,
  parameter integer SIZE_5   = 2,
  parameter integer STRIDE_0 = 0,
  parameter integer STRIDE_1 = 0,
  parameter integer STRIDE_2 = 0,
  parameter integer STRIDE_3 = 0,
  parameter integer STRIDE_4 = 0,
  parameter integer STRIDE_5 = 1
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             s_valid,
  output wire             s_ready,
  input  wire [WIDTH-1:0] s_data,
  /* verilator lint_off UNUSEDSIGNAL */ // pages are counted
  input  wire             s_last,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire             m_valid,
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data,
  output wire             m_last
);
  localparam integer AT_W   = $clog2(2 * PAGE);
  localparam integer LAST_0 = PAGE - 1;
  localparam integer LAST_1 = 2 * PAGE - 1;

  generate
    if (WIDTH < 1 || PAGES < 1 || PAGE < 1) begin : g_check
      weir_reorder_WIDTH_PAGES_and_PAGE_must_be_at_least_1 u_error ();
    end
  endgenerate

  // ---- pages ----
  reg  [1:0]      full_q;      // written and not yet read
  reg  [AT_W-1:0] write_at_q;
  wire            write = s_valid && s_ready;
  wire            issue;       // a beat is read
  wire            last_1       = write_at_q == LAST_1[AT_W-1:0];
  wire            written      = write && (last_1 || write_at_q == LAST_0[AT_W-1:0]);
  /* verilator lint_off UNUSEDSIGNAL */ // only that of all loops
  wire [6:0]      at_end;
  /* verilator lint_on UNUSEDSIGNAL */
  wire [AT_W-1:0] read_at;
  wire            read         = issue && at_end[0];
  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire            active       = write;
  /* verilator lint_on UNUSEDSIGNAL */

  assign s_ready = !full_q[1];

  always @(posedge clk)
    if (rst) begin
      full_q     <= 2'd0;
      write_at_q <= {AT_W{1'b0}};
    end else begin
      full_q <= full_q + {1'b0, written} - {1'b0, read};
      if (write) write_at_q <= last_1 ? {AT_W{1'b0}} : write_at_q + 1'b1;
    end

  // ---- the reader ----
  weir_nest #(
    .PAGE    (PAGE),
    .START   (START),
    .SIZE_0  (SIZE_0),
    .SIZE_1  (SIZE_1),
    .SIZE_2  (SIZE_2),
    .SIZE_3  (SIZE_3),
    .SIZE_4  (SIZE_4),
    .SIZE_5  (SIZE_5),
    .STRIDE_0(STRIDE_0),
    .STRIDE_1(STRIDE_1),
    .STRIDE_2(STRIDE_2),
    .STRIDE_3(STRIDE_3),
    .STRIDE_4(STRIDE_4),
    .STRIDE_5(STRIDE_5)
  ) u_nest (
    .clk   (clk),
    .rst   (rst),
    .next  (issue),
    .at    (read_at),
    .at_end(at_end)
  );

  wire frame_end;
  generate
    if (PAGES == 1) begin : g_frame
      assign frame_end = at_end[0];
    end else begin : g_pages
      localparam integer PAGES_W   = $clog2(PAGES);
      localparam integer LAST_PAGE = PAGES - 1;
      reg [PAGES_W-1:0] count_q;
      wire              last_page = count_q == LAST_PAGE[PAGES_W-1:0];
      assign frame_end = at_end[0] && last_page;
      always @(posedge clk)
        if (rst) count_q <= {PAGES_W{1'b0}};
        else if (read) count_q <= last_page ? {PAGES_W{1'b0}} : count_q + 1'b1;
    end
  endgenerate

  // ---- from the address to the output ----
  reg              valid_1_q, valid_2_q, last_1_q, last_2_q;
  reg  [WIDTH-1:0] word_2_q;
  wire [WIDTH-1:0] word;
  wire             o_ready;
  wire             go = !valid_2_q || o_ready;

  assign issue = go && full_q != 2'd0;

  weir_ram #(
    .WIDTH(WIDTH),
    .DEPTH(2 * PAGE)
  ) u_ram (
    .clk  (clk),
    .we   (write),
    .waddr(write_at_q),
    .wdata(s_data),
    .re   (issue),
    .raddr(read_at),
    .q    (word)
  );

  always @(posedge clk) begin
    if (go) begin
      valid_1_q <= issue;
      last_1_q  <= frame_end;
      valid_2_q <= valid_1_q;
      last_2_q  <= last_1_q;
      word_2_q  <= word;
    end
    if (rst) begin
      valid_1_q <= 1'b0;
      valid_2_q <= 1'b0;
    end
  end

  weir_register_slice #(
    .WIDTH(WIDTH)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(valid_2_q),
    .s_ready(o_ready),
    .s_data (word_2_q),
    .s_last (last_2_q),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_frames #("weir_reorder", WIDTH, PAGES * PAGE,
      PAGES * SIZE_0 * SIZE_1 * SIZE_2 * SIZE_3 * SIZE_4 * SIZE_5) u_check (
    clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
