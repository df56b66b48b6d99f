/* The component library on disk: which file holds a module, and which modules it instantiates. */
#ifndef WEIR_DATAFLOW_LIBRARY_H
#define WEIR_DATAFLOW_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "rtlir/core/rtl.h"

typedef struct weir_library_file {
    char *name;       /* of the module */
    char *path;       /* below the data folder, "rtl/linear/weir_mvu.v", or whole; NULL before weir_library_close */
    const char *text; /* of the file, where a design had read it, whose memory it is; else NULL */
    size_t size;
} weir_library_file;

/* Modules without repetition, heap memory; all zero is the empty list. */
typedef struct weir_library_files {
    weir_library_file *file;
    size_t count, capacity;
} weir_library_files;

void weir_library_add(weir_library_files *files, const char *name);
/* Adds the modules below those in the list and finds every file; false after a reported error. Reads the files except
 * for those that the design has read (NULL: none). */
bool weir_library_close(weir_library_files *files, weir_rtl_design *design);
void weir_library_free(weir_library_files *files);
/* The text of the module's file, heap memory; NULL after a reported error. */
char *weir_library_text(const char *name);
/* The module of rtl/ or sim/bench by name, as an external module of the design; none after a reported error. */
weir_rtl_module weir_library_module(weir_rtl_design *design, const char *name);
/* The modules of the instances inside those that the design has read, and inside them, so that weir_rtl_verify
 * evaluates what they state for their parameters, too. False after a reported error. */
bool weir_library_read_inside(weir_rtl_design *design);

#endif
