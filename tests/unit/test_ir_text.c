/* The text form: graphs with every feature print, parse and print the same bytes; every message of the parser once. */
#include "test_passes_support.h"

#include <math.h>

#include "common/text_pair.h"
#include "ir/graph/print.h"
#include "support/file/file.h"

static weir_text print(const weir_graph *graph) {
    weir_text text = {NULL, 0, 0};
    weir_graph_print(graph, &text);
    return text;
}

/* Text and constants through the parser; the parsed graph. */
static weir_graph *again(const weir_graph *graph) {
    weir_text text = print(graph);
    weir_archive archive;
    weir_archive_init(&archive);
    weir_graph_collect(graph, &archive);
    weir_graph *parsed = weir_graph_parse(text.data, text.size, &archive, "t.weir");
    if (parsed == NULL) fail_msg("%s\n%s", test_messages.data, text.data);
    weir_text second = print(parsed);
    assert_string_equal(text.data, second.data);
    weir_archive_free(&archive);
    weir_text_free(&text);
    weir_text_free(&second);
    return parsed;
}

static weir_value codes(weir_graph *g, const char *name) { return add_codes_input(g, name, WEIR_INT8, 1, 4, -8, 7); }

static void names_of_every_kind(void **state) {
    (void)state;
    static const char *const names[] = {
        "plain",       "a/b.c-d",   "a:b",   "a:",       ":a",       "with blank", "quote\"s",
        "back\\slash", "new\nline", "tab\t", "\x01\x7f", "\xc3\xa9", "\xff\xfe",   "input",
        "constant",    "output",    "_",     "%x",       "#no",      "1",          "-1",
        "float",       "weir",      "a=b",   "{",        "]"};
    weir_graph *g = weir_graph_new("the \"graph\"");
    weir_graph_set_source(g, "some file.onnx");
    weir_graph_set_device(g, "my \"own\".yaml", 120);
    weir_graph_set_interval(g, 512);
    weir_value x = codes(g, "x");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        weir_node node = put(g, WEIR_OP_MAXIMUM, names[i], 1, &x);
        assert_true(weir_infer_node(g, node));
        weir_node_set_location(g, node, weir_at(names[i], (int)i));
        weir_graph_add_output(g, names[i], weir_node_output(g, node, 0));
    }
    weir_graph *parsed = again(g);
    assert_string_equal(weir_graph_name(parsed), "the \"graph\"");
    assert_string_equal(weir_graph_source(parsed), "some file.onnx");
    assert_string_equal(weir_graph_device(parsed), "my \"own\".yaml");
    assert_int_equal(weir_graph_clock(parsed), 120);
    assert_int_equal(weir_graph_interval(parsed), 512);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        weir_node node = weir_graph_find_node(parsed, names[i]);
        assert_int_not_equal(node.id, 0);
        assert_string_equal(weir_graph_output_name(parsed, i), names[i]);
        assert_string_equal(weir_node_location(parsed, node).file, names[i]);
    }
    weir_graph_free(parsed);
    weir_graph_free(g);
}

