// The cells that Yosys' synth_ecp5 maps to, for simulating netlists: what each does, without delays. Written from
// Lattice FPGA-DS-02012 (family), FPGA-TN-02204 (memory) and FPGA-TN-02205 (sysDSP). Yosys' own ecp5/cells_sim.v has no
// bodies for the memory and the multiplier.
//
// Registers and memories start as after configuration; the global set/reset (GSR) never comes afterwards. What is not
// modelled stops the elaboration with the name of what is missing.

`default_nettype none

// Halves of the table, not an index: where both agree an unknown input does not matter.
module LUT4 #(
  parameter [15:0] INIT = 16'h0000
) (
  input  wire A, B, C, D,
  output wire Z
);
  wire [7:0] d = D ? INIT[15:8] : INIT[7:0];
  wire [3:0] c = C ? d[7:4] : d[3:0];
  wire [1:0] b = B ? c[3:2] : c[1:0];
  assign Z = A ? b[1] : b[0];
endmodule

module PFUMX (
  input  wire ALUT, BLUT, C0,
  output wire Z
);
  assign Z = C0 ? ALUT : BLUT;
endmodule

module L6MUX21 (
  input  wire D0, D1, SD,
  output wire Z
);
  assign Z = SD ? D1 : D0;
endmodule

// Two bits of a carry chain. A half's lookup table generates a sum bit; where it is 0 the lower quarter of its table,
// at A and B, says what is carried on. INJECT1: the half takes no carry in.
module CCU2C #(
  parameter [15:0] INIT0 = 16'h0000,
  parameter [15:0] INIT1 = 16'h0000,
  parameter INJECT1_0 = "YES",
  parameter INJECT1_1 = "YES"
) (
  input  wire CIN,
  input  wire A0, B0, C0, D0, A1, B1, C1, D1,
  output wire S0, S1, COUT
);
  wire p0, p1, q0, q1;
  LUT4 #(INIT0) u_p0 (A0, B0, C0, D0, p0);
  LUT4 #(INIT1) u_p1 (A1, B1, C1, D1, p1);
  LUT4 #({12'b0, INIT0[3:0]}) u_q0 (A0, B0, 1'b0, 1'b0, q0);
  LUT4 #({12'b0, INIT1[3:0]}) u_q1 (A1, B1, 1'b0, 1'b0, q1);
  wire g0 = INJECT1_0 != "YES" & q0;
  wire g1 = INJECT1_1 != "YES" & q1;
  wire carry = p0 ? CIN : g0;
  assign S0 = p0 ^ (INJECT1_0 != "YES" & CIN);
  assign S1 = p1 ^ (INJECT1_1 != "YES" & carry);
  assign COUT = p1 ? carry : g1;
endmodule

module TRELLIS_FF #(
  parameter GSR = "ENABLED",
  parameter CEMUX = "1",
  parameter CLKMUX = "CLK",
  parameter LSRMUX = "LSR",
  parameter SRMODE = "LSR_OVER_CE",
  parameter REGSET = "RESET",
  parameter LSRMODE = "LSR"
) (
  input  wire CLK, LSR, CE, DI, M,
  output reg  Q
);
  localparam VALUE = REGSET == "SET";
  wire clk = CLKMUX == "INV" ? !CLK : CLK;
  wire reset = LSRMUX == "INV" ? !LSR : LSR;
  wire enable = CEMUX == "1" ? 1'b1 : CEMUX == "0" ? 1'b0 : CEMUX == "INV" ? !CE : CE;
  initial Q = VALUE;
  generate
    if (LSRMODE != "LSR") begin : g_mode
      TRELLIS_FF_is_modelled_with_LSRMODE_LSR_only u_error ();
    end
    if (SRMODE == "ASYNC") begin : g_async
      always @(posedge clk or posedge reset) begin
        if (reset) Q <= VALUE;
        else if (enable) Q <= DI;
      end
    end else begin : g_sync
      always @(posedge clk) begin
        if (reset) Q <= VALUE;
        else if (enable) Q <= DI;
      end
    end
  endgenerate
endmodule

module TRELLIS_DPR16X4 #(
  parameter WCKMUX = "WCK",
  parameter WREMUX = "WRE",
  parameter [63:0] INITVAL = 64'h0
) (
  input  wire [3:0] DI, WAD, RAD,
  input  wire       WRE, WCK,
  output wire [3:0] DO
);
  reg [3:0] mem [0:15];
  wire clk = WCKMUX == "INV" ? !WCK : WCK;
  wire write = WREMUX == "1" ? 1'b1 : WREMUX == "0" ? 1'b0 : WREMUX == "INV" ? !WRE : WRE;
  integer i;
  initial for (i = 0; i < 16; i = i + 1) mem[i] = INITVAL[4*i +: 4];
  always @(posedge clk) if (write) mem[WAD] <= DI;
  assign DO = mem[RAD];
endmodule

// A register stage of a multiplier, or none: which of four clocks, enables and resets it has.
module weir_ecp5_stage #(
  parameter WIDTH = 18,
  parameter CLK = "NONE",
  parameter CE = "CE0",
  parameter RST = "RST0",
  parameter RESETMODE = "SYNC"
) (
  input  wire [3:0]       clk, ce, rst,
  input  wire [WIDTH-1:0] d,
  output wire [WIDTH-1:0] q
);
  localparam CLK_AT = CLK == "CLK3" ? 3 : CLK == "CLK2" ? 2 : CLK == "CLK1" ? 1 : 0;
  localparam CE_AT = CE == "CE3" ? 3 : CE == "CE2" ? 2 : CE == "CE1" ? 1 : 0;
  localparam RST_AT = RST == "RST3" ? 3 : RST == "RST2" ? 2 : RST == "RST1" ? 1 : 0;
  generate
    if (CLK == "NONE") begin : g_none
      assign q = d;
    end else begin : g_register
      reg [WIDTH-1:0] value = {WIDTH{1'b0}};
      wire c = clk[CLK_AT];
      if (RESETMODE == "ASYNC") begin : g_async
        always @(posedge c or posedge rst[RST_AT]) begin
          if (rst[RST_AT]) value <= {WIDTH{1'b0}};
          else if (ce[CE_AT]) value <= d;
        end
      end else begin : g_sync
        always @(posedge c) begin
          if (rst[RST_AT]) value <= {WIDTH{1'b0}};
          else if (ce[CE_AT]) value <= d;
        end
      end
      assign q = value;
    end
  endgenerate
endmodule

// Multiplier of 18 x 18 bits. Not modelled: chains through the shift inputs (SOURCEA and SOURCEB must be 0), the input
// C. SIGNEDA and SIGNEDB must be constant: their registers are not modelled.
module MULT18X18D #(
  parameter REG_INPUTA_CLK = "NONE", parameter REG_INPUTA_CE = "CE0", parameter REG_INPUTA_RST = "RST0",
  parameter REG_INPUTB_CLK = "NONE", parameter REG_INPUTB_CE = "CE0", parameter REG_INPUTB_RST = "RST0",
  parameter REG_INPUTC_CLK = "NONE", parameter REG_INPUTC_CE = "CE0", parameter REG_INPUTC_RST = "RST0",
  parameter REG_PIPELINE_CLK = "NONE", parameter REG_PIPELINE_CE = "CE0", parameter REG_PIPELINE_RST = "RST0",
  parameter REG_OUTPUT_CLK = "NONE", parameter REG_OUTPUT_CE = "CE0", parameter REG_OUTPUT_RST = "RST0",
  parameter CLK0_DIV = "ENABLED", parameter CLK1_DIV = "ENABLED", parameter CLK2_DIV = "ENABLED", parameter CLK3_DIV = "ENABLED",
  parameter HIGHSPEED_CLK = "NONE",
  parameter GSR = "ENABLED",
  parameter CAS_MATCH_REG = "FALSE",
  parameter SOURCEB_MODE = "B_SHIFT",
  parameter MULT_BYPASS = "DISABLED",
  parameter RESETMODE = "SYNC"
) (
  input  wire A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17,
  input  wire B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11, B12, B13, B14, B15, B16, B17,
  input  wire C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13, C14, C15, C16, C17,
  input  wire SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  input  wire CLK0, CLK1, CLK2, CLK3,
  input  wire CE0, CE1, CE2, CE3,
  input  wire RST0, RST1, RST2, RST3,
  output wire P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16, P17, P18, P19, P20, P21, P22, P23, P24,
              P25, P26, P27, P28, P29, P30, P31, P32, P33, P34, P35
);
  wire [17:0] a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
  wire [17:0] b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
  wire [3:0] clk = {CLK3, CLK2, CLK1, CLK0};
  wire [3:0] ce = {CE3, CE2, CE1, CE0};
  wire [3:0] rst = {RST3, RST2, RST1, RST0};
  wire [17:0] a_in, b_in;
  wire signed [18:0] a_value = {SIGNEDA & a_in[17], a_in};
  wire signed [18:0] b_value = {SIGNEDB & b_in[17], b_in};
  wire signed [37:0] product = a_value * b_value;
  wire [35:0] pipeline, p;

  generate
    if (HIGHSPEED_CLK != "NONE" || MULT_BYPASS != "DISABLED" || REG_INPUTC_CLK != "NONE") begin : g_mode
      MULT18X18D_is_modelled_without_HIGHSPEED_CLK_MULT_BYPASS_and_INPUTC u_error ();
    end
  endgenerate

  weir_ecp5_stage #(18, REG_INPUTA_CLK, REG_INPUTA_CE, REG_INPUTA_RST, RESETMODE) u_a (clk, ce, rst, a, a_in);
  weir_ecp5_stage #(18, REG_INPUTB_CLK, REG_INPUTB_CE, REG_INPUTB_RST, RESETMODE) u_b (clk, ce, rst, b, b_in);
  weir_ecp5_stage #(36, REG_PIPELINE_CLK, REG_PIPELINE_CE, REG_PIPELINE_RST, RESETMODE) u_pipeline (
    clk, ce, rst, SOURCEA | SOURCEB ? 36'bx : product[35:0], pipeline);
  weir_ecp5_stage #(36, REG_OUTPUT_CLK, REG_OUTPUT_CE, REG_OUTPUT_RST, RESETMODE) u_output (clk, ce, rst, pipeline, p);
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15, P14, P13, P12,
              P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = p;
endmodule

// Block RAM of 18 kbit: 1,024 words of 18 bits, which narrower ports address in parts: 9 bits, of which 4, 2 and 1 bits
// wide ports leave the ninth alone. A port 18 bits wide has byte enables where others have the low address bits.
// DATA_WIDTH_A = 36 is the pseudo dual port: A writes 36 bits, B reads, the low word at DOA. NORMAL: what was read
// stays while the port writes. RST clears what was read, whether or not the port is enabled. A word that one port
// writes and the other reads: the old one.
module DP16KD #(
  parameter DATA_WIDTH_A = 18, parameter DATA_WIDTH_B = 18,
  parameter REGMODE_A = "NOREG", parameter REGMODE_B = "NOREG",
  parameter RESETMODE = "SYNC", parameter ASYNC_RESET_RELEASE = "SYNC",
  parameter CSDECODE_A = "0b000", parameter CSDECODE_B = "0b000",
  parameter WRITEMODE_A = "NORMAL", parameter WRITEMODE_B = "NORMAL",
  parameter CLKAMUX = "CLKA", parameter CLKBMUX = "CLKB",
  parameter GSR = "ENABLED", parameter WID = 0,
  parameter [319:0] INITVAL_00 = 0, parameter [319:0] INITVAL_01 = 0, parameter [319:0] INITVAL_02 = 0,
  parameter [319:0] INITVAL_03 = 0, parameter [319:0] INITVAL_04 = 0, parameter [319:0] INITVAL_05 = 0,
  parameter [319:0] INITVAL_06 = 0, parameter [319:0] INITVAL_07 = 0, parameter [319:0] INITVAL_08 = 0,
  parameter [319:0] INITVAL_09 = 0, parameter [319:0] INITVAL_0A = 0, parameter [319:0] INITVAL_0B = 0,
  parameter [319:0] INITVAL_0C = 0, parameter [319:0] INITVAL_0D = 0, parameter [319:0] INITVAL_0E = 0,
  parameter [319:0] INITVAL_0F = 0, parameter [319:0] INITVAL_10 = 0, parameter [319:0] INITVAL_11 = 0,
  parameter [319:0] INITVAL_12 = 0, parameter [319:0] INITVAL_13 = 0, parameter [319:0] INITVAL_14 = 0,
  parameter [319:0] INITVAL_15 = 0, parameter [319:0] INITVAL_16 = 0, parameter [319:0] INITVAL_17 = 0,
  parameter [319:0] INITVAL_18 = 0, parameter [319:0] INITVAL_19 = 0, parameter [319:0] INITVAL_1A = 0,
  parameter [319:0] INITVAL_1B = 0, parameter [319:0] INITVAL_1C = 0, parameter [319:0] INITVAL_1D = 0,
  parameter [319:0] INITVAL_1E = 0, parameter [319:0] INITVAL_1F = 0, parameter [319:0] INITVAL_20 = 0,
  parameter [319:0] INITVAL_21 = 0, parameter [319:0] INITVAL_22 = 0, parameter [319:0] INITVAL_23 = 0,
  parameter [319:0] INITVAL_24 = 0, parameter [319:0] INITVAL_25 = 0, parameter [319:0] INITVAL_26 = 0,
  parameter [319:0] INITVAL_27 = 0, parameter [319:0] INITVAL_28 = 0, parameter [319:0] INITVAL_29 = 0,
  parameter [319:0] INITVAL_2A = 0, parameter [319:0] INITVAL_2B = 0, parameter [319:0] INITVAL_2C = 0,
  parameter [319:0] INITVAL_2D = 0, parameter [319:0] INITVAL_2E = 0, parameter [319:0] INITVAL_2F = 0,
  parameter [319:0] INITVAL_30 = 0, parameter [319:0] INITVAL_31 = 0, parameter [319:0] INITVAL_32 = 0,
  parameter [319:0] INITVAL_33 = 0, parameter [319:0] INITVAL_34 = 0, parameter [319:0] INITVAL_35 = 0,
  parameter [319:0] INITVAL_36 = 0, parameter [319:0] INITVAL_37 = 0, parameter [319:0] INITVAL_38 = 0,
  parameter [319:0] INITVAL_39 = 0, parameter [319:0] INITVAL_3A = 0, parameter [319:0] INITVAL_3B = 0,
  parameter [319:0] INITVAL_3C = 0, parameter [319:0] INITVAL_3D = 0, parameter [319:0] INITVAL_3E = 0,
  parameter [319:0] INITVAL_3F = 0
) (
  input  wire DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16, DIA17,
  input  wire ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
  input  wire CEA, OCEA, CLKA, WEA, RSTA, CSA0, CSA1, CSA2,
  output wire DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8, DOA9, DOA10, DOA11, DOA12, DOA13, DOA14, DOA15, DOA16, DOA17,
  input  wire DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8, DIB9, DIB10, DIB11, DIB12, DIB13, DIB14, DIB15, DIB16, DIB17,
  input  wire ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
  input  wire CEB, OCEB, CLKB, WEB, RSTB, CSB0, CSB1, CSB2,
  output wire DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16, DOB17
);
  wire [13:0] ad_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [17:0] di_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2,
              DIA1, DIA0};
  wire [13:0] ad_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  wire [17:0] di_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2,
              DIB1, DIB0};
  wire clk_a = CLKAMUX == "INV" ? !CLKA : CLKA;
  wire clk_b = CLKBMUX == "INV" ? !CLKB : CLKB;
  wire on_a = CEA & ~(CSA0 | CSA1 | CSA2);
  wire on_b = CEB & ~(CSB0 | CSB1 | CSB2);

  generate
    if (CSDECODE_A != "0b000" || CSDECODE_B != "0b000") begin : g_select
      DP16KD_is_modelled_with_CSDECODE_0b000_only u_error ();
    end
    if (DATA_WIDTH_B == 36 && DATA_WIDTH_A != 36) begin : g_width
      DP16KD_reads_36_bits_where_DATA_WIDTH_A_is_36_only u_error ();
    end
  endgenerate

  reg [17:0] mem [0:1023];
  wire [20479:0] contents = {INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
              INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30, INITVAL_2F,
              INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28, INITVAL_27, INITVAL_26,
              INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E, INITVAL_1D,
              INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14,
              INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10, INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B,
              INITVAL_0A, INITVAL_09, INITVAL_08, INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02,
              INITVAL_01, INITVAL_00};
  integer word;
  initial for (word = 0; word < 1024; word = word + 1) mem[word] = contents[20*word +: 18];

  // The bits of a word that a port of this width reads, low; and the word with the port's data in it.
  function [17:0] part(input integer width, input [13:0] ad, input [17:0] from);
    case (width)
      1: part = from[9*ad[3] + 4*ad[2] + 2*ad[1] + ad[0] +: 1];
      2: part = from[9*ad[3] + 4*ad[2] + 2*ad[1] +: 2];
      4: part = from[9*ad[3] + 4*ad[2] +: 4];
      9: part = from[9*ad[3] +: 9];
      default: part = from;
    endcase
  endfunction
  function [17:0] merge(input integer width, input [13:0] ad, input [17:0] from, input [17:0] di);
    begin
      merge = from;
      case (width)
        1: merge[9*ad[3] + 4*ad[2] + 2*ad[1] + ad[0]] = di[0];
        2: merge[9*ad[3] + 4*ad[2] + 2*ad[1] +: 2] = di[1:0];
        4: merge[9*ad[3] + 4*ad[2] +: 4] = di[3:0];
        9: merge[9*ad[3] +: 9] = di[8:0];
        default: merge = {ad[1] ? di[17:9] : from[17:9], ad[0] ? di[8:0] : from[8:0]};
      endcase
    end
  endfunction

  reg [17:0] read_a = 18'b0, read_b = 18'b0;
  wire [17:0] old_a = mem[ad_a[13:4]], old_b = mem[ad_b[13:4]];
  wire [17:0] new_a = merge(DATA_WIDTH_A, ad_a, old_a, di_a), new_b = merge(DATA_WIDTH_B, ad_b, old_b, di_b);
  reg [17:0] out_a = 18'b0, out_b = 18'b0;
  wire async_a = RESETMODE == "ASYNC" && RSTA, async_b = RESETMODE == "ASYNC" && RSTB;

  generate
    if (DATA_WIDTH_A == 36) begin : g_pseudo
      wire [9:0] low = {ad_a[13:5], 1'b0}, high = {ad_a[13:5], 1'b1};
      wire [9:0] first = {ad_b[13:5], 1'b0}, second = {ad_b[13:5], 1'b1};
      always @(posedge clk_a) if (on_a & WEA) begin
        mem[low] <= merge(18, {12'b0, ad_a[1:0]}, mem[low], di_a);
        mem[high] <= merge(18, {12'b0, ad_a[3:2]}, mem[high], di_b);
      end
      always @(posedge clk_b or posedge async_b) begin
        if (RSTB) begin
          read_a <= 18'b0;
          read_b <= 18'b0;
        end else if (on_b) begin
          read_a <= mem[first];
          read_b <= DATA_WIDTH_B == 36 ? mem[second] : part(DATA_WIDTH_B, ad_b, old_b);
        end
      end
      always @(posedge clk_b or posedge async_b) begin
        if (RSTB) begin
          out_a <= 18'b0;
          out_b <= 18'b0;
        end else if (OCEB) begin
          out_a <= read_a;
          out_b <= read_b;
        end
      end
    end else begin : g_true
      always @(posedge clk_a) if (on_a & WEA) mem[ad_a[13:4]] <= new_a;
      always @(posedge clk_a or posedge async_a) begin
        if (RSTA) read_a <= 18'b0;
        else if (on_a & !WEA) read_a <= part(DATA_WIDTH_A, ad_a, old_a);
        else if (on_a && WRITEMODE_A == "WRITETHROUGH") read_a <= part(DATA_WIDTH_A, ad_a, new_a);
        else if (on_a && WRITEMODE_A == "READBEFOREWRITE") read_a <= part(DATA_WIDTH_A, ad_a, old_a);
      end
      always @(posedge clk_a or posedge async_a) begin
        if (RSTA) out_a <= 18'b0;
        else if (OCEA) out_a <= read_a;
      end
      always @(posedge clk_b) if (on_b & WEB) mem[ad_b[13:4]] <= new_b;
      always @(posedge clk_b or posedge async_b) begin
        if (RSTB) read_b <= 18'b0;
        else if (on_b & !WEB) read_b <= part(DATA_WIDTH_B, ad_b, old_b);
        else if (on_b && WRITEMODE_B == "WRITETHROUGH") read_b <= part(DATA_WIDTH_B, ad_b, new_b);
        else if (on_b && WRITEMODE_B == "READBEFOREWRITE") read_b <= part(DATA_WIDTH_B, ad_b, old_b);
      end
      always @(posedge clk_b or posedge async_b) begin
        if (RSTB) out_b <= 18'b0;
        else if (OCEB) out_b <= read_b;
      end
    end
  endgenerate

  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} =
              REGMODE_A == "OUTREG" ? out_a : read_a;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} =
              REGMODE_B == "OUTREG" ? out_b : read_b;
endmodule

`default_nettype wire
