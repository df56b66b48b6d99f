// weir_relu: y = max(x, ZERO), lane by lane; ZERO is the code of zero.
//
// Latency:   1 cycle.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_relu.
// State:     a register slice of LANES * WIDTH bits.
// Mapping:   ZERO == 0: one AND a bit; otherwise the carry chain of a comparison a lane, and a multiplexer a bit.
`default_nettype none

module weir_relu #(
  parameter integer       LANES  = 1,
  parameter integer       WIDTH  = 8,
  parameter integer       SIGNED = 1,
  parameter signed [31:0] ZERO   = 0
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   s_valid,
  output wire                   s_ready,
  input  wire [LANES*WIDTH-1:0] s_data,
  input  wire                   s_last,
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [LANES*WIDTH-1:0] m_data,
  output wire                   m_last
);
  localparam integer         BITS  = SIGNED != 0 ? WIDTH - 1 : WIDTH;  // without the sign
  localparam signed [WIDTH:0] LEAST = SIGNED != 0 ? {(WIDTH+1){1'b1}} << BITS : {(WIDTH+1){1'b0}};
  /* verilator lint_off WIDTH */ // truncation is meant: a code has WIDTH bits
  localparam signed [WIDTH:0] LEVEL = (ZERO >>> BITS) < (SIGNED != 0 ? -1 : 0) ? LEAST : ZERO;
  /* verilator lint_on WIDTH */

  generate
    if (LANES < 1 || WIDTH < 1) begin : g_check
      weir_relu_LANES_and_WIDTH_must_be_at_least_1 u_error ();
    end
    if ((ZERO >>> BITS) > 0) begin : g_check_zero
      weir_relu_ZERO_must_not_be_above_all_codes u_error ();
    end
  endgenerate

  reg  [LANES*WIDTH-1:0]  y;
  reg  signed [WIDTH:0]   x;
  reg  signed [WIDTH+1:0] difference;
  integer                 i;

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = s_valid && s_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  // x < ZERO is the sign of a difference, the end of a carry chain: with an operator for it Yosys builds six times the
  // logic.
  /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      if (SIGNED != 0) x = $signed(s_data[i*WIDTH +: WIDTH]);
      else x = s_data[i*WIDTH +: WIDTH];
      difference = x - LEVEL;
      y[i*WIDTH +: WIDTH] = difference[WIDTH+1] ? LEVEL : x;
    end
  /* verilator lint_on WIDTH */

  weir_register_slice #(
    .WIDTH(LANES * WIDTH)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(s_valid),
    .s_ready(s_ready),
    .s_data (y),
    .s_last (s_last),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_carried #("weir_relu", LANES * WIDTH) u_check (
    clk, rst, s_valid && s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
