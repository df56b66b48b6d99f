// Rows of input bits from a file, one after the other, for benches that play themselves (without the C harness).
// A row takes 4 time units: data changes, 2 units later `stable` rises, which is when outputs are read
// (weir_sim_trace), and falls again one unit later. After the last row the simulation ends, so all of a bench have the
// same number of rows. The file is in $readmemh form, a row a word. Nothing happens at time 0. Simulation only.
`timescale 1ns / 1ns
`default_nettype none
module weir_sim_stimulus #(
    parameter WIDTH = 8,
    parameter ROWS = 1,
    parameter FILE = ""
) (
    output reg [WIDTH-1:0] data,
    output reg             stable
);
    reg [WIDTH-1:0] rows [0:ROWS-1];
    integer row;

    initial begin
        $readmemh(FILE, rows);
        data = {WIDTH{1'b0}};
        stable = 1'b0;
        for (row = 0; row < ROWS; row = row + 1) begin
            #1 data = rows[row];
            #2 stable = 1'b1;
            #1 stable = 1'b0;
        end
        $finish(0);
    end
endmodule
`default_nettype wire
