// weir_threshold: y = BASE + STEP * (number of thresholds t_i <= x, i < COUNT), lane by lane: any monotone staircase.
//
// The thresholds of a beat come as N = ceil(COUNT / PARALLEL) parameter words of LANES * PARALLEL signed values of T_W bits:
// threshold i of lane l is in word i / PARALLEL at index l * PARALLEL + i % PARALLEL. Missing ones are padded with the
// largest T_W value, which x never reaches.
// Latency:   COUNT <= PARALLEL ? 1 : ceil(COUNT / PARALLEL) + 1 cycles from acceptance.
// Interval:  ceil(COUNT / PARALLEL) cycles a beat.
// State:     the output slice; N > 1: also the beat, a count a lane, the number of the word.
// Mapping:   LANES * PARALLEL comparators and their population counts; no DSP block.
`default_nettype none

module weir_threshold #(
  parameter integer       LANES     = 1,
  parameter integer       IN_W      = 16,
  parameter integer       IN_SIGNED = 1,
  parameter integer       OUT_W     = 2,
  parameter integer       COUNT     = 3,
  parameter integer       PARALLEL  = 3,
  parameter integer       T_W       = 17,
  parameter signed [31:0] BASE      = 0,
  parameter signed [31:0] STEP      = 1
) (
  input  wire                          clk,
  input  wire                          rst,
  input  wire                          s_valid,
  output wire                          s_ready,
  input  wire [LANES*IN_W-1:0]         s_data,
  input  wire                          s_last,
  input  wire                          p_valid,
  output wire                          p_ready,
  input  wire [LANES*PARALLEL*T_W-1:0] p_data,
  output wire                          m_valid,
  input  wire                          m_ready,
  output wire [LANES*OUT_W-1:0]        m_data,
  output wire                          m_last
);
  localparam integer WORDS   = (COUNT + PARALLEL - 1) / PARALLEL;
  localparam integer X_W     = IN_SIGNED != 0 ? IN_W : IN_W + 1;
  localparam integer C_W     = X_W > T_W ? X_W : T_W;       // both sides of the comparison
  localparam integer COUNT_W = $clog2(COUNT + 1);

  generate
    if (LANES < 1 || IN_W < 1 || OUT_W < 1 || COUNT < 1 || PARALLEL < 1 || T_W < 1) begin : g_check
      weir_threshold_LANES_IN_W_OUT_W_COUNT_PARALLEL_and_T_W_must_be_at_least_1 u_error ();
    end
  endgenerate

  wire [LANES*IN_W-1:0]    x;      // the beat that meets this cycle's word
  wire [LANES*COUNT_W-1:0] count;  // thresholds passed in earlier words
  wire                     o_valid, o_ready, o_last;
  reg  [LANES*COUNT_W-1:0] total;  // and in this one
  reg  [LANES*OUT_W-1:0]   y;
  reg  [COUNT_W-1:0]       passed;
  reg  signed [C_W-1:0]    value, level;
  integer                  i, j;

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = s_valid && s_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      if (IN_SIGNED != 0) value = $signed(x[i*IN_W +: IN_W]);
      else value = x[i*IN_W +: IN_W];
      passed = count[i*COUNT_W +: COUNT_W];
      for (j = 0; j < PARALLEL; j = j + 1) begin
        level  = $signed(p_data[(i*PARALLEL + j)*T_W +: T_W]);
        passed = passed + (value >= level);
      end
      total[i*COUNT_W +: COUNT_W] = passed;
      y[i*OUT_W +: OUT_W]         = BASE + STEP * $signed({1'b0, passed});
    end
  /* verilator lint_on WIDTH */

  generate
    if (WORDS == 1) begin : g_parallel
      assign x       = s_data;
      assign count   = {(LANES*COUNT_W){1'b0}};
      assign o_valid = s_valid && p_valid;
      assign o_last  = s_last;
      assign s_ready = p_valid && o_ready;
      assign p_ready = s_valid && o_ready;

      /* verilator lint_off UNUSEDSIGNAL */ // the sum over several words is not needed
      wire [LANES*COUNT_W-1:0] unused_total = total;
      /* verilator lint_on UNUSEDSIGNAL */
    end else begin : g_serial
      localparam integer WORD_W = $clog2(WORDS);
      localparam integer LAST_WORD = WORDS - 1;

      reg                      busy_q, last_q;
      reg  [WORD_W-1:0]        word_q;
      reg  [LANES*IN_W-1:0]    x_q;
      reg  [LANES*COUNT_W-1:0] count_q;
      wire                     final_word = word_q == LAST_WORD[WORD_W-1:0];
      wire                     finish     = p_valid && p_ready && final_word;
      wire                     take       = s_valid && s_ready;

      assign x       = x_q;
      assign count   = count_q;
      assign o_valid = busy_q && p_valid && final_word;
      assign o_last  = last_q;
      assign p_ready = busy_q && (o_ready || !final_word);
      assign s_ready = !busy_q || finish;

      always @(posedge clk)
        if (rst) busy_q <= 1'b0;
        else if (take) busy_q <= 1'b1;
        else if (finish) busy_q <= 1'b0;

      always @(posedge clk)
        if (take) begin
          x_q     <= s_data;
          last_q  <= s_last;
          word_q  <= {WORD_W{1'b0}};
          count_q <= {(LANES*COUNT_W){1'b0}};
        end else if (p_valid && p_ready) begin
          word_q  <= word_q + 1'b1;
          count_q <= total;
        end
    end
  endgenerate

  weir_register_slice #(
    .WIDTH(LANES * OUT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(o_valid),
    .s_ready(o_ready),
    .s_data (y),
    .s_last (o_last),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
endmodule

`default_nettype wire
