// weir_relu: y = max(x, ZERO), lane by lane; ZERO is the code of zero.
//
// Latency:   1 cycle.
// Interval:  1 cycle a beat.
// State:     a register slice of LANES * WIDTH bits.
// Mapping:   ZERO == 0 on signed codes: one AND a bit; otherwise a comparator a lane.
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
  generate
    if (LANES < 1 || WIDTH < 1) begin : g_check
      weir_relu_LANES_and_WIDTH_must_be_at_least_1 u_error ();
    end
  endgenerate

  reg  [LANES*WIDTH-1:0] y;
  reg  signed [WIDTH:0]  x;
  integer                i;

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = s_valid && s_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
  always @*
    for (i = 0; i < LANES; i = i + 1) begin
      if (SIGNED != 0) x = $signed(s_data[i*WIDTH +: WIDTH]);
      else x = s_data[i*WIDTH +: WIDTH];
      if (ZERO == 0) y[i*WIDTH +: WIDTH] = x[WIDTH] ? 0 : x;
      else y[i*WIDTH +: WIDTH] = x < ZERO ? ZERO : x;
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
endmodule

`default_nettype wire
