/* What the hardware IR and the passes over it cost, in milliseconds of processor time and the peak of memory so far:
 *   bench_rtl whole MODULES...   modules of 40 additions and a register under one top, as elaborated: built, through
 *                                the pipeline `verilog`, printed. Memory counts only for the first one.
 *   bench_rtl walks MODULES...   the same modules: walks, tables, texts, passes besides
 *   bench_rtl leaves COUNT...    as many modules of one name, half of them equal, told apart by their hashes
 *   bench_rtl chain DEPTH...     a chain of modules of one name, wired by assignments, from elaborated to emitted
 *   bench_rtl content COUNT...   one module of so many copies, bits and ifs, cleaned up */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "common/rtl_chain.h"
#include "pass/core/context.h"
#include "passes/rtl/rtl.h"
#include "rtlir/analysis/uses.h"
#include "rtlir/core/stmt.h"
#include "rtlir/core/visitor.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"
#include "rtlir/verilog/print.h"
#include "support/memory/arena.h"

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

static void assign(weir_rtl_design *d, weir_rtl_module m, weir_rtl_expr target, weir_rtl_expr value) {
    weir_rtl_add_assign(d, weir_rtl_get_module(d, m).body, target, value, WEIR_RTL_UNDECIDED);
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
        assign(d, m, sum, weir_rtl_binary(d, WEIR_RTL_ADD, last, step));
        last = sum;
    }
    weir_rtl_expr state = weir_rtl_read(d, weir_rtl_add_register(d, m, "state", WIDTH, false));
    weir_rtl_add_assign(d, weir_rtl_add_always(d, m, WEIR_RTL_POSEDGE, clk), state, last, WEIR_RTL_UNDECIDED);
    assign(d, m, out, state);
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
        weir_rtl_instance u = weir_rtl_add_wired_instance(d, top, add_leaf(d, i), name);
        assign(d, top, weir_rtl_read_port(d, u, "clk"), clk);
        assign(d, top, weir_rtl_read_port(d, u, "in"), last);
        last = weir_rtl_read_port(d, u, "out");
    }
    assign(d, top, out, last);
    return top;
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

/* Runs the passes one after the other on the design and prints what each takes; returns a module that holds it. */
static weir_module *run_passes(weir_rtl_design *d, const char *top, size_t count, const char *const *names) {
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
    weir_pass_registry_free(registry);
    return module;
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
    weir_module_free(run_passes(d, "top", sizeof names / sizeof *names, names));
}

static void bench_chain(int depth) {
    static const char *const names[] = {"decouple_generator_ports", "hash_generators", "uniquify_generators",
                                        "create_module_instantiation", "verilog"};
    weir_rtl_design *d = make_chain(depth, WIDTH);
    printf("a chain of %d modules of one name\n", depth);
    weir_module_free(run_passes(d, "top", sizeof names / sizeof *names, names));
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
    weir_module_free(run_passes(d, "top", sizeof names / sizeof *names, names));
}

static void bench_whole(int modules) {
    static const char *const names[] = {"verilog"};
    double time = now();
    weir_rtl_design *d = weir_rtl_design_new();
    build(d, modules);
    printf("%d modules\n", modules);
    report("build", &time);
    weir_module *module = run_passes(d, "top", 1, names);
    time = now();
    size_t bytes = 0;
    weir_text text = {0};
    for (weir_rtl_module m = weir_rtl_first_module(d); m.id; m = weir_rtl_next_module(d, m)) {
        text.size = 0;
        weir_rtl_print_verilog(d, m, &text);
        bytes += text.size;
    }
    weir_text_free(&text);
    report("print", &time);
    printf("%.2f MB of Verilog\n", (double)bytes / 1e6);
    weir_module_free(module);
}

static void bench_walks(int modules) {
    static const char *const others[] = {
        "inline_instance",   "merge_const_port_assignment", "elaborate", "lift_genvar_instances",
        "port_legality_fix", "rtl_dead_code_elimination",   "check"};
    weir_rtl_design *d = weir_rtl_design_new();
    weir_rtl_module top = build(d, modules);
    double time = now();
    size_t seen = 0;
    const weir_rtl_visitor visitor = {.stmt = count_stmt, .expr = count_expr};
    must(weir_rtl_visit(d, top, WEIR_RTL_DEEPEST_FIRST, &visitor, &seen));
    printf("%d modules, %zu statements and expressions\n", modules, seen);
    report("visit", &time);
    weir_rtl_uses *uses = weir_rtl_uses_new(d);
    for (weir_rtl_module m = weir_rtl_first_module(d); m.id; m = weir_rtl_next_module(d, m))
        weir_rtl_uses_build(uses, m);
    weir_rtl_uses_free(uses);
    report("uses", &time);
    must(weir_rtl_verify(d, top));
    report("verify", &time);
    weir_text text = {0};
    weir_rtl_print_text(d, &text);
    report("text", &time);
    weir_rtl_design *again = weir_rtl_parse_text(text.data, text.size, "bench");
    must(again != NULL);
    report("parse", &time);
    weir_rtl_design_free(again);
    weir_text_free(&text);
    weir_module_free(run_passes(d, "top", sizeof others / sizeof *others, others));
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(int count);
    } benches[] = {{"whole", bench_whole},
                   {"walks", bench_walks},
                   {"leaves", bench_leaves},
                   {"chain", bench_chain},
                   {"content", bench_content}};
    for (size_t i = 0; argc > 2 && i < sizeof benches / sizeof *benches; i++) {
        if (strcmp(argv[1], benches[i].name) != 0) continue;
        for (int k = 2; k < argc; k++) benches[i].run(atoi(argv[k]));
        return 0;
    }
    fprintf(stderr, "usage: bench_rtl whole|walks|leaves|chain|content COUNT...\n");
    return 2;
}
