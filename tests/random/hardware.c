/* Random hardware designs through random pipelines of hardware passes that promise the same results: every design is
 * built twice, as emitted and in a form that the pipeline starts from; the first is printed as it is, the second after
 * the pipeline, and both are simulated side by side in Icarus, many pairs in one bench. Besides, the verifier is clean
 * and the text form round-trips. run SEED COUNT [planted|broken] prints the seed of a failure; `run SEED 1` repeats it.
 * With `planted` a pass that inverts an assignment runs in between and must be found. With `broken` the
 * designs lose statements, connections and drivers before the pipeline, which may fail, but neither crash nor leave
 * something unsound; nothing is simulated then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hardware_passes.h"
#include "design.h"
#include "pass/core/registry.h"
#include "pass/run/instrument.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/process/process.h"

enum { BATCH = 100, MAX_PASSES = 8, CYCLES = 40, SKIPPED = 77 };

typedef struct bench {
    weir_text modules, ports, drive, compare;
    char *folder;
} bench;

typedef struct runner {
    weir_pass_registry *registry;
    weir_text messages;
    bool planted, broken;
    uint64_t designs, passes, refused; /* refused: a pass asks for a form that the others have not made */
} runner;

/* --- pipelines --- */

static void keep_message(void *user, const weir_diagnostic *diagnostic) {
    weir_text_format(user, "    %s\n", diagnostic->text);
}

static void add_pass(weir_text *pipeline, const char *name) {
    if (pipeline->size > 0) weir_text_char(pipeline, ',');
    weir_text_add(pipeline, name);
}

static weir_text random_pipeline(runner *run, random_source *r, random_form form) {
    const size_t count = weir_pass_registry_count(run->registry);
    const weir_pass_info *candidate[256];
    size_t candidates = 0;
    weir_text pipeline = {NULL, 0, 0};
    weir_text_add(&pipeline, "");
    for (size_t i = 0; i < count; i++) {
        const weir_pass_info *info = weir_pass_registry_at(run->registry, i);
        if (is_exact_hardware_pass(info)) candidate[candidates++] = info;
    }
    for (int64_t i = random_range(r, 1, MAX_PASSES); i > 0; i--, run->passes++)
        add_pass(&pipeline, candidate[random_range(r, 0, (int64_t)candidates - 1)]->name);
    if (run->planted) add_pass(&pipeline, "planted");
    if (form == RANDOM_ELABORATED) add_pass(&pipeline, "elaborate");
    for (int64_t i = random_range(r, 0, 3); i > 0; i--, run->passes++)
        add_pass(&pipeline, candidate[random_range(r, 0, (int64_t)candidates - 1)]->name);
    return pipeline;
}

static bool run_pipeline(runner *run, const char *text, weir_module *module) {
    weir_pass_context *context = weir_pass_context_new(run->registry);
    weir_pass_instrument *watch[] = {weir_pass_verifier_new(), weir_pass_immutable_new()};
    for (size_t i = 0; i < 2; i++) weir_pass_context_add_instrument(context, watch[i]);
    weir_pass_context_set_level(context, WEIR_PASS_LEVEL_MAX);
    weir_pass *pass = weir_pass_parse(run->registry, text, weir_at("pipeline", 1));
    const bool fine = pass != NULL && weir_pass_run(context, pass, module);
    weir_pass_free(pass);
    weir_pass_context_free(context);
    for (size_t i = 0; i < 2; i++) weir_pass_instrument_free(watch[i]);
    return fine;
}

static bool round_trips(weir_rtl_design *design) {
    weir_text text = {NULL, 0, 0}, again = {NULL, 0, 0};
    weir_rtl_print_text(design, &text);
    weir_rtl_design *read = weir_rtl_parse_text(text.data, text.size, "design");
    if (read != NULL) weir_rtl_print_text(read, &again);
    const bool fine = read != NULL && again.size == text.size && memcmp(again.data, text.data, text.size) == 0;
    if (read != NULL) weir_rtl_design_free(read);
    weir_text_free(&text);
    weir_text_free(&again);
    return fine;
}

/* --- benches --- */

