// weir_scale_multiply: signed x times unsigned m, lane by lane, with side data that travels along.
//
// Latency:   ceil(M_W / DIGIT) cycles from acceptance to m_valid.
// Interval:  ceil(M_W / DIGIT) cycles a beat.
// Mapping:   DIGIT >= M_W: one weir_mul a lane (DSP blocks); otherwise a serial shift-add of about 3 X_W + M_W logic cells a lane.
// Transparent: s_ready depends on m_ready in the same cycle; the users put a register slice behind it.
// DIGIT >= M_W, one multiplication a cycle:
//   State: the products (in weir_mul), the side data, a valid bit.
//   Logic: one weir_mul of X_W x (M_W + 1) bits a lane (DSP blocks).
// DIGIT < M_W, serial shift and add, DIGIT multiplier bits a cycle:
//   State: x, the running product and m (the
//   multiplier's bits leave at the bottom of the register that the product's low bits enter at the top), the side data,
//   a step counter. The last step's sum is offered without a register and stays until it is taken.
//   Logic: an adder of X_W + DIGIT bits a lane (DIGIT > 1: of DIGIT + 1 operands), about 3 X_W + M_W logic cells; no DSP block.
module weir_scale_multiply #(
  parameter integer LANES  = 1,
  parameter integer X_W    = 16,
  parameter integer M_W    = 16,
  parameter integer SIDE_W = 1,
  parameter integer DIGIT  = 16   // multiplier bits a cycle
) (
  input  wire                       clk,
  input  wire                       rst,
  input  wire                       s_valid,
  output wire                       s_ready,
  input  wire [LANES*X_W-1:0]       s_data,
  input  wire [LANES*M_W-1:0]       s_scale,
  input  wire [SIDE_W-1:0]          s_side,
  input  wire                       s_last,
  output wire                       m_valid,
  input  wire                       m_ready,
  output wire [LANES*(X_W+M_W)-1:0] m_data,
  output wire [SIDE_W-1:0]          m_side,
  output wire                       m_last
);
  localparam integer P_W = X_W + M_W;

  generate
    if (LANES < 1 || X_W < 1 || M_W < 1 || SIDE_W < 1 || DIGIT < 1) begin : g_check
      weir_scale_multiply_LANES_X_W_M_W_SIDE_W_and_DIGIT_must_be_at_least_1 u_error ();
    end
  endgenerate

  reg  [SIDE_W:0] side_q;  // {last, side}
  wire            take = s_valid && s_ready;

  assign {m_last, m_side} = side_q;

  always @(posedge clk) if (take) side_q <= {s_last, s_side};

  generate
    if (DIGIT >= M_W) begin : g_parallel
      reg                          valid_q;
      reg  [LANES*(M_W+1)-1:0]     scale;
      wire [LANES*(X_W+M_W+1)-1:0] raw;
      reg  [LANES*P_W-1:0]         product;
      integer                      i;

      assign s_ready = m_ready || !valid_q;
      assign m_valid = valid_q;
      assign m_data  = product;

      always @(posedge clk)
        if (rst) valid_q <= 1'b0;
        else if (s_ready) valid_q <= s_valid;

      always @*
        for (i = 0; i < LANES; i = i + 1) begin
          scale[i*(M_W+1) +: M_W+1] = {1'b0, s_scale[i*M_W +: M_W]};
          product[i*P_W +: P_W]     = raw[i*(P_W+1) +: P_W];  // the top bit repeats the sign
        end

      weir_mul #(
        .A_W(X_W),
        .B_W(M_W + 1)
      ) u_mul [LANES-1:0] (
        .clk(clk),
        .en (take),
        .a  (s_data),
        .b  (scale),
        .p  (raw)
      );
    end else begin : g_serial
      localparam integer STEPS  = (M_W + DIGIT - 1) / DIGIT;
      localparam integer STEP_W = $clog2(STEPS);
      localparam integer LOW_W  = STEPS * DIGIT;
      localparam integer SUM_W  = X_W + DIGIT;
      localparam integer LAST_STEP = STEPS - 1;

      reg                     busy_q;
      reg  [STEP_W-1:0]       step_q;
      reg  [LANES*X_W-1:0]    x_q, high_q, high_d;
      reg  [LANES*LOW_W-1:0]  low_q, low_d, low_start;
      reg  [LANES*P_W-1:0]    product;
      reg  signed [SUM_W-1:0] sum, multiple;
      integer                 i, b;
      /* verilator lint_off UNUSEDSIGNAL */ // STEPS * DIGIT may exceed M_W
      reg  [SUM_W+LOW_W-DIGIT-1:0] next;
      /* verilator lint_on UNUSEDSIGNAL */

      wire last_step = step_q == LAST_STEP[STEP_W-1:0];

      assign m_valid = busy_q && last_step;
      assign m_data  = product;
      assign s_ready = !busy_q || (last_step && m_ready);

      // |high| never exceeds |x|, so the sum fits in X_W + DIGIT bits.
      /* verilator lint_off WIDTH */ // extension and truncation by assignment are meant
      always @*
        for (i = 0; i < LANES; i = i + 1) begin
          sum      = $signed(high_q[i*X_W +: X_W]);
          multiple = $signed(x_q[i*X_W +: X_W]);
          for (b = 0; b < DIGIT; b = b + 1) begin
            if (low_q[i*LOW_W + b]) sum = sum + multiple;
            multiple = multiple <<< 1;
          end
          next = {sum, low_q[i*LOW_W + DIGIT +: LOW_W - DIGIT]};
          high_d[i*X_W +: X_W]        = sum >>> DIGIT;
          low_d[i*LOW_W +: LOW_W]     = next;
          low_start[i*LOW_W +: LOW_W] = s_scale[i*M_W +: M_W];
          product[i*P_W +: P_W]       = next;
        end
      /* verilator lint_on WIDTH */

      always @(posedge clk)
        if (rst) busy_q <= 1'b0;
        else if (take) busy_q <= 1'b1;
        else if (last_step && m_ready) busy_q <= 1'b0;

      always @(posedge clk)
        if (take) begin
          step_q <= {STEP_W{1'b0}};
          x_q    <= s_data;
          high_q <= {(LANES*X_W){1'b0}};
          low_q  <= low_start;
        end else if (busy_q && !last_step) begin
          step_q <= step_q + 1'b1;
          high_q <= high_d;
          low_q  <= low_d;
        end
    end
  endgenerate
endmodule
