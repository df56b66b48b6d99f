#include "board/benchmark.h"

#include <assert.h>
#include <stdlib.h>

#include "board/codec.h"
#include "dataflow/host_graph.h"
#include "dataflow/schedule/stream.h"
#include "exec/exec.h"
#include "support/memory/arena.h"
#include "wire/packet.h"

/* Cycles of a benchmark at most, unless there are fewer than LEAST frames in them. */
enum { CYCLES = 1 << 17, LEAST = 4, MOST = 1000 };

weir_benchmark_mask weir_benchmark_mask_of_range(int64_t low, int64_t high) {
    assert(low <= high);
    const bool is_signed = low < 0;
    const int bits = weir_bits_for(low, high);
    const uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    const int64_t top = (int64_t)(is_signed ? all >> 1 : all);
    if (high == top && low == (is_signed ? -top - 1 : 0)) return (weir_benchmark_mask){all, 0};
    /* Odd codes: -1 and 1 of a bipolar input, -127 to 127 of a narrow one. */
    if (is_signed && high == top && low == -top) return (weir_benchmark_mask){all & ~UINT64_C(1), 1};
    /* 0 to 2^n - 1; where 0 is none, one code alone. */
    uint64_t vary = 0;
    while (low <= 0 && vary < all >> is_signed && (int64_t)(2 * vary + 1) <= high) vary = 2 * vary + 1;
    return (weir_benchmark_mask){vary, low > 0 || high < 0 ? (uint64_t)low & all : 0};
}

weir_benchmark_mask weir_benchmark_mask_of(const weir_graph *hardware, weir_value input) {
    const weir_type *type = weir_value_type(hardware, input);
    int64_t low = type->low, high = type->high;
    if (!type->has_range) weir_quant_limits(&type->quant, &low, &high);
    return weir_benchmark_mask_of_range(low, high);
}

int64_t weir_benchmark_frames(const weir_graph *hardware) {
    int64_t frames = CYCLES / weir_stream_interval(hardware);
    if (frames > MOST) frames = MOST;
    return frames < LEAST ? LEAST : frames / 2 * 2;
}

/* --- the generator --- */

typedef struct generator {
    uint32_t state;
    weir_remote_stream stream;
    weir_benchmark_mask mask;
} generator;

static void step(generator *g) {
    for (int i = 0; i < 8; i++) g->state = g->state >> 1 ^ ((g->state & 1) != 0 ? UINT32_C(0xEDB88320) : 0);
}

static void fill(generator *g, weir_array *frame) {
    const weir_remote_stream *s = &g->stream;
    for (uint64_t element = 0; element < s->elements; element++) {
        const uint32_t lane = (uint32_t)(element % s->lanes);
        uint64_t code = 0;
        for (uint32_t k = 0; k < s->width; k++) code |= (uint64_t)(g->state >> (lane * s->width + k) % 32 & 1) << k;
        code = (code & g->mask.vary) | g->mask.ones;
        if (s->is_signed && s->width < 64 && code >> (s->width - 1) != 0) code |= UINT64_MAX << s->width;
        weir_array_set_int(frame, (size_t)element, (int64_t)code);
        if (lane + 1 == s->lanes || element + 1 == s->elements) step(g);
    }
}

/* --- the results --- */

typedef struct prediction {
    weir_graph *between;
    weir_executor *executor;
    generator *generator;
    weir_array **frame; /* of each input */
    weir_remote_stream *result;
    size_t inputs, outputs;
    uint8_t *bytes;
} prediction;

static void prepare(prediction *p, const weir_graph *hardware) {
    weir_value *inputs = weir_stream_inputs(hardware, &p->inputs),
               *outputs = weir_stream_outputs(hardware, &p->outputs);
    size_t bytes = 0;
    p->generator = weir_calloc(p->inputs + 1, sizeof *p->generator);
    p->frame = weir_calloc(p->inputs + 1, sizeof *p->frame);
    p->result = weir_calloc(p->outputs + 1, sizeof *p->result);
    for (size_t i = 0; i < p->inputs; i++) {
        const weir_type *type = weir_value_type(hardware, inputs[i]);
        p->generator[i] = (generator){UINT32_MAX - (uint32_t)i, weir_codec_stream(hardware, inputs[i]),
                                      weir_benchmark_mask_of(hardware, inputs[i])};
        p->frame[i] = weir_array_new(type->dtype, &type->shape);
    }
    for (size_t i = 0; i < p->outputs; i++) {
        p->result[i] = weir_codec_stream(hardware, outputs[i]);
        const size_t size = weir_remote_stream_bytes(&p->result[i]);
        if (size > bytes) bytes = size;
    }
    p->bytes = weir_malloc(bytes + 1);
    free(inputs);
    free(outputs);
}

static void release(prediction *p) {
    for (size_t i = 0; i < p->inputs; i++) weir_array_free(p->frame[i]);
    free(p->generator);
    free(p->frame);
    free(p->result);
    free(p->bytes);
    weir_executor_free(p->executor);
    weir_graph_free(p->between);
}

static uint32_t add_results(const prediction *p, uint32_t crc) {
    for (size_t i = 0; i < p->outputs; i++) {
        const weir_array *array = weir_executor_value(p->executor, weir_graph_output(p->between, i));
        int64_t *code = weir_malloc(array->count * sizeof *code + 1);
        for (size_t k = 0; k < array->count; k++) code[k] = weir_array_get_int(array, k);
        weir_remote_pack(&p->result[i], code, p->bytes);
        crc = weir_packet_crc(crc, p->bytes, weir_remote_stream_bytes(&p->result[i]));
        free(code);
    }
    return crc;
}

bool weir_benchmark_predict(const weir_graph *hardware, int64_t frames, uint32_t *half, uint32_t *all) {
    assert(frames >= 2 && frames % 2 == 0);
    prediction p = {.between = weir_host_graph_between(hardware)};
    p.executor = weir_executor_new(p.between);
    prepare(&p, hardware);
    bool fine = p.executor != NULL;
    uint32_t crc = 0;
    for (int64_t frame = 0; fine && frame < frames; frame++) {
        for (size_t i = 0; i < p.inputs; i++) fill(&p.generator[i], p.frame[i]);
        fine = weir_executor_run(p.executor, (const weir_array *const *)p.frame);
        if (fine) crc = add_results(&p, crc);
        if (frame + 1 == frames / 2) *half = crc;
    }
    *all = crc;
    release(&p);
    return fine;
}
