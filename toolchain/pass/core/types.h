/* Forward declarations of the pass manager's opaque types. */
#ifndef WEIR_PASS_TYPES_H
#define WEIR_PASS_TYPES_H

#include "support/memory/types.h"

typedef struct weir_module weir_module;
typedef struct weir_pass weir_pass;
typedef struct weir_pass_registry weir_pass_registry;
typedef struct weir_pass_context weir_pass_context;
typedef struct weir_pass_instrument weir_pass_instrument;

#endif
