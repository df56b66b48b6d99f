/* tests/op: random graphs of each component, emitted, simulated and compared with the software reference, every value.
 *   op SEED KIND COUNT SIMULATOR PROFILE [FIRST] [--planted value|memory]
 * runs the cases FIRST .. FIRST + COUNT - 1 of a kind (kinds.c) under a back-pressure profile or "all" of them. A case
 * depends on the seed, the kind and its number only. With a planted fault the hardware must be found wrong: in every
 * case when an expected value is changed, in one at least when a memory's content is (not every bit of it matters). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "cosim/cosim.h"
#include "cosim/runtime.h"
#include "ir/print.h"
#include "pass/context.h"
#include "pass/pass.h"
#include "passes/passes.h"
#include "support/arena.h"
#include "support/file.h"
#include "support/scratch.h"

enum { SKIP = 77 };

typedef enum planted { PLANTED_NOTHING, PLANTED_VALUE, PLANTED_MEMORY } planted;

typedef struct op_run {
    const char *program;
    const char *seed_text;
    uint64_t seed;
    const op_kind *kind;
    int64_t first, count;
    weir_simulator simulator;
    bool profile[WEIR_SIM_PROFILES];
    planted fault;
    weir_pass_registry *registry;
    char *folder;
    int64_t caught, simulations;
} op_run;

static void mix(uint64_t *state, uint64_t with) {
    *state = (*state ^ with) * 0xD6E8FEB86659FD93u;
    *state ^= *state >> 32;
}

static uint64_t state_of(const op_run *run, int64_t number) {
    uint64_t state = 0x5851F42D4C957F2Du;
    mix(&state, run->seed);
    for (const char *c = run->kind->name; *c != '\0'; c++) mix(&state, (unsigned char)*c);
    mix(&state, (uint64_t)number);
    return state;
}

static bool emit(const op_run *run, weir_module *module) {
    weir_pass *pass = weir_pass_parse(run->registry, "emit_verilog_top,emit_bram,emit_internal_rtl,emit_verilog_tb",
                                      weir_at("op", 1));
    weir_pass_context *context = weir_pass_context_new(run->registry);
    bool fine = pass != NULL && weir_pass_run(context, pass, module);
    weir_pass_context_free(context);
    weir_pass_free(pass);
    return fine;
}

/* One bit of the memory's first word changes, not one of the top digit, which may be partly beyond the word. */
static bool change_memory(const op_run *run, op_case *c) {
    static const char digits[] = "0123456789abcdef";
    char *path = weir_format("%s/rtl/%s.hex", run->folder, run->kind->parameters);
    size_t size;
    char *text = weir_file_read(path, &size);
    size_t length = text == NULL ? 0 : strcspn(text, "\n");
    bool fine = length > 0;
    if (fine) {
        size_t at = length == 1 ? 0 : (size_t)op_range(c, 1, (int64_t)length - 1);
        const char *digit = strchr(digits, text[at]);
        text[at] = digits[(digit - digits) ^ (length == 1 ? 1 : 1 << op_range(c, 0, 3))];
        fine = weir_file_write(path, text, size);
    }
    free(text);
    free(path);
    return fine;
}

static void describe(const weir_cosim *result, weir_sim_profile profile) {
    weir_text text = {NULL, 0, 0};
    weir_scoreboard_print(&result->first, &text);
    fprintf(stderr, "%s, profile %s%s: %s; %s%s%s%s%s\n", weir_simulator_name(result->simulator),
            weir_profile_name(profile), result->debug ? ", taps" : "", weir_sim_status_name(result->status),
            result->where == NULL ? "" : result->where, result->where == NULL ? "" : ": ",
            result->diverged ? text.data : "values are right", result->violation == NULL ? "" : "; ",
            result->violation == NULL ? "" : result->violation);
    weir_text_free(&text);
}

/* Whether the hardware was as it must be: right, or with a planted fault wrong. */
static bool simulate(op_run *run, op_case *c, const weir_reference *reference, weir_sim_profile profile, bool debug,
                     bool *wrong) {
    weir_cosim_options options = {
        .simulator = run->simulator, .profile = profile, .seed = (uint32_t)op_bits(c), .debug = debug};
    weir_cosim result;
    if (weir_cosim_run(c->graph, run->folder, reference, &options, &result) != WEIR_EXIT_FINE) return false;
    bool right = weir_cosim_is_right(&result);
    run->simulations++;
    *wrong |= !right;
    if (!right && run->fault == PLANTED_NOTHING) describe(&result, profile);
    weir_cosim_free(&result);
    return right || run->fault != PLANTED_NOTHING;
}

/* Icarus builds both benches, Verilator one: taps in every other case. */
static bool simulate_all(op_run *run, op_case *c, const weir_reference *reference, int64_t number, bool *wrong) {
    bool fine = true;
    for (int debug = 0; debug < 2; debug++) {
        if (run->simulator == WEIR_SIM_VERILATOR && debug != number % 2) continue;
        int only = (int)op_range(c, 0, WEIR_SIM_PROFILES - 1);
        for (int p = 0; fine && p < WEIR_SIM_PROFILES; p++) {
            bool wanted = run->simulator == WEIR_SIM_VERILATOR || debug == 0 || p == only;
            if (run->profile[p] && wanted) fine = simulate(run, c, reference, (weir_sim_profile)p, debug != 0, wrong);
        }
    }
    return fine;
}

