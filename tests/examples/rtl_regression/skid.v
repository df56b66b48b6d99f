// A register slice of the user's own: takes a word while the one before waits.
module skid #(
  parameter WIDTH = 8
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             s_valid,
  output wire             s_ready,
  input  wire [WIDTH-1:0] s_data,
  output reg              m_valid,
  input  wire             m_ready,
  output reg  [WIDTH-1:0] m_data
);
  reg             full;
  reg [WIDTH-1:0] kept;

  assign s_ready = !full;

  always @(posedge clk) begin
    if (m_ready || !m_valid) begin
      m_valid <= full || s_valid;
      m_data  <= full ? kept : s_data;
      full    <= 1'b0;
    end else if (s_valid && !full) begin
      full <= 1'b1;
      kept <= s_data;
    end
    if (rst) begin
      m_valid <= 1'b0;
      full    <= 1'b0;
    end
  end
endmodule
