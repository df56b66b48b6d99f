/* Names that meet: usage: check_names FOLDER FIRST STEP [--planted]
 * Designs FIRST, FIRST + STEP, ... of FOLDER, in the order of their names, each TRIALS times with as many of its names
 * as possible made equal: of two names of the text, or of one and a name that the printer makes up or a tool knows, the
 * first becomes the second wherever it stands, and stays so if the design is still read and verified. What is refused
 * is not asked after; what is left must be written, in both dialects, as Verilator -Wall, Icarus -Wall and Yosys accept
 * it, if they accept the design as written, and compute in Icarus what that computes. With --planted the names meet in
 * the Verilog instead, which a tool must find. Exit status 0 when all holds; 77 without the tools. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "common/messages.h"
#include "common/text_case.h"
#include "pass/run/instrument.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/process/process.h"

enum { TRIALS = 2, MERGES = 60, TOOLS = 6 };

/* Of tools, of C++, of Verilog on the brink, and what the printer makes up beside names of its design. */
static const char *const known_names[] = {"auto",    "bool",   "switch", "process", "real_t", "std",     "name",
                                          "nothing", "wreal",  "this_",  "u_error", "string", "mailbox", "scope",
                                          "message", "sample", "top",    "TOP",     "main",   "vlSymsp", "double"};
static const char *const patterns[] = {"%s_t",        "%s_types", "g_%s",       "%s_%s",    "%s_",
                                       "g_%s_guard",  "%s_0",     "%s_broken",  "%s_exit",  "g_parameters",
                                       "%s_must_fit", "%s_state", "%s_flipped", "%s_result"};

/* What the grammar means by words; names of their own are left alone. */
static const char *const grammar[] = {
    "wrtl",     "from",      "origin",    "nowhere",   "comment",  "attribute", "struct",        "union",    "enum",
    "signed",   "memory",    "interface", "modport",   "input",    "output",    "inout",         "module",   "stub",
    "external", "instances", "body",      "parameter", "local",    "wire",      "register",      "variable", "iterator",
    "path",     "function",  "group",     "flipped",   "no",       "wired",     "value",         "assign",   "set",
    "next",     "let",       "instance",  "always",    "reset",    "low",       "combinational", "latch",    "initial",
    "final",    "return",    "break",     "remark",    "if",       "else",      "case",          "for",      "to",
    "step",     "immediate", "then",      "call",      "property", "disable",   "when",          "after",    "fsm",
    "mealy",    "current",   "state",     "start",     "goto",     "item",      "default",       "posedge",  "negedge",
    "assert",   "assume",    "cover",     "connect",   "open",     "clog2",     "clock"};

static weir_text messages;
static uint64_t random_state;

static size_t pick(size_t limit) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(random_state >> 33) % limit;
}

/* --- names in a text --- */

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static bool is_grammar(const char *word, size_t size) {
    for (size_t i = 0; i < sizeof grammar / sizeof *grammar; i++)
        if (strlen(grammar[i]) == size && memcmp(grammar[i], word, size) == 0) return true;
    return false;
}

/* Does the name end as those of resets do that are active when 0? Stimuli go by it. */
static bool is_low(const char *word, size_t size) { return size > 2 && memcmp(word + size - 2, "_n", 2) == 0; }

/* Behind a string, a remark or a number with a base that starts here; else just here. */
static const char *skip_other(const char *at) {
    if (*at == '"') {
        for (at++; *at != '\0' && *at != '"'; at++) at += *at == '\\' && at[1] != '\0';
        return at + (*at == '"');
    }
    if (*at == '#' && (at[1] < '0' || at[1] > '9')) return at + strcspn(at, "\n");
    if (*at == '\'' || (*at >= '0' && *at <= '9') || *at == '$' || *at == '`') do
            at++;
        while (is_word_char(*at) || *at == '\'');
    return at;
}

