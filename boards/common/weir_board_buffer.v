// weir_board_buffer: the link's receive buffer, which holds the id of the model's parameters until its first byte
// comes.
//
// Latency:   1 cycle from raddr to q, taken only in cycles with re high; `model` is there 6 cycles after the first
//            reset.
// Interval:  1 cycle a word, for writing and for reading.
// State:     the bytes and the read register; with INIT the id, which is read once after configuration and kept through
//            every reset.
// Contract:  as weir_ram. With INIT, raddr[1:0] is 0 and re low for 6 cycles after a reset, and so is we.
// A tool that fills block RAM of a bitstream (icebram, ecpbram) changes the id with the parameters. INIT relies on
// registers that begin with a value.
// Mapping:   block RAM; with INIT 32 registers and about 10 lookup tables.
`default_nettype none

module weir_board_buffer #(
  parameter integer DEPTH = 512,  // bytes
  parameter [31:0]  MODEL = 0,    // the id where INIT is empty
  // hex file: the id's four bytes, lowest first, and what tells this memory from every other
  parameter         INIT  = ""
) (
  input  wire                     clk,
  input  wire                     rst,
  input  wire                     we,
  input  wire [$clog2(DEPTH)-1:0] waddr,
  input  wire [7:0]               wdata,
  input  wire                     re,
  input  wire [$clog2(DEPTH)-1:0] raddr,
  output reg  [7:0]               q,
  output wire [31:0]              model
);
  generate
    if (DEPTH < 4 || DEPTH != 1 << $clog2(DEPTH)) begin : g_check
      weir_board_buffer_DEPTH_must_be_a_power_of_two_from_4_on u_error ();
    end
  endgenerate

  (* ram_style = "block", no_rw_check *) reg [7:0] mem [0:DEPTH-1];

  wire                     load;
  wire [1:0]               place;  // of the id's byte that is read
  wire [$clog2(DEPTH)-1:0] address = {raddr[$clog2(DEPTH)-1:2], raddr[1:0] ^ place};

  always @(posedge clk) begin
    if (we) mem[waddr] <= wdata;
    if (re || load) q <= mem[address];
  end

  generate
    if (INIT == "") begin : g_constant
      assign load  = 1'b0;
      assign place = 2'd0;
      assign model = MODEL;
      wire unused = &{1'b0, rst};
    end else begin : g_read
      reg [31:0] model_q;
      reg [1:0]  place_q;
      reg        loaded_q, load_q;  // all bytes have been asked for; q is one of them

      initial begin
        $readmemh(INIT, mem);
        loaded_q = 1'b0;
        place_q  = 2'd0;
        load_q   = 1'b0;
      end

      assign load  = !rst && !loaded_q;
      assign place = place_q;
      assign model = model_q;

      always @(posedge clk) begin
        load_q <= load;
        if (load) {loaded_q, place_q} <= {1'b0, place_q} + 3'd1;
        if (load_q) model_q <= {q, model_q[31:8]};
      end
    end
  endgenerate
endmodule

`default_nettype wire
