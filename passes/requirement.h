/* What passes of pass.def require of the module that they run on. The pass manager looks before such a pass runs. */
#ifndef WEIR_PASSES_REQUIREMENT_H
#define WEIR_PASSES_REQUIREMENT_H

#include "pass/core/registry.h"

/* False after a reported error. */
bool weir_requirement_register(weir_pass_registry *registry);

#endif