static void attributes_of_every_kind(void **state) {
    (void)state;
    static const int64_t perm[2] = {1, 0};
    static const double offset[4] = {0.1, -0.0, 1e-320, -INFINITY}, values[1] = {1};
    weir_graph *g = weir_graph_new("g");
    weir_value x = codes(g, "x");
    weir_node whole = put(g, WEIR_OP_SUM, "sum", 2, (weir_value[]){x, x});
    weir_node_set_int(g, whole, "ca", INT64_MIN >> 8);
    weir_node real = put(g, WEIR_OP_DECODE, "decode", 1, &x);
    weir_node_set_floats(g, real, "offset", offset, 4);
    weir_node_set_string(g, real, "arithmetic", "quant");
    assert_true(weir_infer_node(g, whole) && weir_infer_node(g, real));
    weir_node alpha = put(g, WEIR_OP_LEAKY_RELU, "alpha", 1, (weir_value[]){weir_node_output(g, real, 0)});
    weir_node_set_float(g, alpha, "alpha", 1.0 / 3);
    weir_node three = put(g, WEIR_OP_ELU, "three", 1, (weir_value[]){weir_node_output(g, real, 0)});
    weir_node_set_float(g, three, "alpha", 3);
    weir_node turned = put(g, WEIR_OP_TRANSPOSE, "turned", 1, &x);
    weir_node_set_ints(g, turned, "perm", perm, 2);
    weir_value scalar = add_constant(g, "scalar", WEIR_FLOAT32, 0, 0, 0, values);
    weir_node point = put(g, WEIR_OP_TRANSPOSE, "point", 1, &scalar);
    weir_node_set_ints(g, point, "perm", perm, 0);
    assert_true(weir_infer_node(g, alpha) && weir_infer_node(g, three) && weir_infer_node(g, turned) &&
                weir_infer_node(g, point));
    weir_graph *parsed = again(g);
    assert_true(weir_node_int(parsed, weir_graph_find_node(parsed, "sum"), "ca", 0) == INT64_MIN >> 8);
    assert_true(weir_node_float(parsed, weir_graph_find_node(parsed, "alpha"), "alpha", 0) == 1.0 / 3);
    const weir_attribute *list = weir_node_attribute(parsed, weir_graph_find_node(parsed, "three"), "alpha");
    assert_int_equal(list->kind, WEIR_ATTRIBUTE_FLOAT);
    list = weir_node_attribute(parsed, weir_graph_find_node(parsed, "point"), "perm");
    assert_true(list->kind == WEIR_ATTRIBUTE_INTS && list->count == 0);
    list = weir_node_attribute(parsed, weir_graph_find_node(parsed, "decode"), "offset");
    for (size_t i = 0; i < 4; i++) assert_true(list->as.floats[i] == offset[i]);
    weir_graph_free(parsed);
    weir_graph_free(g);
}

static void types_of_every_kind(void **state) {
    (void)state;
    static const double scale[4] = {0.1, 1e-30, 3, 7};
    static const int64_t zero[4] = {-1, 0, 5, INT32_MAX};
    weir_graph *g = weir_graph_new("g");
    for (int format = 0; format <= WEIR_FORMAT_TERNARY; format++) {
        const bool real = format == WEIR_FORMAT_FLOAT, scaled = !real && format != WEIR_FORMAT_FIXED;
        for (uint32_t count = 0; count <= 4; count += !scaled ? 5 : count == 0 ? 1 : 3) {
            weir_type type = {.dtype = real ? WEIR_FLOAT16 : WEIR_INT32, .shape = {2, {1, 4}}};
            type.quant =
                (weir_quant){.format = (weir_number_format)format, .axis = count == 4 ? 1 : -1, .count = count};
            if (!real) {
                type.quant.is_signed = format % 2 == 0;
                type.quant.width = 5 + format;
                type.quant.rounding = (weir_rounding)(format % WEIR_ROUND_COUNT);
                type.quant.saturation = (weir_saturation)(format % 2);
                type.quant.frac = format == WEIR_FORMAT_FIXED ? -3 : 0;
                type.quant.scale = count > 0 ? scale : NULL;
                type.quant.zero_point = count > 0 && format % 2 == 1 ? zero : NULL;
            }
            type.has_range = !real && format % 2 == 0;
            type.low = -1;
            type.high = 1;
            weir_value value = weir_graph_add_input(g, "x", &type);
            assert_true(weir_type_equal(weir_value_type(g, value), &type));
        }
    }
    const weir_quant plain = {.format = WEIR_FORMAT_INTEGER, .width = 8, .axis = -1};
    weir_type scalar = {.dtype = WEIR_BOOL, .quant = plain}, deep = {.dtype = WEIR_UINT64, .quant = plain};
    deep.quant.width = 64;
    deep.shape = (weir_shape){8, {1, 2, 3, 1, 0, 1, 1, 2}};
    weir_graph_add_input(g, "scalar", &scalar);
    weir_graph_add_input(g, "deep", &deep);
    weir_graph *parsed = again(g);
    for (size_t i = 0; i < weir_graph_input_count(g); i++)
        assert_true(weir_type_equal(weir_value_type(g, weir_graph_input(g, i)),
                                    weir_value_type(parsed, weir_graph_input(parsed, i))));
    weir_graph_free(parsed);
    weir_graph_free(g);
}

