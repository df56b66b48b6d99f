/* The verifier: each planted fault is found and named; a large sound design passes quickly. */
#include "test_rtlir_support.h"

typedef struct bench {
    weir_rtl_design *design;
    weir_rtl_module link, top;
    weir_rtl_var clk, rst, valid, data, out_valid, out_data;
} bench;

static bench make_bench(weir_rtl_design *design) {
    bench b = {.design = design};
    char *path = data_path("link.v");
    b.link = weir_rtl_read_module(design, path);
    free(path);
    weir_rtl_set_location(design, weir_at("model.onnx", 3));
    b.top = weir_rtl_add_module(design, "top");
    b.clk = weir_rtl_add_clock(design, b.top, "clk");
    b.rst = weir_rtl_add_reset(design, b.top, "rst");
    b.valid = weir_rtl_add_input(design, b.top, "s_valid", 1);
    b.data = weir_rtl_add_input(design, b.top, "s_data", 8);
    b.out_valid = weir_rtl_add_output(design, b.top, "m_valid", 1);
    b.out_data = weir_rtl_add_output(design, b.top, "m_data", 8);
    return b;
}

static weir_rtl_instance add_link(bench *b, const char *name) {
    weir_rtl_instance u = weir_rtl_add_instance(b->design, b->top, b->link, name);
    weir_rtl_connect(b->design, u, "clk", weir_rtl_read(b->design, b->clk));
    weir_rtl_connect(b->design, u, "rst", weir_rtl_read(b->design, b->rst));
    return u;
}

static void connect_link(bench *b, weir_rtl_instance u, weir_rtl_expr s_valid, weir_rtl_expr s_data,
                         weir_rtl_expr m_valid, weir_rtl_expr m_data) {
    weir_rtl_connect(b->design, u, "s_valid", s_valid);
    weir_rtl_connect(b->design, u, "s_data", s_data);
    weir_rtl_connect(b->design, u, "m_valid", m_valid);
    weir_rtl_connect(b->design, u, "m_data", m_data);
}

static weir_rtl_instance add_whole_link(bench *b, const char *name) {
    weir_rtl_design *d = b->design;
    weir_rtl_instance u = add_link(b, name);
    connect_link(b, u, weir_rtl_read(d, b->valid), weir_rtl_read(d, b->data), weir_rtl_read(d, b->out_valid),
                 weir_rtl_read(d, b->out_data));
    return u;
}

static void sound_design_passes(void **state) {
    bench b = make_bench(*state);
    weir_rtl_instance u = add_whole_link(&b, "u_link");
    weir_rtl_set_parameter(b.design, u, "WIDTH", 8);
    assert_true(weir_rtl_verify(b.design, b.top));
    ASSERT_MESSAGES("");
}

static void unconnected_input_is_found(void **state) {
    bench b = make_bench(*state);
    weir_rtl_instance u = add_link(&b, "u_link");
    weir_rtl_connect(b.design, u, "s_valid", weir_rtl_read(b.design, b.valid));
    weir_rtl_connect(b.design, u, "m_data", weir_rtl_read(b.design, b.out_data));
    weir_rtl_assign(b.design, b.top, weir_rtl_read(b.design, b.out_valid), weir_rtl_constant(b.design, 1, 1));
    assert_false(weir_rtl_verify(b.design, b.top));
    ASSERT_MESSAGES("model.onnx:3: error: input 's_data' of instance 'u_link' (module 'link') is not connected\n"
                    "model.onnx:3: error: output 'm_valid' of instance 'u_link' (module 'link') is not connected and "
                    "not left open\n");
}

static void width_mismatch_is_found_under_overrides(void **state) {
    bench b = make_bench(*state);
    weir_rtl_instance u = add_whole_link(&b, "u_link");
    weir_rtl_set_parameter(b.design, u, "WIDTH", 9);
    assert_false(weir_rtl_verify(b.design, b.top));
    ASSERT_MESSAGES("model.onnx:3: error: port 's_data' of instance 'u_link' (module 'link') has 9 bits and is "
                    "connected to 's_data', which has 8\n"
                    "model.onnx:3: error: port 'm_data' of instance 'u_link' (module 'link') has 9 bits and is "
                    "connected to 'm_data', which has 8\n");
}

