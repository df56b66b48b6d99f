/* Operators from their float form: quantized_op ROOT [--planted], ROOT being tests/op. Of every operator that
 * becomes hardware and computes with real numbers some node of the cases in its folder, behind dense layers and
 * before others, must be taken by quantize, at 8 bits, and by the lowering, which compares what it makes with the
 * model; and every case of any operator, as it is, is lowered or refused with an error. --planted: without
 * quantize none is taken. Exit status 0 or 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/folder.h"
#include "common/graph_case.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "op/case.h"
#include "op/subject.h"
#include "pass/core/context.h"
#include "pass/core/pass.h"
#include "passes/passes.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

enum { FRAMES = 16, MOST_INPUTS = 16 };

/* What numbers a layer's results are brought to, for operators that are not defined on all. */
typedef enum domain { ANY, UNIT, ABOVE_ONE, DOMAINS } domain;

typedef struct attempt {
    const weir_graph *from; /* of a case */
    weir_node node;
    domain domain;
    bool alone; /* the operands but the first are constants */
    weir_graph *graph;
    weir_text calibration; /* INPUT=FILE,... */
    const char *folder;
    uint64_t seed;
} attempt;

static weir_value only(weir_graph *graph, weir_node node) {
    return weir_infer_node(graph, node) ? weir_node_output(graph, node, 0) : WEIR_NO_VALUE;
}

static weir_array *random_array(attempt *a, const weir_shape *shape, double low, double high) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, shape);
    case_fill_random(array, ++a->seed, low, high);
    return array;
}

static weir_value random_constant(attempt *a, const char *name, const weir_shape *shape) {
    weir_array *array = random_array(a, shape, -1, 1);
    const weir_value value = weir_graph_add_constant(a->graph, name, array);
    weir_array_free(array);
    return value;
}

/* A dense layer over the last dimension. */
static weir_value add_layer(attempt *a, weir_value x, int64_t outputs) {
    const weir_shape shape = weir_value_type(a->graph, x)->shape;
    const weir_value weights = random_constant(a, "weights", &(weir_shape){2, {shape.dim[shape.rank - 1], outputs}});
    const weir_value in[] = {x, weights};
    return only(a->graph, weir_graph_add_node(a->graph, WEIR_OP_MATMUL, "layer", in, 2, 1, WEIR_NO_NODE));
}

static weir_value add_function(attempt *a, weir_op op, weir_value x) {
    return only(a->graph, weir_graph_add_node(a->graph, op, "function", &x, 1, 1, WEIR_NO_NODE));
}

static weir_value add_cast(attempt *a, weir_value x, weir_dtype to) {
    const weir_node node = weir_graph_add_node(a->graph, WEIR_OP_CAST, "number", &x, 1, 1, WEIR_NO_NODE);
    weir_node_set_string(a->graph, node, "to", weir_dtype_name(to));
    return only(a->graph, node);
}

static weir_value to_domain(attempt *a, weir_value x) {
    if (a->domain == ANY) return x;
    x = add_function(a, WEIR_OP_SIGMOID, x);
    return a->domain == ABOVE_ONE ? add_function(a, WEIR_OP_EXP, x) : x;
}

/* An input of the model, with a file of frames. */
static bool add_input(attempt *a, const char *name, const weir_shape *shape, weir_value *value) {
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = *shape, .quant = {.axis = -1}};
    *value = weir_graph_add_input(a->graph, name, &type);
    weir_shape frames = {1, {FRAMES}};
    for (int i = shape->dim[0] == 1; i < shape->rank; i++) frames.dim[frames.rank++] = shape->dim[i];
    weir_array *array = random_array(a, &frames, -2, 2);
    char *path = weir_format("%s/%s.npy", a->folder, name);
    const bool fine = weir_npy_write(path, array);
    weir_text_format(&a->calibration, "%s%s=%s", a->calibration.size > 0 ? "," : "", name, path);
    free(path);
    weir_array_free(array);
    return fine;
}

