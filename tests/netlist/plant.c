#include "plant.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/memory/random.h"
#include "synth/netlist/family.h"

const char *const plant_names[PLANT_KINDS] = {"lookup table", "wires",           "enable",       "reset value",
                                              "carry",        "memory contents", "memory access"};

static uint64_t mix(uint64_t number) { return weir_random_next(&number); }

static const char *type_of(const json_t *cell) { return json_string_value(json_object_get(cell, "type")); }
static json_t *pins_of(const json_t *cell) { return json_object_get(cell, "connections"); }

static bool starts(const char *text, const char *const *beginnings) {
    for (size_t i = 0; beginnings[i] != NULL; i++) {
        if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0) return true;
    }
    return false;
}

static bool is_block(const json_t *cell) {
    static const char *const types[] = {
        "DP16KD", "TRELLIS_DPR16X4", "MULT", "SB_RAM40", "SB_MAC16", "SB_SPRAM", "RAM16", "SP", "SDP", "DP", NULL};
    return starts(type_of(cell), types);
}

static bool is_carry(const json_t *cell) {
    static const char *const types[] = {"CCU2C", "SB_CARRY", "ALU", NULL};
    return starts(type_of(cell), types);
}

static const char *carry_in(const json_t *cell) { return strcmp(type_of(cell), "SB_CARRY") == 0 ? "CI" : "CIN"; }

static bool is_input(const json_t *cell, const char *port) {
    const char *direction = json_string_value(json_object_get(json_object_get(cell, "port_directions"), port));
    return direction != NULL && strcmp(direction, "input") == 0;
}

/* The first bit of the port is a wire. */
static bool is_wired(const json_t *cell, const char *port) {
    return json_is_integer(json_array_get(json_object_get(pins_of(cell), port), 0));
}

/* The n-th of the names for which `fits` holds, of how many; NULL: fewer. */
typedef bool fitting(const json_t *cell, const weir_device *device, const char *name);
static const char *choose(const json_t *cell, const json_t *names, const weir_device *device, fitting *fits,
                          uint64_t n) {
    size_t count = 0;
    for (int round = 0; round < 2; round++) {
        const char *name;
        json_t *value;
        size_t at = 0;
        json_object_foreach((json_t *)(uintptr_t)names, name, value) {
            if (!fits(cell == NULL ? value : cell, device, name)) continue;
            if (round == 1 && at++ == n % count) return name;
            count += round == 0;
        }
        if (count == 0) return NULL;
    }
    return NULL;
}

/* --- cells --- */

static bool has_table(const json_t *cell, const weir_device *device, const char *name) {
    const json_t *parameters = json_object_get(cell, "parameters");
    (void)name;
    return weir_synth_is_lut(device, type_of(cell)) && !is_block(cell) && !is_carry(cell) &&
           (json_object_get(parameters, "INIT") != NULL || json_object_get(parameters, "LUT_INIT") != NULL);
}

static bool is_logic(const json_t *cell, const weir_device *device, const char *name) {
    (void)name;
    return weir_synth_is_lut(device, type_of(cell)) || weir_synth_is_flip_flop(device, type_of(cell));
}

static const char *enable_of(const json_t *cell) { return json_object_get(pins_of(cell), "E") != NULL ? "E" : "CE"; }

static bool has_enable(const json_t *cell, const weir_device *device, const char *name) {
    (void)name;
    return weir_synth_is_flip_flop(device, type_of(cell)) && is_wired(cell, enable_of(cell));
}

/* A register that is reset: SB_DFFSR, SB_DFFESS, DFFR, DFFSE, TRELLIS_FF. */
static bool has_reset(const json_t *cell, const weir_device *device, const char *name) {
    static const char *const ports[] = {"LSR", "R", "S", "RESET", "SET"};
    (void)name;
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        if (weir_synth_is_flip_flop(device, type_of(cell)) && is_wired(cell, ports[i])) return true;
    }
    return false;
}

static bool has_carry(const json_t *cell, const weir_device *device, const char *name) {
    (void)device;
    (void)name;
    return is_carry(cell) && is_wired(cell, carry_in(cell));
}

static bool is_content(const json_t *cell, const weir_device *device, const char *name) {
    (void)device;
    const char *value = json_string_value(json_object_get(json_object_get(cell, "parameters"), name));
    return strncmp(name, "INIT", 4) == 0 && value != NULL && strpbrk(value, "01") != NULL && strlen(value) > 8;
}

static bool has_contents(const json_t *cell, const weir_device *device, const char *name) {
    (void)name;
    return is_block(cell) && choose(cell, json_object_get(cell, "parameters"), device, is_content, 0) != NULL;
}

static bool is_access(const json_t *cell, const weir_device *device, const char *name) {
    static const char *const ports[] = {"WE", "RE", "CE", "WRE", "WCLKE", "RCLKE", NULL};
    (void)device;
    return is_input(cell, name) && strncmp(name, "RESET", 5) != 0 && starts(name, ports) && is_wired(cell, name);
}

