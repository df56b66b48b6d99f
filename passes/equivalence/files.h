/* Files around a hardware design: the Verilog of its external modules. */
#ifndef WEIR_PASSES_EQUIVALENCE_FILES_H
#define WEIR_PASSES_EQUIVALENCE_FILES_H

#include "rtlir/core/rtl.h"
#include "support/text/text.h"

/* Absolute paths, each once; heap memory. */
typedef struct weir_rtl_files {
    char **path;
    size_t count, capacity;
} weir_rtl_files;

/* Adds the files of the external modules below top, and those of the component library that they need in turn. A path
 * is looked for here, then in the data folder. False when one is not there, which `why` says. */
bool weir_rtl_find_files(weir_rtl_design *design, weir_rtl_module top, weir_rtl_files *files, weir_text *why);
void weir_rtl_free_files(weir_rtl_files *files);

#endif
