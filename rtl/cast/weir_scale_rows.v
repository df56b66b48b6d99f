// weir_scale_rows: weir_scale_multiply's contract, DIGIT multiplier bits a cycle.
//
// Latency:   1 + ceil(M_W / DIGIT) + (min(DIGIT, M_W) < 3 ? min(DIGIT, M_W) - 1 : 2 + clog2(MUL_W > 0 ? ceil(max(X_W -
//            1, 1) / max(MUL_W - 1, 1)) * ceil(min(DIGIT, M_W) / max(MUL_W - 1, 1)) : min(DIGIT, M_W) / 2)) + min(DIGIT
//            > 3, DIGIT < M_W) + (ADD_W > 0) cycles.
// Interval:  ceil(M_W / DIGIT) cycles a beat.
// Clock:     rtl/README.md, Measured alone: weir_requantize.
// The low digits come first: x times a digit, in multiplier blocks or in rows of two bits and a tree of adders with a
// register after each, and one adder that accumulates the digits' products: the accumulated sum shifts down by a digit
// each cycle, and the digit that leaves at the bottom is added to that of a. Large digits are accumulated separately
// from the bits above them: the carry waits a cycle, in which it shifts down to the bottom. So no carry chain is longer
// than X_W + DIGIT / 2 + 3 bits.
// State:     x, 3x, m, a, the tree, the accumulated product, the result.
// Mapping:   adders and selectors in logic cells, about 1.5 DIGIT X_W of them a lane, each with the register after it;
//            with MUL_W > 0 and DIGIT > 2 instead weir_scale_blocks for a digit, and 2 X_W + DIGIT logic cells.
`default_nettype none

module weir_scale_rows #(
  parameter integer LANES = 1,
  parameter integer X_W   = 16,
  parameter integer M_W   = 16,
  parameter integer ADD_W = 0,
  parameter integer DIGIT = 16,  // multiplier bits a cycle
  parameter integer MUL_W = 0,   // bits of the signed operands of a multiplier block; 0: there are none
  parameter integer SUM_W = ADD_W == 0 ? X_W + M_W : (ADD_W > X_W + M_W ? ADD_W : X_W + M_W) + 1  // not to be set
) (
  input  wire                                   clk,
  input  wire                                   load,
  input  wire [LANES*X_W-1:0]                   x,
  input  wire [LANES*M_W-1:0]                   m,
  /* verilator lint_off UNUSEDSIGNAL */ // without an addend
  input  wire [LANES*(ADD_W > 0 ? ADD_W : 1)-1:0] a,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire [LANES*SUM_W-1:0]                 sum
);
  localparam integer K      = DIGIT < M_W ? DIGIT : M_W;
  localparam integer STEPS  = (M_W + K - 1) / K;
  localparam integer LOW_W  = STEPS * K;                     // bits that leave at the bottom
  localparam integer PAIRS  = (K + 1) / 2;                   // rows of two bits
  localparam integer LEVELS = $clog2(PAIRS);
  localparam integer PIECES = MUL_W < 2 ? 1 : ((X_W < 3 ? 0 : (X_W - 2) / (MUL_W - 1)) + 1) * ((K + MUL_W - 2) / (MUL_W - 1));
  localparam integer TREE   = MUL_W > 0 ? $clog2(PIECES) : LEVELS;  // levels of adders to a digit's product
  localparam integer AHEAD  = K == 1 ? 0 : K == 2 ? 1 : TREE + 2;   // cycles from its selection to there
  localparam integer ROW_W  = X_W + K;                       // a digit's product
  localparam integer SPLIT  = K > 3 && STEPS > 1 ? 1 : 0;    // digits are accumulated separately
  localparam integer HIGH_W = X_W + SPLIT;                   // what is accumulated: without its carry one bit more
  localparam integer TOP_W  = ADD_W > LOW_W + X_W ? ADD_W - LOW_W : X_W;  // both addends of the last sum
  localparam integer A_W    = ADD_W > LOW_W ? ADD_W : LOW_W + 1;

  generate
    if (LANES < 1 || X_W < 1 || M_W < 1 || ADD_W < 0 || DIGIT < 1) begin : g_check
      weir_scale_rows_LANES_X_W_M_W_and_DIGIT_must_be_at_least_1_and_ADD_W_at_least_0 u_error ();
    end
  endgenerate

  reg first_q;  // the first digit's product has arrived

  genvar l, t, n;
  generate
    if (AHEAD == 0) begin : g_at_once
      always @(posedge clk) first_q <= load;
    end else begin : g_later
      reg [AHEAD-1:0] line_q;
      always @(posedge clk) {first_q, line_q} <= {line_q, load};
    end

    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      reg  signed [X_W-1:0]    x_q;
      reg  signed [HIGH_W-1:0] high_q;        // what is accumulated, a digit lower each cycle
      reg         [LOW_W-1:0]  m_q, low_q;
      wire signed [HIGH_W-1:0] kept;
      wire signed [ROW_W-1:0]  row;           // x times a digit
      wire        [K-1:0]      out;           // the digit that leaves
      /* verilator lint_off UNUSEDSIGNAL */ // without an addend
      wire                     out_first;
      /* verilator lint_on UNUSEDSIGNAL */
      wire signed [X_W-1:0]    rest;          // what is left in the cycle after the last one
      wire        [K-1:0]      leaving;       // with that of a

      /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
      always @(posedge clk) begin
        if (load) x_q <= x[l*X_W +: X_W];
        m_q <= load ? m[l*M_W +: M_W] : m_q >> K;
      end

      assign kept = first_q || STEPS == 1 ? {HIGH_W{1'b0}} : high_q;

      always @(posedge clk) low_q <= {leaving, low_q} >> K;

      if (SPLIT == 0) begin : g_whole
        wire signed [ROW_W-1:0] total = kept + row;  // |high| never exceeds |x|: it fits

        always @(posedge clk) high_q <= total >>> K;
        assign out       = total[K-1:0];
        assign out_first = first_q;
        assign rest      = high_q;
      end else begin : g_split
        wire signed [HIGH_W+K-1:0] wide = kept;
        reg                        carry_q, first_2_q;
        reg         [K-1:0]        out_q;
        reg  signed [X_W-1:0]      rest_q;
        /* verilator lint_off UNUSEDSIGNAL */ // the carry enters at the bottom
        wire        [K+1:0]        digit = {1'b0, wide[K-1:0], 1'b1} + {1'b0, row[K-1:0], carry_q && !first_q};
        /* verilator lint_on UNUSEDSIGNAL */

        always @(posedge clk) begin
          high_q           <= (wide >>> K) + (row >>> K);
          {carry_q, out_q} <= digit >> 1;
          first_2_q        <= first_q;
          rest_q           <= high_q + $signed({1'b0, carry_q});
        end
        assign out       = out_q;
        assign out_first = first_2_q;
        assign rest      = rest_q;
      end
      /* verilator lint_on WIDTH */

      if (K == 1) begin : g_one
        assign row = m_q[0] ? {x_q[X_W-1], x_q} : {ROW_W{1'b0}};
      end else if (K == 2) begin : g_two
        reg signed [ROW_W-1:0] row_q;

        assign row = row_q;
        always @(posedge clk)
          row_q <= (m_q[0] ? {{2{x_q[X_W-1]}}, x_q} : {ROW_W{1'b0}}) +
                   (m_q[1] ? {x_q[X_W-1], x_q, 1'b0} : {ROW_W{1'b0}});
      end else if (MUL_W > 0) begin : g_blocks
        weir_scale_blocks #(
          .LANES(1),
          .X_W  (X_W),
          .M_W  (K),
          .ADD_W(0),
          .MUL_W(MUL_W)
        ) u_digit (
          .clk(clk),
          .x  (x_q),
          .m  (m_q[K-1:0]),
          .a  (1'b0),
          .sum(row)
        );
      end else begin : g_more
        reg signed [X_W-1:0] one_q;
        reg signed [X_W+1:0] three_q;
        reg        [K-1:0]   digit_q;

        /* verilator lint_off WIDTH */ // the last row may have one bit
        wire [2*PAIRS-1:0] digit = digit_q;
        /* verilator lint_on WIDTH */

        always @(posedge clk) begin
          one_q   <= x_q;
          three_q <= {{2{x_q[X_W-1]}}, x_q} + {x_q[X_W-1], x_q, 1'b0};
          digit_q <= m_q[K-1:0];
        end

        // Level 0 has the rows; level t adds pairs of numbers of X_W + 2^t bits, the second worth 2^(2^t) times the
        // first. Each number has its own register: simulators would split a common one and join it again.
        for (t = 0; t <= LEVELS; t = t + 1) begin : g_level
          localparam integer FROM = t == 0 ? 2 * PAIRS : (PAIRS + (1 << (t - 1)) - 1) >> (t - 1);
          localparam integer STEP = 1 << t;
          localparam integer TO_W = X_W + 2 * STEP;

          for (n = 0; n < (FROM + 1) / 2; n = n + 1) begin : g_sum
            /* verilator lint_off UNUSEDSIGNAL */ // the tree may be wider than the digit
            reg signed [TO_W-1:0] sum_q;
            /* verilator lint_on UNUSEDSIGNAL */

            /* verilator lint_off WIDTH */ // sign extension by assignment is meant
            if (t == 0) begin : g_row
              always @(posedge clk)
                case (digit[2*n +: 2])
                  2'b00: sum_q <= {TO_W{1'b0}};
                  2'b01: sum_q <= one_q;
                  2'b10: sum_q <= $signed({one_q, 1'b0});
                  default: sum_q <= three_q;
                endcase
            end else if (2 * n + 1 < FROM) begin : g_pair
              // The first's low bits pass by the adder.
              wire signed [TO_W-STEP-1:0] low  = g_level[t-1].g_sum[2*n].sum_q >>> STEP;
              wire signed [TO_W-STEP-1:0] high = g_level[t-1].g_sum[2*n+1].sum_q + low;

              always @(posedge clk) sum_q <= {high, g_level[t-1].g_sum[2*n].sum_q[STEP-1:0]};
            end else begin : g_odd
              always @(posedge clk) sum_q <= g_level[t-1].g_sum[2*n].sum_q;
            end
            /* verilator lint_on WIDTH */
          end
        end

        /* verilator lint_off WIDTH */ // the tree may be wider than the digit
        assign row = g_level[LEVELS].g_sum[0].sum_q;
        /* verilator lint_on WIDTH */
      end

      if (ADD_W == 0) begin : g_product
        assign leaving = out;
        /* verilator lint_off WIDTH */ // STEPS * K may exceed M_W
        assign sum[l*SUM_W +: SUM_W] = {rest, low_q};
        /* verilator lint_on WIDTH */
      end else begin : g_addend
        reg  signed [A_W-1:0]            a_q;
        wire        [K-1:0]              digit;         // of a, when that of the product leaves
        /* verilator lint_off UNUSEDSIGNAL */ // its upper bits repeat the sign
        wire signed [A_W-K-1:0]          above;         // what is above it
        /* verilator lint_on UNUSEDSIGNAL */
        reg                              carry_q;
        wire                             carry;
        wire                             carried = carry_q && !out_first;
        reg  signed [A_W-LOW_W-1:0]      above_q;
        wire signed [TOP_W+1:0]          left, right;
        /* verilator lint_off UNUSEDSIGNAL */ // the carry enters at the bottom
        wire        [TOP_W+1:0]          top;
        /* verilator lint_on UNUSEDSIGNAL */
        reg         [TOP_W:0]            top_q;
        reg         [LOW_W-1:0]          bottom_q;

        /* verilator lint_off WIDTH */ // sign extension by assignment is meant
        always @(posedge clk)
          if (load) a_q <= $signed(a[l*ADD_W +: ADD_W]);
          else a_q <= a_q >>> K;

        if (AHEAD + SPLIT == 0) begin : g_at_once
          assign digit = a_q[K-1:0];
          assign above = a_q >>> K;
        end else begin : g_delayed
          for (t = 0; t < AHEAD + SPLIT; t = t + 1) begin : g_step
            reg [A_W-1:0] line_q;
            if (t == 0) begin : g_first
              always @(posedge clk) line_q <= a_q;
            end else begin : g_next
              always @(posedge clk) line_q <= g_step[t-1].line_q;
            end
          end
          assign {above, digit} = g_step[AHEAD+SPLIT-1].line_q;
        end

        if (K == 1) begin : g_bit
          assign leaving = out[0] ^ digit ^ carried;
          assign carry   = (out[0] & digit) | (out[0] & carried) | (digit & carried);
        end else begin : g_bits
          /* verilator lint_off UNUSEDSIGNAL */ // the carry enters at the bottom
          wire [K+1:0] met = {1'b0, out, 1'b1} + {1'b0, digit, carried};
          /* verilator lint_on UNUSEDSIGNAL */
          assign {carry, leaving} = met[K+1:1];
        end

        assign left  = $signed({rest, 1'b1});
        assign right = $signed({above_q, carry_q});
        assign top   = left + right;

        always @(posedge clk) begin
          carry_q  <= carry;
          above_q  <= above;
          top_q    <= top[TOP_W+1:1];
          bottom_q <= low_q;
        end
        assign sum[l*SUM_W +: SUM_W] = $signed({top_q, bottom_q});
        /* verilator lint_on WIDTH */
      end
    end
  endgenerate
endmodule

`default_nettype wire
