/* What a function takes for granted, it asserts: each row plants a wrong handle, kind, index or order in a process of
 * its own, which has to end at an assertion there, before anything is read or written in the wrong place. */
#include "test_passes_support.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cosim/runtime.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/device.h"
#include "dataflow/fifo.h"
#include "dataflow/frame.h"
#include "dataflow/schedule/schedule.h"
#include "dataflow/schedule/stream.h"
#include "dse/folding/knapsack.h"
#include "dse/mapping/accelerator.h"
#include "dse/mapping/layer.h"
#include "dse/stages/stage.h"
#include "exec/exec.h"
#include "exec/product.h"
#include "exec/softmax.h"
#include "ir/graph/side.h"
#include "ir/shape/geometry.h"
#include "ir/shape/index_map.h"
#include "ir/shape/layout.h"
#include "pass/core/module.h"
#include "rtlir/core/stmt.h"
#include "support/file/manifest.h"
#include "support/text/diag.h"
#include "support/text/table.h"
#include "support/text/yaml.h"
#include "synth/netlist/aig.h"

/* x, twice its maximum with itself, the second one the output; a constant of per-channel codes. */
typedef struct fixture {
    weir_graph *graph;
    weir_value x, y, constant;
    weir_node node;
    weir_shape shape;
    weir_quant quant;
} fixture;

static const double scales[2] = {0.5, 0.25};
static const int64_t zeros[2] = {1, 2};

static fixture make(void) {
    fixture f = {.graph = weir_graph_new("g"), .shape = {2, {1, 4}}};
    f.x = add_codes_input(f.graph, "x", WEIR_INT8, 1, 4, -8, 7);
    f.y = ADD(f.graph, WEIR_OP_MAXIMUM, "y", f.x);
    f.node = weir_value_producer(f.graph, f.y);
    weir_graph_add_output(f.graph, "y", f.y);
    weir_array *data = weir_array_new(WEIR_INT8, &f.shape);
    f.constant = weir_graph_add_constant(f.graph, "c", data);
    weir_array_free(data);
    f.quant = (weir_quant){
        .format = WEIR_FORMAT_INTEGER, .width = 8, .axis = 1, .count = 2, .scale = scales, .zero_point = zeros};
    return f;
}

/* --- handles and indices of graphs --- */

static void value_none(fixture *f) { weir_value_type(f->graph, WEIR_NO_VALUE); }
static void value_beyond(fixture *f) { weir_value_name(f->graph, (weir_value){weir_graph_value_limit(f->graph)}); }
static void value_removed(fixture *f) {
    weir_graph_remove_value(f->graph, f->constant);
    weir_value_type(f->graph, f->constant);
}
static void value_in_use(fixture *f) { weir_graph_remove_value(f->graph, f->x); }
static void value_replaced_by_none(fixture *f) { weir_value_replace(f->graph, f->x, WEIR_NO_VALUE); }
static void node_none(fixture *f) { weir_node_op(f->graph, WEIR_NO_NODE); }
static void node_beyond(fixture *f) { weir_node_name(f->graph, (weir_node){weir_graph_node_limit(f->graph)}); }
static void node_removed(fixture *f) {
    weir_node other = weir_value_producer(f->graph, ADD(f->graph, WEIR_OP_MAXIMUM, "other", f->x));
    weir_graph_remove_node(f->graph, other);
    weir_node_input(f->graph, other, 0);
}
static void node_without_operator(fixture *f) {
    weir_graph_add_node(f->graph, WEIR_OP_NONE, "none", &f->x, 1, 1, WEIR_NO_NODE);
}
static void input_beyond(fixture *f) { weir_graph_input(f->graph, 1); }
static void output_beyond(fixture *f) { weir_graph_output(f->graph, 1); }
static void output_name_beyond(fixture *f) { weir_graph_output_name(f->graph, 1); }
static void output_set_beyond(fixture *f) { weir_graph_set_output(f->graph, 1, f->x); }
static void result_beyond(fixture *f) { weir_node_output(f->graph, f->node, 1); }
static void operand_beyond(fixture *f) { weir_node_set_input(f->graph, f->node, 2, f->x); }
static void use_beyond(fixture *f) { weir_value_use(f->graph, f->x, 1); }
static void attribute_beyond(fixture *f) { weir_node_attribute_at(f->graph, f->node, 0); }
static void result_bound(fixture *f) { weir_value_bind(f->graph, f->y, weir_value_constant(f->graph, f->constant)); }
static void side_table_beyond(fixture *f) {
    weir_side side = weir_side_new(sizeof(int), weir_graph_value_limit(f->graph));
    weir_side_at(&side, ADD(f->graph, WEIR_OP_MAXIMUM, "late", f->x).id);
}

