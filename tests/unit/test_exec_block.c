/* Batches run in blocks of frames, and in threads: the same bits as frame by frame, for every operator of lowered
 * networks. */
#include "exec/parallel.h"
#include "test_passes_lowering.h"

enum { FRAMES = 131 }; /* several blocks and a shorter one */

static const struct {
    const char *folder, *name;
} models[] = {
    {"digits", "mlp_qdq"},     {"digits", "mlp_residual_qdq"}, {"digits", "mlp_qonnx_w4a4"},  {"digits", "mlp_bipolar"},
    {"jet", "jet_qdq"},        {"lenet", "lenet_qdq"},         {"lenet", "lenet_qonnx_w4a4"}, {"conv", "averaged_qdq"},
    {"conv", "inception_qdq"}, {"conv", "line_qdq"},           {"conv", "mobile_qdq"},        {"conv", "separable_qdq"},
    {"conv", "excited_qdq"},   {"conv", "upsampler_qdq"},      {"conv", "autoencoder_qdq"}};

static weir_array *random_frames(const weir_graph *graph) {
    const weir_type *type = weir_value_type(graph, weir_graph_input(graph, 0));
    weir_shape shape = type->shape;
    shape.dim[0] = FRAMES;
    weir_array *x = weir_array_new(type->dtype, &shape);
    for (size_t i = 0; i < x->count; i++) {
        if (weir_dtype_is_float(type->dtype)) weir_array_set(x, i, (double)random_int(-4096, 4096) / 512);
        else weir_array_set_int(x, i, random_int(type->low, type->high));
    }
    return x;
}

/* Frames whose first output differs from that of a run of the frame alone. */
static size_t differing(const weir_graph *graph, const weir_array *x, const weir_array *found) {
    weir_executor *executor = weir_executor_new(graph);
    size_t count = 0;
    for (int64_t f = 0; f < FRAMES; f++) {
        weir_array *frame = weir_executor_frame(graph, x, f);
        assert_true(weir_executor_run(executor, (const weir_array *const[]){frame}));
        const weir_array *y = weir_executor_value(executor, weir_graph_output(graph, 0));
        const size_t size = y->count * weir_dtype_size(y->dtype);
        count += memcmp((const char *)found->data + (size_t)f * size, y->data, size) != 0;
        weir_array_free(frame);
    }
    weir_executor_free(executor);
    return count;
}

/* Values of a frame that the watch sees, whose memory may be gone afterwards: a checksum. */
static void add_up(void *user, weir_node node, weir_array *const *outputs) {
    uint64_t *sum = user;
    const uint8_t *bytes = outputs[0]->data;
    const size_t size = outputs[0]->count * weir_dtype_size(outputs[0]->dtype);
    *sum = *sum * 31 + node.id;
    for (size_t i = 0; i < size; i++) *sum = *sum * 31 + bytes[i];
}

/* Where values are passed on every node computes the same, again and again. */
static void check_passing(const weir_graph *graph, const weir_array *x, const char *name) {
    weir_executor *kept = weir_executor_new(graph), *passing = weir_executor_new_passing(graph);
    const weir_value output = weir_graph_output(graph, 0);
    for (int64_t f = 0; f < 3; f++) {
        uint64_t a = 0, b = 0;
        weir_array *frame = weir_executor_frame(graph, x, f);
        assert_true(weir_executor_run_watched(kept, (const weir_array *const[]){frame}, add_up, &a));
        assert_true(weir_executor_run_watched(passing, (const weir_array *const[]){frame}, add_up, &b));
        if (a != b) fail_msg("%s: values that are passed on differ", name);
        const weir_array *y = weir_executor_value(passing, output);
        assert_memory_equal(y->data, weir_executor_value(kept, output)->data, y->count * weir_dtype_size(y->dtype));
        weir_array_free(frame);
    }
    weir_executor_free(passing);
    weir_executor_free(kept);
}

static void check(const weir_graph *graph, const char *name) {
    weir_array *x = random_frames(graph), *found = NULL;
    weir_executor *executor = weir_executor_new(graph);
    assert_non_null(executor);
    /* A first batch of one frame, so that the block grows. */
    weir_array *one = weir_executor_run_all(executor, x, 1, 0), *all = weir_executor_run_all(executor, x, 0, 0);
    assert_memory_equal(one->data, all->data, one->count * weir_dtype_size(one->dtype));
    if (differing(graph, x, all) != 0) fail_msg("%s: blocks differ from frames", name);
    const weir_array *last = weir_executor_value(executor, weir_graph_output(graph, 0));
    const size_t size = last->count * weir_dtype_size(last->dtype);
    assert_memory_equal(last->data, (const char *)all->data + (FRAMES - 1) * size, size);
    for (size_t threads = 1; threads <= 5; threads += 2) {
        assert_true(weir_parallel_run(graph, (const weir_array *const[]){x}, 0, threads, &found));
        assert_true(weir_shape_equal(&found->shape, &all->shape));
        assert_memory_equal(found->data, all->data, all->count * weir_dtype_size(all->dtype));
        weir_array_free(found);
    }
    check_passing(graph, x, name);
    /* The comparison sees one changed frame. */
    ((char *)all->data)[FRAMES / 2 * size] ^= 1;
    assert_int_equal(differing(graph, x, all), 1);
    weir_array_free(all);
    weir_array_free(one);
    weir_array_free(x);
    weir_executor_free(executor);
}