static void facts_of_nodes(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = codes(g, "x");
    weir_node node = put(g, WEIR_OP_MAXIMUM, "n", 1, &x), other = put(g, WEIR_OP_MAXIMUM, "m", 1, &x);
    assert_true(weir_infer_node(g, node) && weir_infer_node(g, other));
    weir_metadata *metadata = weir_node_metadata(g, node);
    assert_null(weir_metadata_facts_of(metadata, WEIR_META_SOFTWARE));
    json_object_set_new(weir_metadata_facts(metadata, WEIR_META_SOFTWARE), "args",
                        json_pack("{s:[f,f], s:s, s:n}", "data_in_0", 0.1, 1e-300, "text", "\xc3\xa9\n\"}", "none"));
    weir_metadata_facts(metadata, WEIR_META_HARDWARE);
    weir_graph *parsed = again(g), *copy = weir_graph_copy(parsed);
    weir_graph_free(parsed);
    const weir_metadata *found = weir_node_metadata_of(copy, weir_graph_find_node(copy, "n"));
    assert_true(json_equal(found->facts, metadata->facts));
    assert_null(weir_node_metadata_of(copy, weir_graph_find_node(copy, "m"))->facts);
    weir_graph_remove_node(copy, weir_graph_find_node(copy, "n"));
    weir_graph_free(copy);
    weir_graph_free(g);
}

static void metadata_and_constants(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = codes(g, "x");
    static const double values[4] = {1, -2, 3.5, 1e10};
    for (int dtype = 0; dtype < WEIR_DTYPE_COUNT; dtype++) add_constant(g, "c", (weir_dtype)dtype, 2, 2, 2, values);
    weir_node node = put(g, WEIR_OP_FORK, "fork", 1, &x);
    assert_true(weir_infer_node(g, node));
    weir_metadata *metadata = weir_node_metadata(g, node);
    metadata->common = (weir_meta_common){"special", WEIR_MASE_PLACEHOLDER, INT32_MAX};
    metadata->software = (weir_meta_software){UINT32_MAX, -0.1, 1e300};
    metadata->hardware = (weir_meta_hardware){.assigned = true,
                                              .module = "weir_fork",
                                              .in_lanes = 3,
                                              .out_lanes = 3,
                                              .frames = 9,
                                              .interval = INT64_MAX,
                                              .storage = WEIR_STORAGE_BLOCK};
    weir_settings *settings = &metadata->hardware.settings;
    weir_settings_set(settings, "units", WEIR_SETTINGS_BEFORE_LANES, INT64_MAX);
    weir_settings_set(settings, "unset", WEIR_SETTINGS_AFTER_LANES, 0);
    weir_settings_set(settings, "stall_2", WEIR_SETTINGS_AFTER_LANES, 17);
    weir_settings_set(settings, "depth", WEIR_SETTINGS_AFTER_LANES, 6);
    weir_settings_set(settings, "products", WEIR_SETTINGS_STORAGE, WEIR_STORAGE_LOGIC);
    weir_value forked = weir_node_output(g, node, 0);
    weir_node host = put(g, WEIR_OP_MAXIMUM, "host", 1, &forked), named = put(g, WEIR_OP_RELABEL, "named", 1, &forked);
    weir_value_set_type(g, weir_node_output(g, named, 0), weir_value_type(g, forked));
    assert_true(weir_infer_node(g, host) && weir_infer_node(g, named));
    weir_node_metadata(g, host)->hardware.assigned = true;
    weir_node_metadata(g, host)->common.group = 7;
    weir_node_metadata(g, named)->hardware = (weir_meta_hardware){.assigned = true, .is_implicit = true};
    weir_value linear = ADD(g, WEIR_OP_LINEAR, "fc", x, add_constant(g, "w", WEIR_INT8, 2, 1, 4, values));
    weir_node_metadata(g, weir_value_producer(g, linear))->hardware =
        (weir_meta_hardware){true, false, "weir_mvu", {.count = 0}, 2, 1, 0, 2, 4, WEIR_STORAGE_LOGIC, WEIR_HOST_TAIL};
    weir_graph *parsed = again(g);
    const weir_metadata *found = weir_node_metadata_of(parsed, weir_graph_find_node(parsed, "fork"));
    assert_int_equal(found->common.mase_type, WEIR_MASE_PLACEHOLDER);
    assert_string_equal(found->common.mase_op, "special");
    assert_int_equal(found->common.group, INT32_MAX);
    assert_true(found->hardware.interval == INT64_MAX);
    assert_true(weir_settings_get(&found->hardware.settings, "units") == INT64_MAX);
    assert_int_equal(weir_settings_get(&found->hardware.settings, "stall_2"), 17);
    assert_int_equal(weir_settings_get(&found->hardware.settings, "depth"), 6);
    assert_int_equal(weir_settings_get(&found->hardware.settings, "products"), WEIR_STORAGE_LOGIC);
    assert_int_equal(found->hardware.settings.count, 4);
    assert_int_equal(found->hardware.frames, 9);
    assert_int_equal(found->hardware.storage, WEIR_STORAGE_BLOCK);
    assert_true(weir_node_metadata_of(parsed, weir_graph_find_node(parsed, "named"))->hardware.is_implicit);
    found = weir_node_metadata_of(parsed, weir_graph_find_node(parsed, "fc"));
    assert_int_equal(found->hardware.settings.count, 0);
    assert_int_equal(found->hardware.in_lanes, 2);
    assert_int_equal(found->hardware.operations, 4);
    assert_int_equal(found->hardware.host, WEIR_HOST_TAIL);
    found = weir_node_metadata_of(parsed, weir_graph_find_node(parsed, "host"));
    assert_int_equal(found->common.group, 7);
    assert_true(found->hardware.assigned);
    assert_null(found->hardware.module);
    for (uint32_t id = 1; id < weir_graph_value_limit(g); id++) {
        const weir_array *array = weir_value_constant(g, (weir_value){id});
        if (array == NULL) continue;
        weir_value same = weir_graph_find_value(parsed, weir_value_name(g, (weir_value){id}));
        assert_true(weir_array_equal(array, weir_value_constant(parsed, same)));
    }
    weir_graph_free(parsed);
    weir_graph_free(g);
}

