/* weir_mvu with its ROM, replay and dot product: any number of rows, inputs and outputs, foldings that need not divide,
 * groups and rows that are computed side by side, devices. */
#include <stdlib.h>

#include "common/setting_of.h"
#include "component/case.h"
#include "dataflow/cost/target.h"
#include "dataflow/schedule/stream.h"
#include "ir/shape/loop.h"

/* With and without registers in multipliers and memories; products in lookup tables. */
static const char *const devices[] = {NULL, "ecp5-45k", "ice40hx8k"};

/* Weights of -1 and 1, or of 0 as well, and often elements that are of them too; without a draw that other cases know.
 * True: no factor is 0. */
static bool make_signs(const component_case *c, weir_value x, int64_t *codes, int64_t count) {
    enum { ANY, TERNARY, BINARY };
    component_case apart = *c;
    const bool zeros = case_chance(&apart, 40);
    for (int64_t i = 0; i < count; i++) codes[i] = zeros && case_chance(&apart, 30) ? 0 : codes[i] < 0 ? -1 : 1;
    const int64_t elements = case_range(&apart, ANY, BINARY);
    if (elements == ANY) return false;
    weir_type type = *weir_value_type(c->graph, x);
    type.dtype = WEIR_INT8;
    type.quant.is_signed = true;
    type.quant.width = 2;
    type.low = -1;
    type.high = 1;
    if (elements == BINARY) type.quant.format = WEIR_FORMAT_BINARY;
    weir_value_set_type(c->graph, x, &type);
    return elements == BINARY && !zeros;
}

static void build(component_case *c) {
    const bool depthwise = case_chance(c, 30);
    int64_t rows = case_rows(c), k = case_range(c, 1, depthwise ? 9 : 40), n = case_range(c, depthwise ? 2 : 1, 12);
    weir_value x = case_codes(c, rows, depthwise ? n * k : k, 1, 16, 50);
    const int bits = (int)case_range(c, 1, 12);
    const bool is_signed = case_chance(c, 85);
    int64_t *codes = case_numbers(c, n * k, bits, is_signed);
    const bool are_pairs = bits <= 2 && is_signed && make_signs(c, x, codes, n * k) && k % 2 == 0;
    weir_value inputs[2] = {x, case_ints(c, "w", n, k, codes)};
    free(codes);
    weir_node node = case_node(c, WEIR_OP_LINEAR, "linear", inputs, 2, 1);
    int64_t simd = rows > 1 || depthwise ? case_divisor(c, k) : case_range(c, 1, k);
    int64_t pe = rows > 1 || depthwise ? case_divisor(c, n) : case_range(c, 1, n);
    if (are_pairs && simd % 2 != 0) simd = 2;
    if (are_pairs && n % pe != 0) pe = 1;
    if (depthwise) {
        weir_node_set_int(c->graph, node, "group", n);
        weir_node_set_int(c->graph, node, "interleave", pe);
    }
    int64_t together = 1;
    if (rows > 1 && k < 8 && (!depthwise || pe == n)) { /* whole rows, several at a time */
        together = rows == 4 && k < 5 ? 2 : rows;
        simd = k;
        pe = n * together;
    }
    case_place(c, node, depthwise ? simd * pe : simd * together, pe, 0);
    const int64_t device = case_range(c, 0, 2);
    const bool wide =
        device == 1 && pe / together % 2 == 0 && simd % 2 == 0; /* blocks of 25 bits: most products in pairs */
    weir_target_set(c->graph, wide ? "xc7a35t" : devices[device], 0);
    weir_meta_hardware *hardware = &weir_node_metadata(c->graph, node)->hardware;
    hardware->storage = (weir_storage)case_range(c, WEIR_STORAGE_AUTO, WEIR_STORAGE_LOGIC);
    set_setting(hardware, "simd", simd);
    set_setting(hardware, "pe", pe);
    hardware->interval = rows / together * weir_ceil_divide(k, simd) * weir_ceil_divide(n * together, pe);
    hardware->operations = weir_loop_macs(c->graph, node);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_linear = {"linear", build, "linear_weights", false};
