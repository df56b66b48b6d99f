// weir_mvu: folded matrix-vector unit: PE dot products at a time, SIMD elements of each a cycle.
//
// The x stream comes from weir_replay: BEATS beats of SIMD elements make a dot product, s_end marks the last of them. Every
// x beat meets one weight word; the weight of output p and element s sits at index p * SIMD + s. The accumulator is wide
// enough by the compiler's range proof, so arithmetic modulo 2^ACC_W is exact.
// Latency:   2 + ceil(log2(SIMD)) cycles from the x beat with s_end to m_valid.
// Interval:  BEATS cycles a group of PE results, without bubbles; an x beat is taken only together with its weight word.
// State:     product registers, one register a level of the adder tree, accumulators (BEATS > 1), the result.
// Stall:     the pipeline stops, whole, only when a result is complete and the former one still waits. m_ready does not reach
//            s_ready: with BEATS > 1 a result register has at least one cycle to empty itself, with BEATS == 1
//            a register slice follows.
// Mapping:   PE * SIMD weir_mul (DSP blocks or LUTs); each adder shares its logic cells with the register behind it.
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
  localparam integer A_W    = X_SIGNED != 0 ? X_W : X_W + 1;                 // as a signed operand
  localparam integer RAW_W  = A_W + W_W;                                     // a product as the multiplier gives it
  localparam integer PROD_W = X_W + W_W < ACC_W ? X_W + W_W : ACC_W;         // the bits of it that matter
  localparam integer LEVELS = $clog2(SIMD);
  localparam integer TREE_W = PROD_W + LEVELS < ACC_W ? PROD_W + LEVELS : ACC_W;

  generate
    if (X_W < 1 || W_W < 1 || ACC_W < 1) begin : g_check_widths
      weir_mvu_X_W_W_W_and_ACC_W_must_be_at_least_1 u_error ();
    end
    if (SIMD < 1 || PE < 1 || BEATS < 1) begin : g_check_folding
      weir_mvu_SIMD_PE_and_BEATS_must_be_at_least_1 u_error ();
    end
  endgenerate

  // Bit 0 of the flags belongs to the product registers, bit l to level l of the tree.
  reg  [LEVELS:0]      valid_q, last_q;
  reg  [SIMD*A_W-1:0]  x;
  wire [PE*TREE_W-1:0] tree;  // sums of SIMD products, at bit LEVELS of the flags
  wire                 advance;
  wire                 active = s_valid && w_valid && advance;  // an x beat is taken

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

  genvar p, l;
  generate
    for (p = 0; p < PE; p = p + 1) begin : g_pe
      wire [SIMD*RAW_W-1:0]  raw;
      reg  [SIMD*PROD_W-1:0] product;
      integer j;

      weir_mul #(
        .A_W(A_W),
        .B_W(W_W)
      ) u_mul [SIMD-1:0] (
        .clk(clk),
        .en (active),
        .a  (x),
        .b  (w_data[p*SIMD*W_W +: SIMD*W_W]),
        .p  (raw)
      );

      always @* for (j = 0; j < SIMD; j = j + 1) product[j*PROD_W +: PROD_W] = raw[j*RAW_W +: PROD_W];

      for (l = 1; l <= LEVELS; l = l + 1) begin : g_level
        localparam integer FROM   = (SIMD + (1 << (l - 1)) - 1) >> (l - 1);
        localparam integer TO     = (FROM + 1) / 2;
        localparam integer FROM_W = PROD_W + l - 1 < ACC_W ? PROD_W + l - 1 : ACC_W;
        localparam integer TO_W   = PROD_W + l < ACC_W ? PROD_W + l : ACC_W;

        wire [FROM*FROM_W-1:0] from;
        reg  [TO*TO_W-1:0]     sum_q;
        integer                k;

        if (l == 1) begin : g_first
          assign from = product;
        end else begin : g_next
          assign from = g_level[l-1].sum_q;
        end

        /* verilator lint_off WIDTH */ // sign extension by assignment is meant
        always @(posedge clk)
          if (advance && valid_q[l-1]) begin
            for (k = 0; k < FROM / 2; k = k + 1)
              sum_q[k*TO_W +: TO_W] <= $signed(from[2*k*FROM_W +: FROM_W]) + $signed(from[(2*k+1)*FROM_W +: FROM_W]);
            if (FROM % 2 != 0) sum_q[(TO-1)*TO_W +: TO_W] <= $signed(from[(FROM-1)*FROM_W +: FROM_W]);
          end
        /* verilator lint_on WIDTH */
      end

      if (LEVELS == 0) begin : g_tree_product
        assign tree[p*TREE_W +: TREE_W] = product;
      end else begin : g_tree_sum
        assign tree[p*TREE_W +: TREE_W] = g_level[LEVELS].sum_q;
      end
    end
  endgenerate

  generate
    if (BEATS == 1) begin : g_direct
      wire                 o_ready;
      reg  [PE*ACC_W-1:0]  result;
      integer              n;

      assign advance = o_ready || !valid_q[LEVELS];

      /* verilator lint_off WIDTH */ // sign extension by assignment is meant
      always @* for (n = 0; n < PE; n = n + 1) result[n*ACC_W +: ACC_W] = $signed(tree[n*TREE_W +: TREE_W]);
      /* verilator lint_on WIDTH */

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
      reg  [LEVELS:0]      end_q;
      reg                  result_valid_q, result_last_q;
      reg  [PE*ACC_W-1:0]  acc_q, acc_d, result_q;
      wire                 finish    = valid_q[LEVELS] && end_q[LEVELS];
      wire                 add       = valid_q[LEVELS] && advance;
      integer              n;

      assign advance = !(finish && result_valid_q);
      assign m_valid = result_valid_q;
      assign m_data  = result_q;
      assign m_last  = result_last_q;

      /* verilator lint_off WIDTH */ // sign extension by assignment is meant
      always @*
        for (n = 0; n < PE; n = n + 1)
          acc_d[n*ACC_W +: ACC_W] = $signed(acc_q[n*ACC_W +: ACC_W]) + $signed(tree[n*TREE_W +: TREE_W]);
      /* verilator lint_on WIDTH */

      // The reset of the accumulators is control: a dot product starts from zero.
      always @(posedge clk)
        if (rst || (add && finish)) acc_q <= {(PE*ACC_W){1'b0}};
        else if (add) acc_q <= acc_d;

      always @(posedge clk)
        if (rst) result_valid_q <= 1'b0;
        else if (add && finish) result_valid_q <= 1'b1;
        else if (m_ready) result_valid_q <= 1'b0;

      /* verilator lint_off WIDTH */ // the oldest flag drops out
      always @(posedge clk) begin
        if (advance) end_q <= {end_q, s_end};
        if (add && finish) begin
          result_q      <= acc_d;
          result_last_q <= last_q[LEVELS];
        end
      end
      /* verilator lint_on WIDTH */
    end
  endgenerate
endmodule
