/* Metadata of a node in MASE's three groups: common, software, hardware. Data that passes use is typed; measurements
 * for reports and files only (statistics, sparsity) are facts: JSON under MASE's keys. What follows from the node's
 * values (shapes, precisions) is not stored again. */
#ifndef WEIR_IR_METADATA_H
#define WEIR_IR_METADATA_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ir/graph/settings.h"

/* MASE's kinds of nodes. */
typedef enum weir_mase_type {
    WEIR_MASE_MODULE,
    WEIR_MASE_MODULE_RELATED_FUNC,
    WEIR_MASE_BUILTIN_FUNC,
    WEIR_MASE_IMPLICIT_FUNC,
    WEIR_MASE_PLACEHOLDER,
    WEIR_MASE_GET_ATTR,
    WEIR_MASE_OUTPUT,
    WEIR_MASE_TYPE_COUNT
} weir_mase_type;

const char *weir_mase_type_name(weir_mase_type type); /* "module", "placeholder", ... */

typedef struct weir_meta_common {
    const char *mase_op;      /* instead of op.def's for the operator; NULL: that */
    weir_mase_type mase_type; /* with mase_op */
    uint32_t group;           /* nodes of one number are one unit of execution (fuse_ops); 0: none */
} weir_meta_common;

/* Statistics of what flows out of output 0, gathered by running data through the graph. */
typedef struct weir_meta_software {
    uint64_t count; /* elements seen; 0: no statistics */
    double min, max;
} weir_meta_software;

/* Where a memory goes, and where products are formed. */
typedef enum weir_storage { WEIR_STORAGE_AUTO, WEIR_STORAGE_BLOCK, WEIR_STORAGE_LOGIC } weir_storage;

/* Which part of the host's computes the node: what leads to the hardware, or what comes after it. */
typedef enum weir_host { WEIR_HOST_NONE, WEIR_HOST_HEAD, WEIR_HOST_TAIL } weir_host;

typedef struct weir_meta_hardware {
    bool assigned;          /* a component is chosen, or none is needed: the fields below are set */
    bool is_implicit;       /* no component: nothing is emitted for the node */
    const char *module;     /* component of rtl/ that computes the node */
    weir_settings settings; /* the component's own */
    int64_t in_lanes;       /* elements a beat on each input stream */
    int64_t out_lanes;      /* elements a beat on each output stream */
    int64_t frames;   /* inside the hardware at once, at most, before one leaves by this node's output; 0: not known */
    int64_t interval; /* cycles a frame when never stalled, padding and idle cycles included */
    int64_t operations;   /* multiply-accumulates a frame, without padding */
    weir_storage storage; /* of parameters */
    weir_host host;
} weir_meta_hardware;

typedef struct weir_metadata {
    weir_meta_common common;
    weir_meta_software software;
    weir_meta_hardware hardware;
    json_t *facts; /* an object with the groups as keys; belongs to the node; NULL: none */
} weir_metadata;

typedef enum weir_meta_group {
    WEIR_META_COMMON,
    WEIR_META_SOFTWARE,
    WEIR_META_HARDWARE,
    WEIR_META_GROUPS
} weir_meta_group;

const char *weir_meta_group_name(weir_meta_group group); /* "common", "software", "hardware" */
/* The object with the group's facts, made when absent; it belongs to the node. */
json_t *weir_metadata_facts(weir_metadata *metadata, weir_meta_group group);
/* The same for reading; NULL when there are none. */
const json_t *weir_metadata_facts_of(const weir_metadata *metadata, weir_meta_group group);
/* Forgets the facts, of every group. */
void weir_metadata_clear_facts(weir_metadata *metadata);

const char *weir_host_name(weir_host host); /* "none", "head", "tail" */
bool weir_host_parse(const char *name, weir_host *host);
const char *weir_storage_name(weir_storage storage);
bool weir_storage_parse(const char *name, weir_storage *storage);

#endif
