// Fragments that the proofs of components are made of. Each watches the wires of one stream, is held in reset by `rst`,
// and says what it proves; Yosys reads these files alone. A value is all that a beat carries: data, `last` and other
// flags.
//
// proof_reset     drives `rst`: high in the first cycle, and again whenever it pleases the solver
// proof_source    assumes what a source promises: valid and value hold until taken
// proof_frames    assumes `last` on every BEATS-th beat; proof_last asserts it
// proof_hold      valid and value hold until taken
// proof_order     what enters leaves once, in order, with the value expected; at most CAPACITY beats are inside
// proof_marked    which frame is inside and watched: one that is marked at a free time as it enters
// proof_answer    within LIMIT cycles of `owed` without a break comes `given`
// proof_equal     while `valid`, two values are the same
// proof_window    counts cycles for a statement about any cycle
// proof_stays     what holds in a cycle, whichever it is, holds in the next one
// proof_record    of the first cycles: the reset, and all that is taken, in its order
// proof_numbers   codes as numbers
// proof_multiply  what the multiplier of requantizers promises
// proof_stream    of a component with one beat out for each beat in: source, hold, order and answers
// proof_component the same with the reset, of a component whose streams are s and m
// proof_pair      the same of a component that takes a beat of s_a and one of s_b for each of m

// Every register starts in any state whatever; the first cycle resets it.
module proof_reset (
  input  wire clk,
  output wire rst
);
  (* anyseq *) wire again;
  reg started_q = 1'b0;

  assign rst = !started_q || again;

  always @(posedge clk) started_q <= 1'b1;
endmodule

// A beat that was offered in the cycle before and not taken, and its value.
module proof_waiting #(
  parameter integer WIDTH = 1
) (
  input  wire             clk, rst, valid, ready,
  input  wire [WIDTH-1:0] value,
  output wire             waits,
  output reg  [WIDTH-1:0] value_q
);
  reg waits_q = 1'b0;

  assign waits = waits_q && !rst;

  always @(posedge clk) begin
    waits_q <= !rst && valid && !ready;
    value_q <= value;
  end
endmodule

module proof_source #(
  parameter integer WIDTH = 1
) (
  input wire             clk, rst, valid, ready,
  input wire [WIDTH-1:0] value
);
  wire             waits;
  wire [WIDTH-1:0] waiting;

  proof_waiting #(WIDTH) u_waiting (clk, rst, valid, ready, value, waits, waiting);

  always @* if (waits) begin
    assume (valid);
    assume (value == waiting);
  end
endmodule

module proof_hold #(
  parameter integer WIDTH = 1
) (
  input wire             clk, rst, valid, ready,
  input wire [WIDTH-1:0] value
);
  wire             waits;
  wire [WIDTH-1:0] waiting;

  proof_waiting #(WIDTH) u_waiting (clk, rst, valid, ready, value, waits, waiting);

  always @* if (waits) begin
    valid_holds: assert (valid);
    value_holds: assert (value == waiting);
  end
endmodule

