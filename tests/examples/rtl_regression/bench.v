// Words in random gaps through the slice, compared in order; +seed=N. The last line is "passed" or says what failed.
module bench;
  parameter WIDTH = 8;

  reg              clk = 0, rst = 1, s_valid = 0, m_ready = 0;
  reg  [WIDTH-1:0] s_data = 0, want = 0;
  wire             s_ready, m_valid;
  wire [WIDTH-1:0] m_data;
  integer          seed = 1, moved = 0, cycles = 0;

  skid #(.WIDTH(WIDTH)) dut (.clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
                             .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data));

  always #1 clk = !clk;

  initial begin
    if ($value$plusargs("seed=%d", seed)) begin end
    #9 rst = 0;
  end

  always @(posedge clk) if (!rst) begin
    cycles <= cycles + 1;
    if (s_valid && s_ready) s_data <= s_data + 1;
    if (!s_valid || s_ready) s_valid <= $random(seed) & 1;
    m_ready <= $random(seed) & 1;
    if (m_valid && m_ready) begin
      want  <= want + 1;
      moved <= moved + 1;
      if (m_data !== want) begin
        $display("word %0d: expected %0d, found %0d", moved, want, m_data);
        $finish;
      end else if (moved == 999) begin
        $display("%0d cycles", cycles);
        $display("passed");
        $finish;
      end
    end
  end
endmodule
