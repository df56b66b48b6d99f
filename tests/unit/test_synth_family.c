/* What the cells of a netlist take of a device's resources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "synth/netlist/family.h"

/* Of a module 'top' with so many cells of the names, a blank between them. */
static weir_cost count(const char *device_name, const char *cells) {
    int status = 0;
    weir_device *device = weir_device_read(device_name, &status);
    assert_non_null(device);
    json_t *all = json_object();
    for (const char *at = cells; *at != '\0'; at += strcspn(at, " "), at += strspn(at, " ")) {
        char *type = weir_format("%.*s", (int)strcspn(at, " "), at), *name = weir_format("u%zu", json_object_size(all));
        json_object_set_new(all, name, json_pack("{s:s, s:{}, s:{}}", "type", type, "connections", "port_directions"));
        free(name);
        free(type);
    }
    json_t *netlist = json_pack("{s:{s:{s:o}}}", "modules", "top", "cells", all);
    const weir_cost cost = weir_synth_count(netlist, "top", device);
    json_decref(netlist);
    weir_device_free(device);
    return cost;
}

/* Gowin UG287: a DSP block is a multiplier of 36 bits, four of 18 or eight of 9. */
static void multipliers_of_gowin(void **state) {
    (void)state;
    assert_int_equal(count("gw1nr-9", "MULT18X18").multipliers, 1);
    assert_int_equal(count("gw1nr-9", "MULT9X9").multipliers, 1);
    assert_int_equal(count("gw1nr-9", "MULT9X9 MULT9X9").multipliers, 1);
    assert_int_equal(count("gw1nr-9", "MULT9X9 MULT18X18 MULT9X9 MULT36X36 MULT9X9").multipliers, 7);
    assert_int_equal(count("gw1nr-9", "MULT9X9 MULT36X36").luts, 0);
}

static void others(void **state) {
    (void)state;
    const weir_cost ecp5 = count("ecp5-25k", "LUT4 CCU2C TRELLIS_FF TRELLIS_FF MULT18X18D DP16KD $scopeinfo");
    assert_int_equal(ecp5.luts, 3);
    assert_int_equal(ecp5.flip_flops, 2);
    assert_int_equal(ecp5.multipliers, 1);
    assert_int_equal(ecp5.memory_blocks, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(multipliers_of_gowin), cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
