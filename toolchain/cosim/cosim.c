#include "cosim/cosim.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/damage.h"
#include "cosim/wave.h"
#include "dataflow/frame.h"
#include "ir/trait/recurrence.h"
#include "support/file/file.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/process/process.h"

/* --- the folder --- */

bool weir_cosim_copy(const char *folder, const char *work) {
    static const char *const parts[] = {"rtl", "tb", "tb_debug"};
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof parts / sizeof *parts; i++) {
        char *from = weir_path_join(folder, parts[i]), *to = weir_path_join(work, parts[i]);
        if (!weir_file_exists(from)) {
            weir_error(weir_at(from, 0), "no such folder; compile the model first");
            fine = false;
        }
        fine = fine && weir_remove_tree(to) && weir_tree_copy(from, to);
        free(from);
        free(to);
    }
    return fine;
}

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

static int build(const char *folder, const weir_cosim_options *options, int64_t cycles, weir_sim_artifact *artifact) {
    char **files = NULL;
    size_t count = 0, capacity = 0;
    bool fine =
        list_verilog(folder, options->debug || options->one_bench ? "tb_debug" : "tb", &files, &count, &capacity);
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
    static const char *const rtl_defines[] = {"WEIR_CHECK"}, *const netlist_defines[] = {
                                                                 "NO_ICE40_DEFAULT_ASSIGNMENTS"};
    weir_sim_job job = {.simulator = options->simulator,
                        .files = (const char *const *)files,
                        .file_count = count,
                        .defines = options->netlist == NULL ? rtl_defines : netlist_defines,
                        .define_count = options->netlist != NULL || options->asserts,
                        .trace = options->wave != NULL,
                        .cycles = (uint64_t)cycles};
    int status = fine ? weir_sim_build(&job, artifact) : WEIR_EXIT_INPUT;
    for (size_t i = 0; i < count; i++) free(files[i]);
    free(files);
    return status;
}

/* --- running --- */

static weir_beats_layout layout_of(const weir_graph *graph, weir_value value) {
    assert(weir_value_type(graph, value)->quant.format != WEIR_FORMAT_FLOAT);
    weir_beats_layout layout = {.lanes = (uint32_t)weir_stream_lanes(graph, value),
                                .frame_elements = (uint64_t)weir_stream_elements(graph, value)};
    layout.element_bits = (uint32_t)weir_stream_width(graph, value, &layout.is_signed);
    return layout;
}

typedef struct session {
    const weir_graph *graph;
    const weir_reference *reference;
    const weir_cosim_options *options;
    int64_t frames;
    weir_damage damage;
    weir_sim_port *sources, *sinks, *taps;
    size_t meters;
    weir_codes *restarted; /* what outputs are, where States restart behind damaged frames; NULL: the reference's */
    bool *is_ahead;        /* by value: it follows from States whose next frame's first row is there before the frame */
} session;

static bool *find_ahead(const weir_graph *graph) {
    bool *ahead = weir_calloc(weir_graph_value_limit(graph), sizeof *ahead);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const size_t streams = weir_stream_count(graph, node);
        const bool here = weir_stream_role(graph, node) == WEIR_ROLE_COMPONENT;
        bool any = here && weir_node_op(graph, node) == WEIR_OP_STATE && streams == 0;
        for (size_t i = 0; here && i < streams; i++)
            any |= ahead[weir_stream_source(graph, weir_node_input(graph, node, i)).id];
        for (size_t o = 0; o < weir_node_output_count(graph, node); o++)
            ahead[weir_node_output(graph, node, o).id] = any;
    }
    return ahead;
}

static weir_sim_port port_of(const session *s, const weir_codes *codes, size_t index) {
    assert(codes->value.id < weir_graph_value_limit(s->graph) && s->frames >= 0);
    weir_beats_layout layout = layout_of(s->graph, codes->value);
    weir_sim_port port = {.index = (uint32_t)index,
                          .width = weir_beats_width(&layout),
                          .profile = s->options->profile,
                          .beats = (size_t)s->frames * weir_beats_per_frame(&layout)};
    return port;
}

