/* Models with several inputs and outputs as hardware on Icarus: streams have the names of inputs and outputs, and give
 * the numbers that follow from the weights, which are whole so that nothing is rounded. */
#include "test_passes_analysis.h"

#include <stdio.h>

#include "common/folder.h"
#include "cosim/runtime.h"
#include "support/memory/array.h"

enum { FRAMES = 8, A = 4, B = 5, HIDDEN = 3, OUT = 2 };
#define DATA "test_passes_inputs.npz"

static double wa[HIDDEN * A], wb[HIDDEN * B], wc[OUT * HIDDEN];
static weir_array *data_a, *data_b;

static void fill(double *values, size_t count) {
    for (size_t i = 0; i < count; i++) values[i] = (double)random_int(-2, 2);
}

static int prepare(void **state) {
    (void)state;
    fill(wa, HIDDEN * A);
    fill(wb, HIDDEN * B);
    fill(wc, OUT * HIDDEN);
    data_a = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {FRAMES, A}});
    data_b = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {FRAMES, B}});
    for (size_t i = 0; i < data_a->count; i++) weir_array_set(data_a, i, (double)random_int(-3, 3));
    for (size_t i = 0; i < data_b->count; i++) weir_array_set(data_b, i, (double)random_int(-3, 3));
    weir_archive archive;
    weir_archive_init(&archive);
    weir_archive_add(&archive, "b.in", weir_array_copy(data_b));
    weir_archive_add(&archive, "a", weir_array_copy(data_a));
    assert_true(weir_npz_write(DATA, &archive));
    weir_archive_free(&archive);
    return 0;
}

static int clear(void **state) {
    (void)state;
    weir_array_free(data_a);
    weir_array_free(data_b);
    return 0;
}

static double dot(const double *w, const weir_array *x, size_t frame, size_t size) {
    double sum = 0;
    for (size_t i = 0; i < size; i++) sum += w[i] * weir_array_get(x, frame * size + i);
    return sum;
}

/* Before the relu. */
static double hidden(size_t frame, size_t unit) {
    return dot(&wa[unit * A], data_a, frame, A) + dot(&wb[unit * B], data_b, frame, B);
}

/* Two branches meet in a sum: its relu's product is output "y", with `both` the branch of `a` output "half". */
static weir_graph *model(bool both) {
    weir_graph *g = weir_graph_new("model");
    weir_value a = add_real_input(g, "a", 1, A), b = add_real_input(g, "b.in", 1, B);
    weir_value from_a = add_gemm(g, "fa", a, add_constant(g, "wa", WEIR_FLOAT32, 2, HIDDEN, A, wa));
    weir_value from_b = add_gemm(g, "fb", b, add_constant(g, "wb", WEIR_FLOAT32, 2, HIDDEN, B, wb));
    weir_value relu = ADD(g, WEIR_OP_RELU, "relu", ADD(g, WEIR_OP_ADD, "add", from_a, from_b));
    weir_graph_add_output(g, "y", add_gemm(g, "fc", relu, add_constant(g, "wc", WEIR_FLOAT32, 2, OUT, HIDDEN, wc)));
    if (both)
        weir_graph_add_output(g, "half", add_gemm(g, "fd", a, add_constant(g, "wd", WEIR_FLOAT32, 2, HIDDEN, A, wa)));
    return g;
}

static char *text_of(const char *folder, const char *file) {
    char *path = weir_path_join(folder, file);
    size_t size;
    char *text = weir_file_read(path, &size);
    assert_non_null(text);
    free(path);
    return text;
}

static void assert_output(const weir_module *module, const weir_runtime *runtime, size_t index) {
    const weir_graph *hardware = weir_module_find_graph(module, "hardware");
    const weir_cosim *run = weir_runtime_fast_run(runtime);
    weir_array *found = weir_decode(hardware, runtime->reference, (const int64_t *const *)run->output, FRAMES, index);
    for (size_t i = 0; i < found->count; i++) {
        size_t frame = i / (found->count / FRAMES), unit = i % (found->count / FRAMES);
        double expected = index == 1 ? dot(&wa[unit * A], data_a, frame, A) : 0;
        for (size_t h = 0; index == 0 && h < HIDDEN; h++) expected += wc[unit * HIDDEN + h] * fmax(0, hidden(frame, h));
        if (weir_array_get(found, i) != expected)
            fail_msg("output %zu, %zu: %g, expected %g", index, i, weir_array_get(found, i), expected);
    }
    weir_array_free(found);
}

static void run_model(bool both, const char *const *ports) {
    char *folder = make_test_folder();
    char *pipeline = weir_format("quantize{scheme=fixed data_in_frac_width=0 weight_frac_width=0 "
                                 "bias_frac_width=0 calibration=" DATA "},compile");
    weir_module *module = weir_module_new("net");
    weir_module_set_folder(module, folder);
    weir_module_add_graph(module, model(both));
    if (!run_pipeline(module, pipeline)) fail_msg("%s", test_messages.data);
    char *top = text_of(folder, "rtl/net.v");
    for (; *ports != NULL; ports++)
        if (strstr(top, *ports) == NULL) fail_msg("no port %s", *ports);
    weir_runtime_options options = {.data = DATA, .debug_frames = 4, .seed = 1};
    options.simulate[WEIR_SIM_ICARUS] = options.profile[WEIR_SIM_ALWAYS] = options.profile[WEIR_SIM_EIGHTH] = true;
    weir_runtime *runtime = NULL;
    int status =
        weir_runtime_run("net", weir_module_find_graph(module, "model"), weir_module_find_graph(module, "integer"),
                         weir_module_find_graph(module, "hardware"), folder, &options, &runtime);
    if (status != WEIR_EXIT_FINE) fail_msg("status %d: %s", status, test_messages.data);
    assert_true(runtime->equal);
    for (size_t i = 0; i < (both ? 2 : 1); i++) assert_output(module, runtime, i);
    weir_runtime_free(runtime);
    free(top);
    weir_module_free(module);
    free(pipeline);
    assert_int_equal(remove_test_folder(folder), 0);
}

static void two_inputs(void **state) {
    (void)state;
    run_model(false, (const char *const[]){"s_a_valid", "s_b_in_data", "m_valid", NULL});
}

static void two_inputs_and_two_outputs(void **state) {
    (void)state;
    run_model(true, (const char *const[]){"s_a_valid", "s_b_in_data", "m_y_valid", "m_half_data", NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(two_inputs), TEST(two_inputs_and_two_outputs)};
    return cmocka_run_group_tests(tests, prepare, clear);
}
