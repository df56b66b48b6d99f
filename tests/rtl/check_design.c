/* One hardware design as passes and tools see it: usage: check_design WEIR FOLDER NAME [--planted CHECK]
 * FOLDER/NAME.wrtl goes through the pipeline `verilog`, and apart from that through every hardware pass that promises
 * to keep what it computes: none may change it. What comes out of the pipeline, and the design as written if it can be
 * printed, must be accepted without a message by Verilator -Wall, Icarus -Wall and Yosys
 * (`tribuf -merge; check -assert`) as Verilog-2005 and by Verilator -Wall as SystemVerilog; another process (WEIR is
 * the command) must print the same; and under random inputs the outputs in Icarus must be those of the design as
 * written in Verilator, for every bit that Icarus knows. After the reset it must know all, unless the first line has
 * "unknown". All of that holds again for what specialize_parameters makes of a design whose widths depend on
 * parameters. Passes are proved to keep the design where Yosys can; not tried, but simulated, when the first line says
 * "too large to prove". Verilator compiles BATCH designs of the folder at once, through the cache of sim/, so each
 * program is built once. Exit status 0 when all holds, or with --planted, when exactly that check fails; 77 without the
 * tools. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "common/hardware_passes.h"
#include "common/messages.h"
#include "common/text_case.h"
#include "pass/run/instrument.h"
#include "passes/equivalence/equivalence.h"
#include "passes/equivalence/plain.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/formula.h"
#include "rtlir/core/stmt.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/process/process.h"

enum { BATCH = 40 };

/* A design in one of its forms. */
typedef struct form {
    weir_rtl_design *design;
    weir_rtl_module top;
    const char *name; /* of the top */
} form;

typedef struct subject {
    const char *weir, *folder, *name, *planted;
    char *path; /* of the design */
    char *text;
    weir_scratch *scratch;
    const char *work; /* where files are written */
    form written, emitted;
    weir_rtl_files externals;
} subject;

static weir_text messages;

static bool is_planted(const subject *s, const char *check) {
    return s->planted != NULL && strcmp(s->planted, check) == 0;
}

/* --- the tools --- */
static void lint_with_verilator(const subject *s, const form *f, const char *folder, const char *check,
                                const char *ending) {
    char *file = weir_format("%s.%s", f->name, ending);
    const char *arguments[64] = {"verilator_bin", "--lint-only", "-Wall", "-Wno-DECLFILENAME",
                                 "--top-module",  f->name,       "-y",    "."};
    size_t count = 8;
    for (size_t i = 0; i < s->externals.count && count < 60; i++) arguments[count++] = s->externals.path[i];
    arguments[count] = file;
    batch_run_tool(folder, check, arguments);
    free(file);
}

static void compile_with_icarus(const subject *s, const form *f, const char *folder) {
    char *file = weir_format("%s.v", f->name);
    const char *arguments[64] = {"iverilog", "-g2005", "-Wall", "-t", "null", "-s", f->name, "-y", "."};
    size_t count = 9;
    for (size_t i = 0; i < s->externals.count && count < 60; i++) arguments[count++] = s->externals.path[i];
    arguments[count] = file;
    batch_run_tool(folder, "icarus", arguments);
    free(file);
}

static void check_with_yosys(const subject *s, const form *f, const char *folder) {
    weir_text script = {0};
    for (size_t i = 0; i < s->externals.count; i++)
        weir_text_format(&script, "read_verilog \"%s\"; ", s->externals.path[i]);
    size_t count;
    weir_rtl_module *modules = weir_rtl_modules_below(f->design, f->top, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_module_info info = weir_rtl_get_module(f->design, modules[i]);
        if (!info.is_external) weir_text_format(&script, "read_verilog %s.v; ", info.name);
    }
    free(modules);
    weir_text_format(&script, "hierarchy -check -top %s; proc; tribuf -merge; check -assert", f->name);
    /* Yosys says so of every tri-state driver. */
    const char *const arguments[] = {"yosys", "-q", "-w", "limited support for tri-state", "-p", script.data, NULL};
    batch_run_tool(folder, "yosys", arguments);
    weir_text_free(&script);
}

/* Puts a line into the printed top. */
static void patch(const char *folder, const form *f, const char *line) {
    char *name = weir_format("%s.v", f->name), *path = weir_path_join(folder, name);
    size_t size;
    char *text = weir_file_read(path, &size);
    char *end = strstr(text, "\nendmodule");
    char *patched = weir_format("%.*s\n  %s%s", (int)(end - text), text, line, end);
    weir_file_write(path, patched, strlen(patched));
    free(patched);
    free(text);
    free(path);
    free(name);
}