/* The design's Verilog with `prefix` before the names of all modules; returns the top. */
static weir_rtl_module add_design(bench *b, weir_rtl_design *design, const char *prefix) {
    const weir_rtl_print_options options = {.dialect = WEIR_RTL_VERILOG};
    const weir_rtl_module top = weir_rtl_find_module(design, "top");
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; i < count; i++) {
        char *name = weir_format("%s%s", prefix, weir_rtl_get_module(design, modules[i]).name);
        weir_rtl_rename(design, WEIR_RTL_ITEM(modules[i]), name);
        free(name);
    }
    free(modules);
    weir_print_hardware(design, top, &options, &b->modules);
    return top;
}

static void add_instance(bench *b, weir_rtl_design *design, weir_rtl_module top, char side, uint64_t index) {
    const weir_rtl_module_info info = weir_rtl_get_module(design, top);
    weir_text_format(&b->ports, "  %c%llu_top %c%llu (", side, (unsigned long long)index, side,
                     (unsigned long long)index);
    for (size_t i = 0; i < info.port_count; i++) {
        const weir_rtl_var_info port = weir_rtl_get_var(design, weir_rtl_port_at(design, top, i));
        const bool is_common = port.kind != WEIR_RTL_DATA;
        weir_text_format(&b->ports, "%s.%s(", i == 0 ? "" : ", ", port.name);
        if (is_common) weir_text_add(&b->ports, port.name);
        else if (port.direction == WEIR_RTL_INPUT)
            weir_text_format(&b->ports, "p%llu_%s", (unsigned long long)index, port.name);
        else weir_text_format(&b->ports, "%c%llu_%s", side, (unsigned long long)index, port.name);
        weir_text_add(&b->ports, ")");
    }
    weir_text_add(&b->ports, ");\n");
}

static void add_signals(bench *b, weir_rtl_design *gold, weir_rtl_module top, uint64_t index) {
    const weir_rtl_module_info info = weir_rtl_get_module(gold, top);
    const unsigned long long n = index;
    for (size_t i = 0; i < info.port_count; i++) {
        const weir_rtl_var_info port = weir_rtl_get_var(gold, weir_rtl_port_at(gold, top, i));
        const unsigned high = port.width - 1;
        if (port.kind != WEIR_RTL_DATA) continue;
        if (port.direction == WEIR_RTL_INPUT) {
            weir_text_format(&b->ports, "  reg [%u:0] p%llu_%s;\n", high, n, port.name);
            weir_text_format(&b->drive, "      p%llu_%s = {$random(seed), $random(seed), $random(seed)};\n", n,
                             port.name);
            continue;
        }
        weir_text_format(&b->ports, "  wire [%u:0] a%llu_%s, b%llu_%s;\n", high, n, port.name, n, port.name);
        weir_text_format(
            &b->compare,
            "      if (a%llu_%s !== b%llu_%s) $display(\"%llu %s at cycle %%0d: %%h, expected %%h\", cycle, "
            "b%llu_%s, a%llu_%s);\n",
            n, port.name, n, port.name, n, port.name, n, port.name, n, port.name);
    }
}

/* What the simulator prints: one line "INDEX OUTPUT at cycle ..." a difference. */
static bool simulate(const bench *b, weir_text *output) {
    weir_text text = {NULL, 0, 0};
    char *file = weir_path_join(b->folder, "bench.v"), *program = weir_path_join(b->folder, "bench.vvp");
    weir_text_add(&text, b->modules.data);
    weir_text_format(
        &text,
        "module bench;\n  reg clk, rst;\n  integer seed, cycle;\n%s  task compare;\n    begin\n%s    end\n"
        "  endtask\n  initial begin\n    seed = 1;\n    clk = 0;\n    rst = 0;\n    #1 rst = 1;\n"
        "    for (cycle = 0; cycle < %d; cycle = cycle + 1) begin\n%s      rst = cycle < 2 || cycle == 25;\n"
        "      #1 if (cycle > 1) compare;\n      clk = 1;\n      #1 if (cycle > 1) compare;\n      clk = 0;\n"
        "      #1;\n    end\n    $display(\"done\");\n  end\nendmodule\n",
        b->ports.data, b->compare.data, CYCLES, b->drive.data);
    bool fine = weir_file_write(file, text.data, text.size);
    const char *const compile[] = {"iverilog", "-g2005", "-o", program, file, NULL}, *const start[] = {"vvp", "-N",
                                                                                                       program, NULL};
    int status = 1;
    fine = fine &&
           weir_process_run(&(weir_process){.arguments = compile, .seconds = 300}, output, &status) ==
               WEIR_PROCESS_EXITED &&
           status == 0;
    fine =
        fine &&
        weir_process_run(&(weir_process){.arguments = start, .seconds = 300}, output, &status) == WEIR_PROCESS_EXITED &&
        status == 0 && strstr(output->data, "done\n") != NULL;
    weir_text_free(&text);
    free(file);
    free(program);
    return fine;
}

