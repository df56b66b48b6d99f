#include "dataflow/target.h"

#include <string.h>

#include "support/arena.h"
#include "support/diag.h"

/* Profiles that were asked for, by name; `device` is NULL for one that could not be read. Written to by the first question only: the
 * answer never changes in a process, as that of a registered operator does not (ir/operator.c). */
static struct {
    struct entry {
        char *name;
        weir_device *device;
    } * item;
    size_t count, capacity;
} profiles;

static const weir_device *profile(const char *name) {
    for (size_t i = 0; i < profiles.count; i++)
        if (strcmp(profiles.item[i].name, name) == 0) return profiles.item[i].device;
    int status;
    weir_device *device = weir_device_read(name, &status);
    profiles.item = weir_grow(profiles.item, &profiles.capacity, profiles.count + 1, sizeof *profiles.item);
    profiles.item[profiles.count++] = (struct entry){weir_copy_string(name), device};
    return device;
}

weir_target weir_target_of(const weir_graph *graph) {
    const char *name = weir_graph_device(graph);
    weir_target target = {*name == '\0' ? NULL : profile(name), weir_graph_clock(graph)};
    if (target.clock_mhz == 0 && target.device != NULL) target.clock_mhz = target.device->clocks.goal_mhz;
    if (target.clock_mhz == 0) target.clock_mhz = WEIR_TARGET_MHZ;
    return target;
}

bool weir_target_check(const weir_graph *graph) {
    const char *name = weir_graph_device(graph);
    if (*name == '\0' || profile(name) != NULL) return true;
    weir_error(weir_at(weir_graph_source(graph), 0),
               "graph '%s' is built for device '%s', whose profile cannot be read", weir_graph_name(graph), name);
    weir_note("set another one with set_target{device=NAME}; 'weir devices' lists those that are known");
    return false;
}

bool weir_target_set(weir_graph *graph, const char *device, int64_t clock_mhz) {
    if (device == NULL) device = "";
    if (*device != '\0' && profile(device) == NULL) {
        weir_error(WEIR_NOWHERE, "device '%s' cannot be built for", device);
        return false;
    }
    weir_graph_set_device(graph, device, clock_mhz);
    return true;
}

bool weir_target_multiplier_has(const weir_target *target, const char *stage) {
    if (target->device == NULL) return false;
    const weir_device_list *registers = &target->device->multipliers.registers;
    for (size_t i = 0; i < registers->count; i++)
        if (strcmp(registers->item[i], stage) == 0) return true;
    return false;
}

bool weir_target_memory_has_output(const weir_target *target) {
    const weir_device_memory *block = target->device == NULL ? NULL : weir_device_block(target->device);
    return block != NULL && block->output_register;
}

bool weir_target_has_distributed_ram(const weir_target *target) {
    return target->device != NULL && target->device->distributed_ram.kbits > 0;
}
