// A packet is good if and only if what README.md of boards/common says of the bytes between two zeros holds, of
// whatever length they are; its header and payload are what was decoded. The definition runs beside the module, a bit
// of the decoded bytes a cycle: that is how CRC-32 is defined, and what makes each step of it an exclusive or that two
// sides have in common. What is stated of a cycle follows from what was stated of the one before, or from a reset in
// that: so it holds of all behind the first reset.
// sources: ../boards/common/weir_link_rx.v
// prove: window 2
// faults: board/faults_link_rx.txt
// planted: nightly
module proof (
  input wire       clk, rst, s_valid,
  input wire [7:0] s_data,
  input wire       s_error
);
  wire [3:0]  kind;
  wire [2:0]  flags;
  wire [8:0]  length, index;
  wire [11:0] position, acknowledged;
  wire        payload_valid, good, bad;
  wire [7:0]  payload;

  weir_link_rx u_dut (.*);

  // A byte comes every ten cycles at most: four cycles a bit leave forty.
  reg [3:0] rest_q;
  always @(posedge clk) rest_q <= rst || s_valid ? 4'd9 : rest_q != 4'd0 ? rest_q - 4'd1 : 4'd0;
  always @* assume (!s_valid || rest_q == 4'd0);

  // COBS: a code byte c, c - 1 bytes as they are, a zero that is meant unless c is 255 or the packet ends.
  reg [7:0] left_q;  // bytes up to the next code byte
  reg       meant_q; // a zero before it
  wire      zero   = s_data == 8'd0;
  wire      is_end = s_valid && zero;
  wire      comes  = s_valid && !zero && (left_q != 8'd0 || meant_q);
  wire [7:0] data  = left_q != 8'd0 ? s_data : 8'd0;

  always @(posedge clk)
    if (rst || is_end) begin
      left_q  <= 8'd0;
      meant_q <= 1'b0;
    end else if (s_valid) begin
      left_q <= left_q != 8'd0 ? left_q - 8'd1 : s_data - 8'd1;
      if (left_q == 8'd0) meant_q <= s_data != 8'd255;
    end

  // Decoded bytes: how many, the header, the CRC of what is before the last four, and whether these are it.
  reg [9:0]  count_q;
  reg [3:0]  bits_q;
  reg [7:0]  byte_q;
  reg [39:0] header_q;
  reg [31:0] crc_q;
  reg [5:0]  compared_q;  // bits of the CRC
  reg        wrong_q;
  wire [8:0] long   = {header_q[7], header_q[15:8]};
  wire       covers = count_q < 10'd5 || count_q < 10'd5 + long;
  wire       over   = count_q >= 10'd9 + long && count_q >= 10'd9;

  always @(posedge clk)
    if (rst || is_end) begin
      count_q    <= 10'd0;
      bits_q     <= 4'd0;
      crc_q      <= 32'hFFFFFFFF;
      compared_q <= 6'd0;
      wrong_q    <= 1'b0;
    end else begin
      if (comes) begin
        byte_q <= data;
        bits_q <= 4'd8;
      end else if (bits_q != 4'd0) begin
        byte_q <= byte_q >> 1;
        bits_q <= bits_q - 4'd1;
      end
      if (bits_q == 4'd8)
        case (count_q)
          10'd0: header_q[7:0] <= byte_q;
          10'd1: header_q[15:8] <= byte_q;
          10'd2: header_q[23:16] <= byte_q;
          10'd3: header_q[31:24] <= byte_q;
          10'd4: header_q[39:32] <= byte_q;
          default: ;
        endcase
      if (bits_q == 4'd1 && count_q != 10'd1023) count_q <= count_q + 10'd1;
      if (s_valid && s_error) wrong_q <= 1'b1;
      if (bits_q != 4'd0) begin
        if (covers) begin
          crc_q <= {1'b0, crc_q[31:1]} ^ (byte_q[0] != crc_q[0] ? 32'hEDB88320 : 32'd0);
        end else if (!over) begin
          if (byte_q[0] == crc_q[compared_q[4:0]]) wrong_q <= 1'b1;
          compared_q <= compared_q + 6'd1;
        end
      end
    end

  wire sound = left_q == 8'd0 && !wrong_q && !s_error && count_q >= 10'd9 && count_q == 10'd9 + long && long <= 9'd256;
  wire none  = left_q == 8'd0 && !meant_q && count_q == 10'd0 && !s_error;

  reg sound_q, unsound_q;
  always @(posedge clk) begin
    sound_q   <= is_end && sound && !rst;
    unsound_q <= is_end && !sound && !none && !rst;
  end

  (* hierconn *) wire [7:0] \u_dut.left_q , \u_dut.byte_q ;
  (* hierconn *) wire [3:0] \u_dut.bits_q , \u_dut.place_q ;
  (* hierconn *) wire \u_dut.silent_q , \u_dut.plain_q , \u_dut.broken_q ;
  (* hierconn *) wire [39:0] \u_dut.header_q ;
  (* hierconn *) wire [31:0] \u_dut.crc_q ;

  wire [39:0] said  = {acknowledged, position, length[7:0], length[8], flags, kind};
  wire        shows = bits_q == 4'd8 && count_q >= 10'd5 && covers;  // a byte of the payload

  // The module's place in the packet and its CRC are functions of how many bytes there were.
  wire [9:0] behind = count_q - long;
  wire [3:0] place  = count_q < 10'd5 ? count_q[3:0] : covers ? 4'd5 : behind > 10'd9 ? 4'd10 : behind[3:0];
  wire [9:0] passed = count_q < 10'd5 ? 10'd0 : covers ? count_q - 10'd5 : {1'b0, long};
  wire [5:0] header = 6'd8 * (count_q >= 10'd5 ? 3'd5 : count_q[2:0] + (bits_q != 4'd0 && bits_q != 4'd8));
  wire [9:0] bits   = 10'd8 * (behind - 10'd5) + (bits_q != 4'd0 ? 10'd8 - bits_q : 10'd0);  // of the CRC

  wire [18:0] holds;
  assign holds[0]  = good == sound_q;
  assign holds[1]  = bad == unsound_q;
  assign holds[2]  = !good || (said == header_q && index == length);
  assign holds[3]  = payload_valid == shows;
  assign holds[4]  = !shows || (index == passed && payload == byte_q && said == header_q);
  assign holds[5]  = bits_q <= 4'd8 && (bits_q == 4'd0 || rest_q == bits_q + 4'd1);
  assign holds[6]  = left_q != 8'd255 && \u_dut.left_q == left_q + 8'd1;
  assign holds[7]  = \u_dut.silent_q == !meant_q;
  assign holds[8]  = \u_dut.bits_q == bits_q;
  assign holds[9]  = bits_q == 4'd0 || \u_dut.byte_q == byte_q;
  assign holds[10] = \u_dut.place_q == place;
  assign holds[11] = bits_q == 4'd0 || \u_dut.plain_q == (place == 4'd5 && passed != long);
  assign holds[12] = index == passed || (count_q == 10'd0 && rest_q == 4'd9);
  assign holds[13] = \u_dut.header_q >> (6'd40 - header) == (header_q & ~(40'hFFFFFFFFFF << header));
  assign holds[14] = compared_q == (covers ? 10'd0 : over ? 10'd32 : bits);
  assign holds[15] = over || \u_dut.crc_q == crc_q >> compared_q;
  assign holds[16] = place == 4'd10 || (over && bits_q != 4'd0) || \u_dut.broken_q == wrong_q;
  assign holds[17] = rest_q <= 4'd9;
  assign holds[18] = count_q != 10'd0 || bits_q != 4'd0 || (!covers ? 1'b0 : crc_q == 32'hFFFFFFFF);

  proof_stays #(19) u_stays (clk, rst, holds);
endmodule
