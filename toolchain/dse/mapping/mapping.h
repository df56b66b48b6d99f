/* Mapping files: what the user fixes of how layers are mapped, by name of the layer, by its operator, or by default. */
#ifndef WEIR_DSE_MAPPING_H
#define WEIR_DSE_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "support/memory/types.h"

enum { WEIR_DSE_ANY = 0 }; /* the size of a temporal loop that is written "*" */

typedef struct weir_dse_factor {
    const char *dim; /* of the layer, in capitals; NULL: "*" */
    int64_t size;
} weir_dse_factor;

/* What an array dimension is unrolled over, or may be (sizes mean nothing then). */
typedef struct weir_dse_unrolling {
    const char *dimension;
    int count;
    const weir_dse_factor *factor;
} weir_dse_unrolling;

typedef struct weir_dse_mapping_entry {
    const char *name;
    int spatial_count, hint_count, ordering_count;
    const weir_dse_unrolling *spatial, *hint;
    const weir_dse_factor *ordering; /* temporal loops, the innermost first */
    int link[256];                   /* by the letter of a layer's operand: its weir_dse_memory_operand, -1: none */
} weir_dse_mapping_entry;

typedef struct weir_dse_mapping {
    const char *path;
    int count;
    const weir_dse_mapping_entry *entry;
} weir_dse_mapping;

/* Lives in the arena; NULL after reported errors. */
weir_dse_mapping *weir_dse_mapping_read(const char *path, weir_arena *arena);
/* By the layer's name, else its operator, else the default. */
const weir_dse_mapping_entry *weir_dse_mapping_find(const weir_dse_mapping *mapping, const char *layer,
                                                    const char *type);

#endif
