// weir_threshold: y = BASE + STEP * (number of thresholds t_i <= x, i < COUNT), lane by lane: any monotone staircase.
//
// The thresholds of a beat ascend and come as N = ceil(COUNT / PARALLEL) parameter words of LANES * PARALLEL signed
// values of T_W bits: threshold i of lane l is in word i / PARALLEL at index l * PARALLEL + i % PARALLEL. Missing ones
// are padded with the largest T_W value, which x never reaches.
// Latency:   (COUNT <= PARALLEL ? 2 : ceil(COUNT / PARALLEL) + 2) + ceil((clog2(PARALLEL + 1) - 1) / 2) cycles from
//            acceptance.
// Interval:  ceil(COUNT / PARALLEL) cycles a beat.
// Clock:     rtl/README.md, Measured alone: weir_threshold.
// State:     the comparisons of a word, those that remain in each stage of the search, the output slice; N > 1: also
//            the beat, a sum a lane, the index of the word.
// Invariant: a word's comparisons are ones below zeros, because thresholds ascend: bisection counts them, two bits a
//            stage (three in the first one of an odd number), without an adder.
// Mapping:   LANES * PARALLEL comparators, a multiplexer each; one carry chain between registers if STEP is a power of
//            two.
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
  localparam integer WORDS  = (COUNT + PARALLEL - 1) / PARALLEL;
  localparam integer X_W    = IN_SIGNED != 0 ? IN_W : IN_W + 1;
  localparam integer C_W    = X_W > T_W ? X_W : T_W;       // both sides of the comparison
  localparam integer BITS   = $clog2(PARALLEL + 1);        // of the number of a word's thresholds that are reached
  localparam integer STAGES = BITS / 2;                    // of the search
  localparam integer SPAN   = (1 << BITS) - 1;             // comparisons of a lane, padded with zeros
  /* verilator lint_off WIDTH */ // extension or truncation is meant
  localparam signed [OUT_W-1:0] START = BASE;
  /* verilator lint_on WIDTH */

  generate
    if (LANES < 1 || IN_W < 1 || OUT_W < 1 || COUNT < 1 || PARALLEL < 1 || T_W < 1) begin : g_check
      weir_threshold_LANES_IN_W_OUT_W_COUNT_PARALLEL_and_T_W_must_be_at_least_1 u_error ();
    end
  endgenerate

  // Flags of the word in each stage: bit 0 with the comparisons, bit i after stage i of the search.
  reg  [STAGES:0]        valid_q, first_q, final_q, last_q;
  wire [STAGES:0]        open;    // takes the beat before it
  wire [LANES*IN_W-1:0]  x;       // the beat that meets this cycle's word
  wire                   take;    // a word meets its beat
  wire                   first, final_word, last;
  wire                   o_ready;
  wire                   o_valid = valid_q[STAGES] && final_q[STAGES];
  wire                   leave   = o_ready || !final_q[STAGES];

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = s_valid && s_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  // ---- comparisons ----
  // x - t < 0 is the sign of a difference: the end of a carry chain.
  reg  [LANES*SPAN-1:0] below, below_q;
  wire [LANES*SPAN-1:0] reached_q = ~below_q;
  reg  signed [C_W-1:0] value, level;
  reg  signed [C_W:0]   difference;
  integer               i, j;

  /* verilator lint_off WIDTH */ // extension by assignment is meant
  always @* begin
    below = {(LANES*SPAN){1'b1}};
    for (i = 0; i < LANES; i = i + 1) begin
      if (IN_SIGNED != 0) value = $signed(x[i*IN_W +: IN_W]);
      else value = x[i*IN_W +: IN_W];
      for (j = 0; j < PARALLEL; j = j + 1) begin
        level             = $signed(p_data[(i*PARALLEL + j)*T_W +: T_W]);
        difference        = value - level;
        below[i*SPAN + j] = difference[C_W];
      end
    end
  end
  /* verilator lint_on WIDTH */

  always @(posedge clk) begin
    if (open[0]) begin
      first_q[0] <= first;
      final_q[0] <= final_word;
      last_q[0]  <= last;
      below_q    <= below;
    end
    if (rst) valid_q[0] <= 1'b0;
    else if (open[0]) valid_q[0] <= take;
  end

  // ---- the search: the upper bits of the number, and the comparisons that decide the others ----
  genvar g;
  generate
    for (g = 0; g <= STAGES; g = g + 1) begin : g_open
      assign open[g] = leave || !(&valid_q[STAGES:g]);
    end
    for (g = 0; g <= STAGES; g = g + 1) begin : g_stage
      localparam integer LEFT  = BITS == 1 ? 1 : 2 * (STAGES - g);      // bits not known yet
      localparam integer KNOWN = BITS - LEFT;
      localparam integer REST  = LEFT > 0 ? (1 << LEFT) - 1 : 1;
      /* verilator lint_off UNUSEDSIGNAL */ // nothing is left after the last stage, nothing is known before the first
      wire [LANES*REST-1:0]                    rest;
      wire [LANES*(KNOWN > 0 ? KNOWN : 1)-1:0] known;
      /* verilator lint_on UNUSEDSIGNAL */
      if (g == 0) begin : g_first
        if (KNOWN == 0) begin : g_all
          assign rest  = reached_q;
          assign known = {LANES{1'b0}};
        end else begin : g_odd
          // The first bit of an odd number of them is known immediately.
          reg [LANES*REST-1:0] upper_or_lower;
          reg [LANES-1:0]      middle;
          integer              l;
          always @*
            for (l = 0; l < LANES; l = l + 1) begin
              middle[l] = reached_q[l*SPAN + REST];
              upper_or_lower[l*REST +: REST] = middle[l] ? reached_q[l*SPAN + REST + 1 +: REST] : reached_q[l*SPAN +: REST];
            end
          assign rest  = upper_or_lower;
          assign known = middle;
        end
      end else begin : g_next
        localparam integer WAS  = LEFT > 0 ? 4 * REST + 3 : 3;  // comparisons before the stage
        localparam integer HALF = (WAS - 1) / 2;
        localparam integer SIDE = KNOWN > 2 ? KNOWN - 2 : 1;
        reg [LANES*REST-1:0]  rest_d, rest_q;
        reg [LANES*KNOWN-1:0] known_d, known_q;
        reg [WAS-1:0]         all;
        reg [HALF-1:0]        half;
        reg                   high, low;
        integer               l;
        /* verilator lint_off WIDTH */ // a half drops the other one
        always @*
          for (l = 0; l < LANES; l = l + 1) begin
            all  = g_stage[g-1].rest[l*WAS +: WAS];
            high = all[HALF];
            half = high ? all >> (HALF + 1) : all;
            low  = half[HALF/2];
            rest_d[l*REST +: REST]    = low ? half >> (HALF/2 + 1) : half;
            known_d[l*KNOWN +: KNOWN] = KNOWN > 2 ? {g_stage[g-1].known[l*SIDE +: SIDE], high, low} : {high, low};
          end
        /* verilator lint_on WIDTH */
        always @(posedge clk) begin
          if (open[g]) begin
            first_q[g] <= first_q[g-1];
            final_q[g] <= final_q[g-1];
            last_q[g]  <= last_q[g-1];
            rest_q     <= rest_d;
            known_q    <= known_d;
          end
          if (rst) valid_q[g] <= 1'b0;
          else if (open[g]) valid_q[g] <= valid_q[g-1];
        end
        assign rest  = rest_q;
        assign known = known_q;
      end
    end
  endgenerate

  // ---- the sum over the words, and the result ----
  wire [LANES*BITS-1:0]  number;
  wire [LANES*OUT_W-1:0] sum;
  reg  [LANES*OUT_W-1:0] y;

  generate
    if (BITS == 1) begin : g_number_bit
      assign number = reached_q;
    end else begin : g_number
      assign number = g_stage[STAGES].known;
    end
  endgenerate

  /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
  always @*
    for (i = 0; i < LANES; i = i + 1)
      y[i*OUT_W +: OUT_W] = (first_q[STAGES] ? START : $signed(sum[i*OUT_W +: OUT_W])) +
                            STEP * $signed({1'b0, number[i*BITS +: BITS]});
  /* verilator lint_on WIDTH */

  generate
    if (WORDS == 1) begin : g_parallel
      assign x          = s_data;
      assign take       = s_valid && p_valid;
      assign s_ready    = p_valid && open[0];
      assign p_ready    = s_valid && open[0];
      assign first      = 1'b1;
      assign final_word = 1'b1;
      assign last       = s_last;
      assign sum        = {(LANES*OUT_W){1'b0}};
    end else begin : g_serial
      localparam integer WORD_W = $clog2(WORDS);
      localparam integer LAST_WORD = WORDS - 1;

      reg                    busy_q, beat_last_q;
      reg  [WORD_W-1:0]      word_q;
      reg  [LANES*IN_W-1:0]  x_q;
      reg  [LANES*OUT_W-1:0] sum_q;
      wire                   finish = p_valid && p_ready && final_word;

      assign x          = x_q;
      assign take       = busy_q && p_valid;
      assign s_ready    = !busy_q || finish;
      assign p_ready    = busy_q && open[0];
      assign first      = word_q == {WORD_W{1'b0}};
      assign final_word = word_q == LAST_WORD[WORD_W-1:0];
      assign last       = beat_last_q;
      assign sum        = sum_q;

      always @(posedge clk)
        if (rst) busy_q <= 1'b0;
        else if (s_valid && s_ready) busy_q <= 1'b1;
        else if (finish) busy_q <= 1'b0;

      always @(posedge clk) begin
        if (s_valid && s_ready) begin
          x_q         <= s_data;
          beat_last_q <= s_last;
          word_q      <= {WORD_W{1'b0}};
        end else if (p_valid && p_ready) begin
          word_q <= word_q + 1'b1;
        end
        if (valid_q[STAGES] && leave) sum_q <= y;
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
    .s_last (last_q[STAGES]),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_carried #("weir_threshold", LANES * OUT_W) u_check (
    clk, rst, s_valid && s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
