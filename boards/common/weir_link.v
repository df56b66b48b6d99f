// weir_link: the board's end of the link (boards/common/README.md) between the bytes of a UART and two streams of
// bytes.
//
// Latency:   a byte to the board is there when its packet has ended well; one to the host goes when the sender is free.
// Interval:  that of the wire; s_ready and m_valid are functions of registers only.
// State:     a receive and a send buffer, the ends of what is in them, the request that is answered, what is still to
//            be said.
// Invariant: receive buffer: read <= taken <= read + RX_BYTES; what lies behind `taken` is of a packet that has not
//            ended. send buffer: acknowledged <= write <= acknowledged + TX_BYTES (4,095 at most); no byte is
//            overwritten before it is acknowledged, none acknowledged or sent that was not written. acknowledged <=
//            send <= write except for the moment in which an acknowledgement has overtaken a repetition. The word being
//            written is never read.
// Mapping:   two memories, each a block RAM of iCE40 with 512 bytes; about 250 lookup tables, and those of weir_link_rx
//            and weir_link_tx.
`default_nettype none

module weir_link #(
  parameter integer RX_BYTES = 512,  // receive buffer: 512, 1024, 2048 or 4096
  parameter integer TX_BYTES = 512,  // send buffer: likewise
  parameter [31:0]  MODEL    = 0,    // id of the model's parameters, where MODEL_INIT is empty
  parameter         MODEL_INIT = ""  // hex file whose first bytes are that id: what the receive buffer begins with
) (
  input  wire        clk,
  input  wire        rst,
  input  wire        rx_valid,       // from the UART; must be taken
  input  wire [7:0]  rx_data,
  input  wire        rx_error,
  output wire        tx_valid,       // to the UART
  input  wire        tx_ready,
  output wire [7:0]  tx_data,
  output wire        m_valid,        // the stream to the board
  input  wire        m_ready,
  output wire [7:0]  m_data,
  input  wire        s_valid,        // the stream to the host
  output wire        s_ready,
  input  wire [7:0]  s_data,
  output reg         restart,        // the host has asked for a start: for a cycle, streams and buffers begin again
  output reg         access,         // a register is read or written
  output wire        access_write,
  output wire [6:0]  access_address,
  output wire [31:0] access_value,   // to be written
  input  wire [31:0] access_answer,  // read, in the cycle of `access`
  output wire [31:0] model,          // id of the model's parameters
  output wire [3:0]  errors          // for a cycle: 0 framing, 1 CRC or length, 2 no place, 3 no room
);
  localparam integer RX_W = $clog2(RX_BYTES);
  localparam integer TX_W = $clog2(TX_BYTES);
  localparam [3:0] DATA = 4'd1, REGISTER = 4'd2, STATUS = 4'd3, START = 4'd4;
  localparam integer BLOCKS = RX_BYTES / 256;

  generate
    if (RX_BYTES < 512 || RX_BYTES > 4096 || RX_BYTES != 1 << RX_W) begin : g_check_rx
      weir_link_RX_BYTES_must_be_512_1024_2048_or_4096 u_error ();
    end
    if (TX_BYTES < 512 || TX_BYTES > 4096 || TX_BYTES != 1 << TX_W) begin : g_check_tx
      weir_link_TX_BYTES_must_be_512_1024_2048_or_4096 u_error ();
    end
  endgenerate

  // ---- packets to the host: their state ----
  reg  [11:0] write_q, send_q;        // of the stream to the host
  reg  [11:0] unconfirmed_q;          // the position that is acknowledged, inverted
  reg         repeat_q;               // from there once more
  reg         stale_q;                // the packet that is being sent is of before the start
  reg         owed_q;                 // an acknowledgement
  reg  [2:0]  say_q;                  // in a STATUS: there is room again, there was none, a packet did not fit
  reg  [3:0]  tx_kind_q;
  reg  [2:0]  tx_flags_q;
  reg  [8:0]  tx_length_q;
  wire        next, idle, done;
  wire [8:0]  sent;
  wire [11:0] left;                   // behind the received acknowledgement
  // flags of other types, numbers above an answer's; with 4,096 bytes
  wire        unused    = &{1'b0, flags, sent, left};
  wire        is_answer = !tx_kind_q[0];

  // ---- packets to the board ----
  wire [3:0]  kind;
  wire [2:0]  flags;
  wire [8:0]  length, index;
  wire [11:0] position, acknowledged;
  wire        payload_valid, good, bad;
  wire [7:0]  payload;

  weir_link_rx u_rx (
    .clk          (clk),
    .rst          (rst),
    .s_valid      (rx_valid),
    .s_data       (rx_data),
    .s_error      (rx_error),
    .kind         (kind),
    .flags        (flags),
    .length       (length),
    .position     (position),
    .acknowledged (acknowledged),
    .index        (index),
    .payload_valid(payload_valid),
    .payload      (payload),
    .good         (good),
    .bad          (bad)
  );

  // the packet is for this place; there is room for its next byte: stable when a byte comes
  reg        fits_q, room_q;
  reg [11:0] taken_q, read_q;         // of the stream to the board
  reg        valid_q;                 // a byte has been read
  reg        crowded_q;               // there was no room for a byte of this packet
  reg        closed_q;                // nor for a packet, and the host does not know that there is again
  reg        answering_q, missed_q;   // a request is being answered; the one that comes now is dropped
  reg        starting_q;              // it is that for a start
  reg [11:0] number_q;                // of the start
  reg [7:0]  tag_q, address_q;
  reg [31:0] value_q;

  wire        empty      = length == 9'd0;
  wire        is_data    = kind == DATA;
  wire        is_access  = kind == REGISTER && length[8:3] == 6'd0 && length[1:0] == 2'd2 && length[2] == address_q[7];
  wire        is_status  = kind == STATUS && empty;
  wire        is_start   = kind == START && empty;
  wire [11:0] end_       = taken_q + {3'd0, index};
  wire        room, reopens;
  wire        write_rx   = payload_valid && fits_q && room_q && !crowded_q;
  wire        fetch      = taken_q != read_q && (m_ready || !valid_q);
  wire        commit     = good && fits_q && !crowded_q;
  wire        refuse     = good && is_data && !commit;
  wire        full       = refuse && (fits_q || closed_q);
  wire        misfit     = refuse && !full;
  wire        reopen     = closed_q && reopens;
  wire        take       = good && is_access && !missed_q;
  wire        begins     = good && is_start && !answering_q;

  // Room for 256 bytes is reported by whole blocks of as many: there may be up to 255 bytes more of it.
  generate
    if (RX_BYTES == 512) begin : g_reopens_block
      assign reopens = taken_q[9:8] == read_q[9:8];
    end else begin : g_reopens
      wire [3:0] blocks = taken_q[11:8] - read_q[11:8];
      // All 16 blocks but a part of one are as many as none: what is taken ends before what is read in the same block.
      wire       wraps  = RX_BYTES == 4096 && blocks == 4'd0 && taken_q[7:0] < read_q[7:0];

      assign reopens = blocks <= BLOCKS[3:0] - 4'd2 && !wraps;
    end
    if (RX_BYTES == 4096) begin : g_room_most // one less, as positions are modulo that
      assign room = end_ != read_q - 12'd1;
    end else begin : g_room
      assign room = end_[RX_W-1:0] != read_q[RX_W-1:0] || end_[RX_W] == read_q[RX_W];
    end
  endgenerate

  assign m_valid = valid_q;

  always @(posedge clk) begin
    fits_q  <= is_data && position == taken_q;
    room_q <= room;
  end

  always @(posedge clk)
    if (rst || restart) begin
      taken_q   <= 12'd0;
      read_q    <= 12'd0;
      valid_q   <= 1'b0;
      crowded_q <= 1'b0;
      closed_q  <= 1'b0;
    end else begin
      if (commit) taken_q <= end_;
      if (fetch) read_q <= read_q + 12'd1;
      if (fetch) valid_q <= 1'b1;
      else if (m_ready) valid_q <= 1'b0;
      crowded_q <= !good && !bad && (crowded_q || (payload_valid && fits_q && !room_q));
      closed_q  <= full || (closed_q && !reopen);
    end

  weir_board_buffer #(
    .DEPTH(RX_BYTES),
    .MODEL(MODEL),
    .INIT (MODEL_INIT)
  ) u_rx_buffer (
    .clk  (clk),
    .rst  (rst),
    .we   (write_rx),
    .waddr(end_[RX_W-1:0]),
    .wdata(payload),
    .re   (fetch),
    .raddr(read_q[RX_W-1:0]),
    .q    (m_data),
    .model(model)
  );

  // ---- requests: one at a time, from its packet to the end of the answer ----
  wire catch_  = payload_valid && kind == REGISTER;
  wire read    = access && !access_write;
  wire answers = next && is_answer;

  assign access_write   = address_q[7];
  assign access_address = address_q[6:0];
  assign access_value   = value_q;

  always @(posedge clk)
    if (rst) begin
      restart     <= 1'b0;
      access      <= 1'b0;
      answering_q <= 1'b0;
      missed_q    <= 1'b0;
    end else begin
      restart <= begins;
      access  <= take;
      if (begins || take) answering_q <= 1'b1;
      else if (done && is_answer) answering_q <= 1'b0;
      if (catch_ && index[2:0] == 3'd0) missed_q <= answering_q;
      else if (good || bad) missed_q <= 1'b0;
    end

  always @(posedge clk) begin
    if (begins) number_q <= position;
    if (begins || take) starting_q <= begins;
    if (catch_ && !answering_q && index[2:0] == 3'd0) tag_q <= payload;
    if (catch_ && !missed_q && index[2:0] == 3'd1) address_q <= payload;
    if (read) value_q <= access_answer;
    else if ((catch_ && !missed_q && index[2:1] != 2'd0) || (answers && sent[2:1] != 2'd0)) value_q <= {payload, value_q[31:8]};
  end

  // ---- packets to the host ----
  // All of these are stable long before they are read; a cycle late is soon enough.
  wire [11:0] flight  = send_q + unconfirmed_q + 12'd1;        // bytes in flight
  wire [11:0] advance = acknowledged + unconfirmed_q + 12'd1;  // by a received packet
  wire        forward = !advance[11] || (TX_BYTES > 1024 && advance[10:0] == 11'd0);
  wire        beyond;
  reg  [11:0] waiting_q;                                       // bytes to be sent
  reg         behind_q;                                        // an acknowledgement has overtaken
  reg         window_q;                                        // a packet may be in flight besides
  reg         forward_q;                                       // the received acknowledgement is of held bytes
  reg         beyond_q;                                        // it is of what was never written
  wire        pending = waiting_q != 12'd0;
  wire        strange = good && !is_data && !is_access && !is_status && !is_start && !(kind == REGISTER && missed_q);
  wire        counts  = good && kind != START && !strange;
  wire        confirm = counts && forward_q;

  always @(posedge clk) begin
    waiting_q <= rst || restart ? 12'd0 : write_q - send_q;
    behind_q  <= flight[11] && flight[10:0] != 11'd0;
    window_q  <= !flight[11] && (flight[10:8] != 3'd7 || flight[7:0] == 8'd0);
    forward_q <= forward && !beyond;
    beyond_q  <= forward && beyond;
  end

  assign left = write_q - acknowledged;

  wire        write_tx = s_valid && s_ready;
  wire        rewind  = idle && (repeat_q || behind_q);
  wire        say     = say_q != 3'd0;
  wire        send    = pending && window_q && !say;
  wire        start   = idle && !rewind && (answering_q || say || send || owed_q);
  wire        is_sent = tx_kind_q == DATA;
  wire [7:0]  stored;
  wire [7:0]  answer  = sent[2:1] != 2'd0 ? value_q[7:0] : sent[0] ? address_q : tag_q;

  generate
    if (TX_BYTES == 4096) begin : g_ready_most // one less, as positions are modulo that
      wire [11:0] held = write_q + unconfirmed_q + 12'd1;

      assign s_ready = write_q != ~unconfirmed_q - 12'd1;
      assign beyond  = advance > held;
    end else begin : g_ready
      assign s_ready = write_q[TX_W-1:0] != ~unconfirmed_q[TX_W-1:0] || write_q[TX_W] != unconfirmed_q[TX_W];
      assign beyond  = left[11] && (TX_BYTES < 2048 || advance != 12'd0);
    end
  endgenerate

  always @(posedge clk)
    if (rst || restart) begin
      write_q       <= 12'd0;
      unconfirmed_q <= 12'hFFF;
      repeat_q      <= 1'b0;
      owed_q        <= 1'b0;
      say_q         <= 3'd0;
    end else begin
      if (write_tx) write_q <= write_q + 12'd1;
      if (confirm) unconfirmed_q <= ~acknowledged;
      repeat_q <= (good && is_status && flags[0]) || (repeat_q && !idle);
      owed_q   <= commit || (owed_q && !start);
      say_q    <= {reopen, full, misfit} | (start && !answering_q ? 3'd0 : say_q);
    end

  always @(posedge clk)
    if (rst || restart) send_q <= 12'd0;
    else if (rewind) send_q <= ~unconfirmed_q;
    else if (next && is_sent && !stale_q) send_q <= send_q + 12'd1;

  always @(posedge clk)
    if (rst || idle) stale_q <= 1'b0;
    else if (restart) stale_q <= 1'b1;

  always @(posedge clk)
    if (idle) begin
      tx_kind_q   <= answering_q ? (starting_q ? START : REGISTER) : send ? DATA : STATUS;
      tx_flags_q  <= answering_q ? 3'd0 : say_q;
      tx_length_q <= answering_q ? (starting_q ? 9'd0 : 9'd6) : !send ? 9'd0 : waiting_q[11:8] != 4'd0 ? 9'd256 : {1'b0, waiting_q[7:0]};
    end

  weir_ram #(
    .WIDTH(8),
    .DEPTH(TX_BYTES)
  ) u_tx_buffer (
    .clk  (clk),
    .we   (write_tx),
    .waddr(write_q[TX_W-1:0]),
    .wdata(s_data),
    .re   (pending && !behind_q),
    .raddr(send_q[TX_W-1:0]),
    .q    (stored)
  );

  weir_link_tx u_tx (
    .clk         (clk),
    .rst         (rst),
    .start       (start),
    .idle        (idle),
    .done        (done),
    .kind        (tx_kind_q),
    .flags       (tx_flags_q),
    .length      (tx_length_q),
    .position    (tx_kind_q[2] ? number_q : send_q),
    .acknowledged(taken_q),
    .index       (sent),
    .next        (next),
    .payload     (is_answer ? answer : stored),
    .stale       (stale_q),
    .m_valid     (tx_valid),
    .m_ready     (tx_ready),
    .m_data      (tx_data)
  );

  assign errors = {full, misfit || (counts && beyond_q), bad || strange, rx_valid && rx_error};
endmodule

`default_nettype wire