/* The next name from `at` on, NULL: there is none. Strings, remarks, numbers and words of the grammar are none. */
static const char *next_name(const char *at, size_t *size) {
    while (*at != '\0') {
        const char *end = skip_other(at);
        if (end == at && !is_word_char(*at)) end++;
        if (end == at) {
            while (is_word_char(*end)) end++;
            *size = (size_t)(end - at);
            if (!is_grammar(at, *size) && !is_low(at, *size)) return at;
        }
        at = end;
    }
    return NULL;
}

typedef struct name_list {
    char **name;
    size_t count, capacity;
} name_list;

static name_list list_names(const char *text) {
    name_list list = {0};
    size_t size = 0;
    for (const char *at = next_name(text, &size); at != NULL; at = next_name(at + size, &size)) {
        size_t i = 0;
        while (i < list.count && (strlen(list.name[i]) != size || memcmp(list.name[i], at, size) != 0)) i++;
        if (i < list.count) continue;
        list.name = weir_grow(list.name, &list.capacity, list.count + 1, sizeof *list.name);
        list.name[list.count++] = weir_format("%.*s", (int)size, at);
    }
    return list;
}

static void free_names(name_list *list) {
    for (size_t i = 0; i < list->count; i++) free(list->name[i]);
    free(list->name);
}

static char *rename_in(const char *text, const char *from, const char *to) {
    weir_text result = {0};
    const char *done = text;
    size_t size = 0;
    for (const char *at = next_name(text, &size); at != NULL; at = next_name(at + size, &size)) {
        if (strlen(from) != size || memcmp(from, at, size) != 0) continue;
        weir_text_format(&result, "%.*s%s", (int)(at - done), done, to);
        done = at + size;
    }
    weir_text_add(&result, done);
    return result.data;
}

/* A name that something else has or may get. */
static char *other_name(const name_list *names) {
    const char *a = names->name[pick(names->count)], *b = names->name[pick(names->count)];
    switch (pick(6)) {
    case 0: return weir_copy_string(known_names[pick(sizeof known_names / sizeof *known_names)]);
    case 1: {
        const char *pattern = patterns[pick(sizeof patterns / sizeof *patterns)], *second = strstr(pattern, "%s_%s");
        const char *place = strstr(pattern, "%s");
        if (place == NULL) return weir_copy_string(pattern);
        if (second != NULL) return weir_format("%s_%s", a, b);
        return weir_format("%.*s%s%s", (int)(place - pattern), pattern, a, place + 2);
    }
    default: return weir_copy_string(a);
    }
}

/* --- designs --- */

/* What the pipeline `verilog` makes of a text, in SystemVerilog with interfaces; NULL when it is refused. */
static weir_rtl_design *emit(const char *text, const char *name, weir_rtl_dialect dialect, weir_rtl_module *top) {
    messages.size = 0;
    weir_text_add(&messages, "");
    weir_rtl_design *design = weir_rtl_parse_text(text, strlen(text), name);
    if (design == NULL) return NULL;
    *top = weir_rtl_choose_top(design, NULL);
    if (top->id == 0) {
        weir_rtl_design_free(design);
        return NULL;
    }
    weir_module *module = weir_module_new("design");
    weir_module_set_rtl(module, design, weir_rtl_get_module(design, *top).name);
    weir_pass_registry *registry = weir_pass_registry_new();
    weir_passes_register(registry);
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass_instrument *verifier = weir_pass_verifier_new();
    weir_pass_context_add_instrument(context, verifier);
    weir_pass *pass = weir_pass_parse(
        registry, dialect == WEIR_RTL_VERILOG ? "verilog" : "verilog,create_interface_instantiation", WEIR_NOWHERE);
    weir_rtl_design *result = NULL;
    if (weir_pass_run(context, pass, module)) {
        weir_text after = {0};
        char *top_name = weir_copy_string(weir_rtl_get_module(design, *top).name);
        weir_rtl_print_text(weir_module_design(module), &after);
        result = weir_rtl_parse_text(after.data, after.size, name);
        *top = result == NULL ? (weir_rtl_module){0} : weir_rtl_find_module(result, top_name);
        if (result == NULL || !weir_rtl_verify(result, *top)) complain("text form", messages.data);
        free(top_name);
        weir_text_free(&after);
    }
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_pass_instrument_free(verifier);
    weir_pass_registry_free(registry);
    weir_module_free(module);
    return result;
}

