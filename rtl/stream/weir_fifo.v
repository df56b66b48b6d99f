// weir_fifo: first-in first-out buffer of exactly DEPTH beats, first word falls through.
//
// Latency:   DEPTH <= 32 ? 1 : 2 + REGISTERED cycles through an empty buffer (2: memory write, then read).
// Interval:  1 cycle a beat at any depth; s_ready and m_valid are functions of registers only.
// Clock:     rtl/README.md, Measured alone: weir_fifo.
// State:     `level`, the beats held, output register included (benches read it by its hierarchical name), and the
//            beats.
// Invariant: 0 <= level <= DEPTH; the memory is read only at words written at an earlier edge and never at the word
//            being written.
// Mapping:   DEPTH <= 32: a shift register whose head is the output, DEPTH * (WIDTH + 2) flip-flops with one 2:1
//            multiplexer each (the level in unary beside it), or with SPREAD distributed RAM, which is read
//            asynchronously; larger: one weir_ram of words of WIDTH + 1 bits (block RAM), whose read register, and with
//            REGISTERED the output register, hold the last words of the capacity.
`default_nettype none

module weir_fifo #(
  parameter integer WIDTH      = 8,  // bits of a beat
  parameter integer DEPTH      = 2,  // capacity in beats
  parameter integer SPREAD     = 0,  // 1: the device has distributed RAM
  parameter integer REGISTERED = 0   // 1: a register after the memory's own, for the clock
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             s_valid,
  output wire             s_ready,
  input  wire [WIDTH-1:0] s_data,
  input  wire             s_last,
  output wire             m_valid,
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data,
  output wire             m_last
);
  localparam integer LEVEL_W = $clog2(DEPTH + 1);
  localparam integer SLOT_W  = WIDTH + 1;  // {last, data}

  generate
    if (WIDTH < 1) begin : g_check_width
      weir_fifo_WIDTH_must_be_at_least_1 u_error ();
    end
    if (DEPTH < 2) begin : g_check_depth
      weir_fifo_DEPTH_must_be_at_least_2 u_error ();
    end
    if (REGISTERED != 0 && REGISTERED != 1) begin : g_check_registered
      weir_fifo_REGISTERED_must_be_0_or_1 u_error ();
    end
  endgenerate

  reg  [LEVEL_W-1:0] level;
  wire               push = s_valid && s_ready;
  wire               pop  = m_valid && m_ready;
  wire               full;

  assign s_ready = !full;

  always @(posedge clk)
    if (rst) level <= {LEVEL_W{1'b0}};
    else if (push && !pop) level <= level + 1'b1;
    else if (pop && !push) level <= level - 1'b1;

  generate
    if (DEPTH > 2 && DEPTH <= 32 && SPREAD != 0) begin : g_spread
      localparam integer ADDR_W = $clog2(DEPTH);

      (* ram_style = "distributed", no_rw_check *) reg [SLOT_W-1:0] mem [0:(1<<ADDR_W)-1];
      reg [ADDR_W-1:0] waddr_q, raddr_q;

      assign full             = level == DEPTH[LEVEL_W-1:0];
      assign m_valid          = level != {LEVEL_W{1'b0}};
      assign {m_last, m_data} = mem[raddr_q];

      always @(posedge clk) begin
        if (push) mem[waddr_q] <= {s_last, s_data};
        if (rst) begin
          waddr_q <= {ADDR_W{1'b0}};
          raddr_q <= {ADDR_W{1'b0}};
        end else begin
          if (push) waddr_q <= waddr_q + 1'b1;
          if (pop) raddr_q <= raddr_q + 1'b1;
        end
      end
    end else if (DEPTH <= 32) begin : g_registers
      // The level in unary: bit i says that slot i holds a beat. A function of the level would be synthesized again for
      // each bit of a word, where lookup tables are joined to larger ones.
      reg [DEPTH-1:0] holds_q;

      assign full    = holds_q[DEPTH-1];
      assign m_valid = holds_q[0];

      always @(posedge clk)
        if (rst) holds_q <= {DEPTH{1'b0}};
        else if (push && !pop) holds_q <= {holds_q[DEPTH-2:0], 1'b1};
        else if (pop && !push) holds_q <= {1'b0, holds_q[DEPTH-1:1]};

      // A register a slot: a simulator would take one of all slots apart and put it together.
      // A pop moves every slot down by one. The newcomer lands in the first slot that holds none, or in the last that
      // does together with a pop: in both cases the first one that moves below an empty one; slots above it may take
      // anything.
      genvar i;
      for (i = 0; i < DEPTH; i = i + 1) begin : g_slot  // slot 0 is the head
        reg  [SLOT_W-1:0] slot_q;
        wire [SLOT_W-1:0] next;
        wire              first;  // of those that hold none

        if (i + 1 < DEPTH) begin : g_lower
          assign next = holds_q[i+1] ? g_slot[i+1].slot_q : {s_last, s_data};
        end else begin : g_top
          assign next = {s_last, s_data};
        end
        if (i > 0) begin : g_upper
          assign first = holds_q[i-1] && !holds_q[i];
        end else begin : g_head
          assign first = !holds_q[i];
        end
        always @(posedge clk) if (push || pop) if (pop || first) slot_q <= next;
      end

      assign {m_last, m_data} = g_slot[0].slot_q;
    end else begin : g_memory
      localparam integer WORDS  = DEPTH - 1 - REGISTERED;
      localparam integer ADDR_W = $clog2(WORDS);
      localparam integer TOP = WORDS - 1;

      reg               valid_q;  // the memory's read register holds a word
      reg  [ADDR_W-1:0] waddr_q, raddr_q;
      wire [1:0]        ahead;    // words after the memory
      wire              leave;    // what has been read may leave
      wire [SLOT_W-1:0] word;
      wire              stored = level != {{(LEVEL_W-2){1'b0}}, ahead};  // the memory holds a word
      wire              fetch  = stored && (leave || !valid_q);

      assign full = level == DEPTH[LEVEL_W-1:0];

      always @(posedge clk)
        if (rst) begin
          valid_q <= 1'b0;
          waddr_q <= {ADDR_W{1'b0}};
          raddr_q <= {ADDR_W{1'b0}};
        end else begin
          if (fetch) valid_q <= 1'b1;
          else if (leave) valid_q <= 1'b0;
          if (push) waddr_q <= waddr_q == TOP[ADDR_W-1:0] ? {ADDR_W{1'b0}} : waddr_q + 1'b1;
          if (fetch) raddr_q <= raddr_q == TOP[ADDR_W-1:0] ? {ADDR_W{1'b0}} : raddr_q + 1'b1;
        end

      weir_ram #(
        .WIDTH(SLOT_W),
        .DEPTH(WORDS)
      ) u_ram (
        .clk  (clk),
        .we   (push),
        .waddr(waddr_q),
        .wdata({s_last, s_data}),
        .re   (fetch),
        .raddr(raddr_q),
        .q    (word)
      );

      if (REGISTERED == 0) begin : g_direct
        assign ahead            = {1'b0, valid_q};
        assign leave            = m_ready;
        assign m_valid          = valid_q;
        assign {m_last, m_data} = word;
      end else begin : g_registered
        reg              output_valid_q;
        reg [SLOT_W-1:0] output_q;

        assign ahead            = {1'b0, valid_q} + {1'b0, output_valid_q};
        assign leave            = m_ready || !output_valid_q;
        assign m_valid          = output_valid_q;
        assign {m_last, m_data} = output_q;

        always @(posedge clk)
          if (rst) output_valid_q <= 1'b0;
          else if (leave) output_valid_q <= valid_q;

        always @(posedge clk) if (leave) output_q <= word;
      end
    end
  endgenerate

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_hold #("weir_fifo", "the source withdrew or changed a waiting beat", WIDTH + 1) u_check_source (
    clk, rst, s_valid, s_ready, {s_last, s_data});
  weir_check_hold #("weir_fifo", "a waiting beat was withdrawn or changed", WIDTH + 1) u_check_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
  weir_check #("weir_fifo", "a beat is taken while DEPTH are held") u_check_over (
    clk, rst, level != DEPTH[LEVEL_W-1:0] || !push);
  weir_check #("weir_fifo", "a beat is given while none is held") u_check_under (
    clk, rst, level != {LEVEL_W{1'b0}} || !pop);
`endif
endmodule

`default_nettype wire