static size_t component_count(const weir_graph *graph) {
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        count += weir_stream_role(graph, node) == WEIR_ROLE_COMPONENT;
    return count;
}

/* Some frames of what the sources send become too short or too long. */
static void damage(session *s) {
    const weir_reference *r = s->reference;
    uint64_t *whole = weir_calloc(r->input_count + 1, sizeof *whole);
    for (size_t i = 0; i < r->input_count; i++) {
        const weir_beats_layout layout = layout_of(s->graph, r->inputs[i].value);
        whole[i] = weir_beats_per_frame(&layout);
    }
    s->damage = weir_damage_new(s->options->seed, (size_t)s->frames, whole, r->input_count);
    for (size_t i = 0; i < r->input_count; i++) {
        weir_sim_port *source = &s->sources[i];
        const uint32_t *good = source->records;
        const size_t size = (source->width + 31) / 32 + 1;
        source->records = weir_damage_records(&s->damage, i, good, size, whole[i], &source->beats);
        free((void *)good);
    }
    free(whole);
}

/* Frames that begin a sequence say so with their first beat; what the others' beats say there is ignored. */
static void mark_sequences(const session *s, const weir_beats_layout *layout, uint32_t *records) {
    const size_t words = weir_words(weir_beats_width(layout)), beats = (size_t)weir_beats_per_frame(layout);
    const weir_node state = weir_recurrence_first_kept(s->graph);
    for (int64_t frame = 0; state.id != 0 && frame < s->frames; frame++) {
        const bool begins = weir_recurrence_begins(s->graph, state, frame);
        for (size_t beat = 0; beat < beats; beat++) {
            uint32_t *flags = &records[((size_t)frame * beats + beat) * (words + 1) + words];
            if (beat > 0 || begins) *flags |= WEIR_BEAT_RESET;
        }
    }
}

static void prepare(session *s) {
    const weir_reference *r = s->reference;
    s->sources = weir_calloc(r->input_count + 1, sizeof *s->sources);
    s->sinks = weir_calloc(r->output_count + 1, sizeof *s->sinks);
    s->taps = weir_calloc(r->tap_count + 1, sizeof *s->taps);
    for (size_t i = 0; i < r->input_count; i++) {
        weir_beats_layout layout = layout_of(s->graph, r->inputs[i].value);
        s->sources[i] = port_of(s, &r->inputs[i], i);
        uint32_t *records = weir_beats_pack(&layout, r->inputs[i].code, (size_t)s->frames, &s->sources[i].beats);
        if (i == 0) mark_sequences(s, &layout, records);
        s->sources[i].records = records;
    }
    for (size_t i = 0; i < r->output_count; i++) s->sinks[i] = port_of(s, &r->outputs[i], i);
    for (size_t i = 0; i < r->tap_count; i++) s->taps[i] = port_of(s, &r->taps[i], i);
    s->meters = component_count(s->graph);
    s->is_ahead = find_ahead(s->graph);
    if (s->options->malformed) damage(s);
    if (s->options->malformed && weir_recurrence_first_kept(s->graph).id != 0)
        s->restarted = weir_reference_outputs(r, s->graph, s->damage.damaged);
}

static void release(session *s) {
    free(s->is_ahead);
    weir_reference_free_outputs(s->reference, s->restarted);
    weir_damage_free(&s->damage);
    for (size_t i = 0; i < s->reference->input_count; i++) free((void *)s->sources[i].records);
    free(s->sources);
    free(s->sinks);
    free(s->taps);
}

/* Cycles without a beat at the edges that mean deadlock: a frame's path through all components, slowed down by the
 * profile. A debug run waits as long again as all its frames can take, which find_stopped relies on. */
static uint32_t watchdog_of(const session *s) {
    static const int64_t slowest[WEIR_SIM_PROFILES] = {2, 4, 16, 8};
    int64_t cycles = 0, interval = weir_stream_interval(s->graph);
    for (weir_node node = weir_graph_first(s->graph); node.id != 0; node = weir_node_next(s->graph, node)) {
        if (weir_stream_role(s->graph, node) == WEIR_ROLE_COMPONENT)
            cycles += weir_node_metadata_of(s->graph, node)->hardware.interval + 64;
    }
    if (s->options->debug) cycles += (s->frames + (int64_t)s->meters) * (interval + 64);
    cycles = cycles * slowest[s->options->profile] + 1024;
    return cycles > UINT32_MAX / 4 ? UINT32_MAX / 4 : (uint32_t)cycles;
}