/* --- trials --- */

static void damage(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    random_source *r = user;
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    if (!random_chance(r, 8)) return;
    if (info.kind == WEIR_RTL_STMT_INSTANCE) {
        const weir_rtl_instance_info u = weir_rtl_get_instance(design, info.instance);
        const size_t ports = weir_rtl_get_module(design, u.module).port_count;
        const size_t index = (size_t)random_range(r, 0, (int64_t)ports - 1);
        weir_rtl_disconnect(design, info.instance, weir_rtl_port_at(design, u.module, index));
    } else if (info.kind == WEIR_RTL_STMT_ASSIGN && random_chance(r, 50)) {
        weir_rtl_set_timing(design, stmt, WEIR_RTL_UNDECIDED);
    } else if (info.kind == WEIR_RTL_STMT_IF && info.other.id != 0) {
        weir_rtl_remove_else(design, stmt);
    } else if (info.kind != WEIR_RTL_STMT_FUNCTION && info.kind != WEIR_RTL_STMT_RETURN) {
        weir_rtl_remove_stmt(design, stmt);
    }
}

/* A damaged design through a pipeline; NULL, or what is wrong. */
static const char *run_broken(runner *run, uint64_t seed, weir_text *pipeline) {
    random_source r = random_from(seed);
    const random_form form = seed % 2 == 0 ? RANDOM_EMITTED : RANDOM_ELABORATED;
    weir_rtl_design *design = random_design(&r, form);
    const weir_rtl_visitor visitor = {.stmt = damage};
    const weir_rtl_module top = weir_rtl_find_module(design, "top");
    weir_rtl_visit(design, top, WEIR_RTL_PARENTS_FIRST, &visitor, &r);
    const bool was_sound = weir_rtl_verify_form(design, top);
    *pipeline = random_pipeline(run, &r, form);
    weir_module *module = weir_module_new("trial");
    weir_module_set_rtl(module, design, "top");
    const bool fine = was_sound && run_pipeline(run, pipeline->data, module);
    const bool is_sound = !fine || (weir_rtl_verify_form(design, top) && round_trips(design));
    weir_module_free(module);
    return is_sound ? NULL : "the result is not sound";
}

/* One seed into the bench, unless its pipeline is refused for the form of the design; NULL, or what is wrong. */
static const char *add_trial(runner *run, bench *b, uint64_t seed, uint64_t index, weir_text *pipeline) {
    random_source r = random_from(seed), same = r;
    const random_form form = seed % 3 == 0 ? RANDOM_EMITTED : RANDOM_ELABORATED;
    weir_rtl_design *gold = random_design(&r, RANDOM_EMITTED), *gate = random_design(&same, form);
    const char *wrong = NULL;
    char prefix[32];
    *pipeline = random_pipeline(run, &r, form);
    weir_module *module = weir_module_new("trial");
    weir_module_set_rtl(module, gate, "top");
    const bool verifies = weir_rtl_verify(gold, weir_rtl_find_module(gold, "top"));
    const bool fine = verifies && run_pipeline(run, pipeline->data, module);
    const bool refused = verifies && !fine && strstr(run->messages.data, "requires the form") != NULL;
    if (!verifies) wrong = "the design does not verify";
    else if (!fine) wrong = refused ? NULL : "the pipeline fails";
    else if (!weir_rtl_verify(gate, weir_rtl_find_module(gate, "top"))) wrong = "the result does not verify";
    else if (!round_trips(gate)) wrong = "the text form of the result does not come back";
    run->refused += refused;
    if (wrong == NULL && !refused) {
        snprintf(prefix, sizeof prefix, "a%llu_", (unsigned long long)index);
        const weir_rtl_module before = add_design(b, gold, prefix);
        snprintf(prefix, sizeof prefix, "b%llu_", (unsigned long long)index);
        const weir_rtl_module after = add_design(b, gate, prefix);
        add_signals(b, gold, before, index);
        add_instance(b, gold, before, 'a', index);
        add_instance(b, gate, after, 'b', index);
    }
    weir_module_free(module);
    weir_rtl_design_free(gold);
    return wrong;
}

