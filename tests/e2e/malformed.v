// Bench of an emitted top with one input and one output: frames that are too short or too long, resets in the middle of frames, idle
// garbage. Macros: TOP, SW and MW (bits of a beat), SB and MB (beats of a frame), MMASK (bits of a last beat that mean something).
// What good frames give is learnt first, without pauses. One line FAIL for each wrong beat, and "done N frames" at the end.
`timescale 1ns / 1ns
`define FRAMES 4
module tb;
  reg clk = 0, rst = 1, s_valid = 0, s_last = 1'bx, m_ready = 0;
  reg [`SW-1:0] s_data;
  wire s_ready, m_valid, m_last, m_error;
  wire [`MW-1:0] m_data;
  wire [7:0] count;

  `TOP dut (.clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .s_last(s_last), .s_error_count(count),
            .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data), .m_last(m_last), .m_error(m_error));

  always #5 clk = !clk;

  reg [`SW-1:0] in [0:`FRAMES*`SB-1];
  reg [`MW-1:0] gold [0:`FRAMES*`MB-1];
  reg [31:0] frame_of [0:4095];  // what is expected: frame, and whether it is damaged
  reg        bad_of [0:4095];
  integer seed = `SEED, sent = 0, got = 0, beat = 0, damaged = 0, total = 0, failed = 0;
  integer s_mode = 0, m_mode = 0, i, j;
  reg learning = 1, hold = 0;
  reg [`MW+1:0] held;
  reg [1023:0] wide;

  task fail(input [511:0] what);
    begin
      failed = failed + 1;
      if (failed < 10) $display("FAIL %0s: frame %0d, beat %0d, time %0t", what, got, beat, $time);
    end
  endtask

  // The sink, and what it checks: valid and value hold; MB beats a frame; flags; values of good frames.
  wire [`MW-1:0] mask = beat == `MB - 1 ? `MMASK : {`MW{1'b1}};
  always @(negedge clk)
    case (m_mode)
      0: m_ready = 1;
      1: m_ready = $random(seed);
      2: m_ready = ($random(seed) & 7) == 0;
      default: m_ready = m_valid === 1 && !m_ready;
    endcase
  always @(posedge clk)
    if (rst) hold = 0;
    else begin
      if (m_valid === 1'bx || s_ready === 1'bx) fail("unknown handshake");
      if (hold && (m_valid !== 1 || {m_last && m_error, m_last, m_data} !== held)) fail("not held");
      hold = m_valid === 1 && !m_ready;
      held = {m_last && m_error, m_last, m_data};
      if (m_valid === 1 && m_ready) begin
        if (got >= sent) fail("a frame that nobody sent");
        if (m_last !== (beat == `MB - 1)) fail("last");
        if (m_last === 1 && m_error !== bad_of[got]) fail("error");
        if (learning) gold[got*`MB+beat] = m_data;
        else if (!bad_of[got] && ((m_data ^ gold[frame_of[got]*`MB+beat]) & mask) !== 0) fail("value");
        if (beat == `MB - 1) got = got + 1;
        beat = beat == `MB - 1 ? 0 : beat + 1;
      end
    end

  task idle(input integer cycles);
    begin
      s_valid = 0;
      s_data = {`SW{1'bx}};
      s_last = 1'bx;
      repeat (cycles) @(negedge clk);
    end
  endtask

  // A beat that is `last` or not; it is offered from one falling edge on and taken at a rising one.
  task give(input [`SW-1:0] data, input last);
    begin
      case (s_mode)
        0: ;
        1: while ($random(seed) & 1) idle(1);
        2: while ($random(seed) & 7) idle(1);
        default: if (($random(seed) & 15) == 0) idle(40);
      endcase
      s_valid = 1;
      s_data = data;
      s_last = last;
      @(posedge clk);
      while (s_ready !== 1) @(posedge clk);
      @(negedge clk) s_valid = 0;
    end
  endtask

  // `length` beats of a frame, the last of them after a pause.
  task send(input integer frame, input integer length, input integer pause);
    begin
      for (j = 0; j < length; j = j + 1) begin
        if (j == length - 1) begin
          frame_of[sent] = frame;
          bad_of[sent] = length != `SB;
          damaged = damaged + (length != `SB);
          sent = sent + 1;
          total = total + 1;
          idle(pause);
        end
        give(j < `SB ? in[frame*`SB+j] : {`SW{1'b1}}, j == length - 1);
      end
      idle(0);
    end
  endtask

  task settle;
    integer waited;
    begin
      m_mode = 0;
      for (waited = 0; waited < `WAIT && got < sent; waited = waited + 1) @(posedge clk);
      if (got < sent) fail("missing frames");
      repeat (200) @(posedge clk);
      if (beat != 0) fail("a part of a frame");
      if (count !== damaged[7:0]) fail("count");
      @(negedge clk);
    end
  endtask

  task reset;
    begin
      idle(0);
      rst = 1;
      @(posedge clk);
      @(negedge clk) rst = 0;
      sent = 0;
      got = 0;
      beat = 0;
      damaged = 0;
    end
  endtask

  integer a, b, r;
  initial begin
    for (i = 0; i < `FRAMES * `SB; i = i + 1) begin
      for (a = 0; a < 1024; a = a + 32) wide[a+:32] = $random(seed);
      in[i] = wide[`SW-1:0];
    end
    repeat (3) @(negedge clk);
    reset;
    for (a = 0; a < `FRAMES; a = a + 1) send(a, `SB, 0);
    settle;
    learning = 0;
    for (a = 0; a < 4; a = a + 1)
      for (b = 0; b < 4; b = b + 1) begin
        s_mode = a;
        m_mode = b;
        if (b == 0) reset;  // else with what the profile before has left
        send(0, `SB, 0);
        send(1, (`SB + 1) / 2, 0);  // its last comes early,
        send(1, `SB - `SB / 2, 0);  // and again at its end
        send(2, `SB, 0);
        send(3, 2 * `SB, 0);        // a last is missing
        send(0, `SB, 0);
        send(1, 1, 0);
        send(2, `SB + 1, 100);      // the rest of it comes later
        send(3, `SB + 3, 0);
        send(3, `SB, 0);
        settle;
        for (r = 0; r < 4; r = r + 1)
          send($unsigned($random(seed)) % `FRAMES, $random(seed) & 1 ? `SB : 1 + $unsigned($random(seed)) % (2 * `SB), 0);
        send(2, `SB, 0);
        settle;
      end
    // A reset anywhere, also in what is left of a damaged frame: the frames after it are good.
    for (r = 0; r < 16; r = r + 1) begin
      s_mode = r % 4;
      m_mode = r / 4 % 4;
      send(1, r % 3 == 0 ? 1 : r % 3 == 1 ? `SB : `SB + 2, 0);
      for (j = 0; j < $unsigned($random(seed)) % (`SB + 3); j = j + 1) give(in[j % `SB], 0);
      if (r % 2 == 0) idle($unsigned($random(seed)) % 60);
      reset;
      send(2, `SB, 0);
      send(3, `SB, 0);
      settle;
    end
    $display("done %0d frames, %0d failures", total, failed);
    $finish;
  end
endmodule