/* The simulator leaves NAME.fst in its working directory. */
static bool keep_wave(const char *folder, const char *name, const char *wave) {
    char *found = weir_format("%s/%s.fst", folder, name);
    weir_diag_log *log = weir_diag_capture();
    bool fine = weir_file_exists(found) && weir_file_copy(found, wave);
    weir_diag_release(log);
    if (!fine) weir_warning(weir_at(wave, 0), "no waveform: %s", weir_diag_log_error(log));
    weir_diag_log_free(log);
    free(found);
    return fine;
}

static int simulate(session *s, const char *folder, const weir_sim_artifact *artifact, weir_sim_result *result,
                    bool *wave) {
    char *rtl = weir_path_join(folder, "rtl");
    char *name = weir_format("run_%s_%d%s", weir_simulator_name(s->options->simulator), (int)s->options->profile,
                             s->options->debug       ? "_debug"
                             : s->options->malformed ? "_malformed"
                                                     : "");
    weir_sim_run run = {.folder = rtl,
                        .name = name,
                        .seed = s->options->seed,
                        .watchdog = watchdog_of(s),
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
    if (s->options->wave != NULL) {
        run.dump = true;
        run.dump_from = s->options->wave_from;
        run.dump_to = s->options->wave_to;
    }
    int status = weir_sim_run_bench(artifact, &run, result);
    if (status == WEIR_EXIT_FINE && s->options->wave != NULL) *wave = keep_wave(rtl, name, s->options->wave);
    free(rtl);
    free(name);
    return status;
}

/* --- judging --- */

static const char *name_of_stream(const weir_graph *graph, weir_value value) {
    weir_node producer = weir_value_producer(graph, value);
    return producer.id == 0 ? weir_value_name(graph, value) : weir_node_name(graph, producer);
}

/* A node that has stopped is told from those that wait for it by what its neighbours' meters say of the time after the
 * last beat anywhere, `quiet` cycles: longer than the time before (see watchdog_of), so that a counter of at least as
 * many cycles means that its condition still holds. Meters watch a node's first input and first output. */
typedef struct standstill {
    const session *s;
    const weir_sim_result *run;
    int64_t quiet;
    size_t *tap;   /* of a value */
    size_t *meter; /* of a node */
} standstill;

static int64_t quiet_cycles(const weir_sim_result *run) {
    int64_t last = 0;
    const weir_sim_stream *streams[] = {run->sources, run->sinks, run->taps};
    const size_t counts[] = {run->source_count, run->sink_count, run->tap_count};
    for (size_t kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < counts[kind]; i++) {
            if (streams[kind][i].beats > 0 && (int64_t)streams[kind][i].last_cycle > last)
                last = streams[kind][i].last_cycle;
        }
    }
    int64_t quiet = (int64_t)run->cycles - last - 2;
    return quiet > last ? quiet : 0;
}

/* Are all beats of the stream taken? Of one that nobody reads: yes. */
static bool complete(const standstill *t, weir_value value) {
    assert(value.id < weir_graph_value_limit(t->s->graph));
    const weir_reference *r = t->s->reference;
    if (!weir_stream_is_read(t->s->graph, value)) return true;
    for (size_t i = 0; i < r->input_count; i++) {
        if (r->inputs[i].value.id == value.id) return t->run->sources[i].beats >= t->run->sources[i].expected;
    }
    return t->run->taps[t->tap[value.id]].recorded.count >= t->s->taps[t->tap[value.id]].beats;
}

/* Is a beat offered on the stream and not taken? A branch of a fork waits when the fork's input does, unless the branch
 * is ahead of it or its user has been seen to miss beats. */
