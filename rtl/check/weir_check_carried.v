// Asserts, of a component that emits a beat for each one that it accepts: no other beat, each with the `last` of its
// input beat (with fewer than 256 in flight), and a waiting beat does not change.
`ifdef WEIR_CHECK
`default_nettype none

module weir_check_carried #(
  parameter         OWNER = "",  // the module that says it
  parameter integer WIDTH = 8    // bits of m_data
) (
  input wire             clk,
  input wire             rst,
  input wire             taken,   // a beat in this cycle
  input wire             s_last,  // of this beat
  input wire             m_valid,
  input wire             m_ready,
  input wire             m_last,
  input wire [WIDTH-1:0] m_data
);
  reg [7:0]   in_q, out_q;  // beats taken and given, modulo 256
  reg [255:0] lasts_q;      // of those inside

  always @(posedge clk) begin
    if (taken) lasts_q[in_q] <= s_last;
    in_q  <= rst ? 8'd0 : in_q + {7'd0, taken};
    out_q <= rst ? 8'd0 : out_q + {7'd0, m_valid && m_ready};
  end

  weir_check #(OWNER, "a beat leaves that was never taken") u_taken (clk, rst, !m_valid || in_q != out_q);
  weir_check #(OWNER, "m_last is not with the beat that had s_last") u_last (clk, rst, !m_valid || m_last == lasts_q[out_q]);
  weir_check_hold #(OWNER, "a waiting beat was withdrawn or changed", WIDTH + 1) u_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
endmodule

`default_nettype wire
`endif
