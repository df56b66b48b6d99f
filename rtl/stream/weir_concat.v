// weir_concat: A_BEATS beats of stream a, then B_BEATS of stream b, repeatedly.
//
// Latency:   1 cycle.
// Interval:  1 cycle a result.
// Clock:     rtl/README.md, Measured alone: weir_concat.
// State:     the current input, the number of its beats left, a register slice of LANES * OUT_W bits. OUT_W holds the
//            elements of both; narrower ones are sign-extended. `last` is b's: a frame ends with beats of b.
// Mapping:   a 2:1 multiplexer a bit, a counter.
`default_nettype none

module weir_concat #(
  parameter integer A_W      = 8,
  parameter integer A_SIGNED = 1,
  parameter integer B_W      = 8,
  parameter integer B_SIGNED = 1,
  parameter integer OUT_W    = 16,
  parameter integer LANES    = 1,
  parameter integer A_BEATS  = 1,
  parameter integer B_BEATS  = 1
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   s_a_valid,
  output wire                   s_a_ready,
  input  wire [LANES*A_W-1:0]   s_a_data,
  /* verilator lint_off UNUSEDSIGNAL */ // beats of b follow
  input  wire                   s_a_last,
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire                   s_b_valid,
  output wire                   s_b_ready,
  input  wire [LANES*B_W-1:0]   s_b_data,
  input  wire                   s_b_last,
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [LANES*OUT_W-1:0] m_data,
  output wire                   m_last
);
  generate
    if (LANES < 1 || A_W < 1 || B_W < 1 || A_BEATS < 1 || B_BEATS < 1) begin : g_check
      weir_concat_LANES_A_W_B_W_A_BEATS_and_B_BEATS_must_be_at_least_1 u_error ();
    end
    if (OUT_W < A_W || OUT_W < B_W) begin : g_check_out
      weir_concat_OUT_W_must_hold_the_elements_of_both u_error ();
    end
  endgenerate

  localparam integer MOST   = A_BEATS > B_BEATS ? A_BEATS : B_BEATS;
  localparam integer LEFT_W = MOST > 1 ? $clog2(MOST) : 1;
  localparam integer A_LEFT = A_BEATS - 1;
  localparam integer B_LEFT = B_BEATS - 1;

  reg               turn_q;  // b's
  reg  [LEFT_W-1:0] left_q;  // beats after the next one before the turn changes

  wire              o_ready;
  wire              s_valid = turn_q ? s_b_valid : s_a_valid;
  wire              active  = s_valid && o_ready;
  wire [LANES*OUT_W-1:0] data;

  assign s_a_ready = o_ready && !turn_q;
  assign s_b_ready = o_ready && turn_q;

  always @(posedge clk)
    if (rst) begin
      turn_q <= 1'b0;
      left_q <= A_LEFT[LEFT_W-1:0];
    end else if (active) begin
      if (left_q == 0) begin
        turn_q <= !turn_q;
        left_q <= turn_q ? A_LEFT[LEFT_W-1:0] : B_LEFT[LEFT_W-1:0];
      end else begin
        left_q <= left_q - 1'b1;
      end
    end

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire [A_W-1:0]   a_bits = s_a_data[l*A_W +: A_W];
      wire [B_W-1:0]   b_bits = s_b_data[l*B_W +: B_W];
      reg  [OUT_W-1:0] wide_a, wide_b;
      always @* begin
        wide_a          = {OUT_W{A_SIGNED != 0 && a_bits[A_W-1]}};
        wide_b          = {OUT_W{B_SIGNED != 0 && b_bits[B_W-1]}};
        wide_a[A_W-1:0] = a_bits;
        wide_b[B_W-1:0] = b_bits;
      end
      assign data[l*OUT_W +: OUT_W] = turn_q ? wide_b : wide_a;
    end
  endgenerate

  weir_register_slice #(
    .WIDTH(LANES * OUT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_valid),
    .s_ready(o_ready),
    .s_data (data),
    .s_last (turn_q && s_b_last),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check #("weir_concat", "the last beat of a frame is not the last of its stream's turn") u_check_last (
    clk, rst, !active || !(turn_q ? s_b_last : s_a_last) || left_q == 0);
  weir_check_hold #("weir_concat", "a waiting beat was withdrawn or changed", LANES * OUT_W + 1) u_check_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
`endif
endmodule

`default_nettype wire
