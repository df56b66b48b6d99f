#include "cosim/reference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/host_graph.h"
#include "exec/exec.h"
#include "support/memory/arena.h"
#include "support/process/progress.h"
#include "support/process/seconds.h"
#include "support/text/unreachable.h"

static weir_codes new_codes(const weir_graph *graph, weir_value value, int64_t frames) {
    assert(frames >= 0);
    weir_codes codes = {value, weir_stream_elements(graph, value), NULL};
    codes.code = weir_malloc((size_t)(codes.elements * frames) * sizeof *codes.code + 1);
    return codes;
}

static void take_frame(weir_codes *codes, const weir_executor *executor, int64_t frame) {
    assert(frame >= 0);
    const weir_array *array = weir_executor_value(executor, codes->value);
    for (int64_t i = 0; i < codes->elements; i++)
        codes->code[frame * codes->elements + i] = weir_array_get_int(array, (size_t)i);
}

/* Output `index` of all frames: a leading 1 of the model's shape is its batch dimension. */
static weir_array *new_result(const weir_graph *graph, size_t index, int64_t frames) {
    assert(index < weir_graph_output_count(graph) && frames >= 0);
    weir_value output = weir_graph_output(graph, index);
    weir_shape shape = weir_value_type(graph, output)->shape;
    if (shape.rank > 0 && shape.dim[0] == 1) {
        shape.dim[0] = frames;
    } else if (shape.rank == WEIR_MAX_RANK) {
        shape = (weir_shape){2, {frames, weir_stream_elements(graph, output)}};
    } else {
        memmove(&shape.dim[1], &shape.dim[0], (size_t)shape.rank * sizeof shape.dim[0]);
        shape.dim[0] = frames;
        shape.rank++;
    }
    return weir_array_new(weir_value_type(graph, output)->dtype, &shape);
}

static void prepare(weir_reference *r, const weir_graph *graph) {
    weir_value *values = weir_stream_inputs(graph, &r->input_count);
    r->inputs = weir_calloc(r->input_count + 1, sizeof *r->inputs);
    for (size_t i = 0; i < r->input_count; i++) r->inputs[i] = new_codes(graph, values[i], r->frames);
    free(values);
    values = weir_stream_outputs(graph, &r->output_count);
    r->outputs = weir_calloc(r->output_count + 1, sizeof *r->outputs);
    for (size_t i = 0; i < r->output_count; i++) r->outputs[i] = new_codes(graph, values[i], r->frames);
    free(values);
    weir_tap *taps = weir_stream_taps(graph, &r->tap_count);
    r->taps = weir_calloc(r->tap_count + 1, sizeof *r->taps);
    for (size_t i = 0; i < r->tap_count; i++)
        r->taps[i] = new_codes(graph, weir_node_output(graph, taps[i].node, taps[i].output), r->debug_frames);
    free(taps);
    free(weir_stream_carried(graph, &r->carried_count));
    r->carried = weir_calloc((size_t)r->frames * r->carried_count + 1, sizeof *r->carried);
    r->result_count = weir_graph_output_count(graph);
    r->result = weir_calloc(r->result_count, sizeof *r->result);
    for (size_t i = 0; i < r->result_count; i++) r->result[i] = new_result(graph, i, r->frames);
}

static bool run_frame(const weir_graph *graph, weir_executor *executor, const weir_array *const *data, int64_t frame) {
    size_t count = weir_graph_input_count(graph);
    weir_array **input = weir_calloc(count, sizeof *input);
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        input[i] = weir_executor_frame_of(graph, i, data[i], frame);
        fine = input[i] != NULL;
    }
    fine = fine && weir_executor_run(executor, (const weir_array *const *)input);
    for (size_t i = 0; i < count; i++) weir_array_free(input[i]);
    free(input);
    return fine;
}

static void keep_frame(weir_reference *r, const weir_graph *graph, const weir_executor *executor, int64_t frame) {
    for (size_t i = 0; i < r->input_count; i++) take_frame(&r->inputs[i], executor, frame);
    for (size_t i = 0; i < r->output_count; i++) take_frame(&r->outputs[i], executor, frame);
    for (size_t i = 0; frame < r->debug_frames && i < r->tap_count; i++) take_frame(&r->taps[i], executor, frame);
    size_t carried_count;
    weir_value *carried = weir_stream_carried(graph, &carried_count);
    for (size_t i = 0; i < carried_count; i++)
        r->carried[(size_t)frame * carried_count + i] = weir_array_copy(weir_executor_value(executor, carried[i]));
    free(carried);
    for (size_t i = 0; i < r->result_count; i++) {
        const weir_array *output = weir_executor_value(executor, weir_graph_output(graph, i));
        size_t size = output->count * weir_dtype_size(output->dtype);
        memcpy((char *)r->result[i]->data + (size_t)frame * size, output->data, size);
    }
}

