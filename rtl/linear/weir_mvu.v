// weir_mvu: folded matrix-vector unit: PE dot products at a time, SIMD elements of each a cycle, for ROWS vectors in
// parallel.
//
// A dot product takes BEATS x beats of SIMD elements. Each requests its weight word with w_next; the word is in w_data
// READ cycles later, with the weight of output p and element s at index p * SIMD + s. The compiler's range proof makes
// the accumulator wide enough, so arithmetic modulo 2^ACC_W is exact. With PAIRS the weights of each odd output are
// those of weir_mul_pair, less 1 where the weight of the output before is negative. With VECTORS = PE each output has
// its own x: element s of output p is at index s * PE + p of a beat. With ROWS > 1 a beat holds whole vectors one after
// another, and their results likewise; all use the same weights.
// Latency:   READ + clog2(PARTS) + PAIRS + clog2(SIMD) + (BEATS > 1 ? 3 : 2) cycles from the last x beat of a dot
//            product to m_valid.
// Interval:  BEATS cycles a result of ROWS * PE elements, without bubbles.
// Clock:     rtl/README.md, Measured alone: weir_mvu.
// State:     x while its weights are read, markers of what is in flight, the number of beats accepted of the dot
//            product, the number of results that have a slot (used_q); in weir_dot products, adder tree, accumulator
//            and result; PLACES results.
// Stall:     the pipeline never stalls: the last beat of a dot product is accepted only when a slot is free for its
//            result. m_ready does not reach s_ready, which depends on registers only.
// Invariant: results in flight or waiting = used_q <= PLACES, enough for one to wait a whole dot product without a
//            bubble.
// Mapping:   ROWS * PE weir_dot: ROWS * PE * SIMD products (DSP blocks or LUTs; with PAIRS half as many DSP blocks,
//            with SIGNS none), registered adder trees, accumulators; two registers a result, or weir_fifo where dot
//            products are shorter than the pipeline.
`default_nettype none

module weir_mvu #(
  parameter integer X_W      = 8,   // bits of an input element
  parameter integer X_SIGNED = 0,   // 1: two's complement
  parameter integer W_W      = 8,   // bits of a weight, two's complement
  parameter integer ACC_W    = 24,  // bits of a result, two's complement
  parameter integer SIMD     = 1,   // elements a beat
  parameter integer PE       = 1,   // results a group
  parameter integer BEATS    = 1,   // beats a dot product
  parameter integer READ     = 1,   // cycles from w_next to its word
  parameter integer PARTS    = 1,   // of a product in lookup tables (weir_mul_logic); 1: DSP blocks
  parameter integer SPREAD   = 0,   // 1: the device has distributed RAM
  parameter integer PAIRS    = 0,   // 1: outputs 2 i and 2 i + 1 share DSP blocks
  parameter integer SIGNS    = 0,   // 1: weights are -1, 0 or 1; 2: elements, too; 3: both are -1 or 1, SIMD is even
  parameter integer VECTORS  = 1,   // 1: one x for all outputs; PE: one for each
  parameter integer ROWS     = 1
) (
  input  wire                            clk,
  input  wire                            rst,
  input  wire                            s_valid,
  output wire                            s_ready,
  input  wire [ROWS*VECTORS*SIMD*X_W-1:0] s_data,
  input  wire                            s_last,
  output wire                            w_next,
  input  wire [PE*SIMD*W_W-1:0]          w_data,
  output wire                            m_valid,
  input  wire                            m_ready,
  output wire [ROWS*PE*ACC_W-1:0]         m_data,
  output wire                            m_last
);
  localparam integer ROW_W   = VECTORS * SIMD * X_W;
  localparam integer TAKEN_W = ROWS * ROW_W;
  localparam integer GIVEN_W = ROWS * PE * ACC_W;
  localparam integer FULL_W  = SIGNS == 0 ? X_W + W_W : SIGNS == 1 ? X_W + 1 : SIGNS == 2 ? 2 : 1;
  localparam integer PROD_W  = FULL_W < ACC_W ? FULL_W : ACC_W;  // bits of a product that matter
  // cycles from an x beat to the tree's sum
  localparam integer SUM     = READ + 1 + $clog2(PARTS) + PAIRS + $clog2(SIMD);
  localparam integer RESULT  = BEATS > 1 ? SUM + 1 : SUM;              // cycles from the last one to the result
  localparam integer PLACES  = 2 + (RESULT + 1) / BEATS;
  localparam integer USED_W  = $clog2(PLACES + 1);
  localparam integer FULL    = PLACES - 1;

  generate
    if (X_W < 1 || W_W < 1 || ACC_W < 1) begin : g_check_widths
      weir_mvu_X_W_W_W_and_ACC_W_must_be_at_least_1 u_error ();
    end
    if (SIMD < 1 || PE < 1 || BEATS < 1) begin : g_check_folding
      weir_mvu_SIMD_PE_and_BEATS_must_be_at_least_1 u_error ();
    end
    if (PAIRS < 0 || PAIRS > 1 || (PAIRS == 1 && PE % 2 != 0)) begin : g_check_pairs
      weir_mvu_PAIRS_must_be_0_or_1_and_0_with_an_odd_PE u_error ();
    end
    if (SIGNS < 0 || SIGNS > 3 || (SIGNS > 0 && (PAIRS != 0 || PARTS != 1 || W_W != 2))) begin : g_check_signs
      weir_mvu_SIGNS_must_be_0_to_3_and_0_with_PAIRS_or_PARTS_or_a_W_W_other_than_2 u_error ();
    end
    if (VECTORS != 1 && (VECTORS != PE || PAIRS != 0)) begin : g_check_vectors
      weir_mvu_VECTORS_must_be_1_or_PE_and_1_with_PAIRS u_error ();
    end
    if (ROWS < 1 || (ROWS > 1 && BEATS > 1)) begin : g_check_rows
      weir_mvu_ROWS_must_be_at_least_1_and_1_with_several_BEATS u_error ();
    end
    if (READ < 1 || PARTS < 1) begin : g_check_timing
      weir_mvu_READ_and_PARTS_must_be_at_least_1 u_error ();
    end
  endgenerate

  reg  [USED_W-1:0]             used_q;
  reg                           full_q;
  reg  [RESULT-1:0]             end_q, last_q;  // bit i: of the beat taken i + 1 cycles ago
  wire [TAKEN_W-1:0]            taken;                          // READ cycles ago
  wire [GIVEN_W-1:0]            result;
  wire                          ends;                           // the next beat ends a dot product
  wire                          active = s_valid && s_ready;    // an x beat is taken
  wire                          done   = active && ends;
  wire                          pop    = m_valid && m_ready;
  wire                          add, finish;                    // of weir_dot

  assign s_ready = !(ends && full_q);
  assign w_next  = active;

  always @(posedge clk)
    if (rst) begin
      used_q <= {USED_W{1'b0}};
      full_q <= 1'b0;
    end else if (done != pop) begin
      used_q <= done ? used_q + 1'b1 : used_q - 1'b1;
      full_q <= done && used_q == FULL[USED_W-1:0];
    end

  /* verilator lint_off WIDTH */ // the oldest is dropped
  always @(posedge clk)
    if (rst) end_q <= {RESULT{1'b0}};
    else end_q <= {end_q, done};

  always @(posedge clk) last_q <= {last_q, s_last};
  /* verilator lint_on WIDTH */

  genvar p, i, r;
  generate
    for (i = 0; i < READ; i = i + 1) begin : g_read
      reg [TAKEN_W-1:0] x_q;
      if (i == 0) begin : g_first
        always @(posedge clk) x_q <= s_data;
      end else begin : g_next
        always @(posedge clk) x_q <= g_read[i-1].x_q;
      end
    end
    assign taken = g_read[READ-1].x_q;

    for (r = 0; r < ROWS; r = r + 1) begin : g_row
      wire [ROW_W-1:0] x;  // one dot product after the other
      if (VECTORS == 1) begin : g_same
        assign x = taken[r*ROW_W +: ROW_W];
      end else begin : g_own
        for (p = 0; p < VECTORS; p = p + 1) begin : g_output
          for (i = 0; i < SIMD; i = i + 1) begin : g_element
            assign x[(p*SIMD+i)*X_W +: X_W] = taken[r*ROW_W + (i*VECTORS+p)*X_W +: X_W];
          end
        end
      end
      weir_dot #(
        .X_W       (X_W),
        .X_SIGNED  (X_SIGNED),
        .W_W       (W_W),
        .PROD_W    (PROD_W),
        .ACC_W     (ACC_W),
        .SIMD      (SIMD),
        .ACCUMULATE(BEATS > 1 ? 1 : 0),
        .PARTS     (PARTS),
        .PAIR      (PAIRS != 0 ? X_W + W_W : 0),
        .SIGNS     (SIGNS)
      ) u_dot [PE/(PAIRS+1)-1:0] (
        .clk   (clk),
        .add   (add),
        .finish(finish),
        .x     (x),
        .w     (w_data),
        .result(result[r*PE*ACC_W +: PE*ACC_W])
      );
    end
  endgenerate

  generate
    if (BEATS == 1) begin : g_single
      assign ends   = 1'b1;
      assign add    = 1'b0;
      assign finish = 1'b0;
    end else begin : g_several
      localparam integer BEAT_W = $clog2(BEATS);
      localparam integer BEFORE = BEATS - 2;  // the beat before the last

      reg [BEAT_W-1:0] beat_q;
      reg              ends_q, add_q, finish_q;
      reg [SUM-2:0]    valid_q;  // as end_q

      assign ends   = ends_q;
      assign add    = add_q;
      assign finish = finish_q;

      always @(posedge clk)
        if (rst) begin
          beat_q <= {BEAT_W{1'b0}};
          ends_q <= 1'b0;
        end else if (active) begin
          beat_q <= ends_q ? {BEAT_W{1'b0}} : beat_q + 1'b1;
          ends_q <= beat_q == BEFORE[BEAT_W-1:0];
        end

      // Reset ends a dot product without a result: the accumulator is zero after it.
      /* verilator lint_off WIDTH */ // the oldest flag drops out
      always @(posedge clk) begin
        valid_q  <= rst ? {(SUM-1){1'b0}} : {valid_q, active};
        add_q    <= rst || valid_q[SUM-2];
        finish_q <= rst || end_q[SUM-2];
      end
      /* verilator lint_on WIDTH */
    end

    if (PLACES == 2) begin : g_pair
      // The result stays in weir_dot until the place after it is free.
      reg                valid_q, m_valid_q, waiting_last_q, m_last_q;
      reg [GIVEN_W-1:0]  m_data_q;
      wire               open = m_ready || !m_valid_q;

      assign m_valid = m_valid_q;
      assign m_data  = m_data_q;
      assign m_last  = m_last_q;

      always @(posedge clk)
        if (rst) begin
          valid_q   <= 1'b0;
          m_valid_q <= 1'b0;
        end else begin
          valid_q <= end_q[RESULT-2] || (valid_q && !open);
          if (open) m_valid_q <= valid_q;
        end

      always @(posedge clk) begin
        if (end_q[RESULT-2]) waiting_last_q <= last_q[RESULT-2];
        if (open) begin
          m_data_q <= result;
          m_last_q <= waiting_last_q;
        end
      end

      /* verilator lint_off UNUSEDSIGNAL */ // valid_q and waiting_last_q replace them
      wire unused = &{end_q[RESULT-1], last_q[RESULT-1]};
      /* verilator lint_on UNUSEDSIGNAL */
    end else begin : g_places
      /* verilator lint_off PINCONNECTEMPTY */ // there is always room
      weir_fifo #(
        .WIDTH (GIVEN_W),
        .DEPTH (PLACES),
        .SPREAD(SPREAD)
      ) u_results (
        .clk    (clk),
        .rst    (rst),
        .s_valid(end_q[RESULT-1]),
        .s_ready(),
        .s_data (result),
        .s_last (last_q[RESULT-1]),
        .m_valid(m_valid),
        .m_ready(m_ready),
        .m_data (m_data),
        .m_last (m_last)
      );
      /* verilator lint_on PINCONNECTEMPTY */
    end
  endgenerate

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  reg [USED_W-1:0] check_results_q;  // that wait or are offered

  always @(posedge clk)
    if (rst) check_results_q <= {USED_W{1'b0}};
    else if (end_q[RESULT-1] != pop) check_results_q <= pop ? check_results_q - 1'b1 : check_results_q + 1'b1;

  weir_check_last #("weir_mvu", "s_last is not where a product ends", BEATS, 1) u_check_s_last (
    clk, rst, s_valid, s_ready, s_last);
  weir_check #("weir_mvu", "a product is begun without a place for its result") u_check_room (
    clk, rst, used_q != PLACES[USED_W-1:0] || !done);
  weir_check #("weir_mvu", "a result finds no place") u_check_kept (
    clk, rst, check_results_q != PLACES[USED_W-1:0] || !end_q[RESULT-1]);
  weir_check_hold #("weir_mvu", "a waiting beat was withdrawn or changed", GIVEN_W + 1) u_check_hold (
    clk, rst, m_valid, m_ready, {m_last, m_data});
`endif
endmodule

`default_nettype wire
