/* Random graphs of a component, emitted, simulated and compared with the software reference, every value.
 *   component SEED NAME COUNT SIMULATOR PROFILE [FIRST] [--planted]
 * runs the cases FIRST .. FIRST + COUNT - 1 of a folder (its random.c) under a back-pressure profile, "all" of them, or
 * "turns": one each case, or "pairs": in each case the one without pauses and another one. A case depends on the seed,
 * the name and its number only. With "lint" in the profile's place nothing is simulated: the tools must be silent on
 * each design, and one has the component's module; planted, none is silent. With --planted the hardware must be found
 * wrong: in each of two cases when an expected value is changed, in one of COUNT when a memory's content is (not every
 * bit of it matters), or stuck in one of COUNT when Fifos where branches join are as shallow as can be; and where one
 * component's time can be told from outside, a latency that is a cycle off must be found in each. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "component/case.h"
#include "component/lint.h"
#include "component/timing.h"
#include "cosim/cosim.h"
#include "cosim/runtime.h"
#include "dataflow/component.h"
#include "dataflow/cost/target.h"
#include "ir/graph/print.h"
#include "pass/core/context.h"
#include "pass/core/pass.h"
#include "passes/passes.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"

enum { SKIP = 77 };

typedef enum planted { PLANTED_NOTHING, PLANTED_VALUE, PLANTED_MEMORY, PLANTED_DEPTH, PLANTED_LATENCY } planted;

typedef struct component_run {
    const char *program;
    const char *seed_text;
    uint64_t seed;
    const component_test *test;
    int64_t first, count;
    weir_simulator simulator;
    bool profile[WEIR_SIM_PROFILES], turns, pairs, lints;
    planted fault;
    weir_pass_registry *registry;
    char *folder;
    int64_t caught, simulations, timed;
} component_run;

static void mix(uint64_t *state, uint64_t with) {
    *state = (*state ^ with) * 0xD6E8FEB86659FD93u;
    *state ^= *state >> 32;
}

static uint64_t state_of(const component_run *run, int64_t number, uint64_t what) {
    uint64_t state = 0x5851F42D4C957F2Du;
    mix(&state, run->seed + what);
    for (const char *c = run->test->name; *c != '\0'; c++) mix(&state, (unsigned char)*c);
    mix(&state, (uint64_t)number);
    return state;
}

static bool emit(const component_run *run, weir_module *module) {
    weir_pass *pass = weir_pass_parse(run->registry, "emit_verilog_top,emit_bram,emit_internal_rtl,emit_verilog_tb",
                                      weir_at("component", 1));
    weir_pass_context *context = weir_pass_context_new(run->registry);
    bool fine = pass != NULL && weir_pass_run(context, pass, module);
    weir_pass_context_free(context);
    weir_pass_free(pass);
    return fine;
}

/* One bit of the memory's first word changes, not one of the top digit, which may be partly beyond the word. */
static bool change_memory(const component_run *run, component_case *c) {
    static const char digits[] = "0123456789abcdef";
    char *path = weir_format("%s/rtl/%s.hex", run->folder, run->test->parameters);
    size_t size;
    char *text = weir_file_read(path, &size);
    size_t length = text == NULL ? 0 : strcspn(text, "\n");
    bool fine = length > 0;
    if (fine) {
        size_t at = length == 1 ? 0 : (size_t)case_range(c, 1, (int64_t)length - 1);
        const char *digit = strchr(digits, text[at]);
        text[at] = digits[(digit - digits) ^ (length == 1 ? 1 : 1 << case_range(c, 0, 3))];
        fine = weir_file_write(path, text, size);
    }
    free(text);
    free(path);
    return fine;
}

/* As `mutants` reads it. */
static void blame(weir_graph *graph, const char *name) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const char *module = weir_node_metadata(graph, node)->hardware.module;
        if (module != NULL && strcmp(weir_node_name(graph, node), name) == 0) printf("blamed: %s %s\n", name, module);
    }
}

