// Asserts, of a component whose frames have IN beats at its input and OUT at its output: `last` comes with the final
// beat of each and with no other, and a waiting beat does not change.
`ifdef WEIR_CHECK
`default_nettype none

module weir_check_frames #(
  parameter         OWNER = "",  // the module that says it
  parameter integer WIDTH = 8,   // bits of m_data
  parameter integer IN    = 1,
  parameter integer OUT   = 1
) (
  input wire             clk,
  input wire             rst,
  input wire             s_valid,
  input wire             s_ready,
  input wire             s_last,
  input wire             m_valid,
  input wire             m_ready,
  input wire             m_last,
  input wire [WIDTH-1:0] m_data
);
  weir_check_last #(OWNER, "s_last is not where a frame ends", IN) u_s_last (clk, rst, s_valid, s_ready, s_last);
  weir_check_last #(OWNER, "m_last is not where a frame ends", OUT) u_m_last (clk, rst, m_valid, m_ready, m_last);
  weir_check_hold #(OWNER, "a waiting beat was withdrawn or changed", WIDTH + 1) u_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
endmodule

`default_nettype wire
`endif
