/* The parameter memories against content written by hand. */
#include "test_passes_support.h"

#include "common/setting_of.h"
#include "dataflow/component.h"
#include "dataflow/cost/contents.h"
#include "dataflow/cost/contents_tables.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"

static weir_value ints(weir_graph *graph, const char *name, int64_t rows, int64_t columns, const int64_t *values) {
    weir_array *array =
        weir_array_new(WEIR_INT64, columns == 0 ? &(weir_shape){1, {rows}} : &(weir_shape){2, {rows, columns}});
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, values[i]);
    weir_value value = weir_graph_add_constant(graph, name, array);
    weir_array_free(array);
    return value;
}

/* Bit `at` of a line of hexadecimal digits. */
static bool bit_of(const char *line, size_t digits, size_t at) {
    const char digit[2] = {line[digits - 1 - at / 4], '\0'};
    return (strtol(digit, NULL, 16) >> at % 4 & 1) != 0;
}

static bool are_equal(const char *content, size_t digits, size_t lines, size_t a, size_t b) {
    bool equal = true;
    for (size_t i = 0; i < lines; i++)
        equal &= bit_of(content + i * (digits + 1), digits, a) == bit_of(content + i * (digits + 1), digits, b);
    return equal;
}

/* Columns of the file that are not constant, and those of them that none before is equal to. */
static weir_contents_columns columns_of(const char *content, size_t width) {
    weir_contents_columns c = {0, 0};
    const size_t digits = strcspn(content, "\n"), lines = strlen(content) / (digits + 1);
    for (size_t at = 0; at < width; at++) {
        size_t ones = 0, same = 0;
        for (size_t i = 0; i < lines; i++) ones += bit_of(content + i * (digits + 1), digits, at);
        if (ones == 0 || ones == lines) continue;
        for (size_t other = 0; other < at; other++) same += are_equal(content, digits, lines, other, at);
        c.varying++;
        c.distinct += same == 0;
    }
    return c;
}

/* In logic and in blocks, where equal ones are counted too. */
static void check_columns(weir_graph *graph, weir_node node, const char *content) {
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    const weir_storage before = hardware->storage;
    for (int block = 0; block < 2; block++) {
        hardware->storage = block != 0 ? WEIR_STORAGE_BLOCK : WEIR_STORAGE_LOGIC;
        weir_memory rom;
        assert_true(weir_memory_get(graph, node, 0, &rom));
        uint8_t *bit = weir_calloc((size_t)(rom.side * rom.width), 1);
        const weir_contents_columns found = weir_contents_count(graph, node, &rom, bit);
        const weir_contents_columns expected = columns_of(content, (size_t)(rom.side * rom.width));
        assert_int_equal(found.varying, expected.varying);
        assert_int_equal(found.distinct, block != 0 ? expected.varying : expected.distinct);
        int64_t varying = 0;
        for (int64_t i = 0; i < rom.side * rom.width; i++) varying += bit[i] == WEIR_CONTENTS_VARIES;
        assert_int_equal(varying, expected.varying);
        free(bit);
    }
    hardware->storage = before;
}

static void check(weir_graph *graph, weir_node node, int64_t lanes, int64_t digit, int64_t simd, int64_t pe,
                  const char *file, const char *content) {
    assert_true(weir_infer_node(graph, node));
    assert_true(weir_component_assign(graph));
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    hardware->out_lanes = lanes;
    if (digit > 0) set_setting(hardware, "digit", digit);
    if (simd > 0) set_setting(hardware, "simd", simd);
    if (pe > 0) set_setting(hardware, "pe", pe);
    weir_memory rom;
    assert_true(weir_memory_get(graph, node, 0, &rom));
    weir_text text = {NULL, 0, 0};
    weir_memory_print(graph, node, &rom, &text);
    assert_string_equal(text.data, content);
    check_columns(graph, node, content);
    char *name = weir_memory_file(graph, node, &rom);
    assert_string_equal(name, file);
    size_t lines = 0, digits = strcspn(content, "\n");
    for (const char *c = content; *c != '\0'; c++) lines += *c == '\n';
    assert_int_equal(rom.depth, lines);
    assert_int_equal((rom.width + 3) / 4, digits);
    free(name);
    weir_text_free(&text);
    weir_graph_free(graph);
}