/* What stands for an input of the case: what layers make of one of the model's, as numbers of its type. */
static weir_value add_stream(attempt *a, const char *name, const weir_type *type) {
    weir_value x;
    const bool truth = type->dtype == WEIR_BOOL;
    if (type->shape.rank == 0 || type->shape.rank >= WEIR_MAX_RANK) return WEIR_NO_VALUE;
    if (!add_input(a, name, &type->shape, &x)) return WEIR_NO_VALUE;
    x = to_domain(a, add_layer(a, x, type->shape.dim[type->shape.rank - 1]));
    if (!truth) return type->dtype == WEIR_FLOAT32 ? x : add_cast(a, x, type->dtype);
    const weir_value in[] = {x, random_constant(a, "limit", &(weir_shape){1, {1}})};
    return only(a->graph, weir_graph_add_node(a->graph, WEIR_OP_GREATER, "truth", in, 2, 1, WEIR_NO_NODE));
}

static weir_value add_operand(attempt *a, size_t index) {
    const weir_value value = weir_node_input(a->from, a->node, index);
    if (value.id == 0) return value;
    const weir_array *constant = weir_value_constant(a->from, value);
    const char *name = weir_value_name(a->from, value);
    const weir_type *type = weir_value_type(a->from, value);
    if (constant == NULL && index > 0 && a->alone && type->dtype == WEIR_FLOAT32)
        return random_constant(a, name, &type->shape);
    if (constant == NULL) return add_stream(a, name, type);
    const weir_value copy = weir_graph_add_constant(a->graph, name, constant);
    weir_value_set_type(a->graph, copy, type);
    return copy;
}

/* A layer behind each result of real numbers. */
static bool add_outputs(attempt *a, weir_node node) {
    bool any = false;
    for (size_t i = 0; i < weir_node_output_count(a->graph, node); i++) {
        weir_value result = weir_node_output(a->graph, node, i);
        if (result.id == 0) continue;
        const weir_type *type = weir_value_type(a->graph, result);
        if (type->dtype == WEIR_FLOAT32 && type->shape.rank > 0) result = add_layer(a, result, 2);
        if (result.id == 0) return false;
        char *name = weir_format("y%zu", i);
        weir_graph_add_output(a->graph, name, result);
        free(name);
        any = true;
    }
    return any;
}

static bool build(attempt *a) {
    const size_t count = weir_node_input_count(a->from, a->node);
    weir_value in[MOST_INPUTS];
    if (count == 0 || count > MOST_INPUTS) return false;
    for (size_t i = 0; i < count; i++) {
        in[i] = add_operand(a, i);
        if (in[i].id == 0 && weir_node_input(a->from, a->node, i).id != 0) return false;
        for (size_t k = 0; k < i; k++)
            if (weir_node_input(a->from, a->node, k).id == weir_node_input(a->from, a->node, i).id) in[i] = in[k];
    }
    const weir_node node = weir_graph_add_node(a->graph, weir_node_op(a->from, a->node), "subject", in, count,
                                               weir_node_output_count(a->from, a->node), WEIR_NO_NODE);
    weir_node_copy_attributes(a->graph, node, a->from, a->node);
    return weir_infer_node(a->graph, node) && add_outputs(a, node);
}

/* Quantized, with the module; false: refused. */
static bool quantize(attempt *a, weir_module *module) {
    weir_pass_registry *registry = weir_pass_registry_new();
    char *pipeline = weir_format("quantize{scheme=int8 calibration=\"%s\"}", a->calibration.data);
    weir_pass *pass = weir_passes_register(registry) ? weir_pass_parse(registry, pipeline, WEIR_NOWHERE) : NULL;
    weir_pass_context *context = weir_pass_context_new(registry);
    const bool fine = pass != NULL && weir_pass_run(context, pass, module);
    weir_pass_context_free(context);
    weir_pass_free(pass);
    weir_pass_registry_free(registry);
    free(pipeline);
    return fine;
}

static bool is_taken(attempt a, bool planted) {
    bool fine = false;
    weir_diag_log *log = weir_diag_capture();
    a.graph = weir_graph_new("model");
    if (build(&a)) {
        weir_module *module = weir_module_new("m");
        weir_module_add_graph(module, a.graph);
        if (planted || quantize(&a, module)) {
            weir_graph *integer = weir_lower_integer(weir_module_find_graph(module, planted ? "model" : "quantized"));
            fine = integer != NULL;
            if (fine) weir_graph_free(integer);
        }
        weir_module_free(module);
    } else {
        weir_graph_free(a.graph);
    }
    weir_text_free(&a.calibration);
    weir_diag_release(log);
    weir_diag_log_free(log);
    return fine;
}

/* --- the cases of a folder --- */

