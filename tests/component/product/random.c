/* Rows times matrices that come in any order of their dimensions, some divided into two loops; rows that choose among
 * matrices; foldings, signs, devices. */
#include "common/setting_of.h"
#include "component/case.h"
#include "dataflow/cost/target.h"
#include "ir/graph/types.h"
#include "ir/shape/loop.h"

enum { MOST = 5, ROW_LOOPS = 4 };

/* With and without registers in multipliers and memories; products in lookup tables. */
static const char *const devices[] = {NULL, "ecp5-45k", "ice40hx8k"};

typedef struct loops {
    int count;
    int64_t size[MOST], stride[MOST];
} loops;

static void add(loops *to, int at, int64_t size, int64_t stride) {
    for (int i = to->count++; i > at; i--) {
        to->size[i] = to->size[i - 1];
        to->stride[i] = to->stride[i - 1];
    }
    to->size[at] = size;
    to->stride[at] = stride;
}

static void swap(loops *l, int a, int b) {
    const int64_t size = l->size[a], stride = l->stride[a];
    l->size[a] = l->size[b];
    l->stride[a] = l->stride[b];
    l->size[b] = size;
    l->stride[b] = stride;
}

/* A dimension of `size` elements `stride` apart, perhaps in two loops; at random places. Its inner loop. */
static int64_t add_dimension(component_case *c, loops *to, int64_t size, int64_t stride, bool divides) {
    const int64_t inner = divides && to->count + 2 < MOST ? case_divisor(c, size) : size;
    add(to, (int)case_range(c, 0, to->count), inner, stride);
    if (inner < size) add(to, (int)case_range(c, 0, to->count), size / inner, stride * inner);
    return inner;
}

/* Elements of a row or of a column of a matrix come side by side, where it has any. */
static void end_with_run(component_case *c, loops *l, int64_t inner, int64_t columns) {
    int run[MOST], count = 0;
    for (int i = 0; i < l->count; i++)
        if (l->size[i] > 1 && ((inner > 1 && l->stride[i] == 1) || (columns > 1 && l->stride[i] == inner)))
            run[count++] = i;
    if (count > 0) swap(l, run[case_range(c, 0, count - 1)], l->count - 1);
}

static void set_shape(const component_case *c, weir_value value, int64_t rows, int64_t channels) {
    weir_type type = *weir_value_type(c->graph, value);
    type.shape = (weir_shape){3, {1, rows, channels}};
    weir_value_set_type(c->graph, value, &type);
}

static void build(component_case *c) {
    const int64_t inner = case_range(c, 1, case_chance(c, 50) ? 6 : 24), columns = case_range(c, 1, 12);
    const int64_t matrices = case_chance(c, 50) ? 1 : case_range(c, 2, 3), pages = case_chance(c, 70) ? 1 : 2;
    loops of = {.count = 0}, rows = {.count = 0};
    const int64_t elements = add_dimension(c, &of, inner, 1, case_chance(c, 30)),
                  outputs = add_dimension(c, &of, columns, inner, case_chance(c, 30));
    if (matrices > 1) add(&of, (int)case_range(c, 0, of.count), matrices, columns * inner);
    end_with_run(c, &of, inner, columns);
    if (matrices > 1) add(&rows, 0, matrices, 1);
    int64_t count = pages * matrices;
    for (int i = 0; i < 2; i++) {
        const int64_t size = case_range(c, 1, 3);
        add(&rows, (int)case_range(c, 0, rows.count), size, 0);
        count *= size;
    }
    weir_value pair[2] = {case_codes(c, 1, inner, 1, 9, 50), case_codes(c, 1, inner, 1, 9, 50)};
    set_shape(c, pair[0], count, inner);
    set_shape(c, pair[1], pages * matrices * columns, inner);
    weir_node node = case_node(c, WEIR_OP_PRODUCT, "product", pair, 2, 1);
    weir_node_set_ints(c->graph, node, "shape", (const int64_t[]){1, count, columns}, 3);
    weir_node_set_int(c->graph, node, "pages", pages);
    weir_node_set_ints(c->graph, node, "sizes", of.size, (size_t)of.count);
    weir_node_set_ints(c->graph, node, "strides", of.stride, (size_t)of.count);
    weir_node_set_ints(c->graph, node, "row_sizes", rows.size, (size_t)rows.count);
    weir_node_set_ints(c->graph, node, "row_strides", rows.stride, (size_t)rows.count);
    case_place(c, node, 1, 1, 0);
    weir_target_set(c->graph, devices[case_range(c, 0, 2)], 0);
    weir_meta_hardware *hardware = &weir_node_metadata(c->graph, node)->hardware;
    hardware->storage = WEIR_STORAGE_AUTO;
    set_setting(hardware, "simd", case_divisor(c, elements));
    set_setting(hardware, "pe", case_divisor(c, outputs));
    weir_component_of(c->graph, node)->rules->derive(c->graph, node, hardware);
    hardware->operations = weir_loop_macs(c->graph, node);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_product = {"product", build, NULL, false};
