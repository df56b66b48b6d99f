#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/runtime.h"
#include "dataflow/component.h"
#include "dataflow/component_setting.h"
#include "dataflow/fifo.h"
#include "dataflow/host.h"
#include "support/text/table.h"

/* --- text --- */

static void print_percent(weir_text *text, double share) { weir_text_format(text, "%.2f %%", 100 * share); }

/* One line a part, with its nodes in order. */
static void print_host(const weir_graph *hardware, weir_host part, const char *where, weir_text *text) {
    bool any = false;
    for (weir_node node = weir_graph_first(hardware); node.id != 0; node = weir_node_next(hardware, node)) {
        if (weir_host_of(hardware, node) != part || !weir_host_computes(hardware, node)) continue;
        if (any) weir_text_add(text, ", ");
        else weir_text_format(text, "  host          %s: ", where);
        weir_text_format(text, "%s (%s)", weir_node_name(hardware, node), weir_node_info(hardware, node)->full_name);
        any = true;
    }
    if (any) weir_text_char(text, '\n');
}

static void print_accuracy(const weir_runtime *r, weir_text *text) {
    weir_text_format(text, "%s: %lld frames, %lld output values each\n", r->model, (long long)r->frames,
                     (long long)r->values);
    if (r->scoring.kind == WEIR_SCORING_NONE)
        weir_text_add(text, "  not scored    the output names no class (--task, --output-of)\n");
    if (r->labelled) {
        char rule[64], score[64];
        const weir_cosim *run = weir_runtime_fast_run(r);
        const bool is_number = r->scoring.kind == WEIR_SCORING_NUMBER;
        weir_text_format(text, "  %s float %s",
                         is_number                                 ? "error        "
                         : r->scoring.kind == WEIR_SCORING_ANOMALY ? "anomaly      "
                                                                   : "accuracy     ",
                         r->has_float ? weir_metrics_print(&r->scoring, &r->float_metrics, score, sizeof score) : "-");
        weir_text_format(text, "%s integer %s", is_number ? ";" : ",",
                         weir_metrics_print(&r->scoring, &r->integer_metrics, score, sizeof score));
        if (run != NULL)
            weir_text_format(text, "%s hardware %s", is_number ? ";" : ",",
                             weir_metrics_print(&r->scoring, &r->run_metrics[run - r->run], score, sizeof score));
        weir_text_format(text, " (%s)\n", weir_scoring_print(&r->scoring, rule, sizeof rule));
    }
    if (r->has_float) {
        weir_text_add(text, "  float-integer ");
        if (r->equal) weir_text_add(text, "equal");
        else weir_text_format(text, "SQNR %.1f dB, largest error %.4g", r->sqnr_db, r->max_error);
        const bool has_classes = weir_scoring_has_classes(&r->scoring);
        if (!r->equal && has_classes) weir_text_add(text, ", same class in ");
        if (!r->equal && has_classes) print_percent(text, r->agreement);
        weir_text_char(text, '\n');
        if (r->sqnr_db < WEIR_RUNTIME_LOW_SQNR)
            weir_text_format(text, "  LOW SQNR      below %d dB: the quantized model is far from the float one\n",
                             WEIR_RUNTIME_LOW_SQNR);
    }
    weir_text_format(text, "  hardware      %lld multipliers, %lld bits of parameters, ideal interval %lld cycles\n",
                     (long long)r->resources.multipliers, (long long)r->resources.memory_bits,
                     (long long)r->resources.ideal_interval);
    print_host(r->hardware, WEIR_HOST_HEAD, "before", text);
    print_host(r->hardware, WEIR_HOST_TAIL, "after", text);
    if (r->contract_mismatches > 0)
        weir_text_format(text,
                         "  WRONG         %llu values differ between the components' arithmetic and the contract\n",
                         (unsigned long long)r->contract_mismatches);
}

