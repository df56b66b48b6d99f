#include "frontend/import/onnx_activation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "support/memory/arena.h"

/* Its parameters, and what these are where the file leaves them out. */
typedef struct activation {
    const char *word;
    weir_op op;
    const char *parameter[2];
    double otherwise[2];
    bool are_inputs; /* the parameters are inputs of the operator */
} activation;

static const activation activations[] = {
    {"Relu", WEIR_OP_RELU, {NULL}, {0}, false},
    {"Sigmoid", WEIR_OP_SIGMOID, {NULL}, {0}, false},
    {"Tanh", WEIR_OP_TANH, {NULL}, {0}, false},
    {"Softplus", WEIR_OP_SOFTPLUS, {NULL}, {0}, false},
    {"Softsign", WEIR_OP_SOFTSIGN, {NULL}, {0}, false},
    {"LeakyRelu", WEIR_OP_LEAKY_RELU, {"alpha"}, {0.01}, false},
    {"Elu", WEIR_OP_ELU, {"alpha"}, {1}, false},
    {"ThresholdedRelu", WEIR_OP_THRESHOLDED_RELU, {"alpha"}, {1}, false},
    {"Selu", WEIR_OP_SELU, {"alpha", "gamma"}, {1.67326319217681884765625, 1.05070102214813232421875}, false},
    {"HardSigmoid", WEIR_OP_HARD_SIGMOID, {"alpha", "beta"}, {0.2, 0.5}, false},
    {"Clip", WEIR_OP_CLIP, {"alpha", "beta"}, {-3.402823e38, 3.402823e38}, true},
};

enum { ACTIVATIONS = sizeof activations / sizeof *activations };

static const activation *find(const weir_onnx_form *form) {
    const ProtobufCBinaryData *word = &weir_onnx_schema_attribute(form->proto, "activation")->s;
    for (size_t i = 0; i < ACTIVATIONS; i++)
        if (word->len == strlen(activations[i].word) && memcmp(word->data, activations[i].word, word->len) == 0)
            return &activations[i];
    return NULL;
}

/* From the list of a FusedConv, or an attribute of its own. */
static double parameter_of(const weir_onnx_form *form, const activation *f, size_t index) {
    const Onnx__AttributeProto *list = weir_onnx_schema_attribute(form->proto, "activation_params");
    if (list != NULL) return index < list->n_floats ? (double)list->floats[index] : f->otherwise[index];
    char *name = weir_format("activation_%s", f->parameter[index]);
    const Onnx__AttributeProto *own = weir_onnx_schema_attribute(form->proto, name);
    free(name);
    return own == NULL ? f->otherwise[index] : (double)own->f;
}

/* A parameter as an input. */
static weir_value bound(const weir_onnx_form *form, const char *suffix, weir_dtype dtype, double number) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){.rank = 0});
    weir_array_set(array, 0, number);
    return weir_onnx_form_constant(form, suffix, array);
}

weir_value weir_onnx_activation(const weir_onnx_form *form, weir_value value) {
    const activation *f = find(form);
    assert(f != NULL); /* onnx_table.c lists the words */
    const weir_dtype dtype = weir_value_type(form->graph, value)->dtype;
    weir_value inputs[3] = {value};
    size_t count = 1;
    for (; f->are_inputs && count < 3; count++)
        inputs[count] = bound(form, count == 1 ? "low" : "high", dtype, parameter_of(form, f, count - 1));
    const weir_value made = weir_onnx_form_node(form, f->op, "activation", inputs, count);
    const weir_node node = weir_value_producer(form->graph, made);
    for (size_t i = 0; !f->are_inputs && i < 2 && f->parameter[i] != NULL; i++)
        weir_node_set_float(form->graph, node, f->parameter[i], parameter_of(form, f, i));
    return weir_infer_node(form->graph, node) ? made : WEIR_NO_VALUE;
}
