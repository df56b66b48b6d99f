// Cases of tests/e2e/rtl_timing.sh: each module alone, its latency and interval against the macros MODULE_Latency and
// MODULE_Interval (formulas in its parameters), its data against what went in. Half of the run never stalls and is
// timed.
`timescale 1ns / 1ns

// What a case has found: `check` counts and says which module is wrong; each case must come to time an interval.
`define REPORT(MODULE) \
  integer checks = 0, wrong = 0, time_q = 0; \
  reg timed = 0; \
  always @(posedge clk) begin \
    time_q <= time_q + 1; \
    if (time_q == 1900) check(9, timed, 1); \
  end \
  task timed_check(input integer number, input [63:0] found, input [63:0] expected); \
    begin \
      timed = 1; \
      check(number, found, expected); \
    end \
  endtask \
  task check(input integer number, input [63:0] found, input [63:0] expected); \
    begin \
      checks = checks + 1; \
      if (found !== expected) begin \
        wrong = wrong + 1; \
        if (wrong < 4) $display("wrong: %s: check %0d: found %0d, expected %0d", MODULE, number, found, expected); \
      end \
    end \
  endtask

`define FUNCTIONS \
  function integer min(input integer a, input integer b); min = a < b ? a : b; endfunction \
  function integer max(input integer a, input integer b); max = a > b ? a : b; endfunction

// Addresses one behind the other: the word of each after the latency.
module rom_case #(
  parameter         STYLE      = "block",
  parameter integer REGISTERED = 0
) (
  input wire clk
);
  localparam integer LATENCY  = `weir_rom_Latency;
  localparam integer INTERVAL = `weir_rom_Interval;
  `REPORT("weir_rom")
  reg  [5:0] addr = 0;
  wire [7:0] q;
  integer    first = -1;
  weir_rom #(.WIDTH(8), .DEPTH(64), .INIT("words_64.hex"), .STYLE(STYLE), .REGISTERED(REGISTERED))
    u_dut (.clk(clk), .en(1'b1), .addr(addr), .q(q));
  always @(posedge clk) begin
    addr <= addr + 1;
    if (first < 0 && time_q > 3 && q === 8'd11) begin
      first = time_q;
      check(1, time_q, 64 + LATENCY);  // word 0 for the second time
    end
    if (first >= 0 && time_q < 250) check(2, q, ((time_q - LATENCY) % 64 * 37 + 11) % 256);
    if (first >= 0 && q === 8'd11 && time_q > first) begin
      timed_check(3, time_q - first, 64 * INTERVAL);
      first = time_q;
    end
  end
endmodule

// Two such memories at once, B of 5 words behind A's 64 and with registers as A has none: each as weir_rom.
module rom_pair_case (
  input wire clk
);
  localparam integer A_REGISTERED = 0;
  localparam integer LATENCY  = `weir_rom_pair_Latency;
  localparam integer INTERVAL = `weir_rom_pair_Interval;
  localparam integer B_LATENCY = LATENCY + 1;
  `REPORT("weir_rom_pair")
  reg  [5:0] a_addr = 0;
  reg  [2:0] b_addr = 0;
  wire [7:0] a_q, b_q;
  integer    first = -1;
  weir_rom_pair #(.A_WIDTH(8), .A_DEPTH(64), .A_INIT("words_64.hex"), .A_REGISTERED(A_REGISTERED),
                  .B_WIDTH(8), .B_DEPTH(5), .B_INIT("words_5.hex"), .B_REGISTERED(1))
    u_dut (.clk(clk), .a_en(1'b1), .a_addr(a_addr), .a_q(a_q), .b_en(1'b1), .b_addr(b_addr), .b_q(b_q));
  always @(posedge clk) begin
    a_addr <= a_addr + 1;
    b_addr <= b_addr == 4 ? 3'd0 : b_addr + 3'd1;
    if (first < 0 && time_q > 3 && a_q === 8'd11) begin
      first = time_q;
      check(1, time_q, 64 + LATENCY);  // word 0 for the second time
    end
    if (first >= 0 && time_q < 250) check(2, a_q, ((time_q - LATENCY) % 64 * 37 + 11) % 256);
    if (first >= 0 && time_q < 250) check(4, b_q, ((time_q - B_LATENCY) % 5 * 37 + 11) % 256);
    if (first >= 0 && a_q === 8'd11 && time_q > first) begin
      timed_check(3, time_q - first, 64 * INTERVAL);
      first = time_q;
    end
  end
endmodule

module ram_case (
  input wire clk
);
  localparam integer LATENCY  = `weir_ram_Latency;
  localparam integer INTERVAL = `weir_ram_Interval;
  `REPORT("weir_ram")
  wire       fill = time_q < 16;
  wire [7:0] q;
  integer    first = -1;
  weir_ram #(.WIDTH(8), .DEPTH(16)) u_dut
    (.clk(clk), .we(fill), .waddr(time_q[3:0]), .wdata(8'd100 + time_q[7:0]), .re(!fill), .raddr(time_q[3:0]), .q(q));
  always @(posedge clk) begin
    if (time_q >= 16 + LATENCY) check(2, q, 100 + (time_q - LATENCY) % 16);
    if (time_q > 16 && q === 8'd100) begin
      if (first < 0) check(1, time_q - 16, LATENCY);
      else timed_check(3, time_q - first, 16 * INTERVAL);
      first = time_q;
    end
  end
endmodule

module rom_source_case #(
  parameter integer DEPTH    = 5,
  parameter         INIT     = "words_5.hex",
  parameter         STYLE    = "block",
  parameter integer INTERVAL = 1,
  parameter integer REGISTERED = 0
) (
  input wire clk
);
  `FUNCTIONS
  localparam integer LATENCY = `weir_rom_source_Latency;
  localparam integer SPACING = `weir_rom_source_Interval;
  `REPORT("weir_rom_source")
  reg         rst = 1, m_ready = 1;
  reg  [15:0] random = 16'hace1;
  wire        m_valid;
  wire [7:0]  m_data;
  reg         held = 0;
  integer     words = 0, since = 0, first = 0;
  weir_rom_source #(.WIDTH(8), .DEPTH(DEPTH), .INIT(INIT), .STYLE(STYLE), .INTERVAL(INTERVAL), .REGISTERED(REGISTERED))
    u_dut (.clk(clk), .rst(rst), .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data));
  always @(posedge clk) begin
    rst     <= time_q < 3;
    random  <= {random[14:0], random[15] ^ random[13] ^ random[12] ^ random[10]};
    m_ready <= time_q < 150 || random[0];
    if (!rst) since = since + 1;
    if (!rst && m_valid) begin
      if (words == 0 && !held) check(1, since, LATENCY);
      check(2, m_data, ((words % DEPTH) * 37 + 11) % 256);
      if (m_ready) begin
        words = words + 1;
        if (words == 1) first = time_q;
        if (words == 33) timed_check(3, time_q - first, 32 * SPACING);
      end
    end
    if (!rst && held) check(4, m_valid, 1);
    held = !rst && m_valid && !m_ready;
  end
endmodule

module replay_case #(
  parameter integer BEATS      = 3,
  parameter integer TIMES      = 2,
  parameter integer REGISTERED = 0
) (
  input wire clk
);
  localparam integer LATENCY  = `weir_replay_Latency;
  localparam integer INTERVAL = `weir_replay_Interval;
  `REPORT("weir_replay")
  reg         rst = 1, m_ready = 1, s_valid = 0;
  reg  [15:0] random = 16'hbeef;
  wire        s_ready, m_valid, m_last;
  wire [7:0]  m_data;
  reg  [7:0]  s_data = 0;
  integer     given = 0, taken = 0, row = 0, beat = 0, repetition = 0, first = 0, entry = -1;
  weir_replay #(.WIDTH(8), .BEATS(BEATS), .TIMES(TIMES), .REGISTERED(REGISTERED)) u_dut
    (.clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .s_last(s_data / BEATS % 2 == 1),
     .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data), .m_last(m_last));
  always @(posedge clk) begin
    rst     <= time_q < 3;
    random  <= {random[14:0], random[15] ^ random[13] ^ random[12] ^ random[10]};
    m_ready <= time_q < 600 || random[0];
    if (!s_valid || s_ready) s_valid <= !rst && (time_q < 600 || random[3]);
    if (!rst && s_valid && s_ready) begin
      s_data <= (s_data + 1) % (16 * BEATS < 240 ? 16 * BEATS : 2 * BEATS);
      if (entry < 0) entry = time_q;
    end
    if (!rst && m_valid) begin
      if (taken == 0 && given == 0) begin
        check(1, time_q - entry, LATENCY);
        given = 1;
      end
      check(2, m_data, (row * BEATS + beat) % (16 * BEATS < 240 ? 16 * BEATS : 2 * BEATS));
      check(4, m_last, beat == BEATS - 1 && repetition == TIMES - 1 && row % 2 == 1);
      if (m_ready) begin
        if (taken == 2 * BEATS * TIMES) first = time_q;
        if (taken == 4 * BEATS * TIMES) timed_check(5, time_q - first, 2 * BEATS * INTERVAL);
        taken = taken + 1;
        beat  = beat + 1;
        if (beat == BEATS) begin
          beat       = 0;
          repetition = repetition + 1;
        end
        if (repetition == TIMES) begin
          repetition = 0;
          row        = row + 1;
        end
      end
    end
  end
endmodule

module join_case (
  input wire clk
);
  localparam integer LATENCY  = `weir_join_Latency;
  localparam integer INTERVAL = `weir_join_Interval;
  `REPORT("weir_join")
  reg         a_valid = 0, b_valid = 0, m_ready = 1;
  reg  [15:0] random = 16'h1234;
  reg  [7:0]  a = 0;
  reg  [4:0]  b = 0;
  wire        a_ready, b_ready, m_valid, m_last;
  wire [12:0] m_data;
  integer     both = -1, seen = 0, taken = 0, first = 0;
  weir_join #(.A_WIDTH(8), .B_WIDTH(5)) u_dut
    (.s_a_valid(a_valid), .s_a_ready(a_ready), .s_a_data(a), .s_a_last(a[1:0] == 3), .s_b_valid(b_valid), .s_b_ready(b_ready),
     .s_b_data(b), .s_b_last(b[1:0] == 3), .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data), .m_last(m_last));
  always @(posedge clk) begin
    random  <= {random[14:0], random[15] ^ random[13] ^ random[12] ^ random[10]};
    m_ready <= time_q < 300 || random[0];
    if (!a_valid || a_ready) a_valid <= time_q > 2 && (time_q < 300 || random[2]);
    if (!b_valid || b_ready) b_valid <= time_q > 5 && (time_q < 300 || random[5]);
    if (a_valid && a_ready) a <= a + 1;
    if (b_valid && b_ready) b <= b + 1;
    if (both < 0 && a_valid && b_valid) both = time_q;
    check(1, a_valid && a_ready, b_valid && b_ready);
    if (m_valid) begin
      if (seen == 0) check(2, time_q - both, LATENCY);
      seen = 1;
      check(3, m_data, {taken[4:0], taken[7:0]});
      check(4, m_last, taken % 4 == 3);
      if (m_ready) begin
        if (taken == 10) first = time_q;
        if (taken == 110) timed_check(5, time_q - first, 100 * INTERVAL);
        taken = taken + 1;
      end
    end
  end
endmodule

module bench;
  reg clk = 0;
  always #5 clk = !clk;

  rom_case #(.STYLE("block")) u_rom_0 (clk);
  rom_case #(.STYLE("logic"), .REGISTERED(1)) u_rom_1 (clk);
  rom_case #(.STYLE("auto"), .REGISTERED(1)) u_rom_2 (clk);
  rom_pair_case u_rom_pair (clk);
  ram_case u_ram (clk);
  rom_source_case #(.DEPTH(1), .INIT("words_1.hex"), .STYLE("logic")) u_source_0 (clk);
  rom_source_case #(.DEPTH(2), .INIT("words_2.hex"), .STYLE("block")) u_source_1 (clk);
  rom_source_case #(.DEPTH(64), .INIT("words_64.hex"), .STYLE("auto")) u_source_2 (clk);
  rom_source_case #(.DEPTH(5), .INIT("words_5.hex"), .STYLE("block"), .INTERVAL(2)) u_source_3 (clk);
  rom_source_case #(.DEPTH(5), .INIT("words_5.hex"), .STYLE("logic")) u_source_4 (clk);
  rom_source_case #(.DEPTH(3), .INIT("words_3.hex"), .STYLE("logic"), .INTERVAL(7)) u_source_5 (clk);
  rom_source_case #(.DEPTH(64), .INIT("words_64.hex"), .STYLE("block"), .REGISTERED(1)) u_source_6 (clk);
  replay_case #(.BEATS(1), .TIMES(1)) u_replay_0 (clk);
  replay_case #(.BEATS(4), .TIMES(1)) u_replay_1 (clk);
  replay_case #(.BEATS(1), .TIMES(3)) u_replay_2 (clk);
  replay_case #(.BEATS(5), .TIMES(2)) u_replay_3 (clk);
  replay_case #(.BEATS(40), .TIMES(3)) u_replay_4 (clk);
  replay_case #(.BEATS(40), .TIMES(3), .REGISTERED(1)) u_replay_5 (clk);
  join_case u_join (clk);

  wire [31:0] checks = u_rom_0.checks + u_rom_1.checks + u_rom_2.checks + u_rom_pair.checks + u_ram.checks + u_source_0.checks + u_source_1.checks +
                       u_source_2.checks + u_source_3.checks + u_source_4.checks + u_source_5.checks + u_source_6.checks + u_replay_0.checks +
                       u_replay_1.checks + u_replay_2.checks + u_replay_3.checks + u_replay_4.checks + u_replay_5.checks + u_join.checks;
  wire [31:0] wrong = u_rom_0.wrong + u_rom_1.wrong + u_rom_2.wrong + u_rom_pair.wrong + u_ram.wrong + u_source_0.wrong + u_source_1.wrong +
                      u_source_2.wrong + u_source_3.wrong + u_source_4.wrong + u_source_5.wrong + u_source_6.wrong + u_replay_0.wrong +
                      u_replay_1.wrong + u_replay_2.wrong + u_replay_3.wrong + u_replay_4.wrong + u_replay_5.wrong + u_join.wrong;

  initial begin
    #20001;
    if (wrong == 0) $display("all %0d checks hold", checks);
    $finish;
  end
endmodule