static void two_drivers_are_found_by_bit(void **state) {
    bench b = make_bench(*state);
    weir_rtl_design *d = b.design;
    add_whole_link(&b, "u_first");
    weir_rtl_assign(d, b.top, weir_rtl_slice(d, weir_rtl_read(d, b.out_data), 6, 5), weir_rtl_constant(d, 2, 1));
    weir_rtl_instance second = add_link(&b, "u_second");
    weir_rtl_var valid = weir_rtl_add_wire(d, b.top, "second_valid", 1);
    connect_link(&b, second, weir_rtl_read(d, b.valid), weir_rtl_read(d, b.data), weir_rtl_read(d, valid),
                 weir_rtl_read(d, b.out_data));
    assert_false(weir_rtl_verify(d, b.top));
    ASSERT_MESSAGES("model.onnx:3: error: 'm_data[6:5]' in module 'top' has two drivers: instance 'u_first' and an "
                    "assignment\n"
                    "model.onnx:3: error: 'm_data[7:0]' in module 'top' has two drivers: instance 'u_first' and "
                    "instance 'u_second'\n");
}

static void undriven_bits_are_found(void **state) {
    bench b = make_bench(*state);
    weir_rtl_design *d = b.design;
    weir_rtl_var half = weir_rtl_add_wire(d, b.top, "half", 8);
    weir_rtl_expr read = weir_rtl_read(d, half);
    weir_rtl_assign(d, b.top, weir_rtl_slice(d, read, 3, 0), weir_rtl_constant(d, 4, 9));
    weir_rtl_instance u = add_link(&b, "u_link");
    weir_rtl_connect(d, u, "s_valid", weir_rtl_bit(d, read, 3));
    weir_rtl_connect(d, u, "s_data", read);
    weir_rtl_leave_open(d, u, "m_valid");
    weir_rtl_connect(d, u, "m_data", weir_rtl_read(d, b.out_data));
    assert_false(weir_rtl_verify(d, b.top));
    ASSERT_MESSAGES("model.onnx:3: error: output 'm_valid' of module 'top' has no driver\n"
                    "model.onnx:3: error: 'half[7:4]' in module 'top' has no driver and is read by input 's_data' of "
                    "instance 'u_link'\n");
}

static void unknown_names_suggest_the_nearest(void **state) {
    bench b = make_bench(*state);
    weir_rtl_instance u = add_whole_link(&b, "u_link");
    weir_rtl_connect(b.design, u, "s_dtaa", weir_rtl_read(b.design, b.data));
    weir_rtl_set_parameter(b.design, u, "WIDHT", 3);
    weir_rtl_set_parameter(b.design, u, "INIT", 3);
    weir_rtl_set_parameter_string(b.design, u, "WIDTH", "8");
    weir_rtl_connect(b.design, u, "s_data", weir_rtl_read(b.design, b.data));
    ASSERT_MESSAGES("model.onnx:3: error: module 'link' of instance 'u_link' has no port 's_dtaa'\n"
                    "note: did you mean 's_data'?\n"
                    "model.onnx:3: error: module 'link' of instance 'u_link' has no parameter 'WIDHT'\n"
                    "note: did you mean 'WIDTH'?\n"
                    "model.onnx:3: error: parameter 'INIT' of instance 'u_link' (module 'link') is a string, found a "
                    "number\n"
                    "model.onnx:3: error: parameter 'WIDTH' of instance 'u_link' (module 'link') is a number, found a "
                    "string\n"
                    "model.onnx:3: error: port 's_data' of instance 'u_link' is connected twice\n");
    assert_false(weir_rtl_verify(b.design, b.top));
}

