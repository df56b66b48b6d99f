// weir_register_slice: registers a stream in both directions, forward and backward (a skid buffer).
//
// Latency:   1 cycle.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_register_slice.
// State:     two beats: `data_q` (offered to the sink) and `skid_q` (accepted while the sink stalled).
// Invariant: skid_valid_q implies valid_q; s_ready is the register skid_valid_q inverted, so it depends on no input.
// Mapping:   2 * (WIDTH + 1) flip-flops, one 2:1 multiplexer a bit; no memory, no DSP block.
`default_nettype none

module weir_register_slice #(
  parameter integer WIDTH = 8  // bits of a beat
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             s_valid,
  output wire             s_ready,
  input  wire [WIDTH-1:0] s_data,
  input  wire             s_last,
  output wire             m_valid,
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data,
  output wire             m_last
);
  generate
    if (WIDTH < 1) begin : g_check_width
      weir_register_slice_WIDTH_must_be_at_least_1 u_error ();
    end
  endgenerate

  reg           valid_q, skid_valid_q;
  reg [WIDTH:0] data_q, skid_q;  // {last, data}

  wire open = m_ready || !valid_q;  // data_q is free at the next edge

  assign s_ready          = !skid_valid_q;
  assign m_valid          = valid_q;
  assign {m_last, m_data} = data_q;

  always @(posedge clk)
    if (rst) begin
      valid_q      <= 1'b0;
      skid_valid_q <= 1'b0;
    end else if (open) begin
      valid_q      <= s_valid || skid_valid_q;
      skid_valid_q <= 1'b0;
    end else if (s_valid) begin
      skid_valid_q <= 1'b1;
    end

  always @(posedge clk) begin
    if (open && (s_valid || skid_valid_q)) data_q <= skid_valid_q ? skid_q : {s_last, s_data};
    if (!skid_valid_q && s_valid) skid_q <= {s_last, s_data};
  end

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_hold #("weir_register_slice", "the source withdrew or changed a waiting beat", WIDTH + 1) u_check_source (
    clk, rst, s_valid, s_ready, {s_last, s_data});
  weir_check_hold #("weir_register_slice", "a waiting beat was withdrawn or changed", WIDTH + 1) u_check_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
  weir_check #("weir_register_slice", "skid_valid_q without valid_q") u_check_skid (clk, rst, valid_q || !skid_valid_q);
`endif
endmodule

`default_nettype wire