/* --- types, arrays, maps --- */

static void shape_of_nine_dimensions(fixture *f) {
    char text[WEIR_SHAPE_TEXT];
    f->shape.rank = WEIR_MAX_RANK + 1;
    weir_shape_print(&f->shape, text, sizeof text);
}
static void type_without_scales(fixture *f) {
    weir_type type = *weir_value_type(f->graph, f->x);
    type.quant.count = 2;
    weir_value_set_type(f->graph, f->x, &type);
}
static void scale_beyond(fixture *f) { weir_quant_scale(&f->quant, 2); }
static void zero_before(fixture *f) { weir_quant_zero(&f->quant, -1); }
static void limits_of_real_numbers(fixture *f) {
    int64_t low, high;
    f->quant.format = WEIR_FORMAT_FLOAT;
    weir_quant_limits(&f->quant, &low, &high);
}
static void range_upside_down(fixture *f) {
    (void)f;
    weir_bits_for(5, 3);
}
static void rounding_unknown(fixture *f) {
    (void)f;
    weir_round(0.5, WEIR_ROUND_COUNT);
}
static void element_beyond(fixture *f) { weir_array_get_int(weir_value_constant(f->graph, f->constant), 4); }
static void elements_beyond(fixture *f) {
    int64_t value[4];
    weir_array_get_ints(weir_value_constant(f->graph, f->constant), 2, 3, value);
}
static void element_type_unknown(fixture *f) {
    (void)f;
    weir_dtype_size(WEIR_DTYPE_COUNT);
}
static void codes_of_floats(fixture *f) {
    int64_t low, high;
    (void)f;
    weir_dtype_limits(WEIR_FLOAT32, &low, &high);
}
static void array_of_negative_size(fixture *f) {
    f->shape.dim[1] = -1;
    weir_array_new(WEIR_INT8, &f->shape);
}
static void entry_of_another_map(fixture *f) {
    weir_map one = {.slot = NULL}, other = {.slot = NULL};
    (void)f;
    weir_map_put(&one, 1);
    weir_map_put(&other, 1);
    weir_map_next(&one, weir_map_next(&other, NULL));
}

/* --- shapes and orders --- */

static void dimension_named_twice(fixture *f) { weir_layout_from_onnx(&f->shape, (const int[]){1, 1}); }
static void elements_lost(fixture *f) {
    weir_index_map_keep(weir_graph_arena(f->graph), &f->shape, &(weir_shape){1, {3}});
}
static void index_outside_its_axis(fixture *f) {
    const int64_t rows[1] = {0}, columns[4] = {0, 1, 2, 4}, *const at[2] = {rows, columns};
    weir_index_map_along(weir_graph_arena(f->graph), &f->shape, &f->shape, at);
}
static void maps_that_do_not_meet(fixture *f) {
    const weir_shape other = {1, {3}};
    const weir_index_map first = weir_index_map_keep(weir_graph_arena(f->graph), &f->shape, &f->shape);
    const weir_index_map second = weir_index_map_keep(weir_graph_arena(f->graph), &other, &other);
    weir_index_map_then(weir_graph_arena(f->graph), &first, &second);
}
static void axis_beyond(fixture *f) {
    const weir_window window = {.rank = 1, .in = {4}, .out = {4}, .kernel = {1}, .stride = {1}, .dilation = {1}};
    (void)f;
    weir_geometry_seen(&window, 1, 0);
}
static void slice_of_another_operator(fixture *f) {
    weir_slice slice;
    weir_geometry_slice(f->graph, f->node, &slice);
}

/* --- hardware, streams, searches --- */

