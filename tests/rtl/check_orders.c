/* Hardware passes in random orders, then Verilog: usage: check_orders FOLDER FIRST STEP [--planted]
 * Designs FIRST, FIRST + STEP, ... of FOLDER, in the order of their names, each through TRIALS random pipelines that
 * end in generate_verilog. Passes that lead from a design as elaborated to one as emitted are in some of them, in any
 * order, and missing in others. A run may be refused; what is written must give in Icarus, for every bit that is known,
 * what the design as written gives, in that form that shares nothing with the passes (plain.h). Exit status 0 when that
 * holds; with --planted, when a pass that inverts an assignment is found; 77 without the tools. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "common/hardware_passes.h"
#include "common/messages.h"
#include "common/text_case.h"
#include "pass/run/instrument.h"
#include "passes/equivalence/plain.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/process/process.h"

enum { TRIALS = 4, MOST_PASSES = 4 };

typedef struct count {
    size_t written, refused;
} count;

static weir_text messages;
static uint64_t state;

static size_t pick(size_t limit) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(state >> 33) % limit;
}

/* --- pipelines --- */

static void add_random(const weir_pass_registry *registry, weir_text *pipeline) {
    const weir_pass_info *candidate[256];
    size_t candidates = 0;
    for (size_t i = 0; i < weir_pass_registry_count(registry) && candidates < 256; i++) {
        const weir_pass_info *info = weir_pass_registry_at(registry, i);
        if (is_exact_hardware_pass(info)) candidate[candidates++] = info;
    }
    for (size_t i = pick(MOST_PASSES); i > 0; i--) weir_text_format(pipeline, "%s,", candidate[pick(candidates)]->name);
}

static weir_text random_pipeline(const weir_pass_registry *registry, const char *file, bool planted) {
    static const char *const lowering[] = {"realize_fsm", "fix_assignment_type", "uniquify_generators",
                                           "create_module_instantiation"};
    weir_text pipeline = {0};
    weir_text_add(&pipeline, "");
    const size_t missing = pick(6), first = pick(4); /* of four; often none */
    for (size_t i = 0; i < 4; i++) {
        add_random(registry, &pipeline);
        if (planted || (first + i) % 4 != missing) weir_text_format(&pipeline, "%s,", lowering[(first + i) % 4]);
    }
    if (planted) weir_text_add(&pipeline, "planted,");
    weir_text_format(&pipeline, "generate_verilog{file=\"%s\"}", file);
    return pipeline;
}

/* --- trials --- */

/* True when the pipeline has written its file. */
static bool run_pipeline(weir_pass_registry *registry, const char *text, weir_module *module) {
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass_instrument *verifier = weir_pass_verifier_new();
    weir_pass_context_add_instrument(context, verifier);
    weir_pass_context_set_level(context, WEIR_PASS_LEVEL_MAX);
    weir_pass *pass = weir_pass_parse(registry, text, WEIR_NOWHERE);
    messages.size = 0;
    weir_text_add(&messages, "");
    const bool fine = pass != NULL && weir_pass_run(context, pass, module);
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_pass_instrument_free(verifier);
    return fine;
}

/* Both in one simulation: the design as written in front. */
static void compare(const char *work, const char *pipeline, weir_rtl_design *gold, weir_rtl_design *made,
                    const char *top, const char *file) {
    batch *b = batch_new(work, "trial");
    weir_text text = {0};
    batch_result result;
    const weir_rtl_module module = weir_rtl_find_top(made, top);
    if (batch_add(b, gold, weir_rtl_choose_top(gold, NULL), "gold")) {
        weir_stimulus *stimulus = weir_stimulus_new(made, module, BATCH_CYCLES, BATCH_SEED);
        b->top = weir_grow(b->top, &b->capacity, b->count + 1, sizeof *b->top);
        b->top[b->count++] = (weir_replay_top){NULL, module, top, stimulus};
        b->top[1].design = made;
        b->files.path = weir_grow(b->files.path, &b->files.capacity, b->files.count + 1, sizeof *b->files.path);
        b->files.path[b->files.count++] = weir_copy_string(file);
        if (!batch_simulate(b, WEIR_SIM_ICARUS) ||
            !batch_compare(&b->trace[0], &b->trace[1], b->top[0].stimulus, &result, &text)) {
            weir_text_format(&text, "\n%s: %s\n", top, pipeline);
            complain("results", text.data);
        }
        b->top[1].design = NULL; /* the module's */
    } else {
        weir_rtl_design_free(gold);
    }
    weir_text_free(&text);
    batch_free(b);
}

static void try_once(const char *path, const char *work, bool planted, count *n) {
    weir_rtl_design *made = weir_rtl_load_text(path), *gold = weir_rtl_load_text(path);
    const weir_rtl_module top = weir_rtl_choose_top(made, NULL);
    char *name = weir_copy_string(weir_rtl_get_module(made, top).name), *file = weir_path_join(work, "made.v");
    weir_text why = {0};
    weir_module *module = weir_module_new("design");
    weir_module_set_rtl(module, made, name);
    weir_pass_registry *registry = weir_pass_registry_new();
    weir_passes_register(registry);
    weir_pass_registry_add(registry, &planted_pass);
    weir_text pipeline = random_pipeline(registry, file, planted);
    if (!run_pipeline(registry, pipeline.data, module)) {
        n->refused++;
        if (strstr(messages.data, "requires the form") == NULL && strstr(messages.data, "failed on") == NULL)
            complain("refusal", messages.data);
        weir_rtl_design_free(gold);
    } else {
        n->written++;
        if (!weir_rtl_make_plain(gold, "gold", &why)) complain("design", why.data);
        compare(work, pipeline.data, gold, weir_module_design(module), name, file);
    }
    weir_text_free(&pipeline);
    weir_text_free(&why);
    weir_pass_registry_free(registry);
    weir_module_free(module);
    free(file);
    free(name);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int is_design(const struct dirent *entry) { return strstr(entry->d_name, ".wrtl") != NULL; }

int main(int argc, char **argv) {
    const bool planted = argc == 5 && strcmp(argv[4], "--planted") == 0;
    struct dirent **entry;
    count n = {0, 0};
    const int refused = batch_refuses("check_orders FOLDER FIRST STEP [--planted]", argc == 4 || planted, true);
    if (refused != 0) return refused;
    const int designs = scandir(argv[1], &entry, is_design, by_name), step = atoi(argv[3]);
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "orders-");
    const char *work = scratch == NULL ? NULL : weir_scratch_path(scratch);
    weir_diag_set_handler(keep_message, &messages);
    for (int i = atoi(argv[2]); i < designs && work != NULL; i += step) {
        char *path = weir_path_join(argv[1], entry[i]->d_name);
        state = (uint64_t)i * 1000 + 7;
        for (int k = 0; k < TRIALS; k++) try_once(path, work, planted, &n);
        free(path);
    }
    for (int i = 0; i < designs; i++) free(entry[i]);
    if (designs >= 0) free(entry);
    printf("%zu written, %zu refused\n", n.written, n.refused);
    if (n.written == 0 || (!planted && n.refused == 0)) complain("trials", "none of one kind");
    weir_scratch_free(scratch);
    weir_text_free(&messages);
    return case_status(planted ? "results" : NULL);
}
