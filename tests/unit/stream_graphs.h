/* Random hardware graphs with their folding, and what the beat-exact oracle makes of a graph. */
#ifndef WEIR_TEST_STREAM_GRAPHS_H
#define WEIR_TEST_STREAM_GRAPHS_H

#include "test_passes_support.h"

#include <stdio.h>

#include "common/network.h"
#include "common/setting_of.h"
#include "dataflow/folding.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"

/* --- random graphs --- */

static inline int64_t random_divisor(int64_t of) {
    int64_t d = random_int(1, of);
    while (of % d != 0) d--;
    return d;
}

static inline int64_t channels_of(const weir_graph *g, weir_value x) { return weir_value_type(g, x)->shape.dim[1]; }

static inline weir_value random_thresholds(weir_graph *g, weir_value x, int64_t stride) {
    double steps[15];
    for (int64_t i = 0; i < 15; i++) steps[i] = (double)((i - 7) * stride);
    weir_node node =
        put(g, WEIR_OP_THRESHOLD, "q", 2, (weir_value[]){x, add_constant(g, "t", WEIR_INT64, 2, 1, 15, steps)});
    weir_node_set_int(g, node, "base", -7);
    assert_true(weir_infer_node(g, node));
    return weir_node_output(g, node, 0);
}

/* Half of them are folded by hand, also unevenly where there is one row. */
static inline weir_value random_linear(weir_graph *g, weir_value x, int64_t n) {
    int64_t k = channels_of(g, x), rows = weir_value_type(g, x)->shape.dim[0];
    double *w = weir_malloc((size_t)(n * k) * sizeof *w);
    for (int64_t i = 0; i < n * k; i++) w[i] = (double)random_int(-4, 3);
    weir_value y = ADD(g, WEIR_OP_LINEAR, "fc", x, add_constant(g, "w", WEIR_INT8, 2, n, k, w));
    free(w);
    if (random_int(0, 1) == 0) return y;
    weir_meta_hardware *hardware = &weir_node_metadata(g, weir_value_producer(g, y))->hardware;
    set_setting(hardware, "simd", rows == 1 && random_int(0, 1) == 0 ? random_int(1, k) : random_divisor(k));
    set_setting(hardware, "pe", rows == 1 && random_int(0, 1) == 0 ? random_int(1, n) : random_divisor(n));
    return y;
}

static inline weir_value random_layer(weir_graph *g, weir_value x, int64_t n) {
    const int64_t steps = random_int(1, 12); /* drawn first: the order of arguments is the compiler's */
    return random_thresholds(g, random_linear(g, x, n), steps);
}

/* x + what some layers make of it; a branch may have none. */
static inline weir_value random_residual(weir_graph *g, weir_value x) {
    weir_value a = x, b = x;
    for (int64_t i = random_int(1, 3); i > 0; i--) a = random_layer(g, a, channels_of(g, x));
    for (int64_t i = random_int(0, 5) - 3; i > 0; i--) b = random_layer(g, b, channels_of(g, x));
    if (random_int(0, 3) == 0) b = random_thresholds(g, b, 1);
    return random_thresholds(g, ADD(g, WEIR_OP_SUM, "sum", b, a), 2);
}

/* A network of some layers and residual blocks, folded, with forks and lane converters; where several inputs are
 * allowed, some come in on the way. */
static inline weir_graph *random_streams(int64_t blocks, bool several_inputs) {
    weir_graph *g = weir_graph_new("hardware");
    int64_t rows = random_int(0, 1) == 0 ? 1 : random_int(2, 12);
    weir_value x = add_codes_input(g, "x", WEIR_INT8, rows, random_int(2, 24), -8, 7);
    for (int64_t i = random_int(1, blocks); i > 0; i--) {
        if (several_inputs && random_int(0, 4) == 0) {
            weir_value z = add_codes_input(g, "z", WEIR_INT8, rows, channels_of(g, x), -8, 7);
            if (random_int(0, 1) == 0) z = random_layer(g, z, channels_of(g, x));
            x = random_thresholds(g, ADD(g, WEIR_OP_SUM, "sum", z, x), 2);
        } else if (random_int(0, 1) == 0) x = random_residual(g, x);
        else x = random_layer(g, x, random_int(1, 24));
    }
    weir_graph_add_output(g, "y", random_thresholds(g, x, 1));
    assert_true(weir_choose_folding(g, random_int(1, 3) == 1 ? random_int(1, 40) : random_int(1, 700), 0, NULL));
    assert_true(weir_insert_streams(g));
    return g;
}

/* --- the oracle --- */

