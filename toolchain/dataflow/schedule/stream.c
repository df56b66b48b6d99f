#include "dataflow/schedule/stream.h"

#include <assert.h>
#include <stdlib.h>

#include "dataflow/component.h"
#include "dataflow/host.h"
#include "support/memory/arena.h"

weir_role weir_stream_role(const weir_graph *graph, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    if (hardware->module != NULL) return WEIR_ROLE_COMPONENT;
    return hardware->is_implicit ? WEIR_ROLE_IMPLICIT : WEIR_ROLE_HOST;
}

weir_value weir_stream_source(const weir_graph *graph, weir_value value) {
    weir_node producer = weir_value_producer(graph, value);
    while (producer.id != 0 && weir_stream_role(graph, producer) == WEIR_ROLE_IMPLICIT) {
        value = weir_node_input(graph, producer, 0);
        producer = weir_value_producer(graph, value);
    }
    return value;
}

size_t weir_stream_count(const weir_graph *graph, weir_node node) {
    const weir_component *component = weir_component_expected(graph, node);
    if (component == NULL || component->rules->streams == 0) return 1;
    if (component->rules->streams != WEIR_COMPONENT_SOURCE) return component->rules->streams;
    return weir_value_constant(graph, weir_node_input(graph, node, 0)) == NULL;
}

/* Codes that are used by more than the host. */
static bool is_taken(const weir_graph *graph, weir_value value) {
    const size_t uses = weir_value_use_count(graph, value);
    size_t host = 0;
    for (size_t i = 0; i < uses; i++)
        host += weir_host_of(graph, weir_value_use(graph, value, i).node) != WEIR_HOST_NONE;
    return uses == 0 || host < uses;
}

/* What the host makes of codes that come in, such as a transposition, is as good as codes that come in. */
bool weir_stream_is_input(const weir_graph *graph, weir_value value) {
    const weir_node producer = weir_value_producer(graph, value);
    if (producer.id != 0 && weir_node_op(graph, producer) == WEIR_OP_ENCODE) return true;
    if (weir_value_constant(graph, value) != NULL || weir_value_type(graph, value)->quant.format == WEIR_FORMAT_FLOAT)
        return false;
    return (producer.id == 0 || weir_host_of(graph, producer) == WEIR_HOST_HEAD) && is_taken(graph, value);
}

int64_t weir_stream_elements(const weir_graph *graph, weir_value value) {
    size_t count = 1;
    weir_shape_count(&weir_value_type(graph, value)->shape, &count);
    return (int64_t)count;
}

int64_t weir_stream_row(const weir_graph *graph, weir_value value) {
    const weir_shape *shape = &weir_value_type(graph, value)->shape;
    int d = shape->rank - 2;
    while (d > 0 && shape->dim[d] == 1) d--;
    return d < 0 ? 1 : shape->dim[d];
}

int64_t weir_stream_more_lanes(const weir_graph *graph, weir_value value, int64_t lanes) {
    assert(lanes > 0);
    const weir_shape *shape = &weir_value_type(graph, value)->shape;
    const int64_t channels = shape->rank == 0 ? 1 : shape->dim[shape->rank - 1], row = weir_stream_row(graph, value);
    for (int64_t more = lanes + 1; more <= channels; more++) {
        if (channels % more == 0) return more;
    }
    for (int64_t positions = lanes / channels + 1; positions <= row; positions++) {
        if (row % positions == 0) return positions * channels;
    }
    return 0;
}

int64_t weir_stream_beats(const weir_graph *graph, weir_value value, int64_t lanes) {
    assert(lanes > 0);
    return weir_ceil_divide(weir_stream_elements(graph, value), lanes);
}

int64_t weir_stream_beats_of(const weir_graph *graph, weir_node node) {
    assert(weir_stream_role(graph, node) == WEIR_ROLE_COMPONENT);
    return weir_stream_beats(graph, weir_node_output(graph, node, 0),
                             weir_node_metadata_of(graph, node)->hardware.out_lanes);
}