static void print_runs(const weir_runtime *r, weir_text *text) {
    static const char *const headers[] = {"simulator", "profile",  "frames",   "mismatches of compared",
                                          "latency",   "interval", "of ideal", "cycles/s",
                                          "frames/s",  ""};
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (size_t i = 0; i < r->runs; i++) {
        const weir_cosim *run = &r->run[i];
        const double seconds = run->seconds > 0 ? run->seconds : 1e-9;
        weir_table_add(table, weir_simulator_name(run->simulator));
        weir_table_format(table, "%s%s", run->debug ? "debug" : weir_profile_name(run->profile),
                          run->malformed ? ", malformed" : "");
        weir_table_format(table, "%lld", (long long)run->frames);
        weir_table_format(table, "%llu of %llu", (unsigned long long)run->mismatches,
                          (unsigned long long)run->compared);
        weir_table_color(table, run->mismatches == 0 ? WEIR_COLOR_GOOD : WEIR_COLOR_BAD);
        weir_table_format(table, "%lld", (long long)run->latency);
        weir_table_format(table, run->interval > 0 ? "%.1f" : "-", run->interval);
        weir_table_format(table, run->interval > 0 ? "%.3fx" : "-",
                          run->interval / (double)r->resources.ideal_interval);
        weir_table_format(table, "%.0f", run->cycles / seconds);
        weir_table_format(table, "%.0f", (double)run->frames / seconds);
        weir_table_add(table, run->status == WEIR_SIM_DONE ? "" : "not finished");
    }
    weir_text_char(text, '\n');
    weir_table_print(table, WEIR_TABLE_PLAIN, text);
    weir_table_free(table);
    for (size_t i = 0; i < r->runs; i++) {
        const weir_cosim *run = &r->run[i];
        if (!run->malformed || !weir_cosim_is_right(run)) continue;
        weir_text_format(text, "\n  malformed runs: of %lld frames %lld too short or too long, all of these flagged\n",
                         (long long)run->frames, (long long)run->damaged);
        break;
    }
}

static void print_divergences(const weir_runtime *r, weir_text *text) {
    for (size_t i = 0; i < r->runs; i++) {
        const weir_cosim *run = &r->run[i];
        if (weir_cosim_is_right(run)) continue;
        weir_text_format(text, "\n  %s %s%s: ", weir_simulator_name(run->simulator),
                         run->debug ? "debug" : weir_profile_name(run->profile), run->malformed ? ", malformed" : "");
        if (run->status != WEIR_SIM_DONE) weir_text_format(text, "%s; ", weir_sim_status_name(run->status));
        if (run->diverged) {
            weir_text_format(text, "first divergence at node '%s': ", run->where);
            weir_scoreboard_print(&run->first, text);
        }
        if (run->miscounted != NULL) weir_text_format(text, "\n    %s", run->miscounted);
        if (run->violation != NULL) weir_text_format(text, "\n    protocol: %s", run->violation);
        weir_text_char(text, '\n');
    }
    if (r->wave == NULL) return;
    weir_text_format(text, "\n  waveform around it: %s\n", r->wave);
    if (r->wave_view) weir_text_format(text, "  its streams: gtkwave %.*s.gtkw\n", (int)strlen(r->wave) - 4, r->wave);
}

const weir_cosim *weir_runtime_debug_run(const weir_runtime *r) {
    for (size_t i = 0; i < r->runs; i++) {
        if (r->run[i].debug && r->run[i].activity_count > 0) return &r->run[i];
    }
    return NULL;
}

/* Before how long a beat waits in a Fifo. */
static const char *const signs[] = {[WEIR_FIFO_EXACT] = "", [WEIR_FIFO_UPPER] = "<= ", [WEIR_FIFO_ESTIMATED] = "~ "};

static void print_activity(const weir_runtime *r, weir_text *text) {
    const weir_cosim *run = weir_runtime_debug_run(r);
    if (run == NULL) return;
    weir_text_format(text, "\n  debug runs compared every value of %llu streams: %llu values in %lld frames\n",
                     (unsigned long long)run->streams, (unsigned long long)run->stream_values, (long long)run->frames);
    static const char *const headers[] = {"node", "component", "in",      "out",  "folded", "interval",
                                          "busy", "starved",   "blocked", "fill", "waits"};
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (size_t i = 0; i < run->activity_count; i++) {
        const weir_activity *a = &run->activity[i];
        const weir_meta_hardware *hardware = &weir_node_metadata_of(r->hardware, a->node)->hardware;
        const double all = run->cycles > 0 ? run->cycles / 100.0 : 1;
        weir_table_add(table, weir_node_name(r->hardware, a->node));
        weir_table_add(table, hardware->module);
        weir_table_format(table, "%lld", (long long)hardware->in_lanes);
        weir_table_format(table, "%lld", (long long)hardware->out_lanes);
        weir_table_format(table, "%lld", (long long)hardware->interval);
        weir_table_format(table, "%.1f", a->interval);
        weir_table_format(table, "%.1f %%", a->meter.busy / all);
        weir_table_format(table, "%.1f %%", a->meter.starved / all);
        weir_table_format(table, "%.1f %%", a->meter.blocked / all);
        const weir_fifo fifo = weir_fifo_of(r->hardware, a->node);
        if (fifo.depth == 0) weir_table_add(table, "");
        else weir_table_format(table, "%lld/%lld", (long long)a->meter.occupancy, (long long)fifo.depth);
        if (fifo.stall == 0) weir_table_add(table, "");
        else weir_table_format(table, "%s%lld", signs[fifo.bound], (long long)fifo.stall);
    }
    weir_text_char(text, '\n');
    weir_table_print(table, WEIR_TABLE_PLAIN, text);
    weir_table_free(table);
}

