// A module that no proof names.
module weir_unproved (input wire clk);
endmodule
