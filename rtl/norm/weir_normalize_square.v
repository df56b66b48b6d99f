// weir_normalize_square: squares of signed numbers, one a lane and cycle; no stalls, no handshake.
//
// Latency:   X_W > 9 ? 2 + clog2(ceil((X_W - 1) / (MUL_W - 1)) * ceil((X_W - 1) / (MUL_W - 1))) : 1 + clog2(X_W)
//            cycles.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_normalize.
// State:     magnitudes and a register a level of the tree.
// Mapping:   up to 9 bits a row for each bit of the magnitude, half as many bits as a product has, and a tree of adders
//            in logic; else weir_scale_blocks.
`default_nettype none

module weir_normalize_square #(
  parameter integer LANES = 1,
  parameter integer X_W   = 8,
  parameter integer MUL_W = 18  // bits of the signed operands of a multiplier block
) (
  input  wire                     clk,
  input  wire [LANES*X_W-1:0]     x,
  output wire [LANES*2*X_W-1:0]   y
);
  localparam integer LEVELS = $clog2(X_W);
  localparam integer SUM_W  = 2 * X_W;

  generate
    if (LANES < 1 || X_W < 2) begin : g_check
      weir_normalize_square_LANES_must_be_at_least_1_and_X_W_at_least_2 u_error ();
    end
  endgenerate

  genvar l, t, n;
  generate
    if (X_W > 9) begin : g_blocks
      weir_scale_blocks #(
        .LANES   (LANES),
        .X_W     (X_W),
        .M_W     (X_W),
        .M_SIGNED(1),
        .MUL_W   (MUL_W)
      ) u_blocks (
        .clk(clk),
        .x  (x),
        .m  (x),
        .a  ({LANES{1'b0}}),
        .sum(y)
      );
    end else begin : g_logic
      for (l = 0; l < LANES; l = l + 1) begin : g_lane
        reg [X_W-1:0] magnitude_q;

        always @(posedge clk)
          magnitude_q <= x[l*X_W + X_W - 1] ? -x[l*X_W +: X_W] : x[l*X_W +: X_W];

        // Row i: bit i by the number without its bits below i, which the rows of these have twice.
        for (t = 0; t <= LEVELS; t = t + 1) begin : g_level
          localparam integer FROM = t == 0 ? 2 * X_W : (X_W + (1 << (t - 1)) - 1) >> (t - 1);

          for (n = 0; n < (FROM + 1) / 2; n = n + 1) begin : g_sum
            wire [SUM_W-1:0] value;

            if (t == 0) begin : g_row
              /* verilator lint_off WIDTH */ // zero extension by assignment is meant
              wire [SUM_W-1:0] more = (magnitude_q >> (n + 1)) << 2;
              /* verilator lint_on WIDTH */
              assign value = magnitude_q[n] ? (more | {{(SUM_W-1){1'b0}}, 1'b1}) << (2 * n) : {SUM_W{1'b0}};
            end else begin : g_register
              reg [SUM_W-1:0] sum_q;

              assign value = sum_q;
              if (2 * n + 1 < FROM) begin : g_pair
                always @(posedge clk) sum_q <= g_level[t-1].g_sum[2*n].value + g_level[t-1].g_sum[2*n+1].value;
              end else begin : g_odd
                always @(posedge clk) sum_q <= g_level[t-1].g_sum[2*n].value;
              end
            end
          end
        end
        assign y[l*SUM_W +: SUM_W] = g_level[LEVELS].g_sum[0].value;
      end
    end
  endgenerate
endmodule

`default_nettype wire
