// A board that sends each byte back with the number of bytes before it added: a UART of its own, 8 cycles a bit.
`default_nettype none
module weir_board (
    input  wire clk, rx, button,
    output reg  tx,
    output wire led
);
    localparam BIT = 8;
    reg [1:0] sync_q;
    reg [3:0] receive_wait_q, receive_at_q;
    reg receiving_q, is_there_q;
    reg [7:0] shift_q, count_q;
    reg [7:0] fifo[0:255];
    reg [7:0] write_q, read_q;
    reg [9:0] send_q;
    reg [3:0] send_wait_q, send_at_q;

    initial begin
        sync_q = 2'b11;
        receiving_q = 1'b0;
        is_there_q = 1'b0;
        count_q = 8'd0;
        write_q = 8'd0;
        read_q = 8'd0;
        send_wait_q = 4'd0;
        send_at_q = 4'd0;
        tx = 1'b1;
    end

    always @(posedge clk) begin
        sync_q <= {sync_q[0], rx};
        is_there_q <= 1'b0;
        if (!receiving_q) begin
            receiving_q <= !sync_q[1] && button;
            receive_wait_q <= BIT + BIT / 2 - 2;
            receive_at_q <= 4'd0;
        end else if (receive_wait_q != 4'd0) begin
            receive_wait_q <= receive_wait_q - 4'd1;
        end else begin
            receive_wait_q <= BIT - 1;
            receive_at_q <= receive_at_q + 4'd1;
            if (receive_at_q == 4'd8) begin
                receiving_q <= 1'b0;
                is_there_q <= sync_q[1];
            end else begin
                shift_q <= {sync_q[1], shift_q[7:1]};
            end
        end
        if (is_there_q) begin
            fifo[write_q] <= shift_q + count_q;
            write_q <= write_q + 8'd1;
            count_q <= count_q + 8'd1;
        end
    end

    always @(posedge clk) begin
        if (send_wait_q != 4'd0) begin
            send_wait_q <= send_wait_q - 4'd1;
        end else if (send_at_q != 4'd0) begin
            tx <= send_q[0];
            send_q <= {1'b1, send_q[9:1]};
            send_at_q <= send_at_q - 4'd1;
            send_wait_q <= BIT - 1;
        end else if (write_q != read_q) begin
            send_q <= {1'b1, fifo[read_q], 1'b0};
            read_q <= read_q + 8'd1;
            send_at_q <= 4'd10;
        end
    end

    assign led = receiving_q;
endmodule
`default_nettype wire
