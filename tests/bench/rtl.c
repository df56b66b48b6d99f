/* What the hardware IR and the passes over it cost: builds modules of 40 additions and a register each under one top, and
 * prints milliseconds of building, of walks, tables, texts and passes, and the peak of memory.
 *   bench_rtl MODULES [DEPTH]    DEPTH: a chain of so many modules besides
 *   bench_rtl leaves COUNT...    as many modules of one name, half of them equal, told apart by their hashes
 *   bench_rtl chain DEPTH...     a chain of modules of one name, wired by assignments, from elaborated to emitted
 *   bench_rtl content COUNT...   one module of so many copies, bits and ifs, cleaned up */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "pass/context.h"
#include "passes/rtl/rtl.h"
#include "rtlir/print.h"
#include "rtlir/stmt.h"
#include "rtlir/text.h"
#include "rtlir/uses.h"
#include "rtlir/verify.h"
#include "rtlir/visitor.h"
#include "support/arena.h"

enum { ADDITIONS = 40, WIDTH = 16 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void report(const char *what, double *since) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double time = now();
    printf("%-36s %9.2f ms %8.1f MB\n", what, time - *since, (double)usage.ru_maxrss / 1024);
    *since = now();
}

static weir_rtl_module add_leaf(weir_rtl_design *d, int number) {
    char name[32];
    snprintf(name, sizeof name, "leaf_%d", number);
    weir_rtl_module m = weir_rtl_add_module(d, name);
    weir_rtl_var clk = weir_rtl_add_clock(d, m, "clk");
    weir_rtl_expr last = weir_rtl_read(d, weir_rtl_add_input(d, m, "in", WIDTH));
    weir_rtl_expr out = weir_rtl_read(d, weir_rtl_add_output(d, m, "out", WIDTH));
    for (int i = 0; i < ADDITIONS; i++) {
        snprintf(name, sizeof name, "sum_%d", i);
        weir_rtl_expr sum = weir_rtl_read(d, weir_rtl_add_wire(d, m, name, WIDTH));
        weir_rtl_expr step = weir_rtl_constant(d, WIDTH, (uint64_t)(number * 7 + i) % 60000);
        weir_rtl_assign(d, m, sum, weir_rtl_binary(d, WEIR_RTL_ADD, last, step));
        last = sum;
    }
    weir_rtl_expr state = weir_rtl_read(d, weir_rtl_add_register(d, m, "state", WIDTH, false));
    weir_rtl_set_next(d, weir_rtl_add_always(d, m, WEIR_RTL_POSEDGE, clk), state, last);
    weir_rtl_assign(d, m, out, state);
    return m;
}

static weir_rtl_module build(weir_rtl_design *d, int modules) {
    weir_rtl_module top = weir_rtl_add_module(d, "top");
    weir_rtl_expr clk = weir_rtl_read(d, weir_rtl_add_clock(d, top, "clk"));
    weir_rtl_expr last = weir_rtl_read(d, weir_rtl_add_input(d, top, "in", WIDTH));
    weir_rtl_expr out = weir_rtl_read(d, weir_rtl_add_output(d, top, "out", WIDTH));
    for (int i = 0; i < modules; i++) {
        char name[32];
        snprintf(name, sizeof name, "u_%d", i);
        weir_rtl_instance u = weir_rtl_add_instance(d, top, add_leaf(d, i), name);
        snprintf(name, sizeof name, "link_%d", i);
        weir_rtl_expr next = weir_rtl_read(d, weir_rtl_add_wire(d, top, name, WIDTH));
        weir_rtl_connect(d, u, "clk", clk);
        weir_rtl_connect(d, u, "in", last);
        weir_rtl_connect(d, u, "out", next);
        last = next;
    }
    weir_rtl_assign(d, top, out, last);
    return top;
}

static void add_chain(weir_rtl_design *d, weir_rtl_module top, int depth) {
    for (int i = 0; i < depth; i++) {
        char name[32];
        snprintf(name, sizeof name, "link_%d", i);
        weir_rtl_module next = weir_rtl_add_generator(d, "link");
        weir_rtl_add_instance(d, top, next, "u_next");
        top = next;
    }
}

static void count_stmt(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    (void)design, (void)stmt;
    ++*(size_t *)user;
}

static void count_expr(weir_rtl_design *design, weir_rtl_expr expr, weir_rtl_stmt stmt, void *user) {
    (void)design, (void)expr, (void)stmt;
    ++*(size_t *)user;
}

/* ---- passes ---- */

static void must(bool fine) {
    if (!fine) exit(EXIT_FAILURE);
}

