/* What the hardware IR costs: builds modules of 40 additions and a register each under one top, and prints milliseconds
 * of building, of walks, tables and texts, and the peak of memory.
 *   bench_rtl MODULES [DEPTH]    DEPTH: a chain of so many modules besides */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

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
    printf("%-12s %9.2f ms %8.1f MB\n", what, time - *since, (double)usage.ru_maxrss / 1024);
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

int main(int argc, char **argv) {
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
    weir_rtl_design_free(d);
    weir_text_free(&text);
    return 0;
}
