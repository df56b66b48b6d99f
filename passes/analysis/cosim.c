#include "passes/analysis/cosim.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/file.h"
#include "support/process.h"

/* --- building --- */

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The Verilog files of FOLDER/sub in order of their names; heap strings. */
static bool list_verilog(const char *folder, const char *sub, char ***files, size_t *count, size_t *capacity) {
    char *path = weir_path_join(folder, sub);
    DIR *directory = opendir(path);
    size_t first = *count;
    if (directory == NULL) weir_error(weir_at(path, 0), "no such folder; compile the model first");
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        size_t size = strlen(entry->d_name);
        if (size < 3 || strcmp(entry->d_name + size - 2, ".v") != 0) continue;
        *files = weir_grow(*files, capacity, *count + 1, sizeof **files);
        (*files)[(*count)++] = weir_path_join(path, entry->d_name);
    }
    if (directory != NULL) closedir(directory);
    if (*count > first) qsort(*files + first, *count - first, sizeof **files, compare_names);
    free(path);
    return directory != NULL;
}

static int build(const char *folder, const weir_cosim_options *options, weir_sim_artifact *artifact) {
    char **files = NULL;
    size_t count = 0, capacity = 0;
    bool fine = list_verilog(folder, options->debug ? "tb_debug" : "tb", &files, &count, &capacity);
    if (options->netlist == NULL) {
        fine = fine && list_verilog(folder, "rtl", &files, &count, &capacity);
    } else {
        files = weir_grow(files, &capacity, count + 1, sizeof *files);
        files[count++] = weir_copy_string(options->netlist);
        for (size_t i = 0; options->netlist_files != NULL && options->netlist_files[i] != NULL; i++) {
            files = weir_grow(files, &capacity, count + 1, sizeof *files);
            files[count++] = weir_copy_string(options->netlist_files[i]);
        }
    }
    static const char *const netlist_defines[] = {"NO_ICE40_DEFAULT_ASSIGNMENTS"};
    weir_sim_job job = {.simulator = options->simulator,
                        .files = (const char *const *)files,
                        .file_count = count,
                        .defines = netlist_defines,
                        .define_count = options->netlist == NULL ? 0 : 1};
    int status = fine ? weir_sim_build(&job, artifact) : WEIR_EXIT_INPUT;
    for (size_t i = 0; i < count; i++) free(files[i]);
    free(files);
    return status;
}

/* --- running --- */

static weir_stream_layout layout_of(const weir_graph *graph, weir_value value) {
    weir_stream_layout layout = {.lanes = (uint32_t)weir_hardware_lanes(graph, value),
                                 .frame_elements = (uint64_t)weir_hardware_elements(graph, value)};
    layout.element_bits = (uint32_t)weir_hardware_width(graph, value, &layout.is_signed);
    return layout;
}

typedef struct session {
    const weir_graph *graph;
    const weir_reference *reference;
    const weir_cosim_options *options;
    int64_t frames;
    weir_sim_port *sources, *sinks, *taps;
    size_t meters;
} session;

static weir_sim_port port_of(const session *s, const weir_codes *codes, size_t index) {
    weir_stream_layout layout = layout_of(s->graph, codes->value);
    weir_sim_port port = {.index = (uint32_t)index,
                          .width = weir_stream_width(&layout),
                          .profile = s->options->profile,
                          .beats = (size_t)s->frames * weir_stream_frame_beats(&layout)};
    return port;
}

static size_t component_count(const weir_graph *graph) {
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        count += weir_hardware_role(graph, node) == WEIR_ROLE_COMPONENT;
    return count;
}