static void check_verilog(const subject *s, const form *f, const char *folder) {
    if (is_planted(s, "verilator")) patch(folder, f, "wire [3:0] planted = 8'hff;");
    if (is_planted(s, "icarus") || is_planted(s, "yosys")) patch(folder, f, "wire planted = missing;");
    if (!is_planted(s, "icarus") && !is_planted(s, "yosys")) lint_with_verilator(s, f, folder, "verilator", "v");
    if (!is_planted(s, "yosys")) compile_with_icarus(s, f, folder);
    check_with_yosys(s, f, folder);
}

/* Each dialect in a folder of its own, so that tools find children in the same one. */
static void check_tools(const subject *s, const form *f) {
    for (weir_rtl_dialect dialect = WEIR_RTL_VERILOG; dialect <= WEIR_RTL_SYSTEMVERILOG; dialect++) {
        char *folder = weir_path_join(s->work, dialect == WEIR_RTL_VERILOG ? "verilog" : "systemverilog");
        if (!weir_rtl_write_design(f->design, f->top, &(weir_rtl_print_options){.dialect = dialect}, folder))
            complain("print", messages.data);
        else if (dialect == WEIR_RTL_VERILOG) check_verilog(s, f, folder);
        else lint_with_verilator(s, f, folder, "systemverilog", "sv");
        free(folder);
    }
}

/* --- passes --- */
/* All passes, and one that is wrong. */
static weir_pass_registry *new_registry(void) {
    weir_pass_registry *registry = weir_pass_registry_new();
    weir_passes_register(registry);
    weir_pass_registry_add(registry, &planted_pass);
    return registry;
}

/* Does the first line have the word? */
static bool says(const subject *s, const char *text) {
    const char *word = strstr(s->text, text);
    return word != NULL && word < s->text + strcspn(s->text, "\n");
}

/* What the pipeline makes of a design, watched; the form is empty when it fails. */
static form run_passes(const subject *s, const char *pipeline) {
    weir_rtl_equivalence how = WEIR_RTL_EQUIVALENCE_DEFAULTS;
    how.silent = true;
    if (says(s, "too large to prove")) how.method = WEIR_RTL_TEST;
    form f = {.design = weir_rtl_parse_text(s->text, strlen(s->text), "design")};
    f.top = weir_rtl_choose_top(f.design, NULL);
    char *top = weir_copy_string(weir_rtl_get_module(f.design, f.top).name);
    weir_module *module = weir_module_new("design");
    weir_module_set_rtl(module, f.design, top);
    weir_module_set_folder(module, s->work);
    weir_pass_registry *registry = new_registry();
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass_instrument *watch[] = {weir_pass_verifier_new(), weir_pass_immutable_new(),
                                     weir_rtl_equivalence_new(&how)};
    for (size_t i = 0; i < sizeof watch / sizeof *watch; i++) weir_pass_context_add_instrument(context, watch[i]);
    weir_pass *pass = weir_pass_parse(registry, pipeline, WEIR_NOWHERE);
    if (weir_pass_run(context, pass, module)) {
        weir_text after = {0};
        weir_rtl_print_text(f.design, &after);
        f.design = weir_rtl_parse_text(after.data, after.size, "result");
        f.top = weir_rtl_find_module(f.design, top);
        f.name = weir_rtl_get_module(f.design, f.top).name;
        weir_text_free(&after);
    } else {
        f = (form){NULL, {0}, NULL};
    }
    weir_pass_free(pass);
    weir_pass_context_free(context);
    for (size_t i = 0; i < sizeof watch / sizeof *watch; i++) weir_pass_instrument_free(watch[i]);
    weir_pass_registry_free(registry);
    weir_module_free(module);
    free(top);
    return f;
}

/* Each pass on its own. One may refuse the design, but not change what it computes. */
static void check_passes(const subject *s) {
    weir_pass_registry *registry = new_registry();
    for (size_t i = 0; i < weir_pass_registry_count(registry); i++) {
        const weir_pass_info *info = weir_pass_registry_at(registry, i);
        if (info->kind != WEIR_PASS_HARDWARE || info->promise == WEIR_PASS_CHANGES ||
            (info == &planted_pass && !is_planted(s, "passes")))
            continue;
        messages.size = 0;
        weir_text_add(&messages, "");
        const form f = run_passes(s, info->name);
        if (f.design == NULL &&
            (strstr(messages.data, "changed") != NULL || strstr(messages.data, "after pass") != NULL))
            complain("passes", messages.data);
        weir_rtl_design_free(f.design);
    }
    weir_pass_registry_free(registry);
}

