/* Hashes of modules by what they mean and print: name, attributes, parameters, ports and variables with all they say,
 * groups of ports, types by structure, statements in their order with everything in them, instances with their
 * overrides and connections, children by their hashes, external modules by the text of their file too. Comments,
 * locations and trails do not count, and a variable is the same whether a wire or undecided. Modules of equal hashes
 * are the same up to comments; 128 bits make sure of it for designs that are not made up to break them. */
#ifndef WEIR_PASSES_RTL_MODULE_HASH_H
#define WEIR_PASSES_RTL_MODULE_HASH_H

#include "passes/rtl/rtl.h"
#include "support/memory/hash.h"

typedef struct weir_module_hashes weir_module_hashes;

/* The name of the analysis that has them: of every module below the top, as the design is when it is asked for.
 * O(design): shared expressions are looked at once. */
#define WEIR_MODULE_HASHES "module_hashes"
extern const weir_pass_analysis weir_module_hashes_analysis;

/* Of a module below the top. */
weir_hash weir_module_hash(const weir_module_hashes *hashes, weir_rtl_module module);

#endif
