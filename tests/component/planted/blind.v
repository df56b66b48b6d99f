// Wrong on purpose: looks at valid alone, so that faults survive.
// sources: stream/weir_register_slice.v
// faults: register_slice/mutants.txt
// prove: unbounded
module proof (
  input wire clk, s_valid, s_data, s_last, m_ready
);
  wire rst, s_ready, m_valid, m_data, m_last;

  weir_register_slice #(1) u_dut (.*);
  proof_reset u_reset (clk, rst);
  proof_stream #(
    .CAPACITY(2),
    .STALL   (1)
  ) u_stream (.*, .fair(1'b1), .s_value(1'b0), .expected(1'b0), .m_value(1'b0), .mark());
endmodule