weir_component_timing weir_stream_registered(const weir_graph *graph, weir_node node) {
    return (weir_component_timing){1, weir_stream_beats_of(graph, node)};
}

int64_t weir_stream_lanes_taken(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware,
                                size_t input) {
    const weir_component *component = weir_component_of(graph, node);
    return component == NULL || component->rules->lanes == NULL ? hardware->in_lanes
                                                                : component->rules->lanes(graph, node, hardware, input);
}

/* What the one user of a hardware input takes, a component or names for the stream before it; the host may use it, too,
 * before the hardware. */
static int64_t lanes_taken(const weir_graph *graph, weir_value value) {
    for (size_t i = 0; i < weir_value_use_count(graph, value); i++) {
        const weir_use use = weir_value_use(graph, value, i);
        const weir_node user = use.node;
        if (weir_host_of(graph, user) == WEIR_HOST_HEAD) continue;
        switch (weir_stream_role(graph, user)) {
        case WEIR_ROLE_COMPONENT:
            return weir_stream_lanes_taken(graph, user, &weir_node_metadata_of(graph, user)->hardware, use.index);
        case WEIR_ROLE_IMPLICIT: return lanes_taken(graph, weir_node_output(graph, user, 0));
        case WEIR_ROLE_HOST: return 1;
        }
    }
    return 1;
}

int64_t weir_stream_lanes(const weir_graph *graph, weir_value value) {
    value = weir_stream_source(graph, value);
    weir_node producer = weir_value_producer(graph, value);
    if (producer.id != 0 && weir_stream_role(graph, producer) == WEIR_ROLE_COMPONENT)
        return weir_node_metadata_of(graph, producer)->hardware.out_lanes;
    return lanes_taken(graph, value);
}

static weir_result_codes result_of(const weir_graph *graph, weir_node node) {
    const weir_component *component = weir_component_expected(graph, node);
    return component == NULL ? WEIR_RESULT_RANGE : component->rules->result;
}

/* The value whose computation fixed the width. */
static weir_value computed(const weir_graph *graph, weir_value value) {
    weir_node producer = weir_value_producer(graph, value);
    while (producer.id != 0 && (weir_stream_role(graph, producer) == WEIR_ROLE_IMPLICIT ||
                                result_of(graph, producer) == WEIR_RESULT_INPUT)) {
        value = weir_node_input(graph, producer, 0);
        producer = weir_value_producer(graph, value);
    }
    return value;
}

/* The codes that the stream's elements may have, as far as its width knows: a part of a frame, or a Maximum, keeps the
 * width of what it takes, though its own codes are fewer. */
static void codes_of(const weir_graph *graph, weir_value value, int64_t *low, int64_t *high) {
    value = computed(graph, value);
    const weir_type *type = weir_value_type(graph, value);
    const weir_node producer = weir_value_producer(graph, value);
    const weir_result_codes result = producer.id == 0 ? WEIR_RESULT_RANGE : result_of(graph, producer);
    *low = type->low;
    *high = type->high;
    if (!type->has_range) weir_quant_limits(&type->quant, low, high);
    if (result == WEIR_RESULT_SIGNED && *low >= 0) *low = -1;
    for (size_t i = 0; result == WEIR_RESULT_INPUTS && i < weir_stream_count(graph, producer); i++) {
        int64_t least, largest;
        codes_of(graph, weir_node_input(graph, producer, i), &least, &largest);
        if (least < *low) *low = least;
        if (largest > *high) *high = largest;
    }
}

int weir_stream_width(const weir_graph *graph, weir_value value, bool *is_signed) {
    int64_t low, high;
    codes_of(graph, value, &low, &high);
    *is_signed = low < 0;
    return weir_bits_for(low, high);
}

bool weir_stream_is_read(const weir_graph *graph, weir_value value) {
    return weir_value_use_count(graph, value) > 0 || weir_value_is_output(graph, value);
}