/* --- tools --- */

/* A tool's complaint about a file, empty: none. */
static weir_text run_tool(const char *folder, size_t tool, const weir_rtl_files *externals) {
    const bool is_system = tool % 2 == 1;
    const char *file = is_system ? "made.sv" : "made.v";
    const char *arguments[64] = {0};
    size_t count = 0;
    weir_text output = {0}, script = {0};
    weir_text_add(&output, "");
    if (tool / 2 == 2) {
        for (size_t i = 0; i < externals->count; i++)
            weir_text_format(&script, "read_verilog \"%s\"; ", externals->path[i]);
        weir_text_format(&script, "read_verilog %s %s; hierarchy -check; proc; check", is_system ? "-sv" : "", file);
        const char *const yosys[] = {"yosys", "-q", "-w", ".", "-p", script.data};
        for (; count < sizeof yosys / sizeof *yosys; count++) arguments[count] = yosys[count];
    } else {
        static const char *const verilator[] = {"verilator_bin",    "--lint-only",       "-Wall",
                                                "-Wno-MULTITOP",    "-Wno-DECLFILENAME", "-Wno-UNUSEDSIGNAL",
                                                "-Wno-UNUSEDPARAM", "-Wno-UNDRIVEN"};
        const char *const icarus[] = {"iverilog", is_system ? "-g2012" : "-g2005", "-t", "null"};
        const bool is_icarus = tool / 2 == 1;
        const size_t own = is_icarus ? sizeof icarus / sizeof *icarus : sizeof verilator / sizeof *verilator;
        for (; count < own; count++) arguments[count] = is_icarus ? icarus[count] : verilator[count];
        for (size_t i = 0; i < externals->count && count < 60; i++) arguments[count++] = externals->path[i];
        arguments[count] = file;
    }
    int status = -1;
    const weir_process process = {.arguments = arguments, .folder = folder, .seconds = 60};
    const weir_process_end end = weir_process_run(&process, &output, &status);
    if (end == WEIR_PROCESS_EXITED && status == 0 && tool / 2 != 0) output.size = 0; /* warnings of Verilator count */
    else if (end != WEIR_PROCESS_EXITED || status != 0) weir_text_add(&output, "(it fails)\n");
    weir_text_free(&script);
    return output;
}

/* --- one design --- */

typedef struct subject {
    const char *path, *name, *work;
    char *text;
    weir_rtl_files externals;
    bool accepts[TOOLS]; /* by tool: the design as written */
    bool is_read;        /* and Yosys reads it in SystemVerilog as it is meant */
} subject;

static const char *const tool_names[6] = {
    "verilator", "verilator of SystemVerilog", "icarus", "icarus of SystemVerilog", "yosys", "yosys of SystemVerilog"};

/* Both dialects of a text in a folder; false when it is refused. */
static bool print_both(const subject *s, const char *text, const char *folder) {
    bool fine = true;
    for (int system = 0; system < 2 && fine; system++) {
        weir_rtl_module top;
        const weir_rtl_dialect dialect = system ? WEIR_RTL_SYSTEMVERILOG : WEIR_RTL_VERILOG;
        weir_rtl_design *design = emit(text, s->name, dialect, &top);
        weir_text verilog = {0};
        char *path = weir_path_join(folder, system ? "made.sv" : "made.v");
        const weir_rtl_print_options options = {.dialect = dialect};
        weir_make_folder(folder);
        fine = design != NULL && weir_print_hardware(design, top, &options, &verilog);
        if (fine) weir_file_write(path, verilog.data, verilog.size);
        weir_text_free(&verilog);
        weir_rtl_design_free(design);
        free(path);
    }
    return fine;
}

