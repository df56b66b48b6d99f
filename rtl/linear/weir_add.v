// weir_add: CA * a + CB * b, lane by lane, of two streams with the same beats; CA and CB are signed constants.
//
// Latency:   max(1, clog2(digits(CA) + digits(CB) + min(CA <= 0, CB <= 0))) cycles.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_add.
// State:     a register slice of LANES * OUT_W bits, before it a level of sums for each cycle of latency except the
//            last. OUT_W holds every result by the compiler's range proof; the arithmetic is modulo 2^OUT_W. A beat is
//            accepted from both streams together (weir_join); `last` is a's.
// Mapping:   an adder a lane for each digit of the factors' canonical signed form except the first, in a tree with
//            registers between its levels: no DSP block. Both factors powers of two (with either sign): one adder.
`default_nettype none

module weir_add #(
  parameter integer        A_W      = 8,
  parameter integer        A_SIGNED = 1,
  parameter integer        B_W      = 8,
  parameter integer        B_SIGNED = 1,
  parameter signed [31:0]  CA       = 1,
  parameter signed [31:0]  CB       = 1,
  parameter integer        OUT_W    = 9,
  parameter integer        LANES    = 1
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   s_a_valid,
  output wire                   s_a_ready,
  input  wire [LANES*A_W-1:0]   s_a_data,
  input  wire                   s_a_last,
  input  wire                   s_b_valid,
  output wire                   s_b_ready,
  input  wire [LANES*B_W-1:0]   s_b_data,
  input  wire                   s_b_last,
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [LANES*OUT_W-1:0] m_data,
  output wire                   m_last
);
  // Canonical signed digits: c = sum of 2^d over the positive digits minus the same over the negative ones.
  function [34:0] positive(input signed [31:0] c);
    positive = (triple(c) & ~extended(c)) >> 1;
  endfunction

  function [34:0] negative(input signed [31:0] c);
    negative = (extended(c) & ~triple(c)) >> 1;
  endfunction

  function [34:0] extended(input signed [31:0] c);
    extended = {{3{c[31]}}, c};
  endfunction

  function [34:0] triple(input signed [31:0] c);
    triple = extended(c) + (extended(c) << 1);
  endfunction

  // Terms of the sum: a digit of CA at bits 0 to 34, of CB from bit 35 on. Without a positive digit, 0 is one more
  // term.
  localparam [69:0]  PLUS  = {positive(CB), positive(CA)};
  localparam [69:0]  MINUS = {negative(CB), negative(CA)};
  localparam integer ZERO  = CA <= 0 && CB <= 0 ? 1 : 0;
  localparam integer TERMS = digits(PLUS | MINUS) + ZERO;

  function integer digits(input [69:0] set);
    integer k;
    begin
      digits = 0;
      for (k = 0; k < 70; k = k + 1) if (set[k]) digits = digits + 1;
    end
  endfunction

  // The bit of each term's digit; 70: the term is 0. A table, since tools take long to run loops for every adder of the
  // tree.
  localparam [37*7-1:0] PLACES = places(PLUS | MINUS);

  function [37*7-1:0] places(input [69:0] set);
    integer k, n;
    begin
      places = {37{7'd70}};
      n      = 0;
      for (k = 0; k < 70; k = k + 1)
        if (set[k]) begin
          places[n*7 +: 7] = k[6:0];
          n = n + 1;
        end
    end
  endfunction

  function integer place(input integer term);
    place = {25'd0, PLACES[term*7 +: 7]};
  endfunction

  // Of the sum of terms `from` to `to` - 1: 1 if it is kept negated, because all of them are negative.
  function integer negated(input integer from, input integer to);
    integer k;
    begin
      negated = 1;
      for (k = from; k < to && k < TERMS; k = k + 1) if (place(k) == 70 || PLUS[place(k)%70]) negated = 0;
    end
  endfunction

  // And the bits that hold it with its sign.
  function integer width(input integer from, input integer to);
    integer    k;
    reg [99:0] most;
    begin
      most = 0;
      for (k = from; k < to && k < TERMS; k = k + 1)
        if (place(k) < 35) most = most + (100'd1 << (place(k) + A_W - (A_SIGNED != 0 ? 1 : 0)));
        else if (place(k) < 70) most = most + (100'd1 << (place(k) - 35 + B_W - (B_SIGNED != 0 ? 1 : 0)));
      for (width = 1; most != 0; width = width + 1) most = most >> 1;
      if (width > OUT_W) width = OUT_W;
    end
  endfunction

  localparam integer LEVELS = TERMS > 2 ? $clog2(TERMS) : 1;  // of adders; the slice follows the last one

  generate
    if (A_W < 1 || B_W < 1 || OUT_W < 1 || LANES < 1) begin : g_check
      weir_add_A_W_B_W_OUT_W_and_LANES_must_be_at_least_1 u_error ();
    end
  endgenerate

  wire                       j_valid, j_last, o_ready;
  /* verilator lint_off UNUSEDSIGNAL */ // a factor of 0 needs none
  wire [LANES*(A_W+B_W)-1:0] j_data;
  /* verilator lint_on UNUSEDSIGNAL */
  wire [LANES*OUT_W-1:0]     sum;
  wire [LEVELS-1:0]          valid, last;  // bit i: before level i + 1
  wire                       advance = o_ready || (LEVELS > 1 && !valid[LEVELS-1]);

  /* verilator lint_off UNUSEDSIGNAL */ // observed by utilisation counters
  wire active = j_valid && advance;
  /* verilator lint_on UNUSEDSIGNAL */

  weir_join #(
    .A_WIDTH(LANES * A_W),
    .B_WIDTH(LANES * B_W)
  ) u_join (
    .s_a_valid(s_a_valid),
    .s_a_ready(s_a_ready),
    .s_a_data (s_a_data),
    .s_a_last (s_a_last),
    .s_b_valid(s_b_valid),
    .s_b_ready(s_b_ready),
    .s_b_data (s_b_data),
    .s_b_last (s_b_last),
    .m_valid  (j_valid),
    .m_ready  (advance),
    .m_data   (j_data),
    .m_last   (j_last)
  );

  genvar i, k, l;
  generate
    if (LEVELS == 1) begin : g_at_once
      assign valid = j_valid;
      assign last  = j_last;
    end else begin : g_levels
      reg [LEVELS-2:0] valid_q, last_q;

      assign valid = {valid_q, j_valid};
      assign last  = {last_q, j_last};

      always @(posedge clk)
        if (rst) valid_q <= {(LEVELS-1){1'b0}};
        else if (advance) valid_q <= valid[LEVELS-2:0];

      always @(posedge clk) if (advance) last_q <= last[LEVELS-2:0];
    end

    // Node n of level i is the sum of terms n * 2^i to (n + 1) * 2^i - 1.
    for (i = 0; i <= LEVELS; i = i + 1) begin : g_level
      for (k = 0; k < (TERMS + (1 << i) - 1) >> i; k = k + 1) begin : g_node
        localparam integer FROM = k << i;
        localparam integer SIZE = width(FROM, FROM + (1 << i));
        localparam integer HALF = FROM + (1 << i) / 2;
        localparam integer AT   = place(FROM);
        wire [LANES*SIZE-1:0] value;

        for (l = 0; l < LANES; l = l + 1) begin : g_lane
          /* verilator lint_off WIDTH */ // extension and truncation to SIZE by assignment are meant
          if (i == 0) begin : g_term
            wire signed [SIZE-1:0] code;
            /* verilator lint_off UNUSEDSIGNAL */ // a sum of few bits needs no others of its terms
            if (AT == 70) begin : g_zero
              assign code = 0;
            end else if (AT < 35) begin : g_a
              wire [A_W-1:0]      bits = j_data[l*A_W +: A_W];
              wire signed [A_W:0] a    = {A_SIGNED != 0 && bits[A_W-1], bits};
              assign code = a;
            end else begin : g_b
              wire [B_W-1:0]      bits = j_data[LANES*A_W + l*B_W +: B_W];
              wire signed [B_W:0] b    = {B_SIGNED != 0 && bits[B_W-1], bits};
              assign code = b;
            end
            /* verilator lint_on UNUSEDSIGNAL */
            assign value[l*SIZE +: SIZE] = code << (AT % 35);
          end else begin : g_sum
            localparam integer LEFT_W = width(FROM, HALF);
            wire signed [SIZE-1:0]   result;
            wire signed [LEFT_W-1:0] left = g_level[i-1].g_node[2*k].value[l*LEFT_W +: LEFT_W];
            if (HALF >= TERMS) begin : g_alone
              assign result = left;
            end else begin : g_pair
              localparam integer RIGHT_W = width(HALF, FROM + (1 << i));
              wire signed [RIGHT_W-1:0] right = g_level[i-1].g_node[2*k+1].value[l*RIGHT_W +: RIGHT_W];
              if (negated(FROM, HALF) == negated(HALF, FROM + (1 << i))) begin : g_add
                assign result = left + right;
              end else if (negated(FROM, HALF) != 0) begin : g_left_negated
                assign result = right - left;
              end else begin : g_right_negated
                assign result = left - right;
              end
            end
            if (i < LEVELS) begin : g_register
              reg [SIZE-1:0] sum_q;
              always @(posedge clk) if (advance) sum_q <= result;
              assign value[l*SIZE +: SIZE] = sum_q;
            end else begin : g_direct
              assign value[l*SIZE +: SIZE] = result;
            end
          end
          if (i == LEVELS) begin : g_out
            wire signed [SIZE-1:0] total = value[l*SIZE +: SIZE];
            assign sum[l*OUT_W +: OUT_W] = total;
          end
          /* verilator lint_on WIDTH */
        end
      end
    end
  endgenerate

  weir_register_slice #(
    .WIDTH(LANES * OUT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(valid[LEVELS-1]),
    .s_ready(o_ready),
    .s_data (sum),
    .s_last (last[LEVELS-1]),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check #("weir_add", "s_a_last and s_b_last differ") u_check_pair (
    clk, rst, !s_a_valid || !s_b_valid || s_a_last == s_b_last);
  weir_check_carried #("weir_add", LANES * OUT_W) u_check (
    clk, rst, s_a_valid && s_a_ready, s_a_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
