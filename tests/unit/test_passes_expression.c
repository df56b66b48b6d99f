/* Expressions of the lowering: each accessor gives what an expression of its kind was made of, and stops at every other
 * kind (one process for each pair, the planted faults); operators stay in their order where what is below them
 * changes. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_passes_support.h"

#include "passes/lower/expression.h"

enum { KINDS = WEIR_EXPRESSION_FUNCTION + 1 };

static const weir_value first = {3}, second = {4};
static const double number[2] = {0.5, -0.25};
static const weir_shape shape = {2, {2, 3}}, wide = {1, {6}}, tall = {2, {3, 2}};

/* One of each kind. */
typedef struct fixture {
    weir_arena *arena;
    weir_array *data;
    const weir_expression *of[KINDS];
} fixture;

static fixture make(void) {
    fixture f = {.arena = weir_arena_new(), .data = weir_array_new(WEIR_INT8, &shape)};
    weir_arena *a = f.arena;
    const weir_quant quant = {.format = WEIR_FORMAT_INTEGER, .width = 8, .axis = -1};
    const weir_leaf_sum sum = {.left = {.codes = first}, .right = {.codes = second}, .minus = true};
    const weir_expression *leaf = weir_expression_codes(a, first);
    f.of[WEIR_EXPRESSION_REAL] = weir_expression_real(a, first, NULL);
    f.of[WEIR_EXPRESSION_HOST] = weir_expression_host(a, second, NULL);
    f.of[WEIR_EXPRESSION_CONSTANT] = weir_expression_constant(a, f.data);
    f.of[WEIR_EXPRESSION_WEIGHTS] = weir_expression_weights(a, f.data, &quant);
    f.of[WEIR_EXPRESSION_CODES] = leaf;
    f.of[WEIR_EXPRESSION_OFFSET] = weir_expression_offset(a, leaf, number, 2);
    f.of[WEIR_EXPRESSION_RELU] = weir_expression_relu(a, f.of[WEIR_EXPRESSION_OFFSET]);
    f.of[WEIR_EXPRESSION_STEP] = weir_expression_step(a, leaf, WEIR_OP_NEG, NULL);
    f.of[WEIR_EXPRESSION_SUM] = weir_expression_sum(a, &sum);
    f.of[WEIR_EXPRESSION_FUNCTION] = weir_expression_function(a, second);
    return f;
}

static void drop(fixture *f) {
    weir_arena_free(f->arena);
    weir_array_free(f->data);
}

/* --- accessors --- */

static void operand(const fixture *f, const weir_expression *x) { (void)f, weir_expression_operand(x); }
static void value(const fixture *f, const weir_expression *x) { (void)f, weir_expression_value(x); }
static void cause(const fixture *f, const weir_expression *x) { (void)f, weir_expression_cause(x); }
static void data(const fixture *f, const weir_expression *x) { (void)f, weir_expression_data(x); }
static void quant(const fixture *f, const weir_expression *x) { (void)f, weir_expression_quant(x); }
static void step_of(const fixture *f, const weir_expression *x) { (void)f, weir_expression_step_of(x); }
static void leaf(const fixture *f, const weir_expression *x) { (void)f, weir_expression_leaf(x); }
static void codes_of(const fixture *f, const weir_expression *x) { (void)f, weir_expression_codes_of(x); }
static void sum_of(const fixture *f, const weir_expression *x) { (void)f, weir_expression_sum_of(x); }
static void first_of(const fixture *f, const weir_expression *x) { (void)f, weir_expression_first(x); }
static void offset(const fixture *f, const weir_expression *x) { weir_expression_offset(f->arena, x, number, 1); }
static void relu(const fixture *f, const weir_expression *x) { weir_expression_relu(f->arena, x); }
static void step(const fixture *f, const weir_expression *x) { weir_expression_step(f->arena, x, WEIR_OP_NEG, NULL); }
static void with_leaf(const fixture *f, const weir_expression *x) {
    weir_expression_with_leaf(f->arena, x, &(weir_leaf){.codes = second});
}
static void with_codes(const fixture *f, const weir_expression *x) { weir_expression_with_codes(f->arena, x, second); }
static void moved(const fixture *f, const weir_expression *x) {
    const weir_index_map map = weir_index_map_keep(f->arena, &shape, &wide);
    weir_expression_moved(f->arena, x, &shape, &map);
}

