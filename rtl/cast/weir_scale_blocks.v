// weir_scale_blocks: weir_scale_multiply's contract with products in multiplier blocks, one beat a cycle.
//
// The operands are split into pieces that fit a block; a tree adds the pieces' products and a.
// With M_SIGNED m is signed, too.
// Latency:   2 + clog2(ceil(max(X_W - 1, 1) / (MUL_W - 1)) * ceil(max(M_W - M_SIGNED, 1) / (MUL_W - 1)) + (ADD_W > 0))
//            cycles.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_requantize.
// State:     x, m, the products (in weir_mul), a register a level of the tree; a beside them.
// Mapping:   ceil((X_W - 1) / (MUL_W - 1)) * ceil((M_W - M_SIGNED) / (MUL_W - 1)) weir_mul a lane, directly between
//            registers, and an adder for each product except the first and the last.
`default_nettype none

module weir_scale_blocks #(
  parameter integer LANES = 1,
  parameter integer X_W   = 16,
  parameter integer M_W   = 16,
  parameter integer ADD_W = 0,
  parameter integer MUL_W = 18,  // bits of a block's signed operands
  parameter integer M_SIGNED = 0,
  parameter integer SUM_W = ADD_W == 0 ? X_W + M_W : (ADD_W > X_W + M_W ? ADD_W : X_W + M_W) + 1  // not to be set
) (
  input  wire                                   clk,
  input  wire [LANES*X_W-1:0]                   x,
  input  wire [LANES*M_W-1:0]                   m,
  /* verilator lint_off UNUSEDSIGNAL */ // without an addend
  input  wire [LANES*(ADD_W > 0 ? ADD_W : 1)-1:0] a,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire [LANES*SUM_W-1:0]                 sum
);
  localparam integer PIECE  = MUL_W - 1;                               // bits of a piece but the top one of x
  localparam integer X_LOW  = X_W < 3 ? 0 : (X_W - 2) / PIECE;         // pieces of x below its top one
  localparam integer M_LOW  = M_SIGNED == 0 ? (M_W - 1) / PIECE : M_W < 3 ? 0 : (M_W - 2) / PIECE;
  localparam integer PIECES = (X_LOW + 1) * (M_LOW + 1);
  localparam integer TERMS  = PIECES + (ADD_W > 0 ? 1 : 0);
  localparam integer LEVELS = $clog2(TERMS);

  generate
    if (LANES < 1 || X_W < 1 || M_W < 1 || ADD_W < 0) begin : g_check_sizes
      weir_scale_blocks_LANES_X_W_and_M_W_must_be_at_least_1_and_ADD_W_at_least_0 u_error ();
    end
    if (MUL_W < 2) begin : g_check_block
      weir_scale_blocks_MUL_W_must_be_at_least_2 u_error ();
    end
  endgenerate

  genvar l, i, t, n;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      reg [X_W-1:0] x_q;
      reg [M_W-1:0] m_q;

      always @(posedge clk) begin
        x_q <= x[l*X_W +: X_W];
        m_q <= m[l*M_W +: M_W];
      end

      // The lowest product and the highest come first: they do not overlap, so no adder is needed for them.
      for (i = 0; i < PIECES; i = i + 1) begin : g_piece
        localparam integer AT    = i == 0 ? 0 : i == 1 ? PIECES - 1 : i - 1;
        localparam integer X_AT  = AT / (M_LOW + 1);
        localparam integer M_AT  = AT % (M_LOW + 1);
        localparam integer A_W   = X_AT == X_LOW ? X_W - X_LOW * PIECE : PIECE + 1;
        localparam integer B_TOP = M_SIGNED != 0 && M_AT == M_LOW ? 1 : 0;  // a piece with the sign of m
        localparam integer B_W   = (M_AT == M_LOW ? M_W - M_LOW * PIECE : PIECE) + 1 - B_TOP;
        localparam integer WORTH = (X_AT + M_AT) * PIECE;
        localparam integer S_W   = (X_AT == X_LOW ? 1 : 0) + B_TOP;                           // operands with a sign
        localparam integer P_W   = S_W == 2 ? A_W + B_W : A_W + B_W - 2 + S_W;  // the top bits repeat the sign

        wire [A_W-1:0]           a_piece;
        wire [B_W-1:0]           b_piece;
        /* verilator lint_off UNUSEDSIGNAL */ // the top bits repeat the sign
        wire [A_W+B_W-1:0]       product;
        /* verilator lint_on UNUSEDSIGNAL */

        if (X_AT == X_LOW) begin : g_top
          assign a_piece = x_q[X_W-1 -: A_W];
        end else begin : g_low
          assign a_piece = {1'b0, x_q[X_AT*PIECE +: PIECE]};
        end
        if (B_TOP != 0) begin : g_m_top
          assign b_piece = m_q[M_W-1 -: B_W];
        end else begin : g_m_low
          assign b_piece = {1'b0, m_q[M_AT*PIECE +: B_W-1]};
        end

        weir_mul #(
          .A_W(A_W),
          .B_W(B_W)
        ) u_mul (
          .clk(clk),
          .en (1'b1),
          .a  (a_piece),
          .b  (b_piece),
          .p  (product)
        );

        /* verilator lint_off WIDTH */ // sign extension by assignment is meant
        wire [SUM_W-1:0] term;
        if (S_W > 0) begin : g_signed
          wire signed [SUM_W-1:0] whole = $signed(product[P_W-1:0]);
          assign term = whole << WORTH;
        end else begin : g_unsigned
          wire [SUM_W-1:0] whole = product[P_W-1:0];
          assign term = whole << WORTH;
        end
        /* verilator lint_on WIDTH */
      end

      if (ADD_W > 0) begin : g_addend
        reg signed [ADD_W-1:0] a_1_q, a_2_q;

        always @(posedge clk) begin
          a_1_q <= a[l*ADD_W +: ADD_W];
          a_2_q <= a_1_q;
        end
      end

      // Level 0 has the terms, level t sums of 2^t of them. Each sum has its own vector: simulators would split a
      // common one and join it again.
      for (t = 0; t <= LEVELS; t = t + 1) begin : g_level
        localparam integer FROM = t == 0 ? 2 * TERMS : (TERMS + (1 << (t - 1)) - 1) >> (t - 1);

        for (n = 0; n < (FROM + 1) / 2; n = n + 1) begin : g_sum
          wire [SUM_W-1:0] value;

          if (t > 0) begin : g_register
            reg [SUM_W-1:0] sum_q;

            assign value = sum_q;
            if (2 * n + 1 < FROM) begin : g_pair
              always @(posedge clk) sum_q <= g_level[t-1].g_sum[2*n].value + g_level[t-1].g_sum[2*n+1].value;
            end else begin : g_odd
              always @(posedge clk) sum_q <= g_level[t-1].g_sum[2*n].value;
            end
          end else if (n < PIECES) begin : g_product
            assign value = g_piece[n].term;
          end else begin : g_last
            /* verilator lint_off WIDTH */ // sign extension by assignment is meant
            assign value = g_addend.a_2_q;
            /* verilator lint_on WIDTH */
          end
        end
      end

      assign sum[l*SUM_W +: SUM_W] = g_level[LEVELS].g_sum[0].value;
    end
  endgenerate
endmodule

`default_nettype wire
