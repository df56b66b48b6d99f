/* The designs of the text cases as tools see them: usage: check_cases FOLDER [--planted]
 * The input of every FOLDER/PASS/CASE.txt that the pipeline `verilog` takes and that is sound after it. They are made
 * for their pass, so unlike those of designs/ they may have what nobody reads, registers without a start, and blocking
 * assignments in clocked processes; but all of them together must compile without another message in Verilator -Wall,
 * Icarus -Wall and Yosys, and what each gives in Icarus, where it is known, it must give in Verilator. Exit status 0
 * when all holds; with --planted, when a changed bit is found; 77 without the tools. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "case.h"
#include "pass/run/instrument.h"
#include "passes/equivalence/plain.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"

/* The design after the pipeline, with names of its own; NULL when it cannot be emitted. */
static weir_rtl_design *emit(const test_case *c, const char *prefix, weir_rtl_module *top) {
    weir_rtl_design *design = weir_rtl_parse_text(c->input, strlen(c->input), prefix);
    if (design == NULL) return NULL;
    *top = weir_rtl_choose_top(design, c->top);
    weir_module *module = weir_module_new("case");
    weir_pass_registry *registry = weir_pass_registry_new();
    weir_passes_register(registry);
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass *pass = weir_pass_parse(registry, "verilog", WEIR_NOWHERE);
    weir_pass_instrument *verifier = weir_pass_verifier_new();
    weir_pass_context_add_instrument(context, verifier);
    weir_text text = {0}, why = {0};
    char *name = weir_copy_string(top->id == 0 ? "" : weir_rtl_get_module(design, *top).name);
    weir_module_set_rtl(module, design, name);
    design = NULL;
    if (top->id != 0 && weir_pass_run(context, pass, module)) {
        weir_rtl_print_text(weir_module_design(module), &text);
        design = weir_rtl_parse_text(text.data, text.size, prefix);
        *top = weir_rtl_find_module(design, name);
    }
    if (design != NULL && (!weir_rtl_make_plain(design, prefix, &why) || !weir_rtl_verify(design, *top))) {
        weir_rtl_design_free(design);
        design = NULL;
    }
    weir_text_free(&text);
    weir_text_free(&why);
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_pass_instrument_free(verifier);
    weir_pass_registry_free(registry);
    weir_module_free(module);
    free(name);
    return design;
}

/* What tools cannot take, though it is what the case is about: starts of names. */
static const char *const skipped[] = {
    "check_always_sensitivity_fine",                   /* an asynchronous set beside a reset: too much for Yosys */
    "check_combinational_loop",                        /* bits of one vector that depend on one another */
    "rtl_dead_code_elimination_self_feeding_register", /* loops without a register */
    "create_module_instantiation_concatenation",       /* the same */
    "decouple_generator_ports_concatenation",          /* the same */
    "inline_instance_clocked",                         /* an input that is a clock and changes with the others */
};

/* Benches read inside a design that is not here. */
static bool has_path(const weir_rtl_design *design) {
    for (weir_rtl_module m = weir_rtl_first_module(design); m.id != 0; m = weir_rtl_next_module(design, m))
        for (weir_rtl_var v = weir_rtl_first_var(design, m); v.id != 0; v = weir_rtl_next_var(design, v))
            if (weir_rtl_get_var(design, v).is_path) return true;
    return false;
}

static bool is_wanted(const weir_rtl_design *design, weir_rtl_module top, const char *name) {
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        if (strncmp(skipped[i], name, strlen(skipped[i])) == 0) return false;
    return weir_rtl_get_module(design, top).port_count > 0 && !has_path(design);
}

