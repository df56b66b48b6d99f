/* modules SEED COUNT FOLDER: FOLDER/modules.v, a module of random parts, with the contents of its memories, and
 * FOLDER/bench.v, which compares it with its netlist, the module `mapped`. Parts are products of both signs and all
 * widths with 0 to 2 registers in front and 0 to 3 behind, some with constant bits in operands, comparisons of all
 * kinds, and block RAMs of many shapes with one port and two, with 0 to 2 registers behind. Enables differ, others read
 * in between, registers have resets and initial values: often enough some have to stay where they are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUTS = 64 };

static uint64_t state;

/* SplitMix64 (Steele, Lea, Flood). */
static uint64_t draw(void) {
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int between(int low, int high) { return low + (int)(draw() % (uint64_t)(high - low + 1)); }
static int one_in(int count) { return between(1, count) == 1; }

static const char *draw_enable(void) {
    static const char *const text[] = {"1'b1", "1'b1", "e0", "e1", "e0 & e2"};
    return text[between(0, 4)];
}

/* The register NAMEPART_STAGE behind the stage before. */
static void stage(FILE *f, const char *name, int part, int at, int width, const char *enable) {
    int odd = one_in(12), reset = one_in(12);
    fprintf(f, "  reg [%d:0] %s%d_%d = %d;\n  always @(posedge clk)", width - 1, name, part, at, odd);
    if (reset) fprintf(f, " if (rs) %s%d_%d <= 0; else", name, part, at);
    fprintf(f, " if (%s) %s%d_%d <= %s%d_%d;\n", enable, name, part, at, name, part, at - 1);
}

/* Stages 1 to `count`, NAMEPART is the last, with `ones` and `zeros` in it; a bit in between is read, as
 * tapNAMEPART. */
static void stages_with(FILE *f, const char *name, int part, int count, int width, const char *enable, int own,
                        int zeros, int ones) {
    int tap = one_in(5) ? between(0, count) : -1;
    for (int i = 1; i <= count; i++) {
        const char *drawn = draw_enable();
        stage(f, name, part, i, width, own ? drawn : enable);
    }
    fprintf(f, "  wire [%d:0] %s%d = %s%d_%d & ~%d'd%d | %d'd%d;\n", width - 1, name, part, name, part, count, width,
            zeros, width, ones);
    if (tap < 0) fprintf(f, "  wire tap_%s%d = 0;\n", name, part);
    else fprintf(f, "  wire tap_%s%d = ^%s%d_%d;\n", name, part, name, part, tap);
}

static void stages(FILE *f, const char *name, int part, int count, int width, const char *enable, int own) {
    stages_with(f, name, part, count, width, enable, own, 0, 0);
}

/* Some or all bits are constant in one of three. */
static void operand(FILE *f, const char *name, int part, int count, int width, const char *enable) {
    const int all = (1 << width) - 1;
    int constant = one_in(3) ? (one_in(3) ? all : between(0, all)) : 0;
    fprintf(f, "  wire [%d:0] %s%d_0 = in[%d +: %d];\n", width - 1, name, part, between(0, INPUTS - width), width);
    stages_with(f, name, part, count, width, enable, 0, constant, constant & between(0, all));
}

static void product(FILE *f, int part) {
    int a_width = between(5, 18), b_width = between(5, 18), is_signed = between(0, 1), square = one_in(8);
    int before = between(0, 2), b_before = one_in(6) ? between(0, 2) : before, behind = between(0, 3), own = one_in(2);
    const char *enable = draw_enable(), *drawn = draw_enable(), *b_enable = one_in(3) ? drawn : enable;
    operand(f, "a", part, before, a_width, enable);
    operand(f, "b", part, b_before, b_width, b_enable);
    if (square) b_width = a_width;
    const char *sign = is_signed ? "$signed" : "";
    fprintf(f, "  wire [%d:0] p%d_0 = %s(a%d) * %s(%s%d);\n", a_width + b_width - 1, part, sign, part, sign,
            square ? "a" : "b", part);
    stages(f, "p", part, behind, a_width + b_width, draw_enable(), own);
    fprintf(f, "  assign out[%d +: 40] = p%d ^ {tap_p%d, tap_b%d, tap_a%d};\n\n", 40 * part, part, part, part, part);
}

/* Ones in an operand whose register is written together with the other one (part 0), or not (part 1): a register of the
 * block would rest at 0 there. */
static void product_with_ones(FILE *f, int part) {
    fprintf(f, "  reg signed [11:0] a%d = 0, b%d = 0;\n  reg signed [23:0] p%d = 0;\n", part, part, part);
    fprintf(f, "  always @(posedge clk) if (e0) a%d <= in[11:0];\n", part);
    fprintf(f, "  always @(posedge clk) if (e%d) b%d <= in[23:12];\n", part, part);
    fprintf(f, "  always @(posedge clk) p%d <= a%d * (b%d | 12'sd5);\n", part, part, part);
    fprintf(f, "  assign out[%d +: 40] = p%d;\n\n", 40 * part, part);
}

/* Two numbers that are equal often enough, or a number and a constant. */
static void comparison(FILE *f, int part) {
    static const char *const operator[] = {"<", "<=", ">", ">=", "==", "!="};
    int width = between(3, 12), is_signed = between(0, 1), constant = one_in(3);
    const char *sign = is_signed ? "$signed" : "";
    operand(f, "c", part, between(0, 1), width, draw_enable());
    fprintf(f, "  wire [%d:0] d%d = ", width - 1, part);
    if (constant) fprintf(f, "%d;\n", between(0, (1 << width) - 1));
    else fprintf(f, "in[0] ? c%d : in[%d +: %d];\n", part, between(0, INPUTS - width), width);
    fprintf(f, "  assign out[%d +: 40] = {tap_c%d", 40 * part, part);
    for (int i = 0; i < 6; i++) fprintf(f, ", %s(c%d) %s %s(d%d)", sign, part, operator[i], sign, part);
    fprintf(f, "};\n\n");
}

static int write_contents(const char *folder, int part, int depth, int width) {
    char path[4096];
    snprintf(path, sizeof path, "%s/m%d.hex", folder, part);
    FILE *f = fopen(path, "w");
    for (int i = 0; f != NULL && i < depth; i++) fprintf(f, "%llx\n", (unsigned long long)(draw() >> (64 - width)));
    return f == NULL ? EXIT_FAILURE : fclose(f);
}

/* What is written in the same cycle is at another address than what is read. */
static const char *const memory_form[] = {
    "    if (e%d) q%d_0 <= m%d[r%d];\n",
    "    if (we) m%d[w%d] <= d%d;\n    if (e0) q%d_0 <= m%d[r%d];\n",
    "    if (we) m%d[r%d] <= d%d; else q%d_0 <= m%d[r%d];\n",
    "    if (we) begin m%d[r%d] <= d%d; q%d_0 <= d%d; end else q%d_0 <= m%d[r%d];\n",
    "    if (we) m%d[r%d] <= d%d;\n    q%d_0 <= m%d[r%d];\n",
};

static void memory_body(FILE *f, int form, int k) {
    fprintf(f, "  always @(posedge clk) begin\n");
    switch (form) {
    case 0: fprintf(f, memory_form[0], k % 2, k, k, k); break;
    case 1: fprintf(f, memory_form[1], k, k, k, k, k, k); break;
    case 2: fprintf(f, memory_form[2], k, k, k, k, k, k); break;
    case 3: fprintf(f, memory_form[3], k, k, k, k, k, k, k, k); break;
    default: fprintf(f, memory_form[4], k, k, k, k, k, k); break;
    }
    fprintf(f, "  end\n");
}

static int memory(FILE *f, const char *folder, int part) {
    int bits = between(5, 12), width = between(1, bits > 10 ? 12 : 40), form = between(0, 4), behind = between(0, 2);
    if (form == 0 && bits < 9) bits = 9; /* else Yosys builds it of lookup tables */
    fprintf(f, "  (* ram_style = \"block\", no_rw_check *) reg [%d:0] m%d [0:%d];\n", width - 1, part, (1 << bits) - 1);
    fprintf(f, "  initial $readmemh(\"m%d.hex\", m%d);\n", part, part);
    fprintf(f, "  reg [%d:0] q%d_0 = 0;\n", width - 1, part);
    fprintf(f, "  wire [%d:0] r%d = in[%d +: %d];\n", bits - 1, part, between(0, 40), bits);
    fprintf(f, "  wire [%d:0] w%d = {in[%d +: %d], !r%d[0]};\n", bits - 1, part, between(0, 40), bits - 1, part);
    fprintf(f, "  wire [%d:0] d%d = in[%d +: %d];\n", width - 1, part, between(0, INPUTS - width), width);
    memory_body(f, form, part);
    stages(f, "q", part, behind, width, draw_enable(), one_in(2));
    fprintf(f, "  assign out[%d +: 40] = q%d ^ tap_q%d;\n\n", 40 * part, part, part);
    return write_contents(folder, part, 1 << bits, width);
}

static const char bench[] =
    "module bench;\n"
    "  reg clk = 0, e0, e1, e2, we, rs;\n"
    "  reg [%d:0] in;\n"
    "  wire [%d:0] expected, found;\n"
    "  modules u_modules (clk, e0, e1, e2, we, rs, in, expected);\n"
    "  mapped u_mapped (.clk(clk), .e0(e0), .e1(e1), .e2(e2), .we(we), .rs(rs), .in(in), .out(found));\n"
    "  integer i, k, wrong = 0;\n"
    "  initial begin\n"
    "    for (i = 0; i < 300; i = i + 1) begin\n"
    "      in = {$random, $random};\n"
    "      {e0, e1, e2, we} = $random; rs = i %% 64 == 63;\n"
    "      #1 clk = 1;\n"
    "      #1 if (found !== expected) begin\n"
    "        for (k = 0; k < %d; k = k + 1)\n"
    "          if (found[40*k +: 40] !== expected[40*k +: 40] && wrong < 5) begin\n"
    "            $display(\"cycle %%0d, part %%0d: expected %%h, found %%h\", i, k, expected[40*k +: 40], found[40*k +: 40]);\n"
    "            wrong = wrong + 1;\n"
    "          end\n"
    "      end\n"
    "      clk = 0;\n"
    "    end\n"
    "    $display(\"%%0s\", wrong == 0 ? \"equal\" : \"different\");\n"
    "  end\n"
    "endmodule\n";

static int write_modules(const char *folder, int count) {
    char path[4096];
    int status = EXIT_SUCCESS;
    snprintf(path, sizeof path, "%s/modules.v", folder);
    FILE *f = fopen(path, "w");
    if (f == NULL) return EXIT_FAILURE;
    fprintf(f, "module modules(input clk, e0, e1, e2, we, rs, input [%d:0] in, output [%d:0] out);\n", INPUTS - 1,
            40 * count - 1);
    for (int i = 0; i < count && status == EXIT_SUCCESS; i++) {
        if (i < 2) product_with_ones(f, i);
        else if (one_in(3)) status = memory(f, folder, i);
        else if (one_in(3)) comparison(f, i);
        else product(f, i);
    }
    fprintf(f, "endmodule\n");
    return fclose(f) == 0 ? status : EXIT_FAILURE;
}

static int write_bench(const char *folder, int count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/bench.v", folder);
    FILE *f = fopen(path, "w");
    if (f != NULL) fprintf(f, bench, INPUTS - 1, 40 * count - 1, count);
    return f != NULL && fclose(f) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: modules SEED COUNT FOLDER\n");
        return 2;
    }
    state = (uint64_t)strtoull(argv[1], NULL, 10);
    int count = atoi(argv[2]), status = write_modules(argv[3], count);
    return status == EXIT_SUCCESS ? write_bench(argv[3], count) : status;
}