// `enter` and `leave`: a beat does so in this cycle, with `entered` and `left`; it may do both in the same cycle.
// `offered`: the stream shows a beat, whether it leaves or not. One beat at a free position is marked as it enters and
// watched until it leaves: what holds for it holds for all.
module proof_order #(
  parameter integer WIDTH    = 1,
  parameter integer CAPACITY = 1,
  parameter integer COUNT_W  = $clog2(CAPACITY + 2)
) (
  input  wire               clk, rst, enter,
  input  wire [WIDTH-1:0]   entered,
  input  wire               offered, leave,
  input  wire [WIDTH-1:0]   left,
  output reg  [COUNT_W-1:0] inside_q,  // beats that have entered and not left
  output wire               mark       // the beat that enters is the marked one
);
  localparam [COUNT_W-1:0] MOST = CAPACITY;

  (* anyseq *) wire   pick;
  reg                 marked_q, waits_q;
  reg [COUNT_W-1:0]   ahead_q;  // beats inside that entered before the marked one
  reg [WIDTH-1:0]     value_q;
  wire [COUNT_W-1:0]  inside = inside_q + enter;
  wire [COUNT_W-1:0]  ahead  = waits_q ? ahead_q : inside_q;
  wire                waits  = waits_q || mark;
  wire [WIDTH-1:0]    value  = waits_q ? value_q : entered;

  assign mark = enter && pick && !marked_q;

  always @(posedge clk)
    if (rst) begin
      inside_q <= {COUNT_W{1'b0}};
      marked_q <= 1'b0;
      waits_q  <= 1'b0;
    end else begin
      inside_q <= inside - leave;
      marked_q <= marked_q || mark;
      waits_q  <= waits && !(leave && ahead == 0);
      ahead_q  <= ahead - leave;
      value_q  <= value;
    end

  always @* if (!rst) begin
    nothing_invented: assert (!offered || inside != 0);
    no_overflow: assert (inside - (leave && inside != 0) <= MOST);
    if (offered && waits && ahead == 0) order_and_value: assert (left == value);
  end
endmodule

// A frame counts as inside from its last beat's entering (`enters`) to its last beat's leaving (`leaves`). `may`: a
// beat enters whose frame may be the marked one.
module proof_marked (
  input  wire       clk, rst, may, enters, leaves,
  output reg  [2:0] inside_q,
  output wire       mark,
  output wire       watched  // the frame that leaves next is the marked one
);
  (* anyseq *) wire pick;
  reg               marked_q, waits_q;
  reg [2:0]         ahead_q;  // frames that have to leave before it

  assign mark    = may && pick && !marked_q;
  assign watched = waits_q && ahead_q == 0;

  always @(posedge clk)
    if (rst) begin
      inside_q <= 3'd0;
      marked_q <= 1'b0;
      waits_q  <= 1'b0;
    end else begin
      inside_q <= inside_q + enters - leaves;
      marked_q <= marked_q || mark;
      waits_q  <= mark || (waits_q && !(leaves && ahead_q == 0));
      if (mark || leaves) ahead_q <= (mark ? inside_q : ahead_q) - leaves;
    end

  always @* if (!rst) no_overflow: assert (inside_q < 7);
endmodule

module proof_answer #(
  parameter integer LIMIT = 0
) (
  input wire clk, rst, owed, given
);
  localparam integer COUNT_W = $clog2(LIMIT + 2);
  localparam [COUNT_W-1:0] MOST = LIMIT;

  reg [COUNT_W-1:0] cycles_q;

  always @(posedge clk)
    if (rst || !owed || given) cycles_q <= {COUNT_W{1'b0}};
    else cycles_q <= cycles_q + 1'b1;

  always @* if (!rst && owed && !given) comes_in_time: assert (cycles_q < MOST);
endmodule

// Is the next beat the last of a frame?
module proof_count #(
  parameter integer BEATS = 1
) (
  input  wire clk, rst, valid, ready,
  output wire is_last
);
  localparam integer COUNT_W = $clog2(BEATS + 1);
  localparam [COUNT_W-1:0] TOP = BEATS - 1;

  reg [COUNT_W-1:0] beat_q;

  assign is_last = beat_q == TOP;

  always @(posedge clk)
    if (rst) beat_q <= {COUNT_W{1'b0}};
    else if (valid && ready) beat_q <= is_last ? {COUNT_W{1'b0}} : beat_q + 1'b1;
endmodule

module proof_frames #(
  parameter integer BEATS = 1
) (
  input wire clk, rst, valid, ready, last
);
  wire is_last;

  proof_count #(BEATS) u_count (clk, rst, valid, ready, is_last);

  always @* if (!rst && valid) assume (last == is_last);
endmodule

module proof_last #(
  parameter integer BEATS = 1
) (
  input wire clk, rst, valid, ready, last
);
  wire is_last;

  proof_count #(BEATS) u_count (clk, rst, valid, ready, is_last);

  always @* if (!rst && valid) last_in_place: assert (last == is_last);
endmodule

module proof_equal #(
  parameter integer WIDTH = 1
) (
  input wire             rst, valid,
  input wire [WIDTH-1:0] actual, expected
);
  always @* if (!rst && valid) equal: assert (actual == expected);
endmodule

// A beat leaves with the value `expected` for each that enters, offered within LATENCY cycles; while the sink is ready,
// a beat is taken within STALL cycles. Cycles count while `fair` (the other inputs offer). At most CAPACITY beats are
// inside. Of a transparent component (CAPACITY 0) the beats enter as the source offers them, and the source is let go
// as they leave.
module proof_stream #(
  parameter integer S_WIDTH  = 1,
  parameter integer M_WIDTH  = 1,
  parameter integer CAPACITY = 1,
  parameter integer LATENCY  = 0,
  parameter integer STALL    = 0
) (
  input  wire               clk, rst, fair, s_valid, s_ready,
  input  wire [S_WIDTH-1:0] s_value,
  input  wire [M_WIDTH-1:0] expected,
  input  wire               m_valid, m_ready,
  input  wire [M_WIDTH-1:0] m_value,
  output wire               mark
);
  localparam integer MOST = CAPACITY > 0 ? CAPACITY : 1;

  wire [$clog2(MOST+2)-1:0] inside;
  reg  waits_q;  // the source offered this beat before
  wire take  = s_valid && s_ready;
  wire leave = m_valid && m_ready;
  wire enter = CAPACITY > 0 ? take : s_valid && !waits_q;

  always @(posedge clk) waits_q <= !rst && s_valid && !s_ready;

  proof_source #(S_WIDTH) u_source (clk, rst, s_valid, s_ready, s_value);
  proof_hold #(M_WIDTH) u_hold (clk, rst, m_valid, m_ready, m_value);
  proof_order #(M_WIDTH, MOST) u_order (clk, rst, enter, expected, m_valid, leave, m_value, inside, mark);
  proof_answer #(LATENCY) u_leaves (clk, rst, (inside != 0 || (CAPACITY == 0 && enter)) && fair, m_valid);
  proof_answer #(STALL) u_enters (clk, rst, s_valid && m_ready && fair, s_ready);

  always @* if (!rst && CAPACITY == 0 && take) let_go_as_it_leaves: assert (inside + enter == leave);
endmodule

// `expected` is the data for what is taken; `last` goes through.
module proof_component #(
  parameter integer S_WIDTH  = 1,
  parameter integer M_WIDTH  = 1,
  parameter integer CAPACITY = 1,
  parameter integer LATENCY  = 0,
  parameter integer STALL    = 1
) (
  input  wire               clk,
  output wire               rst,
  input  wire               s_valid, s_ready,
  input  wire [S_WIDTH-1:0] s_data,
  input  wire               s_last,
  input  wire [M_WIDTH-1:0] expected,
  input  wire               m_valid, m_ready,
  input  wire [M_WIDTH-1:0] m_data,
  input  wire               m_last
);
  proof_reset u_reset (clk, rst);
  proof_stream #(S_WIDTH + 1, M_WIDTH + 1, CAPACITY, LATENCY, STALL) u_stream (
    .*,
    .fair    (1'b1),
    .s_value ({s_last, s_data}),
    .expected({s_last, expected}),
    .m_value ({m_last, m_data}),
    .mark    ()
  );
endmodule

// The beats of a pair are taken together; `last` is that of s_a.
module proof_pair #(
  parameter integer A_WIDTH  = 1,
  parameter integer B_WIDTH  = 1,
  parameter integer M_WIDTH  = 1,
  parameter integer CAPACITY = 1,
  parameter integer LATENCY  = 0
) (
  input  wire               clk,
  output wire               rst,
  input  wire               s_a_valid, s_a_ready,
  input  wire [A_WIDTH-1:0] s_a_data,
  input  wire               s_a_last, s_b_valid, s_b_ready,
  input  wire [B_WIDTH-1:0] s_b_data,
  input  wire               s_b_last,
  input  wire [M_WIDTH-1:0] expected,
  input  wire               m_valid, m_ready,
  input  wire [M_WIDTH-1:0] m_data,
  input  wire               m_last
);
  always @* if (!rst) together: assert ((s_a_valid && s_a_ready) == (s_b_valid && s_b_ready));

  proof_source #(B_WIDTH + 1) u_source (clk, rst, s_b_valid, s_b_ready, {s_b_last, s_b_data});
  proof_reset u_reset (clk, rst);
  proof_stream #(A_WIDTH + 1, M_WIDTH + 1, CAPACITY, LATENCY, 1) u_stream (
    .*,
    .fair    (s_b_valid),
    .s_valid (s_a_valid),
    .s_ready (s_a_ready),
    .s_value ({s_a_last, s_a_data}),
    .expected({s_a_last, expected}),
    .m_value ({m_last, m_data}),
    .mark    ()
  );