static void report(const char *what, uint64_t seed, const weir_text *pipeline, const char *messages) {
    printf("seed %llu: %s\n    pipeline: %s\n%s", (unsigned long long)seed, what, pipeline->data, messages);
}

/* Designs from `first` on, as many as fit into one bench; how many were wrong. */
static size_t run_batch(runner *run, uint64_t first, uint64_t count, const char *folder) {
    bench b = {.folder = weir_copy_string(folder)};
    weir_text pipeline[BATCH] = {{NULL, 0, 0}}, output = {NULL, 0, 0},
              *parts[] = {&b.modules, &b.ports, &b.drive, &b.compare};
    size_t wrong = 0;
    for (size_t i = 0; i < 4; i++) weir_text_add(parts[i], "");
    for (uint64_t i = 0; i < count; i++, run->designs++) {
        run->messages.size = 0;
        weir_text_add(&run->messages, "");
        const char *problem =
            run->broken ? run_broken(run, first + i, &pipeline[i]) : add_trial(run, &b, first + i, i, &pipeline[i]);
        if (problem == NULL) continue;
        report(problem, first + i, &pipeline[i], run->messages.data);
        wrong++;
    }
    weir_text_add(&output, "");
    if (!run->broken && !simulate(&b, &output)) {
        printf("seeds %llu to %llu: the simulator fails: %.2000s\n", (unsigned long long)first,
               (unsigned long long)(first + count - 1), output.data);
        wrong++;
    }
    bool is_wrong[BATCH] = {false};
    for (char *line, *rest = output.data; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        char *end;
        const uint64_t index = strtoull(line, &end, 10);
        if (end == line || *end != ' ' || index >= count || is_wrong[index]) continue;
        if (!run->planted) report(end + 1, first + index, &pipeline[index], "");
        is_wrong[index] = true;
        wrong++;
    }
    for (uint64_t i = 0; i < count; i++) weir_text_free(&pipeline[i]);
    for (size_t i = 0; i < 4; i++) weir_text_free(parts[i]);
    weir_text_free(&output);
    free(b.folder);
    return wrong;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: random_hardware SEED COUNT [planted|broken]\n");
        return 2;
    }
    if (!weir_process_found("iverilog")) {
        printf("skipped: there is no iverilog\n");
        return SKIPPED;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    runner run = {.registry = weir_pass_registry_new(),
                  .planted = argc > 3 && strcmp(argv[3], "planted") == 0,
                  .broken = argc > 3 && strcmp(argv[3], "broken") == 0};
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "random-");
    size_t wrong = 0;
    if (!weir_passes_register(run.registry) || !weir_pass_registry_add(run.registry, &planted_pass) || scratch == NULL)
        return 2;
    weir_diag_set_handler(keep_message, &run.messages);
    for (uint64_t i = 0; i < count; i += BATCH)
        wrong += run_batch(&run, first + i, count - i < BATCH ? count - i : BATCH, weir_scratch_path(scratch));
    printf("seed %llu: %llu designs, %llu random passes, %llu pipelines refused, %zu wrong\n",
           (unsigned long long)first, (unsigned long long)run.designs, (unsigned long long)run.passes,
           (unsigned long long)run.refused, wrong);
    if (run.refused * 4 > run.designs) {
        printf("too many are refused\n");
        wrong++;
    }
    weir_text_free(&run.messages);
    weir_pass_registry_free(run.registry);
    weir_scratch_free(scratch);
    return (wrong > 0) == run.planted ? 0 : 1;
}
