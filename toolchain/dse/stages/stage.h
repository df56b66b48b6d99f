/* Stages of design-space exploration, as ZigZag has them, in push form: a stage is called with a context (what the
 * stages above hand down, by key) and a sink (where its results go). It calls the stage below it as often as it wants,
 * with more in the context, and passes on the results, or others. The lowest stage, the leaf, makes results.
 *
 * A shared object adds stages: WEIR_DSE_STAGES names its function that calls weir_dse_registry_add. */
#ifndef WEIR_DSE_STAGE_H
#define WEIR_DSE_STAGE_H

#include "dse/result/result.h"
#include "support/process/object.h"

/* A frame of a context; it shadows frames of the same key above. Values belong to whoever made the frame. */
typedef struct weir_dse_context {
    const struct weir_dse_context *up;
    const char *key;
    const void *value;
} weir_dse_context;

/* Keys, with the type of their values. */
#define WEIR_DSE_ACCELERATOR_PATH "accelerator_path" /* const char: of the files */
#define WEIR_DSE_WORKLOAD_PATH "workload_path"
#define WEIR_DSE_MAPPING_PATH "mapping_path"
#define WEIR_DSE_ACCELERATOR "accelerator"     /* const weir_dse_accelerator */
#define WEIR_DSE_WORKLOAD "workload"           /* const weir_dse_workload */
#define WEIR_DSE_LAYER "layer"                 /* const weir_dse_layer */
#define WEIR_DSE_UNROLL "user_spatial_mapping" /* const weir_dse_unroll */
#define WEIR_DSE_SPATIAL "spatial_mapping"     /* const weir_dse_problem: layer and accelerator with this mapping */
#define WEIR_DSE_SPATIAL_WHOLE "spatial_mapping_int" /* const weir_dse_spatial: its factors as whole numbers */
#define WEIR_DSE_TEMPORAL "temporal_mapping"         /* const weir_dse_temporal */

#define WEIR_DSE_SOURCE "source"       /* const weir_dse_source, of hardware graphs: stages_folding.h */
#define WEIR_DSE_HARDWARE "hardware"   /* const weir_graph, with components assigned and a device */
#define WEIR_DSE_FOLDING "folding"     /* const weir_dse_folding: stages_folding.h */
#define WEIR_DSE_COMPONENT "component" /* const weir_node, of the folding */

/* The value of a key; NULL: none. */
static inline const void *weir_dse_get(const weir_dse_context *context, const char *key) {
    for (; context != NULL; context = context->up)
        if (context->key == key || __builtin_strcmp(context->key, key) == 0) return context->value;
    return NULL;
}

typedef enum weir_dse_option_kind { WEIR_DSE_COUNT, WEIR_DSE_REAL, WEIR_DSE_FLAG, WEIR_DSE_TEXT } weir_dse_option_kind;

/* What braces after a stage's name may hold. `published` is ZigZag's name for it, NULL: the same. */
typedef struct weir_dse_option {
    const char *name, *published;
    weir_dse_option_kind kind;
    const char *initial; /* NULL: none */
    const char *help;
} weir_dse_option;

enum { WEIR_DSE_OPTIONS = 8 };

typedef struct weir_dse_stage weir_dse_stage;

/* Lists end with NULL, options with a NULL name. */
typedef struct weir_dse_stage_body {
    bool is_leaf;
    const char *const *takes; /* keys that it needs; stages below do not see them unless it gives them again */
    const char *const *gives;
    const char *const *excludes;    /* keys that must not be there */
    const weir_dse_option *options; /* NULL: none */
    /* False after a reported error, or when the sink wants no more. */
    bool (*run)(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user);
} weir_dse_stage_body;

typedef struct weir_dse_stage_info {
    const char *name; /* minimal_latency, which ZigZag's MinimalLatencyStage means too */
    const char *help;
    const weir_dse_stage_body *body;
} weir_dse_stage_info;

typedef struct weir_dse_value {
    const char *text; /* NULL: none */
    double number;    /* of counts, reals and flags */
    bool is_set;
} weir_dse_value;

struct weir_dse_stage {
    const weir_dse_stage_info *info;
    const weir_dse_stage *below;            /* NULL below the leaf */
    weir_dse_value value[WEIR_DSE_OPTIONS]; /* by option */
};

/* Runs the stage below. */
static inline bool weir_dse_stage_below(const weir_dse_stage *stage, const weir_dse_context *context,
                                        weir_dse_sink *sink, void *user) {
    return stage->below->info->body->run(stage->below, context, sink, user);
}

/* Releases the object when the run of the pipeline ends: results may refer to it until then. */
void weir_dse_keep(const weir_dse_context *context, void *object, void (*release)(void *object));

typedef struct weir_dse_registry weir_dse_registry;

/* The published stages and those of shared objects. */
weir_dse_registry *weir_dse_registry_new(void);
void weir_dse_registry_free(weir_dse_registry *registry);
/* The record must outlive the registry. False after a reported error: the name is taken. */
bool weir_dse_registry_add(weir_dse_registry *registry, const weir_dse_stage_info *info);
/* Those of a shared object. False after a reported error: none, or made with other headers. */
bool weir_dse_registry_load(weir_dse_registry *registry, const char *path);

/* What the loader looks for in the object, under the name weir_dse_stages; `add` returns false after a reported
 * error. */
typedef struct weir_dse_stages_record {
    weir_object_record made; /* the headers it was compiled with: must be those of the program */
    bool (*add)(weir_dse_registry *registry);
} weir_dse_stages_record;

/* Once in a shared object, at file scope. */
#define WEIR_DSE_STAGES(add_function)                                                                                  \
    extern const weir_dse_stages_record weir_dse_stages;                                                               \
    const weir_dse_stages_record weir_dse_stages = {{WEIR_ABI}, add_function}

/* By either of its names; NULL after an error that suggests the nearest. */
const weir_dse_stage_info *weir_dse_registry_find(const weir_dse_registry *registry, const char *name);
size_t weir_dse_registry_count(const weir_dse_registry *registry);
const weir_dse_stage_info *weir_dse_registry_at(const weir_dse_registry *registry, size_t index);

#endif
