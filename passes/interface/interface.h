/* What the passes share that write graphs to files and read them back. */
#ifndef WEIR_PASSES_INTERFACE_H
#define WEIR_PASSES_INTERFACE_H

#include "passes/passes.h"

/* The graph that the pass's option `graph` names, the module's last one when it is empty; NULL after an error with the
 * nearest name. */
weir_graph *weir_interface_graph(const weir_module *module, const weir_pass *pass);

/* The path in the pass's option, or the module's name with `ending` in the module's folder when it is empty. Heap
 * memory. Folders on the way are made; NULL after an error. */
char *weir_interface_path(const weir_module *module, const weir_pass *pass, const char *option, const char *ending);

/* A model from a file: text IR when it ends with .weir, else ONNX, with `batch` for a symbolic first dimension. NULL after
 * a reported error. */
weir_graph *weir_interface_read(const char *path, int64_t batch);
/* A graph of the module by its name, else a model by its path, which has a dot or a slash. The second kind is the caller's, and *own says so. NULL
 * after an error that names the pass. */
weir_graph *weir_interface_find(const weir_module *module, const weir_pass *pass, const char *name, bool *own);

#endif