static void clocks_and_directions_are_kept_apart(void **state) {
    bench b = make_bench(*state);
    weir_rtl_design *d = b.design;
    weir_rtl_instance u = weir_rtl_add_instance(d, b.top, b.link, "u_link");
    weir_rtl_connect(d, u, "clk", weir_rtl_read(d, b.valid));
    weir_rtl_connect(d, u, "m_data", weir_rtl_read(d, b.data));
    weir_rtl_leave_open(d, u, "s_data");
    ASSERT_MESSAGES("model.onnx:3: error: port 'clk' of instance 'u_link' is a clock, found 's_valid', which is data\n"
                    "model.onnx:3: error: output 'm_data' of instance 'u_link' cannot drive 's_data'\n"
                    "model.onnx:3: error: input 's_data' of instance 'u_link' cannot be left open\n");
    weir_rtl_connect(d, u, "clk", weir_rtl_as(d, weir_rtl_read(d, b.valid), WEIR_RTL_CLOCK));
    weir_rtl_connect(d, u, "rst", weir_rtl_constant(d, 1, 0));
    ASSERT_MESSAGES("");
}

static void modules_that_contain_themselves_are_found(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module a = weir_rtl_add_module(d, "a");
    weir_rtl_module b = weir_rtl_add_module(d, "b");
    weir_rtl_module c = weir_rtl_add_module(d, "c");
    weir_rtl_add_instance(d, a, b, "u_b");
    weir_rtl_add_instance(d, b, c, "u_c");
    assert_module_at(d, a, WEIR_RTL_CHILDREN_FIRST, 3, 0, c);
    assert_module_at(d, a, WEIR_RTL_CHILDREN_FIRST, 3, 2, a);
    weir_rtl_add_instance(d, c, b, "u_b");
    assert_false(weir_rtl_verify(d, a));
    ASSERT_MESSAGES("error: module 'b' contains itself through instance 'u_b' of module 'c'\n"
                    "note: 'b' has instance 'u_c' of 'c'\n");
}

static void processes_drive_their_registers_often(void **state) {
    bench b = make_bench(*state);
    weir_rtl_design *d = b.design;
    weir_rtl_expr data = weir_rtl_read(d, b.data);
    weir_rtl_expr out = weir_rtl_read(d, b.out_data);
    weir_rtl_block initial = weir_rtl_add_initial(d, b.top);
    weir_rtl_set(d, initial, out, weir_rtl_constant(d, 8, 0));
    weir_rtl_block always = weir_rtl_add_always(d, b.top, WEIR_RTL_POSEDGE, b.clk);
    weir_rtl_stmt branch = weir_rtl_add_if(d, always, weir_rtl_read(d, b.rst));
    weir_rtl_set_next(d, weir_rtl_then(d, branch), out, weir_rtl_constant(d, 8, 0));
    weir_rtl_stmt inner = weir_rtl_add_if(d, weir_rtl_else(d, branch), weir_rtl_bit(d, data, 0));
    weir_rtl_set_next(d, weir_rtl_else(d, inner), out, data);
    weir_rtl_assign(d, b.top, weir_rtl_read(d, b.out_valid), weir_rtl_read(d, b.valid));
    assert_true(weir_rtl_verify(d, b.top));
    weir_rtl_block other = weir_rtl_add_combinational(d, b.top);
    weir_rtl_expr floating = weir_rtl_read(d, weir_rtl_add_wire(d, b.top, "floating", 1));
    weir_rtl_stmt deep = weir_rtl_add_if(d, other, weir_rtl_read(d, b.valid));
    weir_rtl_stmt deeper = weir_rtl_add_if(d, weir_rtl_else(d, deep), floating);
    weir_rtl_set(d, weir_rtl_then(d, deeper), weir_rtl_bit(d, out, 7), weir_rtl_constant(d, 1, 1));
    assert_false(weir_rtl_verify(d, b.top));
    ASSERT_MESSAGES("model.onnx:3: error: 'm_data[7]' in module 'top' has two drivers: an always block and an always "
                    "block\n"
                    "model.onnx:3: error: 'floating' in module 'top' has no driver and is read by an always block\n");
}

