/* choose_folding: SIMD and PE of every Linear, lanes and digits of every other component.
 * A Linear of K inputs, N outputs and R rows takes R * ceil(K / SIMD) * ceil(N / PE) cycles a frame. For a target
 * interval each Linear gets the fewest multipliers that meet it, with SIMD dividing K and PE dividing N so that nothing
 * is padded; a budget of multipliers is met by the smallest target that fits it. A YAML file sets nodes by hand, with
 * any numbers: what does not divide is padded inside.
 *   nodes:
 *     fc1: {simd: 8, pe: 4, storage: block} */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/stream.h"
#include "ir/loop.h"
#include "passes/passes.h"
#include "support/arena.h"
#include "support/suggest.h"
#include "support/yaml.h"

static int64_t linear_interval(int64_t rows, int64_t k, int64_t n, int64_t simd, int64_t pe) {
    return rows * weir_ceil_divide(k, simd) * weir_ceil_divide(n, pe);
}

/* The cheapest divisors that meet the target: fewest multipliers, then the shorter interval, then the larger SIMD
 * (one accumulator and requantizer for more products). Everything unfolded when nothing meets it. */
static void fold_linear(int64_t rows, int64_t k, int64_t n, int64_t target, int64_t *simd, int64_t *pe) {
    int64_t best = INT64_MAX, best_interval = INT64_MAX;
    *simd = k;
    *pe = n;
    for (int64_t s = k; s >= 1; s--) {
        if (k % s != 0) continue;
        for (int64_t p = 1; p <= n; p++) {
            if (n % p != 0) continue;
            int64_t interval = linear_interval(rows, k, n, s, p);
            if (interval > target || s * p > best || (s * p == best && interval >= best_interval)) continue;
            best = s * p;
            best_interval = interval;
            *simd = s;
            *pe = p;
        }
    }
}

/* Multipliers that a target costs, and the interval it really gives. */
static int64_t cost_of(const weir_graph *graph, int64_t target, int64_t *reached) {
    int64_t macs = 0, rows, k, n, simd, pe;
    *reached = 1;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (!weir_stream_linear(graph, node, &rows, &k, &n)) continue;
        fold_linear(rows, k, n, target, &simd, &pe);
        macs += simd * pe;
        int64_t interval = linear_interval(rows, k, n, simd, pe);
        if (interval > *reached) *reached = interval;
    }
    return macs;
}

/* The smallest target whose cost stays in the budget; with one multiplier a Linear when even that is too much. */
static int64_t target_for(const weir_graph *graph, int64_t budget) {
    int64_t low = 1, high, reached;
    cost_of(graph, 1, &low);
    cost_of(graph, INT64_MAX, &high);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (cost_of(graph, middle, &reached) <= budget) high = middle;
        else low = middle + 1;
    }
    return high;
}

/* --- the folding file --- */

static bool read_node_settings(weir_graph *graph, weir_node node, const weir_yaml *settings) {
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    int64_t rows, k = 0, n = 0;
    bool linear = weir_stream_linear(graph, node, &rows, &k, &n);
    for (size_t i = 0; i < settings->count; i++) {
        const char *key = settings->key[i];
        const weir_yaml *value = settings->item[i];
        if (strcmp(key, "simd") == 0 && linear) {
            if (!weir_yaml_int(value, 1, k, &hardware->simd)) return false;
        } else if (strcmp(key, "pe") == 0 && linear) {
            if (!weir_yaml_int(value, 1, n, &hardware->pe)) return false;
        } else if (strcmp(key, "storage") == 0 && linear) {
            if (value->kind != WEIR_YAML_SCALAR || !weir_storage_parse(value->text, &hardware->storage)) {
                weir_error(value->location, "expected auto, block or logic");
                return false;
            }
        } else {
            weir_error(settings->key_location[i], "unknown setting '%s' for node '%s'", key,
                       weir_node_name(graph, node));
            weir_note("%s", linear ? "known settings: simd, pe, storage" : "only Linear nodes have settings");
            return false;
        }
    }
    return true;
}

/* Several rows a frame share beats only when rows are whole numbers of beats. */
static bool check_rows(const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
        int64_t rows, k, n;
        if (!weir_stream_linear(graph, node, &rows, &k, &n) || rows == 1) continue;
        if (k % hardware->simd == 0 && n % hardware->pe == 0) continue;
        weir_error(weir_node_location(graph, node),
                   "node '%s' has %lld rows a frame: simd must divide %lld and pe %lld, found %lld and %lld",
                   weir_node_name(graph, node), (long long)rows, (long long)k, (long long)n, (long long)hardware->simd,
                   (long long)hardware->pe);
        return false;
    }
    return true;
}

static void suggest_node(const weir_graph *graph, const char *name) {
    const char **names = weir_calloc(weir_graph_node_count(graph) + 1, sizeof *names);
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) == WEIR_OP_LINEAR) names[count++] = weir_node_name(graph, node);
    }
    const char *near = weir_suggest(name, names, count);
    if (near != NULL) weir_note("did you mean '%s'?", near);
    free(names);
}