#define K(kind) (1u << WEIR_EXPRESSION_##kind)

static const struct {
    const char *name;
    void (*call)(const fixture *f, const weir_expression *x);
    unsigned takes; /* kinds */
} accessors[] = {
    {"operand", operand, K(OFFSET) | K(RELU) | K(STEP)},
    {"value", value, K(REAL) | K(HOST) | K(FUNCTION)},
    {"cause", cause, K(REAL) | K(HOST)},
    {"data", data, K(CONSTANT) | K(WEIGHTS)},
    {"quant", quant, K(WEIGHTS)},
    {"step_of", step_of, K(STEP)},
    {"leaf", leaf, K(CODES) | K(OFFSET) | K(RELU) | K(STEP)},
    {"codes_of", codes_of, K(CODES) | K(OFFSET) | K(RELU) | K(STEP)},
    {"sum_of", sum_of, K(SUM)},
    {"first", first_of, K(CODES) | K(OFFSET) | K(RELU) | K(STEP) | K(SUM)},
    {"offset", offset, K(CODES)},
    {"relu", relu, K(CODES) | K(OFFSET) | K(RELU) | K(STEP) | K(SUM)},
    {"step", step, K(CODES) | K(OFFSET) | K(RELU) | K(STEP)},
    {"with_leaf", with_leaf, K(CODES) | K(OFFSET) | K(RELU) | K(STEP) | K(SUM)},
    {"with_codes", with_codes, K(CODES) | K(OFFSET) | K(RELU) | K(STEP)},
    {"moved", moved, K(CODES) | K(OFFSET) | K(RELU) | K(STEP) | K(SUM)},
};

