/* The only header that a user's passes, operators and components in a shared object need: it includes the graph IR,
 * passes, contexts and the registry. Operators are those of ir/graph/operator.h, components those of
 * dataflow/component.h.
 *   cc -shared -fPIC $(pkg-config --cflags weir-plugin) mine.c -o libmine.so
 *   weir opt --load-pass ./libmine.so -p my-pass model.onnx
 * The object does not link against Weir: the program that loads it has what it calls. Passes, options and instruments
 * are those of pass.h, context.h and instrument.h; graphs those of ir/graph/graph.h. An example is in
 * passes/README.md. */
#ifndef WEIR_PASS_PLUGIN_H
#define WEIR_PASS_PLUGIN_H

#include "ir/graph/graph.h"
#include "pass/core/context.h"
#include "pass/core/registry.h"
#include "support/process/object.h"
#include "support/text/diag.h"

/* Registers the passes, analyses and pipelines of the shared object with weir_pass_registry_add and its like. Records
 * may be static: the object stays loaded as long as the registry. False after a reported error. */
typedef bool weir_pass_plugin_add(weir_pass_registry *registry);

/* What the loader looks for in the object, under the name weir_pass_plugin. */
typedef struct weir_pass_plugin_record {
    weir_object_record made; /* the headers it was compiled with: must be those of the program */
    weir_pass_plugin_add *add;
} weir_pass_plugin_record;

/* Once in a shared object, at file scope. */
#define WEIR_PASS_PLUGIN(add_function)                                                                                 \
    extern const weir_pass_plugin_record weir_pass_plugin;                                                             \
    const weir_pass_plugin_record weir_pass_plugin = {{WEIR_ABI}, add_function}

#endif