static bool takes_case(char *text, weir_op op, const char *folder, bool planted) {
    op_case c;
    if (!op_case_read(text, &c) || c.values == NULL) return false;
    weir_graph *graph = case_read_graph(c.graph, c.data);
    bool taken = false;
    for (weir_node node = graph == NULL ? WEIR_NO_NODE : weir_graph_first(graph); node.id != 0 && !taken;
         node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != op) continue;
        for (int way = 0; way < 2 * DOMAINS && !taken; way++)
            taken = is_taken((attempt){.from = graph,
                                       .node = node,
                                       .domain = (domain)(way / 2),
                                       .alone = way % 2 == 1,
                                       .folder = folder,
                                       .seed = 2026},
                             planted);
    }
    if (graph != NULL) weir_graph_free(graph);
    return taken;
}

typedef struct folder_run {
    weir_op op;
    const char *folder; /* for files of frames */
    bool planted, taken;
} folder_run;

/* Without quantizers most are refused: by the node's name, never by an assertion or without a word. */
static void lower_as_it_is(void *user, const char *path) {
    size_t size;
    char *text = weir_file_read(path, &size);
    op_case c;
    weir_graph *graph =
        text != NULL && op_case_read(text, &c) && c.values != NULL ? case_read_graph(c.graph, c.data) : NULL;
    if (graph != NULL) {
        weir_diag_log *log = weir_diag_capture();
        weir_graph *integer = weir_lower_integer(graph);
        weir_diag_release(log);
        const bool said = weir_diag_log_error(log) != NULL;
        weir_diag_log_free(log);
        if (integer != NULL) weir_graph_free(integer);
        else if (!said) {
            fprintf(stderr, "%s: is refused without an error\n", path);
            ++*(int *)user;
        }
        weir_graph_free(graph);
    }
    free(text);
}

static void try_file(void *user, const char *path) {
    folder_run *r = user;
    size_t size;
    char *text = r->taken ? NULL : weir_file_read(path, &size);
    r->taken |= text != NULL && takes_case(text, r->op, r->folder, r->planted);
    free(text);
}

static bool takes_operator(const char *cases, weir_op op, const char *folder, bool planted) {
    folder_run r = {op, folder, planted, false};
    op_folder_visit(cases, try_file, &r);
    return r.taken;
}

/* Has the operator no float form that quantize could take? RequantShift's domain computes with whole numbers; a State
 * and its Update are quantized together (tests/e2e/recurrent.sh), and no node of the two is a network. */
static bool is_quantized_already(weir_op op) {
    if (op == WEIR_OP_STATE || op == WEIR_OP_UPDATE) return true;
    if (strcmp(weir_op_get(op)->domain, weir_op_get(WEIR_OP_REQUANT_SHIFT)->domain) == 0) return true;
    const weir_trait_task task = weir_trait_of(op)->task;
    return weir_op_get(op)->class != WEIR_CLASS_TENSOR || task == WEIR_TASK_QUANTIZER ||
           task == WEIR_TASK_DEQUANTIZER || task == WEIR_TASK_CODE_LAYER || task == WEIR_TASK_CODE_OPERATOR;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    const bool planted = argc > 2;
    char *folder = make_test_folder();
    int taken = 0, refused = 0, silent = 0;
    for (int op = 1; op < WEIR_OP_COUNT && !planted; op++) {
        char *name = subject_folder((weir_op)op), *cases = weir_path_join(argv[1], name);
        op_folder_visit(cases, lower_as_it_is, &silent);
        free(cases);
        free(name);
    }
    for (int op = 1; op < WEIR_OP_COUNT; op++) {
        if (weir_lower_integer_takes((weir_op)op) != WEIR_LOWERED_HARDWARE || is_quantized_already((weir_op)op))
            continue;
        char *name = subject_folder((weir_op)op), *cases = weir_path_join(argv[1], name);
        const bool fine = takes_operator(cases, (weir_op)op, folder, planted);
        if (!fine && !planted) fprintf(stderr, "%s: no node of its cases becomes hardware with quantize\n", cases);
        taken += fine;
        refused += !fine;
        free(cases);
        free(name);
    }
    remove_test_folder(folder);
    printf("%d operators taken, %d refused\n", taken, refused);
    return planted ? taken > 0 : refused > 0 || taken == 0 || silent > 0;
}