static bool stops(const fixture *f, size_t accessor, const weir_expression *x) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        signal(SIGABRT, SIG_DFL);
        accessors[accessor].call(f, x);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void accessors_stop_at_other_kinds(void **state) {
    (void)state;
    fixture f = make();
    for (size_t a = 0; a < sizeof accessors / sizeof *accessors; a++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            if (stops(&f, a, f.of[kind]) == ((accessors[a].takes >> kind & 1) != 0))
                fail_msg("weir_expression_%s of kind %u", accessors[a].name, kind);
    drop(&f);
}

static void each_kind_gives_what_it_was_made_of(void **state) {
    (void)state;
    fixture f = make();
    for (unsigned kind = 0; kind < KINDS; kind++) assert_int_equal(weir_expression_kind_of(f.of[kind]), kind);
    assert_int_equal(weir_expression_value(f.of[WEIR_EXPRESSION_REAL]).id, first.id);
    assert_int_equal(weir_expression_value(f.of[WEIR_EXPRESSION_FUNCTION]).id, second.id);
    assert_ptr_equal(weir_expression_data(f.of[WEIR_EXPRESSION_CONSTANT]), f.data);
    assert_int_equal(weir_expression_quant(f.of[WEIR_EXPRESSION_WEIGHTS])->width, 8);
    assert_int_equal(weir_expression_codes_of(f.of[WEIR_EXPRESSION_STEP]).id, first.id);
    assert_int_equal(weir_expression_step_of(f.of[WEIR_EXPRESSION_STEP])->op, WEIR_OP_NEG);
    assert_int_equal(weir_expression_sum_of(f.of[WEIR_EXPRESSION_SUM])->right.codes.id, second.id);
    assert_true(weir_expression_sum_of(f.of[WEIR_EXPRESSION_SUM])->minus);
    assert_int_equal(weir_expression_source(f.of[WEIR_EXPRESSION_RELU]), WEIR_EXPRESSION_CODES);
    uint32_t count;
    assert_ptr_equal(weir_expression_numbers(f.of[WEIR_EXPRESSION_RELU], &count), number);
    assert_int_equal(count, 2);
    assert_null(weir_expression_numbers(f.of[WEIR_EXPRESSION_STEP], &count));
    assert_int_equal(count, 0);
    drop(&f);
}

/* --- operators --- */

/* The operators of x from the outside. */
static void is_made_of(const weir_expression *x, size_t count, const weir_op *op) {
    assert_int_equal(weir_expression_count_steps(x), count);
    for (size_t i = 0; i < count; i++, x = weir_expression_operand(x))
        assert_int_equal(weir_expression_step_of(x)->op, op[i]);
}

static void a_relu_is_a_step_below_other_steps(void **state) {
    (void)state;
    fixture f = make();
    const weir_expression *relu_of = f.of[WEIR_EXPRESSION_RELU];
    assert_ptr_equal(weir_expression_relu(f.arena, relu_of), relu_of);
    const weir_expression *x = weir_expression_step(f.arena, relu_of, WEIR_OP_MUL, f.data);
    is_made_of(x, 2, (weir_op[]){WEIR_OP_MUL, WEIR_OP_RELU});
    x = weir_expression_relu(f.arena, x);
    is_made_of(x, 3, (weir_op[]){WEIR_OP_RELU, WEIR_OP_MUL, WEIR_OP_RELU});
    uint32_t count;
    assert_ptr_equal(weir_expression_numbers(x, &count), number);
    const weir_expression *other = weir_expression_with_codes(f.arena, x, second);
    is_made_of(other, 3, (weir_op[]){WEIR_OP_RELU, WEIR_OP_MUL, WEIR_OP_RELU});
    assert_int_equal(weir_expression_codes_of(other).id, second.id);
    assert_int_equal(weir_expression_codes_of(x).id, first.id);
    drop(&f);
}

/* Maps follow each other, and both leaves of a sum have them. */
static void moves_are_the_maps_of_leaves(void **state) {
    (void)state;
    fixture f = make();
    const weir_index_map flat = weir_index_map_keep(f.arena, &shape, &wide),
                         turned = weir_index_map_transpose(f.arena, &tall, (int[]){1, 0}),
                         back = weir_index_map_keep(f.arena, &wide, &tall);
    const weir_expression *x = weir_expression_moved(f.arena, f.of[WEIR_EXPRESSION_RELU], &shape, &flat);
    assert_int_equal(weir_expression_kind_of(x), WEIR_EXPRESSION_RELU);
    assert_true(weir_shape_equal(&weir_expression_leaf(x)->map->to, &wide));
    x = weir_expression_moved(f.arena, weir_expression_moved(f.arena, x, &shape, &back), &shape, &turned);
    const weir_index_map *map = weir_expression_leaf(x)->map;
    assert_true(weir_shape_equal(&map->from, &shape) && weir_shape_equal(&map->to, &(weir_shape){2, {2, 3}}));
    static const int64_t expected[6] = {0, 2, 4, 1, 3, 5};
    for (int64_t i = 0; i < 6; i++) assert_int_equal(weir_index_map_at(map, i), expected[i]);
    assert_null(weir_expression_leaf(f.of[WEIR_EXPRESSION_RELU])->map);
    x = weir_expression_moved(f.arena, weir_expression_relu(f.arena, f.of[WEIR_EXPRESSION_SUM]), &shape, &flat);
    assert_int_equal(weir_expression_kind_of(x), WEIR_EXPRESSION_RELU);
    assert_ptr_equal(weir_expression_sum_of(x)->left.map, weir_expression_sum_of(x)->right.map);
    assert_true(weir_shape_equal(&weir_expression_first(x)->map->to, &wide));
    drop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accessors_stop_at_other_kinds),
        cmocka_unit_test(each_kind_gives_what_it_was_made_of),
        cmocka_unit_test(a_relu_is_a_step_below_other_steps),
        cmocka_unit_test(moves_are_the_maps_of_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
