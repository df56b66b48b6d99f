/* The doors of the top (dataflow/frame.h): between its ports and its components. */
#ifndef WEIR_PASSES_EMIT_FRAME_H
#define WEIR_PASSES_EMIT_FRAME_H

#include "dataflow/build.h"

/* What the guard of an input says to the outputs and hears from them. */
typedef struct weir_frame_signals {
    weir_rtl_instance guard;
    weir_rtl_expr done, damaged;
    weir_rtl_expr hold; /* of the outputs so far; none: no output depends on the input */
} weir_frame_signals;

typedef struct weir_frame_doors {
    weir_value *input; /* all of the top */
    size_t inputs;
    weir_frame_signals *signals; /* by input */
    weir_rtl_instance sequence;  /* before the first guard; none: no State is kept */
} weir_frame_doors;

/* The guard of input `index`, whose ports are PREFIX_...; the stream behind it. */
weir_wires weir_frame_enter(weir_builder *b, weir_frame_doors *doors, size_t index, const char *prefix,
                            const weir_wires *ports);
/* Once all inputs have guards: what these say to the States that are kept. */
void weir_frame_begin(weir_builder *b, weir_frame_doors *doors);
/* The stream before the door of an output, where a component drives it. */
weir_wires weir_frame_before(weir_builder *b, const char *prefix, const weir_wires *ports);
/* The door of the output, from its stream to its ports. */
void weir_frame_leave(weir_builder *b, weir_frame_doors *doors, weir_value output, const char *prefix,
                      const weir_wires *stream, const weir_wires *ports);
/* What all outputs say to the guards; frees the doors. */
void weir_frame_finish(weir_builder *b, weir_frame_doors *doors);

#endif
