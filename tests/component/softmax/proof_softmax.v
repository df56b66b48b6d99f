// Rows of any bits, with tables in which the power of the smaller one is half the other: each code is that of its
// element in its row, in order, `last` with the element that came with it; none is given twice or not at all. Reset
// comes once.
// sources: norm/weir_softmax.v
// with: norm/weir_softmax_sum.v norm/weir_softmax_share.v stream/weir_pipeline.v stream/weir_fifo.v memory/weir_ram.v
// prove: bounded 36 LENGTH=2 READ=1
// nightly: bounded 44 LENGTH=2 READ=2
// nightly: bounded 44 LENGTH=3 READ=1
// planted: nightly
// spared: softmax_unsigned codes are unsigned here: random.c
// spared: softmax_best_of_two_rows powers by the distance from a larger code are half as large in all of the row: random.c
// spared: softmax_distances_full the queue of distances does not fill within the bound: random.c
module proof #(
  parameter integer LENGTH = 2,
  parameter integer READ   = 1
) (
  input wire clk, s_valid, s_data, s_last, m_ready
);
  localparam integer BEATS = 64;  // of the record: more than are taken
  localparam [7:0] ONE = {3'd4, 5'b10000}, HALF = {3'd3, 5'b10000}, SIX = {3'd6, 5'b11000}, THREE = {3'd5, 5'b11000};

  wire              rst, s_ready, m_valid, m_last, power_addr, product_addr;
  wire [3:0]        m_data;
  reg  [8*READ-1:0] powers_q, products_q;  // of the ROMs' registers, the oldest at the top
  reg  [BEATS-1:0]  taken_q, lasts_q;
  reg  [7:0]        count_q, given_q, place_q;
  reg               started_q = 1'b0;

  weir_softmax #(
    .WIDTH  (1),
    .LENGTH (LENGTH),
    .FRAC_W (4),
    .EXP_W  (3),
    .STEPS_W(3),
    .OUT_W  (4),
    .HIGH   (15),
    .READ   (READ)
  ) u_dut (.*, .power_data(powers_q[8*READ-1 -: 8]), .product_data(products_q[8*READ-1 -: 8]));

  wire       take  = s_valid && s_ready;
  wire       give  = m_valid && m_ready;
  wire [7:0] row   = given_q - place_q;
  wire [LENGTH-1:0] elements = taken_q >> row;
  wire       away  = elements != 0 && !taken_q[given_q];
  wire [3:0] equal = LENGTH == 2 ? 4'd3 : 4'd2;  // 6 / 2, 6 / 3
  reg  [3:0] expected;

  // Six steps, or three of a smaller element, over halves: of 2 to 6, each rounded to a whole number, the half of 5 / 2
  // and 7 / 2 to an even one.
  always @*
    if (elements == 0 || &elements) expected = equal;
    else if (LENGTH == 2) expected = away ? 4'd2 : 4'd4;                          // 3 / 1.5, 6 / 1.5
    else if (elements == 3'd1 || elements == 3'd2 || elements == 3'd4) expected = away ? 4'd2 : 4'd3;  // 3 / 2, 6 / 2
    else expected = away ? 4'd1 : 4'd2;                                            // 3 / 2.5, 6 / 2.5

  assign rst = !started_q;

  always @(posedge clk) begin
    started_q  <= 1'b1;
    powers_q   <= {powers_q, power_addr ? HALF : ONE};
    products_q <= {products_q, product_addr ? THREE : SIX};
    if (rst) {count_q, given_q, place_q} <= 24'd0;
    else begin
      if (take) begin
        count_q          <= count_q + 1'b1;
        taken_q[count_q] <= s_data;
        lasts_q[count_q] <= s_last;
      end
      if (give) begin
        given_q <= given_q + 1'b1;
        place_q <= place_q == LENGTH - 1 ? 8'd0 : place_q + 1'b1;
      end
    end
  end

  always @* if (!rst && m_valid) begin
    order: assert (row + LENGTH <= count_q);
    values: assert (m_data == expected);
  end

  // A frame ends with a row.
  always @* if (!rst && m_valid) last: assert (m_last == (place_q == LENGTH - 1 && lasts_q[given_q]));

  proof_hold #(5) u_hold (clk, rst, m_valid, m_ready, {m_last, m_data});
  // While beats are offered and its own are taken, something is given, and a beat is taken.
  proof_answer #(4 * LENGTH + 2 * READ + 23) u_given (clk, rst, s_valid && m_ready, m_valid);
  proof_answer #(4 * LENGTH + 4) u_taken (clk, rst, s_valid && m_ready, s_ready);
endmodule
