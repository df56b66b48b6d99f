// A module header with everything that the reader knows.
`timescale 1ns / 1ps
`default_nettype none

(* keep_hierarchy, note = "a ; b" *)
module part #(
  parameter integer LANES = 4,        // comment, with ( and ;
  parameter         WIDTH = 8, DEPTH = 1 << 3,
  parameter         INIT = "none",    /* block
                                         comment */
  parameter signed [31:0] OFFSET = -3,
  parameter [LANES*4-1:0] TABLE = {LANES{4'd5}},
  localparam ADDRESS = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
  input  wire                              clk, rst,
  input  wire [LANES*WIDTH-1:0]            s_data,
  (* keep *) input wire                    s_valid,
  output wire                              s_ready,
  output reg  signed [TOTAL - 1 : 0]       m_sum,
  output wire [ADDRESS-1:0]                m_address,
  input  wire [(INIT == "none" ? 4 : 'h10) - 1:0] mode
);
  function integer twice(input integer x);
    localparam TOTAL = 99;
    twice = 2 * x;
  endfunction

  always @(*) begin : named
    m_sum = 0;
  end

  generate
    if (LANES > 1) begin : g_many
      localparam TOTAL = 77;
    end
  endgenerate

  localparam GROW = $clog2(LANES), UNUSED = twice(3), TOTAL = WIDTH + GROW;
endmodule

`default_nettype wire
