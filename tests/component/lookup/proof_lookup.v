// The word of a beat's group at its code, for all tables, read through the registers of a ROM.
// sources: activation/weir_lookup.v stream/weir_register_slice.v
// prove: unbounded LANES=1 IN_W=2 OUT_W=1 GROUPS=1 READ=1
// prove: unbounded LANES=1 IN_W=1 OUT_W=1 GROUPS=3 READ=1
// prove: unbounded LANES=2 IN_W=1 OUT_W=1 GROUPS=2 READ=1
// prove: unbounded LANES=2 IN_W=1 OUT_W=2 GROUPS=1 READ=2
// nightly: unbounded LANES=2 IN_W=2 OUT_W=1 GROUPS=3 READ=3
// planted: nightly
module proof #(
  parameter integer LANES  = 1,
  parameter integer IN_W   = 2,
  parameter integer OUT_W  = 1,
  parameter integer GROUPS = 1,
  parameter integer READ   = 1,
  parameter integer GROUP_W = GROUPS > 1 ? $clog2(GROUPS) : 0,
  parameter integer ADDR_W = IN_W + GROUP_W,
  parameter integer TABLE  = OUT_W << ADDR_W
) (
  input wire                  clk, s_valid,
  input wire [LANES*IN_W-1:0] s_data,
  input wire                  s_last, m_ready
);
  localparam integer LANE_W = LANES * OUT_W;

  (* anyconst *) wire [LANES*TABLE-1:0] tables;
  wire                    rst, s_ready, m_valid, m_last, t_en;
  wire [LANES*ADDR_W-1:0] t_addr;
  wire [LANE_W-1:0]       m_data, expected, word;
  reg  [READ*LANE_W-1:0]  words_q;  // of the ROMs' registers, the oldest at the top
  reg  [31:0]             group_q;

  weir_lookup #(
    .LANES (LANES),
    .IN_W  (IN_W),
    .OUT_W (OUT_W),
    .GROUPS(GROUPS),
    .READ  (READ)
  ) u_dut (.*, .t_data(words_q[READ*LANE_W-1 -: LANE_W]));

  always @(posedge clk) begin
    if (t_en) words_q <= {words_q, word};
    if (rst) group_q <= 32'd0;
    else if (s_valid && s_ready) group_q <= group_q == GROUPS - 1 ? 32'd0 : group_q + 32'd1;
  end

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire [TABLE-1:0] own = tables[l*TABLE +: TABLE];
      wire [31:0]      at  = (group_q << IN_W) + s_data[l*IN_W +: IN_W];
      assign word[l*OUT_W +: OUT_W]     = own >> (t_addr[l*ADDR_W +: ADDR_W] * OUT_W);
      assign expected[l*OUT_W +: OUT_W] = own >> (at * OUT_W);
    end
  endgenerate

  proof_component #(LANES * IN_W, LANE_W, READ + 2, READ) u_component (.*);
endmodule