static void blocks_are_frames(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        weir_graph *model = import_model(models[i].folder, models[i].name), *integer = weir_lower_integer(model);
        if (integer == NULL) fail_msg("%s: %s", models[i].name, test_messages.data);
        weir_graph *hardware = realized(integer);
        check(integer, models[i].name);
        check(hardware, models[i].name);
        check(model, models[i].name);
        weir_graph_free(hardware);
        weir_graph_free(integer);
        weir_graph_free(model);
    }
}

static weir_value add(weir_graph *graph, weir_op op, size_t count, const weir_value *inputs) {
    const weir_node node = weir_graph_add_node(graph, op, "n", inputs, count, 1, WEIR_NO_NODE);
    assert_true(weir_infer_node(graph, node));
    return weir_node_output(graph, node, 0);
}

/* Large weights that depend on constants only, before their readers, of which one is far behind, and one as a result:
 * what passes on is made again in each run, and nobody sees it. */
static void large_constants_pass(void **state) {
    (void)state;
    enum { SIZE = 400 };
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {2, {1, SIZE}}, .quant = {.axis = -1}};
    weir_graph *first = weir_graph_new("g");
    weir_array *codes = weir_array_new(WEIR_INT8, &(weir_shape){2, {SIZE, SIZE}});
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &(weir_shape){0, {0}});
    for (size_t i = 0; i < codes->count; i++) weir_array_set_int(codes, i, random_int(-128, 127));
    weir_array_set(scale, 0, 0x1p-8);
    const weir_value x = weir_graph_add_input(first, "x", &type), w = weir_graph_add_constant(first, "w", codes),
                     s = weir_graph_add_constant(first, "s", scale);
    weir_array_free(codes);
    weir_array_free(scale);
    const weir_value real = add(first, WEIR_OP_DEQUANTIZE_LINEAR, 2, (weir_value[]){w, s});
    const weir_value turned = add(first, WEIR_OP_TRANSPOSE, 1, &real), back = add(first, WEIR_OP_NEG, 1, &turned);
    weir_value y = add(first, WEIR_OP_MATMUL, 2, (weir_value[]){x, turned});
    for (int i = 0; i < 3; i++) y = add(first, WEIR_OP_RELU, 1, &y);
    y = add(first, WEIR_OP_MATMUL, 2, (weir_value[]){y, real});
    weir_graph_add_output(first, "y", y);
    weir_graph_add_output(first, "w", back);
    weir_graph *graph = weir_graph_copy(first); /* has the constants still when the other is gone */
    weir_graph_free(first);
    weir_array *data = random_frames(graph);
    check_passing(graph, data, "large constants");
    weir_executor *passing = weir_executor_new_passing(graph);
    weir_array *frame = weir_executor_frame(graph, data, 0);
    for (int run = 0; run < 2; run++) {
        assert_true(weir_executor_run(passing, (const weir_array *const[]){frame}));
        assert_null(weir_executor_value(passing, real)->data);
        assert_non_null(weir_executor_value(passing, back)->data);
    }
    assert_true(weir_executor_reads_last(passing, weir_value_producer(graph, y), real));
    weir_executor_free(passing);
    weir_array_free(frame);
    weir_array_free(data);
    weir_graph_free(graph);
}

/* The first wrong frame is named, whichever thread has it. */
static void errors_name_the_frame(void **state) {
    (void)state;
    const weir_type type = {
        .dtype = WEIR_INT8, .shape = {2, {1, 3}}, .quant = {.axis = -1}, .has_range = true, .low = -8, .high = 7};
    weir_graph *graph = weir_graph_new("g");
    const weir_value x = weir_graph_add_input(graph, "x", &type);
    const weir_node node = weir_graph_add_node(graph, WEIR_OP_IDENTITY, "i", &x, 1, 1, WEIR_NO_NODE);
    assert_true(weir_infer_node(graph, node));
    weir_graph_add_output(graph, "y", weir_node_output(graph, node, 0));
    weir_array *data = weir_array_new(WEIR_INT16, &(weir_shape){2, {9, 3}}), *found = NULL;
    weir_array_set_int(data, 3 * 7 + 1, 300);
    for (size_t threads = 1; threads <= 3; threads++) {
        weir_diag_reset();
        assert_false(weir_parallel_run(graph, (const weir_array *const[]){data}, 0, threads, &found));
        assert_null(found);
        assert_error("input 'x' takes int8 codes, but element 1 of frame 7 is 300");
    }
    weir_array_free(data);
    weir_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(blocks_are_frames), TEST(large_constants_pass),
                                       TEST(errors_name_the_frame)};
    return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
