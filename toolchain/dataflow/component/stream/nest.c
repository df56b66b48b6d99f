#include "dataflow/component/stream/nest_private.h"

#include <assert.h>
#include <stdio.h>

#include "dataflow/schedule/stream.h"

void weir_nest_set_lanes(const weir_graph *graph, int64_t most, int64_t cycles, weir_meta_hardware *hardware) {
    assert(most >= 1 && cycles >= 1);
    const int64_t interval = weir_stream_pace(graph);
    int64_t lanes = hardware->out_lanes < most ? hardware->out_lanes : most;
    while (lanes < most && (most % lanes != 0 || cycles / lanes > interval)) lanes++;
    hardware->in_lanes = hardware->out_lanes = lanes;
    hardware->interval = cycles / lanes;
}

bool weir_nest_legal(int64_t most, const weir_meta_hardware *hardware, weir_text *why) {
    assert(most >= 1 && hardware->in_lanes >= 1);
    if (hardware->in_lanes == hardware->out_lanes && most % hardware->in_lanes == 0) return true;
    weir_text_format(why, "takes %lld elements per beat, which do not divide runs of %lld",
                     (long long)hardware->in_lanes, (long long)most);
    return false;
}

void weir_nest_build(weir_builder *b, weir_rtl_instance u, const char *name, const int64_t *value, int loops,
                     int64_t otherwise) {
    assert(loops >= 0 && loops <= WEIR_NEST_LOOPS);
    const int around = WEIR_NEST_LOOPS - loops;
    for (int i = 0; i < WEIR_NEST_LOOPS; i++) {
        char parameter[16];
        snprintf(parameter, sizeof parameter, "%s_%d", name, i);
        weir_build_set(b, u, parameter, i < around ? otherwise : value[i - around]);
    }
}

int64_t weir_nest_value(weir_cost_part *part, const char *name, int loop) {
    assert(loop >= 0 && loop < WEIR_NEST_LOOPS);
    char parameter[16];
    snprintf(parameter, sizeof parameter, "%s_%d", name, loop);
    return weir_cost_value(part, parameter);
}

static int64_t size_of(weir_cost_part *part, int loop) { return weir_nest_value(part, "SIZE", loop); }

int64_t weir_nest_count_bits(weir_cost_part *part) {
    int64_t bits = 0;
    for (int i = 0; i < WEIR_NEST_LOOPS; i++) bits += size_of(part, i) > 1 ? weir_cost_bits(size_of(part, i)) : 0;
    return bits;
}

int64_t weir_nest_most_bits(weir_cost_part *part) {
    int64_t most = 1;
    for (int i = 0; i < WEIR_NEST_LOOPS; i++)
        if (size_of(part, i) > most) most = size_of(part, i);
    return weir_cost_bits(most);
}

int64_t weir_nest_count_loops(weir_cost_part *part) {
    int64_t loops = 0;
    for (int i = 0; i < WEIR_NEST_LOOPS; i++) loops += size_of(part, i) > 1;
    return loops;
}
