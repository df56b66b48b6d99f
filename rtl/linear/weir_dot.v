// weir_dot: the data path of one output of weir_mvu, or of two: SIMD products, a registered adder tree, an accumulator.
//
// Everything but the accumulator moves in every cycle; weir_mvu says which sums count: with `add` the tree's sum is added, with
// `finish` as well that sum completes a dot product: it goes to the result and the accumulator restarts from zero.
// Latency:   (ACCUMULATE != 0 ? 2 : 1) + clog2(PARTS) + (PAIR > 0) + clog2(SIMD) cycles to `result`; without ACCUMULATE the tree's sum is the result.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_mvu.
// State:     the products, one register a level, the accumulator and the result, all without reset. Arithmetic is modulo
//            2^ACC_W, and no register is wider than its values can be.
// Mapping:   SIMD products (weir_mul, with PARTS > 1 weir_mul_logic), with PAIR as many weir_mul_pair for both outputs; each adder
//            shares its logic cells with the register after it.
`default_nettype none

module weir_dot #(
  parameter integer A_W        = 9,   // bits of an input element, two's complement
  parameter integer W_W        = 8,   // bits of a weight, two's complement
  parameter integer PROD_W     = 16,  // bits of a product that matter, at most A_W + W_W and ACC_W
  parameter integer ACC_W      = 24,  // bits of the result
  parameter integer SIMD       = 1,   // elements a beat
  parameter integer ACCUMULATE = 1,   // 0: a beat is a dot product
  parameter integer PARTS      = 1,   // parts of a product in lookup tables; 1: a DSP block
  parameter integer PAIR       = 0    // bits of a product of two outputs, whose weights are as weir_mul_pair takes them; 0: one output
) (
  input  wire                         clk,
  /* verilator lint_off UNUSEDSIGNAL */ // idle without ACCUMULATE
  input  wire                         add,
  input  wire                         finish,
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire [SIMD*A_W-1:0]          x,
  input  wire [(PAIR>0?2:1)*SIMD*W_W-1:0] w /* verilator public_flat_rd */,  // keeps Verilator from specialising each instance's code
  output wire [(PAIR>0?2:1)*ACC_W-1:0]    result
);
  /* verilator no_inline_module */ // one C++ class instead of PE copies of it
  localparam integer RAW_W  = PAIR > 0 ? PAIR : A_W + W_W;
  localparam integer OUTS   = PAIR > 0 ? 2 : 1;
  localparam integer LEVELS = $clog2(SIMD);
  localparam integer TREE_W = PROD_W + LEVELS < ACC_W ? PROD_W + LEVELS : ACC_W;

  generate
    if (PROD_W > RAW_W || PROD_W > ACC_W) begin : g_check
      weir_dot_PROD_W_must_not_exceed_PAIR_or_A_W_plus_W_W_nor_ACC_W u_error ();
    end
    if (PAIR > 0 && PARTS > 1) begin : g_check_pair
      weir_dot_PAIR_must_be_0_with_PARTS u_error ();
    end
  endgenerate

  /* verilator lint_off UNUSEDSIGNAL */ // bits above PROD_W repeat the sign
  wire [OUTS*SIMD*RAW_W-1:0] product;
  /* verilator lint_on UNUSEDSIGNAL */

  genvar o, l;
  generate
    if (PAIR > 0) begin : g_pair
      weir_mul_pair #(
        .A_W  (A_W),
        .B_W  (W_W),
        .LOW_W(RAW_W)
      ) u_mul [SIMD-1:0] (
        .clk   (clk),
        .a     (x),
        .b_low (w[0 +: SIMD*W_W]),
        .b_high(w[(OUTS-1)*SIMD*W_W +: SIMD*W_W]),
        .p_low (product[0 +: SIMD*RAW_W]),
        .p_high(product[(OUTS-1)*SIMD*RAW_W +: SIMD*RAW_W])
      );
    end else if (PARTS > 1) begin : g_logic
      weir_mul_logic #(
        .A_W  (A_W),
        .B_W  (W_W),
        .PARTS(PARTS)
      ) u_mul [SIMD-1:0] (
        .clk(clk),
        .a  (x),
        .b  (w),
        .p  (product)
      );
    end else begin : g_block
      weir_mul #(
        .A_W(A_W),
        .B_W(W_W)
      ) u_mul [SIMD-1:0] (
        .clk(clk),
        .en (1'b1),
        .a  (x),
        .b  (w),
        .p  (product)
      );
    end

    for (o = 0; o < OUTS; o = o + 1) begin : g_output
      wire [TREE_W-1:0] tree;

      for (l = 1; l <= LEVELS; l = l + 1) begin : g_level
        localparam integer FROM   = (SIMD + (1 << (l - 1)) - 1) >> (l - 1);         // addends
        localparam integer TO     = (FROM + 1) / 2;                                 // sums
        localparam integer FROM_W = PROD_W + l - 1 < ACC_W ? PROD_W + l - 1 : ACC_W;
        localparam integer TO_W   = PROD_W + l < ACC_W ? PROD_W + l : ACC_W;
        localparam integer STRIDE = l == 1 ? RAW_W : FROM_W;

        wire [FROM*STRIDE-1:0] from;
        reg  [TO*TO_W-1:0]     sum_q;
        integer                i;

        if (l == 1) begin : g_first
          assign from = product[o*SIMD*RAW_W +: SIMD*RAW_W];
        end else begin : g_next
          assign from = g_level[l-1].sum_q;
        end

        /* verilator lint_off WIDTH */ // sign extension by assignment is meant
        always @(posedge clk) begin
          for (i = 0; i < FROM / 2; i = i + 1)
            sum_q[i*TO_W +: TO_W] <= $signed(from[2*i*STRIDE +: FROM_W]) + $signed(from[(2*i+1)*STRIDE +: FROM_W]);
          if (FROM % 2 != 0) sum_q[(TO-1)*TO_W +: TO_W] <= $signed(from[(FROM-1)*STRIDE +: FROM_W]);
        end
        /* verilator lint_on WIDTH */
      end

      if (LEVELS == 0) begin : g_product
        assign tree = product[o*RAW_W +: TREE_W];
      end else begin : g_sum
        assign tree = g_level[LEVELS].sum_q;
      end

      /* verilator lint_off WIDTH */ // sign extension by assignment is meant
      if (ACCUMULATE != 0) begin : g_accumulate
        reg signed [ACC_W-1:0] acc_q, result_q;
        wire       [ACC_W-1:0] sum = acc_q + $signed(tree);

        assign result[o*ACC_W +: ACC_W] = result_q;

        always @(posedge clk)
          if (add) begin
            if (finish) acc_q <= {ACC_W{1'b0}};
            else acc_q <= sum;
            if (finish) result_q <= sum;
          end
      end else begin : g_direct
        assign result[o*ACC_W +: ACC_W] = $signed(tree);
      end
      /* verilator lint_on WIDTH */
    end
  endgenerate
endmodule

`default_nettype wire
