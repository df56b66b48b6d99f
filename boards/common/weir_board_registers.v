// weir_board_registers: the registers of a board (boards/common/README.md) and what they count.
//
// Latency:   `answer` belongs to `address` in the same cycle; a value is written at the end of a cycle with `write`.
// State:     time, frames, cycles of a frame, error bits, control, and what the options add.
// The events are high for one cycle: the accelerator takes the first beat of a frame, the last one; gives the last one.
// Mapping:   about 170 lookup tables; EXTREMES, STALLS and BENCHMARK have their prices in boards/README.md and cost
//            nothing at 0.
`default_nettype none

module weir_board_registers #(
  parameter [31:0]  CLOCK_HZ  = 12000000,
  parameter [31:0]  BUILD     = 0,         // id of the bitstream
  parameter integer RX_BYTES  = 512,
  parameter integer TX_BYTES  = 512,
  parameter integer EXTREMES  = 0,         // 1: shortest and longest frame and interval
  parameter integer STALLS    = 0,         // 1: cycles in which the accelerator waited
  parameter integer BENCHMARK = 0          // 1: frames to run, their cycles, the CRC of the results
) (
  input  wire        clk,
  input  wire        rst,
  input  wire        restart,
  input  wire        write,
  input  wire [6:0]  address,
  input  wire [31:0] value,
  output wire [31:0] answer,
  input  wire [31:0] model,       // id of the model's parameters
  input  wire [6:0]  errors,      // as in the register; of this cycle
  input  wire        frame_first,
  input  wire        frame_in,
  input  wire        frame_out,
  input  wire        stalled_in,
  input  wire        stalled_out,
  input  wire        result,      // a byte of results
  input  wire [7:0]  result_byte,
  output reg  [2:0]  mode,        // since the last restart
  output wire [31:0] bench_frames,
  output wire        led
);
  localparam integer RX_LOG = $clog2(RX_BYTES);
  localparam integer TX_LOG = $clog2(TX_BYTES);
  // the heart beats once in 1 to 2 seconds, four times as fast after an error
  localparam integer BEAT = $clog2(CLOCK_HZ) - 1;

  generate
    if (EXTREMES < 0 || EXTREMES > 1 || STALLS < 0 || STALLS > 1 || BENCHMARK < 0 || BENCHMARK > 1) begin : g_check
      weir_board_registers_EXTREMES_STALLS_BENCHMARK_must_be_0_or_1 u_error ();
    end
    if (CLOCK_HZ < 1000) begin : g_check_clock
      weir_board_registers_CLOCK_HZ_must_be_at_least_1000 u_error ();
    end
  endgenerate

  reg [31:0] time_q;
  reg [15:0] in_q, out_q;      // frames
  reg [31:0] count_q;          // cycles since the frame that is measured began
  reg [31:0] cycles_q;         // of the one measured last
  reg        measures_q;       // it is inside
  reg [6:0]  errors_q;
  reg [2:0]  next_mode_q;
  reg [1:0]  led_q;            // {manual, on}

  wire unused   = &{1'b0, value, stalled_in, stalled_out, result, result_byte};  // except for the options
  wire alone    = in_q == out_q;
  wire measured = measures_q && frame_out;

  assign led = led_q[1] ? led_q[0] : errors_q != 7'd0 ? time_q[BEAT-2] : time_q[BEAT];

  always @(posedge clk)
    if (rst) time_q <= 32'd0;
    else time_q <= time_q + 32'd1;

  always @(posedge clk)
    if (rst || restart) begin
      in_q       <= 16'd0;
      out_q      <= 16'd0;
      measures_q <= 1'b0;
    end else begin
      if (frame_in) in_q <= in_q + 16'd1;
      if (frame_out) out_q <= out_q + 16'd1;
      measures_q <= (frame_first && alone) || (measures_q && !frame_out);
    end

  always @(posedge clk)
    if (rst || restart) cycles_q <= 32'd0;
    else if (measured) cycles_q <= count_q;

  always @(posedge clk)
    if (!measures_q) count_q <= 32'd1;
    else count_q <= count_q + 32'd1;

  wire write_errors = write && address == 7'd8;

  always @(posedge clk)
    if (rst) errors_q <= 7'd0;
    else errors_q <= errors | (errors_q & ~(write_errors ? value[6:0] : 7'd0));

  always @(posedge clk)
    if (rst) begin
      mode        <= 3'd0;
      next_mode_q <= 3'd0;
      led_q       <= 2'd0;
    end else begin
      if (write && address == 7'd9) begin
        next_mode_q <= value[2:0];
        led_q       <= value[9:8];
      end
      if (restart) mode <= next_mode_q;
    end

  // ---- options ----
  wire [31:0] shortest, longest, interval, least, greatest, waited_in, waited_out, bench_cycles, bench_crc;

  generate
    if (EXTREMES != 0) begin : g_extremes
      reg [31:0] shortest_q, longest_q, since_q, interval_q, least_q, greatest_q;
      // a frame has been measured; an interval; a frame has left; its interval is new
      reg        known_q, timed_q, given_q, compare_q;

      always @(posedge clk)
        if (rst || restart) begin
          known_q   <= 1'b0;
          timed_q   <= 1'b0;
          given_q   <= 1'b0;
          compare_q <= 1'b0;
        end else begin
          compare_q <= frame_out && given_q;
          if (measured) known_q <= 1'b1;
          if (frame_out) given_q <= 1'b1;
          if (compare_q) timed_q <= 1'b1;
        end

      always @(posedge clk) begin
        since_q <= frame_out ? 32'd1 : since_q + 32'd1;
        if (rst || restart) begin
          shortest_q <= 32'd0;
          longest_q  <= 32'd0;
          interval_q <= 32'd0;
          least_q    <= 32'd0;
          greatest_q <= 32'd0;
        end else begin
          if (measured && (!known_q || count_q < shortest_q)) shortest_q <= count_q;
          if (measured && count_q > longest_q) longest_q <= count_q;
          if (frame_out && given_q) interval_q <= since_q;
          if (compare_q && (!timed_q || interval_q < least_q)) least_q <= interval_q;
          if (compare_q && interval_q > greatest_q) greatest_q <= interval_q;
        end
      end
      assign shortest = shortest_q;
      assign longest  = longest_q;
      assign interval = interval_q;
      assign least    = least_q;
      assign greatest = greatest_q;
    end else begin : g_no_extremes
      assign shortest = 32'd0;
      assign longest  = 32'd0;
      assign interval = 32'd0;
      assign least    = 32'd0;
      assign greatest = 32'd0;
    end

    if (STALLS != 0) begin : g_stalls
      reg [31:0] in_count_q, out_count_q;

      always @(posedge clk)
        if (rst || restart) begin
          in_count_q  <= 32'd0;
          out_count_q <= 32'd0;
        end else begin
          if (stalled_in) in_count_q <= in_count_q + 32'd1;
          if (stalled_out) out_count_q <= out_count_q + 32'd1;
        end
      assign waited_in  = in_count_q;
      assign waited_out = out_count_q;
    end else begin : g_no_stalls
      assign waited_in  = 32'd0;
      assign waited_out = 32'd0;
    end

    if (BENCHMARK != 0) begin : g_benchmark
      reg [31:0] frames_q, left_q, run_q, crc_q;
      reg        runs_q;
      reg [31:0] folded;
      integer    i;

      always @* begin
        folded = crc_q;
        for (i = 0; i < 8; i = i + 1)
          folded = {1'b0, folded[31:1]} ^ (folded[0] != result_byte[i] ? 32'hEDB88320 : 32'd0);
      end

      always @(posedge clk)
        if (rst) frames_q <= 32'd0;
        else if (write && address == 7'd32) frames_q <= value;

      always @(posedge clk)
        if (rst || restart) begin
          left_q <= frames_q;
          runs_q <= 1'b0;
          run_q  <= 32'd0;
          crc_q  <= 32'hFFFFFFFF;
        end else begin
          if (frame_out) left_q <= left_q - 32'd1;
          runs_q <= (runs_q || frame_first) && !(frame_out && left_q == 32'd1);
          if (runs_q) run_q <= run_q + 32'd1;
          if (result) crc_q <= folded;
        end
      assign bench_frames = frames_q;
      assign bench_cycles = run_q;
      assign bench_crc    = ~crc_q;
    end else begin : g_no_benchmark
      assign bench_frames = 32'd0;
      assign bench_cycles = 32'd0;
      assign bench_crc    = 32'd0;
    end
  endgenerate

  // The answer is chosen in two lookup tables of four inputs a bit, and the register behind it: what a tool keeps, it
  // cannot make of it what is larger.
  reg  [31:0] other;  // what the remaining registers say
  wire [31:0] late   = {32{address == 7'd5}} | other;
  wire [31:0] counts = {32{address == 7'd6}} | other;
  (* keep *)
  wire [31:0] first, second;

  assign first  = (late & ~counts & time_q) | (counts & ~late & {out_q, in_q}) | (late & counts);
  assign second = ({32{address == 7'd3}} & model) | ({32{address == 7'd7}} & cycles_q);
  assign answer = first | second;

  always @*
    case (address)
      7'd0: other = 32'h57454952;
      7'd1: other = {TX_LOG[7:0], RX_LOG[7:0], 5'd0, BENCHMARK != 0, STALLS != 0, EXTREMES != 0, 8'd1};
      7'd2: other = BUILD;
      7'd4: other = CLOCK_HZ;
      7'd8: other = {25'd0, errors_q};
      7'd9: other = {22'd0, led_q, 5'd0, next_mode_q};
      7'd16: other = shortest;
      7'd17: other = longest;
      7'd18: other = interval;
      7'd19: other = least;
      7'd20: other = greatest;
      7'd24: other = waited_in;
      7'd25: other = waited_out;
      7'd32: other = bench_frames;
      7'd33: other = bench_cycles;
      7'd34: other = bench_crc;
      default: other = 32'd0;
    endcase
endmodule

`default_nettype wire
