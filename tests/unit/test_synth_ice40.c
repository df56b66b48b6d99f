/* Netlists for iCE40 as they are mended for nextpnr: no net at two inputs of a table, and the same function, by what
 * Lattice's iCE Technology Library says of SB_LUT4 and SB_CARRY. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <cmocka.h>

#include "../common/random_int.h"
#include "synth/netlist/ice40.h"

enum { ROUNDS = 100, FIRST = 2, INPUT_BITS = 5, CELLS = 20, BITS = 128, PATTERNS = 1 << INPUT_BITS };

/* --- random netlists --- */

/* A net bit, or a constant as -2 (0) and -1 (1). */
static json_t *bit_of(int64_t bit) { return bit >= 0 ? json_integer(bit) : json_string(bit == -2 ? "0" : "1"); }

static int64_t any_bit(int64_t next, int64_t before) {
    if (before >= 0 && random_int(0, 2) == 0) return before;
    return random_int(0, 7) == 0 ? random_int(-2, -1) : random_int(FIRST, next - 1);
}

static void add_table(json_t *cells, int64_t in[4], int64_t out) {
    char name[32], entries[17] = {0};
    for (int i = 0; i < 16; i++) entries[i] = random_int(0, 1) ? '1' : '0';
    snprintf(name, sizeof name, "table%lld", (long long)out);
    json_object_set_new(cells, name,
                        json_pack("{s:s, s:{s:s}, s:{s:[o], s:[o], s:[o], s:[o], s:[o]}}", "type", "SB_LUT4",
                                  "parameters", "LUT_INIT", entries, "connections", "I0", bit_of(in[0]), "I1",
                                  bit_of(in[1]), "I2", bit_of(in[2]), "I3", bit_of(in[3]), "O", bit_of(out)));
}

static void add_carry(json_t *cells, int64_t a, int64_t b, int64_t in, int64_t out) {
    char name[32];
    snprintf(name, sizeof name, "carry%lld", (long long)out);
    json_object_set_new(cells, name,
                        json_pack("{s:s, s:{}, s:{s:[o], s:[o], s:[o], s:[o]}}", "type", "SB_CARRY", "parameters",
                                  "connections", "I0", bit_of(a), "I1", bit_of(b), "CI", bit_of(in), "CO",
                                  bit_of(out)));
}

/* Other than the carry that comes in. */
static int64_t added_bit(int64_t next, int64_t before, int64_t carry) {
    int64_t bit = carry;
    while (bit == carry) bit = any_bit(next, before == carry ? -1 : before);
    return bit;
}

/* Tables by themselves, and a chain of carries of which half share a logic cell with a table. `nets`: bits are below
 * it, of which no cell has the last one, a port. */
static json_t *random_netlist(int64_t *nets) {
    json_t *cells = json_object();
    int64_t next = FIRST + INPUT_BITS, carry = -2;
    for (int i = 0; i < CELLS; i++) {
        const int64_t a = added_bit(next, -1, carry), b = added_bit(next, a, carry), c = added_bit(next, b, carry);
        int64_t alone[4] = {a, b, c, any_bit(next, c)}, beside[4] = {c, a, b, carry};
        const int64_t kind = random_int(0, 3);
        if (kind < 2) add_table(cells, alone, next++);
        if (kind == 2) add_table(cells, beside, next++);
        if (kind >= 2) {
            add_carry(cells, a, b, carry, next);
            carry = next++;
        }
    }
    *nets = next + 1;
    return json_pack("{s:{s:{s:o, s:{s:{s:[I]}}}}}", "modules", "top", "cells", cells,
                     random_int(0, 1) ? "ports" : "netnames", "unused", "bits", (json_int_t)next);
}

/* --- what they compute --- */

static json_t *cells_of(const json_t *netlist) {
    return json_object_get(json_object_get(json_object_get(netlist, "modules"), "top"), "cells");
}

static json_t *connected(const json_t *cell, const char *port) {
    return json_array_get(json_object_get(json_object_get(cell, "connections"), port), 0);
}

static bool value_at(const bool *value, const json_t *cell, const char *port) {
    const json_t *bit = connected(cell, port);
    return json_is_integer(bit) ? value[json_integer_value(bit)] : json_string_value(bit)[0] == '1';
}

static void compute(const json_t *cell, bool *value) {
    if (strcmp(json_string_value(json_object_get(cell, "type")), "SB_CARRY") == 0) {
        const int sum = value_at(value, cell, "I0") + value_at(value, cell, "I1") + value_at(value, cell, "CI");
        value[json_integer_value(connected(cell, "CO"))] = sum > 1;
    } else {
        const int entry = value_at(value, cell, "I0") | value_at(value, cell, "I1") << 1 |
                          value_at(value, cell, "I2") << 2 | value_at(value, cell, "I3") << 3;
        const char *entries = json_string_value(json_object_get(json_object_get(cell, "parameters"), "LUT_INIT"));
        value[json_integer_value(connected(cell, "O"))] = entries[15 - entry] == '1';
    }
}

