// weir_scale_multiply: signed x times unsigned m plus signed a, lane by lane; no stalls, no handshake.
//
// The operands are read in the cycle with `load` high; the next ones may follow ceil(M_W / DIGIT) cycles later. `sum`
// holds the result for one cycle. ADD_W == 0: a is 0 and the port is ignored.
// Latency:   max(DIGIT < M_W, MUL_W == 0) ? 1 + ceil(M_W / DIGIT) + (min(DIGIT, M_W) < 3 ? min(DIGIT, M_W) - 1 : 2 +
//            clog2(MUL_W > 0 ? ceil(max(X_W - 1, 1) / max(MUL_W - 1, 1)) * ceil(min(DIGIT, M_W) / max(MUL_W - 1, 1)) :
//            min(DIGIT, M_W) / 2)) + min(DIGIT > 3, DIGIT < M_W) + (ADD_W > 0) : 2 + clog2(ceil(max(X_W - 1, 1) /
//            max(MUL_W - 1, 1)) * ceil(M_W / max(MUL_W - 1, 1)) + (ADD_W > 0)) cycles.
// Interval:  ceil(M_W / DIGIT) cycles a beat.
// Clock:     rtl/README.md, Measured alone: weir_requantize.
// State:     that of the module that it instantiates.
// Mapping:   weir_scale_blocks where a beat comes each cycle and MUL_W > 0, else weir_scale_rows.
`default_nettype none

module weir_scale_multiply #(
  parameter integer LANES = 1,
  parameter integer X_W   = 16,
  parameter integer M_W   = 16,
  parameter integer ADD_W = 0,
  parameter integer DIGIT = 16,  // multiplier bits a cycle
  parameter integer MUL_W = 18,  // bits of the signed operands of a multiplier block; 0: in lookup tables
  parameter integer SUM_W = ADD_W == 0 ? X_W + M_W : (ADD_W > X_W + M_W ? ADD_W : X_W + M_W) + 1  // not to be set
) (
  input  wire                                   clk,
  /* verilator lint_off UNUSEDSIGNAL */ // only digits need it
  input  wire                                   load,
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire [LANES*X_W-1:0]                   x,
  input  wire [LANES*M_W-1:0]                   m,
  input  wire [LANES*(ADD_W > 0 ? ADD_W : 1)-1:0] a,
  output wire [LANES*SUM_W-1:0]                 sum
);
  generate
    if (DIGIT >= M_W && MUL_W > 0) begin : g_blocks
      weir_scale_blocks #(
        .LANES(LANES),
        .X_W  (X_W),
        .M_W  (M_W),
        .ADD_W(ADD_W),
        .MUL_W(MUL_W)
      ) u_blocks (
        .clk(clk),
        .x  (x),
        .m  (m),
        .a  (a),
        .sum(sum)
      );
    end else begin : g_rows
      weir_scale_rows #(
        .LANES(LANES),
        .X_W  (X_W),
        .M_W  (M_W),
        .ADD_W(ADD_W),
        .DIGIT(DIGIT),
        .MUL_W(MUL_W)
      ) u_rows (
        .clk (clk),
        .load(load),
        .x   (x),
        .m   (m),
        .a   (a),
        .sum (sum)
      );
    end
  endgenerate
endmodule

`default_nettype wire