static bool has_access(const json_t *cell, const weir_device *device, const char *name) {
    (void)name;
    return is_block(cell) && choose(cell, pins_of(cell), device, is_access, 0) != NULL;
}

/* --- faults --- */

static void flip(json_t *parameters, const char *name, uint64_t number) {
    char *value = weir_copy_string(json_string_value(json_object_get(parameters, name)));
    size_t at = (size_t)(number % strlen(value));
    while (value[at] != '0' && value[at] != '1') at = (at + 1) % strlen(value);
    value[at] = value[at] == '0' ? '1' : '0';
    json_object_set_new(parameters, name, json_string(value));
    free(value);
}

static void tie(json_t *cell, const char *port, const char *value) {
    json_array_set_new(json_object_get(pins_of(cell), port), 0, json_string(value));
}

static bool is_wired_input(const json_t *cell, const weir_device *device, const char *name) {
    (void)device;
    return is_input(cell, name) && is_wired(cell, name) && strcmp(name, "CLK") != 0 && strcmp(name, "C") != 0;
}

/* Between two cells, whose inputs then are the other's. */
static char *swap(json_t *cells, const weir_device *device, uint64_t number) {
    for (uint64_t try = 0; try < 100; try++) {
        const uint64_t at = mix(number + try), to = mix(at);
        const char *first = choose(NULL, cells, device, is_logic, at),
                   *second = choose(NULL, cells, device, is_logic, to);
        if (first == NULL) return NULL;
        json_t *a = json_object_get(cells, first), *b = json_object_get(cells, second);
        const char *x = choose(a, pins_of(a), device, is_wired_input, at >> 20);
        const char *y = choose(b, pins_of(b), device, is_wired_input, to >> 20);
        if (x == NULL || y == NULL) continue;
        json_t *bits = json_object_get(pins_of(a), x), *others = json_object_get(pins_of(b), y);
        json_t *one = json_incref(json_array_get(bits, 0)), *other = json_incref(json_array_get(others, 0));
        const bool is_change = !json_equal(one, other);
        json_array_set_new(bits, 0, other);
        json_array_set_new(others, 0, one);
        if (is_change) return weir_format("%s.%s with %s.%s", first, x, second, y);
    }
    return NULL;
}

/* TRELLIS_FF says it in a parameter, the others in their names: SB_DFFESR, SB_DFFESS; DFFRE, DFFSE with ports RESET,
 * SET. */
static void reset_otherwise(json_t *cell) {
    const char *type = type_of(cell);
    json_t *parameters = json_object_get(cell, "parameters"), *pins = pins_of(cell);
    const char *value = json_string_value(json_object_get(parameters, "REGSET"));
    if (value != NULL) {
        json_object_set_new(parameters, "REGSET", json_string(strcmp(value, "SET") == 0 ? "RESET" : "SET"));
        return;
    }
    const bool is_ice40 = strncmp(type, "SB_", 3) == 0;
    const char *from = is_ice40                         ? (json_object_get(pins, "R") ? "R" : "S")
                       : json_object_get(pins, "RESET") ? "RESET"
                                                        : "SET";
    const char *to = is_ice40 ? (*from == 'R' ? "S" : "R") : *from == 'R' ? "SET" : "RESET";
    char *other = weir_copy_string(type);
    char *letter = is_ice40 ? other + strlen(other) - 1 : other + 3;
    *letter = *to;
    json_object_set_new(cell, "type", json_string(other));
    json_object_set(pins, to, json_object_get(pins, from));
    json_object_del(pins, from);
    free(other);
}

static fitting *const places[PLANT_KINDS] = {has_table, is_logic,     has_enable, has_reset,
                                             has_carry, has_contents, has_access};

char *plant(json_t *cells, const weir_device *device, plant_kind kind, uint64_t number) {
    if (kind == PLANT_WIRES) return swap(cells, device, number);
    const char *name = choose(NULL, cells, device, places[kind], number), *what = "";
    json_t *cell = json_object_get(cells, name), *parameters = json_object_get(cell, "parameters");
    const uint64_t inner = mix(number);
    if (name == NULL) return NULL;
    switch (kind) {
    case PLANT_TABLE:
        what = json_object_get(parameters, "INIT") != NULL ? "INIT" : "LUT_INIT";
        flip(parameters, what, inner);
        break;
    case PLANT_ENABLE: tie(cell, what = enable_of(cell), "1"); break;
    case PLANT_RESET: reset_otherwise(cell); break;
    case PLANT_CARRY: tie(cell, what = carry_in(cell), "0"); break;
    case PLANT_CONTENTS:
        what = choose(cell, parameters, device, is_content, inner);
        flip(parameters, what, inner >> 8);
        break;
    case PLANT_ACCESS:
        what = choose(cell, pins_of(cell), device, is_access, inner);
        tie(cell, what, inner & 1 << 20 ? "1" : "0");
        break;
    case PLANT_WIRES:
    case PLANT_KINDS: return NULL;
    }
    return weir_format("%s.%s", name, what);
}
