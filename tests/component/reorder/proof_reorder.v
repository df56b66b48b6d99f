// What two loops read of each page, from a record of all that has been taken: every beat in its place, none before its
// page is there, `last` at the end of a frame; the word being written is never read.
// sources: stream/weir_reorder.v memory/weir_nest.v memory/weir_ram.v stream/weir_register_slice.v
// define: WEIR_CHECK
// without: u_s_last
// prove: bounded 15 PAGES=1 PAGE=3 START=2 SIZE_A=1 STRIDE_A=0 SIZE_B=2 STRIDE_B=-2
// prove: bounded 15 PAGES=1 PAGE=4 START=0 SIZE_A=2 STRIDE_A=1 SIZE_B=2 STRIDE_B=2
// nightly: bounded 15 PAGES=2 PAGE=2 START=0 SIZE_A=2 STRIDE_A=0 SIZE_B=2 STRIDE_B=1
// nightly: bounded 14 PAGES=2 PAGE=1 START=0 SIZE_A=3 STRIDE_A=0 SIZE_B=1 STRIDE_B=0
// nightly: bounded 34 PAGES=1 PAGE=6 START=1 SIZE_A=2 STRIDE_A=1 SIZE_B=2 STRIDE_B=3
// faults: reorder/mutants.txt reorder/proof_faults.txt
// planted: nightly
module proof #(
  parameter integer PAGES    = 1,
  parameter integer PAGE     = 4,
  parameter integer START    = 0,
  parameter integer SIZE_A   = 2,
  parameter integer STRIDE_A = 1,
  parameter integer SIZE_B   = 2,
  parameter integer STRIDE_B = 2
) (
  input wire clk, s_valid, s_data, m_ready
);
  localparam integer AT_W = $clog2(2 * PAGE);
  localparam integer READ = SIZE_A * SIZE_B;

  wire        rst, s_ready, m_valid, m_last, m_data;
  wire [63:0] taken;
  wire [7:0]  count;
  reg  [7:0]  page_q, pages_q, a_q, b_q;
  (* hierconn *) wire \u_dut.u_ram.we , \u_dut.u_ram.re ;
  (* hierconn *) wire [AT_W-1:0] \u_dut.u_ram.waddr , \u_dut.u_ram.raddr ;

  weir_reorder #(
    .WIDTH   (1),
    .PAGES   (PAGES),
    .PAGE    (PAGE),
    .START   (START),
    .SIZE_4  (SIZE_A),
    .STRIDE_4(STRIDE_A),
    .SIZE_5  (SIZE_B),
    .STRIDE_5(STRIDE_B)
  ) u_dut (.*, .s_last(1'b0));

  wire       give  = m_valid && m_ready;
  wire [7:0] at    = page_q + START + a_q * STRIDE_A + b_q * STRIDE_B;  // of the record
  wire       b_end = b_q == SIZE_B - 1;
  wire       a_end = b_end && a_q == SIZE_A - 1;
  wire       end_  = a_end && pages_q == PAGES - 1;

  proof_record u_record (clk, rst, s_valid, s_ready, s_data, taken, count);

  always @(posedge clk)
    if (rst) {page_q, pages_q, a_q, b_q} <= 32'd0;
    else if (give) begin
      b_q <= b_end ? 8'd0 : b_q + 1'b1;
      if (b_end) a_q <= a_end ? 8'd0 : a_q + 1'b1;
      if (a_end) begin
        page_q  <= page_q + PAGE;
        pages_q <= end_ ? 8'd0 : pages_q + 1'b1;
      end
    end

  always @* if (!rst && m_valid) begin
    order: assert (at < count);
    values: assert (m_data == taken[at]);
    last: assert (m_last == end_);
  end

  always @* if (!rst && \u_dut.u_ram.we && \u_dut.u_ram.re ) no_collision: assert (\u_dut.u_ram.waddr != \u_dut.u_ram.raddr );

  proof_hold #(2) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  // While beats are offered and its own are taken, something is given, and a beat is taken.
  proof_answer #(PAGE + 5) u_given (clk, rst, s_valid && m_ready, m_valid);
  proof_answer #(READ + 5) u_taken (clk, rst, s_valid && m_ready, s_ready);
endmodule
