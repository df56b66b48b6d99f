// Of any sum and any squares whose mean and root fit: the mean is the sum's quotient by LENGTH, toward 0, and the root
// the largest whose square by LENGTH is not above the squares from the mean plus LENGTH. A row is begun where `ready`
// is high, and ends after the cycles that the header says, and not otherwise. Reset comes once.
// sources: norm/weir_normalize_integer_root.v
// prove: bounded 13 LENGTH=3 CENTRED=1
// prove: bounded 12 LENGTH=3 CENTRED=0
// nightly: bounded 24 LENGTH=3 CENTRED=1
// nightly: bounded 13 LENGTH=4 CENTRED=1
module proof #(
  parameter integer LENGTH  = 3,
  parameter integer CENTRED = 1
) (
  input wire       clk, start,
  input wire [5:0] sum,
  input wire [6:0] squares
);
  localparam integer TIME = 2 * 2 + 1 + (CENTRED != 0 ? 3 + 2 : 0);

  wire              rst, ready, done;
  wire signed [3:0] mean;
  wire        [1:0] root;
  reg  signed [5:0] sum_q;
  reg         [6:0] squares_q;
  reg  [TIME-1:0]   begun_q = {TIME{1'b0}};
  reg               started_q = 1'b0;

  weir_normalize_integer_root #(
    .LENGTH   (LENGTH),
    .CENTRED  (CENTRED),
    .SUM_W    (6),
    .SQUARES_W(7),
    .MEAN_W   (3),
    .ROOT_W   (2)
  ) u_dut (.*);

  // Of what is given, so that what is asked of it can be said before it is found.
  function signed [31:0] mean_of(input signed [5:0] of);
    mean_of = CENTRED == 0 ? 0 : of / LENGTH;
  endfunction

  function signed [31:0] left_of(input signed [5:0] of, input [6:0] with);
    left_of = $signed({25'd0, with}) - mean_of(of) * (2 * of - LENGTH * mean_of(of)) + LENGTH;
  endfunction

  wire signed [31:0] given = left_of(sum, squares);
  wire signed [31:0] left  = left_of(sum_q, squares_q);
  wire signed [31:0] below = {30'd0, root};

  assign rst = !started_q;

  always @(posedge clk) begin
    started_q <= 1'b1;
    begun_q   <= rst ? {TIME{1'b0}} : {begun_q[TIME-2:0], start};
    if (start) {sum_q, squares_q} <= {sum, squares};
  end

  always @* begin
    if (start) assume (ready && !rst);
    if (start) assume (mean_of(sum) > -8 && mean_of(sum) < 8);
    if (start) assume (given >= LENGTH && given < 16 * LENGTH);  // squares are not below those of the mean
  end

  always @* if (!rst) begin
    time_of: assert (done == begun_q[TIME-1]);
    free: assert (ready == (begun_q[TIME-2:0] == 0));
    if (done) mean_is: assert ({{28{mean[3]}}, mean} == mean_of(sum_q));
    if (done) root_is: assert (below * below * LENGTH <= left && (below + 1) * (below + 1) * LENGTH > left);
  end
endmodule
