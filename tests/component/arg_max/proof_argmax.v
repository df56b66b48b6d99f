// The index that a search from the first element to the last finds, for each row.
// sources: pool/weir_argmax.v stream/weir_register_slice.v
// prove: unbounded LANES=1 WIDTH=2 SIGNED=0 BEATS=1 LAST=0
// prove: unbounded LANES=1 WIDTH=2 SIGNED=1 BEATS=3 LAST=0
// prove: unbounded LANES=2 WIDTH=1 SIGNED=0 BEATS=2 LAST=1
// prove: unbounded LANES=3 WIDTH=2 SIGNED=1 BEATS=1 LAST=0
// prove: unbounded LANES=3 WIDTH=1 SIGNED=0 BEATS=2 LAST=0
// nightly: unbounded LANES=4 WIDTH=2 SIGNED=1 BEATS=3 LAST=1
// planted: nightly
module proof #(
  parameter integer LANES  = 1,
  parameter integer WIDTH  = 1,
  parameter integer SIGNED = 0,
  parameter integer BEATS  = 1,
  parameter integer LAST   = 0,
  parameter integer OUT_W  = $clog2(LANES * BEATS + 1)
) (
  input wire                   clk, s_valid,
  input wire [LANES*WIDTH-1:0] s_data,
  input wire                   s_last, m_ready
);
  localparam integer COUNT_W = $clog2(BEATS + 1);
  localparam integer LEVELS  = LANES > 2 ? $clog2(LANES) : 1;
  localparam [COUNT_W-1:0] TOP = BEATS - 1;

  wire                    rst, s_ready, m_valid, m_last, mark;
  wire [OUT_W-1:0]        m_data;
  wire [$clog2(LEVELS+4)-1:0] rows;
  reg  [COUNT_W-1:0]      beat_q;            // of the row
  reg  [OUT_W-1:0]        expected, expected_q;    // index of the largest element so far
  reg  signed [WIDTH:0]   x, largest, largest_q;
  integer                 l;

  weir_argmax #(
    .LANES (LANES),
    .WIDTH (WIDTH),
    .SIGNED(SIGNED),
    .BEATS (BEATS),
    .OUT_W (OUT_W),
    .LAST  (LAST)
  ) u_dut (.*);

  wire take  = s_valid && s_ready;
  wire ends  = beat_q == TOP;
  wire enter = take && ends;

  always @* begin
    expected   = expected_q;
    largest = largest_q;
    for (l = 0; l < LANES; l = l + 1) begin
      x = {SIGNED != 0 && s_data[l*WIDTH + WIDTH - 1], s_data[l*WIDTH +: WIDTH]};
      if ((l == 0 && beat_q == 0) || x > largest || (LAST != 0 && x == largest)) begin
        expected   = beat_q * LANES + l;
        largest = x;
      end
    end
  end

  always @(posedge clk) begin
    if (rst) beat_q <= {COUNT_W{1'b0}};
    else if (take) beat_q <= ends ? {COUNT_W{1'b0}} : beat_q + 1'b1;
    if (take) begin
      expected_q   <= expected;
      largest_q <= largest;
    end
  end

  proof_reset u_reset (clk, rst);
  proof_source #(LANES * WIDTH + 1) u_source (clk, rst, s_valid, s_ready, {s_last, s_data});
  proof_hold #(OUT_W + 1) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  proof_order #(OUT_W + 1, LEVELS + 2) u_order (
    clk, rst, enter, {s_last, expected}, m_valid, m_valid && m_ready, {m_last, m_data}, rows, mark
  );
  proof_answer #(LEVELS) u_leaves (clk, rst, rows != 0, m_valid);
  proof_answer #(1) u_enters (clk, rst, s_valid && m_ready, s_ready);
endmodule
