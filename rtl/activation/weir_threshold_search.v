// weir_threshold_search: y = BASE + STEP * (number of thresholds t_i <= x, i < COUNT), lane by lane, as weir_threshold,
// but a beat a cycle: one comparison for each bit of the number, in sequence.
//
// The thresholds are in external ROMs, one a lane and level, which read in every cycle and return the word at their
// part of t_addr READ cycles later. Beats belong to groups 0 to GROUPS - 1 in turn, so each channel can have its own
// thresholds: the address of level k is {group of the beat, the k upper bits of the number}, a single 0 bit where both
// are empty. Parts of t_addr are ordered by level, then lane; words of t_data likewise. Word {g, i} of level k is the
// middle one of the thresholds of group g that remain when the k bits are i: threshold (2 * i + 1) * 2^(B - 1 - k) - 1,
// B = clog2(COUNT + 1), or where there is none the largest T_W value, which x must not reach. They ascend.
// Latency:   clog2(COUNT + 1) * (READ + 1) - (GROUPS > 1 ? 0 : READ) + 1 cycles.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_threshold_search.
// State:     a level: for READ + 1 cycles, or until the first threshold of its group arrives, x, the upper bits of the
//            number and the group of the beat; then one more bit; weir_pipeline.
// Mapping:   clog2(COUNT + 1) comparators a lane, each the end of a carry chain, between registers; the ROMs, of COUNT
//            words a lane and group in all, are memory blocks or logic, as weir_rom is.
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
  parameter integer       GROUPS    = 1,  // beats until the thresholds repeat
  parameter integer       READ      = 1   // registers from t_addr to t_data
) (
  input  wire                                 clk,
  input  wire                                 rst,
  input  wire                                 s_valid,
  output wire                                 s_ready,
  input  wire [LANES*IN_W-1:0]                s_data,
  input  wire                                 s_last,
  output wire [LANES*($clog2(COUNT+1)*(2*$clog2(GROUPS)+$clog2(COUNT+1)-1)/2+(GROUPS > 1 ? 0 : 1))-1:0] t_addr,
  input  wire [LANES*$clog2(COUNT+1)*T_W-1:0] t_data,
  output wire                                 m_valid,
  input  wire                                 m_ready,
  output wire [LANES*OUT_W-1:0]               m_data,
  output wire                                 m_last
);
  localparam integer X_W     = IN_SIGNED != 0 ? IN_W : IN_W + 1;
  localparam integer C_W     = X_W > T_W ? X_W : T_W;  // both sides of a comparison
  localparam integer BITS    = $clog2(COUNT + 1);      // of the number
  localparam integer GROUP_W = $clog2(GROUPS);
  localparam integer FIRST   = GROUPS > 1 ? READ : 0;  // cycles until a beat's first threshold has arrived
  localparam integer CYCLES  = BITS * (READ + 1) - READ + FIRST;

  generate
    if (LANES < 1 || IN_W < 1 || OUT_W < 1 || COUNT < 1 || GROUPS < 1 || READ < 1 || T_W < 2) begin : g_check
      weir_threshold_search_LANES_IN_W_OUT_W_COUNT_GROUPS_and_READ_must_be_at_least_1_and_T_W_at_least_2 u_error ();
    end
    if (CYCLES > 30) begin : g_check_cycles
      weir_threshold_search_COUNT_must_be_smaller_for_a_result_in_30_cycles u_error ();
    end
  endgenerate

  wire [LANES*OUT_W-1:0] y;

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active;
  /* verilator lint_on UNUSEDSIGNAL */

  genvar l, k;
  generate
    // ---- the group of the beat that asks for its threshold of a level ----
    if (GROUPS > 1) begin : g_groups
      localparam integer TOP = GROUPS - 1;

      for (k = 0; k < BITS; k = k + 1) begin : g_level
        wire [GROUP_W-1:0] group;

        if (k == 0) begin : g_first
          reg [GROUP_W-1:0] group_q;
          always @(posedge clk)
            if (rst) group_q <= {GROUP_W{1'b0}};
            else if (active) group_q <= group_q == TOP[GROUP_W-1:0] ? {GROUP_W{1'b0}} : group_q + 1'b1;
          assign group = group_q;
        end else begin : g_next
          reg [(READ+1)*GROUP_W-1:0] group_q;  // of the last cycles, the oldest at the top
          always @(posedge clk) group_q <= {group_q[READ*GROUP_W-1:0], g_level[k-1].group};
          assign group = group_q[(READ+1)*GROUP_W-1 -: GROUP_W];
        end
      end
    end

    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      for (k = 0; k < BITS; k = k + 1) begin : g_stage
        localparam integer ADDR_W = GROUP_W + k > 0 ? GROUP_W + k : 1;
        localparam integer ADDR   = LANES * (k * (2 * GROUP_W + k - 1) / 2 + (GROUPS == 1 && k > 0 ? 1 : 0)) + l * ADDR_W;
        // cycles from the comparison before, or the beat, to this one
        localparam integer WAIT   = k == 0 ? FIRST : READ + 1;

        wire [IN_W-1:0]       earlier, x;  // of the comparison before, of this one
        wire [T_W-1:0]        level = t_data[(k*LANES + l)*T_W +: T_W];
        wire [k:0]            known;  // of the number, with a zero for the bit to find
        wire signed [C_W-1:0] value, limit;
        wire signed [C_W:0]   difference;
        reg  [k:0]            number_q;

        if (k == 0) begin : g_first
          assign earlier = s_data[l*IN_W +: IN_W];
          assign known  = 1'b0;
          if (GROUPS > 1) begin : g_group
            assign t_addr[ADDR +: ADDR_W] = g_groups.g_level[0].group;
          end else begin : g_one
            assign t_addr[ADDR] = 1'b0;
          end
        end else begin : g_next
          reg [READ*k-1:0] known_q;  // while the threshold is read

          /* verilator lint_off WIDTH */ // the oldest is dropped
          always @(posedge clk) known_q <= {known_q, g_stage[k-1].number_q};
          /* verilator lint_on WIDTH */
          assign earlier = g_stage[k-1].x;
          assign known  = {known_q[READ*k-1 -: k], 1'b0};
          if (GROUPS > 1) begin : g_group
            assign t_addr[ADDR +: ADDR_W] = {g_groups.g_level[k].group, g_stage[k-1].number_q};
          end else begin : g_one
            assign t_addr[ADDR +: ADDR_W] = g_stage[k-1].number_q;
          end
        end

        if (WAIT == 0) begin : g_at_once
          assign x = earlier;
        end else begin : g_wait
          reg [WAIT*IN_W-1:0] x_q;  // of the last cycles, the oldest at the top

          /* verilator lint_off WIDTH */ // the oldest is dropped
          always @(posedge clk) x_q <= {x_q, earlier};
          /* verilator lint_on WIDTH */
          assign x = x_q[WAIT*IN_W-1 -: IN_W];
        end

        /* verilator lint_off WIDTH */ // extension to the width of the result is meant
        if (IN_SIGNED != 0) begin : g_signed
          assign value = $signed(x);
        end else begin : g_unsigned
          assign value = x;
        end
        assign limit      = $signed(level);
        assign difference = value - limit;

        // x - t < 0 is the sign of a difference: the end of a carry chain.
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
    .LATENCY(CYCLES)
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

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_carried #("weir_threshold_search", LANES * OUT_W) u_check (
    clk, rst, s_valid && s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
