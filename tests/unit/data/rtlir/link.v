// One stream register without back-pressure: a stand-in for library parts.
module link #(
  parameter integer WIDTH = 8,
  parameter         INIT  = ""
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             s_valid,
  input  wire [WIDTH-1:0] s_data,
  output reg              m_valid,
  output reg  [WIDTH-1:0] m_data
);
  always @(posedge clk) m_data <= s_data;
  always @(posedge clk) m_valid <= s_valid && !rst;
endmodule
