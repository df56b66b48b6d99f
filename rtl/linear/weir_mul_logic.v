// weir_mul_logic: signed product in lookup tables: b is split into PARTS parts, each multiplied by a, then summed in
// pairs, with a register after each step.
//
// Latency:   1 + clog2(PARTS) cycles, counting those with en high only; otherwise all registers hold.
// Interval:  1 cycle a product.
// Clock:     rtl/README.md, Measured alone: weir_mvu.
// State:     the partial products and their sums, without reset.
// Mapping:   lookup tables, fewer than for one whole product; between registers the carry chain of a part, A_W + B_W /
//            PARTS bits after a few levels, or of a sum. Parts have equal widths, except the top one, which has the
//            rest.
`default_nettype none

module weir_mul_logic #(
  parameter integer A_W   = 8,
  parameter integer B_W   = 8,
  parameter integer PARTS = 2
) (
  input  wire                      clk,
  input  wire                      en,
  input  wire signed [A_W-1:0]     a,
  input  wire signed [B_W-1:0]     b,
  output wire signed [A_W+B_W-1:0] p
);
  localparam integer LEVELS = $clog2(PARTS);
  localparam integer PART_W = (B_W + PARTS - 1) / PARTS;
  localparam integer P_W    = A_W + B_W;

  generate
    if (A_W < 1 || B_W < 1 || PARTS < 1) begin : g_check
      weir_mul_logic_A_W_B_W_and_PARTS_must_be_at_least_1 u_error ();
    end
    if ((PARTS - 1) * PART_W >= B_W) begin : g_check_parts
      weir_mul_logic_PARTS_must_leave_bits_for_the_top_part u_error ();
    end
  endgenerate

  // Level l holds sums of 2^l parts, each above its lowest bit: the product is the sum of them, shifted.
  /* verilator lint_off UNUSEDSIGNAL */ // of most sums the upper bits repeat the sign
  wire [(LEVELS+1)*PARTS*P_W-1:0] sums;  // sum i of level l at index l * PARTS + i
  /* verilator lint_on UNUSEDSIGNAL */

  genvar l, i;
  generate
    for (l = 0; l <= LEVELS; l = l + 1) begin : g_level
      localparam integer COUNT = (PARTS + (1 << l) - 1) >> l;
      localparam integer STEP  = PART_W << l;  // bits between two sums

      for (i = 0; i < COUNT; i = i + 1) begin : g_sum
        localparam integer WIDTH = i == COUNT - 1 ? P_W - i * STEP : A_W + STEP;
        reg signed [WIDTH-1:0] sum_q;

        /* verilator lint_off WIDTH */ // sign extension by assignment is meant
        assign sums[(l*PARTS+i)*P_W +: P_W] = sum_q;

        if (l == 0 && i == COUNT - 1) begin : g_top
          wire signed [B_W-i*STEP-1:0] part = b[B_W-1 : i*STEP];
          always @(posedge clk) if (en) sum_q <= a * part;
        end else if (l == 0) begin : g_part
          wire signed [STEP:0] part = {1'b0, b[i*STEP +: STEP]};
          always @(posedge clk) if (en) sum_q <= a * part;
        end else if (2 * i + 1 < (PARTS + (1 << (l - 1)) - 1) >> (l - 1)) begin : g_pair
          // The low half's lowest bits pass by the adder.
          wire signed [A_W+STEP/2-1:0]   low  = sums[((l-1)*PARTS+2*i)*P_W +: A_W+STEP/2];
          wire signed [WIDTH-STEP/2-1:0] high = sums[((l-1)*PARTS+2*i+1)*P_W +: WIDTH-STEP/2];
          wire signed [A_W-1:0]          rest = low >>> (STEP / 2);
          always @(posedge clk) if (en) begin
            sum_q[WIDTH-1:STEP/2] <= high + rest;
            sum_q[STEP/2-1:0]     <= low[STEP/2-1:0];
          end
        end else begin : g_single
          always @(posedge clk) if (en) sum_q <= $signed(sums[((l-1)*PARTS+2*i)*P_W +: WIDTH]);
        end
        /* verilator lint_on WIDTH */
      end
      if (COUNT < PARTS) begin : g_none
        assign sums[(l*PARTS+COUNT)*P_W +: (PARTS-COUNT)*P_W] = {((PARTS-COUNT)*P_W){1'b0}};
      end
    end
  endgenerate

  assign p = sums[LEVELS*PARTS*P_W +: P_W];
endmodule

`default_nettype wire
