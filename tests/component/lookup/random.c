/* Tables of random words, one for all channels or one a channel, in memory blocks and in logic. */
#include <stdlib.h>

#include "component/case.h"
#include "support/memory/arena.h"

static void build(component_case *c) {
    int64_t rows = case_rows(c), channels = case_range(c, 1, 12), tables = case_chance(c, 50) ? channels : 1;
    weir_value x = case_codes(c, rows, channels, 1, 9, 60);
    const weir_type *type = weir_value_type(c->graph, x);
    int64_t before = case_chance(c, 30) ? case_range(c, 1, 9) : 0, after = case_chance(c, 30) ? case_range(c, 1, 9) : 0;
    int64_t low = type->low - before, codes = type->high - low + 1 + after;
    int64_t *word = case_numbers(c, tables * codes, (int)case_range(c, 1, 16), case_chance(c, 50));
    weir_value inputs[2] = {x, case_ints(c, "t", tables, codes, word)};
    free(word);
    weir_node node = case_node(c, WEIR_OP_LOOKUP, "lookup", inputs, 2, 1);
    weir_node_set_int(c->graph, node, "low", low);
    int64_t lanes = case_lanes(c, rows, channels, tables);
    case_place(c, node, lanes, lanes, 1);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_lookup = {"lookup", build, "lookup_table", false};
