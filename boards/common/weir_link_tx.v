// weir_link_tx: puts packets together (boards/common/README.md): header, CRC-32, pointers that look back.
//
// Latency:   the first byte is offered 3 cycles after `start`.
// Interval:  16 cycles a byte at most, fewer than four cycles a bit leave.
// State:     the place in the packet, a byte of it, the distance to the last pointer, the CRC, the acknowledgement.
// From `start`, which counts while `idle`, until `idle` again what is at the ports belongs to the packet; but
// `acknowledged`, which is that of the header's first byte. `payload` is asked for one byte after the other: `next`
// says that the one with the number `index` is taken, and the one behind it must be there 8 cycles later. What is sent
// while `stale` is high is not what the packet began with: its CRC becomes a wrong one.
// Mapping:   about 140 lookup tables; the CRC takes a bit a cycle.
`default_nettype none

module weir_link_tx (
  input  wire        clk,
  input  wire        rst,
  input  wire        start,
  output wire        idle,
  output wire        done,          // the last cycle before it is idle
  input  wire [3:0]  kind,
  input  wire [2:0]  flags,
  input  wire [8:0]  length,        // at most 256
  input  wire [11:0] position,
  input  wire [11:0] acknowledged,
  output reg  [8:0]  index,
  output wire        next,
  input  wire [7:0]  payload,
  input  wire        stale,
  output wire        m_valid,
  input  wire        m_ready,
  output wire [7:0]  m_data
);
  localparam [31:0] POLYNOMIAL = 32'hEDB88320;
  localparam [3:0] PAYLOAD = 4'd5, POINTER = 4'd10, ZERO = 4'd11, IDLE = 4'd12;  // 0 to 4: the header

  reg [3:0]  place_q;
  reg [3:0]  phase_q;         // of a byte: 0 offered, 8 cycles for the CRC, and as many for the next byte to come
  reg        step_q;          // the byte was one of the packet's
  reg        bit_q, shift_q;  // into the CRC
  reg [11:0] acknowledged_q;  // of one moment
  reg [7:0]  distance_q;      // to the last pointer
  reg [31:0] crc_q;
  reg [7:0]  plain_q;         // the byte as it is in the packet: stable when it is offered

  wire more = index != length;
  wire full = distance_q == 8'd255;
  wire turn = phase_q == 4'd7;  // the CRC has seen the byte
  wire skip = place_q == PAYLOAD && !more && phase_q[3];
  wire take = m_valid && m_ready;
  wire step = !full && place_q != POINTER;
  wire data = plain_q != 8'd0 && step;

  assign idle    = place_q == IDLE;
  assign done    = place_q == ZERO && turn;
  assign next    = place_q == PAYLOAD && step_q && turn;
  assign m_valid = !idle && phase_q == 4'd0;
  assign m_data  = place_q == ZERO ? 8'd0 : data ? plain_q : distance_q;

  always @(posedge clk)
    case (place_q)
      4'd0: plain_q <= {length[8], flags, kind};
      4'd1: plain_q <= length[7:0];
      4'd2: plain_q <= position[7:0];
      4'd3: plain_q <= {acknowledged_q[3:0], position[11:8]};
      4'd4: plain_q <= acknowledged_q[11:4];
      PAYLOAD: plain_q <= payload;
      default: plain_q <= ~crc_q[7:0];
    endcase

  always @(posedge clk)
    if (rst) place_q <= IDLE;
    else if (idle) place_q <= start ? 4'd0 : IDLE;
    else if (skip || (turn && step_q && place_q != PAYLOAD)) place_q <= place_q + 4'd1;

  always @(posedge clk)
    if (rst || idle) phase_q <= 4'd14;
    else if (take || phase_q != 4'd0) phase_q <= phase_q + 4'd1;

  always @(posedge clk) begin
    if (idle) index <= 9'd0;
    else if (next) index <= index + 9'd1;
    if (take) step_q <= !full;
    if (place_q == 4'd0) acknowledged_q <= acknowledged;
  end

  always @(posedge clk)
    if (idle || (take && !data)) distance_q <= 8'd1;
    else if (take) distance_q <= distance_q + 8'd1;

  // The CRC runs a cycle behind; as it goes out, inverted, it only shifts.
  always @(posedge clk) begin
    bit_q   <= plain_q[phase_q[2:0]] != stale && place_q <= PAYLOAD;
    shift_q <= place_q < POINTER && ((take && !full) || (phase_q != 4'd0 && !phase_q[3] && step_q));
    if (idle) crc_q <= 32'hFFFFFFFF;
    else if (shift_q) crc_q <= {1'b0, crc_q[31:1]} ^ (place_q <= PAYLOAD && bit_q != crc_q[0] ? POLYNOMIAL : 32'd0);
  end
endmodule

`default_nettype wire