/* 3 outputs, 3 inputs, SIMD 2, PE 2: groups {0, 1} and {2, none}, beats {0, 1} and {2, none}; 4-bit weights. */
static void weights(void **state) {
    (void)state;
    static const int64_t w[9] = {1, 2, 3, 4, 5, 6, 7, -8, -1};
    weir_graph *graph = weir_graph_new("g");
    weir_value in[2] = {add_codes_input(graph, "x", WEIR_INT8, 1, 3, -128, 127), ints(graph, "w", 3, 3, w)};
    check(graph, put(graph, WEIR_OP_LINEAR, "fc", 2, in), 2, 0, 2, 2, "fc_weights.hex",
          "5421\n"   /* w[1][1] w[1][0] w[0][1] w[0][0] */
          "0603\n"   /* -, w[1][2], -, w[0][2] */
          "0087\n"   /* w[2][1] w[2][0] */
          "000f\n"); /* w[2][2] = -1 */
}

/* Weights of 1 and -1 are their signs, but in pairs: there one above a weight of -1 is less by 1, which no sign
 * tells. */
static void signs(void **state) {
    (void)state;
    static const int64_t w[4] = {1, -1, -1, 1};
    for (int device = 0; device < 2; device++) {
        weir_graph *graph = weir_graph_new("g");
        weir_graph_set_device(graph, device != 0 ? "ecp5-25k" : "", 0);
        weir_value in[2] = {add_codes_input(graph, "x", WEIR_INT16, 1, 2, -4096, 4095), ints(graph, "w", 2, 2, w)};
        check(graph, put(graph, WEIR_OP_LINEAR, "fc", 2, in), 2, 0, 2, 2, "fc_weights.hex", "6\n"); /* + - - + */
    }
}

/* Without their lowest bits 0, -2, 1, -1; in pairs of outputs 1, -3, 3 and -1 - 1 with all bits. */
static void odd_numbers(void **state) {
    (void)state;
    static const int64_t w[4] = {1, -3, 3, -1};
    for (int device = 0; device < 2; device++) {
        weir_graph *graph = weir_graph_new("g");
        weir_graph_set_device(graph, device != 0 ? "ecp5-25k" : "", 0);
        weir_value in[2] = {add_codes_input(graph, "x", WEIR_INT16, 1, 2, -1024, 1023), ints(graph, "w", 2, 2, w)};
        check(graph, put(graph, WEIR_OP_LINEAR, "fc", 2, in), 2, 0, 2, 2, "fc_weights.hex",
              device == 0 ? "d8\n" : "ce9\n");
    }
}

