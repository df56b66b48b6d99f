// Wrong on purpose: no source is like this one, so that all is proved and no fault found.
// sources: stream/weir_register_slice.v
// faults: register_slice/mutants.txt
// prove: unbounded
module proof (
  input wire clk, s_valid, s_data, s_last, m_ready
);
  wire rst, s_ready, m_valid, m_data, m_last;

  weir_register_slice #(1) u_dut (.*);
  proof_reset u_reset (clk, rst);
  proof_hold #(2) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});

  always @* assume (s_valid != m_valid && s_valid == m_valid);
endmodule
