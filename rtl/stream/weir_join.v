// weir_join: joins the beats of two streams into one; b's beat is in the upper bits.
//
// Latency:   0 cycles, combinational; transparent: each input's ready depends on m_ready and on the other's valid.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_add.
// State:     none, hence no clock. `last` is a's; both streams carry frames of the same number of beats.
// Mapping:   three LUTs.
`default_nettype none

module weir_join #(
  parameter integer A_WIDTH = 8,
  parameter integer B_WIDTH = 8
) (
  input  wire                       s_a_valid,
  output wire                       s_a_ready,
  input  wire [A_WIDTH-1:0]         s_a_data,
  input  wire                       s_a_last,
  input  wire                       s_b_valid,
  output wire                       s_b_ready,
  input  wire [B_WIDTH-1:0]         s_b_data,
  /* verilator lint_off UNUSEDSIGNAL */ // equal to s_a_last by contract
  input  wire                       s_b_last,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire                       m_valid,
  input  wire                       m_ready,
  output wire [A_WIDTH+B_WIDTH-1:0] m_data,
  output wire                       m_last
);
  generate
    if (A_WIDTH < 1 || B_WIDTH < 1) begin : g_check_width
      weir_join_A_WIDTH_and_B_WIDTH_must_be_at_least_1 u_error ();
    end
  endgenerate

  assign m_valid   = s_a_valid && s_b_valid;
  assign s_a_ready = m_ready && s_b_valid;
  assign s_b_ready = m_ready && s_a_valid;
  assign m_data    = {s_b_data, s_a_data};
  assign m_last    = s_a_last;
endmodule

`default_nettype wire
