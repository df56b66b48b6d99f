/* What the inside of a module does with each bit of its inout ports: kept from when the module was visited until those
 * above it are, which come later. A net of several levels is a tree of ports, so what lies below a port is all that the
 * module around it has to know. */
#include <stdlib.h>

#include "rtlir/verify/verify_private.h"

/* The ports of a module lie side by side, in their order. */
static uint32_t width_before(const weir_rtl_design *design, const rtl_ids *ports, uint32_t end) {
    uint32_t width = 0;
    for (size_t i = 0; i < ports->count && ports->id[i] != end; i++) {
        const rtl_var *port = &design->var[ports->id[i]];
        if (port->direction == WEIR_RTL_INOUT) width += port->width;
    }
    return width;
}

unsigned char *rtl_inouts_add(rtl_inouts *inouts, const weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    const uint32_t width = width_before(design, &design->module[module].ports, 0);
    if (width == 0) return NULL;
    inouts->first = weir_grow_zeroed(inouts->first, &inouts->first_capacity, (size_t)module + 1, sizeof *inouts->first);
    inouts->bit = weir_grow(inouts->bit, &inouts->bit_capacity, inouts->count + width, sizeof *inouts->bit);
    inouts->first[module] = inouts->count + 1;
    inouts->count += width;
    return inouts->bit + inouts->first[module] - 1;
}

const unsigned char *rtl_inouts_of(const rtl_inouts *inouts, const weir_rtl_design *design, uint32_t port) {
    assert(port < design->var_count);
    const uint32_t module = design->var[port].module;
    if (module >= inouts->first_capacity || inouts->first[module] == 0) return NULL;
    return inouts->bit + inouts->first[module] - 1 + width_before(design, &design->module[module].ports, port);
}

void rtl_inouts_free(rtl_inouts *inouts) {
    free(inouts->first);
    free(inouts->bit);
}