/* Cycles of a beat and from its taking to its giving, as the headers of rtl/ say, without the components' own rules. */
static inline void network_timing(const weir_graph *g, weir_node node, network_node *to) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(g, node)->hardware;
    weir_op op = weir_node_op(g, node);
    bool scales = op == WEIR_OP_SCALE || op == WEIR_OP_SCALE_FLOAT;
    to->cycles = scales || op == WEIR_OP_THRESHOLD ? hardware->interval / to->beats : 1;
    int64_t search = 0; /* stages: two bits of the number of a word's thresholds each */
    while (((int64_t)2 << (2 * search)) <= setting_of(hardware, "digit")) search++;
    to->latency = op == WEIR_OP_FORK        ? 0
                  : op == WEIR_OP_THRESHOLD ? (to->cycles > 1 ? to->cycles : 0) + 2 + search
                  : scales                  ? to->cycles + 2
                  : op == WEIR_OP_FIFO && setting_of(hardware, "depth") > 32 ? 2
                                                                             : 1;
}

static inline size_t index_of(const weir_graph *g, const weir_value *streams, size_t count, weir_value value) {
    value = weir_stream_source(g, value);
    for (size_t i = 0; i < count; i++) {
        weir_node producer = weir_value_producer(g, value);
        if (streams[i].id == value.id) return i;
        if (producer.id != 0 && streams[i].id == weir_node_output(g, producer, 0).id) return i;
    }
    fail_msg("%s comes from nowhere", weir_value_name(g, value));
    return 0;
}

/* Nodes in graph order behind the inputs; streams[i]: output 0 of node i, heap memory. */
static inline network network_of(const weir_graph *g, weir_value **streams) {
    size_t count;
    weir_value *inputs = weir_stream_inputs(g, &count);
    network net = {weir_calloc(count + weir_graph_node_count(g), sizeof *net.node), 0, weir_stream_interval(g)};
    *streams = weir_calloc(count + weir_graph_node_count(g), sizeof **streams);
    for (size_t i = 0; i < count; i++) {
        net.node[i] = (network_node){.kind = NETWORK_SOURCE,
                                     .beats = weir_stream_beats(g, inputs[i], weir_stream_lanes(g, inputs[i]))};
        (*streams)[net.count++] = inputs[i];
        if (net.node[i].beats > net.interval) net.interval = net.node[i].beats;
    }
    free(inputs);
    for (weir_node node = weir_graph_first(g); node.id != 0; node = weir_node_next(g, node)) {
        if (weir_stream_role(g, node) != WEIR_ROLE_COMPONENT) continue;
        const weir_meta_hardware *hardware = &weir_node_metadata_of(g, node)->hardware;
        weir_value y = weir_node_output(g, node, 0);
        network_node to = {.kind = NETWORK_WORK, .inputs = weir_node_op(g, node) == WEIR_OP_SUM ? 2 : 1};
        to.beats = weir_stream_beats(g, y, hardware->out_lanes);
        for (size_t k = 0; k < to.inputs; k++)
            to.input[k] = index_of(g, *streams, net.count, weir_node_input(g, node, k));
        network_timing(g, node, &to);
        if (weir_node_op(g, node) == WEIR_OP_LANES) {
            to.kind = NETWORK_LANES;
            to.elements = weir_stream_elements(g, y);
            to.in_lanes = hardware->in_lanes;
            to.out_lanes = hardware->out_lanes;
            to.latency = to.in_lanes != to.out_lanes;
        }
        if (weir_node_op(g, node) == WEIR_OP_LINEAR) {
            const weir_shape *w = &weir_value_type(g, weir_node_input(g, node, 1))->shape;
            to.kind = NETWORK_LINEAR;
            to.rows = weir_stream_elements(g, y) / w->dim[0];
            to.in_beats = weir_ceil_divide(w->dim[1], setting_of(hardware, "simd"));
            to.groups = weir_ceil_divide(w->dim[0], setting_of(hardware, "pe"));
            int64_t levels = 0;
            while ((int64_t)1 << levels < setting_of(hardware, "simd")) levels++;
            weir_memory weights;
            assert_true(weir_memory_get(g, node, 0, &weights));
            /* Reading the weight, one register more from a block; the product; the tree; with several beats the
             * accumulator; the place of the result. */
            to.latency = levels + (weights.storage == WEIR_STORAGE_BLOCK ? 2 : 1) + (to.in_beats > 1 ? 2 : 1);
        }
        net.node[net.count] = to;
        (*streams)[net.count++] = y;
    }
    return net;
}

#endif
