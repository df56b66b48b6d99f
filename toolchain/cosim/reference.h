/* The expected results: the codes of every stream of the hardware graph for a set of frames, and the model's outputs by
 * each engine. */
#ifndef WEIR_COSIM_REFERENCE_H
#define WEIR_COSIM_REFERENCE_H

#include "dataflow/schedule/stream.h"
#include "support/memory/array.h"

/* Codes of one stream: frames * elements values. */
typedef struct weir_codes {
    weir_value value;
    int64_t elements; /* a frame */
    int64_t *code;
} weir_codes;

typedef struct weir_reference {
    int64_t frames;
    size_t input_count, output_count, tap_count;
    weir_codes *inputs, *outputs; /* hardware inputs and outputs in their order */
    weir_codes *taps;             /* for the first debug_frames frames */
    int64_t debug_frames;
    size_t result_count;
    weir_array **result; /* the model's outputs from the hardware graph, [frames, ...] */
    size_t carried_count;
    weir_array **carried;          /* values of weir_stream_carried, one after another: [frame][value] */
    const weir_array *const *data; /* the caller's */
} weir_reference;

/* Runs the hardware graph on the first `frames` frames (0: all) of the data, an array for each of its inputs, which
 * stays where it is as long as the reference; NULL after a reported error. */
weir_reference *weir_reference_new(const weir_graph *hardware, const weir_array *const *data, int64_t frames,
                                   int64_t debug_frames);
void weir_reference_free(weir_reference *reference);
/* Codes of the outputs where a sequence begins behind each frame that is damaged. */
weir_codes *weir_reference_outputs(const weir_reference *reference, const weir_graph *hardware, const bool *damaged);
void weir_reference_free_outputs(const weir_reference *reference, weir_codes *outputs);

/* Output `index` of the model from codes of every hardware output and from what the reference carries past the
 * hardware, for at most its frames: an array [frames, ...]; NULL after an error. */
weir_array *weir_decode(const weir_graph *hardware, const weir_reference *reference, const int64_t *const *codes,
                        int64_t frames, size_t index);

#endif
