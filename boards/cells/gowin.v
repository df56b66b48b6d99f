// The cells that Yosys' synth_gowin maps to, for simulating netlists: what each does, without delays. Written from
// Gowin UG288 (logic), UG285 (block RAM) and UG287 (multipliers). Yosys' own gowin/cells_sim.v has no bodies for the
// block RAMs.
//
// Registers and memories start as after configuration. What is not modelled stops the elaboration: an unknown module,
// or the name of what is missing. Yosys 0.70 maps products to multipliers (0.23: to logic), without their registers and
// chains.

`default_nettype none

module VCC (output wire V);
  assign V = 1'b1;
endmodule

module GND (output wire G);
  assign G = 1'b0;
endmodule

module LUT1 #(
  parameter [1:0] INIT = 2'h0
) (
  input  wire I0,
  output wire F
);
  assign F = I0 ? INIT[1] : INIT[0];
endmodule

module LUT2 #(
  parameter [3:0] INIT = 4'h0
) (
  input  wire I0, I1,
  output wire F
);
  wire [1:0] s = I1 ? INIT[3:2] : INIT[1:0];
  assign F = I0 ? s[1] : s[0];
endmodule

module LUT3 #(
  parameter [7:0] INIT = 8'h0
) (
  input  wire I0, I1, I2,
  output wire F
);
  wire [3:0] t = I2 ? INIT[7:4] : INIT[3:0];
  wire [1:0] s = I1 ? t[3:2] : t[1:0];
  assign F = I0 ? s[1] : s[0];
endmodule

// Halves of the table, not an index: where both agree an unknown input does not matter.
module LUT4 #(
  parameter [15:0] INIT = 16'h0
) (
  input  wire I0, I1, I2, I3,
  output wire F
);
  wire [7:0] u = I3 ? INIT[15:8] : INIT[7:0];
  wire [3:0] t = I2 ? u[7:4] : u[3:0];
  wire [1:0] s = I1 ? t[3:2] : t[1:0];
  assign F = I0 ? s[1] : s[0];
endmodule

module MUX2_LUT5 (
  input  wire I0, I1, S0,
  output wire O
);
  assign O = S0 ? I1 : I0;
endmodule

module MUX2_LUT6 (
  input  wire I0, I1, S0,
  output wire O
);
  assign O = S0 ? I1 : I0;
endmodule

module MUX2_LUT7 (
  input  wire I0, I1, S0,
  output wire O
);
  assign O = S0 ? I1 : I0;
endmodule

module MUX2_LUT8 (
  input  wire I0, I1, S0,
  output wire O
);
  assign O = S0 ? I1 : I0;
endmodule

// A bit of a carry chain, by the number of its mode: 0 adds, 1 subtracts, 2 either by I3, 3 to 5 compare, 6 to 8 count,
// 9 adds partial products.
module ALU #(
  parameter ALU_MODE = 0
) (
  input  wire I0, I1, I3, CIN,
  output wire SUM, COUT
);
  wire sum = ALU_MODE == 0 ? I0 ^ I1 : ALU_MODE == 1 || ALU_MODE == 3 || ALU_MODE == 4 ? I0 ^ !I1 :
             ALU_MODE == 2 ? (I3 ? I0 ^ I1 : I0 ^ !I1) : ALU_MODE == 5 ? !I0 ^ I1 : ALU_MODE == 6 ? I0 :
             ALU_MODE == 7 ? !I0 : ALU_MODE == 8 ? (I3 ? I0 : !I0) : I0 & I1;
  wire carry = ALU_MODE == 3 || ALU_MODE == 7 ? 1'b1 : ALU_MODE == 5 ? I1 : ALU_MODE == 6 ? 1'b0 : ALU_MODE == 9 ? I0 & I1 : I0;
  generate
    if (ALU_MODE < 0 || ALU_MODE > 9) begin : g_mode
      ALU_is_modelled_with_ALU_MODE_0_to_9 u_error ();
    end
  endgenerate
  assign SUM = sum ^ CIN;
  assign COUT = sum ? CIN : carry;
endmodule

// A flip-flop: what FORCE sets it to, and whether at once.
module weir_gowin_flip_flop #(
  parameter VALUE = 0,
  parameter ASYNC = 0,
  parameter INIT = 0
) (
  input  wire CLK, CE, FORCE, D,
  output reg  Q
);
  initial Q = INIT[0];
  generate
    if (ASYNC) begin : g_async
      always @(posedge CLK or posedge FORCE) begin
        if (FORCE) Q <= VALUE[0];
        else if (CE) Q <= D;
      end
    end else begin : g_sync
      always @(posedge CLK) begin
        if (FORCE) Q <= VALUE[0];
        else if (CE) Q <= D;
      end
    end
  endgenerate
endmodule

module DFF #(parameter [0:0] INIT = 1'b0) (input wire CLK, D, output wire Q);
  weir_gowin_flip_flop #(0, 0, INIT) u (CLK, 1'b1, 1'b0, D, Q);
endmodule

module DFFE #(parameter [0:0] INIT = 1'b0) (input wire CLK, D, CE, output wire Q);
  weir_gowin_flip_flop #(0, 0, INIT) u (CLK, CE, 1'b0, D, Q);
endmodule

module DFFS #(parameter [0:0] INIT = 1'b1) (input wire CLK, D, SET, output wire Q);
  weir_gowin_flip_flop #(1, 0, INIT) u (CLK, 1'b1, SET, D, Q);
endmodule

module DFFSE #(parameter [0:0] INIT = 1'b1) (input wire CLK, D, CE, SET, output wire Q);
  weir_gowin_flip_flop #(1, 0, INIT) u (CLK, CE, SET, D, Q);
endmodule

module DFFR #(parameter [0:0] INIT = 1'b0) (input wire CLK, D, RESET, output wire Q);
  weir_gowin_flip_flop #(0, 0, INIT) u (CLK, 1'b1, RESET, D, Q);
endmodule

module DFFRE #(parameter [0:0] INIT = 1'b0) (input wire CLK, D, CE, RESET, output wire Q);
  weir_gowin_flip_flop #(0, 0, INIT) u (CLK, CE, RESET, D, Q);
endmodule

module DFFP #(parameter [0:0] INIT = 1'b1) (input wire CLK, D, PRESET, output wire Q);
  weir_gowin_flip_flop #(1, 1, INIT) u (CLK, 1'b1, PRESET, D, Q);
endmodule

module DFFPE #(parameter [0:0] INIT = 1'b1) (input wire CLK, D, CE, PRESET, output wire Q);
  weir_gowin_flip_flop #(1, 1, INIT) u (CLK, CE, PRESET, D, Q);
endmodule

module DFFC #(parameter [0:0] INIT = 1'b0) (input wire CLK, D, CLEAR, output wire Q);
  weir_gowin_flip_flop #(0, 1, INIT) u (CLK, 1'b1, CLEAR, D, Q);
endmodule

module DFFCE #(parameter [0:0] INIT = 1'b0) (input wire CLK, D, CE, CLEAR, output wire Q);
  weir_gowin_flip_flop #(0, 1, INIT) u (CLK, CE, CLEAR, D, Q);
endmodule

module RAM16SDP1 #(parameter [15:0] INIT_0 = 16'h0000) (
  input  wire DI,
  input  wire [3:0] WAD, RAD,
  input  wire WRE, CLK,
  output wire DO
);
  reg [0:0] mem [0:15];
  integer i;
  initial for (i = 0; i < 16; i = i + 1) mem[i] = {INIT_0[i]};
  always @(posedge CLK) if (WRE) mem[WAD] <= DI;
  assign DO = mem[RAD];
endmodule

module RAM16SDP2 #(parameter [15:0] INIT_0 = 16'h0000, parameter [15:0] INIT_1 = 16'h0000) (
  input  wire [1:0] DI,
  input  wire [3:0] WAD, RAD,
  input  wire WRE, CLK,
  output wire [1:0] DO
);
  reg [1:0] mem [0:15];
  integer i;
  initial for (i = 0; i < 16; i = i + 1) mem[i] = {INIT_1[i], INIT_0[i]};
  always @(posedge CLK) if (WRE) mem[WAD] <= DI;
  assign DO = mem[RAD];
endmodule

module RAM16SDP4 #(
  parameter [15:0] INIT_0 = 16'h0, parameter [15:0] INIT_1 = 16'h0, parameter [15:0] INIT_2 = 16'h0, parameter [15:0] INIT_3 = 16'h0
) (
  input  wire [3:0] DI,
  input  wire [3:0] WAD, RAD,
  input  wire WRE, CLK,
  output wire [3:0] DO
);
  reg [3:0] mem [0:15];
  integer i;
  initial for (i = 0; i < 16; i = i + 1) mem[i] = {INIT_3[i], INIT_2[i], INIT_1[i], INIT_0[i]};
  always @(posedge CLK) if (WRE) mem[WAD] <= DI;
  assign DO = mem[RAD];
endmodule

// A port of a block RAM of 2,048 bytes: which bits it reads and writes. BYTE: bits of a byte, 8 or 9; ports narrower
// than a byte take the low 8. A port of 2 or 4 bytes has byte enables where others have the low address bits.
module weir_gowin_port #(
  parameter BYTE = 8,
  parameter WIDTH = 32
) (
  input  wire [13:0] ad,
  output wire [10:0] at,     // the first byte
  output wire [3:0]  bytes   // that are written
);
  assign at = WIDTH >= 32 ? {ad[13:5], 2'b0} : WIDTH >= 16 ? {ad[13:4], 1'b0} : ad[13:3];
  assign bytes = WIDTH >= 32 ? ad[3:0] : WIDTH >= 16 ? {2'b0, ad[1:0]} : 4'b1;
endmodule

// Two ports, A and B, each with its own clock. MODE of a port: 0, what was read stays while it writes; 1, it reads what
// it writes; 2, what was there before. PIPELINE: an output register. A word that one port writes and the other reads:
// the old one. RESET clears what was read, whether or not the port is enabled.
module weir_gowin_memory #(
  parameter BYTE = 8,
  parameter WIDTH_A = 32, parameter WIDTH_B = 32,
  parameter MODE_A = 0, parameter MODE_B = 0,
  parameter PIPELINE_A = 0, parameter PIPELINE_B = 0,
  parameter BLK_SEL = 0, parameter RESET_MODE = "SYNC",
  parameter [2048*BYTE-1:0] CONTENTS = 0
) (
  input  wire        clk_a, ce_a, oce_a, we_a, rst_a,
  input  wire [13:0] ad_a,
  input  wire [35:0] di_a,
  output wire [35:0] do_a,
  input  wire        clk_b, ce_b, oce_b, we_b, rst_b,
  input  wire [13:0] ad_b,
  input  wire [35:0] di_b,
  output wire [35:0] do_b
);
  reg [8:0] mem [0:2047];
  integer i;
  initial for (i = 0; i < 2048; i = i + 1) mem[i] = CONTENTS[BYTE*i +: BYTE];

  generate
    if (BLK_SEL != 0) begin : g_select
      block_RAM_is_modelled_with_BLK_SEL_0_only u_error ();
    end
  endgenerate

  wire [10:0] at_a, at_b;
  wire [3:0] bytes_a, bytes_b;
  weir_gowin_port #(BYTE, WIDTH_A) u_a (ad_a, at_a, bytes_a);
  weir_gowin_port #(BYTE, WIDTH_B) u_b (ad_b, at_b, bytes_b);

  // The byte with the port's data in it, and the bits that the port reads of four bytes in a row.
  function [8:0] merge(input integer width, input [13:0] ad, input [8:0] from, input [8:0] di);
    begin
      merge = from;
      case (width)
        1: merge[ad[2:0]] = di[0];
        2: merge[2*ad[2:1] +: 2] = di[1:0];
        4: merge[4*ad[2] +: 4] = di[3:0];
        default: merge = di;
      endcase
    end
  endfunction
  function [35:0] part(input integer width, input [13:0] ad, input [8:0] b3, b2, b1, b0);
    case (width)
      1: part = b0[ad[2:0]];
      2: part = b0[2*ad[2:1] +: 2];
      4: part = b0[4*ad[2] +: 4];
      default: part = BYTE == 9 ? {b3, b2, b1, b0} : {b3[7:0], b2[7:0], b1[7:0], b0[7:0]};
    endcase
  endfunction

  // Bytes beyond the port's own are never read: a narrow port leaves them alone.
  wire [8:0] old_a0 = mem[at_a], old_a1 = mem[at_a | 11'd1], old_a2 = mem[at_a | 11'd2], old_a3 = mem[at_a | 11'd3];
  wire [8:0] old_b0 = mem[at_b], old_b1 = mem[at_b | 11'd1], old_b2 = mem[at_b | 11'd2], old_b3 = mem[at_b | 11'd3];
  wire [8:0] new_a0 = bytes_a[0] ? merge(WIDTH_A, ad_a, old_a0, di_a[0 +: BYTE]) : old_a0;
  wire [8:0] new_b0 = bytes_b[0] ? merge(WIDTH_B, ad_b, old_b0, di_b[0 +: BYTE]) : old_b0;
  wire [8:0] new_a1 = bytes_a[1] ? di_a[BYTE +: BYTE] : old_a1;
  wire [8:0] new_b1 = bytes_b[1] ? di_b[BYTE +: BYTE] : old_b1;
  wire [8:0] new_a2 = bytes_a[2] ? di_a[2*BYTE +: BYTE] : old_a2, new_a3 = bytes_a[3] ? di_a[3*BYTE +: BYTE] : old_a3;
  wire [8:0] new_b2 = bytes_b[2] ? di_b[2*BYTE +: BYTE] : old_b2, new_b3 = bytes_b[3] ? di_b[3*BYTE +: BYTE] : old_b3;
  wire [35:0] before_a = part(WIDTH_A, ad_a, old_a3, old_a2, old_a1, old_a0);
  wire [35:0] behind_a = part(WIDTH_A, ad_a, new_a3, new_a2, new_a1, new_a0);
  wire [35:0] before_b = part(WIDTH_B, ad_b, old_b3, old_b2, old_b1, old_b0);
  wire [35:0] behind_b = part(WIDTH_B, ad_b, new_b3, new_b2, new_b1, new_b0);

  always @(posedge clk_a) if (ce_a & we_a) begin
    mem[at_a] <= new_a0;
    if (WIDTH_A >= 16) mem[at_a | 11'd1] <= new_a1;
    if (WIDTH_A >= 32) mem[at_a | 11'd2] <= new_a2;
    if (WIDTH_A >= 32) mem[at_a | 11'd3] <= new_a3;
  end
  always @(posedge clk_b) if (ce_b & we_b) begin
    mem[at_b] <= new_b0;
    if (WIDTH_B >= 16) mem[at_b | 11'd1] <= new_b1;
    if (WIDTH_B >= 32) mem[at_b | 11'd2] <= new_b2;
    if (WIDTH_B >= 32) mem[at_b | 11'd3] <= new_b3;
  end

  reg [35:0] read_a = 36'b0, read_b = 36'b0, out_a = 36'b0, out_b = 36'b0;
  wire async_a = RESET_MODE == "ASYNC" && rst_a, async_b = RESET_MODE == "ASYNC" && rst_b;
  always @(posedge clk_a or posedge async_a) begin
    if (rst_a) read_a <= 36'b0;
    else if (ce_a & !we_a) read_a <= before_a;
    else if (ce_a && MODE_A == 1) read_a <= behind_a;
    else if (ce_a && MODE_A == 2) read_a <= before_a;
  end
  always @(posedge clk_a or posedge async_a) begin
    if (rst_a) out_a <= 36'b0;
    else if (oce_a) out_a <= read_a;
  end
  always @(posedge clk_b or posedge async_b) begin
    if (rst_b) read_b <= 36'b0;
    else if (ce_b & !we_b) read_b <= before_b;
    else if (ce_b && MODE_B == 1) read_b <= behind_b;
    else if (ce_b && MODE_B == 2) read_b <= before_b;
  end
  always @(posedge clk_b or posedge async_b) begin
    if (rst_b) out_b <= 36'b0;
    else if (oce_b) out_b <= read_b;
  end
  assign do_a = PIPELINE_A ? out_a : read_a;
  assign do_b = PIPELINE_B ? out_b : read_b;
endmodule

// What is in a block RAM of 2048 bytes of 8 or 9 bits after configuration: 64 parameters, and these as one.
`define WEIR_GOWIN_CONTENTS(BITS) \
  parameter [BITS-1:0] INIT_RAM_00 = 0, parameter [BITS-1:0] INIT_RAM_01 = 0, parameter [BITS-1:0] INIT_RAM_02 = 0, parameter [BITS-1:0] INIT_RAM_03 = 0, \
  parameter [BITS-1:0] INIT_RAM_04 = 0, parameter [BITS-1:0] INIT_RAM_05 = 0, parameter [BITS-1:0] INIT_RAM_06 = 0, parameter [BITS-1:0] INIT_RAM_07 = 0, \
  parameter [BITS-1:0] INIT_RAM_08 = 0, parameter [BITS-1:0] INIT_RAM_09 = 0, parameter [BITS-1:0] INIT_RAM_0A = 0, parameter [BITS-1:0] INIT_RAM_0B = 0, \
  parameter [BITS-1:0] INIT_RAM_0C = 0, parameter [BITS-1:0] INIT_RAM_0D = 0, parameter [BITS-1:0] INIT_RAM_0E = 0, parameter [BITS-1:0] INIT_RAM_0F = 0, \
  parameter [BITS-1:0] INIT_RAM_10 = 0, parameter [BITS-1:0] INIT_RAM_11 = 0, parameter [BITS-1:0] INIT_RAM_12 = 0, parameter [BITS-1:0] INIT_RAM_13 = 0, \
  parameter [BITS-1:0] INIT_RAM_14 = 0, parameter [BITS-1:0] INIT_RAM_15 = 0, parameter [BITS-1:0] INIT_RAM_16 = 0, parameter [BITS-1:0] INIT_RAM_17 = 0, \
  parameter [BITS-1:0] INIT_RAM_18 = 0, parameter [BITS-1:0] INIT_RAM_19 = 0, parameter [BITS-1:0] INIT_RAM_1A = 0, parameter [BITS-1:0] INIT_RAM_1B = 0, \
  parameter [BITS-1:0] INIT_RAM_1C = 0, parameter [BITS-1:0] INIT_RAM_1D = 0, parameter [BITS-1:0] INIT_RAM_1E = 0, parameter [BITS-1:0] INIT_RAM_1F = 0, \
  parameter [BITS-1:0] INIT_RAM_20 = 0, parameter [BITS-1:0] INIT_RAM_21 = 0, parameter [BITS-1:0] INIT_RAM_22 = 0, parameter [BITS-1:0] INIT_RAM_23 = 0, \
  parameter [BITS-1:0] INIT_RAM_24 = 0, parameter [BITS-1:0] INIT_RAM_25 = 0, parameter [BITS-1:0] INIT_RAM_26 = 0, parameter [BITS-1:0] INIT_RAM_27 = 0, \
  parameter [BITS-1:0] INIT_RAM_28 = 0, parameter [BITS-1:0] INIT_RAM_29 = 0, parameter [BITS-1:0] INIT_RAM_2A = 0, parameter [BITS-1:0] INIT_RAM_2B = 0, \
  parameter [BITS-1:0] INIT_RAM_2C = 0, parameter [BITS-1:0] INIT_RAM_2D = 0, parameter [BITS-1:0] INIT_RAM_2E = 0, parameter [BITS-1:0] INIT_RAM_2F = 0, \
  parameter [BITS-1:0] INIT_RAM_30 = 0, parameter [BITS-1:0] INIT_RAM_31 = 0, parameter [BITS-1:0] INIT_RAM_32 = 0, parameter [BITS-1:0] INIT_RAM_33 = 0, \
  parameter [BITS-1:0] INIT_RAM_34 = 0, parameter [BITS-1:0] INIT_RAM_35 = 0, parameter [BITS-1:0] INIT_RAM_36 = 0, parameter [BITS-1:0] INIT_RAM_37 = 0, \
  parameter [BITS-1:0] INIT_RAM_38 = 0, parameter [BITS-1:0] INIT_RAM_39 = 0, parameter [BITS-1:0] INIT_RAM_3A = 0, parameter [BITS-1:0] INIT_RAM_3B = 0, \
  parameter [BITS-1:0] INIT_RAM_3C = 0, parameter [BITS-1:0] INIT_RAM_3D = 0, parameter [BITS-1:0] INIT_RAM_3E = 0, parameter [BITS-1:0] INIT_RAM_3F = 0