static void expression_beyond(fixture *f) {
    (void)f;
    weir_rtl_get_expr(weir_rtl_design_new(), (weir_rtl_expr){1});
}
static void operand_of_a_constant(fixture *f) {
    weir_rtl_design *design = weir_rtl_design_new();
    (void)f;
    weir_rtl_operand(design, weir_rtl_constant(design, 8, 3), 0);
}
static void port_beyond(fixture *f) {
    weir_rtl_design *design = weir_rtl_design_new();
    (void)f;
    weir_rtl_port_at(design, weir_rtl_add_module(design, "m"), 0);
}
static void variable_of_another_design(fixture *f) {
    weir_rtl_design *design = weir_rtl_design_new(), *other = weir_rtl_design_new();
    (void)f;
    weir_rtl_get_var(other, weir_rtl_add_input(design, weir_rtl_add_module(design, "m"), "x", 8));
}
static void event_beyond(fixture *f) {
    weir_rtl_design *design = weir_rtl_design_new();
    (void)f;
    weir_rtl_add_initial(design, weir_rtl_add_module(design, "m"));
    weir_rtl_event_at(design, (weir_rtl_stmt){1}, 0);
}
static void beats_of_no_lanes(fixture *f) { weir_stream_beats(f->graph, f->x, 0); }
static void beat_beyond(fixture *f) {
    const weir_signature run = weir_signature_run(weir_graph_arena(f->graph), 0, 4, 1);
    weir_signature_at(&run.steady, 4);
}
static void child_before_its_parent(fixture *f) {
    const weir_knapsack_option option = {.begin = 0};
    const weir_knapsack_item item[2] = {{&option, 1, 1, 1, 1, NULL}, {&option, 1, WEIR_KNAPSACK_ROOT, 1, 1, NULL}};
    size_t chosen[2];
    (void)f;
    weir_knapsack_solve(&(weir_knapsack){.item = item, .count = 2, .limit = 10}, chosen);
}
static void fourth_operand(fixture *f) {
    (void)f;
    weir_dse_memory_operand_name(WEIR_DSE_OPERANDS);
}
static void gate_of_a_missing_input(fixture *f) {
    weir_aig *aig = weir_aig_new();
    (void)f;
    weir_aig_and(aig, weir_aig_input(aig), 100);
}
static void graph_beyond(fixture *f) {
    (void)f;
    weir_module_graph(weir_module_new("m"), 0);
}

/* --- components, executors, files, tables --- */

static void fifo_of_another_operator(fixture *f) { weir_fifo_set(f->graph, f->node, &(weir_fifo){.depth = 2}); }
static void element_before_its_stream(fixture *f) { weir_schedule_entry(f->graph, f->x, -1, 4, false); }
static void component_beyond(fixture *f) {
    (void)f;
    weir_component_at(weir_component_count());
}
static void family_beyond(fixture *f) {
    (void)f;
    weir_device_family_name(WEIR_DEVICE_FAMILIES);
}
static void replay_of_no_beats(fixture *f) {
    (void)f;
    weir_cost_replay_in_blocks(0, 8);
}
static void flags_of_no_inputs(fixture *f) {
    (void)f;
    weir_frame_flags(0, 2);
}
static void profile_beyond(fixture *f) {
    (void)f;
    weir_profile_name(WEIR_SIM_PROFILES);
}
static void operand_of_a_layer_beyond(fixture *f) {
    (void)f;
    const double size[1] = {1};
    weir_dse_operand_size(&(weir_dse_layer){.operand_count = 1}, 1, size);
}
static void stage_beyond(fixture *f) {
    (void)f;
    weir_dse_registry *registry = weir_dse_registry_new();
    weir_dse_registry_at(registry, weir_dse_registry_count(registry));
}
static void value_of_an_executor_beyond(fixture *f) {
    weir_executor_value(weir_executor_new(f->graph), (weir_value){weir_graph_value_limit(f->graph)});
}
static void codes_of_an_odd_step(fixture *f) {
    (void)f;
    const int16_t codes[3] = {0};
    int32_t sum[1];
    weir_product_codes(codes, 1, codes, 1, 3, sum, WEIR_INSTRUCTIONS_BASELINE);
}
static void scale_of_zero(fixture *f) {
    (void)f;
    weir_softmax_steps(0);
}
static void table_of_no_columns(fixture *f) {
    (void)f;
    weir_table_new(NULL, 0);
}
static void message_beyond(fixture *f) {
    (void)f;
    weir_diag_log_at(weir_diag_capture(), 0);
}
static void entry_beyond(fixture *f) {
    (void)f;
    weir_manifest_drop(&(weir_manifest){.count = 0}, 0);
}
static void limits_upside_down(fixture *f) {
    (void)f;
    int64_t value;
    weir_yaml_int(&(weir_yaml){.kind = WEIR_YAML_SCALAR, .text = "4"}, 5, 3, &value);
}
static void mux_of_a_missing_gate(fixture *f) {
    (void)f;
    weir_aig_mux(weir_aig_new(), 100, WEIR_LITERAL_TRUE, WEIR_LITERAL_FALSE);
}

