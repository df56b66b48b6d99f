// weir_link_rx: takes packets apart (boards/common/README.md): COBS, header, CRC-32.
//
// Latency:   `good` or `bad` is high in the cycle after the byte that ends a packet.
// Interval:  a byte takes 10 cycles at most, fewer than four cycles a bit leave.
// State:     the place in the block and in the packet, 5 bytes of header, one byte, its bits still to come, the CRC.
// The payload is output as it arrives and must not be used before `good`. The header is valid from the first byte of
// the payload until the next packet. A packet that violates README.md gives one `bad`; an empty one gives nothing.
// Mapping:   about 90 lookup tables; the CRC takes a bit a cycle.
`default_nettype none

module weir_link_rx (
  input  wire        clk,
  input  wire        rst,
  input  wire        s_valid,
  input  wire [7:0]  s_data,
  input  wire        s_error,        // of the byte
  output wire [3:0]  kind,
  output wire [2:0]  flags,
  output wire [8:0]  length,
  output wire [11:0] position,
  output wire [11:0] acknowledged,
  output reg  [8:0]  index,          // of the byte of the payload; after the last one, how many there were
  output wire        payload_valid,
  output wire [7:0]  payload,
  output reg         good,
  output reg         bad
);
  localparam [31:0] POLYNOMIAL = 32'hEDB88320;
  // 0 to 4: the header, 6 to 8: the CRC behind its first byte
  localparam [3:0] PAYLOAD = 4'd5, COMPLETE = 4'd9, OVER = 4'd10;

  reg [7:0]  left_q;    // bytes up to the next code byte, with it
  reg        silent_q;  // no zero is meant before it
  reg [7:0]  byte_q;    // shifts out, lowest bit first
  reg [3:0]  bits_q;    // of it
  reg [3:0]  place_q;
  reg        plain_q;   // the byte is one of the payload
  reg        broken_q;
  reg [39:0] header_q;
  reg [31:0] crc_q;

  wire zero  = s_data == 8'd0;
  wire code  = left_q == 8'd1;
  wire ends  = s_valid && zero;
  wire empty = code && silent_q && place_q == 4'd0;

  wire first    = bits_q[3];
  wire last     = bits_q == 4'd1;
  wire shift    = bits_q != 4'd0;
  wire checking = place_q >= PAYLOAD && !plain_q;
  wire differs  = byte_q[0] != crc_q[0];

  assign kind          = header_q[3:0];
  assign flags         = header_q[6:4];
  assign length        = {header_q[7], header_q[15:8]};
  assign position      = header_q[27:16];
  assign acknowledged  = header_q[39:28];
  assign payload_valid = first && plain_q;
  assign payload       = byte_q;

  // COBS: a code byte stands for the zero before it.
  always @(posedge clk)
    if (rst || ends) begin
      left_q   <= 8'd1;
      silent_q <= 1'b1;
    end else if (s_valid) begin
      left_q <= code ? s_data : left_q - 8'd1;
      if (code) silent_q <= s_data == 8'd255;
    end

  always @(posedge clk)
    if (rst) bits_q <= 4'd0;
    else if (s_valid) bits_q <= {!zero && !(code && silent_q), 3'd0};
    else if (shift) bits_q <= bits_q - 4'd1;

  always @(posedge clk)
    if (s_valid) byte_q <= code ? 8'd0 : s_data;
    else if (shift) byte_q <= {1'b0, byte_q[7:1]};

  always @(posedge clk)
    if (rst || ends) place_q <= 4'd0;
    else if (last && !plain_q && place_q != OVER) place_q <= place_q + 4'd1;

  always @(posedge clk) begin
    plain_q <= place_q == PAYLOAD && index != length;
    if (place_q == 4'd0) index <= 9'd0;
    else if (last && plain_q) index <= index + 9'd1;
    if (first && place_q < PAYLOAD) header_q <= {byte_q, header_q[39:8]};
  end

  always @(posedge clk)
    if (rst || ends) crc_q <= 32'hFFFFFFFF;
    else if (shift) crc_q <= {1'b0, crc_q[31:1]} ^ (differs && !checking ? POLYNOMIAL : 32'd0);

  // The CRC is sent inverted.
  always @(posedge clk)
    if (rst || ends) broken_q <= 1'b0;
    else broken_q <= broken_q || (s_valid && s_error) || (shift && checking && !differs) || place_q == OVER;

  wire whole = code && place_q == COMPLETE && !broken_q && !s_error && !(length[8] && length[7:0] != 8'd0);

  always @(posedge clk)
    if (rst) begin
      good <= 1'b0;
      bad  <= 1'b0;
    end else begin
      good <= ends && whole;
      bad  <= ends && !whole && !(empty && !s_error);
    end
endmodule

`default_nettype wire
