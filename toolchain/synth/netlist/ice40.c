#include "synth/netlist/ice40.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

enum { INPUTS = 4, ENTRIES = 1 << INPUTS };

static const char *const table_inputs[INPUTS] = {"I0", "I1", "I2", "I3"};

/* Cells in which one net goes to two inputs: tables, and carries; and all net bits. */
typedef struct twins {
    json_t **table, **carry;
    const char **carry_name;
    size_t tables, carries, table_capacity, carry_capacity, name_capacity;
    json_int_t last_bit;
} twins;

static json_t *input(const json_t *cell, const char *port) {
    return json_array_get(json_object_get(json_object_get(cell, "connections"), port), 0);
}

static void set_input(json_t *cell, const char *port, json_t *bit) {
    json_object_set_new(json_object_get(cell, "connections"), port, json_pack("[o]", bit));
}

/* Of two inputs; constants need no wire. */
static bool is_one_net(const json_t *a, const json_t *b) { return json_is_integer(a) && json_equal(a, b); }

/* The next input with the same net; INPUTS: none. */
static int twin_of(const json_t *cell, int i) {
    assert(i >= 0 && i < INPUTS);
    int j = i + 1;
    while (j < INPUTS && !is_one_net(input(cell, table_inputs[i]), input(cell, table_inputs[j]))) j++;
    return j;
}

static bool has_twins(const json_t *table) {
    bool found = false;
    for (int i = 0; i < INPUTS; i++) found |= twin_of(table, i) < INPUTS;
    return found;
}

static void note_bits(twins *t, const json_t *bits) {
    json_t *bit;
    size_t i;
    json_array_foreach(bits, i, bit) {
        if (json_integer_value(bit) > t->last_bit) t->last_bit = json_integer_value(bit);
    }
}

/* Also of nets that no cell has. */
static void note_all_bits(twins *t, const json_t *module) {
    const char *name;
    json_t *net;
    json_object_foreach(json_object_get(module, "ports"), name, net) { note_bits(t, json_object_get(net, "bits")); }
    json_object_foreach(json_object_get(module, "netnames"), name, net) { note_bits(t, json_object_get(net, "bits")); }
}

static void note_cell(twins *t, const char *name, json_t *cell) {
    const char *type = json_string_value(json_object_get(cell, "type")), *port;
    json_t *bits;
    json_object_foreach(json_object_get(cell, "connections"), port, bits) { note_bits(t, bits); }
    if (strcmp(type, "SB_LUT4") == 0 && has_twins(cell)) {
        t->table = weir_grow(t->table, &t->table_capacity, t->tables + 1, sizeof(json_t *));
        t->table[t->tables++] = cell;
    } else if (strcmp(type, "SB_CARRY") == 0 && is_one_net(input(cell, "I0"), input(cell, "I1"))) {
        t->carry = weir_grow(t->carry, &t->carry_capacity, t->carries + 1, sizeof(json_t *));
        t->carry_name = weir_grow(t->carry_name, &t->name_capacity, t->carries + 1, sizeof(char *));
        t->carry_name[t->carries] = name;
        t->carry[t->carries++] = cell;
    }
}

/* Entries are 16 binary digits, the last one first; a table that is written in another way stays as it is. */
static void drop_input(json_t *cell, int twin, int dropped) {
    assert(twin > dropped && twin < INPUTS && dropped >= 0);
    json_t *parameters = json_object_get(cell, "parameters");
    const char *before = json_string_value(json_object_get(parameters, "LUT_INIT"));
    if (before == NULL || strlen(before) != ENTRIES) return;
    char after[ENTRIES + 1] = {0};
    for (int at = 0; at < ENTRIES; at++) {
        const int seen = (at & ~(1 << dropped)) | ((at >> twin & 1) << dropped);
        after[ENTRIES - 1 - at] = before[ENTRIES - 1 - seen];
    }
    json_object_set_new(parameters, "LUT_INIT", json_string(after));
    set_input(cell, table_inputs[dropped], json_string("0"));
}

/* The last of equals stays: those that a carry has, too, are the last three. */
static void drop_twins(json_t *table) {
    for (int i = 0; i < INPUTS; i++) {
        const int twin = twin_of(table, i);
        if (twin < INPUTS) drop_input(table, twin, i);
    }
}

/* A table that passes `from` on as `to`. */
static json_t *passing(json_t *from, json_int_t to) {
    return json_pack("{s:i, s:s, s:{s:s}, s:{}, s:{s:s, s:s, s:s, s:s, s:s}, s:{s:[O], s:[s], s:[s], s:[s], s:[I]}}",
                     "hide_name", 1, "type", "SB_LUT4", "parameters", "LUT_INIT", "1010101010101010", "attributes",
                     "port_directions", "I0", "input", "I1", "input", "I2", "input", "I3", "input", "O", "output",
                     "connections", "I0", from, "I1", "0", "I2", "0", "I3", "0", "O", to);
}

/* The second input of a carry, and of the table that is one logic cell with it, comes through a table. */
static void part(twins *t, json_t *cells, size_t at) {
    assert(at < t->carries);
    json_t *carry = t->carry[at], *both = json_incref(input(carry, "I0")), *carried = input(carry, "CI");
    char *name = weir_format("%s_apart", t->carry_name[at]);
    const json_int_t own = ++t->last_bit;
    set_input(carry, "I1", json_integer(own));
    for (size_t i = 0; i < t->tables; i++) {
        json_t *table = t->table[i];
        if (json_equal(input(table, "I1"), both) && json_equal(input(table, "I2"), both) &&
            json_equal(input(table, "I3"), carried))
            set_input(table, "I2", json_integer(own));
    }
    json_object_set_new(cells, name, passing(both, own));
    json_decref(both);
    free(name);
}

void weir_ice40_mend(json_t *netlist) {
    const char *module_name, *name;
    json_t *module, *cell;
    json_object_foreach(json_object_get(netlist, "modules"), module_name, module) {
        json_t *cells = json_object_get(module, "cells");
        twins t = {.table = NULL};
        note_all_bits(&t, module);
        json_object_foreach(cells, name, cell) { note_cell(&t, name, cell); }
        for (size_t i = 0; i < t.carries; i++) part(&t, cells, i);
        for (size_t i = 0; i < t.tables; i++) drop_twins(t.table[i]);
        free(t.table);
        free(t.carry);
        free(t.carry_name);
    }
}
