// The other end of a UART, and the oscillator: 8 data bits, no parity, one stop bit, at a bit time that may change
// while it runs. The C side (harness/weir_serial.c) is called once a byte, and once a bit time while there is none to
// send: event 0 at the start gives the clock's period in 1/65536 ps; event 1 asks what to send; event 2 asks for the
// bit time of a byte that begins; event 3 reports it, with flags: 8 the stop bit is not 1, 9 some bit is unknown. The
// answer to event 1: 39:0 a time in ps, 47:40 a byte, 49:48 what to do: 0 wait, 1 send the byte with that bit time, 2
// hold the line low for so long, 3 end the run. clk: starts at 0; each rising edge is followed by the falling one in
// the same moment, since no board looks at that and every event costs. It rests for a millisecond when `rest` is set,
// as models of PLLs do that nothing but they look at it (boards/cells/pll). from_board is sampled in the middle of each
// bit, so that a rate up to 5 % off is still received.
`timescale 1ps / 1ps
`default_nettype none
module weir_sim_serial (
    output wire clk,
    output reg  to_board,
    input  wire from_board
);
    /* verilator no_inline_module */  // else its delays count in the units of the module around it
`ifdef VERILATOR
    import "DPI-C" context function void weir_serial_event(
        input int kind, input int data, input longint now, output longint answer);
`define WEIR_SERIAL_EVENT weir_serial_event
`else
`define WEIR_SERIAL_EVENT $weir_serial_event
`endif

    localparam [63:0] REST = 64'd1000000000;  // ps
    reg [63:0] period, edge_time;             // 1/65536 ps
    reg rise, fall;
    // Public, for Verilator 5.006 drops what another module writes to a variable that a single process reads.
    reg rest /* verilator public_flat_rw */;
    assign clk = rise ^ fall;
    always @(posedge clk) fall <= rise;

    reg [63:0] answer;
    reg [39:0] bit_time;
    reg [9:0] sending;
    integer at_out;

    reg [63:0] receive_time, ignored;
    reg [9:0] received;
    reg receiving, unknown;
    integer at_in;

    /* verilator lint_off BLKSEQ */  // a bench, in which time passes
    task receive;
        begin
            receiving = 1'b1;
            `WEIR_SERIAL_EVENT(2, 0, $time, receive_time);
            unknown = 1'b0;
            #(receive_time >> 1);
            if (from_board === 1'b0) begin  // else it was a glitch
                for (at_in = 0; at_in < 9; at_in = at_in + 1) begin
                    #(receive_time);
                    received = {from_board === 1'b1, received[9:1]};
                    if (from_board !== 1'b0 && from_board !== 1'b1) unknown = 1'b1;
                end
                `WEIR_SERIAL_EVENT(3, {22'd0, unknown, !received[9], received[8:1]}, $time, ignored);
            end
            receiving = 1'b0;
        end
    endtask

    initial fall = 1'b0;
    initial begin
        rise = 1'b0;
        rest = 1'b0;
        edge_time = 64'd0;
        `WEIR_SERIAL_EVENT(0, 0, $time, period);
        forever begin
            edge_time = edge_time + period;
            #((edge_time >> 16) - $time);
            if (rest) begin
                #(REST) rest = 1'b0;
                edge_time = $time << 16;
            end
            rise = !rise;
        end
    end

    initial begin
        to_board = 1'b1;
        #1;
        forever begin
            `WEIR_SERIAL_EVENT(1, 0, $time, answer);
            case (answer[49:48])
                2'd0: begin
                    to_board = 1'b1;
                    #(answer[39:0]);
                end
                2'd1: begin
                    bit_time = answer[39:0];
                    sending = {1'b1, answer[47:40], 1'b0};
                    for (at_out = 0; at_out < 10; at_out = at_out + 1) begin
                        to_board = sending[0];
                        sending = {1'b1, sending[9:1]};
                        #(bit_time);
                    end
                end
                2'd2: begin
                    to_board = 1'b0;
                    #(answer[39:0]);
                end
                default: begin
                    $finish(0);
                    #1;
                end
            endcase
        end
    end

    initial begin
        receiving = 1'b1;
        #1 receiving = 1'b0;
        if (from_board === 1'b0) receive;
    end
    always @(negedge from_board)  // a line that stays low is one byte
        if (from_board === 1'b0 && !receiving)
`ifdef VERILATOR  // which spends time, at every other event, on a process that waits for one
            fork
                begin
                    receive;
                end
            join_none
`else
            receive;
`endif
    /* verilator lint_on BLKSEQ */
endmodule
`default_nettype wire