weir_tap *weir_stream_taps(const weir_graph *graph, size_t *count) {
    weir_tap *taps = NULL;
    size_t capacity = 0;
    *count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_stream_role(graph, node) != WEIR_ROLE_COMPONENT) continue;
        for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
            if (!weir_stream_is_read(graph, weir_node_output(graph, node, i))) continue;
            taps = weir_grow(taps, &capacity, *count + 1, sizeof *taps);
            taps[(*count)++] = (weir_tap){node, (uint32_t)i};
        }
    }
    return taps;
}

weir_value *weir_stream_inputs(const weir_graph *graph, size_t *count) {
    weir_value *values = weir_calloc(weir_graph_value_limit(graph), sizeof *values);
    *count = 0;
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        weir_value value = weir_graph_input(graph, i);
        if (weir_stream_is_input(graph, value)) values[(*count)++] = value;
    }
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_stream_is_input(graph, weir_node_output(graph, node, 0)))
            values[(*count)++] = weir_node_output(graph, node, 0);
    }
    return values;
}

typedef struct value_set {
    weir_value *values; /* in the order added */
    bool *has;          /* by handle */
    size_t count;
} value_set;

static value_set new_set(const weir_graph *graph) {
    const size_t limit = weir_graph_value_limit(graph);
    value_set set = {weir_calloc(limit, sizeof *set.values), weir_calloc(limit, sizeof *set.has), 0};
    return set;
}

static weir_value *values_of(value_set *set, size_t *count) {
    free(set->has);
    *count = set->count;
    return set->values;
}

static void add_once(value_set *set, weir_value value) {
    if (!set->has[value.id]) set->values[set->count++] = value;
    set->has[value.id] = true;
}

bool weir_stream_is_carried(const weir_graph *graph, weir_value value) {
    if (value.id == 0 || weir_value_constant(graph, value) != NULL || weir_stream_is_input(graph, value)) return false;
    const weir_node producer = weir_value_producer(graph, value);
    return producer.id == 0 || weir_host_of(graph, producer) == WEIR_HOST_HEAD;
}

weir_value *weir_stream_carried(const weir_graph *graph, size_t *count) {
    value_set set = new_set(graph);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        for (size_t i = 0; weir_host_of(graph, node) == WEIR_HOST_TAIL && i < weir_node_input_count(graph, node); i++) {
            const weir_value value = weir_node_input(graph, node, i);
            if (weir_stream_is_carried(graph, value)) add_once(&set, value);
        }
    }
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        const weir_value value = weir_graph_output(graph, i);
        if (weir_stream_is_carried(graph, value)) add_once(&set, value);
    }
    return values_of(&set, count);
}

weir_value *weir_stream_outputs(const weir_graph *graph, size_t *count) {
    value_set set = new_set(graph);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        for (size_t i = 0; weir_host_of(graph, node) == WEIR_HOST_TAIL && i < weir_node_input_count(graph, node); i++) {
            const weir_value value = weir_node_input(graph, node, i);
            if (value.id == 0 || weir_value_constant(graph, value) != NULL || weir_stream_is_carried(graph, value))
                continue;
            const weir_node producer = weir_value_producer(graph, value);
            if (producer.id == 0 || weir_host_of(graph, producer) != WEIR_HOST_TAIL)
                add_once(&set, weir_stream_source(graph, value));
        }
    }
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        weir_value value = weir_graph_output(graph, i);
        if (weir_value_type(graph, value)->quant.format == WEIR_FORMAT_FLOAT) continue;
        weir_node producer = weir_value_producer(graph, value);
        if (producer.id != 0 && weir_host_of(graph, producer) == WEIR_HOST_TAIL) continue;
        if (weir_stream_is_carried(graph, value)) continue;
        add_once(&set, weir_stream_source(graph, value));
    }
    return values_of(&set, count);
}

int64_t weir_stream_interval(const weir_graph *graph) {
    int64_t interval = 1;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
        if (hardware->interval > interval) interval = hardware->interval;
    }
    return interval;
}

int64_t weir_stream_pace(const weir_graph *graph) {
    const int64_t interval = weir_graph_interval(graph);
    return interval > 0 ? interval : weir_stream_interval(graph);
}
