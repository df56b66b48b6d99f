// weir_argmax: the index of the largest of each row of BEATS * LANES elements; of several, the first (LAST = 0) or the last.
//
// Latency:   2 cycles from the row's last beat.
// Interval:  BEATS cycles a result.
// State:     the largest element of a beat with its index, that of the row so far, a register slice.
// Mapping:   a tree of LANES - 1 comparators, and one more for the row.
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

  localparam integer LEVELS  = $clog2(LANES);
  localparam integer LEAVES  = 1 << LEVELS;
  localparam integer COUNT_W = BEATS > 1 ? $clog2(BEATS) : 1;
  localparam integer LAST_BEAT = BEATS - 1;
  localparam integer STEP      = LANES;

  // Is b better than a, which comes before it?
  function better(input [WIDTH-1:0] a, input [WIDTH-1:0] b);
    if (SIGNED != 0) better = LAST != 0 ? $signed(b) >= $signed(a) : $signed(b) > $signed(a);
    else better = LAST != 0 ? b >= a : b > a;
  endfunction

  // Node n of the tree is the better one of nodes 2n and 2n + 1; leaves beyond the lanes repeat the last one.
  reg [2*LEAVES*WIDTH-1:0] value;
  reg [2*LEAVES*OUT_W-1:0] index;
  reg                      right;
  integer                  n, lane;
  /* verilator lint_off WIDTH */ // lane numbers are as wide as indices
  always @* begin
    value = {2 * LEAVES * WIDTH{1'b0}};
    index = {2 * LEAVES * OUT_W{1'b0}};
    right = 1'b0;
    for (n = 0; n < LEAVES; n = n + 1) begin
      lane = n < LANES ? n : LANES - 1;
      value[(LEAVES+n)*WIDTH +: WIDTH] = s_data[lane*WIDTH +: WIDTH];
      index[(LEAVES+n)*OUT_W +: OUT_W] = lane;
    end
    for (n = LEAVES - 1; n > 0; n = n - 1) begin
      right = better(value[2*n*WIDTH +: WIDTH], value[(2*n+1)*WIDTH +: WIDTH]);
      value[n*WIDTH +: WIDTH] = right ? value[(2*n+1)*WIDTH +: WIDTH] : value[2*n*WIDTH +: WIDTH];
      index[n*OUT_W +: OUT_W] = right ? index[(2*n+1)*OUT_W +: OUT_W] : index[2*n*OUT_W +: OUT_W];
    end
  end
  /* verilator lint_on WIDTH */

  reg                valid_q, begins_q, ends_q, last_q;
  reg  [COUNT_W-1:0] beat_q;
  reg  [OUT_W-1:0]   base_q, index_q, best_index_q;
  reg  [WIDTH-1:0]   value_q, best_q;
  wire               o_ready;
  wire               go   = !valid_q || !ends_q || o_ready;
  wire               take = s_valid && s_ready;
  wire               ends = beat_q == LAST_BEAT[COUNT_W-1:0];
  wire               wins = begins_q || better(best_q, value_q);

  assign s_ready = go;

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = take;
  /* verilator lint_on UNUSEDSIGNAL */

  always @(posedge clk)
    if (rst) begin
      valid_q <= 1'b0;
      beat_q  <= {COUNT_W{1'b0}};
      base_q  <= {OUT_W{1'b0}};
    end else begin
      if (go) valid_q <= take;
      if (take) begin
        beat_q <= ends ? {COUNT_W{1'b0}} : beat_q + 1'b1;
        base_q <= ends ? {OUT_W{1'b0}} : base_q + STEP[OUT_W-1:0];
      end
    end

  always @(posedge clk) begin
    if (take) begin
      value_q  <= value[WIDTH +: WIDTH];
      index_q  <= base_q + index[OUT_W +: OUT_W];
      begins_q <= beat_q == {COUNT_W{1'b0}};
      ends_q   <= ends;
      last_q   <= s_last;
    end
    if (valid_q && go && wins) begin
      best_q       <= value_q;
      best_index_q <= index_q;
    end
  end

  weir_register_slice #(
    .WIDTH(OUT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(valid_q && ends_q),
    .s_ready(o_ready),
    .s_data (wins ? index_q : best_index_q),
    .s_last (last_q),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
endmodule

`default_nettype wire
