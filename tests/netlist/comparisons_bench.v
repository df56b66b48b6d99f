module comparisons_bench;
  reg [3:0] x, y;
  wire [11:0] expected, found;
  wire [3:0] expected_constant, found_constant;
  integer i, wrong = 0;
  comparisons u_expected (x, y, expected, expected_constant);
  mapped u_found (.x(x), .y(y), .result(found), .constant(found_constant));
  initial begin
    for (i = 0; i < 256; i = i + 1) begin
      {x, y} = i;
      #1 if ({found, found_constant} !== {expected, expected_constant}) begin
        if (wrong < 3) $display("%0d, %0d: expected %b, found %b", x, y, {expected, expected_constant}, {found, found_constant});
        wrong = wrong + 1;
      end
    end
    $display("%0s", wrong == 0 ? "equal" : "different");
  end
endmodule
