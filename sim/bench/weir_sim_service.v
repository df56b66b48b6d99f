// The one place where a bench calls the C harness: on falling edges, so that what the harness writes is stable around
// the rising edge that uses it. Event 0: start, in the third clock cycle, during reset; event 1: service, when a part
// requests it or `cycle` has reached `wake`. The harness ends the run through `done`.
// The call is a DPI import in Verilator, a system task in every other simulator; the harness works through VPI in both.
// With the macro WEIR_SIM_TRACE the harness may start a waveform dump (weir.fst) through `dump`.
`timescale 1ns / 1ns
`default_nettype none
module weir_sim_service #(
    parameter REQUESTS = 1
) (
    input wire                clk,
    input wire [31:0]         cycle,
    input wire [REQUESTS-1:0] request
);
`ifdef VERILATOR
    import "DPI-C" context function void weir_sim_event(input int kind);
`define WEIR_SIM_EVENT weir_sim_event
`else
`define WEIR_SIM_EVENT $weir_sim_event
`endif

    reg [31:0] wake /*verilator public_flat_rw*/;
    reg        done /*verilator public_flat_rw*/;
    reg        dump /*verilator public_flat_rw*/;

    reg [1:0] phase_q;
`ifdef WEIR_SIM_TRACE
    reg dumping_q;
    initial dumping_q = 1'b0;
`endif

    initial begin
        wake = 32'hffffffff;
        done = 1'b0;
        dump = 1'b0;
        phase_q = 2'd0;
    end

    always @(negedge clk) begin
        if (phase_q != 2'd3) begin
            phase_q <= phase_q + 2'd1;
            if (phase_q == 2'd2) `WEIR_SIM_EVENT(0);
        end else if (request != {REQUESTS{1'b0}} || cycle >= wake) begin
            `WEIR_SIM_EVENT(1);
        end
`ifdef WEIR_SIM_TRACE
        if (dump && !dumping_q) begin
            dumping_q <= 1'b1;
            $dumpfile("weir.fst");
            $dumpvars;
        end
`endif
        if (done) $finish(0);
    end
endmodule
`default_nettype wire
