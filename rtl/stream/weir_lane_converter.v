// weir_lane_converter: re-packs frames of FRAME elements from IN_LANES to OUT_LANES elements a beat.
//
// A frame takes ceil(FRAME / IN_LANES) beats in and ceil(FRAME / OUT_LANES) beats out; s_last marks its last input beat, whose
// lanes beyond the frame are ignored. The last output beat is filled with zeros and carries m_last: no beat holds elements
// of two frames.
// Latency:   IN_LANES == OUT_LANES ? 1 : IN_LANES > OUT_LANES ? 2 : 2 + ((ceil(FRAME / IN_LANES) - 1) * IN_LANES < (ceil(FRAME / OUT_LANES) - 1) * OUT_LANES) cycles
//            from the beat that completes an output beat; one more for a frame's last one where the same beat completes two.
// Interval:  max(ceil(FRAME / IN_LANES), ceil(FRAME / OUT_LANES)) cycles a frame, frames back to back, for every ratio.
// State:     a buffer and a register slice on the narrower side (which keeps m_ready and s_ready apart):
//              equal lanes        the slice only;
//              IN divides OUT     OUT_LANES elements, shifted in from the top; a frame's short last beat is read at a fixed offset;
//              OUT divides IN     IN_LANES elements, shifted out at the bottom;
//              otherwise          IN + OUT elements or 2 * OUT elements, filled at a variable position by a logarithmic shifter.
// Mapping:   flip-flops; positions count in units of gcd(IN_LANES, OUT_LANES) elements to keep shifter and counters small.
`default_nettype none

module weir_lane_converter #(
  parameter integer WIDTH     = 8,  // bits of an element
  parameter integer IN_LANES  = 1,
  parameter integer OUT_LANES = 1,
  parameter integer FRAME     = 1   // elements of a frame
) (
  input  wire                       clk,
  input  wire                       rst,
  input  wire                       s_valid,
  output wire                       s_ready,
  input  wire [IN_LANES*WIDTH-1:0]  s_data,
  input  wire                       s_last,
  output wire                       m_valid,
  input  wire                       m_ready,
  output wire [OUT_LANES*WIDTH-1:0] m_data,
  output wire                       m_last
);
  function integer gcd(input integer a, input integer b);
    integer i;
    begin
      gcd = 1;
      for (i = 2; i <= a && i <= b; i = i + 1) if (a % i == 0 && b % i == 0) gcd = i;
    end
  endfunction

  localparam integer UNIT   = gcd(IN_LANES, OUT_LANES);   // elements of a unit
  localparam integer UNIT_W = UNIT * WIDTH;
  localparam integer IN     = IN_LANES / UNIT;            // units of an input beat
  localparam integer OUT    = OUT_LANES / UNIT;           // units of an output beat
  localparam integer IN_W   = IN * UNIT_W;
  localparam integer OUT_W  = OUT * UNIT_W;
  localparam integer TAIL   = (FRAME - 1) % IN_LANES + 1; // elements of the last input beat
  localparam integer UNITS  = (TAIL + UNIT - 1) / UNIT;   // units of the last input beat
  localparam [IN_W-1:0] TAIL_MASK = {IN_W{1'b1}} >> ((IN_LANES - TAIL) * WIDTH);

  generate
    if (WIDTH < 1 || IN_LANES < 1 || OUT_LANES < 1 || FRAME < 1) begin : g_check
      weir_lane_converter_WIDTH_IN_LANES_OUT_LANES_and_FRAME_must_be_at_least_1 u_error ();
    end
  endgenerate

  wire [IN_W-1:0] s_frame = s_last ? s_data & TAIL_MASK : s_data;  // without the elements beyond the frame

  generate
    if (IN == OUT) begin : g_equal
      weir_register_slice #(
        .WIDTH(OUT_W)
      ) u_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid),
        .s_ready(s_ready),
        .s_data (s_frame),
        .s_last (s_last),
        .m_valid(m_valid),
        .m_ready(m_ready),
        .m_data (m_data),
        .m_last (m_last)
      );
    end else if (IN == 1) begin : g_widen
      localparam integer POS_W = $clog2(OUT);
      localparam integer REST  = ((FRAME + IN_LANES - 1) / IN_LANES - 1) % OUT + 1;  // units of a frame's last output beat
      localparam integer TOP = OUT - 1;

      wire             i_valid, i_last;
      wire             i_ready;
      wire [IN_W-1:0]  i_data;
      reg              full_q, last_q;
      reg  [POS_W-1:0] pos_q;
      reg  [OUT_W-1:0] buffer_q;
      wire             take = i_valid && i_ready;
      wire             done = i_last || pos_q == TOP[POS_W-1:0];

      weir_register_slice #(
        .WIDTH(IN_W)
      ) u_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid),
        .s_ready(s_ready),
        .s_data (s_frame),
        .s_last (s_last),
        .m_valid(i_valid),
        .m_ready(i_ready),
        .m_data (i_data),
        .m_last (i_last)
      );

      assign i_ready = !full_q || m_ready;
      assign m_valid = full_q;
      assign m_last  = last_q;
      assign m_data  = last_q ? buffer_q >> ((OUT - REST) * UNIT_W) : buffer_q;

      always @(posedge clk)
        if (rst) begin
          full_q <= 1'b0;
          pos_q  <= {POS_W{1'b0}};
        end else begin
          if (take) begin
            full_q <= done;
            pos_q  <= done ? {POS_W{1'b0}} : pos_q + 1'b1;
          end else if (m_ready) begin
            full_q <= 1'b0;
          end
        end

      always @(posedge clk)
        if (take) begin
          buffer_q <= {i_data, buffer_q[OUT_W-1:UNIT_W]};
          last_q   <= i_last;
        end
    end else if (OUT == 1) begin : g_narrow
      localparam integer COUNT_W = $clog2(IN);
      localparam integer FULL_REST = IN - 1;     // units left behind the first one of a beat
      localparam integer TAIL_REST = UNITS - 1;  // and of a frame's last beat

      wire               o_ready;
      reg                busy_q, last_q;
      reg  [COUNT_W-1:0] rest_q;
      reg  [IN_W-1:0]    buffer_q;
      wire               final_unit = rest_q == {COUNT_W{1'b0}};
      wire               take;

      // The output slice's ready is a register: m_ready ends there.
      assign s_ready = !busy_q || (final_unit && o_ready);
      assign take    = s_valid && s_ready;

      always @(posedge clk)
        if (rst) busy_q <= 1'b0;
        else if (take) busy_q <= 1'b1;
        else if (final_unit && o_ready) busy_q <= 1'b0;

      always @(posedge clk)
        if (take) begin
          buffer_q <= s_frame;
          last_q   <= s_last;
          rest_q   <= s_last ? TAIL_REST[COUNT_W-1:0] : FULL_REST[COUNT_W-1:0];
        end else if (busy_q && o_ready) begin
          buffer_q <= buffer_q >> UNIT_W;
          rest_q   <= rest_q - 1'b1;
        end

      weir_register_slice #(
        .WIDTH(OUT_W)
      ) u_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(busy_q),
        .s_ready(o_ready),
        .s_data (buffer_q[OUT_W-1:0]),
        .s_last (last_q && final_unit),
        .m_valid(m_valid),
        .m_ready(m_ready),
        .m_data (m_data),
        .m_last (m_last)
      );
    end else begin : g_any
      // At a frame's end `count_q` jumps to a multiple of OUT, so that the next frame begins on a fresh beat; units at and
      // above count_q are zero. Widening can hold two output beats, the second one begun while the first waits to leave.
      localparam integer ROOM    = IN < OUT ? 2 * OUT : IN + OUT - 1;      // units that may be filled
      localparam integer SLOTS   = (ROOM + OUT - 1) / OUT;                 // output beats of the buffer
      localparam integer SIZE    = SLOTS * OUT;
      localparam integer COUNT_W = $clog2(SIZE + 1);
      localparam integer SIZE_W  = SIZE * UNIT_W;
      localparam integer OUT_COUNT  = OUT;
      localparam integer IN_COUNT   = IN;
      localparam integer TAIL_COUNT = UNITS;
      localparam integer MOST       = ROOM - IN;

      wire               i_valid, i_ready, i_last, o_valid, o_ready, o_last;
      wire [IN_W-1:0]    i_data;
      wire [OUT_W-1:0]   o_data;
      reg  [SIZE_W-1:0]  buffer_q, placed;
      reg  [COUNT_W-1:0] count_q, rounded;
      reg  [SLOTS-1:0]   last_q, last_slot;  // bit i: output beat i of the buffer ends a frame
      wire               pop   = o_valid && o_ready;
      wire [COUNT_W-1:0] after = pop ? count_q - OUT_COUNT[COUNT_W-1:0] : count_q;
      wire               take  = i_valid && i_ready;
      wire [COUNT_W-1:0] tail  = after + TAIL_COUNT[COUNT_W-1:0];
      integer            b, k;

      assign o_valid = count_q >= OUT_COUNT[COUNT_W-1:0];
      assign o_data  = buffer_q[OUT_W-1:0];
      assign o_last  = last_q[0];
      assign i_ready = after <= MOST[COUNT_W-1:0];

      // The newcomer, shifted to its place stage by stage; and the end of its frame rounded up to whole output beats.
      /* verilator lint_off WIDTH */ // zero extension by assignment is meant
      always @* begin
        placed = i_data;
        for (b = 0; b < COUNT_W; b = b + 1) if (after[b]) placed = placed << ((1 << b) * UNIT_W);
        rounded   = OUT_COUNT[COUNT_W-1:0];
        last_slot = 1;
        for (k = 1; k < SLOTS; k = k + 1)
          if (tail > k * OUT) begin
            rounded   = (k + 1) * OUT;
            last_slot = 1 << k;
          end
      end
      /* verilator lint_on WIDTH */

      always @(posedge clk)
        if (rst) begin
          count_q  <= {COUNT_W{1'b0}};
          buffer_q <= {SIZE_W{1'b0}};
          last_q   <= {SLOTS{1'b0}};
        end else if (pop || take) begin
          count_q  <= !take ? after : i_last ? rounded : after + IN_COUNT[COUNT_W-1:0];
          buffer_q <= (pop ? buffer_q >> OUT_W : buffer_q) | (take ? placed : {SIZE_W{1'b0}});
          last_q   <= (pop ? last_q >> 1 : last_q) | (take && i_last ? last_slot : {SLOTS{1'b0}});
        end

      if (IN < OUT) begin : g_slice_in
        weir_register_slice #(
          .WIDTH(IN_W)
        ) u_slice (
          .clk    (clk),
          .rst    (rst),
          .s_valid(s_valid),
          .s_ready(s_ready),
          .s_data (s_frame),
          .s_last (s_last),
          .m_valid(i_valid),
          .m_ready(i_ready),
          .m_data (i_data),
          .m_last (i_last)
        );
        assign m_valid = o_valid;
        assign o_ready = m_ready;
        assign m_data  = o_data;
        assign m_last  = o_last;
      end else begin : g_slice_out
        assign i_valid = s_valid;
        assign s_ready = i_ready;
        assign i_data  = s_frame;
        assign i_last  = s_last;
        weir_register_slice #(
          .WIDTH(OUT_W)
        ) u_slice (
          .clk    (clk),
          .rst    (rst),
          .s_valid(o_valid),
          .s_ready(o_ready),
          .s_data (o_data),
          .s_last (o_last),
          .m_valid(m_valid),
          .m_ready(m_ready),
          .m_data (m_data),
          .m_last (m_last)
        );
      end
    end
  endgenerate
endmodule

`default_nettype wire
