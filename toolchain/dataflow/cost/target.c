#include "dataflow/cost/target.h"

#include <assert.h>
#include <stdlib.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"

/* What the graph keeps: the profile of its device, read by the first question; NULL for one that cannot be read. */
typedef struct profile {
    weir_device *device;
} profile;

static void release(void *data) {
    profile *old = data;
    if (old->device != NULL) weir_device_free(old->device);
    free(old);
}

static const weir_device *keep(const weir_graph *graph, weir_device *device) {
    profile *own = weir_calloc(1, sizeof *own);
    own->device = device;
    const profile *kept = weir_graph_keep(graph, own, release);
    return kept->device;
}

/* NULL: the graph names no device, or one that cannot be read. */
static const weir_device *device_of(const weir_graph *graph) {
    const profile *kept = weir_graph_kept(graph);
    if (kept != NULL) return kept->device;
    if (*weir_graph_device(graph) == '\0') return NULL;
    int status;
    return keep(graph, weir_device_read(weir_graph_device(graph), &status));
}

weir_target weir_target_of(const weir_graph *graph) {
    weir_target target = {device_of(graph), weir_graph_clock(graph)};
    if (target.clock_mhz == 0 && target.device != NULL) target.clock_mhz = target.device->clocks.goal_mhz;
    if (target.clock_mhz == 0) target.clock_mhz = WEIR_TARGET_MHZ;
    return target;
}

bool weir_target_check(const weir_graph *graph) {
    const char *name = weir_graph_device(graph);
    if (*name == '\0' || device_of(graph) != NULL) return true;
    weir_error(weir_at(weir_graph_source(graph), 0),
               "graph '%s' is built for device '%s', whose profile cannot be read", weir_graph_name(graph), name);
    weir_note("set another one with set_target{device=NAME}; 'weir devices' lists them");
    return false;
}

bool weir_target_set(weir_graph *graph, const char *device, int64_t clock_mhz) {
    assert(clock_mhz >= 0);
    if (device == NULL) device = "";
    int status;
    weir_device *read = *device == '\0' ? NULL : weir_device_read(device, &status);
    if (*device != '\0' && read == NULL) {
        weir_error(WEIR_NOWHERE, "cannot build for device '%s'", device);
        return false;
    }
    weir_graph_set_device(graph, device, clock_mhz);
    if (read != NULL) keep(graph, read);
    return true;
}

bool weir_target_memory_has_output(const weir_target *target) {
    const weir_device_memory *block = target->device == NULL ? NULL : weir_device_block(target->device);
    return block != NULL && block->output_register;
}

bool weir_target_has_distributed_ram(const weir_target *target) {
    return target->device != NULL && target->device->distributed_ram.kbits > 0;
}
