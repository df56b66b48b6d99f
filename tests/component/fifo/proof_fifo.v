// sources: stream/weir_fifo.v memory.v
// define: WEIR_CHECK
// prove: unbounded WIDTH=1 DEPTH=2
// prove: unbounded WIDTH=2 DEPTH=3
// prove: unbounded WIDTH=1 DEPTH=5
// prove: unbounded WIDTH=1 DEPTH=3 SPREAD=1
// prove: unbounded WIDTH=1 DEPTH=4 SPREAD=1
// prove: induction 3 WIDTH=1 DEPTH=33
// prove: bounded 12 WIDTH=1 DEPTH=34 REGISTERED=1
// nightly: induction 3 WIDTH=1 DEPTH=40
// nightly: induction 3 WIDTH=2 DEPTH=300
// nightly: unbounded WIDTH=1 DEPTH=32
// nightly: induction 3 WIDTH=9 DEPTH=1025
// planted: nightly
module proof #(
  parameter integer WIDTH      = 1,
  parameter integer DEPTH      = 2,
  parameter integer SPREAD     = 0,
  parameter integer REGISTERED = 0
) (
  input wire             clk, s_valid,
  input wire [WIDTH-1:0] s_data,
  input wire             s_last, m_ready
);
  localparam integer ADDR_W = $clog2(DEPTH - 1 - REGISTERED) + 1 - (DEPTH > 2);

  localparam integer LEVEL_W = $clog2(DEPTH + 1);

  wire             rst, s_ready, m_valid, m_last, mark;
  wire [WIDTH-1:0] m_data;
  (* hierconn *) wire [ADDR_W-1:0] \u_dut.genblk4.g_memory.u_ram.waddr , \u_dut.genblk4.g_memory.u_ram.watched , \u_dut.genblk4.g_memory.raddr_q , \u_dut.genblk4.g_memory.waddr_q ;
  (* hierconn *) wire \u_dut.genblk4.g_memory.valid_q , \u_stream.u_order.waits_q ;
  (* hierconn *) wire [LEVEL_W-1:0] \u_dut.level ;
  (* hierconn *) wire [$clog2(DEPTH+2)-1:0] \u_stream.u_order.ahead_q , \u_stream.inside ;
  (* hierconn *) wire [WIDTH:0] \u_stream.u_order.value_q , \u_dut.genblk4.g_memory.u_ram.word_q ;

  weir_fifo #(
    .WIDTH     (WIDTH),
    .DEPTH     (DEPTH),
    .SPREAD    (SPREAD),
    .REGISTERED(REGISTERED)
  ) u_dut (.*);

  proof_reset u_reset (clk, rst);
  proof_stream #(
    .S_WIDTH (WIDTH + 1),
    .M_WIDTH (WIDTH + 1),
    .CAPACITY(DEPTH),
    .LATENCY (DEPTH > 32 ? 1 + REGISTERED : 0),
    .STALL   (1)
  ) u_stream (
    .*,
    .fair    (1'b1),
    .s_value ({s_last, s_data}),
    .expected({s_last, s_data}),
    .m_value ({m_last, m_data})
  );

  // What the induction needs to know of the memory: where its words begin and end, and where the marked one is.
  always @* if (DEPTH > 32 && mark) assume (\u_dut.genblk4.g_memory.u_ram.waddr == \u_dut.genblk4.g_memory.u_ram.watched );

  generate
    if (DEPTH > 32) begin : g_memory
      localparam [ADDR_W:0] WORDS = DEPTH - 1;

      wire [ADDR_W:0] stored = \u_dut.level - \u_dut.genblk4.g_memory.valid_q ;
      wire [ADDR_W:0] ahead = \u_stream.u_order.ahead_q - \u_dut.genblk4.g_memory.valid_q ;
      wire [ADDR_W:0] tail = \u_dut.genblk4.g_memory.raddr_q + stored;
      wire [ADDR_W:0] place = \u_dut.genblk4.g_memory.raddr_q + ahead;

      always @* if (!rst && REGISTERED == 0) begin
        assert (\u_dut.level == \u_stream.inside );
        assert (\u_dut.level <= DEPTH && \u_dut.level >= \u_dut.genblk4.g_memory.valid_q );
        assert (\u_dut.genblk4.g_memory.valid_q || \u_dut.level <= 1);
        assert (\u_dut.genblk4.g_memory.raddr_q < WORDS && \u_dut.genblk4.g_memory.waddr_q < WORDS);
        assert (\u_dut.genblk4.g_memory.waddr_q == tail || \u_dut.genblk4.g_memory.waddr_q + WORDS == tail);
        if (\u_stream.u_order.waits_q ) begin
          assert (\u_stream.u_order.ahead_q < \u_stream.inside );
          if (\u_dut.genblk4.g_memory.valid_q && \u_stream.u_order.ahead_q == 0) assert ({m_last, m_data} == \u_stream.u_order.value_q );
          else begin
            assert (\u_dut.genblk4.g_memory.u_ram.watched < WORDS);
            assert (\u_dut.genblk4.g_memory.u_ram.watched == place || \u_dut.genblk4.g_memory.u_ram.watched + WORDS == place);
            assert (\u_dut.genblk4.g_memory.u_ram.word_q == \u_stream.u_order.value_q );
          end
        end
      end
    end
  endgenerate
endmodule