/* Without deep recursion: a chain of links under a chain of modules, each as long as a large network's. */
static void large_designs_verify_and_print(void **state) {
    enum { LINKS = 10000, LEVELS = 20000 };
    bench b = make_bench(*state);
    weir_rtl_design *d = b.design;
    weir_rtl_expr valid = weir_rtl_read(d, b.valid);
    weir_rtl_expr data = weir_rtl_read(d, b.data);
    for (int i = 0; i < LINKS; i++) {
        bool last = i + 1 == LINKS;
        weir_rtl_expr next_valid = weir_rtl_read(
            d, last ? b.out_valid : weir_rtl_add_wire(d, b.top, weir_rtl_free_name(d, b.top, "link_valid"), 1));
        weir_rtl_expr next_data = weir_rtl_read(
            d, last ? b.out_data : weir_rtl_add_wire(d, b.top, weir_rtl_free_name(d, b.top, "link_data"), 8));
        weir_rtl_instance u = add_link(&b, weir_rtl_free_name(d, b.top, "u_link"));
        weir_rtl_set_parameter(d, u, "WIDTH", 8);
        weir_rtl_set_parameter_string(d, u, "INIT", "link.hex");
        connect_link(&b, u, valid, data, next_valid, next_data);
        valid = next_valid;
        data = next_data;
    }
    weir_rtl_module inner = b.top;
    for (int i = 0; i < LEVELS; i++) {
        weir_rtl_module outer = weir_rtl_add_module(d, weir_rtl_free_module_name(d, "level"));
        weir_rtl_instance u = weir_rtl_add_instance(d, outer, inner, "u_inner");
        for (size_t p = 0; p < 6; p++) {
            weir_rtl_var_info port = weir_rtl_get_var(d, weir_rtl_port_at(d, inner, p));
            weir_rtl_var own =
                weir_rtl_add_port(d, outer, port.name, port.width, port.direction, port.kind, port.is_signed);
            weir_rtl_connect(d, u, port.name, weir_rtl_read(d, own));
        }
        inner = outer;
    }
    assert_true(weir_rtl_verify(d, inner));
    weir_text text = {0};
    weir_rtl_print_verilog(d, b.top, &text);
    int printed = 0;
    for (const char *at = text.data; (at = strstr(at, " u_link")) != NULL; at++) printed++;
    assert_int_equal(printed, LINKS);
    weir_text_free(&text);
}

/* What a port is connected to drives it; the port itself has nothing to be checked. */
static void ports_of_connected_instances_can_be_read(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module child = weir_rtl_add_module(d, "child"), top = weir_rtl_add_module(d, "top");
    weir_rtl_expr in = weir_rtl_read(d, weir_rtl_add_input(d, child, "in", 4));
    weir_rtl_assign(d, child, weir_rtl_read(d, weir_rtl_add_output(d, child, "out", 4)), in);
    weir_rtl_expr x = weir_rtl_read(d, weir_rtl_add_input(d, top, "x", 4));
    weir_rtl_expr y = weir_rtl_read(d, weir_rtl_add_output(d, top, "y", 4));
    weir_rtl_instance u = weir_rtl_add_instance(d, top, child, "u");
    weir_rtl_connect(d, u, "in", x);
    weir_rtl_leave_open(d, u, "out");
    weir_rtl_assign(d, top, y,
                    weir_rtl_binary(d, WEIR_RTL_AND, weir_rtl_read_port(d, u, "in"), weir_rtl_read_port(d, u, "out")));
    assert_true(weir_rtl_verify(d, top));
    ASSERT_MESSAGES("");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(sound_design_passes),
        DESIGN_TEST(unconnected_input_is_found),
        DESIGN_TEST(width_mismatch_is_found_under_overrides),
        DESIGN_TEST(two_drivers_are_found_by_bit),
        DESIGN_TEST(undriven_bits_are_found),
        DESIGN_TEST(unknown_names_suggest_the_nearest),
        DESIGN_TEST(clocks_and_directions_are_kept_apart),
        DESIGN_TEST(modules_that_contain_themselves_are_found),
        DESIGN_TEST(processes_drive_their_registers_often),
        DESIGN_TEST(large_designs_verify_and_print),
        DESIGN_TEST(ports_of_connected_instances_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