static bool waits(const standstill *t, weir_value value) {
    assert(value.id < weir_graph_value_limit(t->s->graph));
    const weir_graph *graph = t->s->graph;
    weir_node producer = weir_value_producer(graph, value);
    if (weir_stream_is_input(graph, value)) return !complete(t, value);
    if (!weir_stream_is_read(graph, value)) return false;
    const weir_sim_meter *own = &t->run->meters[t->meter[producer.id]];
    if (weir_node_output_count(graph, producer) == 1) return own->blocked >= t->quiet;
    if (t->run->taps[t->tap[value.id]].recorded.count > own->in_beats) return false;
    for (weir_node user = producer; user.id != 0; user = weir_node_next(graph, user)) {
        if (weir_stream_role(graph, user) != WEIR_ROLE_COMPONENT ||
            weir_stream_source(graph, weir_node_input(graph, user, 0)).id != value.id)
            continue;
        const weir_sim_meter *meter = &t->run->meters[t->meter[user.id]];
        if (meter->in_beats == 0 || meter->starved >= t->quiet) return false;
    }
    return waits(t, weir_stream_source(graph, weir_node_input(graph, producer, 0)));
}

/* Does the node owe beats although it has what it needs and nobody holds it up? */
static bool has_stopped(const standstill *t, weir_node node) {
    const weir_graph *graph = t->s->graph;
    bool owes = false;
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        weir_value value = weir_node_output(graph, node, i);
        owes |= !complete(t, value);
        if (waits(t, value)) return false;
    }
    for (size_t i = 0; i < weir_stream_count(graph, node); i++) {
        weir_value value = weir_stream_source(graph, weir_node_input(graph, node, i));
        if (!complete(t, value) && !waits(t, value)) return false;
    }
    return owes;
}

/* The tap of the first node in graph order that has stopped; SIZE_MAX when the meters cannot tell. */
static size_t find_stopped(const session *s, const weir_sim_result *run) {
    standstill t = {s, run, quiet_cycles(run), weir_calloc(weir_graph_value_limit(s->graph), sizeof(size_t)),
                    weir_calloc(weir_graph_node_limit(s->graph), sizeof(size_t))};
    size_t meters = 0, found = SIZE_MAX;
    for (weir_node node = weir_graph_first(s->graph); node.id != 0; node = weir_node_next(s->graph, node))
        if (weir_stream_role(s->graph, node) == WEIR_ROLE_COMPONENT) t.meter[node.id] = meters++;
    for (size_t i = 0; i < s->reference->tap_count; i++) t.tap[s->reference->taps[i].value.id] = i;
    for (weir_node node = weir_graph_first(s->graph); t.quiet > 0 && found == SIZE_MAX && node.id != 0;
         node = weir_node_next(s->graph, node)) {
        if (weir_stream_role(s->graph, node) != WEIR_ROLE_COMPONENT || !has_stopped(&t, node)) continue;
        for (size_t i = weir_node_output_count(s->graph, node); i-- > 0;) {
            weir_value value = weir_node_output(s->graph, node, i);
            if (!complete(&t, value)) found = t.tap[value.id];
        }
    }
    free(t.tap);
    free(t.meter);
    return found;
}

/* By frame: an input that the output depends on sends a damaged one. */
static bool *damaged_frames(const session *s, weir_value output) {
    const weir_reference *r = s->reference;
    weir_value *inputs = weir_calloc(r->input_count + 1, sizeof *inputs);
    for (size_t i = 0; i < r->input_count; i++) inputs[i] = r->inputs[i].value;
    bool *used = weir_frame_inputs(s->graph, output, inputs, r->input_count);
    bool *damaged = weir_damage_of(&s->damage, used);
    free(inputs);
    free(used);
    return damaged;
}

static uint32_t last_cycle_of(const weir_codes *codes, const weir_sim_stream *streams, size_t count, weir_value value) {
    for (size_t i = 0; i < count; i++)
        if (codes[i].value.id == value.id) return streams[i].last_cycle;
    return 0;
}

