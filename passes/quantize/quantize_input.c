/* quantize_input: inputs of the model get the quantizers that it does not state, as hls4ml and FINN take them from the
 * user. Of 8 and 16 bits they are QuantizeLinear and DequantizeLinear, of other widths QONNX's Quant, which rounds half
 * to even. O(uses of the inputs). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"

enum { MOST_BITS = 16 };

/* One item of the option: [INPUT=]TYPE:SCALE[:ZERO]. */
typedef struct item {
    const char *text;
    char *name; /* of the input, heap memory; NULL: the only one */
    bool is_signed;
    int bits;
    double scale;
    int64_t zero;
} item;

static bool fail_item(const item *i) {
    weir_error(
        WEIR_NOWHERE,
        "input quantizer '%s': expected [INPUT=]TYPE:SCALE[:ZERO], TYPE u1 to u16 or s2 to s16, SCALE a number above 0 "
        "or 2^-N, ZERO a code of the type",
        i->text);
    weir_note("such as x=u8:0.00392:0");
    return false;
}

/* A number above 0, or a power of two as "2^-7". */
static bool read_scale(const char *text, const char **end, double *scale) {
    char *after;
    *scale = strtod(text, &after);
    if (after != text && *after == '^' && *scale == 2) {
        const char *exponent = after + 1;
        *scale = ldexp(1, (int)strtol(exponent, &after, 10));
        if (after == exponent) return false;
    }
    *end = after;
    *scale = (double)(float)*scale;
    return after != text && isnormal((float)*scale) && *scale > 0;
}

static bool read_item(const char *text, item *to) {
    const char *equals = strrchr(text, '='), *at = equals == NULL ? text : equals + 1;
    char *after;
    to->text = text;
    to->name = equals == NULL ? NULL : weir_format("%.*s", (int)(equals - text), text);
    if (*at != 'u' && *at != 's') return fail_item(to);
    to->is_signed = *at == 's';
    to->bits = (int)strtol(at + 1, &after, 10);
    if (after == at + 1 || *after != ':' || to->bits < 1 + to->is_signed || to->bits > MOST_BITS) return fail_item(to);
    if (!read_scale(after + 1, &at, &to->scale)) return fail_item(to);
    const int64_t low = to->is_signed ? -((int64_t)1 << (to->bits - 1)) : 0, high = low + ((int64_t)1 << to->bits) - 1;
    if (*at == ':') {
        to->zero = strtoll(at + 1, &after, 10);
        if (after == at + 1) return fail_item(to);
        at = after;
    }
    return (*at == '\0' && to->zero >= low && to->zero <= high) || fail_item(to);
}

/* The input that the item names; none after a reported error. */
static weir_value input_of(const weir_graph *graph, const item *i) {
    const size_t count = weir_graph_input_count(graph);
    if (i->name == NULL && count == 1) return weir_graph_input(graph, 0);
    const char **names = weir_calloc(count + 1, sizeof *names);
    weir_value found = WEIR_NO_VALUE;
    for (size_t k = 0; k < count; k++) {
        names[k] = weir_value_name(graph, weir_graph_input(graph, k));
        if (i->name != NULL && strcmp(names[k], i->name) == 0) found = weir_graph_input(graph, k);
    }
    if (found.id == 0) {
        const char *near = i->name == NULL ? NULL : weir_suggest(i->name, names, count);
        if (i->name == NULL)
            weir_error(WEIR_NOWHERE, "input quantizer '%s': the model has %zu inputs, expected NAME=", i->text, count);
        else weir_error(WEIR_NOWHERE, "input quantizer '%s': the model has no input '%s'", i->text, i->name);
        if (near != NULL) weir_note("did you mean '%s'?", near);
        else if (count > 0) weir_note("its first input is '%s'", names[0]);
    }
    free(names);
    return found;
}

/* A quantizer that the model states reads the input. */
static weir_node stated(const weir_graph *graph, weir_value input) {
    for (size_t k = 0; k < weir_value_use_count(graph, input); k++) {
        const weir_node reader = weir_value_use(graph, input, k).node;
        if (weir_trait_is_quantizer(weir_node_op(graph, reader))) return reader;
    }
    return WEIR_NO_NODE;
}

static weir_value add_quantizer(weir_rewrite *r, weir_value input, const item *i) {
    const weir_value scale = weir_rewrite_number(r, "scale", WEIR_FLOAT32, i->scale);
    if (i->bits == 8 || i->bits == 16) {
        const weir_dtype dtype =
            i->bits == 8 ? (i->is_signed ? WEIR_INT8 : WEIR_UINT8) : (i->is_signed ? WEIR_INT16 : WEIR_UINT16);
        const weir_value zero = weir_rewrite_number(r, "zero_point", dtype, (double)i->zero);
        const weir_value codes = WEIR_REWRITE_NODE(r, WEIR_OP_QUANTIZE_LINEAR, "quantized", input, scale, zero);
        return WEIR_REWRITE_NODE(r, WEIR_OP_DEQUANTIZE_LINEAR, "dequantized", codes, scale, zero);
    }
    return weir_rewrite_quant(r, input, scale, (double)i->zero, i->bits, i->is_signed);
}

static bool quantize_item(weir_rewrite *r, const item *i) {
    weir_graph *graph = r->graph;
    const weir_value input = input_of(graph, i);
    if (input.id == 0) return false;
    const weir_node own = stated(graph, input);
    if (own.id != 0) {
        weir_error(weir_node_location(graph, own), "input quantizer '%s': node '%s' (%s) already quantizes input '%s'",
                   i->text, weir_node_name(graph, own), weir_node_info(graph, own)->full_name,
                   weir_value_name(graph, input));
        return false;
    }
    if (!weir_dtype_is_float(weir_value_type(graph, input)->dtype)) {
        weir_error(WEIR_NOWHERE, "input quantizer '%s': input '%s' holds integers, which are already codes", i->text,
                   weir_value_name(graph, input));
        return false;
    }
    const size_t count = weir_value_use_count(graph, input);
    const weir_value value = add_quantizer(r, input, i);
    for (size_t k = count; k-- > 0;) {
        const weir_use use = weir_value_use(graph, input, k);
        if (!weir_trait_is_quantizer(weir_node_op(graph, use.node)))
            weir_node_set_input(graph, use.node, use.index, value);
    }
    return true;
}

bool weir_pass_quantize_input(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    weir_graph *graph = weir_module_find_graph(module, "model");
    weir_rewrite r = {.graph = graph, .at = weir_graph_first(graph)};
    char *items = weir_copy_string(weir_pass_string(pass, "inputs")), *rest = NULL;
    bool fine = true;
    int64_t made = 0;
    for (char *text = strtok_r(items, ",\n", &rest); fine && text != NULL; text = strtok_r(NULL, ",\n", &rest)) {
        item i = {.text = text};
        fine = read_item(text, &i) && quantize_item(&r, &i);
        free(i.name);
        made++;
    }
    weir_pass_count(context, "inputs", made);
    free(items);
    return fine && weir_rewrite_finish(&r);
}