#define PLANT(name)                                                                                                    \
    { #name, name }
static const struct {
    const char *name;
    void (*plant)(fixture *f);
} plants[] = {
    PLANT(value_none),
    PLANT(value_beyond),
    PLANT(value_removed),
    PLANT(value_in_use),
    PLANT(value_replaced_by_none),
    PLANT(node_none),
    PLANT(node_beyond),
    PLANT(node_removed),
    PLANT(node_without_operator),
    PLANT(input_beyond),
    PLANT(output_beyond),
    PLANT(output_name_beyond),
    PLANT(output_set_beyond),
    PLANT(result_beyond),
    PLANT(operand_beyond),
    PLANT(use_beyond),
    PLANT(attribute_beyond),
    PLANT(result_bound),
    PLANT(side_table_beyond),
    PLANT(shape_of_nine_dimensions),
    PLANT(type_without_scales),
    PLANT(scale_beyond),
    PLANT(zero_before),
    PLANT(limits_of_real_numbers),
    PLANT(range_upside_down),
    PLANT(rounding_unknown),
    PLANT(element_beyond),
    PLANT(elements_beyond),
    PLANT(element_type_unknown),
    PLANT(codes_of_floats),
    PLANT(array_of_negative_size),
    PLANT(entry_of_another_map),
    PLANT(dimension_named_twice),
    PLANT(elements_lost),
    PLANT(index_outside_its_axis),
    PLANT(maps_that_do_not_meet),
    PLANT(axis_beyond),
    PLANT(slice_of_another_operator),
    PLANT(expression_beyond),
    PLANT(operand_of_a_constant),
    PLANT(port_beyond),
    PLANT(variable_of_another_design),
    PLANT(event_beyond),
    PLANT(beats_of_no_lanes),
    PLANT(beat_beyond),
    PLANT(child_before_its_parent),
    PLANT(fourth_operand),
    PLANT(gate_of_a_missing_input),
    PLANT(graph_beyond),
    PLANT(fifo_of_another_operator),
    PLANT(element_before_its_stream),
    PLANT(component_beyond),
    PLANT(family_beyond),
    PLANT(replay_of_no_beats),
    PLANT(flags_of_no_inputs),
    PLANT(profile_beyond),
    PLANT(operand_of_a_layer_beyond),
    PLANT(stage_beyond),
    PLANT(value_of_an_executor_beyond),
    PLANT(codes_of_an_odd_step),
    PLANT(scale_of_zero),
    PLANT(table_of_no_columns),
    PLANT(message_beyond),
    PLANT(entry_beyond),
    PLANT(limits_upside_down),
    PLANT(mux_of_a_missing_gate),
};
enum { PLANTS = sizeof plants / sizeof *plants };

/* Runs the plant; does its process end with the message of an assertion, or of weir_unreachable? */
static bool stops(void (*plant)(fixture *f)) {
    int said[2], status = 0;
    char text[4096];
    size_t length = 0;
    assert_int_equal(pipe(said), 0);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(said[1], STDERR_FILENO);
        fixture f = make();
        if (plant != NULL) plant(&f);
        _exit(0);
    }
    close(said[1]);
    for (ssize_t got; (got = read(said[0], text + length, sizeof text - 1 - length)) > 0;) length += (size_t)got;
    text[length] = '\0';
    close(said[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
           (strstr(text, "Assertion") != NULL || strstr(text, "internal error") != NULL);
}

static void planted_faults_stop_at_an_assertion(void **state) {
    size_t stopped = 0;
    (void)state;
    assert_false(stops(NULL));
    for (size_t i = 0; i < PLANTS; i++) {
        const bool fine = stops(plants[i].plant);
        if (!fine) print_error("not stopped: %s\n", plants[i].name);
        stopped += fine;
    }
    print_message("%zu of %d planted faults stop at an assertion\n", stopped, (int)PLANTS);
    assert_int_equal(stopped, PLANTS);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(planted_faults_stop_at_an_assertion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