weir_reference *weir_reference_new(const weir_graph *hardware, const weir_array *const *data, int64_t frames,
                                   int64_t debug_frames) {
    int64_t found = weir_executor_count_frames(hardware, data);
    weir_executor *executor = found < 0 ? NULL : weir_executor_new(hardware);
    if (executor == NULL) return NULL;
    weir_reference *r = weir_calloc(1, sizeof *r);
    r->data = data;
    r->frames = frames == 0 || frames > found ? found : frames;
    r->debug_frames = debug_frames < r->frames ? debug_frames : r->frames;
    prepare(r, hardware);
    bool fine = true;
    const double begun = weir_seconds();
    for (int64_t frame = 0; fine && frame < r->frames; frame++) {
        fine = run_frame(hardware, executor, data, frame);
        if (fine) keep_frame(r, hardware, executor, frame);
        if (frame % 256 == 0 && r->frames > 256) weir_progress("reference", (double)frame, (double)r->frames, begun);
    }
    weir_progress_end();
    weir_executor_free(executor);
    if (fine) return r;
    weir_reference_free(r);
    return NULL;
}

void weir_reference_free(weir_reference *r) {
    if (r == NULL) return;
    for (size_t i = 0; i < r->input_count; i++) free(r->inputs[i].code);
    for (size_t i = 0; i < r->output_count; i++) free(r->outputs[i].code);
    for (size_t i = 0; i < r->tap_count; i++) free(r->taps[i].code);
    for (size_t i = 0; i < (size_t)r->frames * r->carried_count; i++) weir_array_free(r->carried[i]);
    free(r->carried);
    free(r->inputs);
    free(r->outputs);
    free(r->taps);
    for (size_t i = 0; i < r->result_count; i++) weir_array_free(r->result[i]);
    free(r->result);
    free(r);
}

weir_codes *weir_reference_outputs(const weir_reference *r, const weir_graph *hardware, const bool *damaged) {
    weir_codes *outputs = weir_calloc(r->output_count + 1, sizeof *outputs);
    weir_executor *executor = weir_executor_new(hardware);
    for (size_t i = 0; i < r->output_count; i++) outputs[i] = new_codes(hardware, r->outputs[i].value, r->frames);
    for (int64_t frame = 0; frame < r->frames; frame++) {
        if (frame > 0 && damaged[frame - 1]) weir_executor_restart(executor);
        if (!run_frame(hardware, executor, r->data, frame)) weir_unreachable("the reference has run on these frames");
        for (size_t i = 0; i < r->output_count; i++) take_frame(&outputs[i], executor, frame);
    }
    weir_executor_free(executor);
    return outputs;
}

void weir_reference_free_outputs(const weir_reference *r, weir_codes *outputs) {
    for (size_t i = 0; outputs != NULL && i < r->output_count; i++) free(outputs[i].code);
    free(outputs);
}

/* --- decoding --- */

weir_array *weir_decode(const weir_graph *hardware, const weir_reference *reference, const int64_t *const *codes,
                        int64_t frames, size_t index) {
    assert(index < weir_graph_output_count(hardware));
    weir_graph *graph = weir_host_graph_tail(hardware);
    weir_executor *executor = weir_executor_new(graph);
    weir_array *result = NULL;
    const size_t carried = reference->carried_count, count = weir_graph_input_count(graph) - carried;
    weir_array **input = weir_calloc(count + carried + 1, sizeof *input);
    for (size_t i = 0; i < count; i++) {
        const weir_type *type = weir_value_type(graph, weir_graph_input(graph, i));
        input[i] = weir_array_new(type->dtype, &type->shape);
    }
    for (int64_t frame = 0; executor != NULL && frame < frames; frame++) {
        for (size_t i = 0; i < count; i++) {
            for (size_t e = 0; e < input[i]->count; e++)
                weir_array_set_int(input[i], e, codes[i][(size_t)frame * input[i]->count + e]);
        }
        for (size_t i = 0; i < carried; i++) input[count + i] = reference->carried[(size_t)frame * carried + i];
        weir_executor_run(executor, (const weir_array *const *)input);
        const weir_array *output = weir_executor_value(executor, weir_graph_output(graph, index));
        if (result == NULL) result = weir_array_new(output->dtype, &(weir_shape){2, {frames, (int64_t)output->count}});
        size_t size = output->count * weir_dtype_size(output->dtype);
        memcpy((char *)result->data + (size_t)frame * size, output->data, size);
    }
    for (size_t i = 0; i < count; i++) weir_array_free(input[i]);
    free(input);
    weir_executor_free(executor);
    weir_graph_free(graph);
    return result;
}
