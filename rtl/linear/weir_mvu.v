// weir_mvu: folded matrix-vector unit: PE dot products at a time, SIMD elements of each a cycle.
//
// The x stream comes from weir_replay: BEATS beats of SIMD elements make a dot product, s_end marks the last of them. Every
// x beat meets one weight word; the weight of output p and element s sits at index p * SIMD + s. The accumulator is wide
// enough by the compiler's range proof, so arithmetic modulo 2^ACC_W is exact.
// Latency:   2 + clog2(SIMD) cycles from the x beat with s_end to m_valid.
// Interval:  BEATS cycles a result of PE elements, without bubbles; an x beat is taken only together with its weight word.
// State:     the pipeline's flags; in weir_dot products, adder tree, accumulator and result.
// Stall:     the pipeline stops, whole, only when a result is complete and the former one still waits. m_ready does not reach
//            s_ready: with BEATS > 1 a result register has at least one cycle to empty itself, with BEATS == 1
//            a register slice follows.
// Mapping:   PE weir_dot: PE * SIMD weir_mul (DSP blocks or LUTs), registered adder trees, accumulators.
module weir_mvu #(
  parameter integer X_W      = 8,   // bits of an input element
  parameter integer X_SIGNED = 0,   // 1: two's complement
  parameter integer W_W      = 8,   // bits of a weight, two's complement
  parameter integer ACC_W    = 24,  // bits of a result, two's complement
  parameter integer SIMD     = 1,   // elements a beat
  parameter integer PE       = 1,   // results a group
  parameter integer BEATS    = 1    // beats a dot product
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   s_valid,
  output wire                   s_ready,
  input  wire [SIMD*X_W-1:0]    s_data,
  input  wire                   s_end,
  input  wire                   s_last,
  input  wire                   w_valid,
  output wire                   w_ready,
  input  wire [PE*SIMD*W_W-1:0] w_data,
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [PE*ACC_W-1:0]    m_data,
  output wire                   m_last
);
  localparam integer A_W    = X_SIGNED != 0 ? X_W : X_W + 1;          // as a signed operand
  localparam integer PROD_W = X_W + W_W < ACC_W ? X_W + W_W : ACC_W;  // bits of a product that matter
  localparam integer LEVELS = $clog2(SIMD);

  generate
    if (X_W < 1 || W_W < 1 || ACC_W < 1) begin : g_check_widths
      weir_mvu_X_W_W_W_and_ACC_W_must_be_at_least_1 u_error ();
    end
    if (SIMD < 1 || PE < 1 || BEATS < 1) begin : g_check_folding
      weir_mvu_SIMD_PE_and_BEATS_must_be_at_least_1 u_error ();
    end
  endgenerate

  // Bit 0 of the flags belongs to the product registers, bit l to level l of the adder tree.
  reg  [LEVELS:0]     valid_q, last_q;
  reg  [SIMD*A_W-1:0] x;
  wire [PE*ACC_W-1:0] result;
  wire                advance;
  wire                finish;                                            // the oldest beat ends a dot product
  wire                active = s_valid && w_valid && advance;            // an x beat is taken
  wire [LEVELS:0]     step   = advance ? valid_q : {(LEVELS+1){1'b0}};   // beats that move on

  assign s_ready = w_valid && advance;
  assign w_ready = s_valid && advance;

  /* verilator lint_off WIDTH */ // the oldest flag drops out
  always @(posedge clk)
    if (rst) valid_q <= {(LEVELS+1){1'b0}};
    else if (advance) valid_q <= {valid_q, active};

  always @(posedge clk) if (advance) last_q <= {last_q, s_last};
  /* verilator lint_on WIDTH */

  integer i;
  /* verilator lint_off WIDTH */ // an unsigned element gains a zero sign bit by assignment
  always @* for (i = 0; i < SIMD; i = i + 1) x[i*A_W +: A_W] = s_data[i*X_W +: X_W];
  /* verilator lint_on WIDTH */

  weir_dot #(
    .A_W       (A_W),
    .W_W       (W_W),
    .PROD_W    (PROD_W),
    .ACC_W     (ACC_W),
    .SIMD      (SIMD),
    .ACCUMULATE(BEATS > 1 ? 1 : 0)
  ) u_dot [PE-1:0] (
    .clk     (clk),
    .rst     (rst),
    .multiply(active),
    .step    (step),
    .finish  (finish),
    .x       (x),
    .w       (w_data),
    .result  (result)
  );

  generate
    if (BEATS == 1) begin : g_direct
      wire o_ready;

      assign finish  = 1'b1;
      assign advance = o_ready || !valid_q[LEVELS];

      weir_register_slice #(
        .WIDTH(PE * ACC_W)
      ) u_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(valid_q[LEVELS]),
        .s_ready(o_ready),
        .s_data (result),
        .s_last (last_q[LEVELS]),
        .m_valid(m_valid),
        .m_ready(m_ready),
        .m_data (m_data),
        .m_last (m_last)
      );

      /* verilator lint_off UNUSEDSIGNAL */ // every beat ends a dot product
      wire unused_end = s_end;
      /* verilator lint_on UNUSEDSIGNAL */
    end else begin : g_accumulate
      reg  [LEVELS:0] end_q;
      reg             result_valid_q, result_last_q;

      assign finish  = end_q[LEVELS];
      assign advance = !(valid_q[LEVELS] && finish && result_valid_q);
      assign m_valid = result_valid_q;
      assign m_data  = result;
      assign m_last  = result_last_q;

      always @(posedge clk)
        if (rst) result_valid_q <= 1'b0;
        else if (step[LEVELS] && finish) result_valid_q <= 1'b1;
        else if (m_ready) result_valid_q <= 1'b0;

      /* verilator lint_off WIDTH */ // the oldest flag drops out
      always @(posedge clk) begin
        if (advance) end_q <= {end_q, s_end};
        if (step[LEVELS] && finish) result_last_q <= last_q[LEVELS];
      end
      /* verilator lint_on WIDTH */
    end
  endgenerate
endmodule
