/* What quantization adds to each value, by hand: powers over those of differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cosim/noise.h"
#include "ir/graph/print.h"
#include "support/memory/array.h"

static weir_graph *parse(const char *text) {
    weir_graph *graph = weir_graph_parse(text, strlen(text), NULL, "test");
    assert_non_null(graph);
    return graph;
}

static const char model[] = "weir 1\n"
                            "graph \"model\" from \"m\"\n"
                            "input %x : float32[1,2]\n"
                            "a: %a = Relu(%x)\n    : float32[1,2]\n"
                            "b: %b = Add(%a, %a)\n    : float32[1,2]\n"
                            "c: %c = Neg(%b)\n    : float32[1,2]\n"
                            "d: %d = Neg(%c)\n    : float32[1,2]\n"
                            "output y = %d\n";
/* b is a + a * a in place of a + a, c has another name. */
static const char quantized[] = "weir 1\n"
                                "graph \"quantized\" from \"m\"\n"
                                "input %x : float32[1,2]\n"
                                "a: %a = Relu(%x)\n    : float32[1,2]\n"
                                "e: %e = Mul(%a, %a)\n    : float32[1,2]\n"
                                "b: %b = Add(%a, %e)\n    : float32[1,2]\n"
                                "f: %f = Neg(%b)\n    : float32[1,2]\n"
                                "d: %d = Neg(%f)\n    : float32[1,2]\n"
                                "output y = %d\n";

static double number(const json_t *layer, const char *key) { return json_number_value(json_object_get(layer, key)); }

/* Frames (2, 4) and (1, -3): a = (2, 4), (1, 0); 2 a = (4, 8), (2, 0) against a + a * a = (6, 20), (2, 0): differences
 * 2, 12, 0, 0. */
static void by_hand(void **state) {
    (void)state;
    weir_graph *one = parse(model), *other = parse(quantized);
    weir_array *x = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {2, 2}});
    static const double values[] = {2, 4, 1, -3};
    for (size_t i = 0; i < 4; i++) weir_array_set(x, i, values[i]);
    const weir_array *data[] = {x};
    json_t *layers = weir_noise_json(one, other, data, 2);
    assert_int_equal(json_array_size(layers), 3);
    const json_t *a = json_array_get(layers, 0), *b = json_array_get(layers, 1), *d = json_array_get(layers, 2);
    assert_string_equal(json_string_value(json_object_get(a, "node")), "a");
    assert_true(json_is_null(json_object_get(a, "sqnr_db")) && number(a, "max_absolute") == 0 &&
                number(a, "largest") == 4);
    assert_string_equal(json_string_value(json_object_get(b, "operator")), "Add");
    assert_true(fabs(number(b, "sqnr_db") - 10 * log10((16.0 + 64 + 4) / (4 + 144))) < 1e-12);
    assert_true(number(b, "max_absolute") == 12 && number(b, "mean_absolute") == 14.0 / 4 && number(b, "largest") == 8);
    assert_string_equal(json_string_value(json_object_get(d, "node")), "d");
    assert_true(number(d, "sqnr_db") == number(b, "sqnr_db"));
    json_decref(layers);
    layers = weir_noise_json(one, other, data, 1); /* the first frame alone */
    assert_true(number(json_array_get(layers, 1), "mean_absolute") == 7);
    json_decref(layers);
    weir_array_free(x);
    weir_graph_free(one);
    weir_graph_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