static void files_keep_graphs(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    static const double values[2] = {1, -2};
    weir_value y = ADD(g, WEIR_OP_LINEAR, "fc", add_codes_input(g, "x", WEIR_INT8, 1, 2, -8, 7),
                       add_constant(g, "w", WEIR_INT8, 2, 1, 2, values));
    weir_graph_add_output(g, "y", y);
    assert_true(weir_graph_save(g, "test_ir_text.weir"));
    weir_graph *loaded = weir_graph_load("test_ir_text.weir");
    assert_non_null(loaded);
    weir_text a = print(g), b = print(loaded);
    assert_string_equal(a.data, b.data);
    weir_text_free(&a);
    weir_text_free(&b);
    weir_graph_free(loaded);
    weir_graph_free(g);
    assert_null(weir_graph_load("no_such_file.weir"));
}

/* --- errors --- */
#define HEAD "weir 1\ngraph \"g\" from \"\"\ninput %x : int8[1,4] integer s4 range=[-8,7]\n" /* next: line 4 */
#define NODE "n: %y = weir.Maximum(%x)"
#define TYPE "\n    : int8[1,4] integer s4\n"

static const text_pair cases[] = {
    {"", "t.weir:1: error: expected 'weir 1', the start of a graph's text form, found the end of the text"},
    {"wier 1\n", "t.weir:1: error: expected 'weir 1', the start of a graph's text form, found 'w'"},
    {"weir 2\n", "t.weir:1: error: expected a number from 1 to 1 before this, found"},
    {"weir 1\n# comment\ngrph", "t.weir:3: error: expected 'graph \"name\"', found 'g'"},
    {"weir 1\ngraph \"g\" to", "t.weir:2: error: expected 'from \"file\"', found 't'"},
    {"weir 1\ngraph \"g", "t.weir:2: error: expected '\"', found the end of the text"},
    {"weir 1\ngraph \"g\\", "t.weir:2: error: expected an escape, found the end of the text"},
    {"weir 1\ngraph \"\\q\" ", "t.weir:2: error: expected one of the escapes \\n \\r \\t \\b \\f \\\" \\\\ \\u00XX"},
    {"weir 1\ngraph \"\\u0100\" ", "t.weir:2: error: expected one of the escapes"},
    {"weir 1\ngraph \"\\u0000\" ", "t.weir:2: error: expected no zero byte in a name"},
    {HEAD "output y = %x extra\n", "t.weir:4: error: expected the end of the line, found 'e'"},
    {HEAD "input % : int8[1]\n", "t.weir:4: error: expected a name, found ':'"},
    {HEAD "input %x : int8[1]\n", "t.weir:4: error: more than one value is called 'x'"},
    {HEAD "input %z : int7[1]\n", "t.weir:4: error: expected an element type such as float32 or int8, found 'i'"},
    {HEAD "input %z : int8(1)\n", "t.weir:4: error: expected '[', found '('"},
    {HEAD "input %z : int8[a]\n", "t.weir:4: error: expected an integer, found 'a'"},
    {HEAD "input %z : int8[9223372036854775808]\n", "t.weir:4: error: expected a 64-bit integer, found '9'"},
    {HEAD "input %z : int8[1,1,1,1,1,1,1,1,1]\n", "t.weir:4: error: expected at most 8 dimensions, found '1'"},
    {HEAD "input %z : int8[-1]\n",
     "t.weir:4: error: expected a shape whose size fits the memory before this, found ']'"},
    {HEAD "input %z : int8[9999999999,9999999999]\n", "t.weir:4: error: expected a shape whose size fits the memory"},
    {HEAD "input %z : int8[1] whole s4\n", "t.weir:4: error: unknown number format 'whole'"},
    {HEAD "input %z : int8[1] integer x4\n", "t.weir:4: error: expected 'u', found 'x'"},
    {HEAD "input %z : int8[1] integer s65\n", "t.weir:4: error: expected a number from 1 to 64 before this"},
    {HEAD "input %z : int8[1] fixed s4 frac=2000\n",
     "t.weir:4: error: expected a number from -1024 to 1024 before this"},
    {HEAD "input %z : int8[1] integer s4 round=up\n", "t.weir:4: error: unknown rounding 'up'"},
    {HEAD "input %z : int8[1] integer s4 saturation=no\n", "t.weir:4: error: unknown saturation 'no'"},
    {HEAD "input %z : int8[1] integer s4 axis=8\n", "t.weir:4: error: expected a number from -1 to 7 before this"},
    {HEAD "input %z : int8[1] integer s4 scale=x\n", "t.weir:4: error: expected a number, found 'x'"},
    {HEAD "input %z : int8[1] integer s4 axis=0 scale=@\n", "t.weir:4: error: the archive has no array 'z.scale'"},
    {HEAD "input %q : int8[2] integer s4 axis=0 scale=@\n",
     "t.weir:4: error: the archive has the wrong type for 'q.scale'"},
    {HEAD "input %p : int8[2] integer s4 axis=0 scale=@ zero=@\n",
     "t.weir:4: error: scales and zero points differ in number for 'p'"},
    {HEAD "input %z : int8[1] integer s4 range=[1;2]\n", "t.weir:4: error: expected ',', found ';'"},
    {HEAD "constant %z : int8[1]\n", "t.weir:4: error: the archive has no array 'z'"},
    {HEAD "constant %w : int8[3]\n", "t.weir:4: error: the archive has another type or shape for 'w'"},
    {HEAD "constant %w : int8[2] integer s8 range=[0,4]\n",
     "t.weir:4: error: value 'w': its data is in [5,5], outside [0,4]"},
    {HEAD "output y = %nobody\n", "t.weir:4: error: no value is called 'nobody'"},
    {HEAD "output y = %x\noutput y = %x\n", "t.weir:5: error: more than one output is called 'y'"},
    {HEAD "output y = _\n", "t.weir:4: error: expected a value, found"},
    {HEAD "n %y = weir.Maximum(%x)" TYPE, "t.weir:4: error: expected ':', found '%'"},
    {HEAD "n: %y = weir.Maximal(%x)" TYPE, "t.weir:4: error: unknown operator 'weir.Maximal'"},
    {HEAD NODE TYPE "n: %z = weir.Maximum(%x)" TYPE, "t.weir:6: error: more than one node is called 'n'"},
    {HEAD "n: %y, %y = weir.Fork(%x)" TYPE, "t.weir:4: error: more than one value is called 'y'"},
    {HEAD NODE " {a = 1, a = 2}" TYPE, "t.weir:4: error: more than one attribute is called 'a'"},
    {HEAD NODE " {a = [1, x]}" TYPE, "t.weir:4: error: expected an integer, found 'x'"},
    {HEAD NODE " {a = float [x]}" TYPE, "t.weir:4: error: expected a number, found 'x'"},
    {HEAD NODE " at \"f\":-1" TYPE, "t.weir:4: error: expected a number from 0 to 2147483647 before this"},
    {HEAD NODE " common{op=x}" TYPE, "t.weir:4: error: expected type= or group=, found 'o'"},
    {HEAD NODE " common{group=0}" TYPE,
     "t.weir:4: error: expected a number from 1 to 2147483647 before this, found '}'"},
    {HEAD NODE " common{type=sort op=x}" TYPE, "t.weir:4: error: unknown MASE type 'sort'"},
    {HEAD NODE " common{type=output at=x}" TYPE, "t.weir:4: error: expected op=, found 'a'"},
    {HEAD NODE " software{min=1}" TYPE, "t.weir:4: error: expected count=, found 'm'"},
    {HEAD NODE " software{count=1 max=1}" TYPE, "t.weir:4: error: expected min=, found 'm'"},
    {HEAD NODE " software{count=1 min=1 mix=1}" TYPE, "t.weir:4: error: expected max=, found 'm'"},
    {HEAD NODE " hardware{simd=1}" TYPE, "t.weir:4: error: expected module=, found 's'"},
    {HEAD NODE " hardware{module=m storage=disk}" TYPE, "t.weir:4: error: unknown storage 'disk'"},
    {HEAD NODE " facts {\"tools\":{}}" TYPE, "t.weir:4: error: expected facts as JSON: {\"common\": {...}"},
    {HEAD NODE " facts {\"common\":1}" TYPE, "t.weir:4: error: expected facts as JSON: {\"common\": {...}"},
    {HEAD NODE " facts {\"common\":{}" TYPE, "t.weir:4: error: expected facts as JSON: {\"common\": {...}"},
    {HEAD NODE " hardware{module=m Speed=9}" TYPE, "t.weir:4: error: expected '}', found 'S'"},
    {HEAD NODE " hardware{module=m speed=fast}" TYPE, "t.weir:4: error: expected an integer, found 'f'"},
    {HEAD NODE " hardware{module=m speed=9 in_lanes=1 speed=9}" TYPE,
     "t.weir:4: error: more than one setting is called 'speed'"},
    {HEAD NODE " hardware{module=m in_lanes=1 in_lanes=1}" TYPE, "t.weir:4: error: expected '}', found 'i'"},
    {HEAD NODE " hardware{module=m a=1 b=1 c=1 d=1 e=1 f=1 g=1}" TYPE, "t.weir:4: error: a setting too many: 'g'"},
    {HEAD NODE " hardware{module=m storage=block where=9}" TYPE, "t.weir:4: error: unknown storage '9'"},
    {HEAD "n: %y = weir.Sum(%x)" TYPE, "error: node 'n': weir.Sum takes 2 inputs, found 1"}, /* the verifier */
};