/* SystemVerilog, the last file, becomes what Yosys reads in it. */
static void convert(batch *b) {
    char **path = &b->files.path[b->files.count - 1];
    char *script = weir_format("read_verilog -sv %s; hierarchy; proc; write_verilog -noattr %s.v", *path, *path);
    const char *const arguments[] = {"yosys", "-q", "-w", ".", "-p", script, NULL};
    batch_run_tool(b->folder, "yosys", arguments);
    free(script);
    script = weir_format("%s.v", *path);
    free(*path);
    *path = script;
}

/* Adds the design as emitted to a simulation, in a dialect. */
static bool add_to(batch *b, const char *text, const char *name, weir_rtl_dialect dialect) {
    weir_rtl_module top = {0};
    weir_rtl_design *design = emit(text, name, dialect, &top);
    size_t count = 0;
    if (design == NULL) return false;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_module_info info = weir_rtl_get_module(design, modules[i]);
        char *own = weir_format("%s_%s", name, info.name);
        if (!info.is_external) weir_rtl_rename(design, WEIR_RTL_ITEM(modules[i]), own);
        free(own);
    }
    free(modules);
    const bool fine = batch_add_as(b, design, top, name, dialect);
    if (fine && dialect == WEIR_RTL_SYSTEMVERILOG) convert(b);
    if (!fine) weir_rtl_design_free(design);
    return fine;
}

/* What differs from the design as written. */
static weir_text compare_results(const subject *s, const char *text, weir_rtl_dialect dialect) {
    batch *b = batch_new(s->work, "simulation");
    weir_text why = {0};
    batch_result result;
    if (add_to(b, s->text, "gold", WEIR_RTL_VERILOG) && add_to(b, text, "made", dialect)) {
        if (!batch_simulate(b, WEIR_SIM_ICARUS)) weir_text_add(&why, messages.data);
        else batch_compare(&b->trace[0], &b->trace[1], b->top[0].stimulus, &result, &why);
    }
    batch_free(b);
    return why;
}

static void check_results(const subject *s, const char *text, weir_rtl_dialect dialect, const char *merges) {
    weir_text why = compare_results(s, text, dialect);
    if (why.size > 0) {
        weir_text_format(&why, "\n%s%s:\n%s", s->name, dialect ? " in SystemVerilog" : "", merges);
        complain("results", why.data);
    }
    weir_text_free(&why);
}

/* The text after many merges; adds what was merged. */
static char *merge_names(const subject *s, size_t limit, weir_text *merges, size_t *made) {
    char *text = weir_copy_string(s->text), *folder = weir_path_join(s->work, "tried");
    for (size_t i = 0; i < limit; i++) {
        name_list names = list_names(text);
        const char *from = names.name[pick(names.count)];
        char *to = other_name(&names), *changed = rename_in(text, from, to);
        if (strcmp(from, to) != 0 && print_both(s, changed, folder)) {
            weir_text_format(merges, "    %s becomes %s\n", from, to);
            ++*made;
            free(text);
            text = weir_copy_string(changed);
        }
        free(changed);
        free(to);
        free_names(&names);
    }
    free(folder);
    return text;
}

static void complain_about(const subject *s, size_t tool, const weir_text *output, const char *merges) {
    char *text = weir_format("%s, %s: %s%s", s->name, tool_names[tool], output->data, merges);
    complain("tools", text);
    free(text);
}

/* Two names of the printed text become one. */
static void plant(const char *folder) {
    char *path = weir_path_join(folder, "made.v");
    size_t size;
    char *text = weir_file_read(path, &size);
    name_list names = list_names(text);
    char *changed = rename_in(text, names.name[names.count - 1], names.name[names.count / 2]);
    weir_file_write(path, changed, strlen(changed));
    free_names(&names);
    free(changed);
    free(text);
    free(path);
}

