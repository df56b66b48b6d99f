// weir_board_reset: the reset of a board, high for CYCLES cycles after configuration and after each cause.
//
// Latency:   2 cycles from `locked` or `button` to `rst`; CYCLES more after the cause has gone.
// State:     two registers that synchronise the causes, and a counter.
// INITIAL 1 relies on registers that begin with a value, as on iCE40, ECP5, Gowin, Xilinx. INITIAL 0 is for families
// that have none (GateMate): there `button` or `locked` must be active once after configuration, which CC_USR_RSTN
// (inverted) as `button` is.
// Mapping:   clog2(CYCLES) + 1 bits of counter.
`default_nettype none

module weir_board_reset #(
  parameter integer CYCLES  = 1024,  // at least 1,024
  parameter integer INITIAL = 1      // registers may have initial values
) (
  input  wire clk,
  input  wire locked,  // high when the clock can be trusted; asynchronous
  input  wire button,  // high to reset; asynchronous
  output wire rst
);
  localparam integer COUNT_W = $clog2(CYCLES) + 1;

  generate
    if (CYCLES < 1024) begin : g_check
      weir_board_reset_CYCLES_must_be_at_least_1024 u_error ();
    end
    if (INITIAL != 0 && INITIAL != 1) begin : g_check_initial
      weir_board_reset_INITIAL_must_be_0_or_1 u_error ();
    end
  endgenerate

  reg [1:0]         cause_q;
  reg [COUNT_W-1:0] count_q;  // the top bit ends the reset and the counting

  assign rst = !count_q[COUNT_W-1];

  generate
    if (INITIAL == 1) begin : g_initial
      initial begin
        cause_q = 2'b11;
        count_q = {COUNT_W{1'b0}};
      end
    end
  endgenerate

  always @(posedge clk) begin
    cause_q <= {cause_q[0], button || !locked};
    if (cause_q[1]) count_q <= {COUNT_W{1'b0}};
    else if (rst) count_q <= count_q + 1'b1;
  end
endmodule

`default_nettype wire
