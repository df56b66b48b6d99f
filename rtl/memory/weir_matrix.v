// weir_matrix: matrices that a stream writes, given out word by word. A page has all matrices that rows choose from:
// the next one is written while this one is read.
//
// A word lies side by side in BANKS memories, each of which a beat fills at one address. Nested loops say where a beat
// goes, the first one outermost: six add SIZE times a STRIDE of words, and loop BANK, whose stride is 0, goes through
// the banks. The words of a page are asked for one after the other, by `next` while `open` is high: each of four loops
// of rows (ROW_SIZE, ROW_STRIDE of words) takes the WORDS of a matrix in order.
// Latency:   READ cycles from `next` to its word in `q`, which is valid for that cycle.
// Interval:  1 cycle a word, 1 cycle a beat written.
// Clock:     rtl/README.md, Measured alone: weir_product.
// State:     two pages, how many are full, the positions of writer and reader, one-hot the bank that is written, READ
//            registers of a word, without reset.
// Invariant: a page is written only while it is not full, and read only while it is.
// Mapping:   BANKS memories of one port each to write and to read: weir_ram, of up to 512 bits whatever the synthesis
//            tool chooses.
`default_nettype none

module weir_matrix #(
  parameter integer WIDTH        = 8,  // bits of a beat, and of a bank's word
  parameter integer BANKS        = 1,
  parameter integer PAGE         = 2,  // words of a page
  parameter integer SIZE_0       = 1,
  parameter integer SIZE_1       = 1,
  parameter integer SIZE_2       = 1,
  parameter integer SIZE_3       = 1,
  parameter integer SIZE_4       = 1,
  parameter integer SIZE_5       = 2,
  parameter integer STRIDE_0     = 0,
  parameter integer STRIDE_1     = 0,
  parameter integer STRIDE_2     = 0,
  parameter integer STRIDE_3     = 0,
  parameter integer STRIDE_4     = 0,
  parameter integer STRIDE_5     = 1,
  parameter integer BANK         = 0,  // the loop through the banks, if there are several
  parameter integer ROW_SIZE_0   = 1,
  parameter integer ROW_SIZE_1   = 1,
  parameter integer ROW_SIZE_2   = 1,
  parameter integer ROW_SIZE_3   = 1,
  parameter integer ROW_STRIDE_0 = 0,
  parameter integer ROW_STRIDE_1 = 0,
  parameter integer ROW_STRIDE_2 = 0,
  parameter integer ROW_STRIDE_3 = 0,
  parameter integer WORDS        = 2,  // of a matrix
  parameter integer READ         = 1
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   s_valid,
  output wire                   s_ready,
  input  wire [WIDTH-1:0]       s_data,
  output wire                   open,
  input  wire                   next,
  output wire [BANKS*WIDTH-1:0] q
);
  localparam integer AT_W = $clog2(2 * PAGE);

  generate
    if (WIDTH < 1 || BANKS < 1 || PAGE < 1 || WORDS < 1 || READ < 1) begin : g_check
      weir_matrix_WIDTH_BANKS_PAGE_WORDS_and_READ_must_be_at_least_1 u_error ();
    end
  endgenerate

  reg  [1:0]             full_q;  // pages that are written and not yet read
  wire [AT_W-1:0]        write_at, read_at;
  /* verilator lint_off UNUSEDSIGNAL */ // only that of the loop of banks, and of all
  wire [6:0]             write_end, read_end;
  /* verilator lint_on UNUSEDSIGNAL */
  wire [BANKS-1:0]       chosen;
  wire [BANKS*WIDTH-1:0] word;
  wire                   write = s_valid && s_ready;

  assign s_ready = !full_q[1];
  assign open    = full_q != 2'd0;

  always @(posedge clk)
    if (rst) full_q <= 2'd0;
    else full_q <= full_q + {1'b0, write && write_end[0]} - {1'b0, next && read_end[0]};

  weir_nest #(
    .PAGE    (PAGE),
    .SIZE_0  (SIZE_0),
    .SIZE_1  (SIZE_1),
    .SIZE_2  (SIZE_2),
    .SIZE_3  (SIZE_3),
    .SIZE_4  (SIZE_4),
    .SIZE_5  (SIZE_5),
    .STRIDE_0(STRIDE_0),
    .STRIDE_1(STRIDE_1),
    .STRIDE_2(STRIDE_2),
    .STRIDE_3(STRIDE_3),
    .STRIDE_4(STRIDE_4),
    .STRIDE_5(STRIDE_5)
  ) u_write (
    .clk   (clk),
    .rst   (rst),
    .next  (write),
    .at    (write_at),
    .at_end(write_end)
  );

  weir_nest #(
    .PAGE    (PAGE),
    .SIZE_1  (ROW_SIZE_0),
    .SIZE_2  (ROW_SIZE_1),
    .SIZE_3  (ROW_SIZE_2),
    .SIZE_4  (ROW_SIZE_3),
    .SIZE_5  (WORDS),
    .STRIDE_1(ROW_STRIDE_0),
    .STRIDE_2(ROW_STRIDE_1),
    .STRIDE_3(ROW_STRIDE_2),
    .STRIDE_4(ROW_STRIDE_3)
  ) u_read (
    .clk   (clk),
    .rst   (rst),
    .next  (next),
    .at    (read_at),
    .at_end(read_end)
  );

  genvar b, i;
  generate
    if (BANKS == 1) begin : g_one
      assign chosen = 1'b1;
    end else begin : g_ring
      reg [BANKS-1:0] chosen_q;
      assign chosen = chosen_q;
      always @(posedge clk)
        if (rst) chosen_q <= {{(BANKS-1){1'b0}}, 1'b1};
        else if (write && write_end[BANK+1]) chosen_q <= {chosen_q[BANKS-2:0], chosen_q[BANKS-1]};
    end

    for (b = 0; b < BANKS; b = b + 1) begin : g_bank
      if (2 * PAGE * WIDTH <= 512) begin : g_small
        (* ram_style = "auto", no_rw_check *) reg [WIDTH-1:0] mem [0:2*PAGE-1];
        reg [WIDTH-1:0] word_q;
        always @(posedge clk) begin
          if (write && chosen[b]) mem[write_at] <= s_data;
          if (next) word_q <= mem[read_at];
        end
        assign word[b*WIDTH +: WIDTH] = word_q;
      end else begin : g_memory
        weir_ram #(
          .WIDTH(WIDTH),
          .DEPTH(2 * PAGE)
        ) u_ram (
          .clk  (clk),
          .we   (write && chosen[b]),
          .waddr(write_at),
          .wdata(s_data),
          .re   (next),
          .raddr(read_at),
          .q    (word[b*WIDTH +: WIDTH])
        );
      end
    end

    if (READ == 1) begin : g_direct
      assign q = word;
    end else begin : g_registered
      for (i = 1; i < READ; i = i + 1) begin : g_read
        reg [BANKS*WIDTH-1:0] word_q;
        if (i == 1) begin : g_first
          always @(posedge clk) word_q <= word;
        end else begin : g_next
          always @(posedge clk) word_q <= g_read[i-1].word_q;
        end
      end
      assign q = g_read[READ-1].word_q;
    end
  endgenerate

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check #("weir_matrix", "a word is read before its matrix is there") u_check_open (
    clk, rst, !next || full_q != 2'd0);
  weir_check #("weir_matrix", "the banks and the loop through them are apart") u_check_banks (
    clk, rst, !write || !write_end[0] || chosen[BANKS-1]);
`endif
endmodule

`default_nettype wire