static bool try_once(subject *s, bool planted, size_t *made) {
    weir_text merges = {0};
    weir_text_add(&merges, "");
    char *text = merge_names(s, planted ? 0 : MERGES, &merges, made), *folder = weir_path_join(s->work, "made");
    if (!print_both(s, text, folder)) complain("text form", messages.data);
    if (planted) plant(folder);
    bool accepted[6] = {false};
    for (size_t tool = 0; tool < 6; tool++) {
        weir_text output = run_tool(folder, tool, &s->externals);
        accepted[tool] = output.size == 0;
        if (s->accepts[tool] && output.size > 0) complain_about(s, tool, &output, merges.data);
        weir_text_free(&output);
    }
    if (accepted[2] && !planted) check_results(s, text, WEIR_RTL_VERILOG, merges.data);
    if (accepted[5] && s->is_read && !planted) check_results(s, text, WEIR_RTL_SYSTEMVERILOG, merges.data);
    weir_text_free(&merges);
    free(folder);
    free(text);
    return true;
}

static bool load(subject *s) {
    weir_text why = {0};
    size_t size;
    s->text = weir_file_read(s->path, &size);
    weir_rtl_module top = {0};
    weir_rtl_design *design = s->text == NULL ? NULL : emit(s->text, s->name, WEIR_RTL_VERILOG, &top);
    const bool fine = design != NULL && weir_rtl_find_files(design, top, &s->externals, &why);
    char *folder = weir_path_join(s->work, "written");
    if (fine && print_both(s, s->text, folder)) {
        for (size_t tool = 0; tool < 6; tool++) {
            weir_text output = run_tool(folder, tool, &s->externals);
            s->accepts[tool] = output.size == 0;
            weir_text_free(&output);
        }
        weir_text why_not = {0};
        if (s->accepts[5]) why_not = compare_results(s, s->text, WEIR_RTL_SYSTEMVERILOG);
        s->is_read = s->accepts[5] && why_not.size == 0;
        weir_text_free(&why_not);
    }
    free(folder);
    weir_rtl_design_free(design);
    weir_text_free(&why);
    return fine;
}

/* --- all of them --- */

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int is_design(const struct dirent *entry) { return strstr(entry->d_name, ".wrtl") != NULL; }

static void check_design(const char *folder, const char *file, uint64_t seed, const char *work, bool planted,
                         size_t *made) {
    char *path = weir_path_join(folder, file);
    subject s = {.path = path, .name = file, .work = work};
    if (!load(&s)) complain("design", file);
    const bool is_whole = s.text != NULL && strstr(s.text, " external ") == NULL; /* names of files stay */
    for (int i = 0; i < TRIALS && is_whole; i++) {
        random_state = seed * 100 + (uint64_t)i;
        try_once(&s, planted, made);
    }
    weir_rtl_free_files(&s.externals);
    free(s.text);
    free(path);
}

int main(int argc, char **argv) {
    const bool planted = argc == 5 && strcmp(argv[4], "--planted") == 0;
    struct dirent **entry;
    size_t made = 0;
    const int refused = batch_refuses("check_names FOLDER FIRST STEP [--planted]", argc == 4 || planted, false);
    if (refused != 0) return refused;
    const char *more = getenv("WEIR_RANDOM");
    const uint64_t seed = more == NULL ? 1 : strtoull(more, NULL, 10);
    const int designs = scandir(argv[1], &entry, is_design, by_name), step = atoi(argv[3]);
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "names-");
    weir_diag_set_handler(keep_message, &messages);
    for (int i = atoi(argv[2]); i < designs && scratch != NULL; i += step) {
        check_design(argv[1], entry[i]->d_name, seed * 1000 + (uint64_t)i, weir_scratch_path(scratch), planted, &made);
    }
    for (int i = 0; i < designs; i++) free(entry[i]);
    if (designs >= 0) free(entry);
    printf("%zu names made equal\n", made);
    if (!planted && made == 0) complain("names", "none met");
    weir_scratch_free(scratch);
    weir_text_free(&messages);
    return case_status(planted ? "tools" : NULL);
}
