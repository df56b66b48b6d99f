// weir_argmax: the index of the largest element of each row of BEATS * LANES; among equals the first (LAST = 0) or the
// last.
//
// Latency:   1 + max(1, clog2(LANES)) cycles from the row's last beat.
// Interval:  BEATS cycles a result.
// Clock:     rtl/README.md, Measured alone: weir_argmax.
// State:     the winners of each level of the tree, the largest element of the row so far with its index, a register
//            slice.
// Mapping:   a tree of LANES - 1 comparators with registers between levels, and one more comparator for the row.
`default_nettype none

module weir_argmax #(
  parameter integer LANES  = 1,
  parameter integer WIDTH  = 8,  // bits of an element
  parameter integer SIGNED = 0,
  parameter integer BEATS  = 2,  // of a row
  parameter integer OUT_W  = 8,  // bits of an index
  parameter integer LAST   = 0   // 1: the last of several that are equal
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   s_valid,
  output wire                   s_ready,
  input  wire [LANES*WIDTH-1:0] s_data,
  input  wire                   s_last,
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [OUT_W-1:0]       m_data,
  output wire                   m_last
);
  generate
    if (LANES < 1 || WIDTH < 1 || BEATS < 1) begin : g_check
      weir_argmax_LANES_WIDTH_and_BEATS_must_be_at_least_1 u_error ();
    end
    if (OUT_W < 1 || (OUT_W < 31 && BEATS * LANES > (1 << OUT_W))) begin : g_check_index
      weir_argmax_OUT_W_must_hold_the_largest_index u_error ();
    end
  endgenerate

  localparam integer LEVELS  = LANES > 1 ? $clog2(LANES) : 1;
  localparam integer COUNT_W = BEATS > 1 ? $clog2(BEATS) : 1;
  localparam integer LAST_BEAT = BEATS - 1;
  localparam integer STEP      = LANES;

  // Is b better than a, which comes before it? The sign of a difference: the end of a carry chain.
  function better(input [WIDTH-1:0] a, input [WIDTH-1:0] b);
    reg signed [WIDTH:0] x, y, difference;
    begin
      x          = {SIGNED != 0 && a[WIDTH-1], a};
      y          = {SIGNED != 0 && b[WIDTH-1], b};
      difference = LAST != 0 ? y - x : x - y;
      better     = difference[WIDTH] ^ (LAST != 0);
    end
  endfunction

  // ---- the tree: level g has the better one of nodes 2n and 2n + 1 of the level before it, and its lane ----
  reg  [LEVELS:1] valid_q, last_q;
  wire [LEVELS:1] open;   // takes the beat before it
  wire            leave;  // the row takes the last level's

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = s_valid && s_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  assign s_ready = open[1];

  genvar g;
  generate
    for (g = 0; g <= LEVELS; g = g + 1) begin : g_level
      localparam integer NODES = ((LANES - 1) >> g) + 1;
      localparam integer FROM  = g > 0 ? ((LANES - 1) >> (g > 0 ? g - 1 : 0)) + 1 : 1;
      localparam integer LANE_W = g > 0 ? g : 1;
      wire [NODES*WIDTH-1:0]  value;
      /* verilator lint_off UNUSEDSIGNAL */ // one node has no number
      wire [NODES*LANE_W-1:0] lane;
      /* verilator lint_on UNUSEDSIGNAL */
      if (g == 0) begin : g_leaves
        assign value = s_data;
        assign lane  = {NODES{1'b0}};
      end else begin : g_nodes
        localparam integer WAS_W = g > 1 ? g - 1 : 1;
        reg [NODES*WIDTH-1:0]  value_d, value_q;
        reg [NODES*LANE_W-1:0] lane_d, lane_q;
        reg                    right;
        integer                n, other;
        assign open[g] = leave || !(&valid_q[LEVELS:g]);
        always @*
          for (n = 0; n < NODES; n = n + 1) begin
            other = 2 * n + 1 < FROM ? 2 * n + 1 : 2 * n;
            right = other > 2 * n && better(g_level[g-1].value[2*n*WIDTH +: WIDTH], g_level[g-1].value[other*WIDTH +: WIDTH]);
            value_d[n*WIDTH +: WIDTH] = right ? g_level[g-1].value[other*WIDTH +: WIDTH]
                                              : g_level[g-1].value[2*n*WIDTH +: WIDTH];
            lane_d[n*LANE_W +: WAS_W] = right ? g_level[g-1].lane[other*WAS_W +: WAS_W]
                                              : g_level[g-1].lane[2*n*WAS_W +: WAS_W];
            lane_d[n*LANE_W + LANE_W - 1] = right;
          end
        always @(posedge clk) begin
          if (open[g]) begin
            last_q[g] <= g > 1 ? last_q[g > 1 ? g - 1 : 1] : s_last;
            value_q   <= value_d;
            lane_q    <= lane_d;
          end
          if (rst) valid_q[g] <= 1'b0;
          else if (open[g]) valid_q[g] <= g > 1 ? valid_q[g > 1 ? g - 1 : 1] : s_valid;
        end
        assign value = value_q;
        assign lane  = lane_q;
      end
    end
  endgenerate

  // ---- the row ----
  reg  [COUNT_W-1:0] beat_q;
  reg  [OUT_W-1:0]   base_q, best_index_q;
  reg  [WIDTH-1:0]   best_q;
  wire [WIDTH-1:0]   value = g_level[LEVELS].value;
  /* verilator lint_off WIDTH */ // a lane's number is extended
  wire [OUT_W-1:0]   index = base_q + g_level[LEVELS].lane;
  /* verilator lint_on WIDTH */
  wire               o_ready;
  wire               ends = BEATS == 1 || beat_q == LAST_BEAT[COUNT_W-1:0];
  wire               wins = BEATS == 1 || beat_q == {COUNT_W{1'b0}} || better(best_q, value);

  assign leave = o_ready || !ends;

  always @(posedge clk)
    if (rst) begin
      beat_q <= {COUNT_W{1'b0}};
      base_q <= {OUT_W{1'b0}};
    end else if (valid_q[LEVELS] && leave) begin
      beat_q <= ends ? {COUNT_W{1'b0}} : beat_q + 1'b1;
      base_q <= ends ? {OUT_W{1'b0}} : base_q + STEP[OUT_W-1:0];
    end

  always @(posedge clk)
    if (valid_q[LEVELS] && leave && wins) begin
      best_q       <= value;
      best_index_q <= index;
    end

  weir_register_slice #(
    .WIDTH(OUT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(valid_q[LEVELS] && ends),
    .s_ready(o_ready),
    .s_data (wins ? index : best_index_q),
    .s_last (last_q[LEVELS]),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  integer check_place_q;  // in the row

  always @(posedge clk)
    if (rst) check_place_q <= 0;
    else if (s_valid && s_ready) check_place_q <= check_place_q == BEATS - 1 ? 0 : check_place_q + 1;

  weir_check_last #("weir_argmax", "s_last is not where a row ends", BEATS, 1) u_check_s_last (
    clk, rst, s_valid, s_ready, s_last);
  weir_check_taken #("weir_argmax", "a result leaves of a row that is not complete") u_check_taken (
    clk, rst, s_valid && s_ready && check_place_q == BEATS - 1, m_valid, m_ready);
  weir_check_hold #("weir_argmax", "a waiting beat was withdrawn or changed", OUT_W + 1) u_check_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
`endif
endmodule

`default_nettype wire