void weir_runtime_print(const weir_runtime *runtime, weir_text *text) {
    print_accuracy(runtime, text);
    if (runtime->runs > 0) print_runs(runtime, text);
    print_activity(runtime, text);
    print_divergences(runtime, text);
}

/* --- JSON --- */

enum { HISTOGRAM_BINS = 64 };

static json_t *integer(uint64_t value) { return json_integer((json_int_t)value); }

/* 0 stands for too few frames to measure. */
static json_t *measured(double value) { return value > 0 ? json_real(value) : json_null(); }

static json_t *divergence_json(const weir_cosim *run) {
    static const char *const kinds[] = {
        [WEIR_SAME] = "same",        [WEIR_WRONG_VALUE] = "value", [WEIR_UNKNOWN_VALUE] = "unknown",
        [WEIR_WRONG_LAST] = "last",  [WEIR_WRONG_ERROR] = "error", [WEIR_MISSING_BEATS] = "missing",
        [WEIR_EXTRA_BEATS] = "extra"};
    if (!run->diverged) return json_null();
    const weir_comparison *c = &run->first;
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:I}", "node", run->where, "kind", kinds[c->first], "frame",
                     integer(c->frame), "element", integer(c->element), "beat", integer(c->beat), "cycle",
                     integer(c->cycle), "expected", (json_int_t)c->expected, "found", (json_int_t)c->found);
}

/* Codes of output 0 in at most HISTOGRAM_BINS bins of equal width, the first from the least code on: {"low", "width",
 * "counts"}. Of the frames that the reference has kept. */
static json_t *histogram_json(const weir_codes *codes, int64_t frames) {
    const size_t count = (size_t)(frames * codes->elements);
    if (count == 0) return json_null();
    int64_t low = codes->code[0], high = codes->code[0], bin[HISTOGRAM_BINS] = {0};
    for (size_t i = 1; i < count; i++) {
        if (codes->code[i] < low) low = codes->code[i];
        if (codes->code[i] > high) high = codes->code[i];
    }
    const uint64_t span = (uint64_t)high - (uint64_t)low, width = span / HISTOGRAM_BINS + 1;
    for (size_t i = 0; i < count; i++) bin[((uint64_t)codes->code[i] - (uint64_t)low) / width]++;
    json_t *counts = json_array();
    for (uint64_t b = 0; b <= span / width; b++) json_array_append_new(counts, integer((uint64_t)bin[b]));
    return json_pack("{s:I, s:o, s:o}", "low", (json_int_t)low, "width", integer(width), "counts", counts);
}

/* When frame 0 passed the component. */
static json_t *schedule_json(const weir_activity *a) {
    if (a->last_out == 0) return json_null();
    return json_pack("{s:o, s:o, s:o}", "first_in", integer(a->meter.first_in), "first_out", integer(a->first_out),
                     "last_out", integer(a->last_out));
}

static const weir_codes *codes_of(const weir_reference *reference, weir_value value) {
    for (size_t i = 0; i < reference->tap_count; i++)
        if (reference->taps[i].value.id == value.id) return &reference->taps[i];
    return NULL;
}

static json_t *activity_json(const weir_runtime *r, const weir_cosim *run) {
    json_t *list = json_array();
    for (size_t i = 0; i < run->activity_count; i++) {
        const weir_activity *a = &run->activity[i];
        const weir_meta_hardware *h = &weir_node_metadata_of(r->hardware, a->node)->hardware;
        const weir_fifo fifo = weir_fifo_of(r->hardware, a->node);
        json_t *node = json_pack(
            "{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "node",
            weir_node_name(r->hardware, a->node), "component", h->module, "settings",
            weir_component_setting_json(weir_component_of(r->hardware, a->node)->rules, h), "in_lanes",
            (json_int_t)h->in_lanes, "out_lanes", (json_int_t)h->out_lanes, "operations", (json_int_t)h->operations,
            "ideal_interval", (json_int_t)weir_resources_ideal(r->hardware, a->node), "folded_interval",
            (json_int_t)h->interval, "interval", measured(a->interval), "busy", integer(a->meter.busy), "starved",
            integer(a->meter.starved), "blocked", integer(a->meter.blocked), "depth", integer((uint64_t)fifo.depth),
            "high_water", integer(a->meter.occupancy), "longest_wait", integer((uint64_t)fifo.stall), "exact",
            fifo.bound == WEIR_FIFO_EXACT);
        const weir_codes *codes = codes_of(r->reference, weir_node_output(r->hardware, a->node, 0));
        json_object_set_new(node, "frame", schedule_json(a));
        json_object_set_new(node, "histogram",
                            codes == NULL ? json_null() : histogram_json(codes, r->reference->debug_frames));
        json_array_append_new(list, node);
    }
    return list;
}