static void describe(weir_graph *graph, const weir_cosim *result, weir_sim_profile profile) {
    weir_text text = {NULL, 0, 0};
    weir_scoreboard_print(&result->first, &text);
    fprintf(stderr, "%s, profile %s%s: %s; %s%s%s%s%s\n", weir_simulator_name(result->simulator),
            weir_profile_name(profile), result->debug ? ", taps" : "", weir_sim_status_name(result->status),
            result->where == NULL ? "" : result->where, result->where == NULL ? "" : ": ",
            result->diverged ? text.data : "values are right", result->violation == NULL ? "" : "; ",
            result->violation == NULL ? "" : result->violation);
    weir_text_free(&text);
    if (result->diverged) {
        blame(graph, result->where);
    } else if (result->violation != NULL) {
        char *name = weir_format("%.*s", (int)strcspn(result->violation, ":"), result->violation);
        blame(graph, name);
        free(name);
    }
}

/* Describes a run again, with taps, which know the component that is wrong; if they find none, as it was. */
static void find_wrong(component_run *run, component_case *c, const weir_reference *reference,
                       const weir_cosim_options *options, const weir_cosim *result) {
    weir_cosim_options again = *options;
    weir_cosim debug = {0};
    again.debug = true;
    const bool ran = weir_cosim_run(c->graph, run->folder, reference, &again, &debug) == WEIR_EXIT_FINE;
    describe(c->graph, ran && !weir_cosim_is_right(&debug) ? &debug : result, options->profile);
    weir_cosim_free(&debug);
}

/* Whether the hardware was as it must be: right, or with a planted fault wrong. */
static bool simulate(component_run *run, component_case *c, const weir_reference *reference, weir_sim_profile profile,
                     bool debug, bool *wrong) {
    weir_cosim_options options = {.asserts = true,
                                  .simulator = run->simulator,
                                  .profile = profile,
                                  .seed = (uint32_t)case_bits(c),
                                  .debug = debug};
    weir_cosim result;
    if (weir_cosim_run(c->graph, run->folder, reference, &options, &result) != WEIR_EXIT_FINE) return false;
    bool right = weir_cosim_is_right(&result);
    if (right && profile == WEIR_SIM_ALWAYS && timing_is_visible(c->graph)) {
        right = timing_is(c->graph, &result, run->fault == PLANTED_LATENCY);
        run->timed++;
    }
    run->simulations++;
    *wrong |= run->fault == PLANTED_DEPTH ? result.status == WEIR_SIM_DEADLOCK : !right;
    if (!right && run->fault == PLANTED_NOTHING) find_wrong(run, c, reference, &options, &result);
    weir_cosim_free(&result);
    return right || run->fault != PLANTED_NOTHING;
}

/* The same bench with frames that are too short or too long. */
static bool simulate_malformed(component_run *run, component_case *c, const weir_reference *reference,
                               weir_sim_profile profile, bool debug) {
    const weir_cosim_options options = {.simulator = run->simulator,
                                        .asserts = true,
                                        .profile = profile,
                                        .seed = (uint32_t)case_bits(c),
                                        .one_bench = debug,
                                        .malformed = true};
    weir_cosim result;
    if (weir_cosim_run(c->graph, run->folder, reference, &options, &result) != WEIR_EXIT_FINE) return false;
    const bool right = weir_cosim_is_right(&result);
    run->simulations++;
    if (!right) {
        fprintf(stderr, "malformed frames: %lld of %lld%s%s\n", (long long)result.damaged, (long long)result.frames,
                result.miscounted == NULL ? "" : "; ", result.miscounted == NULL ? "" : result.miscounted);
        describe(c->graph, &result, profile);
    }
    weir_cosim_free(&result);
    return right;
}

/* One bench a case, since building it takes as long as running it: with taps in every other case. */
static bool simulate_all(component_run *run, component_case *c, const weir_reference *reference, int64_t number,
                         bool *wrong) {
    bool fine = true;
    for (int p = 0; fine && p < WEIR_SIM_PROFILES; p++)
        if (run->profile[p] || (run->turns && p == number % WEIR_SIM_PROFILES) ||
            (run->pairs && p == 1 + number % (WEIR_SIM_PROFILES - 1)))
            fine = simulate(run, c, reference, (weir_sim_profile)p, number % 2 != 0, wrong) &&
                   (run->fault != PLANTED_NOTHING ||
                    simulate_malformed(run, c, reference, (weir_sim_profile)p, number % 2 != 0));
    return fine;
}

