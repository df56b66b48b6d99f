// The sum of all numbers since the first of a row, whenever they come.
// sources: norm/weir_normalize_sum.v
// prove: bounded 12 LANES=1 IN_W=2 SIGNED=1 SUM_W=5
// prove: bounded 12 LANES=3 IN_W=2 SIGNED=0 SUM_W=6
// nightly: bounded 16 LANES=4 IN_W=3 SIGNED=1 SUM_W=7
module proof #(
  parameter integer LANES  = 1,
  parameter integer IN_W   = 2,
  parameter integer SIGNED = 1,
  parameter integer SUM_W  = 5
) (
  input wire                  clk, valid, first,
  input wire [LANES*IN_W-1:0] x
);
  localparam integer LEVELS = $clog2(LANES);

  wire [SUM_W-1:0]            sum;
  reg  [SUM_W-1:0]            beat, total_q;
  reg                         known_q = 1'b0;
  reg  [(LEVELS+1)*(SUM_W+1)-1:0] line_q;  // {known, total}, the newest in the low bits
  integer                     i;

  weir_normalize_sum #(
    .LANES (LANES),
    .IN_W  (IN_W),
    .SIGNED(SIGNED),
    .SUM_W (SUM_W)
  ) u_dut (.*);

  always @* begin
    beat = 0;
    for (i = 0; i < LANES; i = i + 1)
      beat = beat + {{(SUM_W-IN_W){SIGNED != 0 && x[i*IN_W + IN_W - 1]}}, x[i*IN_W +: IN_W]};
  end

  wire [SUM_W-1:0] total = !valid ? total_q : first ? beat : total_q + beat;
  wire             known = known_q || (valid && first);
  reg  [LEVELS:0]  started_q = 0;

  always @(posedge clk) begin
    total_q   <= total;
    known_q   <= known;
    line_q    <= {line_q, known, total};
    started_q <= {started_q, 1'b1};
  end

  proof_equal #(SUM_W) u_equal (1'b0, started_q[LEVELS] && line_q[(LEVELS+1)*(SUM_W+1)-1], sum,
                                line_q[LEVELS*(SUM_W+1) +: SUM_W]);
endmodule
