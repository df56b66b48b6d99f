#include "cosim/reference.h"

#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "support/arena.h"
#include "support/progress.h"

static weir_codes new_codes(const weir_graph *graph, weir_value value, int64_t frames) {
    weir_codes codes = {value, weir_stream_elements(graph, value), NULL};
    codes.code = weir_malloc((size_t)(codes.elements * frames) * sizeof *codes.code + 1);
    return codes;
}

static void take_frame(weir_codes *codes, const weir_executor *executor, int64_t frame) {
    const weir_array *array = weir_executor_value(executor, codes->value);
    for (int64_t i = 0; i < codes->elements; i++)
        codes->code[frame * codes->elements + i] = weir_array_get_int(array, (size_t)i);
}

/* Output `index` of all frames: a leading 1 of the model's shape is its batch dimension. */
static weir_array *new_result(const weir_graph *graph, size_t index, int64_t frames) {
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
    r->result_count = weir_graph_output_count(graph);
    r->result = weir_calloc(r->result_count, sizeof *r->result);
    for (size_t i = 0; i < r->result_count; i++) r->result[i] = new_result(graph, i, r->frames);
}

static bool run_frame(weir_reference *r, const weir_graph *graph, weir_executor *executor,
                      const weir_array *const *data, int64_t frame) {
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
    if (!fine) return false;
    for (size_t i = 0; i < r->input_count; i++) take_frame(&r->inputs[i], executor, frame);
    for (size_t i = 0; i < r->output_count; i++) take_frame(&r->outputs[i], executor, frame);
    for (size_t i = 0; frame < r->debug_frames && i < r->tap_count; i++) take_frame(&r->taps[i], executor, frame);
    for (size_t i = 0; i < r->result_count; i++) {
        const weir_array *output = weir_executor_value(executor, weir_graph_output(graph, i));
        size_t size = output->count * weir_dtype_size(output->dtype);
        memcpy((char *)r->result[i]->data + (size_t)frame * size, output->data, size);
    }
    return true;
}

weir_reference *weir_reference_new(const weir_graph *hardware, const weir_array *const *data, int64_t frames,
                                   int64_t debug_frames) {
    int64_t found = weir_executor_count_frames(hardware, data);
    weir_executor *executor = found < 0 ? NULL : weir_executor_new(hardware);
    if (executor == NULL) return NULL;
    weir_reference *r = weir_calloc(1, sizeof *r);
    r->frames = frames == 0 || frames > found ? found : frames;
    r->debug_frames = debug_frames < r->frames ? debug_frames : r->frames;
    prepare(r, hardware);
    bool fine = true;
    for (int64_t frame = 0; fine && frame < r->frames; frame++) {
        fine = run_frame(r, hardware, executor, data, frame);
        if (frame % 256 == 0 && r->frames > 256) weir_progress("reference", (double)frame, (double)r->frames);
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
    free(r->inputs);
    free(r->outputs);
    free(r->taps);
    for (size_t i = 0; i < r->result_count; i++) weir_array_free(r->result[i]);
    free(r->result);
    free(r);
}

/* --- decoding --- */

/* Marks what the graph's outputs are computed from, back to the hardware's outputs, whose marks are set already. */
static void mark_needed(const weir_graph *graph, const bool *given, bool *needed) {
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) needed[weir_graph_output(graph, i).id] = true;
    for (weir_node node = weir_graph_last(graph); node.id != 0; node = weir_node_previous(graph, node)) {
        bool wanted = false;
        for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
            const weir_value value = weir_node_output(graph, node, i);
            wanted |= needed[value.id] && !given[value.id];
        }
        for (size_t i = 0; wanted && i < weir_node_input_count(graph, node); i++)
            needed[weir_node_input(graph, node, i).id] = true;
    }
}

/* The node's counterpart in the decoder graph; `own` holds the counterparts of values by handle. */
static void carry(weir_graph *to, const weir_graph *from, weir_node node, weir_value *own) {
    const size_t inputs = weir_node_input_count(from, node), outputs = weir_node_output_count(from, node);
    weir_value *input = weir_calloc(inputs + 1, sizeof *input);
    for (size_t i = 0; i < inputs; i++) {
        const weir_value value = weir_node_input(from, node, i);
        if (value.id != 0 && own[value.id].id == 0)
            own[value.id] = weir_graph_add_constant(to, weir_value_name(from, value), weir_value_constant(from, value));
        input[i] = own[value.id];
    }
    weir_node made = weir_graph_add_node(to, weir_node_op(from, node), weir_node_name(from, node), input, inputs,
                                         outputs, WEIR_NO_NODE);
    for (size_t i = 0; i < outputs; i++) {
        const weir_value value = weir_node_output(from, node, i), copy = weir_node_output(to, made, i);
        weir_value_set_type(to, copy, weir_value_type(from, value));
        if (own[value.id].id == 0) own[value.id] = copy;
    }
    weir_node_copy_attributes(to, made, from, node);
    free(input);
}

weir_graph *weir_decoder_graph(const weir_graph *hardware) {
    size_t count;
    weir_value *outputs = weir_stream_outputs(hardware, &count);
    const size_t limit = weir_graph_value_limit(hardware);
    weir_value *own = weir_calloc(limit, sizeof *own);
    bool *given = weir_calloc(limit, sizeof *given), *needed = weir_calloc(limit, sizeof *needed);
    weir_graph *graph = weir_graph_new("decoder");
    for (size_t i = 0; i < count; i++) {
        given[outputs[i].id] = true;
        own[outputs[i].id] =
            weir_graph_add_input(graph, weir_value_name(hardware, outputs[i]), weir_value_type(hardware, outputs[i]));
    }
    mark_needed(hardware, given, needed);
    for (weir_node node = weir_graph_first(hardware); node.id != 0; node = weir_node_next(hardware, node)) {
        bool wanted = false;
        for (size_t i = 0; i < weir_node_output_count(hardware, node); i++) {
            const weir_value value = weir_node_output(hardware, node, i);
            wanted |= needed[value.id] && !given[value.id];
        }
        if (wanted) carry(graph, hardware, node, own);
    }
    for (size_t i = 0; i < weir_graph_output_count(hardware); i++)
        weir_graph_add_output(graph, weir_graph_output_name(hardware, i), own[weir_graph_output(hardware, i).id]);
    free(outputs);
    free(own);
    free(given);
    free(needed);
    return graph;
}

weir_array *weir_decode(const weir_graph *hardware, const int64_t *const *codes, int64_t frames, size_t index) {
    weir_graph *graph = weir_decoder_graph(hardware);
    weir_executor *executor = weir_executor_new(graph);
    weir_array *result = NULL;
    size_t count = weir_graph_input_count(graph);
    weir_array **input = weir_calloc(count + 1, sizeof *input);
    for (size_t i = 0; i < count; i++) {
        const weir_type *type = weir_value_type(graph, weir_graph_input(graph, i));
        input[i] = weir_array_new(type->dtype, &type->shape);
    }
    for (int64_t frame = 0; executor != NULL && frame < frames; frame++) {
        for (size_t i = 0; i < count; i++) {
            for (size_t e = 0; e < input[i]->count; e++)
                weir_array_set_int(input[i], e, codes[i][(size_t)frame * input[i]->count + e]);
        }
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
