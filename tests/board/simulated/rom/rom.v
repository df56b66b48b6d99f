// A board that needs memory files: one that it names, one whose name it puts together.
`default_nettype none
module weir_board (
    input  wire clk, rx,
    output reg  tx
);
    reg [7:0] first[0:1];
    reg [7:0] second[0:1];
    initial $readmemh("first.hex", first);  // not "comment.hex"
    initial $readmemh({"second", ".hex"}, second);
    always @(posedge clk) tx <= rx ^ first[0][0] ^ second[0][0];
endmodule
`default_nettype wire
