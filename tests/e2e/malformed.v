// Bench of an emitted top with any number of inputs and outputs (module `ports`, made by malformed.sh): frames that are
// too short or too long, each input in its own time, resets in the middle of frames, idle garbage. Macros: SEED, WAIT
// (cycles that frames may take), INPUTS, OUTPUTS, W and BEATS (bits of the widest port, beats of the longest frame),
// and of all ports together, the first one lowest: SB and MB (beats of a frame), MW and MKEPT (bits of a beat, bits of
// a last beat that mean something), 32 bits each, and DEPENDS, a bit an input for each output; EVERY, of the pairs of
// profiles and of the resets every how manieth is tried. What good frames give is learnt first, without pauses. One
// line FAIL for each wrong beat, and "done N frames" at the end.
`timescale 1ns / 1ns
`define FRAMES 4
`define PLAN 64
module tb;
  localparam [32*`INPUTS-1:0] SB = `SB;
  localparam [32*`OUTPUTS-1:0] MB = `MB, MW = `MW, MKEPT = `MKEPT;
  localparam [`INPUTS*`OUTPUTS-1:0] DEPENDS = `DEPENDS;

  reg clk = 0, rst = 1;
  reg  [`INPUTS-1:0] s_valid = 0, s_last;
  reg  [`INPUTS*`W-1:0] s_data;
  wire [`INPUTS-1:0] s_ready;
  wire [`INPUTS*8-1:0] count;
  wire [`OUTPUTS-1:0] m_valid, m_last, m_error;
  wire [`OUTPUTS*`W-1:0] m_data;
  reg  [`OUTPUTS-1:0] m_ready = 0;

  ports dut (.clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .s_last(s_last), .error_count(count),
             .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data), .m_last(m_last), .error(m_error));

  always #5 clk = !clk;

  // The frames since the last reset: what they hold, and of each input how many beats, and the cycles that its last one
  // waits.
  integer planned = 0, content_of [0:`PLAN-1], length_of [0:`PLAN*`INPUTS-1], pause_of [0:`PLAN*`INPUTS-1];
  integer seed = `SEED, total = 0, failed = 0, s_mode = 0, m_mode = 0, left = 0;
  reg learning = 1;

  task fail(input [255:0] what, input integer port, input integer frame, input integer beat);
    begin
      failed = failed + 1;
      if (failed < 10) $display("FAIL %0s: port %0d, frame %0d, beat %0d, time %0t", what, port, frame, beat, $time);
`ifdef STOP
      $finish;  // the first one says enough
