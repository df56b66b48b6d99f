// weir_lane_converter: re-packs frames of FRAME elements from IN_LANES to OUT_LANES elements a beat.
//
// A frame takes ceil(FRAME / IN_LANES) beats in and ceil(FRAME / OUT_LANES) beats out; s_last marks its last input
// beat, whose lanes beyond the frame are ignored. The last output beat is filled with zeros and carries m_last: no beat
// holds elements of two frames.
// Latency:   IN_LANES == OUT_LANES ? 1 : IN_LANES > OUT_LANES ? 2 : 2 + ((ceil(FRAME / IN_LANES) - 1) * IN_LANES <
//            (ceil(FRAME / OUT_LANES) - 1) * OUT_LANES) cycles from the beat that completes an output beat; one more
//            for a frame's last output beat where the same beat completes two.
// Interval:  max(ceil(FRAME / IN_LANES), ceil(FRAME / OUT_LANES)) cycles a frame, frames back to back, for every ratio.
// Clock:     rtl/README.md, Measured alone: weir_lane_converter.
// State:     a buffer and a register slice on the narrower side (which keeps m_ready and s_ready apart):
//              equal lanes      the slice only
//              IN divides OUT   OUT_LANES elements, shifted in from the top; a frame's short last beat is read at a
//                               fixed offset
//              OUT divides IN   IN_LANES elements, shifted out at the bottom
//              else IN < OUT    two output beats, filled in turn through a logarithmic rotator of OUT positions
//              else OUT < IN    IN + OUT elements, filled through a logarithmic shifter of OUT positions
// Mapping:   flip-flops; positions count in units of gcd(IN_LANES, OUT_LANES) elements to keep shifters and counters
//            small.
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
  localparam integer IN_W   = IN_LANES * WIDTH;
  localparam integer OUT_W  = OUT_LANES * WIDTH;
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
    if (IN_LANES == OUT_LANES) begin : g_equal
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
    end else if (OUT_LANES % IN_LANES == 0) begin : g_widen
      localparam integer POS_W = $clog2(OUT);
      // units of a frame's last output beat
      localparam integer REST  = ((FRAME + IN_LANES - 1) / IN_LANES - 1) % OUT + 1;
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
    end else if (IN_LANES % OUT_LANES == 0) begin : g_narrow
      localparam integer COUNT_W = $clog2(IN);
      localparam integer FULL_REST = IN - 1;     // units left after the first one of a beat
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
      // `slots_q` output beats are whole, `off_q` units of the next one are there. A newcomer is shifted by off_q,
      // which no beat that leaves changes. At a frame's end the beat that was begun counts as whole: the next frame
      // begins on a fresh one.
      localparam integer SLOTS  = IN < OUT ? 2 : (IN + 2 * OUT - 2) / OUT;  // output beats of the buffer
      localparam integer SLOT_W = $clog2(SLOTS + 1);
      localparam integer OFF_W  = $clog2(OUT);

      wire              i_valid, i_ready, i_last, o_valid, o_ready;
      wire [IN_W-1:0]   i_data;
      reg  [SLOT_W-1:0] slots_q, more;
      reg  [OFF_W-1:0]  off_q, off;
      reg               fits;  // after one whole output beat
      wire              pop  = o_valid && o_ready;
      wire              take = i_valid && i_ready;
      wire [SLOT_W-1:0] left = pop ? slots_q - 1'b1 : slots_q;
      integer           b, k;

      /* verilator lint_off WIDTH */ // zero extension by assignment, and constants that fit, are meant
      assign o_valid = slots_q != 0;
      assign i_ready = left == 0 || (IN < OUT && left == 1 && fits);

      // What the newcomer completes, and what it begins.
      always @* begin
        off  = 0;
        more = 0;
        fits = 1'b0;
        for (k = 0; k < OUT; k = k + 1)
          if (off_q == k) begin
            fits = k + IN <= OUT;
            off  = i_last ? 0 : (k + IN) % OUT;
            more = i_last ? (k + UNITS + OUT - 1) / OUT : (k + IN) / OUT;
          end
      end

      always @(posedge clk)
        if (rst) begin
          slots_q <= 0;
          off_q   <= 0;
        end else begin
          slots_q <= take ? left + more : left;
          if (take) off_q <= off;
        end

      if (IN_LANES < OUT_LANES) begin : g_widen_any
        // A ring of two output beats, the second one begun while the first waits to leave: the newcomer is rotated, and
        // its units enter the beat that is being filled or, beyond its end, the other one.
        localparam integer REST = (FRAME - 1) % OUT_LANES + 1;  // elements of a frame's last output beat
        localparam [OUT_W-1:0] REST_MASK = {OUT_W{1'b1}} >> ((OUT_LANES - REST) * WIDTH);

        reg  [OUT_W-1:0]   slot_0_q, slot_1_q, turned;
        reg  [OUT+IN-1:0]  covered;
        reg                fill_q, leave_q;  // the slot that is being filled, that leaves next
        reg  [1:0]         last_q;           // bit i: slot i ends a frame
        wire [OUT_W-1:0]   oldest = leave_q ? slot_1_q : slot_0_q;
        wire               ending = fill_q ^ more[1];  // the slot that this beat completes last

        assign m_valid = o_valid;
        assign o_ready = m_ready;
        assign m_last  = last_q[leave_q];
        assign m_data  = m_last ? oldest & REST_MASK : oldest;

        always @* begin
          turned = i_data;
          for (b = 0; b < OFF_W; b = b + 1)
            if (off_q[b]) turned = turned << ((1 << b) * UNIT_W) | turned >> ((OUT - (1 << b)) * UNIT_W);
          covered = {IN{1'b1}} << off_q;
        end

        always @(posedge clk)
          for (k = 0; k < OUT; k = k + 1) begin
            if (take && (fill_q ? k < IN && covered[OUT + k%IN] : covered[k])) slot_0_q[k*UNIT_W +: UNIT_W] <= turned[k*UNIT_W +: UNIT_W];
            if (take && (fill_q ? covered[k] : k < IN && covered[OUT + k%IN])) slot_1_q[k*UNIT_W +: UNIT_W] <= turned[k*UNIT_W +: UNIT_W];
          end

        always @(posedge clk)
          if (rst) begin
            fill_q  <= 1'b0;
            leave_q <= 1'b0;
            last_q  <= 2'b00;
          end else begin
            if (take) fill_q <= fill_q ^ more[0];
            if (pop) leave_q <= !leave_q;
            for (k = 0; k < 2; k = k + 1)
              if (take && i_last && ending == k) last_q[k] <= 1'b1;
              else if (pop && leave_q == k) last_q[k] <= 1'b0;
          end

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
      end else begin : g_narrow_any
        // Units that the buffer does not hold are zero; it moves down by an output beat as one leaves.
        reg [SLOTS*OUT_W-1:0] buffer_q, placed;
        reg [SLOTS-1:0]       last_q;  // bit i: output beat i of the buffer ends a frame

        assign i_valid = s_valid;
        assign s_ready = i_ready;
        assign i_data  = s_frame;
        assign i_last  = s_last;

        always @* begin
          placed = i_data;
          for (b = 0; b < OFF_W; b = b + 1) if (off_q[b]) placed = placed << ((1 << b) * UNIT_W);
        end

        always @(posedge clk)
          if (rst) begin
            buffer_q <= 0;
            last_q   <= 0;
          end else if (pop || take) begin
            buffer_q <= (pop ? buffer_q >> OUT_W : buffer_q) | (take ? placed : 0);
            last_q   <= take ? (i_last ? 1 << (more - 1'b1) : 0) : last_q >> 1;
          end

        weir_register_slice #(
          .WIDTH(OUT_W)
        ) u_slice (
          .clk    (clk),
          .rst    (rst),
          .s_valid(o_valid),
          .s_ready(o_ready),
          .s_data (buffer_q[OUT_W-1:0]),
          .s_last (last_q[0]),
          .m_valid(m_valid),
          .m_ready(m_ready),
          .m_data (m_data),
          .m_last (m_last)
        );
      end
      /* verilator lint_on WIDTH */
    end
  endgenerate

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_frames #("weir_lane_converter", OUT_W, (FRAME + IN_LANES - 1) / IN_LANES,
      (FRAME + OUT_LANES - 1) / OUT_LANES) u_check (
    clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