static void cut_fifos(weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        if (weir_node_op(graph, node) == WEIR_OP_FIFO)
            weir_settings_set(&weir_node_metadata(graph, node)->hardware.settings, "depth", WEIR_SETTINGS_AFTER_LANES,
                              2);
}

/* Of the row of that name; NULL: there is none. */
static const char *component_module(const char *name) {
    for (size_t i = 0; i < weir_component_count(); i++)
        if (strcmp(weir_component_at(i)->name, name) == 0) return weir_component_at(i)->module;
    return NULL;
}

static bool check_case(component_run *run, component_case *c, weir_module *module, int64_t number) {
    if (run->fault == PLANTED_DEPTH) cut_fifos(c->graph);
    bool fine = emit(run, module), wrong = false;
    if (run->lints) {
        const char *name = component_module(run->test->name);
        run->caught += name == NULL || lint_has_module(run->folder, name);
        fine = fine && (run->fault == PLANTED_NOTHING || lint_plant(run->folder));
        return fine && lint_is_clean(run->folder) == (run->fault == PLANTED_NOTHING);
    }
    weir_reference *reference = fine ? weir_reference_new(c->graph, (const weir_array *const *)c->data, 0, 6) : NULL;
    fine = reference != NULL && timing_agrees(c->graph);
    if (fine && run->fault == PLANTED_VALUE) {
        const weir_codes *codes = &reference->outputs[0];
        codes->code[case_range(c, 0, codes->elements - 1)] ^= 1;
    }
    if (fine && run->fault == PLANTED_MEMORY) fine = change_memory(run, c);
    fine = fine && simulate_all(run, c, reference, number, &wrong);
    run->caught += wrong;
    weir_reference_free(reference);
    return fine;
}

/* One of each family, for half of the cases. */
static const char *device_of(const component_run *run, int64_t number) {
    static const char *const devices[] = {"ecp5-45k", "xc7a35t", "ice40up5k", "gw2ar-18"};
    const uint64_t drawn = state_of(run, number, (uint64_t)1 << 32) >> 32;
    return drawn % 2 == 0 ? NULL : devices[drawn / 2 % (sizeof devices / sizeof *devices)];
}

static bool run_case(component_run *run, int64_t number) {
    component_case c = {.random = state_of(run, number, 0),
                        .folder = run->folder,
                        .device = device_of(run, number),
                        .graph = weir_graph_new("hardware")};
    bool fine = weir_make_folder(run->folder) && weir_target_set(c.graph, c.device, 0);
    if (fine) run->test->build(&c);
    weir_module *module = weir_module_new("component");
    weir_module_set_folder(module, run->folder);
    weir_module_add_graph(module, c.graph);
    fine = fine && check_case(run, &c, module, number);
    if (!fine) {
        char *path = weir_path_join(run->folder, "hardware.weir");
        weir_graph_save(c.graph, path);
        fprintf(stderr, "failed: %s case %lld; graph and Verilog are in %s; reproduce with\n  %s %s %s 1 %s all %lld\n",
                run->test->name, (long long)number, run->folder, run->program, run->seed_text, run->test->name,
                weir_simulator_name(run->simulator), (long long)number);
        free(path);
    } else {
        weir_remove_tree(run->folder);
    }
    case_free_data(&c);
    weir_module_free(module);
    return fine;
}

