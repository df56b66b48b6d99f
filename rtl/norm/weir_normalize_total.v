// weir_normalize_total: the sum of all numbers since the first of a row, LANES of them a cycle; no stalls, no
// handshake.
//
// Latency:   1 + clog2(LANES) cycles from a beat to the sum with it.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_normalize.
// State:     a tree with a register a level, the sum.
// Mapping:   adders.
`default_nettype none

module weir_normalize_total #(
  parameter integer LANES  = 1,
  parameter integer IN_W   = 8,
  parameter integer SIGNED = 1,
  parameter integer SUM_W  = 16   // holds every sum
) (
  input  wire                  clk,
  input  wire                  valid,
  input  wire                  first,  // of a row
  input  wire [LANES*IN_W-1:0] x,
  output reg  [SUM_W-1:0]      sum
);
  localparam integer LEVELS = $clog2(LANES);

  generate
    if (LANES < 1 || IN_W < 1 || SUM_W < IN_W) begin : g_check
      weir_normalize_total_LANES_and_IN_W_must_be_at_least_1_and_SUM_W_at_least_IN_W u_error ();
    end
  endgenerate

  genvar t, n;
  generate
    for (t = 0; t <= LEVELS; t = t + 1) begin : g_level
      localparam integer FROM = t == 0 ? 2 * LANES : (LANES + (1 << (t - 1)) - 1) >> (t - 1);

      for (n = 0; n < (FROM + 1) / 2; n = n + 1) begin : g_part
        wire [SUM_W-1:0] value;

        if (t == 0) begin : g_number
          /* verilator lint_off WIDTH */ // extension by assignment is meant
          if (SIGNED != 0) begin : g_signed
            wire signed [SUM_W-1:0] wide = $signed(x[n*IN_W +: IN_W]);
            assign value = wide;
          end else begin : g_unsigned
            assign value = x[n*IN_W +: IN_W];
          end
          /* verilator lint_on WIDTH */
        end else begin : g_register
          reg [SUM_W-1:0] part_q;

          assign value = part_q;
          if (2 * n + 1 < FROM) begin : g_pair
            always @(posedge clk) part_q <= g_level[t-1].g_part[2*n].value + g_level[t-1].g_part[2*n+1].value;
          end else begin : g_odd
            always @(posedge clk) part_q <= g_level[t-1].g_part[2*n].value;
          end
        end
      end
    end

    if (LEVELS == 0) begin : g_at_once
      always @(posedge clk) if (valid) sum <= (first ? {SUM_W{1'b0}} : sum) + g_level[0].g_part[0].value;
    end else begin : g_later
      reg [LEVELS-1:0] valid_q, first_q;

      always @(posedge clk) begin
        /* verilator lint_off WIDTH */ // the oldest leaves
        valid_q <= {valid_q, valid};
        first_q <= {first_q, first};
        /* verilator lint_on WIDTH */
        if (valid_q[LEVELS-1])
          sum <= (first_q[LEVELS-1] ? {SUM_W{1'b0}} : sum) + g_level[LEVELS].g_part[0].value;
      end
    end
  endgenerate
endmodule

`default_nettype wire
