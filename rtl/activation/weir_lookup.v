// weir_lookup: y = table[x], lane by lane: any function of a code.
//
// The tables are external ROMs, one a lane; each returns the word at t_addr after READ cycles with t_en high. An
// address is {group of the beat, code with the bits it comes in}; beats belong to groups 0 to GROUPS - 1 in turn, so
// each channel can have its own table.
// Latency:   READ + 1 cycles.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_lookup.
// State:     {last, valid} of the beats whose words are being read, the group of the next beat, a register slice of
//            LANES * OUT_W bits.
// Invariant: the ROMs' registers and those of the beats advance together, when the last one is empty or the slice
//            accepts it.
// Mapping:   the slice, a counter if GROUPS > 1; each table is a memory block or logic, as weir_rom is.
`default_nettype none

module weir_lookup #(
  parameter integer LANES  = 1,
  parameter integer IN_W   = 8,
  parameter integer OUT_W  = 8,
  parameter integer GROUPS = 1,  // beats until the tables repeat
  parameter integer READ   = 1   // registers from t_addr to t_data
) (
  input  wire                                                           clk,
  input  wire                                                           rst,
  input  wire                                                           s_valid,
  output wire                                                           s_ready,
  input  wire [LANES*IN_W-1:0]                                          s_data,
  input  wire                                                           s_last,
  output wire                                                           t_en,
  output wire [LANES*(IN_W+(GROUPS > 1 ? $clog2(GROUPS) : 0))-1:0]      t_addr,
  input  wire [LANES*OUT_W-1:0]                                         t_data,
  output wire                                                           m_valid,
  input  wire                                                           m_ready,
  output wire [LANES*OUT_W-1:0]                                         m_data,
  output wire                                                           m_last
);
  generate
    if (LANES < 1 || IN_W < 1 || OUT_W < 1 || GROUPS < 1 || READ < 1) begin : g_check
      weir_lookup_LANES_IN_W_OUT_W_GROUPS_and_READ_must_be_at_least_1 u_error ();
    end
  endgenerate

  reg  [READ-1:0] valid_q, last_q;  // bit i: register i of the ROMs holds a word
  wire            o_ready;

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = s_valid && s_ready;
  /* verilator lint_on UNUSEDSIGNAL */

  assign t_en    = o_ready || !valid_q[READ-1];
  assign s_ready = t_en;

  /* verilator lint_off WIDTH */ // the oldest bit is dropped
  always @(posedge clk)
    if (rst) valid_q <= {READ{1'b0}};
    else if (t_en) valid_q <= {valid_q, s_valid};

  always @(posedge clk) if (t_en) last_q <= {last_q, s_last};
  /* verilator lint_on WIDTH */

  generate
    if (GROUPS == 1) begin : g_one_table
      assign t_addr = s_data;
    end else begin : g_groups
      localparam integer GROUP_W = $clog2(GROUPS);
      localparam integer TOP     = GROUPS - 1;
      reg  [GROUP_W-1:0] group_q;
      genvar l;

      always @(posedge clk)
        if (rst) group_q <= {GROUP_W{1'b0}};
        else if (active) group_q <= group_q == TOP[GROUP_W-1:0] ? {GROUP_W{1'b0}} : group_q + 1'b1;

      for (l = 0; l < LANES; l = l + 1) begin : g_lane
        assign t_addr[l*(GROUP_W+IN_W) +: GROUP_W+IN_W] = {group_q, s_data[l*IN_W +: IN_W]};
      end
    end
  endgenerate

  weir_register_slice #(
    .WIDTH(LANES * OUT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(valid_q[READ-1]),
    .s_ready(o_ready),
    .s_data (t_data),
    .s_last (last_q[READ-1]),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_carried #("weir_lookup", LANES * OUT_W) u_check (
    clk, rst, s_valid && s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