/* Runs the passes one after the other on the design, which goes with it, and prints what each takes. */
static void run_passes(weir_rtl_design *d, const char *top, size_t count, const char *const *names) {
    weir_pass_registry *registry = weir_pass_registry_new();
    must(weir_passes_register(registry) && weir_pass_registry_check(registry));
    weir_module *module = weir_module_new("bench");
    weir_module_set_rtl(module, d, top);
    for (size_t i = 0; i < count; i++) {
        weir_pass_context *context = weir_pass_context_new(registry);
        weir_pass *pass = weir_pass_parse(registry, names[i], weir_at("bench", 1));
        double time = now();
        must(pass != NULL && weir_pass_run(context, pass, module));
        report(names[i], &time);
        weir_pass_free(pass);
        weir_pass_context_free(context);
    }
    weir_module_free(module);
    weir_pass_registry_free(registry);
}

/* Of the modules `leaf`, the even ones are equal. */
static void bench_leaves(int count) {
    static const char *const names[] = {"hash_generators", "hash_generators,uniquify_generators", "elaborate"};
    weir_rtl_design *d = weir_rtl_design_new();
    weir_rtl_module top = weir_rtl_add_module(d, "top");
    weir_rtl_expr last = weir_rtl_read(d, weir_rtl_add_input(d, top, "in", WIDTH));
    weir_rtl_expr out = weir_rtl_read(d, weir_rtl_add_output(d, top, "out", WIDTH));
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "u_%d", i);
        weir_rtl_module leaf = weir_rtl_add_generator(d, "leaf");
        weir_rtl_expr x = weir_rtl_read(d, weir_rtl_add_input(d, leaf, "x", WIDTH));
        weir_rtl_expr y = weir_rtl_read(d, weir_rtl_add_output(d, leaf, "y", WIDTH));
        weir_rtl_expr step = weir_rtl_constant(d, WIDTH, i % 2 == 0 ? 0 : (uint64_t)i);
        weir_rtl_assign(d, leaf, y, weir_rtl_binary(d, WEIR_RTL_ADD, x, step));
        weir_rtl_instance u = weir_rtl_add_wired_instance(d, top, leaf, name);
        weir_rtl_assign(d, top, weir_rtl_read_port(d, u, "x"), last);
        last = weir_rtl_read_port(d, u, "y");
    }
    weir_rtl_assign(d, top, out, last);
    printf("%d modules of one name, %d different ones\n", count, count / 2 + 1);
    run_passes(d, "top", sizeof names / sizeof *names, names);
}

static void bench_chain(int depth) {
    static const char *const names[] = {"decouple_generator_ports", "hash_generators", "uniquify_generators",
                                        "create_module_instantiation"};
    weir_rtl_design *d = weir_rtl_design_new();
    weir_rtl_module below = {0};
    for (int i = depth; i >= 0; i--) {
        weir_rtl_module m = weir_rtl_add_generator(d, i == 0 ? "top" : "link");
        weir_rtl_expr x = weir_rtl_read(d, weir_rtl_add_input(d, m, "x", WIDTH));
        weir_rtl_expr y = weir_rtl_read(d, weir_rtl_add_output(d, m, "y", WIDTH));
        weir_rtl_expr sum = weir_rtl_binary(d, WEIR_RTL_ADD, x, weir_rtl_constant(d, WIDTH, 1));
        weir_rtl_instance u = weir_rtl_add_wired_instance(d, m, below, "u_next");
        if (u.id != 0) weir_rtl_assign(d, m, weir_rtl_read_port(d, u, "x"), sum);
        weir_rtl_assign(d, m, y, u.id != 0 ? weir_rtl_read_port(d, u, "y") : sum);
        below = m;
    }
    printf("a chain of %d modules of one name\n", depth);
    run_passes(d, "top", sizeof names / sizeof *names, names);
}

static int bench_each(int argc, char **argv, void (*bench)(int)) {
    for (int i = 2; i < argc; i++) bench(atoi(argv[i]));
    return 0;
}