static void prepare(session *s) {
    const weir_reference *r = s->reference;
    s->sources = weir_calloc(r->input_count + 1, sizeof *s->sources);
    s->sinks = weir_calloc(r->output_count + 1, sizeof *s->sinks);
    s->taps = weir_calloc(r->tap_count + 1, sizeof *s->taps);
    for (size_t i = 0; i < r->input_count; i++) {
        weir_stream_layout layout = layout_of(s->graph, r->inputs[i].value);
        s->sources[i] = port_of(s, &r->inputs[i], i);
        s->sources[i].records =
            weir_beats_pack(&layout, r->inputs[i].code, (size_t)s->frames, &s->sources[i].beats);
    }
    for (size_t i = 0; i < r->output_count; i++) s->sinks[i] = port_of(s, &r->outputs[i], i);
    for (size_t i = 0; i < r->tap_count; i++) s->taps[i] = port_of(s, &r->taps[i], i);
    s->meters = component_count(s->graph);
}

static void release(session *s) {
    for (size_t i = 0; i < s->reference->input_count; i++) free((void *)s->sources[i].records);
    free(s->sources);
    free(s->sinks);
    free(s->taps);
}

static int simulate(session *s, const char *folder, const weir_sim_artifact *artifact, weir_sim_result *result) {
    char *rtl = weir_path_join(folder, "rtl");
    char *name = weir_format("run_%s_%d%s", weir_simulator_name(s->options->simulator), (int)s->options->profile,
                             s->options->debug ? "_debug" : "");
    weir_sim_run run = {.folder = rtl,
                        .name = name,
                        .seed = s->options->seed,
                        .random_start = true,
                        .sources = s->sources,
                        .source_count = s->reference->input_count,
                        .sinks = s->sinks,
                        .sink_count = s->reference->output_count};
    if (s->options->debug) {
        run.taps = s->taps;
        run.tap_count = s->reference->tap_count;
        run.meter_count = s->meters;
    }
    int status = weir_sim_run_bench(artifact, &run, result);
    free(rtl);
    free(name);
    return status;
}

/* --- judging --- */

static const char *name_of_stream(const weir_graph *graph, weir_value value) {
    weir_node producer = weir_value_producer(graph, value);
    return producer.id == 0 ? weir_value_name(graph, value) : weir_node_name(graph, producer);
}

static void judge_stream(const session *s, const weir_codes *codes, const weir_sim_stream *stream, bool output,
                         weir_cosim *result) {
    weir_stream_layout layout = layout_of(s->graph, codes->value);
    weir_comparison comparison;
    bool same = weir_scoreboard_compare(&layout, codes->code, (size_t)s->frames, &stream->recorded, &comparison);
    const char *name = name_of_stream(s->graph, codes->value);
    if (output) {
        result->compared += (uint64_t)(s->frames * codes->elements);
        result->mismatches += comparison.wrong_values + comparison.unknown_values + comparison.wrong_lasts +
                              (uint64_t)(comparison.missing_beats + comparison.extra_beats) * layout.lanes;
    }
    if (!same && !result->diverged) {
        result->diverged = true;
        result->where = weir_copy_string(name);
        result->first = comparison;
    }
    if (stream->violation != 0 && result->violation == NULL)
        result->violation = weir_format("%s: %s at cycle %u", name, weir_sim_violation_name(stream->violation),
                                        (unsigned)stream->violation_cycle);
}

static void keep_outputs(const session *s, const weir_sim_result *run, weir_cosim *result) {
    result->output_count = s->reference->output_count;
    result->output = weir_calloc(result->output_count + 1, sizeof *result->output);
    for (size_t i = 0; i < result->output_count; i++) {
        const weir_codes *codes = &s->reference->outputs[i];
        weir_stream_layout layout = layout_of(s->graph, codes->value);
        uint64_t beats = weir_stream_frame_beats(&layout);
        const weir_beats *found = &run->sinks[i].recorded;
        result->output[i] = weir_calloc((size_t)(s->frames * codes->elements) + 1, sizeof **result->output);
        for (int64_t e = 0; e < s->frames * codes->elements; e++) {
            uint64_t frame = (uint64_t)(e / codes->elements), element = (uint64_t)(e % codes->elements);
            size_t beat = (size_t)(frame * beats + element / layout.lanes);
            if (beat < found->count)
                result->output[i][e] =
                    weir_beat_element(&layout, weir_beat_data(found, beat), (uint32_t)(element % layout.lanes));
        }
    }
}

