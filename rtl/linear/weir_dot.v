// weir_dot: the data path of one output of weir_mvu, or of two: SIMD products, a registered adder tree, an accumulator.
//
// Everything except the accumulator advances in every cycle; weir_mvu says which sums count: with `add` the tree's sum
// is accumulated; with `finish` as well it completes a dot product: the sum goes to the result and the accumulator
// restarts from zero.
// Latency:   (ACCUMULATE != 0 ? 2 : 1) + clog2(PARTS) + (PAIR > 0) + clog2(SIMD) cycles to `result`; without ACCUMULATE
//            the tree's sum is the result.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_mvu.
// State:     the products, one register a level, the accumulator and the result, all without reset. Arithmetic is
//            modulo 2^ACC_W, and no register is wider than its values can be.
// Mapping:   SIMD products (weir_mul, with PARTS > 1 weir_mul_logic), with PAIR as many weir_mul_pair for both outputs;
//            each adder shares its logic cells with the register after it. With SIGNS no multipliers: weir_mul_sign,
//            whose carries are those of the adders (the first product of an adder's right operand has one, the first of
//            all none); 2: a sign and a gate, two lookup tables a product; 3: two lookup tables for two products, whose
//            sum is even, so the tree adds halves.
`default_nettype none

module weir_dot #(
  parameter integer X_W        = 8,   // bits of an input element
  parameter integer X_SIGNED   = 0,   // 1: two's complement
  parameter integer W_W        = 8,   // bits of a weight, two's complement
  parameter integer PROD_W     = 16,  // bits of a product that matter, at most X_W + W_W and ACC_W
  parameter integer ACC_W      = 24,  // bits of the result
  parameter integer SIMD       = 1,   // elements a beat
  parameter integer ACCUMULATE = 1,   // 0: a beat is a dot product
  parameter integer PARTS      = 1,   // parts of a product in lookup tables; 1: a DSP block
  // bits of a product of two outputs, whose weights are as weir_mul_pair takes them; 0: one output
  parameter integer PAIR       = 0,
  // 1: weights are -1, 0 or 1; 2: elements, too; 3: both are -1 or 1, and SIMD is even; 0: they are any numbers
  parameter integer SIGNS      = 0
) (
  input  wire                         clk,
  /* verilator lint_off UNUSEDSIGNAL */ // idle without ACCUMULATE
  input  wire                         add,
  input  wire                         finish,
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire [SIMD*X_W-1:0]          x,
  input  wire [(PAIR>0?2:1)*SIMD*W_W-1:0] w /* verilator public_flat_rd */,  // keeps Verilator from specialising each instance's code
  output wire [(PAIR>0?2:1)*ACC_W-1:0]    result
);
  /* verilator no_inline_module */ // one C++ class instead of PE copies of it
  localparam integer A_W    = X_SIGNED != 0 ? X_W : X_W + 1;  // as a signed operand
  localparam integer RAW_W  = PAIR > 0 ? PAIR : SIGNS == 1 ? A_W + 1 : A_W + W_W;
  localparam integer OUTS   = PAIR > 0 ? 2 : 1;
  localparam integer LEVELS = $clog2(SIMD);
  localparam integer ODD    = SIGNS == 3 ? 1 : 0;  // the tree adds halves
  localparam integer TREE_W = PROD_W + LEVELS + ODD < ACC_W ? PROD_W + LEVELS + ODD : ACC_W;

  generate
    if (PROD_W > (PAIR > 0 ? PAIR : X_W + W_W) || PROD_W > ACC_W) begin : g_check
      weir_dot_PROD_W_must_not_exceed_PAIR_or_X_W_plus_W_W_nor_ACC_W u_error ();
    end
    if (PAIR > 0 && PARTS > 1) begin : g_check_pair
      weir_dot_PAIR_must_be_0_with_PARTS u_error ();
    end
    if (SIGNS > 0 && (SIGNS > 3 || PAIR > 0 || PARTS > 1 || W_W != 2)) begin : g_check_signs
      weir_dot_SIGNS_must_be_0_to_3_and_0_with_PAIR_or_PARTS_or_a_W_W_other_than_2 u_error ();
    end
    if (SIGNS > 1 && A_W > 2) begin : g_check_elements
      weir_dot_SIGNS_must_be_0_or_1_with_elements_of_more_than_2_bits u_error ();
    end
    if (SIGNS == 3 && (SIMD % 2 != 0 || A_W != 2)) begin : g_check_odd
      weir_dot_SIGNS_must_not_be_3_with_an_odd_SIMD_or_elements_of_one_bit u_error ();
    end
  endgenerate

  // No vector holds several elements: a simulator takes a word apart and puts it together in many instructions.
  genvar o, l, i;
  generate
    for (i = 0; i < SIMD; i = i + 1) begin : g_lane
      /* verilator lint_off UNUSEDSIGNAL */ // bits above PROD_W repeat the sign; of -1 and 1 only signs count
      /* verilator lint_off WIDTH */ // an unsigned element gains a zero sign bit by assignment
      wire [A_W-1:0]        a = x[i*X_W +: X_W];
      /* verilator lint_on WIDTH */
      wire [OUTS*RAW_W-1:0] product;
      /* verilator lint_on UNUSEDSIGNAL */
      wire                  carry;  // is to be added to it

      if (SIGNS == 1) begin : g_sign
        weir_mul_sign #(
          .A_W  (A_W),
          .WHOLE(i == 0 ? 1 : 0)
        ) u_mul (
          .clk  (clk),
          .a    (a),
          .b    (w[i*W_W +: W_W]),
          .p    (product),
          .carry(carry)
        );
      end else begin : g_whole
        assign carry = 1'b0;
      end

      if (PAIR > 0) begin : g_pair
        weir_mul_pair #(
          .A_W  (A_W),
          .B_W  (W_W),
          .LOW_W(RAW_W)
        ) u_mul (
          .clk   (clk),
          .a     (a),
          .b_low (w[i*W_W +: W_W]),
          .b_high(w[((OUTS-1)*SIMD+i)*W_W +: W_W]),
          .p_low (product[RAW_W-1:0]),
          .p_high(product[OUTS*RAW_W-1 -: RAW_W])
        );
      end else if (PARTS > 1) begin : g_logic
        weir_mul_logic #(
          .A_W  (A_W),
          .B_W  (W_W),
          .PARTS(PARTS)
        ) u_mul (
          .clk(clk),
          .en (1'b1),
          .a  (a),
          .b  (w[i*W_W +: W_W]),
          .p  (product)
        );
      end else if (SIGNS == 0) begin : g_block
        weir_mul #(
          .A_W(A_W),
          .B_W(W_W)
        ) u_mul (
          .clk(clk),
          .en (1'b1),
          .a  (a),
          .b  (w[i*W_W +: W_W]),
          .p  (product)
        );
      end else if (SIGNS == 2) begin : g_gate
        wire      one = a[0] && w[i*W_W];
        reg [1:0] product_q;
        assign product = {{(RAW_W-1){product_q[1]}}, product_q[0]};
        always @(posedge clk) product_q <= {one && a[A_W-1] != w[(i+1)*W_W-1], one};
      end else if (SIGNS == 3 && i % 2 == 0) begin : g_half
        wire      minus = a[A_W-1] != w[(i+1)*W_W-1];
        wire      next  = x[(i+2)*X_W-1] != w[(i+2)*W_W-1];
        reg [1:0] half_q;  // of the sum with the next product
        assign product = {{(RAW_W-1){half_q[1]}}, half_q[0]};
        always @(posedge clk) half_q <= {minus && next, minus == next};
      end else if (SIGNS == 3) begin : g_taken
        assign product = {RAW_W{1'b0}};
      end
    end

    for (o = 0; o < OUTS; o = o + 1) begin : g_output
      // Level l holds sums of 2^l products.
      for (l = 0; l <= LEVELS; l = l + 1) begin : g_level
        localparam integer FROM  = l == 0 ? 2 * SIMD : (SIMD + (1 << (l - 1)) - 1) >> (l - 1);
        localparam integer SUM_W = PROD_W + l < ACC_W ? PROD_W + l : ACC_W;

        for (i = 0; i < (FROM + 1) / 2; i = i + 1) begin : g_sum
          /* verilator lint_off UNUSEDSIGNAL */ // idle: the products of halves, carries without SIGNS and of the first
          wire signed [SUM_W-1:0] sum;
          wire                    carry;  // of its first product
          /* verilator lint_on UNUSEDSIGNAL */

          /* verilator lint_off WIDTH */ // sign extension by assignment is meant
          if (l == 0) begin : g_product
            assign sum   = g_lane[i].product[o*RAW_W +: PROD_W];
            assign carry = g_lane[i].carry;
          end else begin : g_register
            reg signed [SUM_W-1:0] sum_q;
            assign sum = sum_q;
            if (SIGNS == 1) begin : g_first
              reg carry_q;
              assign carry = carry_q;
              always @(posedge clk) carry_q <= g_level[l-1].g_sum[2*i].carry;
            end else begin : g_none
              assign carry = 1'b0;
            end
            if (SIGNS == 3 && l == 1) begin : g_halves
              always @(posedge clk) sum_q <= $signed(g_lane[2*i].product[1:0]);
            end else if (SIGNS == 1 && 2 * i + 1 < FROM) begin : g_carry
              wire signed [SUM_W:0] left  = $signed({g_level[l-1].g_sum[2*i].sum, 1'b1});
              wire signed [SUM_W:0] right = $signed({g_level[l-1].g_sum[2*i+1].sum, g_level[l-1].g_sum[2*i+1].carry});
              always @(posedge clk) sum_q <= (left + right) >>> 1;
            end else if (2 * i + 1 < FROM) begin : g_pair
              always @(posedge clk) sum_q <= g_level[l-1].g_sum[2*i].sum + g_level[l-1].g_sum[2*i+1].sum;
            end else begin : g_odd
              always @(posedge clk) sum_q <= g_level[l-1].g_sum[2*i].sum;
            end
          end
          /* verilator lint_on WIDTH */
        end
      end

      /* verilator lint_off WIDTH */ // sign extension by assignment is meant
      wire signed [TREE_W-1:0] tree = $signed(g_level[LEVELS].g_sum[0].sum) <<< ODD;

      if (ACCUMULATE != 0) begin : g_accumulate
        reg signed [ACC_W-1:0] acc_q, result_q;
        wire       [ACC_W-1:0] sum = acc_q + tree;

        assign result[o*ACC_W +: ACC_W] = result_q;

        always @(posedge clk)
          if (add) begin
            if (finish) acc_q <= {ACC_W{1'b0}};
            else acc_q <= sum;
            if (finish) result_q <= sum;
          end
      end else begin : g_direct
        assign result[o*ACC_W +: ACC_W] = tree;
      end
      /* verilator lint_on WIDTH */
    end
  endgenerate
endmodule

`default_nettype wire