static json_t *run_json(const weir_runtime *r, size_t index) {
    assert(index < r->runs);
    const weir_cosim *run = &r->run[index];
    json_t *object =
        json_pack("{s:s, s:s, s:b, s:I, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:b}", "simulator",
                  weir_simulator_name(run->simulator), "profile", weir_profile_name(run->profile), "debug", run->debug,
                  "frames", (json_int_t)run->frames, "status", weir_sim_status_name(run->status), "compared",
                  integer(run->compared), "mismatches", integer(run->mismatches), "latency", (json_int_t)run->latency,
                  "interval", measured(run->interval), "cycles", integer(run->cycles), "seconds",
                  json_real(run->seconds), "build_seconds", json_real(run->build_seconds), "cached", run->cached);
    if (run->malformed) json_object_set_new(object, "malformed", json_integer((json_int_t)run->damaged));
    if (r->labelled && !run->debug && !run->malformed)
        json_object_set_new(object, "metrics", weir_metrics_json(&r->scoring, &r->run_metrics[index]));
    json_object_set_new(object, "first_divergence", divergence_json(run));
    json_object_set_new(object, "protocol", run->violation == NULL ? json_null() : json_string(run->violation));
    json_object_set_new(object, "miscounted", run->miscounted == NULL ? json_null() : json_string(run->miscounted));
    if (run->debug) {
        json_object_set_new(object, "streams", integer(run->streams));
        json_object_set_new(object, "stream_values", integer(run->stream_values));
        json_object_set_new(object, "nodes", activity_json(r, run));
    }
    return object;
}

/* JSON has no infinities: null. */
static json_t *real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *float_integer_json(const weir_runtime *r) {
    if (!r->has_float) return json_null();
    return json_pack("{s:b, s:o, s:b, s:o, s:f}", "equal", r->equal, "sqnr_db", real(r->sqnr_db), "low_sqnr",
                     r->sqnr_db < WEIR_RUNTIME_LOW_SQNR, "max_absolute", real(r->max_error), "top1_agreement",
                     r->agreement);
}

static json_t *metrics_json(const weir_runtime *r, bool known, const weir_metrics *metrics) {
    return known ? weir_metrics_json(&r->scoring, metrics) : json_null();
}

/* Names of the nodes, conversions at the edge left out. */
static json_t *host_json(const weir_graph *hardware, weir_host part) {
    json_t *list = json_array();
    for (weir_node node = weir_graph_first(hardware); node.id != 0; node = weir_node_next(hardware, node)) {
        if (weir_host_of(hardware, node) == part && weir_host_computes(hardware, node))
            json_array_append_new(list, json_string(weir_node_name(hardware, node)));
    }
    return list;
}

json_t *weir_runtime_json(const weir_runtime *r) {
    json_t *root = json_pack("{s:i, s:s, s:I, s:I}", "schema", 3, "model", r->model, "frames", (json_int_t)r->frames,
                             "values", (json_int_t)r->values);
    json_object_set_new(root, "metrics",
                        json_pack("{s:o, s:o}", "float",
                                  metrics_json(r, r->labelled && r->has_float, &r->float_metrics), "integer",
                                  metrics_json(r, r->labelled, &r->integer_metrics)));
    char rule[64];
    json_object_set_new(root, "scoring", json_string(weir_scoring_print(&r->scoring, rule, sizeof rule)));
    json_object_set_new(root, "task", json_string(weir_scoring_task(&r->scoring)));
    json_object_set_new(root, "scored_output", json_string(weir_graph_output_name(r->hardware, r->scoring.output)));
    json_object_set(root, "confusion", r->confusion == NULL ? json_null() : r->confusion);
    json_object_set_new(root, "float_integer", float_integer_json(r));
    json_object_set(root, "noise", r->noise == NULL ? json_null() : r->noise);
    json_object_set_new(root, "contract_mismatches", integer(r->contract_mismatches));
    json_object_set_new(root, "ideal_interval", integer((uint64_t)r->resources.ideal_interval));
    json_object_set_new(root, "folded_interval", integer((uint64_t)r->resources.folded_interval));
    json_object_set_new(root, "multipliers", integer((uint64_t)r->resources.multipliers));
    json_object_set_new(root, "memory_bits", integer((uint64_t)r->resources.memory_bits));
    json_object_set_new(root, "host",
                        json_pack("{s:o, s:o}", "head", host_json(r->hardware, WEIR_HOST_HEAD), "tail",
                                  host_json(r->hardware, WEIR_HOST_TAIL)));
    json_t *runs = json_array();
    for (size_t i = 0; i < r->runs; i++) json_array_append_new(runs, run_json(r, i));
    json_object_set_new(root, "runs", runs);
    json_object_set_new(root, "waveform", r->wave == NULL ? json_null() : json_string(r->wave));
    return root;
}