/* Cycles a frame at a stream: from the end of the second quarter of the frames to the last one. */
static double interval_of(const session *s, const weir_codes *codes, const weir_beats *beats) {
    weir_stream_layout layout = layout_of(s->graph, codes->value);
    int64_t per_frame = (int64_t)weir_stream_frame_beats(&layout), first = s->frames / 2, last = s->frames - 1;
    if (last - first < 1 || beats->count < (size_t)(s->frames * per_frame)) return 0;
    uint32_t from = weir_beat_cycle(beats, (size_t)((first + 1) * per_frame - 1));
    uint32_t to = weir_beat_cycle(beats, (size_t)((last + 1) * per_frame - 1));
    return (double)(to - from) / (double)(last - first);
}

static void measure(const session *s, const weir_sim_result *run, weir_cosim *result) {
    const weir_codes *codes = &s->reference->outputs[0];
    weir_stream_layout layout = layout_of(s->graph, codes->value);
    size_t per_frame = (size_t)weir_stream_frame_beats(&layout);
    if (run->sinks[0].recorded.count >= per_frame)
        result->latency = (int64_t)weir_beat_cycle(&run->sinks[0].recorded, per_frame - 1) -
                          (int64_t)run->sources[0].first_cycle + 1;
    result->interval = interval_of(s, codes, &run->sinks[0].recorded);
    if (!s->options->debug) return;
    result->activity_count = s->meters;
    result->activity = weir_calloc(s->meters + 1, sizeof *result->activity);
    size_t meter = 0, tap = 0;
    for (weir_node node = weir_graph_first(s->graph); node.id != 0; node = weir_node_next(s->graph, node)) {
        if (weir_hardware_role(s->graph, node) != WEIR_ROLE_COMPONENT) continue;
        result->activity[meter] = (weir_activity){node, run->meters[meter],
                                                  interval_of(s, &s->reference->taps[tap], &run->taps[tap].recorded)};
        meter++;
        tap += weir_node_output_count(s->graph, node);
    }
}

int weir_cosim_run(const weir_graph *hardware, const char *folder, const weir_reference *reference,
                   const weir_cosim_options *options, weir_cosim *result) {
    session s = {.graph = hardware, .reference = reference, .options = options};
    int64_t available = options->debug ? reference->debug_frames : reference->frames;
    s.frames = options->frames == 0 || options->frames > available ? available : options->frames;
    *result = (weir_cosim){.simulator = options->simulator, .profile = options->profile, .debug = options->debug,
                           .frames = s.frames};
    weir_sim_artifact artifact = {0};
    int status = build(folder, options, &artifact);
    if (status != WEIR_EXIT_FINE) return status;
    result->build_seconds = artifact.seconds;
    result->cached = artifact.cached;
    prepare(&s);
    weir_sim_result run = {0};
    status = simulate(&s, folder, &artifact, &run);
    if (status == WEIR_EXIT_FINE) {
        result->status = run.status;
        result->cycles = run.cycles;
        result->seconds = run.seconds;
        for (size_t i = 0; options->debug && i < reference->tap_count; i++)
            judge_stream(&s, &reference->taps[i], &run.taps[i], false, result);
        for (size_t i = 0; i < reference->output_count; i++)
            judge_stream(&s, &reference->outputs[i], &run.sinks[i], true, result);
        keep_outputs(&s, &run, result);
        measure(&s, &run, result);
    }
    weir_sim_result_free(&run);
    weir_sim_artifact_free(&artifact);
    release(&s);
    return status;
}

void weir_cosim_free(weir_cosim *result) {
    free(result->where);
    free(result->violation);
    for (size_t i = 0; i < result->output_count; i++) free(result->output[i]);
    free(result->output);
    free(result->activity);
}

bool weir_cosim_is_right(const weir_cosim *result) {
    return result->status == WEIR_SIM_DONE && result->mismatches == 0 && !result->diverged && result->violation == NULL;
}
