// Products of the multipliers of boards/cells/gowin.v, against sums of shifted factors, of all signs: prints 'wrong N
// of M'.
`timescale 1ns / 1ps
module products_bench;
  reg  [35:0]  a, b;
  reg          a_signed, b_signed;
  wire [17:0]  y9;
  wire [35:0]  y18;
  wire [71:0]  y36;
  integer      wrong = 0, compared = 0, seed = 7, i;

  MULT9X9 u9 (.A(a[8:0]), .SIA(9'd0), .B(b[8:0]), .SIB(9'd0), .ASIGN(a_signed), .BSIGN(b_signed), .ASEL(1'b0), .BSEL(1'b0), .CE(1'b0),
    .CLK(1'b0), .RESET(1'b0), .DOUT(y9), .SOA(), .SOB());
  MULT18X18 u18 (.A(a[17:0]), .SIA(18'd0), .B(b[17:0]), .SIB(18'd0), .ASIGN(a_signed), .BSIGN(b_signed), .ASEL(1'b0), .BSEL(1'b0),
    .CE(1'b0), .CLK(1'b0), .RESET(1'b0), .DOUT(y18), .SOA(), .SOB());
  MULT36X36 u36 (.A(a), .B(b), .ASIGN(a_signed), .BSIGN(b_signed), .CE(1'b0), .CLK(1'b0), .RESET(1'b0), .DOUT(y36));

  // By hand: a bit of the second factor at a time, of which the highest counts negative where it is signed.
  function [71:0] product(input integer width, input [35:0] one, other, input one_signed, other_signed);
    reg [71:0] extended;
    integer    k;
    begin
      extended = {36'd0, one};
      for (k = 0; k < 72; k = k + 1) if (k >= width) extended[k] = one_signed && one[width-1];
      product = 72'd0;
      for (k = 0; k < width; k = k + 1)
        if (other[k]) product = k == width - 1 && other_signed ? product - (extended << k) : product + (extended << k);
    end
  endfunction

  task compare(input integer width, input [71:0] found);
    reg [71:0] mask;
    begin
      mask     = 72'hffffffffffffffffff >> (72 - 2 * width);
      compared = compared + 1;
      if (found !== (product(width, a, b, a_signed, b_signed) & mask)) wrong = wrong + 1;
    end
  endtask

  initial begin
    for (i = 0; i < 4000; i = i + 1) begin
      a = {$random(seed), $random(seed)};
      b = {$random(seed), $random(seed)};
      if (i % 16 < 4) a = {36{1'b1}} << (i % 37); // ends of the ranges
      if (i % 16 < 2) b = {36{1'b1}} << (i % 35);
      {a_signed, b_signed} = i[1:0];
      #1;
      compare(9, {54'd0, y9});
      compare(18, {36'd0, y18});
      compare(36, y36);
    end
    $display("wrong %0d of %0d", wrong, compared);
    $finish;
  end
endmodule