endmodule

module proof_numbers #(
  parameter integer LANES     = 1,
  parameter integer WIDTH     = 1,
  parameter integer IS_SIGNED = 0
) (
  input  wire [LANES*WIDTH-1:0] codes,
  output wire [LANES*32-1:0]    numbers
);
  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire [WIDTH-1:0] code = codes[l*WIDTH +: WIDTH];
      assign numbers[l*32 +: 32] = {{(32-WIDTH){IS_SIGNED != 0 && code[WIDTH-1]}}, code};
    end
  endgenerate
endmodule

// Reset in the first cycle only. COUNT elements of a bit are taken so far, 64 at most.
module proof_record #(
  parameter integer WIDTH = 1
) (
  input  wire             clk,
  output wire             rst,
  input  wire             s_valid, s_ready,
  input  wire [WIDTH-1:0] s_data,
  output reg  [63:0]      taken_q,
  output reg  [7:0]       count_q
);
  reg started_q = 1'b0;

  assign rst = !started_q;

  always @(posedge clk) begin
    started_q <= 1'b1;
    if (rst) count_q <= 8'd0;
    else if (s_valid && s_ready) begin
      count_q                   <= count_q + WIDTH;
      taken_q[count_q +: WIDTH] <= s_data;
    end
  end
endmodule

