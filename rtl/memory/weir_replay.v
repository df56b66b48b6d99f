// weir_replay: accepts rows of BEATS beats and emits each row TIMES times, back to back (input reuse of a folded dot
// product).
//
// Latency:   TIMES == 1 ? 0 : 2 + REGISTERED cycles; with TIMES == 1 transparent (m_ready reaches s_ready
//            combinationally).
// Interval:  TIMES cycles a beat, or the time in which the beats arrive if that is longer: while one row is emitted,
//            the next one is written to the other half of the buffer, at any rate; no idle cycle between repetitions or
//            rows.
// Clock:     rtl/README.md, Measured alone: weir_replay.
// State:     two rows (none if TIMES == 1), a write and a read position, and for each half a bit `full_q`: it holds a
//            whole row.
// Invariant: rows alternate between the halves, in order; a half is written only while its full_q is low, and read
//            at beats that were written at an earlier edge.
// m_last is high on the last beat of the last repetition of a row whose last
// beat came with s_last.
// Mapping:   2 * (BEATS rounded up to a power of two) words, so that the half is an address bit: weir_ram above 512
//            bits, below that the synthesis tool chooses between block RAM and registers; BEATS == 1: registers.
`default_nettype none

module weir_replay #(
  parameter integer WIDTH      = 8,  // bits of a beat
  parameter integer BEATS      = 1,  // beats of a row
  parameter integer TIMES      = 1,  // repetitions of a row
  parameter integer REGISTERED = 0   // 1: a register after the buffer's own, for the clock
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             s_valid,
  output wire             s_ready,
  input  wire [WIDTH-1:0] s_data,
  input  wire             s_last,
  output wire             m_valid,
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data,
  output wire             m_last
);
  localparam integer BEAT_W = BEATS > 1 ? $clog2(BEATS) : 1;
  localparam integer TIME_W = TIMES > 1 ? $clog2(TIMES) : 1;
  localparam integer WORDS  = BEATS > 1 ? 2 << BEAT_W : 2;
  localparam integer LAST_BEAT = BEATS - 1;
  localparam integer LAST_TIME = TIMES - 1;

  generate
    if (WIDTH < 1 || BEATS < 1 || TIMES < 1) begin : g_check
      weir_replay_WIDTH_BEATS_and_TIMES_must_be_at_least_1 u_error ();
    end
    if (REGISTERED != 0 && REGISTERED != 1) begin : g_check_registered
      weir_replay_REGISTERED_must_be_0_or_1 u_error ();
    end
  endgenerate

  generate
    if (TIMES == 1) begin : g_once
      reg  [BEAT_W-1:0] beat_q;
      wire              row_end = beat_q == LAST_BEAT[BEAT_W-1:0];

      assign s_ready = m_ready;
      assign m_valid = s_valid;
      assign m_data  = s_data;
      assign m_last  = row_end && s_last;

      always @(posedge clk)
        if (rst) beat_q <= {BEAT_W{1'b0}};
        else if (s_valid && s_ready) beat_q <= row_end ? {BEAT_W{1'b0}} : beat_q + 1'b1;
    end else begin : g_buffer
      reg               write_half_q, read_half_q;
      reg  [BEAT_W-1:0] write_beat_q, read_beat_q;
      reg  [TIME_W-1:0] time_q;
      reg  [1:0]        full_q, row_last_q;
      reg               valid_q, last_q;  // of the word that has been read
      wire [WIDTH-1:0]  word;
      wire              leave;            // it may leave

      wire write     = s_valid && s_ready;
      wire write_end = write_beat_q == LAST_BEAT[BEAT_W-1:0];
      wire read_end  = read_beat_q == LAST_BEAT[BEAT_W-1:0];
      wire row_end   = read_end && time_q == LAST_TIME[TIME_W-1:0];
      // A half that is not full is the one being written, and this is its first repetition.
      wire stored    = full_q[read_half_q] || write_beat_q != read_beat_q;
      wire read      = stored && (leave || !valid_q);

      assign s_ready = !full_q[write_half_q];

      always @(posedge clk)
        if (rst) begin
          write_half_q <= 1'b0;
          write_beat_q <= {BEAT_W{1'b0}};
          read_half_q  <= 1'b0;
          read_beat_q  <= {BEAT_W{1'b0}};
          time_q       <= {TIME_W{1'b0}};
          full_q       <= 2'b00;
          valid_q      <= 1'b0;
        end else begin
          if (write) begin
            write_beat_q <= write_end ? {BEAT_W{1'b0}} : write_beat_q + 1'b1;
            if (write_end) write_half_q <= !write_half_q;
          end
          if (read) begin
            valid_q     <= 1'b1;
            read_beat_q <= read_end ? {BEAT_W{1'b0}} : read_beat_q + 1'b1;
            if (read_end) time_q <= row_end ? {TIME_W{1'b0}} : time_q + 1'b1;
            if (row_end) read_half_q <= !read_half_q;
          end else if (leave) begin
            valid_q <= 1'b0;
          end
          // A half is not written while it is read in its last repetition: one of both.
          full_q <= (full_q | ({2{write && write_end}} & {write_half_q, !write_half_q})) &
                    ~({2{read && row_end}} & {read_half_q, !read_half_q});
        end

      always @(posedge clk) begin
        if (write && write_end && !write_half_q) row_last_q[0] <= s_last;
        if (write && write_end && write_half_q) row_last_q[1] <= s_last;
        if (read) last_q <= row_end && row_last_q[read_half_q];
      end

      if (BEATS == 1) begin : g_pair
        reg [WIDTH-1:0] row_0_q, row_1_q, q;

        always @(posedge clk) begin
          if (write && !write_half_q) row_0_q <= s_data;
          if (write && write_half_q) row_1_q <= s_data;
          if (read) q <= read_half_q ? row_1_q : row_0_q;
        end
        assign word = q;
      end else if (WORDS * WIDTH <= 512) begin : g_small
        (* ram_style = "auto", no_rw_check *) reg [WIDTH-1:0] mem [0:WORDS-1];
        reg [WIDTH-1:0] q;

        always @(posedge clk) begin
          if (write) mem[{write_half_q, write_beat_q}] <= s_data;
          if (read) q <= mem[{read_half_q, read_beat_q}];
        end
        assign word = q;
      end else begin : g_memory
        weir_ram #(
          .WIDTH(WIDTH),
          .DEPTH(WORDS)
        ) u_ram (
          .clk  (clk),
          .we   (write),
          .waddr({write_half_q, write_beat_q}),
          .wdata(s_data),
          .re   (read),
          .raddr({read_half_q, read_beat_q}),
          .q    (word)
        );
      end

      if (REGISTERED == 0) begin : g_direct
        assign leave   = m_ready;
        assign m_valid = valid_q;
        assign m_data  = word;
        assign m_last  = last_q;
      end else begin : g_registered
        reg             output_valid_q, output_last_q;
        reg [WIDTH-1:0] output_q;

        assign leave   = m_ready || !output_valid_q;
        assign m_valid = output_valid_q;
        assign m_data  = output_q;
        assign m_last  = output_last_q;

        always @(posedge clk)
          if (rst) output_valid_q <= 1'b0;
          else if (leave) output_valid_q <= valid_q;

        always @(posedge clk)
          if (leave) begin
            output_q      <= word;
            output_last_q <= last_q;
          end
      end
    end
  endgenerate

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_last #("weir_replay", "s_last is not where a row ends", BEATS, 1) u_check_s_last (
    clk, rst, s_valid, s_ready, s_last);
  weir_check_last #("weir_replay", "m_last is not where the last repetition of a row ends", BEATS * TIMES, 1) u_check_m_last (
    clk, rst, m_valid, m_ready, m_last);
  weir_check_hold #("weir_replay", "a waiting beat was withdrawn or changed", WIDTH + 1) u_check_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
`endif
endmodule

`default_nettype wire