static bool read_choice(component_run *run, const char *name, const char *simulator, const char *profile) {
    const component_test *const *test = component_tests;
    while (*test != NULL && strcmp((*test)->name, name) != 0) test++;
    run->test = *test;
    int s = 0;
    while (s < WEIR_SIMULATORS && strcmp(weir_simulator_name((weir_simulator)s), simulator) != 0) s++;
    run->simulator = (weir_simulator)s;
    run->turns = strcmp(profile, "turns") == 0;
    run->pairs = strcmp(profile, "pairs") == 0;
    run->lints = strcmp(profile, "lint") == 0;
    bool any = run->turns || run->pairs || run->lints;
    for (int p = 0; p < WEIR_SIM_PROFILES; p++) {
        run->profile[p] = (run->pairs && p == WEIR_SIM_ALWAYS) || strcmp(profile, "all") == 0 ||
                          strcmp(profile, weir_profile_name((weir_sim_profile)p)) == 0;
        any |= run->profile[p];
    }
    return run->test != NULL && s < WEIR_SIMULATORS && any;
}

static bool read_arguments(component_run *run, int count, char **argument) {
    if (count >= 7 && strcmp(argument[count - 1], "--planted") == 0) {
        run->fault = PLANTED_VALUE;
        count--;
    }
    if (count < 6 || count > 7) return false;
    run->program = argument[0];
    run->seed_text = argument[1];
    run->seed = strtoull(argument[1], NULL, 10);
    run->count = strtoll(argument[3], NULL, 10);
    run->first = count == 7 ? strtoll(argument[6], NULL, 10) : 0;
    return read_choice(run, argument[2], argument[4], argument[5]);
}

/* Until as many are caught as are wanted. */
static bool run_cases(component_run *run, int64_t wanted) {
    for (int64_t i = 0; i < run->count && run->caught < wanted; i++) {
        if (!run_case(run, run->first + i)) return false;
    }
    return true;
}

static bool caught_at_least(const component_run *run, const char *what, int64_t wanted) {
    printf("%s: %lld caught, expected at least %lld\n", what, (long long)run->caught, (long long)wanted);
    return run->caught >= wanted;
}

static bool run_planted(component_run *run) {
    component_run values = *run, memories = *run, depths = *run, latencies = *run;
    values.fault = PLANTED_VALUE;
    values.count = 2;
    memories.fault = PLANTED_MEMORY;
    depths.fault = PLANTED_DEPTH;
    latencies.fault = PLANTED_LATENCY;
    latencies.count = 2;
    bool fine = run_cases(&values, values.count) && caught_at_least(&values, "values", values.count);
    if (fine && run->test->parameters != NULL)
        fine = run_cases(&memories, 1) && caught_at_least(&memories, "memories", 1);
    if (fine && run->test->joins) fine = run_cases(&depths, 1) && caught_at_least(&depths, "depths", 1);
    fine = fine && run_cases(&latencies, latencies.count) && caught_at_least(&latencies, "latencies", latencies.timed);
    run->simulations = values.simulations + memories.simulations + depths.simulations + latencies.simulations;
    return fine;
}

int main(int count, char **argument) {
    component_run run = {.fault = PLANTED_NOTHING};
    if (!read_arguments(&run, count, argument)) {
        fprintf(stderr, "usage: component SEED NAME COUNT SIMULATOR PROFILE [FIRST] [--planted]\n");
        return 2;
    }
    if (!weir_simulator_found(run.simulator)) {
        printf("%s is not installed: skipped\n", weir_simulator_name(run.simulator));
        return SKIP;
    }
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "component-");
    if (scratch == NULL) return 1;
    run.folder = weir_path_join(weir_scratch_path(scratch), "design");
    run.registry = weir_pass_registry_new();
    bool fine = weir_passes_register(run.registry);
    printf("%s, seed %s, cases %lld to %lld on %s\n", run.test->name, run.seed_text, (long long)run.first,
           (long long)(run.first + run.count - 1), weir_simulator_name(run.simulator));
    fflush(stdout);
    if (run.lints) fine = fine && run_cases(&run, INT64_MAX) && caught_at_least(&run, "cases with the module", 1);
    else fine = fine && (run.fault == PLANTED_NOTHING ? run_cases(&run, 1) : run_planted(&run));
    weir_pass_registry_free(run.registry);
    free(run.folder);
    if (fine) weir_scratch_free(scratch);
    else weir_scratch_keep(scratch);
    printf("%lld simulations, %s\n", (long long)run.simulations, fine ? "all as expected" : "stopped at a failure");
    return fine ? 0 : 3;
}