/* Lanes are a part of the channels, or all channels of a part of a row. */
static void lanes(void **state) {
    (void)state;
    static const int64_t of_image[] = {1, 2, 3, 6, 12, 18, 36}, of_row[] = {1, 2, 3, 6};
    weir_graph *graph = weir_graph_new("g");
    weir_type type = {.dtype = WEIR_INT8, .shape = {4, {1, 4, 6, 6}}, .has_range = true, .low = -128, .high = 127};
    const weir_value image = weir_graph_add_input(graph, "image", &type);
    const weir_value row = add_codes_input(graph, "row", WEIR_INT8, 1, 6, -128, 127);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(weir_stream_more_lanes(graph, image, of_image[i]), i < 6 ? of_image[i + 1] : 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(weir_stream_more_lanes(graph, row, of_row[i]), i < 3 ? of_row[i + 1] : 0);
    weir_graph_free(graph);
}

/* Additions above multipliers: M needs 3 bits, A 3 bits, 6 bits a lane, two lanes a word, channel 2 alone. */
static void scales(void **state) {
    (void)state;
    static const int64_t m[3] = {1, 5, 7}, a[3] = {-4, 3, 0};
    weir_graph *graph = weir_graph_new("g");
    weir_value in[3] = {add_codes_input(graph, "x", WEIR_INT8, 1, 3, -128, 127), ints(graph, "m", 3, 0, m),
                        ints(graph, "a", 3, 0, a)};
    weir_node node = put(graph, WEIR_OP_SCALE, "sc", 3, in);
    weir_node_set_int(graph, node, "low", -8);
    weir_node_set_int(graph, node, "high", 7);
    check(graph, node, 2, 3, 0, 0, "sc_scale.hex",
          "761\n"   /* 011 101 100 001 */
          "847\n"); /* 100 001 000 111: the first channel again */
}

/* One parameter for all channels serves every lane of a single word. */
static void one_for_all(void **state) {
    (void)state;
    static const int64_t add = -2;
    weir_graph *graph = weir_graph_new("g");
    weir_value in[2] = {add_codes_input(graph, "x", WEIR_INT8, 1, 6, -128, 127), ints(graph, "a", 1, 0, &add)};
    weir_node node = put(graph, WEIR_OP_CAST_CODES, "c", 2, in);
    weir_node_set_int(graph, node, "low", -8);
    weir_node_set_int(graph, node, "high", 7);
    check(graph, node, 3, 0, 0, 0, "c_add.hex", "2a\n"); /* 10 10 10 */
}

/* 3 thresholds a channel, 2 a cycle: two words a channel; inputs of 4 bits, thresholds of 5 (7 is 'never' in 4 + 1). */
static void thresholds(void **state) {
    (void)state;
    static const int64_t t[6] = {-3, 0, 2, 1, 4, 7};
    weir_graph *graph = weir_graph_new("g");
    weir_value in[2] = {add_codes_input(graph, "x", WEIR_INT8, 1, 2, -8, 7), ints(graph, "t", 2, 3, t)};
    weir_node node = put(graph, WEIR_OP_THRESHOLD, "th", 2, in);
    check(graph, node, 1, 2, 0, 0, "th_thresholds.hex",
          "01d\n"   /* 00000 11101 */
          "1e2\n"   /* 01111 00010 */
          "081\n"   /* 00100 00001 */
          "1e7\n"); /* 01111 00111 */
}

/* Words wider than 64 bits and negative numbers of many bits. */
static void wide_words(void **state) {
    (void)state;
    int64_t w[24];
    for (int64_t i = 0; i < 24; i++) w[i] = i == 23 ? -2048 : i;
    weir_graph *graph = weir_graph_new("g");
    weir_value in[2] = {add_codes_input(graph, "x", WEIR_INT8, 1, 24, -128, 127), ints(graph, "w", 1, 24, w)};
    check(graph, put(graph, WEIR_OP_LINEAR, "fc", 2, in), 1, 0, 8, 1, "fc_weights.hex",
          "007006005004003002001000\n"
          "00f00e00d00c00b00a009008\n"
          "800016015014013012011010\n");
}

static char *file_of(const char *node_name) {
    static const int64_t w[4] = {1, 2, 3, 4};
    weir_graph *graph = weir_graph_new("g");
    weir_value in[2] = {add_codes_input(graph, "x", WEIR_INT8, 1, 2, -128, 127), ints(graph, "w", 2, 2, w)};
    weir_node node = put(graph, WEIR_OP_LINEAR, node_name, 2, in);
    assert_true(weir_infer_node(graph, node));
    assert_true(weir_component_assign(graph));
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    set_setting(hardware, "simd", 1);
    set_setting(hardware, "pe", 1);
    weir_memory rom;
    assert_true(weir_memory_get(graph, node, 0, &rom));
    char *file = weir_memory_file(graph, node, &rom);
    weir_graph_free(graph);
    return file;
}

/* Lookup tables of the columns of a file. */
static weir_contents_tables tables_of(const char *content, int64_t inputs) {
    const size_t digits = strcspn(content, "\n"), lines = strlen(content) / (digits + 1), width = 4 * digits;
    const size_t words = (lines + WEIR_CONTENTS_WORD - 1) / WEIR_CONTENTS_WORD;
    uint64_t *word = weir_calloc(width * words, sizeof *word);
    for (size_t k = 0; k < width * lines; k++) {
        const size_t line = k % lines, at = k / lines;
        word[at * words + line / WEIR_CONTENTS_WORD] |= (uint64_t)bit_of(content + line * (digits + 1), digits, at)
                                                        << line % WEIR_CONTENTS_WORD;
    }
    const weir_contents_tables tables = weir_contents_tables_count(word, width, (int64_t)lines, inputs);
    free(word);
    return tables;
}

static void check_facts(const weir_graph *graph, weir_node node, const weir_contents_known *known,
                        const weir_contents_tables *tables) {
    weir_cost_parameter fact[WEIR_CONTENTS_FACTS];
    const size_t count = weir_contents_add(graph, node, "fc_weights.hex", known, fact, 0);
    assert_in_range(count, 2, WEIR_CONTENTS_FACTS);
    assert_string_equal(fact[count - 2].name, tables == NULL ? "VARYING" : "LEAVES");
    if (tables == NULL) return;
    assert_int_equal(fact[count - 2].value, tables->leaves);
    assert_string_equal(fact[count - 1].name, "CHOICES");
    assert_int_equal(fact[count - 1].value, tables->choices);
}

/* What is said of a ROM in logic with more lines than a lookup table of the target is that of its file; of another one
 * nothing is. */
static void deep_tables(void **state) {
    (void)state;
    enum { LINES = 150 };
    int64_t w[LINES];
    for (int64_t i = 0; i < LINES; i++) w[i] = (i * i * 37 + i / 16 * 5) % 256 - 128;
    weir_graph *graph = weir_graph_new("g");
    weir_graph_set_device(graph, "ice40hx8k", 0);
    const weir_value in[2] = {add_codes_input(graph, "x", WEIR_INT8, 1, 1, -128, 127), ints(graph, "w", LINES, 1, w)};
    const weir_node node = put(graph, WEIR_OP_LINEAR, "fc", 2, in);
    assert_true(weir_infer_node(graph, node));
    assert_true(weir_component_assign(graph));
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    hardware->out_lanes = 1;
    set_setting(hardware, "simd", 1);
    set_setting(hardware, "pe", 1);
    hardware->storage = WEIR_STORAGE_LOGIC;
    weir_memory rom;
    assert_true(weir_memory_get(graph, node, 0, &rom));
    weir_text text = {NULL, 0, 0};
    weir_memory_print(graph, node, &rom, &text);
    const weir_contents_tables tables = tables_of(text.data, 4);
    weir_contents_counted counted = {.facts = NULL};
    const weir_contents_known known = {&counted, 1, 0};
    check_facts(graph, node, NULL, &tables);
    for (int again = 0; again < 2; again++) check_facts(graph, node, &known, &tables);
    hardware->storage = WEIR_STORAGE_BLOCK;
    check_facts(graph, node, &known, NULL);
    weir_text_free(&text);
    weir_contents_forget(&counted);
    weir_graph_free(graph);
}

/* Exporters call values "/model.10/Resize_output_0": no file name has a folder in it, and no two are the same. */
static void file_names(void **state) {
    (void)state;
    char *plain = file_of("a_b"), *folder = file_of("a/b"), *dot = file_of("a.b");
    assert_string_equal(plain, "a_b_weights.hex");
    assert_int_equal(strspn(folder, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(folder) - strlen(".hex"));
    assert_int_equal(strncmp(folder, "a_b_", 4), 0);
    assert_string_not_equal(folder, dot);
    assert_string_not_equal(folder, plain);
    free(plain);
    free(folder);
    free(dot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(weights),     TEST(signs),      TEST(odd_numbers), TEST(lanes),       TEST(scales),
        TEST(one_for_all), TEST(thresholds), TEST(wide_words),  TEST(deep_tables), TEST(file_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