static void add_case(batch *b, const char *folder, const char *pass, const char *name) {
    char *path = weir_format("%s/%s/%s", folder, pass, name);
    char *prefix = weir_format("%s_%.*s", pass, (int)strcspn(name, "."), name);
    size_t size;
    char *text = weir_file_read(path, &size);
    test_case c = {0};
    weir_rtl_module top = {0};
    weir_diag_log *log = weir_diag_capture();
    weir_rtl_design *design = read_case(text, &c) ? emit(&c, prefix, &top) : NULL;
    if (design != NULL && (!is_wanted(design, top, prefix) || !batch_add(b, design, top, prefix)))
        weir_rtl_design_free(design);
    weir_diag_release(log);
    weir_diag_log_free(log);
    free(text);
    free(prefix);
    free(path);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int is_visible(const struct dirent *e) { return e->d_name[0] != '.'; }

static int is_case(const struct dirent *e) {
    const char *end = strstr(e->d_name, ".txt");
    return end != NULL && end[4] == '\0' && strcmp(e->d_name, "CMakeLists.txt") != 0;
}

static void add_cases(batch *b, const char *folder, size_t *count) {
    struct dirent **passes, **cases;
    const int pass_count = scandir(folder, &passes, is_visible, by_name);
    for (int i = 0; i < pass_count; i++) {
        char *path = weir_path_join(folder, passes[i]->d_name);
        const int case_count = scandir(path, &cases, is_case, by_name);
        for (int k = 0; k < case_count; k++) {
            add_case(b, folder, passes[i]->d_name, cases[k]->d_name);
            free(cases[k]);
            ++*count;
        }
        if (case_count >= 0) free(cases);
        free(path);
        free(passes[i]);
    }
    if (pass_count >= 0) free(passes);
}

static void check_tools(const batch *b) {
    static const char *const verilator[] = {
        "verilator_bin",     "--lint-only",      "-Wall",         "-Wno-MULTITOP",  "-Wno-DECLFILENAME",
        "-Wno-UNUSEDSIGNAL", "-Wno-UNUSEDPARAM", "-Wno-UNDRIVEN", "-Wno-VARHIDDEN", "-Wno-BLKSEQ",
        "-Wno-UNOPTFLAT"}; /* create_interface_instantiation/whole has a handshake in one vector: no loop of bits */
    static const char *const icarus[] = {"iverilog", "-g2005", "-Wall", "-Wno-sensitivity-entire-array", "-t", "null"};
    enum { VERILATOR = sizeof verilator / sizeof *verilator, ICARUS = sizeof icarus / sizeof *icarus };
    const char **arguments = weir_calloc(b->files.count + VERILATOR + 1, sizeof *arguments);
    memcpy(arguments, verilator, sizeof verilator);
    memcpy(arguments + VERILATOR, b->files.path, b->files.count * sizeof *arguments);
    batch_run_tool(b->folder, "verilator", arguments);
    memset(arguments, 0, (b->files.count + VERILATOR) * sizeof *arguments);
    memcpy(arguments, icarus, sizeof icarus);
    memcpy(arguments + ICARUS, b->files.path, b->files.count * sizeof *arguments);
    batch_run_tool(b->folder, "icarus", arguments);
    weir_text script = {0};
    for (size_t i = 0; i < b->files.count; i++) weir_text_format(&script, "read_verilog \"%s\"; ", b->files.path[i]);
    weir_text_add(&script, "hierarchy -check; proc; check");
    const char *const yosys[] = {"yosys", "-q", "-w", ".", "-p", script.data, NULL}; /* -w: errors only */
    batch_run_tool(b->folder, "yosys", yosys);
    weir_text_free(&script);
    free(arguments);
}

static void check_simulation(batch *b, bool planted) {
    size_t unknown = 0;
    if (!batch_simulate(b, WEIR_SIM_ICARUS)) return;
    weir_trace *icarus = b->trace;
    b->trace = NULL;
    if (batch_simulate(b, WEIR_SIM_VERILATOR)) {
        if (planted) b->trace[0].bit[b->trace[0].rows * b->trace[0].width - 1] ^= 1;
        for (size_t i = 0; i < b->count; i++) {
            weir_text text = {0};
            batch_result result;
            weir_text_format(&text, "%s: ", b->top[i].name);
            if (!batch_compare(&icarus[i], &b->trace[i], b->top[i].stimulus, &result, &text))
                complain("simulation", text.data);
            unknown += result.unknown > 0;
            weir_text_free(&text);
        }
        printf("%zu designs in both simulators, %zu of them with bits that are unknown\n", b->count, unknown);
    }
    for (size_t i = 0; i < b->count; i++) weir_trace_free(&icarus[i]);
    free(icarus);
}

int main(int count, char **arguments) {
    const bool planted = count == 3 && strcmp(arguments[2], "--planted") == 0;
    const int refused = batch_refuses("check_cases FOLDER [--planted]", count == 2 || planted, false);
    if (refused != 0) return refused;
    weir_scratch *work = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "cases-");
    if (work == NULL) return 1;
    size_t cases = 0;
    batch *b = batch_new(weir_scratch_path(work), "cases");
    add_cases(b, arguments[1], &cases);
    printf("%zu of %zu cases\n", b->count, cases);
    if (b->count == 0) complain("cases", "there are none");
    if (!planted) check_tools(b);
    check_simulation(b, planted);
    batch_free(b);
    weir_scratch_free(work);
    return case_status(planted ? "simulation" : NULL);
}
