// What goes out is the packet as README.md of boards/common writes it for the host: header, payload, CRC-32, with
// pointers that look back in the place of zeros, whatever the pauses of the taker, for packets of every length; of bits
// that are stale the CRC takes the opposite. The definition runs beside the module, a bit of the CRC a cycle. What is
// stated of a cycle follows from what was stated of the one before, or from a reset in that: so it holds of all behind
// the first reset.
// sources: ../boards/common/weir_link_tx.v
// prove: window 2
// faults: board/faults_link_tx.txt
// planted: nightly
module proof (
  input wire        clk, rst, start,
  input wire [3:0]  kind,
  input wire [2:0]  flags,
  input wire [8:0]  length,
  input wire [11:0] position, acknowledged,
  input wire [7:0]  payload,
  input wire        stale, m_ready
);
  wire       idle, done, next, m_valid;
  wire [8:0] index;
  wire [7:0] m_data;

  weir_link_tx u_dut (.*);

  (* hierconn *) wire [3:0] \u_dut.place_q , \u_dut.phase_q ;
  (* hierconn *) wire \u_dut.step_q , \u_dut.bit_q , \u_dut.shift_q ;
  (* hierconn *) wire [11:0] \u_dut.acknowledged_q ;
  (* hierconn *) wire [7:0] \u_dut.distance_q , \u_dut.plain_q ;
  (* hierconn *) wire [31:0] \u_dut.crc_q ;
  wire [3:0] phase = \u_dut.phase_q ;

  // What the header's contract asks of the ports: the packet's fields stay; a byte of the payload is there 8 cycles
  // after the one before was taken.
  reg [27:0] fields_q;
  reg        settled_q;
  reg [7:0]  payload_q;
  reg        stale_q;
  always @(posedge clk) stale_q <= stale;
  always @(posedge clk) begin
    if (idle) fields_q <= {kind, flags, length, position};
    settled_q <= !idle && !next && (settled_q || (\u_dut.place_q == 4'd5 && phase == 4'd15));
    payload_q <= payload;
  end
  always @* begin
    assume (length <= 9'd256);
    assume (idle || {kind, flags, length, position} == fields_q);
    assume (!settled_q || payload == payload_q);
  end

  // The packet's bytes, in their order, and what stands for them on the wire.
  // the last pointer, the zero has been taken; what was taken last is no byte's
  reg        active_q, pointed_q, closed_q, extra_q;
  reg [9:0]  count_q;                                 // bytes taken
  reg [7:0]  distance_q;                              // to the last pointer
  reg [31:0] crc_q;
  reg [3:0]  bits_q;                                  // of the byte taken last, still to come into the CRC
  reg [7:0]  byte_q;
  reg [5:0]  gone_q;                                  // bits of the CRC
  reg [11:0] acknowledged_q;
  wire       take    = m_valid && m_ready;
  wire [9:0] ended   = count_q - (bits_q >= 4'd2);        // bytes that the module is done with
  wire       covers  = ended < 10'd5 + length;
  wire [31:0] rest   = ~(crc_q >> (10'd8 * (ended - 10'd5 - length)));
  wire [7:0] plain = ended == 10'd0 ? {length[8], flags, kind} : ended == 10'd1 ? length[7:0] : ended == 10'd2 ? position[7:0]
    : ended == 10'd3 ? {acknowledged_q[3:0], position[11:8]} : ended == 10'd4 ? acknowledged_q[11:4] : covers ? payload : rest[7:0];
  wire       all      = count_q == 10'd9 + length;
  wire       is_extra = distance_q == 8'd255;
  wire [7:0] due      = is_extra ? 8'd255 : all ? (pointed_q ? 8'd0 : distance_q) : plain != 8'd0 ? plain : distance_q;

  always @(posedge clk)
    if (rst || !active_q || done) begin
      active_q   <= !rst && !active_q && start;
      pointed_q  <= 1'b0;
      closed_q   <= 1'b0;
      extra_q    <= 1'b0;
      count_q    <= 10'd0;
      distance_q <= 8'd1;
      crc_q      <= 32'hFFFFFFFF;
      bits_q     <= 4'd0;
      gone_q     <= 6'd0;
    end else begin
      if (take) begin
        extra_q    <= is_extra;
        distance_q <= is_extra || all || plain == 8'd0 ? 8'd1 : distance_q + 8'd1;
        if (!is_extra && all) begin
          pointed_q <= 1'b1;
          closed_q  <= pointed_q;
        end
        if (!is_extra && !all) begin
          count_q <= count_q + 10'd1;
          bits_q  <= 4'd8;
          byte_q  <= plain;
        end
      end else if (bits_q != 4'd0) begin
        bits_q <= bits_q - 4'd1;
        byte_q <= byte_q >> 1;
      end
      if (bits_q != 4'd0 && count_q <= 10'd5 + length)
        crc_q <= {1'b0, crc_q[31:1]} ^ (byte_q[0] ^ stale_q ^ crc_q[0] ? 32'hEDB88320 : 32'd0);
      if (bits_q != 4'd0 && count_q > 10'd5 + length) gone_q <= gone_q + 6'd1;
    end

  always @(posedge clk) if (count_q == 10'd0 || (count_q == 10'd1 && bits_q >= 4'd2)) acknowledged_q <= acknowledged;

  // The module's place is a function of how many bytes it is done with.
  wire       early  = phase != 4'd0 && phase <= 4'd7;
  wire [3:0] place  = !active_q ? 4'd12 : closed_q ? 4'd11 : pointed_q ? (early ? 4'd10 : 4'd11) : ended < 10'd5 ? ended[3:0]
    : ended < 10'd5 + length || (ended == 10'd5 + length && phase == 4'd8 && !extra_q) ? 4'd5 : ended - length + 10'd1;
  wire [9:0] passed = ended < 10'd5 ? 10'd0 : ended < 10'd5 + length ? ended - 10'd5 : {1'b0, length};
  wire [9:0] behind = count_q - 10'd5 - length;

  wire [16:0] holds;
  assign holds[0]  = !take || !active_q || m_data == due;
  assign holds[1]  = idle == !active_q;
  assign holds[2]  = \u_dut.place_q == place;
  assign holds[3]  = !active_q || index == passed;
  assign holds[4]  = !active_q || closed_q || \u_dut.distance_q == distance_q;
  assign holds[5]  = !active_q || !(early || phase == 4'd8) || \u_dut.step_q == !extra_q;
  assign holds[6]  = !active_q || \u_dut.shift_q == (bits_q != 4'd0);
  assign holds[7]  = bits_q == 4'd0 || (phase == 4'd9 - bits_q && !extra_q && !pointed_q);
  assign holds[8]  = bits_q == 4'd0 || count_q > 10'd5 + length || \u_dut.bit_q == (byte_q[0] != stale_q);
  assign holds[9]  = !active_q || \u_dut.crc_q == crc_q >> gone_q;
  assign holds[10] = !active_q || gone_q == (count_q <= 10'd5 + length ? 10'd0 : 10'd8 * behind - bits_q);
  assign holds[11] = (!active_q || count_q <= 10'd9 + length) && distance_q != 8'd0 && bits_q <= 4'd8 && (bits_q == 4'd0 || count_q != 10'd0);
  assign holds[12] = !active_q || count_q == 10'd0 || \u_dut.place_q == 4'd0 || \u_dut.acknowledged_q == acknowledged_q;
  assign holds[13] = !active_q || place > 4'd9 || !(phase == 4'd15 && place != 4'd5 || phase == 4'd0 || (early && covers)) || \u_dut.plain_q == plain;
  assign holds[14] = bits_q < 4'd2 || count_q > 10'd5 + length || \u_dut.plain_q >> phase == byte_q >> 1;
  assign holds[15] = !active_q || place != 4'd5 || phase > 4'd7 || settled_q;
  // Where nothing is under way the phase is not that of something.
  assign holds[16] = active_q ? (!pointed_q || (all && !extra_q && distance_q == 8'd1)) && (!closed_q || (pointed_q && early))
      && (!(early || phase == 4'd8) || extra_q || pointed_q || bits_q == 4'd9 - phase)
    : !pointed_q && !closed_q && !extra_q && count_q == 10'd0 && bits_q == 4'd0 && distance_q == 8'd1 && gone_q == 6'd0 && crc_q == 32'hFFFFFFFF;

  proof_stays #(17) u_stays (clk, rst, holds);
endmodule