static bool read_folding(weir_graph *graph, const weir_yaml *root) {
    if (root->kind != WEIR_YAML_MAPPING) {
        weir_error(root->location, "expected a mapping with the key 'nodes'");
        return false;
    }
    for (size_t i = 0; i < root->count; i++) {
        const weir_yaml *nodes = root->item[i];
        if (strcmp(root->key[i], "nodes") != 0 || nodes->kind != WEIR_YAML_MAPPING) {
            weir_error(root->key_location[i], "expected the key 'nodes' with a mapping, found '%s'", root->key[i]);
            return false;
        }
        for (size_t j = 0; j < nodes->count; j++) {
            weir_node node = weir_graph_find_node(graph, nodes->key[j]);
            if (node.id == 0) {
                weir_error(nodes->key_location[j], "there is no node called '%s'", nodes->key[j]);
                suggest_node(graph, nodes->key[j]);
                return false;
            }
            if (nodes->item[j]->kind != WEIR_YAML_MAPPING) {
                weir_error(nodes->key_location[j], "expected settings such as {simd: 8, pe: 4}");
                return false;
            }
            if (!read_node_settings(graph, node, nodes->item[j])) return false;
        }
    }
    return true;
}

/* --- lanes --- */

static void fold_linears(weir_graph *graph, int64_t target) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
        int64_t rows, k, n, simd, pe;
        if (!weir_stream_linear(graph, node, &rows, &k, &n)) continue;
        fold_linear(rows, k, n, target, &simd, &pe);
        if (hardware->simd == 0) hardware->simd = simd;
        if (hardware->pe == 0) hardware->pe = pe;
        hardware->in_lanes = hardware->simd;
        hardware->out_lanes = hardware->pe;
        hardware->interval = linear_interval(rows, k, n, hardware->simd, hardware->pe);
        hardware->operations = weir_loop_macs(graph, node);
    }
}

/* Smallest divisor of the channels that carries a frame within the interval. */
static int64_t lanes_for(const weir_graph *graph, weir_value value, int64_t interval) {
    const weir_shape *shape = &weir_value_type(graph, value)->shape;
    int64_t channels = shape->rank == 0 ? 1 : shape->dim[shape->rank - 1];
    for (int64_t lanes = 1; lanes < channels; lanes++) {
        if (channels % lanes == 0 && weir_stream_beats(graph, value, lanes) <= interval) return lanes;
    }
    return channels;
}

/* Cycles that an elementwise component may spend on a beat without becoming the slowest: those between two results of
 * the Linear before it, or its share of the interval. */
static int64_t cycles_a_beat(const weir_graph *graph, weir_node node, int64_t interval) {
    weir_value source = weir_stream_source(graph, weir_node_input(graph, node, 0));
    weir_node producer = weir_value_producer(graph, source);
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    int64_t rows, k, n;
    if (producer.id != 0 && weir_stream_linear(graph, producer, &rows, &k, &n))
        return weir_ceil_divide(k, weir_node_metadata_of(graph, producer)->hardware.simd);
    int64_t cycles = interval / weir_stream_beats(graph, weir_node_output(graph, node, 0), hardware->out_lanes);
    return cycles < 1 ? 1 : cycles;
}

static int multiplier_bits(const weir_graph *graph, weir_node node) {
    const weir_type *type = weir_value_type(graph, weir_node_input(graph, node, 1));
    return weir_bits_for(0, type->high);
}

static void set_digit(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware, int64_t interval) {
    int64_t cycles = cycles_a_beat(graph, node, interval), work = 1;
    weir_op op = weir_node_op(graph, node);
    if (op == WEIR_OP_SCALE || op == WEIR_OP_SCALE_FLOAT) work = multiplier_bits(graph, node);
    if (op == WEIR_OP_THRESHOLD) work = weir_value_type(graph, weir_node_input(graph, node, 1))->shape.dim[1];
    hardware->digit = weir_ceil_divide(work, cycles);
    int64_t beats = weir_stream_beats(graph, weir_node_output(graph, node, 0), hardware->out_lanes);
    hardware->interval = beats * weir_ceil_divide(work, hardware->digit);
}

static void fold_elementwise(weir_graph *graph, int64_t interval) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
        if (weir_stream_role(graph, node) != WEIR_ROLE_COMPONENT || weir_node_op(graph, node) == WEIR_OP_LINEAR)
            continue;
        weir_value source = weir_stream_source(graph, weir_node_input(graph, node, 0));
        weir_node producer = weir_value_producer(graph, source);
        bool computed = producer.id != 0 && weir_stream_role(graph, producer) == WEIR_ROLE_COMPONENT;
        bool chooses = weir_node_op(graph, node) == WEIR_OP_SUM || !computed;
        hardware->out_lanes = chooses ? lanes_for(graph, weir_node_output(graph, node, 0), interval)
                                      : weir_node_metadata_of(graph, producer)->hardware.out_lanes;
        hardware->in_lanes = hardware->out_lanes;
        set_digit(graph, node, hardware, interval);
    }
}

bool weir_choose_folding(weir_graph *graph, int64_t target, int64_t budget, const char *file) {
    if (!weir_component_assign(graph)) return false;
    if (file != NULL && *file != '\0') {
        weir_yaml *root = weir_yaml_read(file);
        bool fine = root != NULL && read_folding(graph, root);
        weir_yaml_free(root);
        if (!fine) return false;
    }
    if (target == 0) target = target_for(graph, budget);
    fold_linears(graph, target);
    if (!check_rows(graph)) return false;
    fold_elementwise(graph, weir_stream_interval(graph));
    return true;
}

bool weir_pass_choose_folding(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)context;
    weir_graph *graph = weir_module_find_graph(module, "hardware");
    if (graph == NULL) {
        weir_error(WEIR_NOWHERE, "choose_folding needs the hardware graph that realize_requantize makes");
        return false;
    }
    return weir_choose_folding(graph, weir_pass_int(pass, "target-interval"), weir_pass_int(pass, "max-macs"),
                               weir_pass_string(pass, "file"));
}
