// weir_board_memory as it is written, and as a netlist (module netlist): words of WIDTH bits written a byte at a time
// and read, by requests and by the accelerator, at random. A word that is read while it is written is not compared: by
// contract nobody uses it.
`timescale 1ns / 1ps
`default_nettype none

module bench;
  parameter integer WIDTH = 8;
  parameter integer DEPTH = 2;
  parameter integer REGISTERED = 0;
  localparam integer BYTES = (WIDTH + 7) / 8;

  reg clk = 1'b0, en = 1'b0, serve = 1'b0, ask, write = 1'b0;
  reg [9:0] addr = 10'd0, word = 10'd0;
  reg [3:0] place = 4'd0;
  reg [7:0] data;
  wire [25:0] request = {serve, ask, write, data, 1'b0, place, word};
  wire [WIDTH-1:0] q, netlist_q;
  wire [9:0] answer, netlist_answer;
  reg [1:0] used = 2'b00;  // of the memory's register, and of the one behind it: whether it holds such a word
  integer i, differ = 0, compared = 0;

  always #5 clk = !clk;

  weir_board_memory #(
    .WIDTH(WIDTH), .DEPTH(DEPTH), .INIT("words.hex"), .LOADABLE(1), .REGISTERED(REGISTERED), .PLACE_W(4), .WORD_W(10)
  ) u_written (clk, en, addr[$clog2(DEPTH)-1:0], q, request, 10'd0, answer);
  netlist u_netlist (clk, en, addr[$clog2(DEPTH)-1:0], netlist_q, request, 10'd0, netlist_answer);

  initial begin
    for (i = 0; i < 20000; i = i + 1) begin
      @(negedge clk);
      write = $random % 4 == 0;
      serve = write || $random % 8 != 0;
      ask = serve && !write && $random % 2 == 0;
      en = $random;
      data = $random;
      word = $unsigned($random) % DEPTH;
      addr = $unsigned($random) % DEPTH;
      place = $unsigned($random) % BYTES;
      @(posedge clk);
      if (en || serve) used = {used[0], write};
      #1;
      if (!used[REGISTERED] && ^q !== 1'bx) begin
        compared = compared + 1;
        if (q !== netlist_q || answer !== netlist_answer) differ = differ + 1;
      end
    end
    $display("%0d of %0d differ", differ, compared);
    $finish;
  end
endmodule

`default_nettype wire
