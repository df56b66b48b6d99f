// weir_pipeline: the handshake around arithmetic that never stalls: the result of a beat arrives a fixed number of
// cycles later, whether there is room for it or not. So a beat is accepted only when a slot of the output buffer is
// free for it.
//
// The arithmetic reads the beat in the cycle with `take` high and drives its result on c_data LATENCY cycles later, for
// that cycle only.
// Latency:   LATENCY + 1 cycles.
// Interval:  INTERVAL cycles a beat.
// Clock:     rtl/README.md, Measured alone: weir_requantize.
// State:     cycles until the next beat may be accepted, slots of the buffer in use or reserved, the markers {valid,
//            last} of the beats in flight, the buffer.
// Invariant: beats in flight + beats in the buffer = used_q <= PLACES; s_ready is a function of registers.
// Mapping:   two small counters, two flip-flops a cycle of LATENCY - INTERVAL, weir_fifo.
`default_nettype none

module weir_pipeline #(
  parameter integer WIDTH    = 8,  // bits of a result
  parameter integer LATENCY  = 2,  // cycles of the arithmetic
  parameter integer INTERVAL = 1,  // cycles between two beats
  parameter integer SPREAD   = 0   // 1: the device has distributed RAM
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             s_valid,
  output wire             s_ready,
  input  wire             s_last,
  output wire             take,
  input  wire [WIDTH-1:0] c_data,
  output wire             m_valid,
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data,
  output wire             m_last
);
  localparam integer PLACES = (LATENCY + 1) / INTERVAL + 1;  // what is in flight or waits when nothing stalls
  localparam integer USED_W = $clog2(PLACES + 1);
  localparam integer DELAY  = LATENCY - INTERVAL + 1;        // cycles from the end of a beat's interval to its result
  localparam integer FULL   = PLACES - 1;

  generate
    if (WIDTH < 1 || INTERVAL < 1) begin : g_check_sizes
      weir_pipeline_WIDTH_and_INTERVAL_must_be_at_least_1 u_error ();
    end
    if (LATENCY < INTERVAL) begin : g_check_latency
      weir_pipeline_LATENCY_must_be_at_least_INTERVAL u_error ();
    end
  endgenerate

  reg  [USED_W-1:0]  used_q;
  reg                full_q;
  reg  [2*DELAY-1:0] line_q;  // {last, valid} of a beat, the newest in the low bits
  wire               pop = m_valid && m_ready;
  wire               idle, ended, ended_last;

  assign s_ready = idle && !full_q;
  assign take    = s_valid && s_ready;

  always @(posedge clk)
    if (rst) begin
      used_q <= {USED_W{1'b0}};
      full_q <= 1'b0;
    end else if (take != pop) begin
      used_q <= take ? used_q + 1'b1 : used_q - 1'b1;
      full_q <= take && used_q == FULL[USED_W-1:0];
    end

  generate
    if (INTERVAL == 1) begin : g_each_cycle
      assign idle       = 1'b1;
      assign ended      = take;
      assign ended_last = s_last;
    end else begin : g_interval
      localparam integer STEP_W = $clog2(INTERVAL);
      localparam integer TOP    = INTERVAL - 1;
      localparam integer ONE    = 1;

      reg [STEP_W-1:0] step_q;  // cycles until the next beat may be accepted
      reg              idle_q, last_q;

      assign idle       = idle_q;
      assign ended      = step_q == ONE[STEP_W-1:0];
      assign ended_last = last_q;

      always @(posedge clk)
        if (rst) begin
          step_q <= {STEP_W{1'b0}};
          idle_q <= 1'b1;
        end else if (take) begin
          step_q <= TOP[STEP_W-1:0];
          idle_q <= 1'b0;
        end else if (!idle_q) begin
          step_q <= step_q - 1'b1;
          idle_q <= ended;
        end

      always @(posedge clk) if (take) last_q <= s_last;
    end

    if (DELAY == 1) begin : g_line_one
      always @(posedge clk)
        if (rst) line_q <= 2'b0;
        else line_q <= {ended_last, ended};
    end else begin : g_line
      always @(posedge clk)
        if (rst) line_q <= {(2*DELAY){1'b0}};
        else line_q <= {line_q[2*DELAY-3:0], ended_last, ended};
    end
  endgenerate

  /* verilator lint_off PINCONNECTEMPTY */ // there is always room
  weir_fifo #(
    .WIDTH (WIDTH),
    .DEPTH (PLACES),
    .SPREAD(SPREAD)
  ) u_results (
    .clk    (clk),
    .rst    (rst),
    .s_valid(line_q[2*DELAY-2]),
    .s_ready(),
    .s_data (c_data),
    .s_last (line_q[2*DELAY-1]),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
  /* verilator lint_on PINCONNECTEMPTY */

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  reg [USED_W-1:0] check_results_q;  // in the buffer

  always @(posedge clk)
    if (rst) check_results_q <= {USED_W{1'b0}};
    else if (line_q[2*DELAY-2] != pop) check_results_q <= pop ? check_results_q - 1'b1 : check_results_q + 1'b1;

  weir_check #("weir_pipeline", "a beat is taken without a place for its result") u_check_room (
    clk, rst, used_q != PLACES[USED_W-1:0] || !take);
  weir_check #("weir_pipeline", "a result finds no place") u_check_kept (
    clk, rst, check_results_q != PLACES[USED_W-1:0] || !line_q[2*DELAY-2]);
`endif
endmodule

`default_nettype wire
