// weir_softmax_integer: min(share + ZERO, HIGH) of each element of a row of BEATS beats, where with HALF the share is
// floor((floor(numerator / sum) + 1) / 2), else floor(numerator / sum). The numerator is a table's word for the
// element's distance from the row's largest, and the sum that of another table's words for all distances of the row;
// distances beyond the tables are those of their last words. All numbers are integers, so results do not depend on an
// order of additions.
//
// Some rows are in flight: one arrives while its largest element is found, one is summed, one is divided. A beat takes
// as many cycles as a division unit has bits.
//
// The tables are external ROMs, one a lane: term_data and numerator_data are the words at term_addr and numerator_addr,
// READ cycles later.
// Latency:   BEATS + (BEATS - 2) * ceil(QUOTIENT_W / UNITS) + 2 * READ + UNITS * ceil(QUOTIENT_W / UNITS)
//            + 2 * clog2(LANES) + 12 cycles from a frame's last beat to its last result, if beats arrive one a
//            cycle until two rows are inside.
// Interval:  ceil(QUOTIENT_W / UNITS) cycles a result.
// Clock:     rtl/README.md, Measured alone: weir_softmax_integer.
// State:     PAGES rows of elements, the largest of each, the distances of elements that wait for the sum, a queue of
//            sums, a register after each level of the trees of maxima and sums, the registers of
//            weir_softmax_divide and weir_pipeline.
// Invariant: distances reserved or held = used_q <= HELD; the queues of rows and sums have a place for each row that
//            these can belong to.
// Contract:  a numerator is below the sum of its row times 2^QUOTIENT_W.
// Mapping:   two block RAMs with a register after each; the tables are memory blocks or logic, as weir_rom is.
`default_nettype none

module weir_softmax_integer #(
  parameter integer LANES       = 1,
  parameter integer WIDTH       = 8,    // bits of an element
  parameter integer SIGNED      = 0,
  parameter integer BEATS       = 16,   // of a row
  parameter integer ADDR_W      = 8,    // bits of a table's address
  parameter integer TERM_W      = 9,
  parameter integer SUM_W       = 13,
  parameter integer NUMERATOR_W = 17,
  parameter integer QUOTIENT_W  = 8,
  parameter integer HALF        = 0,
  parameter integer UNITS       = 8,    // of the division
  parameter integer OUT_W       = 8,
  parameter integer ZERO        = 0,
  parameter integer HIGH        = 255,
  parameter integer READ        = 1     // registers from the address of a table to its word
) (
  input  wire                         clk,
  input  wire                         rst,
  input  wire                         s_valid,
  output wire                         s_ready,
  input  wire [LANES*WIDTH-1:0]       s_data,
  input  wire                         s_last,
  output wire [LANES*ADDR_W-1:0]      term_addr,
  input  wire [LANES*TERM_W-1:0]      term_data,
  output wire [LANES*ADDR_W-1:0]      numerator_addr,
  input  wire [LANES*NUMERATOR_W-1:0] numerator_data,
  output wire                         m_valid,
  input  wire                         m_ready,
  output wire [LANES*OUT_W-1:0]       m_data,
  output wire                         m_last
);
  localparam integer CYCLES = (QUOTIENT_W + UNITS - 1) / UNITS;    // a beat
  localparam integer LEVELS = $clog2(LANES);                       // of a tree
  localparam integer PAGES  = 2 + (LEVELS + BEATS - 1) / BEATS;    // rows that have arrived and are not summed yet
  localparam integer SUMMED = READ + LEVELS + 5;                   // cycles from an element to the sum with it
  localparam integer HELD   = BEATS + (SUMMED + 1) / CYCLES;       // distances, when nothing stalls
  localparam integer LOAD   = READ + 2;                            // cycles from a distance to its numerator
  localparam integer QUEUE  = (HELD + LOAD) / BEATS + 2;           // rows whose sum is there

  generate
    if (LANES < 1 || WIDTH < 1 || BEATS < 2) begin : g_check_sizes
      weir_softmax_integer_LANES_and_WIDTH_must_be_at_least_1_and_BEATS_at_least_2 u_error ();
    end
    if (ADDR_W < 1 || ADDR_W > WIDTH) begin : g_check_address
      weir_softmax_integer_ADDR_W_must_be_1_to_WIDTH u_error ();
    end
    if (READ < 1 || READ > 2) begin : g_check_read
      weir_softmax_integer_READ_must_be_1_or_2 u_error ();
    end
    if (SUM_W < TERM_W + LEVELS) begin : g_check_sum
      weir_softmax_integer_SUM_W_must_hold_a_beat_of_terms u_error ();
    end
  endgenerate

  genvar i, k;
  reg  [SUMMED:1] valid_q, first_q, end_q;  // of beats on their way

  // ---- a row comes: its largest element ----
  localparam integer AT_W   = $clog2(PAGES * BEATS);
  localparam integer END    = PAGES * BEATS - 1;
  localparam integer BEAT_W = $clog2(BEATS);
  localparam integer TOP    = BEATS - 1;
  localparam integer ROWS_W = $clog2(PAGES + 1);
  localparam integer FULL_ROWS = PAGES - 1;
  reg  [ROWS_W-1:0]  rows_q, ready_q;  // that have arrived and are not summed yet; whose largest element is known
  reg                full_rows_q, some_ready_q;
  reg  [AT_W-1:0]    write_q, read_q;
  reg  [BEAT_W-1:0]  came_at_q, read_at_q;
  wire               write   = s_valid && s_ready;
  wire               begins  = came_at_q == {BEAT_W{1'b0}};
  wire               written = write && came_at_q == TOP[BEAT_W-1:0];
  wire               arrived;          // written, LEVELS cycles later
  wire               issue;            // a beat is read to be added up
  wire               opens   = read_at_q == {BEAT_W{1'b0}};
  wire               read    = issue && read_at_q == TOP[BEAT_W-1:0];
  wire [LANES*WIDTH-1:0] came;         // in the order of unsigned numbers
  wire [WIDTH-1:0]   largest;          // of a beat, LEVELS + 1 cycles later
  wire               largest_valid, largest_first, largest_end, largest_last;
  reg  [WIDTH-1:0]   best_q;
  wire [WIDTH:0]     ahead   = {1'b0, best_q} - {1'b0, largest};
  wire [WIDTH-1:0]   best    = largest_first || ahead[WIDTH] ? largest : best_q;
  wire [WIDTH-1:0]   top;
  wire               top_last;
  reg  [WIDTH-1:0]   top_q;
  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire               active  = write;
  /* verilator lint_on UNUSEDSIGNAL */

  assign s_ready = !full_rows_q;
  assign came    = s_data ^ {LANES{{SIGNED != 0, {(WIDTH-1){1'b0}}}}};

  always @(posedge clk)
    if (rst) begin
      rows_q       <= {ROWS_W{1'b0}};
      full_rows_q  <= 1'b0;
      ready_q      <= {ROWS_W{1'b0}};
      some_ready_q <= 1'b0;
      write_q      <= {AT_W{1'b0}};
      came_at_q    <= {BEAT_W{1'b0}};
      read_q       <= {AT_W{1'b0}};
      read_at_q    <= {BEAT_W{1'b0}};
    end else begin
      if (written != read) begin
        rows_q      <= written ? rows_q + 1'b1 : rows_q - 1'b1;
        full_rows_q <= written && rows_q == FULL_ROWS[ROWS_W-1:0];
      end
      if (arrived != read) begin
        ready_q      <= arrived ? ready_q + 1'b1 : ready_q - 1'b1;
        some_ready_q <= arrived || ready_q != {{(ROWS_W-1){1'b0}}, 1'b1};
      end
      if (write) begin
        write_q   <= write_q == END[AT_W-1:0] ? {AT_W{1'b0}} : write_q + 1'b1;
        came_at_q <= written ? {BEAT_W{1'b0}} : came_at_q + 1'b1;
      end
      if (issue) begin
        read_q    <= read_q == END[AT_W-1:0] ? {AT_W{1'b0}} : read_q + 1'b1;
        read_at_q <= read ? {BEAT_W{1'b0}} : read_at_q + 1'b1;
      end
    end

  // A tree of the larger of two, a register after each level; level k has ceil(LANES / 2^k) elements.
  generate
    for (k = 0; k <= LEVELS; k = k + 1) begin : g_larger
      localparam integer COUNT = (LANES + (1 << k) - 1) >> k;
      reg  [COUNT*WIDTH-1:0] value_q;
      reg  [2:0]             flags_q;  // {last, end, first}
      reg                    is_q;     // there is a beat

      if (k == 0) begin : g_leaves
        always @(posedge clk) value_q <= came;
        always @(posedge clk) flags_q <= {s_last, written, begins};
        always @(posedge clk) is_q <= write && !rst;
      end else begin : g_level
        localparam integer BEFORE = (LANES + (1 << (k - 1)) - 1) >> (k - 1);

        for (i = 0; i < COUNT; i = i + 1) begin : g_node
          wire [WIDTH-1:0] a = g_larger[k-1].value_q[2*i*WIDTH +: WIDTH];

          if (2 * i + 1 < BEFORE) begin : g_pair
            wire [WIDTH-1:0] b = g_larger[k-1].value_q[(2*i+1)*WIDTH +: WIDTH];
            always @(posedge clk) value_q[i*WIDTH +: WIDTH] <= a < b ? b : a;
          end else begin : g_single
            always @(posedge clk) value_q[i*WIDTH +: WIDTH] <= a;
          end
        end
        always @(posedge clk) flags_q <= g_larger[k-1].flags_q;
        always @(posedge clk) is_q <= g_larger[k-1].is_q && !rst;
      end
    end

    if (LEVELS == 0) begin : g_arrives
      assign arrived = written;
    end else begin : g_arrives_later
      assign arrived = g_larger[LEVELS-1].is_q && g_larger[LEVELS-1].flags_q[1];
    end
  endgenerate

  assign largest = g_larger[LEVELS].value_q;
  assign {largest_last, largest_end, largest_first} = g_larger[LEVELS].flags_q;
  assign largest_valid = g_larger[LEVELS].is_q;

  always @(posedge clk) if (largest_valid) best_q <= best;

  wire [LANES*WIDTH-1:0] element;

  /* verilator lint_off PINCONNECTEMPTY */ // there is always room, and a row where one is read
  weir_fifo #(
    .WIDTH(WIDTH),
    .DEPTH(PAGES)
  ) u_rows (
    .clk    (clk),
    .rst    (rst),
    .s_valid(largest_valid && largest_end),
    .s_ready(),
    .s_data (best),
    .s_last (largest_last),
    .m_valid(),
    .m_ready(valid_q[1] && first_q[1]),
    .m_data (top),
    .m_last (top_last)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  weir_ram #(
    .WIDTH(LANES * WIDTH),
    .DEPTH(PAGES * BEATS)
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
  localparam integer USED_W = $clog2(HELD + 1);
  localparam integer FULL   = HELD - 1;
  localparam integer SLOT_W = $clog2(HELD);
  wire               idle;              // no beat is being read
  reg                full_q;            // all distances are promised
  reg  [USED_W-1:0]  used_q;
  reg  [SLOT_W-1:0]  put_q, get_q;
  reg                top_last_q;        // is the row that is added up a frame's last?
  reg  [SUMMED:3]    last_q;
  reg  [LANES*WIDTH-1:0]  element_q;
  wire [LANES*ADDR_W-1:0] away;
  reg  [LANES*ADDR_W-1:0] away_q;
  wire               take;              // a beat is read to be divided
  wire               done  = valid_q[SUMMED] && end_q[SUMMED];
  wire [TERM_W+LEVELS-1:0] beat_sum;
  reg  [SUM_W-1:0]   sum_q;

  assign issue     = idle && !full_q && some_ready_q;
  assign term_addr = away_q;

  generate
    if (CYCLES == 1) begin : g_each_cycle
      assign idle = 1'b1;
    end else begin : g_interval
      localparam integer WAIT_W = $clog2(CYCLES);
      localparam integer WAIT   = CYCLES - 1;
      reg [WAIT_W-1:0] wait_q;  // cycles until the next beat may be read
      reg              idle_q;

      assign idle = idle_q;
      always @(posedge clk)
        if (rst) begin
          wait_q <= {WAIT_W{1'b0}};
          idle_q <= 1'b1;
        end else begin
          if (issue) wait_q <= WAIT[WAIT_W-1:0];
          else if (!idle_q) wait_q <= wait_q - 1'b1;
          idle_q <= !issue && (idle_q || wait_q == {{(WAIT_W-1){1'b0}}, 1'b1});
        end
    end

    for (i = 0; i < LANES; i = i + 1) begin : g_away
      wire [WIDTH-1:0] distance = top_q - element_q[i*WIDTH +: WIDTH];

      if (ADDR_W == WIDTH) begin : g_all
        assign away[i*ADDR_W +: ADDR_W] = distance;
      end else begin : g_near
        assign away[i*ADDR_W +: ADDR_W] = distance[ADDR_W-1:0] | {ADDR_W{|distance[WIDTH-1:ADDR_W]}};
      end
    end

    // A tree of sums, a register after each level and before the first.
    for (k = 0; k <= LEVELS; k = k + 1) begin : g_sum
      localparam integer COUNT = (LANES + (1 << k) - 1) >> k;
      localparam integer BITS  = TERM_W + k;
      reg [COUNT*BITS-1:0] value_q;

      if (k == 0) begin : g_leaves
        always @(posedge clk) value_q <= term_data;
      end else begin : g_level
        localparam integer BEFORE = (LANES + (1 << (k - 1)) - 1) >> (k - 1);

        for (i = 0; i < COUNT; i = i + 1) begin : g_node
          wire [BITS-1:0] a = {1'b0, g_sum[k-1].value_q[2*i*(BITS-1) +: BITS-1]};

          if (2 * i + 1 < BEFORE) begin : g_pair
            wire [BITS-1:0] b = {1'b0, g_sum[k-1].value_q[(2*i+1)*(BITS-1) +: BITS-1]};
            always @(posedge clk) value_q[i*BITS +: BITS] <= a + b;
          end else begin : g_single
            always @(posedge clk) value_q[i*BITS +: BITS] <= a;
          end
        end
      end
    end
  endgenerate

  assign beat_sum = g_sum[LEVELS].value_q;

  always @(posedge clk)
    if (rst) begin
      used_q  <= {USED_W{1'b0}};
      full_q  <= 1'b0;
      put_q   <= {SLOT_W{1'b0}};
      valid_q <= {SUMMED{1'b0}};
    end else begin
      if (issue != take) begin
        used_q <= issue ? used_q + 1'b1 : used_q - 1'b1;
        full_q <= issue && used_q == FULL[USED_W-1:0];
      end
      if (valid_q[3]) put_q <= put_q == FULL[SLOT_W-1:0] ? {SLOT_W{1'b0}} : put_q + 1'b1;
      valid_q <= {valid_q[SUMMED-1:1], issue};
    end

  always @(posedge clk) begin
    first_q    <= {first_q[SUMMED-1:1], opens};
    end_q      <= {end_q[SUMMED-1:1], read};
    last_q     <= {last_q[SUMMED-1:3], top_last_q};
    if (valid_q[1] && first_q[1]) {top_last_q, top_q} <= {top_last, top};
    element_q  <= element;
    away_q     <= away;
    if (valid_q[SUMMED-1])
      sum_q <= {{(SUM_W-TERM_W-LEVELS){1'b0}}, beat_sum} + (first_q[SUMMED-1] ? {SUM_W{1'b0}} : sum_q);
  end

  // ---- a row is divided ----
  localparam integer LATENCY = LOAD + UNITS * CYCLES + 2;
  reg  [BEAT_W-1:0]  count_q;        // beats of the row that are read
  reg  [LOAD:1]      load_q, fresh_q;
  reg  [LANES*ADDR_W-1:0] numerator_at_q;
  wire [LANES*ADDR_W-1:0] waiting;   // distances
  wire               some, row_last; // rows with their sum; is the first of them a frame's last?
  wire               ends    = count_q == TOP[BEAT_W-1:0];
  wire [SUM_W-1:0]   sum;
  reg  [SUM_W-1:0]   divisor_q;
  wire [LANES*OUT_W-1:0] code;

  assign numerator_addr = numerator_at_q;

  always @(posedge clk)
    if (rst) begin
      count_q <= {BEAT_W{1'b0}};
      get_q   <= {SLOT_W{1'b0}};
      load_q  <= {LOAD{1'b0}};
    end else begin
      load_q <= {load_q[LOAD-1:1], take};
      if (take) begin
        count_q <= ends ? {BEAT_W{1'b0}} : count_q + 1'b1;
        get_q   <= get_q == FULL[SLOT_W-1:0] ? {SLOT_W{1'b0}} : get_q + 1'b1;
      end
    end

  always @(posedge clk) begin
    fresh_q        <= {fresh_q[LOAD-1:1], count_q == {BEAT_W{1'b0}}};
    numerator_at_q <= waiting;
    if (load_q[LOAD-1] && fresh_q[LOAD-1]) divisor_q <= sum;
  end

  weir_ram #(
    .WIDTH(LANES * ADDR_W),
    .DEPTH(HELD)
  ) u_distances (
    .clk  (clk),
    .we   (valid_q[3]),
    .waddr(put_q),
    .wdata(away_q),
    .re   (1'b1),
    .raddr(get_q),
    .q    (waiting)
  );

  // Of each row the sum, until its first beat reaches the division, and whether it is a frame's last, until its last
  // beat is read.
  /* verilator lint_off PINCONNECTEMPTY */ // there is always room, and a sum where a row is read
  weir_fifo #(
    .WIDTH(SUM_W),
    .DEPTH(QUEUE)
  ) u_sums (
    .clk    (clk),
    .rst    (rst),
    .s_valid(done),
    .s_ready(),
    .s_data (sum_q),
    .s_last (1'b0),
    .m_valid(),
    .m_ready(load_q[LOAD-1] && fresh_q[LOAD-1]),
    .m_data (sum),
    .m_last ()
  );

  weir_fifo #(
    .WIDTH(1),
    .DEPTH(QUEUE)
  ) u_summed (
    .clk    (clk),
    .rst    (rst),
    .s_valid(done),
    .s_ready(),
    .s_data (last_q[SUMMED]),
    .s_last (1'b0),
    .m_valid(some),
    .m_ready(take && ends),
    .m_data (row_last),
    .m_last ()
  );

  weir_softmax_divide #(
    .LANES      (LANES),
    .SUM_W      (SUM_W),
    .NUMERATOR_W(NUMERATOR_W),
    .QUOTIENT_W (QUOTIENT_W),
    .HALF       (HALF),
    .UNITS      (UNITS),
    .OUT_W      (OUT_W),
    .ZERO       (ZERO),
    .HIGH       (HIGH)
  ) u_divide (
    .clk      (clk),
    .load     (load_q[LOAD]),
    .numerator(numerator_data),
    .sum      (divisor_q),
    .code     (code)
  );

  weir_pipeline #(
    .WIDTH   (LANES * OUT_W),
    .LATENCY (LATENCY),
    .INTERVAL(CYCLES)
  ) u_pipeline (
    .clk    (clk),
    .rst    (rst),
    .s_valid(some),
    .s_ready(),
    .s_last (ends && row_last),
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
  weir_check_last #("weir_softmax_integer", "s_last is not where a row ends", BEATS, 1) u_check_s_last (
    clk, rst, s_valid, s_ready, s_last);
  weir_check_last #("weir_softmax_integer", "m_last is not where a row ends", BEATS, 1) u_check_m_last (
    clk, rst, m_valid, m_ready, m_last);
  weir_check_taken #("weir_softmax_integer", "a beat leaves that was never taken") u_check_taken (
    clk, rst, s_valid && s_ready, m_valid, m_ready);
  weir_check_hold #("weir_softmax_integer", "a waiting beat was withdrawn or changed", LANES * OUT_W + 1) u_check_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
`endif
endmodule

`default_nettype wire
