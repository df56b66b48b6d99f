// The waveform of rtl/README.md, "Frames": the doors of a design of frames of three beats, a register between them. One
// character a cycle, as the rising edge at its end sees it: # high, _ low; of data the beat that is offered, the same
// letter once more where it is not taken yet.
`timescale 1ns / 1ns
module frames;
  localparam integer CYCLES = 24;
  reg clk = 0, rst = 1, s_valid = 0, s_last = 0;
  reg [7:0] s_data = ".";
  wire s_ready, m_valid, m_last, m_error, valid, ready, last, hold, done, damaged, o_valid, o_ready, o_last;
  wire [7:0] m_data, count;
  reg m_ready = 1, gone = 0;  // what was offered has been taken

  weir_frame_guard #(.BEATS(3)) u_s (.clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .s_last(s_last), .m_valid(valid),
    .m_ready(ready), .m_last(last), .hold(hold), .done(done), .damaged(damaged), .count(count));
  weir_register_slice #(.WIDTH(8)) u_design (.clk(clk), .rst(rst), .s_valid(valid), .s_ready(ready), .s_data(s_data), .s_last(last),
    .m_valid(o_valid), .m_ready(o_ready), .m_data(m_data), .m_last(o_last));
  weir_frame_flags u_m (.clk(clk), .rst(rst), .done(done), .damaged(damaged), .hold(hold), .s_valid(o_valid), .s_ready(o_ready),
    .s_last(o_last), .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last), .m_error(m_error));

  always #5 clk = !clk;

  // Beats in order, a pause where there is a dot; those with a capital letter have `last`.
  reg [8*18-1:0] beats = ".abCdE.fghiJklM...";
  reg [8*CYCLES-1:0] rows [0:8];
  integer cycle = 0, row, at = 17;

  function [7:0] wave(input value);
    wave = value === 1'b1 ? "#" : "_";
  endfunction

  task put(input integer which, input [7:0] what);
    rows[which] = {rows[which][8*CYCLES-9:0], what};
  endtask

  always @(negedge clk) begin
    if (!rst && gone && at > 0) at = at - 1;
    s_data  = beats[8*at+:8];
    s_valid = !rst && s_data != ".";
    s_last  = s_data >= "A" && s_data <= "Z";
    m_ready = cycle != 5 && cycle != 6;
    if (cycle == 1) rst = 0;
  end
  always @(posedge clk) begin
    gone = !s_valid || s_ready;
    put(0, wave(s_valid));
    put(1, wave(s_ready));
    put(2, s_valid ? s_data : ".");
    put(3, wave(s_valid && s_last));
    put(4, wave(m_valid));
    put(5, wave(m_ready));
    put(6, m_valid === 1'b1 ? m_data : ".");
    put(7, wave(m_valid && m_last));
    put(8, wave(m_valid && m_error));
    cycle = cycle + 1;
    if (cycle == CYCLES) begin
      $display("s_valid  %s\ns_ready  %s\ns_data   %s\ns_last   %s\n", rows[0], rows[1], rows[2], rows[3]);
      $display("m_valid  %s\nm_ready  %s\nm_data   %s\nm_last   %s\nm_error  %s", rows[4], rows[5], rows[6], rows[7], rows[8]);
      $finish;
    end
  end
endmodule
