/* States and Updates: what belongs together, what the verifier refuses, and that blocks of frames start anew. */
#include "test_passes_support.h"

#include "exec/exec.h"
#include "ir/graph/print.h"
#include "ir/graph/verify.h"
#include "ir/trait/recurrence.h"
#include "support/memory/arena.h"

#define HEAD "weir 1\ngraph \"g\" from \"g\"\n"
#define STATE(name, steps) name ": %" name " = weir.State(%start) {steps = " steps "}\n    : ?\n"

/* The graph of the text, with %start, one row of ones. */
static weir_graph *parse(const char *text, int64_t columns) {
    weir_archive archive;
    weir_archive_init(&archive);
    weir_array *start = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {1, columns}});
    for (size_t i = 0; i < start->count; i++) weir_array_set(start, i, 1);
    weir_archive_add(&archive, "start", start);
    test_setup(NULL);
    weir_graph *graph = weir_graph_parse(text, strlen(text), &archive, "t.weir");
    weir_archive_free(&archive);
    return graph;
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {HEAD "input %x : float32[3,2]\nconstant %start : float32[1,2]\n" STATE("s", "3") "output y = %s\n",
         "t.weir:5: error: node 's': a State needs one Update, which reads it"},
        {HEAD "input %x : float32[3,2]\nconstant %start : float32[1,2]\n" STATE(
             "s", "3") "a: %a = weir.Update(%x, %s)\n    : ?\nb: %b = weir.Update(%x, %s)\n    : ?\noutput y = %b\n",
         "t.weir:5: error: node 's': a State needs one Update, which reads it"},
        {HEAD "input %x : float32[2,2]\nconstant %start : float32[1,2]\n" STATE(
             "s", "2") "t: %t = Transpose(%s) {perm = [1, 0]}\n    : ?\nsum: %sum = Add(%t, %x)\n    : ?\n"
                       "y: %y = weir.Update(%sum, %s)\n    : ?\noutput y = %y\n",
         "t.weir:7: error: node 't' (Transpose): in a recurrence, where each step reads its own entry of the first axis: "
         "it moves the rows to another dimension"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *graph = parse(cases[i].text, 2);
        if (graph != NULL) assert_false(weir_graph_verify(graph));
        assert_error(cases[i].expected);
        if (graph != NULL) weir_graph_free(graph);
    }
}

/* Two layers, of which the second has two States that read each other, and a delay of what both give. */
static const char layers[] = HEAD "input %x : float32[4,2]\nconstant %start : float32[1,2]\n" STATE(
    "a", "4") "next: %next = Add(%a, %x)\n    : ?\nlayer: %layer = weir.Update(%next, %a)\n    : ?\n" STATE("b", "4")
    STATE("c",
          "4") "sum: %sum = Add(%b, %layer)\n    : ?\nmore: %more = Mul(%sum, %c)\n    : ?\n"
               "to_c: %to_c = weir.Update(%sum, %c)\n    : ?\nto_b: %to_b = weir.Update(%more, %b)\n    : ?\n" STATE(
                   "late", "4") "to_late: %to_late = weir.Update(%more, %late)\n    : ?\n"
                                "output y = %to_b\noutput z = %late\noutput u = %to_c\n";

static void together(void **state) {
    (void)state;
    weir_graph *graph = parse(layers, 2);
    if (graph == NULL) fail_msg("%s", test_messages.data);
    weir_arena *arena = weir_arena_new();
    weir_recurrence *found;
    static const size_t states[] = {1, 2, 1}, nodes[] = {3, 6, 2};
    assert_int_equal(weir_recurrences_find(graph, arena, &found), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(found[i].state_count, states[i]);
        assert_int_equal(found[i].node_count, nodes[i]);
        assert_int_equal(found[i].steps, 4);
    }
    weir_arena_free(arena);
    weir_graph_free(graph);
}

/* By hand: a = 1, 2, 4, 7; layer = 2, 4, 7, 11; b, c = 1, 1; sum = 3, more = 3; sum = 7, more = 21; ... */
static void frames(void **state) {
    (void)state;
    weir_graph *graph = parse(layers, 2);
    if (graph == NULL) fail_msg("%s", test_messages.data);
    weir_executor *executor = weir_executor_new(graph);
    assert_non_null(executor);
    weir_array *data = weir_array_new(WEIR_FLOAT32, &(weir_shape){3, {3, 4, 2}}), *results[3];
    for (size_t i = 0; i < data->count; i++) weir_array_set(data, i, (double)(1 + i / 2 % 4));
    assert_true(weir_executor_run_batch(executor, (const weir_array *const *)&data, 0, results));
    static const double more[4] = {3, 21, 196, 5796}, sum[4] = {3, 7, 28, 207}, late[4] = {1, 3, 21, 196};
    for (size_t i = 0; i < 24; i++) {
        assert_true(weir_array_get(results[0], i) == more[i / 2 % 4]);
        assert_true(weir_array_get(results[1], i) == late[i / 2 % 4]);
        assert_true(weir_array_get(results[2], i) == sum[i / 2 % 4]);
    }
    for (size_t i = 0; i < 3; i++) weir_array_free(results[i]);
    weir_array_free(data);
    weir_executor_free(executor);
    weir_graph_free(graph);
}

/* Weights that have as many rows as there are steps are read whole in each: 2 * [[1, 2], [3, 4]] = [4, 6], ... */
static void weights(void **state) {
    (void)state;
    weir_graph *graph =
        parse(HEAD "input %x : float32[2,2]\ninput %w : float32[2,2]\nconstant %start : float32[1,2]\n" STATE(
                  "s", "2") "p: %p = MatMul(%s, %w)\n    : ?\nsum: %sum = Add(%p, %x)\n    : ?\n"
                            "y: %y = weir.Update(%sum, %s)\n    : ?\noutput y = %y\n",
              2);
    if (graph == NULL) fail_msg("%s", test_messages.data);
    weir_executor *executor = weir_executor_new(graph);
    assert_non_null(executor);
    weir_array *inputs[2];
    for (size_t i = 0; i < 2; i++) {
        inputs[i] = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {2, 2}});
        for (size_t k = 0; k < 4; k++) weir_array_set(inputs[i], k, i == 0 ? 0 : (double)k + 1);
    }
    assert_true(weir_executor_run(executor, (const weir_array *const *)inputs));
    const weir_array *y = weir_executor_value(executor, weir_graph_output(graph, 0));
    static const double expected[4] = {4, 6, 22, 32};
    for (size_t i = 0; i < 4; i++) assert_true(weir_array_get(y, i) == expected[i]);
    for (size_t i = 0; i < 2; i++) weir_array_free(inputs[i]);
    weir_executor_free(executor);
    weir_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(together), cmocka_unit_test(frames),
                                       cmocka_unit_test(weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