static bool check_case(op_run *run, op_case *c, weir_module *module, int64_t number) {
    bool fine = emit(run, module), wrong = false;
    weir_reference *reference = fine ? weir_reference_new(c->graph, (const weir_array *const *)c->data, 0, 6) : NULL;
    fine = reference != NULL;
    if (fine && run->fault == PLANTED_VALUE) {
        const weir_codes *codes = &reference->outputs[0];
        codes->code[op_range(c, 0, codes->elements - 1)] ^= 1;
    }
    if (fine && run->fault == PLANTED_MEMORY) fine = change_memory(run, c);
    fine = fine && simulate_all(run, c, reference, number, &wrong);
    run->caught += wrong;
    weir_reference_free(reference);
    return fine;
}

static bool run_case(op_run *run, int64_t number) {
    op_case c = {.random = state_of(run, number), .folder = run->folder, .graph = weir_graph_new("hardware")};
    bool fine = weir_make_folder(run->folder);
    if (fine) run->kind->build(&c);
    weir_module *module = weir_module_new("op");
    weir_module_set_folder(module, run->folder);
    weir_module_add_graph(module, c.graph);
    fine = fine && check_case(run, &c, module, number);
    if (!fine) {
        char *path = weir_path_join(run->folder, "hardware.weir");
        weir_graph_save(c.graph, path);
        fprintf(stderr, "failed: %s case %lld; graph and Verilog are in %s; reproduce with\n  %s %s %s 1 %s all %lld\n",
                run->kind->name, (long long)number, run->folder, run->program, run->seed_text, run->kind->name,
                weir_simulator_name(run->simulator), (long long)number);
        free(path);
    } else {
        weir_remove_tree(run->folder);
    }
    op_free_data(&c);
    weir_module_free(module);
    return fine;
}

static bool read_choice(op_run *run, const char *kind, const char *simulator, const char *profile) {
    for (run->kind = op_kinds; run->kind->name != NULL && strcmp(run->kind->name, kind) != 0;) run->kind++;
    int s = 0;
    while (s < WEIR_SIMULATORS && strcmp(weir_simulator_name((weir_simulator)s), simulator) != 0) s++;
    run->simulator = (weir_simulator)s;
    bool any = false;
    for (int p = 0; p < WEIR_SIM_PROFILES; p++) {
        run->profile[p] = strcmp(profile, "all") == 0 || strcmp(profile, weir_profile_name((weir_sim_profile)p)) == 0;
        any |= run->profile[p];
    }
    return run->kind->name != NULL && s < WEIR_SIMULATORS && any;
}

static bool read_arguments(op_run *run, int count, char **argument) {
    if (count >= 8 && strcmp(argument[count - 2], "--planted") == 0) {
        run->fault = strcmp(argument[count - 1], "memory") == 0 ? PLANTED_MEMORY : PLANTED_VALUE;
        count -= 2;
    }
    if (count < 6 || count > 7) return false;
    run->program = argument[0];
    run->seed_text = argument[1];
    run->seed = strtoull(argument[1], NULL, 10);
    run->count = strtoll(argument[3], NULL, 10);
    run->first = count == 7 ? strtoll(argument[6], NULL, 10) : 0;
    return read_choice(run, argument[2], argument[4], argument[5]);
}

int main(int count, char **argument) {
    op_run run = {.fault = PLANTED_NOTHING};
    if (!read_arguments(&run, count, argument)) {
        fprintf(stderr, "usage: op SEED KIND COUNT SIMULATOR PROFILE [FIRST] [--planted value|memory]\n");
        return 2;
    }
    if (!weir_simulator_found(run.simulator)) {
        printf("%s is not installed: skipped\n", weir_simulator_name(run.simulator));
        return SKIP;
    }
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "op-", NULL);
    if (scratch == NULL) return 1;
    run.folder = weir_path_join(weir_scratch_path(scratch), "design");
    run.registry = weir_pass_registry_new();
    bool fine = weir_passes_register(run.registry);
    printf("%s, seed %s, cases %lld to %lld on %s\n", run.kind->name, run.seed_text, (long long)run.first,
           (long long)(run.first + run.count - 1), weir_simulator_name(run.simulator));
    fflush(stdout);
    for (int64_t i = 0; fine && i < run.count; i++) fine = run_case(&run, run.first + i);
    weir_pass_registry_free(run.registry);
    free(run.folder);
    if (fine) weir_scratch_free(scratch);
    else weir_scratch_keep(scratch);
    printf("%lld simulations, %s\n", (long long)run.simulations, fine ? "all as expected" : "stopped at a failure");
    if (run.fault == PLANTED_NOTHING) return fine ? 0 : 3;
    int64_t wanted = run.fault == PLANTED_VALUE ? run.count : 1;
    printf("planted faults caught: %lld, expected at least %lld\n", (long long)run.caught, (long long)wanted);
    return fine && run.caught >= wanted ? 0 : 3;
}
