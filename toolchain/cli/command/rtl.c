#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/watch.h"
#include "passes/equivalence/equivalence.h"
#include "passes/rtl/forms.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text/text.h"
#include "support/file/file.h"

static const char help_text[] =
    "DESIGN is the text form of the hardware IR, *.wrtl, or a reproducer, whose pipeline and settings apply unless given\n"
    "here. The result goes to stdout as text, or to OUT: *.wrtl, *.v (Verilog-2005) or *.sv (SystemVerilog). Without\n"
    "--pipeline, *.wrtl is written as read; before *.v and *.sv the pipeline 'verilog' runs (all checks and clean-ups).\n"
    "Reports of passes replace the text on stdout; everything else goes to stderr. 'weir passes' lists the passes.\n";

/* The command's own options. */
typedef struct request {
    weir_pipeline pipeline;
    weir_watch watch;
    const char *input, *output, *top, *folder;
    int64_t samples, seed;
    bool equivalence, locations;
} request;

typedef enum form { FORM_TEXT, FORM_VERILOG, FORM_SYSTEMVERILOG, FORM_UNKNOWN } form;

static bool ends_with(const char *text, const char *end) {
    const size_t size = strlen(text), part = strlen(end);
    return size > part && strcmp(text + size - part, end) == 0;
}

static form form_of(const char *path) {
    if (path == NULL || ends_with(path, ".wrtl")) return FORM_TEXT;
    if (ends_with(path, ".v")) return FORM_VERILOG;
    return ends_with(path, ".sv") ? FORM_SYSTEMVERILOG : FORM_UNKNOWN;
}

static int run(request *r, weir_module *module) {
    weir_pipeline *p = &r->pipeline;
    weir_rtl_equivalence how = WEIR_RTL_EQUIVALENCE_DEFAULTS;
    how.cycles = (size_t)r->samples;
    how.seed = (uint64_t)r->seed;
    weir_watch_add(&r->watch, p, r->equivalence ? weir_rtl_equivalence_new(&how) : NULL);
    bool fine = weir_pass_run(p->context, p->pass, module);
    fine = weir_watch_report(&r->watch, p) && fine;
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

static int write_result(const request *r, const weir_module *module) {
    weir_rtl_design *design = weir_module_design(module);
    if (r->output == NULL && weir_watch_has_output(&r->watch, &r->pipeline)) return WEIR_EXIT_FINE;
    const weir_rtl_module top = weir_hardware_top_of(module);
    weir_text text = {NULL, 0, 0};
    const form to = form_of(r->output);
    const weir_rtl_print_options options = {.dialect = to == FORM_VERILOG ? WEIR_RTL_VERILOG : WEIR_RTL_SYSTEMVERILOG};
    weir_text_add(&text, "");
    bool fine = true;
    if (to == FORM_TEXT && r->locations) weir_rtl_print_text_locations(design, &text);
    else if (to == FORM_TEXT) weir_rtl_print_text(design, &text);
    else
        fine = weir_hardware_is_printable(design, top) && weir_hardware_may_write(design, top, r->output) &&
               weir_print_hardware(design, top, &options, &text);
    if (r->output == NULL) fwrite(text.data, 1, text.size, stdout);
    else fine = fine && weir_file_write_changed(r->output, text.data, text.size);
    weir_text_free(&text);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

static int transform(request *r, weir_module *module) {
    if (r->folder != NULL) weir_module_set_folder(module, r->folder);
    int status = run(r, module);
    if (status == WEIR_EXIT_FINE) status = write_result(r, module);
    return status;
}

/* The pipeline is parsed before the design is read, because bad usage is found fast. */
static int run_design(request *r) {
    int status = weir_watch_parse(&r->watch, &r->pipeline, form_of(r->output) == FORM_TEXT ? "" : "verilog");
    if (status != WEIR_EXIT_FINE) return status;
    weir_rtl_design *design = weir_rtl_load_text(r->input);
    if (design == NULL) return WEIR_EXIT_INPUT;
    const weir_rtl_module top = weir_rtl_choose_top(design, r->top);
    if (top.id == 0) {
        const bool is_unsound = weir_rtl_errors(design) > 0; /* else another --top would do */
        weir_rtl_design_free(design);
        return is_unsound ? WEIR_EXIT_INPUT : WEIR_EXIT_USAGE;
    }
    weir_module *module = weir_module_new(weir_rtl_get_module(design, top).name);
    weir_module_set_rtl(module, design, weir_rtl_get_module(design, top).name);
    status = transform(r, module);
    weir_module_free(module);
    return status;
}

static int run_reproducer(request *r) {
    weir_pass_reproducer reproducer;
    int status = weir_watch_read(&r->watch, &r->pipeline, r->input, &reproducer);
    if (status == WEIR_EXIT_FINE && weir_module_design(reproducer.module) == NULL)
        status = weir_cli_misuse("rtl", "'%s' holds graphs, not a hardware design", r->input);
    if (status == WEIR_EXIT_FINE) status = transform(r, reproducer.module);
    weir_pass_reproducer_free(&reproducer);
    return status;
}

static int work(void *user) {
    request *r = user;
    if (form_of(r->output) == FORM_UNKNOWN)
        return weir_cli_misuse("rtl", "'%s': expected a file *.wrtl, *.v or *.sv", r->output);
    int status = weir_pipeline_open(&r->pipeline);
    if (status == WEIR_EXIT_FINE) status = weir_watch_check(&r->watch, &r->pipeline);
    if (status != WEIR_EXIT_FINE) return status;
    return weir_pass_reproducer_is(r->input) ? run_reproducer(r) : run_design(r);
}

int weir_command_rtl(int argc, char **argv) {
    request r = {.pipeline = WEIR_PIPELINE_DEFAULTS("rtl"), .watch = WEIR_WATCH_DEFAULTS, .samples = 256, .seed = 1};
    const weir_cli_option options[] = {
        WEIR_PIPELINE_TEXT_OPTION(r.pipeline),
        {"output", 'o', WEIR_CLI_STRING, &r.output, "OUT", "write the design here: *.wrtl, *.v or *.sv"},
        {"top", 0, WEIR_CLI_STRING, &r.top, "NAME", "the top module (the one that no other contains)"},
        {"locations", 0, WEIR_CLI_FLAG, &r.locations, NULL,
         "record in OUT.wrtl the source location of each item in DESIGN"},
        {"folder", 0, WEIR_CLI_STRING, &r.folder, "DIR", "folder for files that passes write (.)"},
        WEIR_PIPELINE_OPTIONS(r.pipeline),
        WEIR_WATCH_OPTIONS(r.watch),
        {"check-equivalence", 'c', WEIR_CLI_FLAG, &r.equivalence, NULL,
         "prove or test that each pass preserves what the design computes"},
        {"samples", 'n', WEIR_CLI_COUNT, &r.samples, "N", "cycles of a test, where there is no proof (256)"},
        {"seed", 0, WEIR_CLI_INT, &r.seed, "N", "seed of its inputs (1)"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("rtl", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0) {
        r.input = argv[1];
        status = weir_watch_guard(&r.watch, &r.pipeline, work, &r);
    }
    weir_pipeline_close(&r.pipeline);
    return status;
}
