// weir_nest: where nested loops are in a memory of two pages. The first loop is the outermost one; an iteration of all
// is at START + the sum of STRIDE * iteration of its page, and the next nest is in the other page.
//
// Latency:   1 cycle from `next` to the position of the next iteration.
// Interval:  1 cycle a position.
// Clock:     rtl/README.md, Measured alone: weir_reorder.
// State:     the position, which page it is in, an iteration count a loop and whether it is the last one.
// Mapping:   a counter a loop, an adder of the step of the loop whose next iteration it is.
`default_nettype none

module weir_nest #(
  parameter integer PAGE     = 2,  // words
  parameter integer START    = 0,
  parameter integer SIZE_0   = 1,
  parameter integer SIZE_1   = 1,
  parameter integer SIZE_2   = 1,
  parameter integer SIZE_3   = 1,
  parameter integer SIZE_4   = 1,
  parameter integer SIZE_5   = 2,
  parameter integer STRIDE_0 = 0,
  parameter integer STRIDE_1 = 0,
  parameter integer STRIDE_2 = 0,
  parameter integer STRIDE_3 = 0,
  parameter integer STRIDE_4 = 0,
  parameter integer STRIDE_5 = 1
) (
  input  wire                        clk,
  input  wire                        rst,
  input  wire                        next,
  output wire [$clog2(2*PAGE)-1:0]   at,
  // of the loops from each one on: is it the last iteration? The last bit is 1.
  output wire [6:0]                  at_end
);
  localparam integer LOOPS = 6;
  /* verilator lint_off WIDTHCONCAT */ // integers have 32 bits
  localparam [32*LOOPS-1:0] SIZES   = {SIZE_5, SIZE_4, SIZE_3, SIZE_2, SIZE_1, SIZE_0};
  localparam [32*LOOPS-1:0] STRIDES = {STRIDE_5, STRIDE_4, STRIDE_3, STRIDE_2, STRIDE_1, STRIDE_0};
  /* verilator lint_on WIDTHCONCAT */
  localparam integer AT_W   = $clog2(2 * PAGE);
  localparam integer FROM_0 = START;
  localparam integer FROM_1 = PAGE + START;

  generate
    if (PAGE < 1) begin : g_check
      weir_nest_PAGE_must_be_at_least_1 u_error ();
    end
    if (START < 0 || START >= PAGE) begin : g_check_start
      weir_nest_START_must_be_in_the_page u_error ();
    end
    if (SIZE_0 < 1 || SIZE_1 < 1 || SIZE_2 < 1 || SIZE_3 < 1 || SIZE_4 < 1 || SIZE_5 < 1) begin : g_check_sizes
      weir_nest_SIZE_must_be_at_least_1 u_error ();
    end
  endgenerate

  wire [AT_W*LOOPS-1:0] steps;  // of each loop, from the last iteration of the loops in it
  /* verilator lint_off UNOPTFLAT */ // a bit depends on those of the loops in it
  wire [LOOPS:0]        ends;
  /* verilator lint_on UNOPTFLAT */
  reg  [AT_W-1:0]       at_q, step;
  reg                   page_q;

  assign at          = at_q;
  assign at_end      = ends;
  assign ends[LOOPS] = 1'b1;

  // From the last iteration of the loops in a loop to its next one.
  function integer step_of(input integer level);
    integer i;
    begin
      step_of = STRIDES[32*level +: 32];
      for (i = level + 1; i < LOOPS; i = i + 1) step_of = step_of - (SIZES[32*i +: 32] - 1) * STRIDES[32*i +: 32];
    end
  endfunction

  genvar l;
  generate
    for (l = 0; l < LOOPS; l = l + 1) begin : g_loop
      localparam integer SIZE = SIZES[32*l +: 32];
      localparam integer STEP = step_of(l);
      assign steps[l*AT_W +: AT_W] = STEP[AT_W-1:0];
      if (SIZE == 1) begin : g_once
        assign ends[l] = ends[l+1];
      end else begin : g_count
        localparam integer COUNT_W = $clog2(SIZE);
        localparam integer BEFORE  = SIZE - 2;
        reg [COUNT_W-1:0] count_q;
        reg               last_q;
        assign ends[l] = ends[l+1] && last_q;
        always @(posedge clk)
          if (rst) begin
            count_q <= {COUNT_W{1'b0}};
            last_q  <= 1'b0;
          end else if (next && ends[l+1]) begin
            count_q <= last_q ? {COUNT_W{1'b0}} : count_q + 1'b1;
            last_q  <= count_q == BEFORE[COUNT_W-1:0];
          end
      end
    end
  endgenerate

  integer i;
  always @* begin
    step = steps[(LOOPS-1)*AT_W +: AT_W];
    for (i = LOOPS - 2; i >= 0; i = i - 1) if (ends[i+1]) step = steps[i*AT_W +: AT_W];
  end

  always @(posedge clk)
    if (rst) begin
      at_q   <= FROM_0[AT_W-1:0];
      page_q <= 1'b0;
    end else if (next) begin
      at_q <= at_q + step;
      if (ends[0]) begin
        at_q   <= page_q ? FROM_0[AT_W-1:0] : FROM_1[AT_W-1:0];
        page_q <= !page_q;
      end
    end
endmodule

`default_nettype wire
