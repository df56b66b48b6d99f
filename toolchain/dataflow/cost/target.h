/* The target of a hardware graph: device and clock. The rules of components (foldings, timing, build, cost) may depend
 * on it and on nothing else beyond the node: the same graph and target give the same hardware. The graph holds the
 * names (weir_graph_device), so copies and the text form keep them; a graph without any is portable, its Verilog good
 * for every device. Rules ask what the device has (device->multipliers.registers, device->memories, ...), rarely its
 * family, never its name. */
#ifndef WEIR_DATAFLOW_TARGET_H
#define WEIR_DATAFLOW_TARGET_H

#include "dataflow/cost/device.h"
#include "ir/graph/graph.h"

enum { WEIR_TARGET_MHZ = 100 }; /* the clock goal without a device, and of a profile that names none */

typedef struct weir_target {
    const weir_device *device; /* NULL: any; the graph's, until it is freed or gets another target */
    int64_t clock_mhz;         /* the goal, at least 1 */
} weir_target;

/* The first call reads the profile of the graph's device, and the graph keeps it. If it cannot be read, that is
 * reported, and the target is that of no device. */
weir_target weir_target_of(const weir_graph *graph);
/* Sets both; `device` NULL or "": any, `clock_mhz` 0: the device's own goal. False after a reported error: no such
 * device. */
bool weir_target_set(weir_graph *graph, const char *device, int64_t clock_mhz);
/* Can the target be used? False after a reported error. */
bool weir_target_check(const weir_graph *graph);
/* Does the target's memory block have an output register, the target distributed RAM? False without a device. */
bool weir_target_memory_has_output(const weir_target *target);
bool weir_target_has_distributed_ram(const weir_target *target);

#endif