/* Cycle of the last beat of the stream, and in a debug run of what its node takes. */
static uint32_t last_beat_at(const session *s, const weir_sim_result *run, weir_value value, uint32_t last) {
    const weir_node producer = weir_value_producer(s->graph, value);
    const size_t inputs = producer.id == 0 || !s->options->debug ? 0 : weir_stream_count(s->graph, producer);
    for (size_t i = 0; i < inputs; i++) {
        const weir_value input = weir_stream_source(s->graph, weir_node_input(s->graph, producer, i));
        const uint32_t tap = last_cycle_of(s->reference->taps, run->taps, s->reference->tap_count, input);
        const uint32_t source = last_cycle_of(s->reference->inputs, run->sources, s->reference->input_count, input);
        if (tap > last) last = tap;
        if (source > last) last = source;
    }
    return last;
}

/* Compares a stream; enters a divergence unless one that says more is there already: wrong beats say more than missing
 * ones, which every stream before and behind a node that has stopped has. */
static void judge_stream(const session *s, const weir_sim_result *run, const weir_codes *codes,
                         const weir_sim_stream *stream, bool output, weir_cosim *result) {
    weir_beats_layout layout = layout_of(s->graph, codes->value);
    weir_comparison comparison;
    bool *damaged = output && s->options->malformed ? damaged_frames(s, codes->value) : NULL;
    bool same =
        weir_scoreboard_compare(&layout, codes->code, (size_t)s->frames, damaged, &stream->recorded, &comparison);
    free(damaged);
    if (!output && s->is_ahead[codes->value.id] && comparison.first == WEIR_EXTRA_BEATS &&
        (uint64_t)comparison.extra_beats <= weir_beats_per_frame(&layout))
        same = true;
    const char *name = name_of_stream(s->graph, codes->value);
    if (!output) {
        result->streams++;
        result->stream_values += (uint64_t)(s->frames * codes->elements);
    } else {
        result->compared += s->options->malformed ? comparison.compared : (uint64_t)(s->frames * codes->elements);
        result->mismatches += comparison.wrong_values + comparison.unknown_values + comparison.wrong_lasts +
                              comparison.wrong_errors +
                              (uint64_t)(comparison.missing_beats + comparison.extra_beats) * layout.lanes;
    }
    bool more = result->diverged && result->first.first == WEIR_MISSING_BEATS && comparison.first != WEIR_MISSING_BEATS;
    if (!same && (!result->diverged || more)) {
        result->diverged = true;
        free(result->where);
        result->where = weir_copy_string(name);
        result->first = comparison;
        result->last_beat = last_beat_at(s, run, codes->value, stream->last_cycle);
    }
    if (stream->violation != 0 && result->violation == NULL)
        result->violation = weir_format("%s: %s at cycle %u", name, weir_sim_violation_name(stream->violation),
                                        (unsigned)stream->violation_cycle);
}

/* What the design has counted at each input, modulo the counter's range. */
static void judge_counts(const session *s, const weir_sim_result *run, weir_cosim *result) {
    for (size_t i = 0; i < run->source_count && result->miscounted == NULL && run->status == WEIR_SIM_DONE; i++) {
        const size_t damaged = s->damage.count == NULL ? 0 : s->damage.count[i] % (1u << WEIR_FRAME_COUNT_BITS);
        if (run->sources[i].errors == damaged) continue;
        result->miscounted = weir_format("input '%s': %u damaged frames counted, expected %zu",
                                         name_of_stream(s->graph, s->reference->inputs[i].value),
                                         (unsigned)run->sources[i].errors, damaged);
    }
}

static void judge(const session *s, const weir_sim_result *run, weir_cosim *result) {
    const weir_reference *r = s->reference;
    judge_counts(s, run, result);
    size_t taps = s->options->debug ? r->tap_count : 0;
    for (size_t i = 0; i < taps; i++) judge_stream(s, run, &r->taps[i], &run->taps[i], false, result);
    for (size_t i = 0; i < r->output_count; i++)
        judge_stream(s, run, s->restarted == NULL ? &r->outputs[i] : &s->restarted[i], &run->sinks[i], true, result);
    if (!s->options->debug || run->status != WEIR_SIM_DEADLOCK || result->first.first != WEIR_MISSING_BEATS) return;
    size_t stopped = find_stopped(s, run);
    if (stopped == SIZE_MAX) return;
    result->diverged = false;
    judge_stream(s, run, &r->taps[stopped], &run->taps[stopped], false, result);
}

