// weir_board_taps: looks at streams inside of an accelerator: the CRC-32 of one byte of each beat of one of them, and
// how many beats it had.
//
// Latency:   a beat counts two cycles after it moved.
// Interval:  1 cycle a beat.
// State:     what is looked at, which streams moved, the chosen byte, a CRC and a count.
// `answer` is 0 for registers of others, and their bit of `version`.
// The bytes of all streams' beats lie side by side; each stream begins with a byte of its own.
// Mapping:   a multiplexer of all bytes, behind registers of the streams and before one of its own: about 3 lookup
//            tables a byte, and 110 more.
`default_nettype none

module weir_board_taps #(
  parameter integer TAPS  = 1,  // streams
  parameter integer BYTES = 1   // of all their beats
) (
  input  wire               clk,
  input  wire               rst,
  input  wire               write,
  input  wire [6:0]         address,
  input  wire [31:0]        value,
  output reg  [31:0]        answer,
  input  wire [TAPS-1:0]    moves,  // a beat does
  input  wire [8*BYTES-1:0] data
);
  generate
    if (TAPS < 1 || TAPS > 32768 || BYTES < 1 || BYTES > 32768) begin : g_check
      weir_board_taps_TAPS_and_BYTES_must_be_1_to_32768 u_error ();
    end
  endgenerate

  localparam integer TAP_W = TAPS > 1 ? $clog2(TAPS) : 1;
  localparam integer BYTE_W = BYTES > 1 ? $clog2(BYTES) : 1;

  reg  [TAPS-1:0]   moves_q;
  reg  [7:0]        byte_q;
  reg  [31:0]       crc_q, beats_q;
  reg  [31:0]       folded;
  reg  [TAP_W-1:0]  tap_q;
  reg  [BYTE_W-1:0] place_q;
  wire              unused = &{1'b0, value};  // what is above
  integer           i;

  always @* begin
    folded = crc_q;
    for (i = 0; i < 8; i = i + 1)
      folded = {1'b0, folded[31:1]} ^ (folded[0] != byte_q[i] ? 32'hEDB88320 : 32'd0);
  end

  always @(posedge clk)
    if (write && address == 7'd64) begin
      tap_q   <= value[16+:TAP_W];
      place_q <= value[BYTE_W-1:0];
    end

  always @(posedge clk) byte_q <= data[8*place_q+:8];

  always @(posedge clk)
    if (rst) begin
      moves_q <= {TAPS{1'b0}};
      crc_q   <= 32'hFFFFFFFF;
      beats_q <= 32'd0;
    end else begin
      moves_q <= moves;
      if (moves_q[tap_q]) begin
        crc_q   <= folded;
        beats_q <= beats_q + 32'd1;
      end
    end

  always @*
    case (address)
      7'd1: answer = 32'd1 << 13;
      7'd64: answer = {{(16-TAP_W){1'b0}}, tap_q, {(16-BYTE_W){1'b0}}, place_q};
      7'd65: answer = ~crc_q;
      7'd66: answer = beats_q;
      default: answer = 32'd0;
    endcase
endmodule

`default_nettype wire