static void fill_archive(weir_archive *archive) {
    static const struct {
        const char *name;
        weir_dtype dtype;
        int64_t count;
    } arrays[] = {{"w", WEIR_INT8, 2},
                  {"q.scale", WEIR_FLOAT32, 2},
                  {"p.scale", WEIR_FLOAT64, 2},
                  {"p.zero_point", WEIR_INT64, 3}};
    weir_archive_init(archive);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        weir_array *array = weir_array_new(arrays[i].dtype, &(weir_shape){1, {arrays[i].count}});
        for (size_t k = 0; k < array->count; k++) weir_array_set(array, k, 5);
        weir_archive_add(archive, arrays[i].name, array);
    }
}

static void messages_of_the_parser(void **state) {
    (void)state;
    weir_archive archive;
    fill_archive(&archive);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        assert_null(weir_graph_parse(cases[i].text, strlen(cases[i].text), &archive, "t.weir"));
        assert_error(cases[i].expected);
    }
    weir_archive_free(&archive);
}

/* No count of outputs is too large. */
static void many_outputs(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = codes(g, "x");
    weir_node node = weir_graph_add_node(g, WEIR_OP_FORK, "fork", &x, 1, 1000, WEIR_NO_NODE);
    assert_true(weir_infer_node(g, node));
    weir_graph *parsed = again(g);
    assert_int_equal(weir_node_output_count(parsed, weir_graph_find_node(parsed, "fork")), 1000);
    weir_graph_free(parsed);
    weir_graph_free(g);
}