/* Cells in any order, until nothing changes. */
static void evaluate(const json_t *netlist, int pattern, bool value[BITS]) {
    const char *name;
    json_t *cell, *cells = cells_of(netlist);
    bool before[BITS] = {false};
    memset(value, 0, BITS * sizeof *value);
    for (int i = 0; i < INPUT_BITS; i++) value[FIRST + i] = pattern >> i & 1;
    while (memcmp(before, value, BITS * sizeof *value) != 0) {
        memcpy(before, value, BITS * sizeof *value);
        json_object_foreach(cells, name, cell) { compute(cell, value); }
    }
}

/* Every net of the first, for every input. */
static bool agree(const json_t *a, const json_t *b, int64_t nets) {
    bool same = true;
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        bool of_a[BITS], of_b[BITS];
        evaluate(a, pattern, of_a);
        evaluate(b, pattern, of_b);
        same &= memcmp(of_a, of_b, (size_t)nets) == 0;
    }
    return same;
}

/* --- the tests --- */

/* Pairs of inputs of tables, and of the added inputs of carries, that have one net. */
static int twins_in(const json_t *netlist) {
    static const char *const ports[] = {"I0", "I1", "I2", "I3"};
    const char *name;
    json_t *cell, *cells = cells_of(netlist);
    int count = 0;
    json_object_foreach(cells, name, cell) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < i; j++) {
                const json_t *a = connected(cell, ports[i]), *b = connected(cell, ports[j]);
                count += json_is_integer(a) && json_equal(a, b);
            }
        }
    }
    return count;
}

/* Tables that share the logic cell of a carry: nextpnr takes those whose I1, I2 and I3 are what the carry has. */
static int pairs_in(const json_t *netlist) {
    const char *name, *other_name;
    json_t *carry, *table, *cells = cells_of(netlist);
    int count = 0;
    json_object_foreach(cells, name, carry) {
        if (strncmp(name, "carry", 5) != 0 || strstr(name, "apart") != NULL) continue;
        json_object_foreach(cells, other_name, table) {
            count += strncmp(other_name, "table", 5) == 0 &&
                     json_equal(connected(carry, "I0"), connected(table, "I1")) &&
                     json_equal(connected(carry, "I1"), connected(table, "I2")) &&
                     json_equal(connected(carry, "CI"), connected(table, "I3"));
        }
    }
    return count;
}

static void no_net_comes_twice_to_a_cell(void **state) {
    (void)state;
    int before = 0, parted = 0, pairs = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t nets;
        json_t *netlist = random_netlist(&nets), *mended = json_deep_copy(netlist);
        weir_ice40_mend(mended);
        json_t *again = json_deep_copy(mended);
        weir_ice40_mend(again);
        before += twins_in(netlist);
        parted += json_object_size(cells_of(mended)) > json_object_size(cells_of(netlist));
        pairs += pairs_in(netlist);
        assert_int_equal(twins_in(mended), 0);
        assert_true(pairs_in(mended) >= pairs_in(netlist)); /* constants may make more */
        assert_true(agree(netlist, mended, nets));
        assert_true(json_equal(mended, again));
        json_decref(netlist);
        json_decref(mended);
        json_decref(again);
    }
    assert_true(before > ROUNDS && parted > ROUNDS / 4 && pairs > ROUNDS);
}

/* Planted: one entry of a table that two inputs reach. */
static void a_wrong_entry_is_found(void **state) {
    (void)state;
    int64_t in[4] = {FIRST, FIRST + 1, FIRST + 1, -2};
    json_t *cells = json_object(), *netlist = json_pack("{s:{s:{s:o}}}", "modules", "top", "cells", cells);
    add_table(cells, in, FIRST + INPUT_BITS);
    json_t *mended = json_deep_copy(netlist);
    weir_ice40_mend(mended);
    assert_true(agree(netlist, mended, FIRST + INPUT_BITS + 1));
    json_t *parameters = json_object_get(json_object_iter_value(json_object_iter(cells_of(mended))), "parameters");
    char entries[17];
    strcpy(entries, json_string_value(json_object_get(parameters, "LUT_INIT")));
    entries[15] ^= 1; /* of inputs that are all 0 */
    json_object_set_new(parameters, "LUT_INIT", json_string(entries));
    assert_false(agree(netlist, mended, FIRST + INPUT_BITS + 1));
    json_decref(netlist);
    json_decref(mended);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_net_comes_twice_to_a_cell),
                                       cmocka_unit_test(a_wrong_entry_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