// Cycles FLUSH (`begins`) and LENGTH (`ends`) behind the first, in which every register but this one may have any
// value; it stays there.
module proof_window #(
  parameter integer LENGTH = 1,
  parameter integer FLUSH  = 0
) (
  input  wire clk,
  output wire begins, ends
);
  localparam integer COUNT_W = $clog2(LENGTH + 2);
  localparam [COUNT_W-1:0] FIRST = FLUSH;
  localparam [COUNT_W-1:0] TOP   = LENGTH;

  reg [COUNT_W-1:0] cycle_q = {COUNT_W{1'b0}};

  assign begins = cycle_q == FIRST;
  assign ends   = cycle_q == TOP;

  always @(posedge clk) if (!ends) cycle_q <= cycle_q + 1'b1;
endmodule

// `holds` need not hold in a cycle that is `excused`.
module proof_stays #(
  parameter integer WIDTH = 1
) (
  input wire             clk, excused,
  input wire [WIDTH-1:0] holds
);
  wire begins, ends;

  proof_window u_window (clk, begins, ends);

  always @*
    if (begins) assume (excused || &holds);
    else stays: assert (&holds);
endmodule

// What weir_scale_multiply promises: `sum` is that of the operands LATENCY cycles ago if none came in the BEATS - 1
// cycles behind them (`there`), else anything.
module proof_multiply #(
  parameter integer X_W   = 2,
  parameter integer M_W   = 1,
  parameter integer ADD_W = 0,
  parameter integer DIGIT = 1,
  parameter integer MUL_W = 18,
  parameter integer SUM_W = 4,
  parameter integer A_W   = ADD_W > 0 ? ADD_W : 1
) (
  input  wire                    clk, load,
  input  wire signed [X_W-1:0]   x,
  input  wire        [M_W-1:0]   m,
  input  wire signed [A_W-1:0]   a,
  output wire                    there,
  output wire signed [SUM_W-1:0] sum
);
  localparam integer K       = DIGIT < M_W ? DIGIT : M_W;
  localparam integer BEATS   = (M_W + K - 1) / K;
  localparam integer OF_X    = X_W < 3 || MUL_W < 2 ? 1 : (X_W - 2) / (MUL_W - 1) + 1;  // pieces of x, of m, of a digit
  localparam integer OF_M    = MUL_W < 2 ? 1 : (M_W + MUL_W - 2) / (MUL_W - 1);
  localparam integer OF_K    = MUL_W < 2 ? 1 : (K + MUL_W - 2) / (MUL_W - 1);
  localparam integer AHEAD   = K < 3 ? K - 1 : 2 + $clog2(MUL_W > 0 ? OF_X * OF_K : (K + 1) / 2);
  localparam integer ROWS    = 1 + BEATS + AHEAD + (K > 3 && K < M_W ? 1 : 0) + (ADD_W > 0 ? 1 : 0);
  localparam integer LATENCY = K < M_W || MUL_W == 0 ? ROWS : 2 + $clog2(OF_X * OF_M + (ADD_W > 0 ? 1 : 0));
  localparam integer KEY_W   = A_W + M_W + X_W;

  reg         [LATENCY-1:0]       loaded_q;  // the oldest at the top
  reg         [LATENCY*KEY_W-1:0] keys_q;
  wire signed [A_W-1:0]           a_then;
  wire        [M_W-1:0]           m_then;
  wire signed [X_W-1:0]           x_then;
  wire signed [M_W:0]             factor = {1'b0, m_then};
  wire signed [SUM_W-1:0]         product = x_then * factor;
  wire signed [SUM_W-1:0]         total   = product + a_then;
  (* anyseq *) wire [SUM_W-1:0]   other;

  assign {a_then, m_then, x_then} = keys_q[LATENCY*KEY_W-1 -: KEY_W];
  assign there = loaded_q[LATENCY-1];
  assign sum   = !there ? other : ADD_W > 0 ? total : product;

  always @(posedge clk) begin
    loaded_q <= {load ? loaded_q >> (BEATS - 1) << (BEATS - 1) : loaded_q, load};
    keys_q   <= {keys_q, a, m, x};
  end
endmodule
