/* Do infix expressions of the text form mean what Verilog makes of the same characters? usage: check_precedence WORK
 * SEED [--planted]. Random chains of operators are read by the text form, whose one form has every operation in
 * brackets, and Icarus compares both on random values: as written, and as read. So it is Icarus' table of precedences
 * and not ours that decides. Operands of a chain have one width, 1 or 8, so that every reading of it has a type. With
 * --planted one chain is written with brackets where they do not belong, which must be noticed. Exit status 77 without
 * Icarus. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rtlir/text/text.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"

enum { CHAINS = 200, VALUES = 40, LONGEST = 6, DEEPEST = 3 };

static const char *const wide[] = {"+", "-", "*", "&", "|", "^", "<<", ">>", "+", "-", "**", "/", "%"};
static const char *const narrow[] = {
    "+", "*", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!", "&&", "||", "!=", "**", "?"};
static const char *const wide_unary[] = {"~", "-"};
static const char *const narrow_unary[] = {"~", "-", "!", "&", "|", "^"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct generator {
    uint64_t state;
    weir_text own, reference; /* the same chain for both readers */
    bool is_wide;
    bool has_amount; /* a shift or a power came before: what follows has no width but its own */
} generator;

static size_t draw(generator *g, size_t below) {
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)((g->state >> 33) % below);
}

static void both(generator *g, const char *text) {
    weir_text_add(&g->own, text);
    weir_text_add(&g->reference, text);
}

static void add_chain(generator *g, int depth);

/* Verilog takes one unary operator in front of an operand without brackets, the text form any number. */
static void add_operand(generator *g, int depth) {
    size_t unaries = draw(g, 3);
    unaries = unaries == 2 ? draw(g, 3) : 0;
    for (size_t i = 0; i < unaries; i++) {
        const char *op =
            g->is_wide ? wide_unary[draw(g, COUNT(wide_unary))] : narrow_unary[draw(g, COUNT(narrow_unary))];
        both(g, op);
        weir_text_add(&g->reference, "(");
    }
    if (depth < DEEPEST && draw(g, 4) == 0) {
        both(g, "(");
        add_chain(g, depth + 1);
        both(g, ")");
    } else if (g->is_wide && !g->has_amount && draw(g, 6) == 0) {
        size_t value = draw(g, 100);
        weir_text_format(&g->own, "%s%zu", unaries ? " " : "", value); /* "-5" is a number, "- 5" an operation */
        weir_text_format(&g->reference, "8'd%zu", value);
    } else {
        static const char *const names[2][4] = {{"p", "q", "r", "s"}, {"a", "b", "c", "d"}};
        both(g, names[g->is_wide][draw(g, 4)]);
    }
    for (size_t i = 0; i < unaries; i++) weir_text_add(&g->reference, ")");
}

static void add_chain(generator *g, int depth) {
    size_t length = 1 + draw(g, LONGEST);
    add_operand(g, depth);
    for (size_t i = 0; i < length; i++) {
        const char *op = g->is_wide ? wide[draw(g, COUNT(wide))] : narrow[draw(g, COUNT(narrow))];
        if (*op == '!' && !op[1]) op = "!=";
        if (*op == '<' || *op == '>' || strcmp(op, "**") == 0) g->has_amount = true;
        const char *const space = draw(g, 2) ? " " : "  ";
        both(g, space);
        both(g, op);
        both(g, space);
        add_operand(g, depth);
        if (*op == '?') {
            both(g, " : ");
            add_operand(g, depth);
        }
    }
}

/* The chains as lines of a design and of a bench. */
typedef struct chains {
    weir_text design, bench;
    bool is_planted;
} chains;

