// weir_multiply: (a - A_ZERO) * (b - B_ZERO), lane by lane, of two streams with the same beats.
//
// Latency:   3 + clog2(PARTS) cycles.
// Interval:  1 cycle a beat.
// Clock:     rtl/README.md, Measured alone: weir_multiply.
// State:     the differences, the products, with PARTS their sums, a register slice of LANES * OUT_W bits. A_BITS,
//            B_BITS and OUT_W hold every difference and every product by the compiler's range proof. A beat is accepted
//            from both streams together (weir_join); `last` is a's.
// Mapping:   two subtractions and a product a lane: weir_mul, with PARTS > 1 weir_mul_logic.
`default_nettype none

module weir_multiply #(
  parameter integer       A_W      = 8,
  parameter integer       A_SIGNED = 1,
  parameter signed [31:0] A_ZERO   = 0,
  parameter integer       A_BITS   = 9,   // of a difference, two's complement
  parameter integer       B_W      = 8,
  parameter integer       B_SIGNED = 1,
  parameter signed [31:0] B_ZERO   = 0,
  parameter integer       B_BITS   = 9,
  parameter integer       OUT_W    = 18,
  parameter integer       LANES    = 1,
  parameter integer       PARTS    = 1    // parts of a product in lookup tables; 1: a DSP block
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
  localparam integer PRODUCT = 1 + $clog2(PARTS);  // cycles from the differences

  generate
    if (A_W < 1 || B_W < 1 || A_BITS < 1 || B_BITS < 1 || OUT_W < 1 || LANES < 1) begin : g_check
      weir_multiply_A_W_B_W_A_BITS_B_BITS_OUT_W_and_LANES_must_be_at_least_1 u_error ();
    end
  endgenerate

  wire                       j_valid, j_last, o_ready;
  wire [LANES*(A_W+B_W)-1:0] j_data;
  wire [LANES*OUT_W-1:0]     product;
  reg  [PRODUCT:0]           valid_q, last_q;  // of the differences, of the products
  wire                       advance = o_ready || !valid_q[PRODUCT];

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

  always @(posedge clk)
    if (rst) valid_q <= {(PRODUCT+1){1'b0}};
    else if (advance) valid_q <= {valid_q[PRODUCT-1:0], j_valid};

  always @(posedge clk) if (advance) last_q <= {last_q[PRODUCT-1:0], j_last};

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire [A_W-1:0]                  a_bits = j_data[l*A_W +: A_W];
      wire [B_W-1:0]                  b_bits = j_data[LANES*A_W + l*B_W +: B_W];
      wire signed [A_W:0]             a      = {A_SIGNED != 0 && a_bits[A_W-1], a_bits};
      wire signed [B_W:0]             b      = {B_SIGNED != 0 && b_bits[B_W-1], b_bits};
      reg  signed [A_BITS-1:0]        a_q;
      reg  signed [B_BITS-1:0]        b_q;
      /* verilator lint_off UNUSEDSIGNAL */ // OUT_W may be fewer: what the operands' codes leave out
      wire signed [A_BITS+B_BITS-1:0] p;
      /* verilator lint_on UNUSEDSIGNAL */
      /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
      wire signed [OUT_W-1:0]         y = p;

      always @(posedge clk)
        if (advance) begin
          a_q <= a - A_ZERO;
          b_q <= b - B_ZERO;
        end
      /* verilator lint_on WIDTH */

      if (PARTS > 1) begin : g_logic
        weir_mul_logic #(
          .A_W  (A_BITS),
          .B_W  (B_BITS),
          .PARTS(PARTS)
        ) u_mul (
          .clk(clk),
          .en (advance),
          .a  (a_q),
          .b  (b_q),
          .p  (p)
        );
      end else begin : g_block
        weir_mul #(
          .A_W(A_BITS),
          .B_W(B_BITS)
        ) u_mul (
          .clk(clk),
          .en (advance),
          .a  (a_q),
          .b  (b_q),
          .p  (p)
        );
      end

      assign product[l*OUT_W +: OUT_W] = y;
    end
  endgenerate

  weir_register_slice #(
    .WIDTH(LANES * OUT_W)
  ) u_slice (
    .clk    (clk),
    .rst    (rst),
    .s_valid(valid_q[PRODUCT]),
    .s_ready(o_ready),
    .s_data (product),
    .s_last (last_q[PRODUCT]),
    .m_valid(m_valid),
    .m_ready(m_ready),
    .m_data (m_data),
    .m_last (m_last)
  );

`ifdef WEIR_CHECK
  // ---- what must hold in simulation: rtl/README.md, Assertions ----
  weir_check #("weir_multiply", "s_a_last and s_b_last differ") u_check_pair (
    clk, rst, !s_a_valid || !s_b_valid || s_a_last == s_b_last);
  weir_check_carried #("weir_multiply", LANES * OUT_W) u_check (
    clk, rst, s_a_valid && s_a_ready, s_a_last, m_valid, m_ready, m_last, m_data);
`endif
endmodule

`default_nettype wire