`define WEIR_GOWIN_ALL { \
  INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38, \
  INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30, \
  INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28, \
  INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20, \
  INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18, \
  INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10, \
  INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08, \
  INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04, INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00}

module SP #(
  parameter READ_MODE = 0, parameter WRITE_MODE = 0, parameter BIT_WIDTH = 32, parameter BLK_SEL = 0, parameter RESET_MODE = "SYNC",
  `WEIR_GOWIN_CONTENTS(256)
) (
  output wire [31:0] DO,
  input  wire [31:0] DI,
  input  wire [2:0] BLKSEL,
  input  wire [13:0] AD,
  input  wire WRE, CLK, CE, OCE, RESET
);
  wire [35:0] read, unused;
  weir_gowin_memory #(.BYTE(8), .WIDTH_A(BIT_WIDTH), .MODE_A(WRITE_MODE), .PIPELINE_A(READ_MODE), .BLK_SEL(BLK_SEL),
    .RESET_MODE(RESET_MODE), .CONTENTS(`WEIR_GOWIN_ALL)
  ) u (CLK, CE & ~|BLKSEL, OCE, WRE, RESET, AD, {4'b0, DI}, read, 1'b0, 1'b0, 1'b0, 1'b0, 1'b0, 14'b0, 36'b0, unused);
  assign DO = read[31:0];
endmodule

// A writes when it is enabled, B reads.
module SDPB #(
  parameter READ_MODE = 0, parameter BIT_WIDTH_0 = 32, parameter BIT_WIDTH_1 = 32, parameter BLK_SEL_0 = 0, parameter BLK_SEL_1 = 0,
  parameter RESET_MODE = "SYNC",
  `WEIR_GOWIN_CONTENTS(256)
) (
  output wire [31:0] DO,
  input  wire [31:0] DI,
  input  wire [2:0] BLKSELA, BLKSELB,
  input  wire [13:0] ADA, ADB,
  input  wire CLKA, CLKB, CEA, CEB, OCE, RESET, RESETA, RESETB // of the port that reads: RESET, of later Yosys RESETB
);
  wire [35:0] read, unused;
  weir_gowin_memory #(.BYTE(8), .WIDTH_A(BIT_WIDTH_0), .WIDTH_B(BIT_WIDTH_1), .PIPELINE_B(READ_MODE), .BLK_SEL(BLK_SEL_0 | BLK_SEL_1),
    .RESET_MODE(RESET_MODE), .CONTENTS(`WEIR_GOWIN_ALL)
  ) u (CLKA, CEA & ~|BLKSELA, 1'b0, 1'b1, 1'b0, ADA, {4'b0, DI}, unused,
    CLKB, CEB & ~|BLKSELB, OCE, 1'b0, RESET === 1'b1 || RESETB === 1'b1, ADB, 36'b0, read);
  assign DO = read[31:0];
endmodule

module DPB #(
  parameter READ_MODE0 = 0, parameter READ_MODE1 = 0, parameter WRITE_MODE0 = 0, parameter WRITE_MODE1 = 0,
  parameter BIT_WIDTH_0 = 16, parameter BIT_WIDTH_1 = 16, parameter BLK_SEL_0 = 0, parameter BLK_SEL_1 = 0, parameter RESET_MODE = "SYNC",
  `WEIR_GOWIN_CONTENTS(256)
) (
  output wire [15:0] DOA, DOB,
  input  wire [15:0] DIA, DIB,
  input  wire [2:0] BLKSELA, BLKSELB,
  input  wire [13:0] ADA, ADB,
  input  wire WREA, WREB, CLKA, CLKB, CEA, CEB, OCEA, OCEB, RESETA, RESETB
);
  wire [35:0] read_a, read_b;
  weir_gowin_memory #(.BYTE(8), .WIDTH_A(BIT_WIDTH_0), .WIDTH_B(BIT_WIDTH_1), .MODE_A(WRITE_MODE0), .MODE_B(WRITE_MODE1),
    .PIPELINE_A(READ_MODE0), .PIPELINE_B(READ_MODE1), .BLK_SEL(BLK_SEL_0 | BLK_SEL_1), .RESET_MODE(RESET_MODE),
    .CONTENTS(`WEIR_GOWIN_ALL)
  ) u (CLKA, CEA & ~|BLKSELA, OCEA, WREA, RESETA, ADA, {20'b0, DIA}, read_a,
    CLKB, CEB & ~|BLKSELB, OCEB, WREB, RESETB, ADB, {20'b0, DIB}, read_b);
  assign DOA = read_a[15:0];
  assign DOB = read_b[15:0];
endmodule

module SPX9 #(
  parameter READ_MODE = 0, parameter WRITE_MODE = 0, parameter BIT_WIDTH = 36, parameter BLK_SEL = 0, parameter RESET_MODE = "SYNC",
  `WEIR_GOWIN_CONTENTS(288)
) (
  output wire [35:0] DO,
  input  wire [35:0] DI,
  input  wire [2:0] BLKSEL,
  input  wire [13:0] AD,
  input  wire WRE, CLK, CE, OCE, RESET
);
  wire [35:0] read, unused;
  weir_gowin_memory #(.BYTE(9), .WIDTH_A(BIT_WIDTH), .MODE_A(WRITE_MODE), .PIPELINE_A(READ_MODE), .BLK_SEL(BLK_SEL),
    .RESET_MODE(RESET_MODE), .CONTENTS(`WEIR_GOWIN_ALL)
  ) u (CLK, CE & ~|BLKSEL, OCE, WRE, RESET, AD, DI, read, 1'b0, 1'b0, 1'b0, 1'b0, 1'b0, 14'b0, 36'b0, unused);
  assign DO = read[35:0];
endmodule

// A writes when it is enabled, B reads.
module SDPX9B #(
  parameter READ_MODE = 0, parameter BIT_WIDTH_0 = 36, parameter BIT_WIDTH_1 = 36, parameter BLK_SEL_0 = 0, parameter BLK_SEL_1 = 0,
  parameter RESET_MODE = "SYNC",
  `WEIR_GOWIN_CONTENTS(288)
) (
  output wire [35:0] DO,
  input  wire [35:0] DI,
  input  wire [2:0] BLKSELA, BLKSELB,
  input  wire [13:0] ADA, ADB,
  input  wire CLKA, CLKB, CEA, CEB, OCE, RESET, RESETA, RESETB // of the port that reads: RESET, of later Yosys RESETB
);
  wire [35:0] read, unused;
  weir_gowin_memory #(.BYTE(9), .WIDTH_A(BIT_WIDTH_0), .WIDTH_B(BIT_WIDTH_1), .PIPELINE_B(READ_MODE), .BLK_SEL(BLK_SEL_0 | BLK_SEL_1),
    .RESET_MODE(RESET_MODE), .CONTENTS(`WEIR_GOWIN_ALL)
  ) u (CLKA, CEA & ~|BLKSELA, 1'b0, 1'b1, 1'b0, ADA, DI, unused,
    CLKB, CEB & ~|BLKSELB, OCE, 1'b0, RESET === 1'b1 || RESETB === 1'b1, ADB, 36'b0, read);
  assign DO = read[35:0];
endmodule

module DPX9B #(
  parameter READ_MODE0 = 0, parameter READ_MODE1 = 0, parameter WRITE_MODE0 = 0, parameter WRITE_MODE1 = 0,
  parameter BIT_WIDTH_0 = 18, parameter BIT_WIDTH_1 = 18, parameter BLK_SEL_0 = 0, parameter BLK_SEL_1 = 0, parameter RESET_MODE = "SYNC",
  `WEIR_GOWIN_CONTENTS(288)
) (
  output wire [17:0] DOA, DOB,
  input  wire [17:0] DIA, DIB,
  input  wire [2:0] BLKSELA, BLKSELB,
  input  wire [13:0] ADA, ADB,
  input  wire WREA, WREB, CLKA, CLKB, CEA, CEB, OCEA, OCEB, RESETA, RESETB
);
  wire [35:0] read_a, read_b;
  weir_gowin_memory #(.BYTE(9), .WIDTH_A(BIT_WIDTH_0), .WIDTH_B(BIT_WIDTH_1), .MODE_A(WRITE_MODE0), .MODE_B(WRITE_MODE1),
    .PIPELINE_A(READ_MODE0), .PIPELINE_B(READ_MODE1), .BLK_SEL(BLK_SEL_0 | BLK_SEL_1), .RESET_MODE(RESET_MODE),
    .CONTENTS(`WEIR_GOWIN_ALL)
  ) u (CLKA, CEA & ~|BLKSELA, OCEA, WREA, RESETA, ADA, {18'b0, DIA}, read_a,
    CLKB, CEB & ~|BLKSELB, OCEB, WREB, RESETB, ADB, {18'b0, DIB}, read_b);
  assign DOA = read_a[17:0];
  assign DOB = read_b[17:0];
endmodule

`undef WEIR_GOWIN_CONTENTS
`undef WEIR_GOWIN_ALL

// A product of two factors, each signed or not. With registers, or factors of the cell beside it, it is none that Yosys
// makes.
module weir_gowin_product #(
  parameter integer W = 9
) (
  input  wire [W-1:0]   A, B,
  input  wire           ASIGN, BSIGN, ASEL, BSEL,
  output wire [2*W-1:0] DOUT
);
  wire signed [W:0]     a       = {ASIGN && A[W-1], A};
  wire signed [W:0]     b       = {BSIGN && B[W-1], B};
  wire signed [2*W+1:0] product = a * b;
  assign DOUT = ASEL || BSEL ? {2*W{1'bx}} : product[2*W-1:0];
endmodule

module MULT9X9 #(
  parameter [0:0] AREG = 1'b0, BREG = 1'b0, OUT_REG = 1'b0, PIPE_REG = 1'b0, ASIGN_REG = 1'b0, BSIGN_REG = 1'b0, SOA_REG = 1'b0,
  parameter       MULT_RESET_MODE = "SYNC"
) (
  input  wire [8:0] A, SIA, B, SIB,
  input  wire ASIGN, BSIGN, ASEL, BSEL, CE, CLK, RESET,
  output wire [17:0] DOUT,
  output wire [8:0] SOA, SOB
);
  generate
    if (AREG || BREG || OUT_REG || PIPE_REG || ASIGN_REG || BSIGN_REG || SOA_REG) begin : g_registers
      MULT9X9_is_modelled_without_registers u_error ();
    end
  endgenerate
  weir_gowin_product #(.W(9)) u_product (.A(A), .B(B), .ASIGN(ASIGN), .BSIGN(BSIGN), .ASEL(ASEL), .BSEL(BSEL), .DOUT(DOUT));
  assign SOA = A;
  assign SOB = B;
endmodule

module MULT18X18 #(
  parameter [0:0] AREG = 1'b0, BREG = 1'b0, OUT_REG = 1'b0, PIPE_REG = 1'b0, ASIGN_REG = 1'b0, BSIGN_REG = 1'b0, SOA_REG = 1'b0,
  parameter       MULT_RESET_MODE = "SYNC"
) (
  input  wire [17:0] A, SIA, B, SIB,
  input  wire ASIGN, BSIGN, ASEL, BSEL, CE, CLK, RESET,
  output wire [35:0] DOUT,
  output wire [17:0] SOA, SOB
);
  generate
    if (AREG || BREG || OUT_REG || PIPE_REG || ASIGN_REG || BSIGN_REG || SOA_REG) begin : g_registers
      MULT18X18_is_modelled_without_registers u_error ();
    end
  endgenerate
  weir_gowin_product #(.W(18)) u_product (.A(A), .B(B), .ASIGN(ASIGN), .BSIGN(BSIGN), .ASEL(ASEL), .BSEL(BSEL), .DOUT(DOUT));
  assign SOA = A;
  assign SOB = B;
endmodule

module MULT36X36 #(
  parameter [0:0] AREG = 1'b0, BREG = 1'b0, OUT0_REG = 1'b0, OUT1_REG = 1'b0, PIPE_REG = 1'b0, ASIGN_REG = 1'b0, BSIGN_REG = 1'b0,
  parameter       MULT_RESET_MODE = "SYNC"
) (
  input  wire [35:0] A, B,
  input  wire ASIGN, BSIGN, CE, CLK, RESET,
  output wire [71:0] DOUT
);
  generate
    if (AREG || BREG || OUT0_REG || OUT1_REG || PIPE_REG || ASIGN_REG || BSIGN_REG) begin : g_registers
      MULT36X36_is_modelled_without_registers u_error ();
    end
  endgenerate
  weir_gowin_product #(.W(36)) u_product (.A(A), .B(B), .ASIGN(ASIGN), .BSIGN(BSIGN), .ASEL(1'b0), .BSEL(1'b0), .DOUT(DOUT));
endmodule

`default_nettype wire

// Pads.
module IBUF (input wire I, output wire O);
  assign O = I;
endmodule

module OBUF (input wire I, output wire O);
  assign O = I;
endmodule