/* "?" leaves the types of a node to inference, whose complaints stand at the line of the text. */
static void types_left_open(void **state) {
    (void)state;
    weir_archive archive;
    weir_archive_init(&archive);
    static const char good[] = HEAD "r: %r = Relu(%x)\n    : ?\ns: %a, %b = Split(%r) {axis = 1}\n    : ?\n    , ?\n";
    weir_graph *graph = weir_graph_parse(good, sizeof good - 1, &archive, "t.weir");
    if (graph == NULL) fail_msg("%s", test_messages.data);
    weir_text printed = {0};
    weir_type_print(weir_value_type(graph, weir_graph_find_value(graph, "b")), &printed);
    assert_string_equal(printed.data, "int8[1,2] integer s4 range=[0,7]");
    weir_text_free(&printed);
    weir_graph_free(graph);
    static const char bad[] = HEAD "r: %r = Relu(%x)\n    : ?\nm: %m = MatMul(%r, %r) at \"m.onnx\":9\n    : ?\n";
    test_setup(NULL);
    assert_null(weir_graph_parse(bad, sizeof bad - 1, &archive, "t.weir"));
    assert_error("t.weir:6: error: node 'm' (MatMul): matrix product: shapes [1,4] and [1,4] do not fit");
    static const char empty[] = "weir 1\ngraph \"g\" from \"g\"\ninput %x : int8[1,4] integer s4 range=[5,3]\n"
                                "m: %m = weir.Maximum(%x)\n    : ?\noutput y = %m\n";
    test_setup(NULL);
    assert_null(weir_graph_parse(empty, sizeof empty - 1, &archive, "t.weir"));
    assert_error("t.weir:3: error: value 'x': the range is empty: low 5, high 3");
}

/* What may stand in a text although the printer does not write it. */
static void freedom_of_form(void **state) {
    (void)state;
    static const char text[] =
        "# first\n\nweir 1\ngraph  \"g\"   from \"\"\r\n# a comment\n\ninput %\"x\" : int8[1,4] integer s8 # last\n"
        "n: %y=weir.Maximum( %x )\n  # between\n\n  : uint8[1,4] integer u7 range=[0,127]\noutput y = %y";
    weir_archive archive;
    weir_archive_init(&archive);
    weir_graph *graph = weir_graph_parse(text, sizeof text - 1, &archive, "t.weir");
    if (graph == NULL) fail_msg("%s", test_messages.data);
    assert_int_equal(weir_graph_node_count(graph), 1);
    weir_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(names_of_every_kind),    TEST(attributes_of_every_kind),
        TEST(types_of_every_kind),    TEST(facts_of_nodes),
        TEST(metadata_and_constants), TEST(files_keep_graphs),
        TEST(messages_of_the_parser), TEST(many_outputs),
        TEST(types_left_open),        TEST(freedom_of_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