static void keep_outputs(const session *s, const weir_sim_result *run, weir_cosim *result) {
    result->output_count = s->reference->output_count;
    result->output = weir_calloc(result->output_count + 1, sizeof *result->output);
    for (size_t i = 0; i < result->output_count; i++) {
        const weir_codes *codes = &s->reference->outputs[i];
        weir_beats_layout layout = layout_of(s->graph, codes->value);
        uint64_t beats = weir_beats_per_frame(&layout);
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
    assert(s->frames >= 0);
    weir_beats_layout layout = layout_of(s->graph, codes->value);
    int64_t per_frame = (int64_t)weir_beats_per_frame(&layout), first = s->frames / 2, last = s->frames - 1;
    if (last - first < 1 || beats->count < (size_t)(s->frames * per_frame)) return 0;
    uint32_t from = weir_beat_cycle(beats, (size_t)((first + 1) * per_frame - 1));
    uint32_t to = weir_beat_cycle(beats, (size_t)((last + 1) * per_frame - 1));
    return (double)(to - from) / (double)(last - first);
}

/* When frame 0 passed there. */
static void frame_of(const session *s, const weir_codes *codes, const weir_beats *beats, weir_activity *activity) {
    const weir_beats_layout layout = layout_of(s->graph, codes->value);
    const size_t last = (size_t)weir_beats_per_frame(&layout) - 1;
    if (beats->count <= last) return;
    activity->first_out = weir_beat_cycle(beats, 0);
    activity->last_out = weir_beat_cycle(beats, last);
}

/* Cycles from the first beat of any input to the last beat of frame 0 at all outputs; 0 when it is not there. */
static int64_t latency_of(const session *s, const weir_sim_result *run) {
    int64_t from = INT64_MAX, to = 0;
    for (size_t i = 0; i < run->source_count; i++) {
        if ((int64_t)run->sources[i].first_cycle < from) from = run->sources[i].first_cycle;
    }
    for (size_t i = 0; i < run->sink_count; i++) {
        weir_beats_layout layout = layout_of(s->graph, s->reference->outputs[i].value);
        size_t beats = (size_t)weir_beats_per_frame(&layout);
        if (run->sinks[i].recorded.count < beats) return 0;
        int64_t end = weir_beat_cycle(&run->sinks[i].recorded, beats - 1);
        if (end > to) to = end;
    }
    return to - from + 1;
}

/* The tap of what the node gives or, where nobody reads that, of what it takes; SIZE_MAX: an input of the design. */
static size_t tap_of(const session *s, weir_node node) {
    const weir_value given = weir_node_output(s->graph, node, 0),
                     seen = weir_stream_is_read(s->graph, given)
                                ? given
                                : weir_stream_source(s->graph, weir_node_input(s->graph, node, 0));
    for (size_t i = 0; i < s->reference->tap_count; i++)
        if (s->reference->taps[i].value.id == seen.id) return i;
    return SIZE_MAX;
}

static void measure(const session *s, const weir_sim_result *run, weir_cosim *result) {
    assert(s->reference->output_count > 0);
    result->latency = latency_of(s, run);
    result->interval = interval_of(s, &s->reference->outputs[0], &run->sinks[0].recorded);
    if (!s->options->debug) return;
    result->activity_count = s->meters;
    result->activity = weir_calloc(s->meters + 1, sizeof *result->activity);
    size_t meter = 0;
    for (weir_node node = weir_graph_first(s->graph); node.id != 0; node = weir_node_next(s->graph, node)) {
        if (weir_stream_role(s->graph, node) != WEIR_ROLE_COMPONENT) continue;
        const size_t tap = tap_of(s, node);
        weir_activity *activity = &result->activity[meter];
        *activity = (weir_activity){.node = node, .meter = run->meters[meter]};
        meter++;
        if (tap == SIZE_MAX) continue;
        const weir_codes *codes = &s->reference->taps[tap];
        activity->interval = interval_of(s, codes, &run->taps[tap].recorded);
        frame_of(s, codes, &run->taps[tap].recorded, activity);
    }
}

/* --- what opens the waveform --- */

static void add_wave_streams(const session *s, const char *part, const weir_codes *codes,
                             const weir_sim_stream *streams, size_t count, weir_wave *wave, weir_wave_stream *list) {
    for (size_t i = 0; i < count; i++) {
        list[wave->stream_count++] = (weir_wave_stream){.name = name_of_stream(s->graph, codes[i].value),
                                                        .part = part,
                                                        .index = i,
                                                        .layout = layout_of(s->graph, codes[i].value),
                                                        .code = codes[i].code,
                                                        .recorded = streams == NULL ? NULL : &streams[i].recorded};
    }
}

static bool save_wave_view(const session *s, const weir_sim_result *run) {
    const weir_reference *r = s->reference;
    const weir_cosim *wrong = s->options->wave_of;
    weir_wave_stream *list = weir_calloc(r->input_count + r->tap_count + r->output_count, sizeof *list);
    weir_wave wave = {.path = s->options->wave,
                      .simulator = s->options->simulator,
                      .frames = s->frames,
                      .from = s->options->wave_from,
                      .cycle = weir_cosim_divergence(wrong),
                      .where = wrong->where,
                      .element = wrong->first.element,
                      .streams = list};
    add_wave_streams(s, "source", r->inputs, NULL, r->input_count, &wave, list);
    add_wave_streams(s, "tap", r->taps, run->taps, r->tap_count, &wave, list);
    add_wave_streams(s, "sink", r->outputs, run->sinks, r->output_count, &wave, list);
    weir_diag_log *log = weir_diag_capture();
    const bool fine = weir_wave_save(&wave);
    weir_diag_release(log);
    if (!fine) weir_warning(weir_at(wave.path, 0), "no save file of GTKWave: %s", weir_diag_log_error(log));
    weir_diag_log_free(log);
    free(list);
    return fine;
}

uint32_t weir_cosim_divergence(const weir_cosim *run) {
    if (!run->diverged) return run->cycles;
    return run->first.first == WEIR_MISSING_BEATS ? run->last_beat : run->first.cycle;
}

int weir_cosim_run(const weir_graph *hardware, const char *folder, const weir_reference *reference,
                   const weir_cosim_options *options, weir_cosim *result) {
    session s = {.graph = hardware, .reference = reference, .options = options};
    int64_t available = options->debug ? reference->debug_frames : reference->frames;
    s.frames = options->frames == 0 || options->frames > available ? available : options->frames;
    *result = (weir_cosim){
        .simulator = options->simulator, .profile = options->profile, .debug = options->debug, .frames = s.frames};
    weir_sim_artifact artifact = {0};
    /* whatever the profile, and all frames if the others run on this bench: one build serves all */
    const int64_t frames = options->one_bench ? reference->frames : s.frames;
    int status = build(folder, options, frames * weir_stream_interval(hardware), &artifact);
    if (status != WEIR_EXIT_FINE) return status;
    result->build_seconds = artifact.seconds;
    result->cached = artifact.cached;
    prepare(&s);
    result->malformed = options->malformed;
    for (size_t f = 0; f < s.damage.frames; f++) result->damaged += s.damage.damaged[f];
    weir_sim_result run = {0};
    status = simulate(&s, folder, &artifact, &run, &result->wave);
    if (status == WEIR_EXIT_FINE) {
        result->status = run.status;
        result->cycles = run.cycles;
        result->seconds = run.seconds;
        judge(&s, &run, result);
        keep_outputs(&s, &run, result);
        measure(&s, &run, result);
        result->wave_view = result->wave && save_wave_view(&s, &run);
    }
    weir_sim_result_free(&run);
    weir_sim_artifact_free(&artifact);
    release(&s);
    return status;
}

void weir_cosim_free(weir_cosim *result) {
    free(result->where);
    free(result->miscounted);
    free(result->violation);
    for (size_t i = 0; i < result->output_count; i++) free(result->output[i]);
    free(result->output);
    free(result->activity);
}

bool weir_cosim_is_right(const weir_cosim *result) {
    return result->status == WEIR_SIM_DONE && result->mismatches == 0 && !result->diverged &&
           result->violation == NULL && result->miscounted == NULL;
}
