/* Memories that share blocks: which ones do, against blocks counted by hand from the shapes of the devices. */
#include "test_passes_support.h"

#include <stdio.h>

#include "common/setting_of.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/memory.h"
#include "dataflow/pair.h"

/* A Linear of so many outputs and inputs, 8-bit weights, folded. */
typedef struct layer {
    int64_t outputs, inputs, simd, pe;
    weir_storage storage;
} layer;

static weir_node add_layer(weir_graph *graph, size_t index, const layer *l) {
    char input[32], weights[32], name[32];
    snprintf(input, sizeof input, "x%zu", index);
    snprintf(weights, sizeof weights, "w%zu", index);
    snprintf(name, sizeof name, "fc%zu", index);
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){2, {l->outputs, l->inputs}});
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, i == 0 ? -128 : 127);
    weir_value in[2] = {add_codes_input(graph, input, WEIR_INT8, 1, l->inputs, -128, 127),
                        weir_graph_add_constant(graph, weights, array)};
    weir_array_free(array);
    const weir_node node = put(graph, WEIR_OP_LINEAR, name, 2, in);
    assert_true(weir_infer_node(graph, node));
    return node;
}

static weir_graph *layers(const char *device, size_t count, const layer *of, weir_node *node) {
    weir_graph *graph = weir_graph_new("g");
    weir_graph_set_device(graph, device, 0);
    for (size_t i = 0; i < count; i++) node[i] = add_layer(graph, i, &of[i]);
    assert_true(weir_component_assign(graph));
    for (size_t i = 0; i < count; i++) {
        weir_meta_hardware *hardware = &weir_node_metadata(graph, node[i])->hardware;
        hardware->in_lanes = of[i].simd;
        set_setting(hardware, "simd", of[i].simd);
        hardware->out_lanes = of[i].pe;
        set_setting(hardware, "pe", of[i].pe);
        hardware->storage = of[i].storage;
        hardware->interval = of[i].outputs * of[i].inputs / of[i].simd / of[i].pe;
    }
    return graph;
}

/* DP16KD has 16 Kbit with 18 bits a port at most when both read, SB_RAM40_4K one read port. */
static void blocks_with_two_ports(void **state) {
    (void)state;
    int status;
    weir_device *ecp5 = weir_device_read("ecp5-25k", &status), *ice40 = weir_device_read("ice40up5k", &status);
    static const struct {
        int64_t width, depth, blocks;
    } cases[] = {{18, 1024, 1}, {19, 1024, 2}, {36, 512, 2},  {9, 2048, 1},
                 {10, 2048, 2}, {4, 4096, 1},  {1, 16384, 1}, {5, 2100, 0}}; /* the last: three words side by side */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(weir_device_dual_port_blocks(ecp5, cases[i].width, cases[i].depth), cases[i].blocks);
        assert_int_equal(weir_device_dual_port_blocks(ice40, cases[i].width, cases[i].depth), 0);
    }
    weir_device_free(ecp5);
    weir_device_free(ice40);
}

/* 256 x 8 bits and 64 x 8 bits fill a quarter of a block of 2,048 x 9 bits: they share it, the longer one first. What
 * is in logic, and a memory that fills its block, stays alone. */
static void small_ones_share(void **state) {
    (void)state;
    static const layer of[] = {{8, 8, 1, 1, WEIR_STORAGE_BLOCK},
                               {16, 16, 1, 1, WEIR_STORAGE_BLOCK},
                               {16, 16, 1, 1, WEIR_STORAGE_LOGIC},
                               {32, 64, 1, 1, WEIR_STORAGE_BLOCK}};
    weir_node node[4];
    weir_graph *graph = layers("ecp5-25k", 4, of, node);
    weir_pairs pairs = weir_pair_find(graph);
    assert_int_equal(pairs.count, 1);
    const weir_pair *pair = &pairs.item[0];
    assert_int_equal(pair->a.node.id, node[1].id);
    assert_int_equal(pair->b.node.id, node[0].id);
    assert_int_equal(pair->a.depth, 256);
    assert_int_equal(pair->b.depth, 64);
    assert_int_equal(weir_pair_blocks(weir_target_of(graph).device, pair), 1);
    bool is_b;
    assert_int_equal(weir_pair_of(&pairs, node[0], 0, 0, &is_b), 0);
    assert_true(is_b);
    assert_int_equal(weir_pair_of(&pairs, node[1], 0, 0, &is_b), 0);
    assert_false(is_b);
    assert_int_equal(weir_pair_of(&pairs, node[1], 0, 1, &is_b), 1); /* it has no second copy */
    assert_int_equal(weir_pair_of(&pairs, node[3], 0, 0, &is_b), 1);
    weir_pair_free(&pairs);
    weir_graph_free(graph);
}

/* 40 bits are 18 + 18 + 4: alone two blocks of 36, two of them three blocks of 18. 72 bits fill two of 36. */
static void halves_share(void **state) {
    (void)state;
    static const layer of[] = {{16, 10, 5, 1, WEIR_STORAGE_BLOCK},
                               {16, 9, 9, 1, WEIR_STORAGE_BLOCK},
                               {24, 10, 5, 1, WEIR_STORAGE_BLOCK},
                               {24, 9, 9, 1, WEIR_STORAGE_BLOCK}};
    weir_node node[4];
    weir_graph *graph = layers("ecp5-25k", 4, of, node);
    const weir_device *device = weir_target_of(graph).device;
    weir_pairs pairs = weir_pair_find(graph);
    assert_int_equal(pairs.count, 1);
    assert_int_equal(pairs.item[0].a.width, 40);
    assert_int_equal(pairs.item[0].b.width, 40);
    assert_int_equal(weir_pair_blocks(device, &pairs.item[0]), 3);
    weir_pair_free(&pairs);
    weir_cost_report report = weir_cost_of_graph(graph, device);
    int64_t sum = 0;
    for (size_t i = 0; i < report.count; i++) sum += report.item[i].cost.memory_blocks;
    assert_int_equal(report.total.memory_blocks, sum);
    weir_cost_survey *survey = weir_cost_survey_new(graph, device);
    int64_t alone = 0;
    for (size_t i = 0; i < 4; i++) alone += weir_cost_survey_node(survey, node[i]).cost.memory_blocks;
    weir_cost_survey_free(survey);
    assert_int_equal(alone - sum, 1);
    weir_cost_report_free(&report);
    weir_graph_free(graph);
}

/* Three alike: two share a block, the third has its own. */
static void each_once(void **state) {
    (void)state;
    static const layer of[] = {
        {16, 16, 1, 1, WEIR_STORAGE_BLOCK}, {16, 16, 1, 1, WEIR_STORAGE_BLOCK}, {16, 16, 1, 1, WEIR_STORAGE_BLOCK}};
    static const char *const devices[] = {"ecp5-25k", "xc7a35t", "gw1nr-9", "ice40hx8k", ""};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        weir_node node[3];
        weir_graph *graph = layers(devices[i], 3, of, node);
        weir_pairs pairs = weir_pair_find(graph);
        assert_int_equal(pairs.count, i < 3 ? 1 : 0);
        assert_true(i >= 3 || (pairs.item[0].a.node.id == node[0].id && pairs.item[0].b.node.id == node[1].id));
        weir_pair_free(&pairs);
        weir_graph_free(graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(blocks_with_two_ports), TEST(small_ones_share), TEST(halves_share),
                                       TEST(each_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