/* --- the same text everywhere --- */
static void print_elsewhere(const subject *s, const char *expected) {
    char *out = weir_format("%s/%s_elsewhere.v", s->work, s->name);
    const char *const arguments[] = {s->weir, "rtl", s->path, "-o", out, NULL};
    weir_text output = {0};
    int status = -1;
    const weir_process process = {.arguments = arguments, .seconds = 60};
    if (weir_process_run(&process, &output, &status) != WEIR_PROCESS_EXITED || status != 0) {
        complain("text", output.size > 0 ? output.data : "the command fails");
    } else {
        size_t size;
        char *text = weir_file_read(out, &size);
        check_equal("text", expected, text == NULL ? "" : text);
        free(text);
    }
    weir_text_free(&output);
    free(out);
}

static void check_text(const subject *s) {
    const weir_rtl_print_options options = {.dialect = WEIR_RTL_VERILOG};
    weir_text text = {0};
    weir_print_hardware(s->emitted.design, s->emitted.top, &options, &text);
    if (is_planted(s, "text")) weir_text_char(&text, '\n');
    print_elsewhere(s, text.data);
    weir_text_free(&text);
}

/* --- simulation --- */
static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Names of the designs of a folder, sorted. */
static char **list_designs(const char *folder, size_t *count) {
    char **names = NULL;
    size_t capacity = 0;
    DIR *entries = opendir(folder);
    *count = 0;
    for (struct dirent *e = entries ? readdir(entries) : NULL; e != NULL; e = readdir(entries)) {
        const char *end = strstr(e->d_name, ".wrtl");
        if (end == NULL || end[5] != '\0') continue;
        names = weir_grow(names, &capacity, *count + 1, sizeof *names);
        names[(*count)++] = weir_format("%.*s", (int)(end - e->d_name), e->d_name);
    }
    if (entries != NULL) closedir(entries);
    if (*count > 0) qsort(names, *count, sizeof *names, by_name);
    return names;
}

/* A design with names of its own, as written; false when it is not sound, which its own test reports. */
static bool add_design(batch *b, const char *folder, const char *name) {
    char *file = weir_format("%s/%s.wrtl", folder, name);
    weir_text why = {0};
    weir_rtl_design *design = weir_rtl_load_text(file);
    weir_rtl_module top = {0};
    if (design != NULL) top = weir_rtl_choose_top(design, NULL);
    const bool fine = top.id != 0 && weir_rtl_make_plain(design, name, &why) && weir_rtl_verify(design, top);
    if (!fine || !batch_add(b, design, top, name)) weir_rtl_design_free(design);
    weir_text_free(&why);
    free(file);
    return fine;
}

/* The designs that are compiled with this one; its position among them. */
static batch *gather(const subject *s, size_t *own) {
    size_t count, index = 0;
    char **names = list_designs(s->folder, &count);
    batch *b = batch_new(s->work, "verilator");
    while (index < count && strcmp(names[index], s->name) != 0) index++;
    const size_t start = index / BATCH * BATCH;
    for (size_t i = start; i < count && i < start + BATCH; i++) {
        if (i == index) *own = b->count;
        add_design(b, s->folder, names[i]);
    }
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    return b;
}

static void compare_traces(const subject *s, const weir_trace *icarus, const weir_trace *verilator,
                           const weir_stimulus *stimulus) {
    weir_text text = {0};
    batch_result result;
    if (is_planted(s, "simulation")) verilator->bit[verilator->rows * verilator->width - 1] ^= 1;
    if (!batch_compare(icarus, verilator, stimulus, &result, &text)) complain("simulation", text.data);
    else if (result.ones == 0) complain("simulation", "the outputs are never 1: this shows nothing");
    else if (result.unknown > 0 && !says(s, "unknown")) complain("unknown", "outputs are unknown after the reset");
    printf("%s: %zu rows of %u bits, %zu ones, %zu unknown\n", s->name, icarus->rows, (unsigned)icarus->width,
           result.ones, result.unknown);
    weir_text_free(&text);
}

static void check_simulation(const subject *s, const form *f) {
    size_t own = 0;
    batch *all = gather(s, &own), *alone = batch_new(s->work, "icarus");
    weir_text text = {0};
    weir_rtl_print_text(f->design, &text);
    weir_rtl_design *emitted = weir_rtl_parse_text(text.data, text.size, "emitted");
    if (batch_add(alone, emitted, weir_rtl_find_module(emitted, f->name), s->name) &&
        batch_simulate(alone, WEIR_SIM_ICARUS) && batch_simulate(all, WEIR_SIM_VERILATOR))
        compare_traces(s, &alone->trace[0], &all->trace[own], alone->top[0].stimulus);
    weir_text_free(&text);
    batch_free(all);
    batch_free(alone);
}

