/* What the passes share that write graphs to files and read them back. */
#ifndef WEIR_PASSES_INTERFACE_H
#define WEIR_PASSES_INTERFACE_H

#include "frontend/import/onnx.h"
#include "passes/passes.h"
#include "support/file/folder.h"

/* The graph that the pass's option `graph` names, the module's last one when it is empty; NULL after an error with the
 * nearest name. */
weir_graph *weir_interface_graph(const weir_module *module, const weir_pass *pass);

/* The path in the pass's option, or the module's name with `ending` in the module's folder when it is empty. Heap
 * memory. */
char *weir_interface_path(const weir_module *module, const weir_pass *pass, const char *option, const char *ending);

/* A file for writing under that path. One that the user named is simply replaced; under the other name, only one that
 * Weir wrote (support/file/folder.h). */
typedef struct weir_interface_file {
    char *path; /* where it is to be written */
    char *name; /* where it will be */
    weir_folder *folder;
} weir_interface_file;
/* Missing parent folders are made. False after a reported error. */
bool weir_interface_open(const weir_module *module, const weir_pass *pass, const char *option, const char *ending,
                         weir_interface_file *file);
/* Renames the file to its final name when it was written completely, else deletes it. False after an error, or when it
 * was not fine. */
bool weir_interface_close(weir_interface_file *file, bool fine);

/* A model from a file: text IR when it ends with .weir, which leaves nothing open, else ONNX. `sizes` may be NULL. NULL
 * after a reported error. */
weir_graph *weir_interface_read(const char *path, const weir_onnx_sizes *sizes);
/* A graph of the module by its name, else a model by its path, which has a dot or a slash. The second kind is the
 * caller's, and *own says so. NULL after an error that names the pass. */
weir_graph *weir_interface_find(const weir_module *module, const weir_pass *pass, const char *name, bool *own);

#endif
