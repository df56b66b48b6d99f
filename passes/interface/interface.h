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

#endif