static void make_chains(chains *c, uint64_t seed) {
    weir_text body = {0}, declarations = {0};
    for (int i = 0; i < CHAINS; i++) {
        generator g = {.state = seed * 1000 + (uint64_t)i, .is_wide = i % 2};
        draw(&g, 2);
        if (c->is_planted && i == 1) {
            weir_text_add(&g.own, "(a + b) * c");
            weir_text_add(&g.reference, "a + b * c");
        } else {
            add_chain(&g, 0);
        }
        weir_text_format(&declarations, "  output o%d : %d\n", i, g.is_wide ? 8 : 1);
        weir_text_format(&body, "    assign o%d = %s\n", i, g.own.data);
        weir_text_format(&c->bench, "  wire %sr%d = %s;\n", g.is_wide ? "[7:0] " : "", i, g.reference.data);
        weir_text_free(&g.own);
        weir_text_free(&g.reference);
    }
    weir_text_add(&c->design, "wrtl 1\nmodule m {\n");
    for (int i = 0; i < 4; i++) weir_text_format(&c->design, "  input %c : 8\n  input %c : 1\n", 'a' + i, 'p' + i);
    weir_text_format(&c->design, "%s  body {\n%s  }\n}\n", declarations.data, body.data);
    weir_text_free(&body);
    weir_text_free(&declarations);
}

/* What the text form prints is Verilog, every operation being in brackets. */
static bool read_back(chains *c) {
    weir_rtl_design *design = weir_rtl_parse_text(c->design.data, c->design.size, "chains.wrtl");
    if (!design) return false;
    weir_text text = {0};
    weir_rtl_print_text(design, &text);
    weir_rtl_design_free(design);
    const char *at = text.data;
    for (int i = 0; i < CHAINS; i++) {
        at = strstr(at, "    assign o") + strlen("    assign ");
        weir_text_format(&c->bench, "  wire %s%.*s;\n", i % 2 ? "[7:0] " : "", (int)strcspn(at, "\n"), at);
    }
    weir_text_free(&text);
    return true;
}

static void finish_bench(chains *c) {
    weir_text bench = {0};
    weir_text_add(&bench, "module tb;\n  reg [7:0] a, b, c, d;\n  reg p, q, r, s;\n  integer i, seed = 1;\n");
    weir_text_add_n(&bench, c->bench.data, c->bench.size);
    weir_text_format(&bench, "  initial begin\n    for (i = 0; i < %d; i = i + 1) begin\n", VALUES);
    for (int i = 0; i < 4; i++)
        weir_text_format(&bench, "      %c = $random(seed); %c = $random(seed);\n", 'a' + i, 'p' + i);
    weir_text_add(&bench, "      #1;\n");
    for (int i = 0; i < CHAINS; i++)
        weir_text_format(&bench, "      if (o%d !== r%d) $display(\"chain %d: %%b, expected %%b\", o%d, r%d);\n", i, i,
                         i, i, i);
    weir_text_add(&bench, "    end\n    $display(\"done\");\n  end\nendmodule\n");
    weir_text_free(&c->bench);
    c->bench = bench;
}

static bool run(const char *folder, const char *const *arguments, weir_text *output) {
    int status = -1;
    const weir_process process = {.arguments = arguments, .folder = folder, .seconds = 120};
    return weir_process_run(&process, output, &status) == WEIR_PROCESS_EXITED && status == 0;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    if (!weir_process_found("iverilog")) return puts("skipped: no Icarus"), 77;
    chains c = {.is_planted = argc > 3};
    uint64_t seed = strtoull(argv[2], NULL, 10);
    printf("seed %llu\n", (unsigned long long)seed);
    weir_make_folder(argv[1]);
    make_chains(&c, seed);
    if (!read_back(&c)) return 1;
    finish_bench(&c);
    char *path = weir_path_join(argv[1], "tb.v"), *design = weir_path_join(argv[1], "chains.wrtl");
    weir_file_write(path, c.bench.data, c.bench.size);
    weir_file_write(design, c.design.data, c.design.size);
    weir_text output = {0};
    const char *const compile[] = {"iverilog", "-g2005", "-o", "tb.vvp", "tb.v", NULL};
    const char *const simulate[] = {"vvp", "-N", "tb.vvp", NULL};
    bool fine = run(argv[1], compile, &output) && run(argv[1], simulate, &output);
    fine = fine && output.data && strcmp(output.data, "done\n") == 0;
    if (!fine) printf("%.2000s\n", output.data ? output.data : "no output");
    weir_text_free(&output);
    weir_text_free(&c.design);
    weir_text_free(&c.bench);
    free(path);
    free(design);
    return fine == c.is_planted;
}
