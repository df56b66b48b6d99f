/* Index maps against ONNX Runtime's values for 2,000 chains (data/move_chains.txt, written by
 * onnxruntime/move_chains.py), against the kernels, which move elements by code of their own, and against what
 * inverting and comparing promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/kernel.h"
#include "ir/shape/index_map.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

enum { GROUPS = 4, NUMBERS = 64 };

/* An operator's line: numbers in groups. */
typedef struct line {
    char word[32];
    int64_t number[GROUPS][NUMBERS];
    size_t count[GROUPS];
} line;

static bool read_line(FILE *file, line *l) {
    char text[512], *at = text;
    int length = 0;
    size_t group = 0;
    memset(l, 0, sizeof *l);
    if (fgets(text, sizeof text, file) == NULL) return false;
    assert_int_equal(sscanf(at, "%31s%n", l->word, &length), 1);
    for (at += length;; at += length) {
        long long number;
        if (sscanf(at, " |%n", &length) == 0 && length > 0 && strchr(at, '|') != NULL && at[strspn(at, " ")] == '|') {
            group++;
        } else {
            if (sscanf(at, "%lld%n", &number, &length) != 1) return true;
            assert_true(group < GROUPS && l->count[group] < NUMBERS);
            l->number[group][l->count[group]++] = number;
        }
    }
}

static weir_value constant(weir_graph *g, const line *l, size_t group) {
    const int64_t count = (int64_t)l->count[group];
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {count}});
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, l->number[group][i]);
    const weir_value value = weir_graph_add_constant(g, "c", array);
    weir_array_free(array);
    return value;
}

