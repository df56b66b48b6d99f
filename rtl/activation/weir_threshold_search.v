// weir_threshold_search: y = BASE + STEP * (number of thresholds t_i <= x, i < COUNT), lane by lane, as weir_threshold, for thresholds
// that are the same for all beats: a comparison a bit of the number, one after the other.
//
// INIT names the file of their only word: LANES * COUNT signed values of T_W bits, threshold i of lane l at index l * COUNT + i. They
// ascend. Stage k compares x with the threshold in the middle of those that are left, which is one of 2^k; x must not reach the
// largest T_W value, which stands where there is none.
// Latency:   2 * clog2(COUNT + 1) cycles.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_threshold_search.
// State:     a stage but the first: x of two cycles, the bits of the number so far, the threshold; then a bit more; weir_pipeline.
// Mapping:   clog2(COUNT + 1) comparators a lane, the end of a carry chain each, and as many tables in logic, COUNT words of T_W
//            bits in all, between registers.
`default_nettype none

module weir_threshold_search #(
  parameter integer       LANES     = 1,
  parameter integer       IN_W      = 16,
  parameter integer       IN_SIGNED = 1,
  parameter integer       OUT_W     = 4,
  parameter integer       COUNT     = 15,
  parameter integer       T_W       = 17,
  parameter signed [31:0] BASE      = 0,
  parameter signed [31:0] STEP      = 1,
  parameter               INIT      = ""
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   s_valid,
  output wire                   s_ready,
  input  wire [LANES*IN_W-1:0]  s_data,
  input  wire                   s_last,
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [LANES*OUT_W-1:0] m_data,
  output wire                   m_last
);
  localparam integer X_W  = IN_SIGNED != 0 ? IN_W : IN_W + 1;
  localparam integer C_W  = X_W > T_W ? X_W : T_W;  // both sides of a comparison
  localparam integer BITS = $clog2(COUNT + 1);      // of the number

  generate
    if (LANES < 1 || IN_W < 1 || OUT_W < 1 || COUNT < 1 || T_W < 2) begin : g_check
      weir_threshold_search_LANES_IN_W_OUT_W_and_COUNT_must_be_at_least_1_and_T_W_at_least_2 u_error ();
    end
  endgenerate

  wire [LANES*COUNT*T_W-1:0] thresholds;
  wire [LANES*OUT_W-1:0]     y;

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active;
  /* verilator lint_on UNUSEDSIGNAL */

  weir_rom #(
    .WIDTH(LANES * COUNT * T_W),
    .DEPTH(1),
    .INIT (INIT),
    .STYLE("logic")
  ) u_thresholds (
    .clk (clk),
    .en  (1'b1),
    .addr(1'b0),
    .q   (thresholds)
  );

  genvar l, k, i, j;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      for (k = 0; k < BITS; k = k + 1) begin : g_stage
        localparam integer HALF = 1 << (BITS - 1 - k);  // of what is left

        wire [IN_W-1:0]       x;
        wire [T_W-1:0]        level;
        wire [k:0]            known;  // of the number, with a zero for the bit to find
        wire signed [C_W-1:0] value, limit;
        wire signed [C_W:0]   difference;
        reg  [k:0]            number_q;

        if (k == 0) begin : g_first
          assign x     = s_data[l*IN_W +: IN_W];
          assign level = thresholds[(l*COUNT + HALF - 1)*T_W +: T_W];
          assign known = 1'b0;
        end else begin : g_next
          wire [(T_W<<k)-1:0] choice;
          reg  [IN_W-1:0]     before_q, x_q;
          reg  [T_W-1:0]      level_q;
          reg  [k-1:0]        known_q;

          for (i = 0; i < 1 << k; i = i + 1) begin : g_choice
            localparam integer AT = (2 * i + 1) * HALF - 1;
            if (AT < COUNT) begin : g_threshold
              assign choice[i*T_W +: T_W] = thresholds[(l*COUNT + AT)*T_W +: T_W];
            end else begin : g_never
              assign choice[i*T_W +: T_W] = {1'b0, {(T_W-1){1'b1}}};
            end
          end

          always @(posedge clk) begin
            before_q <= g_stage[k-1].x;
            x_q      <= before_q;
            known_q  <= g_stage[k-1].number_q;
          end

          // A table a bit: no multiplication makes its address.
          for (i = 0; i < T_W; i = i + 1) begin : g_bit
            wire [(1<<k)-1:0] column;
            for (j = 0; j < 1 << k; j = j + 1) begin : g_row
              assign column[j] = choice[j*T_W + i];
            end
            always @(posedge clk) level_q[i] <= column[g_stage[k-1].number_q];
          end

          assign x     = x_q;
          assign level = level_q;
          assign known = {known_q, 1'b0};
        end

        /* verilator lint_off WIDTH */ // extension to the width of the result is meant
        if (IN_SIGNED != 0) begin : g_signed
          assign value = $signed(x);
        end else begin : g_unsigned
          assign value = x;
        end
        assign limit      = $signed(level);
        assign difference = value - limit;

        // x - t < 0 is the sign of a difference: the end of a carry chain, as it comes.
        always @(posedge clk) number_q <= known | !difference[C_W];
        /* verilator lint_on WIDTH */
      end

      /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
      assign y[l*OUT_W +: OUT_W] = BASE + STEP * $signed({1'b0, g_stage[BITS-1].number_q});
      /* verilator lint_on WIDTH */
    end
  endgenerate

  weir_pipeline #(
    .WIDTH  (LANES * OUT_W),
    .LATENCY(2 * BITS - 1)
  ) u_pipeline (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_valid),
    .s_ready(s_ready),
    .s_last (s_last),
    .take   (active),
    .c_data (y),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
endmodule

`default_nettype wire
