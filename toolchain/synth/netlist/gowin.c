#include "synth/netlist/gowin.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { ADDRESS_BITS = 14, ENABLE_BITS = 2, UNUSED_BITS = 2 };

/* Constants are nets that cells of their own drive. */
typedef struct constants {
    const json_t *zero, *one; /* bits; NULL: there is none */
} constants;

static bool is_constant(const json_t *bit, const json_t *net, const char *digit) {
    const char *text = json_string_value(bit);
    return (text != NULL && strcmp(text, digit) == 0) || (net != NULL && json_equal(bit, net));
}

static json_t *connection(const json_t *cell, const char *port) {
    return json_object_get(json_object_get(cell, "connections"), port);
}

static constants find_constants(const json_t *cells) {
    constants c = {NULL, NULL};
    const char *name;
    json_t *cell;
    json_object_foreach((json_t *)(uintptr_t)cells, name, cell) {
        const char *type = json_string_value(json_object_get(cell, "type"));
        if (strcmp(type, "GND") == 0) c.zero = json_array_get(connection(cell, "G"), 0);
        if (strcmp(type, "VCC") == 0) c.one = json_array_get(connection(cell, "V"), 0);
    }
    return c;
}

static int64_t number(const json_t *value) {
    int64_t sum = 0;
    if (json_is_integer(value)) return json_integer_value(value);
    for (const char *digit = json_string_value(value); digit != NULL && *digit != '\0'; digit++)
        sum = 2 * sum + (*digit == '1');
    return sum;
}

static bool is_zero(const constants *c, const json_t *address, size_t first) {
    return is_constant(json_array_get(address, first), c->zero, "0") &&
           is_constant(json_array_get(address, first + 1), c->zero, "0");
}

/* Bits 0 and 1 of such an address enable bytes, 2 and 3 are unused, and the number of the word begins at 4. Yosys 0.23
 * begins it at 2 and leaves 12 and 13 zero. */
static void mend_address(const constants *c, const json_t *cell, const char *port, const char *width) {
    json_t *address = connection(cell, port);
    const int64_t bits = number(json_object_get(json_object_get(cell, "parameters"), width));
    if ((bits != 16 && bits != 18) || json_array_size(address) != ADDRESS_BITS) return;
    if (is_zero(c, address, ENABLE_BITS) || !is_zero(c, address, ADDRESS_BITS - UNUSED_BITS)) return;
    for (size_t i = 0; i < UNUSED_BITS; i++) {
        json_array_insert_new(address, ENABLE_BITS, json_deep_copy(json_array_get(address, ADDRESS_BITS - 1)));
        json_array_remove(address, ADDRESS_BITS);
    }
}

/* The member goes on under two names, or under one (`second` NULL), or not at all. */
static void move_member(json_t *members, const char *from, const char *first, const char *second) {
    json_t *value = json_object_get(members, from);
    if (value == NULL) return;
    if (first != NULL) json_object_set_new(members, first, json_deep_copy(value));
    if (second != NULL) json_object_set_new(members, second, json_deep_copy(value));
    json_object_del(members, from);
}

static void move_port(json_t *cell, const char *from, const char *first, const char *second) {
    move_member(json_object_get(cell, "connections"), from, first, second);
    move_member(json_object_get(cell, "port_directions"), from, first, second);
}

static void set_type(json_t *cell, const char *type) {
    json_object_set_new(cell, "type", json_string(type));
    move_member(json_object_get(cell, "parameters"), "BLK_SEL", "BLK_SEL_0", "BLK_SEL_1");
    move_port(cell, "BLKSEL", "BLKSELA", "BLKSELB");
}

/* One of two that both say when A writes is left, if the other is constant. */
static bool join_enables(const constants *c, json_t *cell) {
    const json_t *enable = json_array_get(connection(cell, "CEA"), 0),
                 *write = json_array_get(connection(cell, "WREA"), 0);
    if (is_constant(enable, c->one, "1")) move_port(cell, "WREA", "CEA", NULL);
    else if (is_constant(write, c->one, "1")) move_port(cell, "WREA", NULL, NULL);
    else return false;
    return true;
}

static void mend_cell(const constants *c, json_t *cell) {
    const char *type = json_string_value(json_object_get(cell, "type"));
    if (strcmp(type, "SP") == 0 || strcmp(type, "SPX9") == 0) {
        mend_address(c, cell, "AD", "BIT_WIDTH");
    } else if (strcmp(type, "SDP") == 0 || strcmp(type, "SDPX9") == 0) {
        mend_address(c, cell, "ADA", "BIT_WIDTH_0");
        if (!join_enables(c, cell)) return;
        move_port(cell, "WREB", NULL, NULL);
        move_port(cell, "RESETA", NULL, NULL);
        move_port(cell, "RESETB", "RESET", NULL);
        set_type(cell, strcmp(type, "SDP") == 0 ? "SDPB" : "SDPX9B");
    } else if (strcmp(type, "DP") == 0 || strcmp(type, "DPX9") == 0) {
        mend_address(c, cell, "ADA", "BIT_WIDTH_0");
        mend_address(c, cell, "ADB", "BIT_WIDTH_1");
        set_type(cell, strcmp(type, "DP") == 0 ? "DPB" : "DPX9B");
    }
}

void weir_gowin_mend(json_t *netlist) {
    const char *module_name, *name;
    json_t *module, *cell;
    json_object_foreach(json_object_get(netlist, "modules"), module_name, module) {
        json_t *cells = json_object_get(module, "cells");
        const constants c = find_constants(cells);
        json_object_foreach(cells, name, cell) { mend_cell(&c, cell); }
    }
}