/* The operator of a line behind x. */
static weir_node add(weir_graph *g, weir_value x, const line *l) {
    static const char *const modes[] = {"constant", "reflect", "edge", "wrap"};
    static const char *const coordinates[] = {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"};
    static const char *const nearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
    static const struct {
        const char *word;
        size_t first, constants; /* groups that are inputs */
    } form[] = {{"Transpose", 0, 0}, {"Flatten", 0, 0}, {"DepthToSpace", 0, 0}, {"SpaceToDepth", 0, 0},
                {"Reshape", 0, 1},   {"Expand", 0, 1},  {"Tile", 0, 1},         {"Squeeze", 0, 1},
                {"Unsqueeze", 0, 1}, {"Slice", 0, 4},   {"Pad", 1, 1},          {"Gather", 1, 1},
                {"Split", 1, 1},     {"Resize", 2, 1}};
    const weir_op op = weir_op_find("", l->word);
    weir_value inputs[GROUPS + 1] = {x};
    size_t i = 0, at = op == WEIR_OP_RESIZE ? 3 : 1;
    while (strcmp(form[i].word, l->word) != 0) assert_true(++i < sizeof form / sizeof *form);
    for (size_t c = 0; c < form[i].constants; c++) inputs[at++] = constant(g, l, form[i].first + c);
    const size_t outputs = op == WEIR_OP_SPLIT ? l->count[1] : 1;
    const weir_node node = weir_graph_add_node(g, op, "n", inputs, at, outputs, WEIR_NO_NODE);
    const int64_t first = l->number[0][0];
    if (op == WEIR_OP_TRANSPOSE) weir_node_set_ints(g, node, "perm", l->number[0], l->count[0]);
    if (op == WEIR_OP_FLATTEN || op == WEIR_OP_GATHER || op == WEIR_OP_SPLIT) weir_node_set_int(g, node, "axis", first);
    if (op == WEIR_OP_PAD) weir_node_set_string(g, node, "mode", modes[first]);
    if (op == WEIR_OP_RESIZE) {
        weir_node_set_string(g, node, "coordinate_transformation_mode", coordinates[first]);
        weir_node_set_string(g, node, "nearest_mode", nearest[l->number[1][0]]);
    }
    if (op == WEIR_OP_DEPTH_TO_SPACE || op == WEIR_OP_SPACE_TO_DEPTH) weir_node_set_int(g, node, "blocksize", first);
    if (op == WEIR_OP_DEPTH_TO_SPACE) weir_node_set_string(g, node, "mode", l->number[1][0] ? "CRD" : "DCR");
    assert_true(weir_infer_node(g, node));
    return node;
}

/* Runs the node's kernel. */
static weir_array *run(const weir_graph *g, weir_node node, size_t output, const weir_array *x) {
    const weir_array *inputs[8] = {x};
    weir_array *y[NUMBERS];
    for (size_t i = 1; i < weir_node_input_count(g, node); i++)
        if (weir_node_input(g, node, i).id != 0) inputs[i] = weir_value_constant(g, weir_node_input(g, node, i));
    for (size_t i = 0; i < weir_node_output_count(g, node); i++)
        y[i] = weir_array_new(x->dtype, &weir_value_type(g, weir_node_output(g, node, i))->shape);
    weir_kernel_run(g, node, inputs, y);
    for (size_t i = 0; i < weir_node_output_count(g, node); i++)
        if (i != output) weir_array_free(y[i]);
    return y[output];
}

static weir_array *apply(const weir_index_map *map, const weir_array *x) {
    weir_array *y = weir_array_new(x->dtype, &map->to);
    weir_index_map_apply(map, x, NULL, y);
    return y;
}

/* A chain that is read: its graph, 1, 2, 3, ... moved by kernels, and the map of all of it. */
typedef struct chain {
    weir_graph *g;
    weir_arena *arena;
    weir_array *x, *y;
    weir_value end;
    weir_index_map map;
} chain;

static void start(chain *c, const line *l) {
    const weir_shape shape = weir_shape_of((int)l->count[0], l->number[0]);
    c->g = weir_graph_new("chain");
    c->arena = weir_arena_new();
    c->end = weir_graph_add_input(c->g, "x", &(weir_type){.dtype = WEIR_FLOAT32, .shape = shape});
    c->x = weir_array_new(WEIR_FLOAT32, &shape);
    for (size_t i = 0; i < c->x->count; i++) weir_array_set(c->x, i, (double)i + 1);
    c->y = weir_array_copy(c->x);
    c->map = weir_index_map_keep(c->arena, &shape, &shape);
}

static void extend(chain *c, const line *l) {
    const weir_node node = add(c->g, c->end, l);
    const size_t output = weir_node_op(c->g, node) == WEIR_OP_SPLIT ? (size_t)l->number[2][0] : 0;
    weir_index_map map;
    assert_true(weir_index_map_of_node(c->arena, c->g, node, output, &map));
    weir_array *y = run(c->g, node, output, c->y);
    weir_array *moved = apply(&map, c->y);
    assert_true(weir_array_equal(moved, y));
    weir_array_free(moved);
    weir_array_free(c->y);
    c->y = y;
    c->end = weir_node_output(c->g, node, output);
    c->map = weir_index_map_then(c->arena, &c->map, &map);
}

static void finish(chain *c) {
    weir_array_free(c->x);
    weir_array_free(c->y);
    weir_graph_free(c->g);
    weir_arena_free(c->arena);
}

/* Whatever the map came from: the same from its positions, equal to itself alone, and its inverse takes it back. */
static void check_map(const chain *c) {
    weir_arena *arena = weir_arena_new();
    const int64_t count = (int64_t)c->y->count;
    int64_t *position = weir_index_map_positions(arena, &c->map);
    const weir_index_map again = weir_index_map_table(arena, &c->map.from, &c->map.to, position);
    assert_true(weir_index_map_equal(&c->map, &again));
    if (weir_index_map_is_regular(&c->map)) assert_int_equal(c->map.count, again.count);
    weir_index_map back;
    if (weir_index_map_invert(arena, &c->map, &back)) {
        const weir_index_map both = weir_index_map_then(arena, &c->map, &back);
        assert_true(weir_index_map_is_kept(&both));
    }
    position[count / 2] = position[count / 2] == 0 ? WEIR_INDEX_FILL : 0; /* planted */
    const weir_index_map other = weir_index_map_table(arena, &c->map.from, &c->map.to, position);
    assert_false(weir_index_map_equal(&c->map, &other));
    weir_arena_free(arena);
}

static void chains_are_those_of_onnx_runtime(void **state) {
    (void)state;
    char path[512];
    line l;
    chain c;
    size_t count = 0;
    snprintf(path, sizeof path, "%s/tests/unit/data/move_chains.txt", getenv("WEIR_SOURCE"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (read_line(file, &l)) {
        if (strcmp(l.word, "x") == 0) {
            start(&c, &l);
        } else if (strcmp(l.word, "=") != 0) {
            extend(&c, &l);
        } else {
            weir_array *moved = apply(&c.map, c.x);
            assert_int_equal(moved->count, l.count[0]);
            for (size_t i = 0; i < moved->count; i++) {
                assert_int_equal(weir_array_get_int(moved, i), l.number[0][i]);
                assert_int_equal(weir_array_get_int(c.y, i), l.number[0][i]);
            }
            check_map(&c);
            weir_array_free(moved);
            finish(&c);
            count++;
        }
    }
    fclose(file);
    assert_int_equal(count, 2000);
}

/* Loops of any order, steps and ends have one form, and the loops found from its positions are the same. */
static void loops_have_one_form(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int n = 0; n < 2000; n++) {
        weir_arena *arena = weir_arena_new();
        weir_index_loop loop[5];
        int64_t all = 1, reach = 1;
        const size_t count = weir_random_next(&random) % 5;
        for (size_t i = count; i-- > 0;) {
            const int64_t size = 1 + (int64_t)(weir_random_next(&random) % 4);
            const int64_t stride = weir_random_next(&random) % 3 ? reach : (int64_t)(weir_random_next(&random) % 9) - 4;
            loop[i] = (weir_index_loop){size, stride, 0, size, NULL};
            reach *= size;
            all *= size;
        }
        const weir_shape from = {1, {1000}}, to = {1, {all}};
        const weir_index_map map = weir_index_map_loops(arena, &from, &to, 500, loop, count);
        int64_t *position = weir_index_map_positions(arena, &map);
        for (int64_t k = 0; k < all; k++) {
            int64_t at = 500, rest = k;
            for (size_t i = count; i-- > 0; rest /= loop[i].size) at += rest % loop[i].size * loop[i].stride;
            assert_int_equal(position[k], at);
        }
        const weir_index_map again = weir_index_map_table(arena, &from, &to, position);
        assert_true(weir_index_map_is_regular(&again));
        assert_int_equal(again.count, map.count);
        assert_int_equal(again.start, map.start);
        for (size_t i = 0; i < map.count; i++) {
            assert_int_equal(again.loop[i].size, map.loop[i].size);
            assert_int_equal(again.loop[i].stride, map.loop[i].stride);
        }
        weir_arena_free(arena);
    }
}

/* By hand: a nearest Resize of 2 to 4 columns is two loops, a mirror one with a step back, a Pad one with ends. */
static void forms_by_hand(void **state) {
    (void)state;
    weir_arena *arena = weir_arena_new();
    const weir_shape two = {2, {3, 2}}, four = {2, {3, 4}};
    const int64_t rows[] = {0, 1, 2}, twice[] = {0, 0, 1, 1}, mirror[] = {1, 0}, padded[] = {-1, 0, 1, -1};
    const weir_index_map resize = weir_index_map_along(arena, &two, &four, (const int64_t *[]){rows, twice});
    assert_int_equal(resize.count, 2);
    assert_int_equal(resize.loop[0].size, 6);
    assert_int_equal(resize.loop[1].stride, 0);
    assert_false(weir_index_map_fills(&resize));
    const weir_index_map back = weir_index_map_along(arena, &two, &two, (const int64_t *[]){rows, mirror});
    assert_int_equal(back.start, 1);
    assert_int_equal(back.count, 2);
    assert_int_equal(back.loop[1].stride, -1);
    const weir_index_map pad = weir_index_map_along(arena, &two, &four, (const int64_t *[]){rows, padded});
    assert_true(weir_index_map_fills(&pad) && weir_index_map_is_regular(&pad));
    assert_int_equal(pad.loop[1].begin, 1);
    assert_int_equal(pad.loop[1].end, 3);
    assert_int_equal(weir_index_map_at(&pad, 4), WEIR_INDEX_FILL);
    assert_int_equal(weir_index_map_at(&pad, 5), 2);
    weir_index_map inverse;
    assert_false(weir_index_map_invert(arena, &pad, &inverse));
    assert_true(weir_index_map_invert(arena, &back, &inverse));
    assert_true(weir_index_map_equal(&back, &inverse));
    weir_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_are_those_of_onnx_runtime),
                                       cmocka_unit_test(loops_have_one_form), cmocka_unit_test(forms_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