/* One module: a chain of copies, a copy bit by bit, ifs about one value. */
static void bench_content(int count) {
    static const char *const names[] = {"merge_if_block",         "transform_if_to_case", "remove_fanout_one_wires",
                                        "merge_wire_assignments", "remove_unused_vars",   "rtl_dead_code_elimination"};
    weir_rtl_design *d = weir_rtl_design_new();
    weir_rtl_module top = weir_rtl_add_module(d, "top");
    weir_rtl_expr last = weir_rtl_read(d, weir_rtl_add_input(d, top, "in", WIDTH));
    weir_rtl_expr chooser = weir_rtl_read(d, weir_rtl_add_input(d, top, "chooser", WIDTH));
    weir_rtl_expr bits = weir_rtl_read(d, weir_rtl_add_input(d, top, "bits", (uint32_t)count));
    weir_rtl_expr copy = weir_rtl_read(d, weir_rtl_add_output(d, top, "copy", (uint32_t)count));
    weir_rtl_expr chosen = weir_rtl_read(d, weir_rtl_add_output(d, top, "chosen", 1));
    weir_rtl_expr out = weir_rtl_read(d, weir_rtl_add_output(d, top, "out", WIDTH));
    weir_rtl_block process = weir_rtl_add_combinational(d, top);
    weir_rtl_set_attribute(d, WEIR_RTL_ITEM(weir_rtl_owner(d, process)), "merge_if_block");
    weir_rtl_set(d, process, chosen, weir_rtl_constant(d, 1, 0));
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "link_%d", i);
        weir_rtl_expr next = weir_rtl_read(d, weir_rtl_add_wire(d, top, name, WIDTH));
        weir_rtl_assign(d, top, next, last);
        last = next;
        weir_rtl_assign(d, top, weir_rtl_bit(d, copy, (uint32_t)i), weir_rtl_bit(d, bits, (uint32_t)i));
        weir_rtl_expr label = weir_rtl_constant(d, WIDTH, (uint64_t)i % 60000);
        weir_rtl_stmt branch = weir_rtl_add_if(d, process, weir_rtl_binary(d, WEIR_RTL_EQUAL, chooser, label));
        weir_rtl_set(d, weir_rtl_then(d, branch), chosen, weir_rtl_constant(d, 1, 1));
    }
    weir_rtl_assign(d, top, out, last);
    printf("a module of %d copies, bits and ifs\n", count);
    run_passes(d, "top", sizeof names / sizeof *names, names);
}

/* What runs on the modules of 40 additions. */
static const char *const passes[] = {"remove_pass_through_modules",
                                     "inline_instance",
                                     "merge_const_port_assignment",
                                     "decouple_generator_ports",
                                     "hash_generators",
                                     "elaborate",
                                     "lift_genvar_instances",
                                     "port_legality_fix",
                                     "create_module_instantiation",
                                     "remove_fanout_one_wires",
                                     "merge_wire_assignments",
                                     "remove_unused_vars",
                                     "remove_unused_stmts",
                                     "remove_empty_block",
                                     "rtl_dead_code_elimination",
                                     "verilog",
                                     "check"};

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "leaves") == 0) return bench_each(argc, argv, bench_leaves);
    if (argc > 1 && strcmp(argv[1], "chain") == 0) return bench_each(argc, argv, bench_chain);
    if (argc > 1 && strcmp(argv[1], "content") == 0) return bench_each(argc, argv, bench_content);
    int modules = argc > 1 ? atoi(argv[1]) : 2000;
    double time = now();
    weir_rtl_design *d = weir_rtl_design_new();
    weir_rtl_module top = build(d, modules);
    if (argc > 2) add_chain(d, top, atoi(argv[2]));
    report("build", &time);
    size_t seen = 0;
    const weir_rtl_visitor visitor = {.stmt = count_stmt, .expr = count_expr};
    if (!weir_rtl_visit(d, top, WEIR_RTL_DEEPEST_FIRST, &visitor, &seen)) return 1;
    report("visit", &time);
    weir_rtl_uses *uses = weir_rtl_uses_new(d);
    for (weir_rtl_module m = weir_rtl_first_module(d); m.id; m = weir_rtl_next_module(d, m))
        weir_rtl_uses_build(uses, m);
    weir_rtl_uses_free(uses);
    report("uses", &time);
    if (!weir_rtl_verify(d, top)) return 1;
    report("verify", &time);
    size_t bytes = 0;
    weir_text text = {0};
    for (weir_rtl_module m = weir_rtl_first_module(d); m.id; m = weir_rtl_next_module(d, m)) {
        text.size = 0;
        weir_rtl_print_verilog(d, m, &text);
        bytes += text.size;
    }
    report("verilog", &time);
    text.size = 0;
    weir_rtl_print_text(d, &text);
    report("text", &time);
    weir_rtl_design *again = weir_rtl_parse_text(text.data, text.size, "bench");
    if (!again) return 1;
    report("parse", &time);
    printf("%zu statements and expressions, %.2f MB of Verilog, %.2f MB of text\n", seen, (double)bytes / 1e6,
           (double)text.size / 1e6);
    weir_rtl_design_free(again);
    weir_text_free(&text);
    run_passes(d, "top", sizeof passes / sizeof *passes, passes);
    return 0;
}
