// A word reads as it was written last, and what was read is held: what memory.v of the proofs takes for granted.
// sources: memory/weir_ram.v
// prove: unbounded WIDTH=1 DEPTH=1
// prove: unbounded WIDTH=2 DEPTH=4
// prove: unbounded WIDTH=1 DEPTH=7
module proof #(
  parameter integer WIDTH = 1,
  parameter integer DEPTH = 2
) (
  input wire                                       clk, we,
  input wire [(DEPTH > 1 ? $clog2(DEPTH) : 1)-1:0] waddr,
  input wire [WIDTH-1:0]                           wdata,
  input wire                                       re,
  input wire [(DEPTH > 1 ? $clog2(DEPTH) : 1)-1:0] raddr
);
  localparam integer ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam [ADDR_W:0] WORDS = DEPTH;

  (* anyconst *) wire [ADDR_W-1:0] watched;
  wire             rst;
  wire [WIDTH-1:0] q;
  reg              written_q, expects_q;
  reg  [WIDTH-1:0] word_q, expected_q;

  weir_ram #(
    .WIDTH(WIDTH),
    .DEPTH(DEPTH)
  ) u_dut (.*);

  always @(posedge clk)
    if (rst) begin
      written_q <= 1'b0;
      expects_q <= 1'b0;
    end else begin
      if (we && waddr == watched) begin
        written_q <= 1'b1;
        word_q    <= wdata;
      end
      if (re) begin
        expects_q  <= written_q && raddr == watched;
        expected_q <= word_q;
      end
    end

  always @* begin
    assume (waddr < WORDS && raddr < WORDS && watched < WORDS);
    assume (!we || !re || waddr != raddr);
  end

  proof_reset u_reset (clk, rst);
  proof_equal #(WIDTH) u_equal (rst, expects_q, q, expected_q);
endmodule
