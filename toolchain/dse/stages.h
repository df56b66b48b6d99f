/* The published stages by name, and what several of them share. */
#ifndef WEIR_DSE_STAGES_H
#define WEIR_DSE_STAGES_H

#include "dse/stage.h"

#define WEIR_DSE_STAGE(name) extern const weir_dse_stage_info weir_dse_stage_##name;
#include "dse/stage.def"
#undef WEIR_DSE_STAGE

/* The array of keys NULL-terminated. */
#define WEIR_DSE_KEYS(...)                                                                                             \
    (const char *const[]) { __VA_ARGS__, NULL }

#endif