`endif
    end
  endtask

  function integer below(input integer most);
    below = $unsigned($random(seed)) % most;
  endfunction

  function is_idle(input integer mode);
    case (mode)
      0: is_idle = 0;
      1: is_idle = below(2) != 0;
      2: is_idle = below(8) != 0;
      default: is_idle = below(16) != 0 && left > 0;  // some time all of them pause
    endcase
  endfunction
  always @(negedge clk) left = left > 0 ? left - 1 : below(64) == 0 ? 40 : 0;

  function [`W-1:0] value_of(input integer port, input integer content, input integer beat);
    integer i, state;
    reg [`W+31:0] wide;
    begin
      state = ((port * 31 + content) * 1021 + beat) * 4099 + `SEED;
      for (i = 0; i < `W; i = i + 32) wide[i+:32] = $random(state);
      value_of = wide[`W-1:0];
    end
  endfunction

  genvar i;
  generate
    for (i = 0; i < `INPUTS; i = i + 1) begin : g_source
      integer frame = 0, beat = 0, waited = 0, damaged = 0, whole;
      reg took;
      always @(posedge clk) begin
        if (!rst && s_ready[i] === 1'bx) fail("unknown ready", i, frame, beat);
        took = s_valid[i] && s_ready[i] === 1'b1;
      end
      always @(negedge clk) begin
        whole = SB[32*i+:32];
        if (took) begin
          if (s_last[i]) damaged = damaged + (length_of[frame*`INPUTS+i] != whole);
          waited = 0;
          beat   = s_last[i] ? 0 : beat + 1;
          frame  = frame + s_last[i];
        end
        if (rst) begin
          frame   = 0;
          beat    = 0;
          waited  = 0;
          damaged = 0;
        end
        if (took || !s_valid[i] || rst) begin
          s_valid[i] = !rst && frame < planned && !is_idle(s_mode);
          if (s_valid[i] && beat == length_of[frame*`INPUTS+i] - 1) begin
            s_valid[i] = waited >= pause_of[frame*`INPUTS+i];
            waited     = waited + 1;
          end
          s_last[i] = s_valid[i] ? beat == length_of[frame*`INPUTS+i] - 1 : 1'bx;
          s_data[i*`W+:`W] = !s_valid[i] ? {`W{1'bx}} : beat < whole ? value_of(i, content_of[frame], beat) : {`W{1'b1}};
        end
        took = 0;
      end
    end

    for (i = 0; i < `OUTPUTS; i = i + 1) begin : g_sink
      reg [`W-1:0] gold [0:`FRAMES*`BEATS-1];
      reg [`W+1:0] held;
      reg hold = 0, bad;
      integer frame = 0, beat = 0, whole, k;
      wire [`W-1:0] mask = {`W{1'b1}} >> (`W - (beat == MB[32*i+:32] - 1 ? MKEPT[32*i+:32] : MW[32*i+:32]));
      wire [`W-1:0] data = m_data[i*`W+:`W] & mask;
      always @(negedge clk) begin
        if (rst) begin
          frame = 0;
          beat  = 0;
        end
        m_ready[i] = m_mode == 3 ? m_valid[i] === 1'b1 && !m_ready[i] : !is_idle(m_mode);
      end
      always @(posedge clk)
        if (rst) hold = 0;
        else begin
          whole = MB[32*i+:32];
          if (m_valid[i] === 1'bx) fail("unknown valid", i, frame, beat);
          if (hold && (m_valid[i] !== 1'b1 || {m_last[i] && m_error[i], m_last[i], data} !== held)) fail("not held", i, frame, beat);
          hold = m_valid[i] === 1'b1 && !m_ready[i];
          held = {m_last[i] && m_error[i], m_last[i], data};
          if (m_valid[i] === 1'b1 && m_ready[i]) begin
            bad = 0;
            for (k = 0; k < `INPUTS; k = k + 1)
              if (DEPENDS[i*`INPUTS+k] && length_of[frame*`INPUTS+k] != SB[32*k+:32]) bad = 1;
            if (frame >= planned) fail("a frame that nobody sent", i, frame, beat);
            if (m_last[i] !== (beat == whole - 1)) fail("last", i, frame, beat);
            if (m_error[i] !== (beat == whole - 1 && bad)) fail("error", i, frame, beat);
            if (learning && ^data === 1'bx) fail("unknown value", i, frame, beat);
            if (learning) gold[frame*`BEATS+beat] = data;
            else if (!bad && data !== gold[content_of[frame]*`BEATS+beat]) fail("value", i, frame, beat);
            frame = frame + (beat == whole - 1);
            beat  = beat == whole - 1 ? 0 : beat + 1;
          end
        end
    end
  endgenerate

  wire [`OUTPUTS-1:0] given;
  wire [`INPUTS-1:0] counted;
  generate
    for (i = 0; i < `OUTPUTS; i = i + 1) begin : g_given
      assign given[i] = g_sink[i].frame == planned && g_sink[i].beat == 0;
    end
    for (i = 0; i < `INPUTS; i = i + 1) begin : g_counted
      assign counted[i] = g_source[i].frame == planned && count[8*i+:8] === g_source[i].damaged[7:0];
    end
  endgenerate

  // One more frame: 0 beats stands for as many as it should have.
  task plan(input integer content, input integer port, input integer beats, input integer pause);
    integer k;
    begin
      content_of[planned] = content;
      for (k = 0; k < `INPUTS; k = k + 1) begin
        length_of[planned*`INPUTS+k] = k == port && beats > 0 ? beats : SB[32*k+:32];
        pause_of[planned*`INPUTS+k]  = k == port ? pause : 0;
      end
      planned = planned + 1;
      total   = total + 1;
    end
  endtask

  // Short ones, long ones, those whose last is missing or one too many; of one input, or of several.
  task plan_all(input integer port);
    integer beats, k;
    begin
      beats = SB[32*port+:32];
      plan(0, port, 0, 0);
      plan(1, port, (beats + 1) / 2, 0);
      plan(1, port, beats - beats / 2, 0);
      plan(2, port, 0, 7);
      plan(3, port, 2 * beats, 0);
      plan(0, port, 0, 0);
      plan(1, port, 1, 0);
      plan(2, port, beats + 1, 100);
      plan(3, port, beats + 3, 0);
      plan(3, port, 0, 0);
      for (k = 0; k < 6; k = k + 1) begin
        plan(below(`FRAMES), below(`INPUTS), 0, below(3) == 0 ? below(20) : 0);
        for (beats = 0; beats < `INPUTS; beats = beats + 1)
          if (below(3) == 0) length_of[(planned-1)*`INPUTS+beats] = 1 + below(2 * SB[32*beats+:32] + 2);
      end
      plan(2, port, 0, 0);
    end
  endtask

  task settle;
    integer waited;
    begin
      @(posedge clk);
      for (waited = 0; waited < `WAIT && given != {`OUTPUTS{1'b1}}; waited = waited + 1) @(posedge clk);
      if (given != {`OUTPUTS{1'b1}}) fail("missing frames", 0, g_sink[0].frame, planned);
      repeat (200) @(posedge clk);
      if (given != {`OUTPUTS{1'b1}}) fail("a part of a frame", 0, g_sink[0].frame, planned);
      if (counted != {`INPUTS{1'b1}}) fail("count", 0, planned, counted);
    end
  endtask

  task reset;
    begin
      @(posedge clk);
      #1 rst = 1;
      planned = 0;
      @(posedge clk);
      #1 rst = 0;
    end
  endtask

  integer a, b, r;
  initial begin
    repeat (3) @(negedge clk);
    reset;
    for (a = 0; a < `FRAMES; a = a + 1) plan(a, 0, 0, 0);
    settle;
    learning = 0;
    for (a = 0; a < 4; a = a + 1)
      for (b = 0; b < 4; b = b + 1) if ((a * 4 + b) % `EVERY == 0) begin
        s_mode = a;
        m_mode = b;
        if (b % 2 == 0) reset;  // else with what the profile before has left
        plan_all((a + b) % `INPUTS);
        settle;
      end
    // A reset anywhere, also in what is left of a damaged frame: the frames after it are good.
    for (r = 0; r < 24; r = r + `EVERY) begin
      s_mode = r % 4;
      m_mode = r / 4 % 4;
      reset;
      plan_all(r % `INPUTS);
      repeat (below(r % 3 == 0 ? 10 : 150)) @(posedge clk);
      reset;
      plan(2, 0, 0, 0);
      plan(3, 0, 0, 0);
      settle;
    end
    $display("done %0d frames, %0d failures", total, failed);
    $finish;
  end
endmodule
