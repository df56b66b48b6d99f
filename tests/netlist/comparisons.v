// Every pair of 4-bit numbers, compared in every way, unsigned and signed.
module comparisons (
  input  wire [3:0] x, y,
  output wire [11:0] result,
  output wire [3:0]  constant
);
  wire signed [3:0] p = x, q = y;
  assign result = {p >= q, p <= q, p > q, p < q, p == q, p != q, x >= y, x <= y, x > y, x < y, x == y, x != y};
  assign constant = {x >= 4'd0, x <= 4'd0, y >= 4'd9, y <= 4'd9};
endmodule
