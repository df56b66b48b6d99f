/* A fork into branches that meet again in a chain of sums. */
#include "component/case.h"

/* A branch of a fork: a few components that delay beats by different times. */
static weir_value add_branch(component_case *c, weir_value value, int64_t channels, int64_t lanes) {
    for (int64_t steps = case_range(c, 0, 2); steps > 0; steps--) {
        int64_t choice = case_range(c, 0, 2);
        weir_node node;
        if (choice == 0) {
            node = case_cast(c, value, "cast", 1, channels, lanes);
        } else {
            node = case_node(c, choice == 1 ? WEIR_OP_REGISTER_SLICE : WEIR_OP_FIFO, "wait", &value, 1, 1);
            case_place(c, node, lanes, lanes, 0);
            const int64_t depth = case_range(c, 2, 40);
            if (choice != 1)
                weir_settings_set(&weir_node_metadata(c->graph, node)->hardware.settings, "depth",
                                  WEIR_SETTINGS_AFTER_LANES, depth);
        }
        value = case_result(c, node);
    }
    return value;
}

/* Fork into branches that meet again in a chain of sums. */
static void build(component_case *c) {
    int64_t channels = case_range(c, 1, 16), lanes = case_range(c, 1, channels), branches = case_range(c, 2, 4);
    weir_value x = case_codes(c, 1, channels, 1, 16, 50);
    weir_node fork = case_node(c, WEIR_OP_FORK, "fork", &x, 1, (size_t)branches);
    case_place(c, fork, lanes, lanes, 0);
    weir_value sum = add_branch(c, case_result(c, fork), channels, lanes);
    for (int64_t i = 1; i < branches; i++) {
        weir_value pair[2] = {sum, add_branch(c, weir_node_output(c->graph, fork, (size_t)i), channels, lanes)};
        weir_node node = case_node(c, WEIR_OP_SUM, "sum", pair, 2, 1);
        weir_node_set_int(c->graph, node, "ca", case_chance(c, 40) ? 1 : case_number(c, 10, true));
        weir_node_set_int(c->graph, node, "cb", case_chance(c, 40) ? 1 : case_number(c, 10, true));
        case_place(c, node, lanes, lanes, 0);
        sum = case_result(c, node);
    }
    case_finish(c, sum);
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_sum = {"sum", build, NULL, false};
