// weir_softmax: min(half_even(power * steps / sum) + ZERO, HIGH) of each element of a row of LENGTH, where the power is
// a table's word for the element's distance from the row's largest, and the sum that of the row's powers. Powers,
// products and sums are floating-point numbers of FRAC_W + 1 bits, each rounded half to even: with 23 and 8 ONNX
// Runtime's QLinearSoftmax in float32, bit for bit.
//
// Three rows are in flight: one arrives while its largest element is found, one is summed, one is divided. Each element
// takes as many cycles as a division unit has bits, at least 4, because each addition waits for the rounding of the
// last.
//
// The tables are external ROMs: power_data and product_data (a power times the steps) are the words at power_addr and
// product_addr, READ cycles later, in the format of weir_softmax_sum.
// Latency:   LENGTH + (LENGTH - 2) * ceil((STEPS_W + 1) / UNITS) + 2 * READ + STEPS_W + UNITS + 19 cycles from a
//            frame's last beat to its last result, if beats arrive one a cycle until two rows are inside.
// Interval:  ceil((STEPS_W + 1) / UNITS) cycles a result.
// Clock:     rtl/README.md, Measured alone: weir_softmax.
// State:     two rows of elements with the largest of each, a row of distances and the distances of elements that wait
//            for the sum, two sums, the registers of weir_softmax_sum, weir_softmax_share and weir_pipeline.
// Invariant: distances reserved or held = used_q <= HELD; at most two rows in them have their sum.
// Mapping:   two block RAMs with a register after each; the two tables are memory blocks or logic, as weir_rom is.
`default_nettype none

module weir_softmax #(
  parameter integer WIDTH   = 8,    // bits of an element
  parameter integer SIGNED  = 0,
  parameter integer LENGTH  = 16,   // elements of a row
  parameter integer FRAC_W  = 23,
  parameter integer EXP_W   = 8,
  parameter integer STEPS_W = 9,    // bits of the steps: what results are below, before ZERO
  parameter integer UNITS   = 1,    // of the division
  parameter integer OUT_W   = 8,
  parameter integer ZERO    = 0,
  parameter integer HIGH    = 255,
  parameter integer READ    = 1     // registers from the address of a table to its word
) (
  input  wire                    clk,
  input  wire                    rst,
  input  wire                    s_valid,
  output wire                    s_ready,
  input  wire [WIDTH-1:0]        s_data,
  input  wire                    s_last,
  output wire [WIDTH-1:0]        power_addr,
  input  wire [EXP_W+FRAC_W:0]   power_data,
  output wire [WIDTH-1:0]        product_addr,
  input  wire [EXP_W+FRAC_W:0]   product_data,
  output wire                    m_valid,
  input  wire                    m_ready,
  output wire [OUT_W-1:0]        m_data,
  output wire                    m_last
);
  localparam integer CYCLES = (STEPS_W + UNITS) / UNITS;             // an element
  localparam integer HELD   = LENGTH - 1 + (READ + 8) / CYCLES + 1;  // distances, when nothing stalls

  generate
    if (WIDTH < 1 || LENGTH < 2) begin : g_check_sizes
      weir_softmax_WIDTH_must_be_at_least_1_and_LENGTH_at_least_2 u_error ();
    end
    if (CYCLES < 4) begin : g_check_units
      weir_softmax_UNITS_must_leave_4_cycles_an_element u_error ();
    end
    if (READ < 1 || READ > 2) begin : g_check_read
      weir_softmax_READ_must_be_1_or_2 u_error ();
    end
  endgenerate

  localparam integer SUMMED = READ + 7;        // cycles from an element to the sum with it
  reg  [SUMMED:1]    valid_q, first_q, end_q;  // of elements on their way

  // ---- a row comes: its largest element ----
  localparam integer AT_W   = $clog2(2 * LENGTH);
  localparam integer END_0  = LENGTH - 1;
  localparam integer END_1  = 2 * LENGTH - 1;
  reg  [1:0]         rows_q;       // that have arrived and are not summed yet
  reg  [AT_W-1:0]    write_q, read_q;
  reg                begins_q;     // the next element is a row's first
  reg                inside_q;     // the row that is added up has begun
  reg  [WIDTH-1:0]   best_q, best_0_q, best_1_q, top_q;
  reg                last_0_q, last_1_q, last_q;
  wire               write   = s_valid && s_ready;
  wire               write_1 = write_q == END_1[AT_W-1:0];
  wire               written = write && (write_1 || write_q == END_0[AT_W-1:0]);
  wire [WIDTH-1:0]   came    = s_data ^ {SIGNED != 0, {(WIDTH-1){1'b0}}};  // in the order of unsigned numbers
  reg                came_q, first_came_q, last_came_q, row_0_q, row_1_q;  // a cycle later
  reg  [WIDTH-1:0]   value_q;
  wire [WIDTH:0]     ahead   = {1'b0, best_q} - {1'b0, value_q};
  wire [WIDTH-1:0]   best    = first_came_q || ahead[WIDTH] ? value_q : best_q;
  wire               issue;        // an element is read to be added up
  wire               read_1  = read_q == END_1[AT_W-1:0];
  wire               read    = issue && (read_1 || read_q == END_0[AT_W-1:0]);
  reg                page_q;       // of it
  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire               active  = write;
  /* verilator lint_on UNUSEDSIGNAL */

  assign s_ready = !rows_q[1];

  always @(posedge clk)
    if (rst) begin
      rows_q   <= 2'd0;
      write_q  <= {AT_W{1'b0}};
      read_q   <= {AT_W{1'b0}};
      begins_q <= 1'b1;
      inside_q <= 1'b0;
      page_q   <= 1'b0;
    end else begin
      rows_q <= rows_q + {1'b0, written} - {1'b0, read};
      if (write) begin
        write_q  <= write_1 ? {AT_W{1'b0}} : write_q + 1'b1;
        begins_q <= written;
      end
      if (issue) begin
        read_q   <= read_1 ? {AT_W{1'b0}} : read_q + 1'b1;
        inside_q <= !read;
        page_q   <= page_q ^ read;
      end
    end

  always @(posedge clk) begin
    came_q       <= write;
    value_q      <= came;
    first_came_q <= begins_q;
    last_came_q  <= s_last;
    row_0_q      <= written && !write_1;
    row_1_q      <= written && write_1;
    if (came_q) best_q <= best;
    if (row_0_q) {last_0_q, best_0_q} <= {last_came_q, best};
    if (row_1_q) {last_1_q, best_1_q} <= {last_came_q, best};
    if (valid_q[1] && first_q[1]) {last_q, top_q} <= page_q ? {last_1_q, best_1_q} : {last_0_q, best_0_q};
  end

  wire [WIDTH-1:0] element;

  weir_ram #(
    .WIDTH(WIDTH),
    .DEPTH(2 * LENGTH)
  ) u_elements (
    .clk  (clk),
    .we   (write),
    .waddr(write_q),
    .wdata(came),
    .re   (1'b1),
    .raddr(read_q),
    .q    (element)
  );

  // ---- a row is added up ----
  localparam integer WAIT_W = $clog2(CYCLES);
  localparam integer WAIT   = CYCLES - 1;
  localparam integer USED_W = $clog2(HELD + 1);
  localparam integer FULL   = HELD - 1;
  localparam integer SLOT_W = $clog2(HELD);
  reg  [WAIT_W-1:0]  wait_q;             // cycles until the next element may be read
  reg                idle_q, full_q;     // there are none; all distances are promised
  reg  [USED_W-1:0]  used_q;
  reg  [SLOT_W-1:0]  put_q, get_q;
  reg  [WIDTH-1:0]   element_q, away_q;
  wire               take;               // an element is read to be divided
  wire               done  = valid_q[SUMMED] && end_q[SUMMED];
  reg                bank_q;             // of the next sum
  reg                mark_q;             // of the next row whose distances are all there
  reg                mark_0_q, mark_1_q; // is it a frame's last?
  reg  [EXP_W+FRAC_W:0] sum_0_q, sum_1_q;
  wire [EXP_W+FRAC_W:0] sum;

  assign issue      = idle_q && !full_q && (inside_q || rows_q != 2'd0);
  assign power_addr = away_q;

  always @(posedge clk)
    if (rst) begin
      wait_q  <= {WAIT_W{1'b0}};
      idle_q  <= 1'b1;
      used_q  <= {USED_W{1'b0}};
      full_q  <= 1'b0;
      put_q   <= {SLOT_W{1'b0}};
      valid_q <= {SUMMED{1'b0}};
      bank_q  <= 1'b0;
      mark_q  <= 1'b0;
    end else begin
      if (issue) wait_q <= WAIT[WAIT_W-1:0];
      else if (!idle_q) wait_q <= wait_q - 1'b1;
      idle_q <= !issue && (idle_q || wait_q == {{(WAIT_W-1){1'b0}}, 1'b1});
      if (issue != take) begin
        used_q <= issue ? used_q + 1'b1 : used_q - 1'b1;
        full_q <= issue && used_q == FULL[USED_W-1:0];
      end
      if (valid_q[3]) put_q <= put_q == FULL[SLOT_W-1:0] ? {SLOT_W{1'b0}} : put_q + 1'b1;
      valid_q <= {valid_q[SUMMED-1:1], issue};
      bank_q  <= bank_q ^ done;
      mark_q  <= mark_q ^ (valid_q[3] && end_q[3]);
    end

  always @(posedge clk) begin
    first_q   <= {first_q[SUMMED-1:1], !inside_q};
    end_q     <= {end_q[SUMMED-1:1], read};
    element_q <= element;
    away_q    <= top_q - element_q;
    if (valid_q[3] && end_q[3] && !mark_q) mark_0_q <= last_q;
    if (valid_q[3] && end_q[3] && mark_q) mark_1_q <= last_q;
    if (done && !bank_q) sum_0_q <= sum;
    if (done && bank_q) sum_1_q <= sum;
  end

  weir_softmax_sum #(
    .FRAC_W(FRAC_W),
    .EXP_W (EXP_W)
  ) u_sum (
    .clk   (clk),
    .valid (valid_q[READ+3]),
    .first (first_q[READ+3]),
    .number(power_data),
    .sum   (sum)
  );

  // ---- a row is divided ----
  localparam integer LOAD    = READ + 2;            // cycles from an element to its product
  localparam integer LATENCY = LOAD + STEPS_W + UNITS + 7;
  localparam integer COUNT_W = $clog2(LENGTH);
  localparam integer TOP     = LENGTH - 1;
  reg  [1:0]         sums_q;   // rows whose sum is there and that are not read
  reg  [COUNT_W-1:0] count_q;  // elements of the row that are read
  reg                side_q;   // of its sum
  reg  [LOAD:1]      load_q, sides_q;
  reg  [WIDTH-1:0]   product_at_q;
  wire [WIDTH-1:0]   away;
  wire               ends  = count_q == TOP[COUNT_W-1:0];
  wire [OUT_W-1:0]   code;

  assign product_addr = product_at_q;

  always @(posedge clk)
    if (rst) begin
      sums_q  <= 2'd0;
      count_q <= {COUNT_W{1'b0}};
      side_q  <= 1'b0;
      get_q   <= {SLOT_W{1'b0}};
    end else begin
      sums_q <= sums_q + {1'b0, done} - {1'b0, take && ends};
      if (take) begin
        count_q <= ends ? {COUNT_W{1'b0}} : count_q + 1'b1;
        side_q  <= side_q ^ ends;
        get_q   <= get_q == FULL[SLOT_W-1:0] ? {SLOT_W{1'b0}} : get_q + 1'b1;
      end
    end

  always @(posedge clk) begin
    load_q       <= {load_q[LOAD-1:1], take};
    sides_q      <= {sides_q[LOAD-1:1], side_q};
    product_at_q <= away;
  end

  weir_ram #(
    .WIDTH(WIDTH),
    .DEPTH(HELD)
  ) u_distances (
    .clk  (clk),
    .we   (valid_q[3]),
    .waddr(put_q),
    .wdata(away_q),
    .re   (1'b1),
    .raddr(get_q),
    .q    (away)
  );

  weir_softmax_share #(
    .FRAC_W (FRAC_W),
    .EXP_W  (EXP_W),
    .STEPS_W(STEPS_W),
    .UNITS  (UNITS),
    .OUT_W  (OUT_W),
    .ZERO   (ZERO),
    .HIGH   (HIGH)
  ) u_share (
    .clk    (clk),
    .load   (load_q[LOAD]),
    .product(product_data),
    .sum    (sides_q[LOAD] ? sum_1_q : sum_0_q),
    .code   (code)
  );

  /* verilator lint_off PINCONNECTEMPTY */ // an element is there as long as its row is
  weir_pipeline #(
    .WIDTH   (OUT_W),
    .LATENCY (LATENCY),
    .INTERVAL(CYCLES)
  ) u_pipeline (
    .clk    (clk),
    .rst    (rst),
    .s_valid(sums_q != 2'd0),
    .s_ready(),
    .s_last (ends && (side_q ? mark_1_q : mark_0_q)),
    .take   (take),
    .c_data (code),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );
  /* verilator lint_on PINCONNECTEMPTY */

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check_last #("weir_softmax", "s_last is not where a row ends", LENGTH, 1) u_check_s_last (
    clk, rst, s_valid, s_ready, s_last);
  weir_check_last #("weir_softmax", "m_last is not where a row ends", LENGTH, 1) u_check_m_last (
    clk, rst, m_valid, m_ready, m_last);
  weir_check_taken #("weir_softmax", "a beat leaves that was never taken") u_check_taken (clk, rst, s_valid && s_ready, m_valid, m_ready);
  weir_check_hold #("weir_softmax", "a waiting beat was withdrawn or changed", OUT_W + 1) u_check_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
`endif
endmodule

`default_nettype wire
