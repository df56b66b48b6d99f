// Frames of elements, re-packed: a marked element at a free place of a frame appears in its lane of its beat.
// sources: stream/weir_lane_converter.v stream/weir_register_slice.v
// define: WEIR_CHECK
// prove: unbounded IN=1 OUT=3 FRAME=5
// prove: unbounded IN=2 OUT=2 FRAME=3
// prove: unbounded IN=2 OUT=4 FRAME=6
// nightly: unbounded IN=3 OUT=1 FRAME=5
// nightly: unbounded IN=2 OUT=3 FRAME=7
// nightly: unbounded IN=3 OUT=2 FRAME=7
// nightly: bounded 14 IN=3 OUT=5 FRAME=11
// nightly: unbounded IN=3 OUT=5 FRAME=11
// nightly: unbounded IN=5 OUT=3 FRAME=11
// nightly: unbounded IN=1 OUT=4 FRAME=2
// planted: nightly
module proof #(
  parameter integer IN    = 1,  // lanes
  parameter integer OUT   = 1,
  parameter integer FRAME = 1
) (
  input wire          clk, s_valid,
  input wire [IN-1:0] s_data,
  input wire          s_last, m_ready
);
  localparam integer S_BEATS = (FRAME + IN - 1) / IN;
  localparam integer M_BEATS = (FRAME + OUT - 1) / OUT;
  localparam integer MOST    = FRAME + 2 * (IN + OUT);
  localparam integer PLACE_W = $clog2(MOST + 1);

  (* anyconst *) wire [PLACE_W-1:0] place;  // of the marked element in its frame
  wire               rst, s_ready, m_valid, m_last, mark, watched;
  wire [OUT-1:0]     m_data;
  reg  [PLACE_W-1:0] s_place_q, m_place_q;  // of the first element of the beats
  wire [2:0]         frames;                // that have entered whole and not left
  reg                value_q;               // of the marked element

  weir_lane_converter #(
    .WIDTH    (1),
    .IN_LANES (IN),
    .OUT_LANES(OUT),
    .FRAME    (FRAME)
  ) u_dut (.*);

  wire take  = s_valid && s_ready;
  wire leave = m_valid && m_ready;
  wire may   = take && place >= s_place_q && place < s_place_q + IN;
  wire whole = frames != 0 || (m_place_q + OUT <= s_place_q);  // all elements of the next output beat have entered
  wire [OUT-1:0] beyond = {OUT{1'b1}} << (FRAME - (M_BEATS - 1) * OUT);

  always @(posedge clk) begin
    if (rst) s_place_q <= {PLACE_W{1'b0}};
    else if (take) s_place_q <= s_last ? {PLACE_W{1'b0}} : s_place_q + IN;
    if (rst) m_place_q <= {PLACE_W{1'b0}};
    else if (leave) m_place_q <= m_last ? {PLACE_W{1'b0}} : m_place_q + OUT;
    if (mark) value_q <= s_data >> (place - s_place_q);
  end

  always @* assume (place < FRAME);

  always @* if (!rst) begin
    if (m_valid) nothing_invented: assert (whole);
    if (m_valid && watched && place >= m_place_q && place < m_place_q + OUT)
      value: assert (((m_data >> (place - m_place_q)) & 1) == value_q);
    if (m_valid && m_last) zeros_beyond: assert ((m_data & beyond) == 0);
  end

  proof_reset u_reset (clk, rst);
  proof_marked u_marked (clk, rst, may, take && s_last, leave && m_last, frames, mark, watched);
  proof_source #(IN + 1) u_source (clk, rst, s_valid, s_ready, {s_last, s_data});
  proof_frames #(S_BEATS) u_frames (clk, rst, s_valid, s_ready, s_last);
  proof_hold #(OUT + 1) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  proof_last #(M_BEATS) u_last (clk, rst, m_valid, m_ready, m_last);
  proof_answer #(3) u_leaves (clk, rst, whole, m_valid);
  proof_answer #(S_BEATS + M_BEATS + 3) u_enters (clk, rst, s_valid && m_ready, s_ready);
endmodule
