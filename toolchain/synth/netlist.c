#include "synth/netlist.h"

bool weir_netlist_absorb(json_t *netlist, const weir_device *device, weir_netlist_absorbed *count) {
    (void)netlist;
    (void)device;
    *count = (weir_netlist_absorbed){0, 0};
    return true;
}