/* Widths that are formulas stay formulas in Verilog; as numbers they must mean the same. */
static void check_specialized(const subject *s) {
    if (weir_rtl_find_parametrised(s->emitted.design, s->emitted.top).id == 0) return;
    messages.size = 0;
    form f = run_passes(s, "specialize_parameters,verilog");
    if (f.design == NULL || weir_rtl_find_parametrised(f.design, f.top).id != 0) {
        complain("specialized", messages.data);
    } else {
        check_tools(s, &f);
        check_simulation(s, &f);
    }
    weir_rtl_design_free(f.design);
}

/* --- one design --- */
/* Can it be printed as it is: no state machines, no namesakes, nothing undecided or wired by assignments? */
static bool is_unclocked(const weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_block block) {
    return weir_rtl_timing_in(design, block) == WEIR_RTL_CONTINUOUS &&
           weir_rtl_get_property(design, stmt).clock.id == 0;
}

static void find_unprintable(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    if (info.kind == WEIR_RTL_STMT_FSM || (info.kind == WEIR_RTL_STMT_ASSIGN && info.timing == WEIR_RTL_UNDECIDED) ||
        (info.kind == WEIR_RTL_STMT_INSTANCE && weir_rtl_get_instance(design, info.instance).is_wired) ||
        (info.kind == WEIR_RTL_STMT_ASSERT && is_unclocked(design, stmt, info.block)))
        *(bool *)user = true;
}

static bool is_printable(const form *f) {
    static const weir_rtl_visitor visitor = {.stmt = find_unprintable};
    bool found = false;
    weir_rtl_visit(f->design, f->top, WEIR_RTL_CHILDREN_FIRST, &visitor, &found);
    for (weir_rtl_module m = weir_rtl_first_module(f->design); m.id != 0; m = weir_rtl_next_module(f->design, m))
        found = found || weir_rtl_next_namesake(f->design, m).id != 0;
    return !found;
}

static bool differ(const form *a, const form *b) {
    const weir_rtl_print_options options = {.dialect = WEIR_RTL_VERILOG};
    weir_text texts[2] = {{0}};
    weir_print_hardware(a->design, a->top, &options, &texts[0]);
    weir_print_hardware(b->design, b->top, &options, &texts[1]);
    const bool found = strcmp(texts[0].data, texts[1].data) != 0;
    for (size_t i = 0; i < 2; i++) weir_text_free(&texts[i]);
    return found;
}

static bool load(subject *s) {
    weir_text why = {0};
    size_t size;
    form *f = &s->written;
    s->path = weir_format("%s/%s.wrtl", s->folder, s->name);
    s->text = weir_file_read(s->path, &size);
    f->design = weir_rtl_load_text(s->path);
    if (f->design != NULL) f->top = weir_rtl_choose_top(f->design, NULL);
    bool fine = f->top.id != 0 && weir_rtl_find_files(f->design, f->top, &s->externals, &why);
    if (fine) f->name = weir_rtl_get_module(f->design, f->top).name;
    if (fine) s->emitted = run_passes(s, "verilog");
    fine = fine && s->emitted.design != NULL && weir_rtl_verify(s->emitted.design, s->emitted.top);
    if (!fine) complain("design", why.size > 0 ? why.data : messages.data);
    weir_text_free(&why);
    return fine;
}

static void check(subject *s) {
    s->scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "design-");
    if (s->scratch == NULL) return;
    s->work = weir_scratch_path(s->scratch);
    if (!load(s)) return;
    check_tools(s, &s->emitted);
    if (s->planted == NULL && is_printable(&s->written) && differ(&s->written, &s->emitted))
        check_tools(s, &s->written);
    check_text(s);
    check_simulation(s, &s->emitted);
    check_specialized(s);
    check_passes(s);
}

int main(int count, char **arguments) {
    const bool planted = count == 6 && strcmp(arguments[4], "--planted") == 0;
    const int refused = batch_refuses("check_design WEIR FOLDER NAME [--planted CHECK]", count == 4 || planted, false);
    if (refused != 0) return refused;
    subject s = {.weir = arguments[1], .folder = arguments[2], .name = arguments[3]};
    if (planted) s.planted = arguments[5];
    weir_text_add(&messages, "");
    weir_diag_set_handler(keep_message, &messages);
    check(&s);
    weir_rtl_design_free(s.written.design);
    weir_rtl_design_free(s.emitted.design);
    weir_rtl_free_files(&s.externals);
    free(s.path);
    free(s.text);
    weir_scratch_free(s.scratch);
    weir_text_free(&messages);
    return case_status(s.planted);
}
