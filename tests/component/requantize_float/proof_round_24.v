// The nearest number of 24 significant bits, of two that are as near the one whose last bit is zero: by its magnitude,
// bit by bit as IEEE 754 says it of a conversion to binary32.
// sources: cast/weir_round_24.v
// prove: window 3 IN_W=26
// prove: window 3 IN_W=27
// prove: window 3 IN_W=31
// planted: nightly
module proof #(
  parameter integer IN_W = 26
) (
  input wire            clk,
  input wire [IN_W-1:0] x
);
  wire                   ends;
  wire signed [IN_W:0]   y;
  reg  signed [IN_W-1:0] x_1_q, x_2_q;
  wire signed [IN_W:0]   wide = x_2_q;
  wire [IN_W:0]          size = wide < 0 ? -wide : wide;
  reg  [IN_W:0]          unit, down, rest, rounded;
  wire signed [IN_W:0]   expected = wide < 0 ? -rounded : rounded;
  integer                i;

  weir_round_24 #(
    .IN_W(IN_W)
  ) u_dut (
    .clk(clk),
    .x  (x),
    .y  (y)
  );

  always @* begin
    unit = 1;
    for (i = 24; i <= IN_W; i = i + 1) if (size[i]) unit = 1 << (i - 23);
    down    = size & ~(unit - 1);
    rest    = size - down;
    rounded = rest + rest > unit || (rest + rest == unit && (down & unit) != 0) ? down + unit : down;
  end

  always @(posedge clk) begin
    x_1_q <= x;
    x_2_q <= x_1_q;
  end

  proof_window #(2) u_window (.clk(clk), .ends(ends));
  proof_equal #(IN_W + 1) u_equal (1'b0, ends, y, expected);
endmodule
