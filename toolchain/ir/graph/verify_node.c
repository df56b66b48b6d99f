/* The verifier's checks of one node: attributes by op.def, types by running inference again, metadata by what
 * folding derives. Types are compared with what is stored on the inputs, so that one wrong type is one message. */
#include "ir/graph/verify_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/operator.h"
#include "ir/graph/print.h"
#include "ir/shape/infer.h"
#include "ir/shape/loop.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"

/* --- attributes --- */

enum { OPTIONAL = false, REQUIRED = true };

typedef enum attribute_kind {
    KIND_INT = WEIR_ATTRIBUTE_INT,
    KIND_FLOAT = WEIR_ATTRIBUTE_FLOAT,
    KIND_STRING = WEIR_ATTRIBUTE_STRING,
    KIND_INTS = WEIR_ATTRIBUTE_INTS,
    KIND_FLOATS = WEIR_ATTRIBUTE_FLOATS,
    KIND_FLAG
} attribute_kind;

static const char *const kind_names[] = {"an integer", "a float", "a string", "integers", "floats", "0 or 1"};

typedef struct attribute_row {
    const char *name;
    attribute_kind kind;
    bool required;
} attribute_row;

/* By operator. */
static const struct {
    const attribute_row *row;
    size_t count;
} attributes[WEIR_OP_COUNT] = {
#define LIST(...)                                                                                                      \
    (const attribute_row[]) {                                                                                          \
        __VA_ARGS__ { NULL, KIND_INT, false }                                                                          \
    }
#define WEIR_OP_FACTS(id, domain, name, ...)                                                                           \
    [WEIR_OP_##id] = {LIST(__VA_ARGS__), sizeof LIST(__VA_ARGS__) / sizeof(attribute_row) - 1},
#define ATTRIBUTE(name, kind, presence) {#name, KIND_##kind, presence},
#include "ir/graph/op.def"
#undef LIST
};

static const attribute_row *find_row(weir_op op, const char *name) {
    for (size_t i = 0; i < attributes[op].count; i++) {
        if (strcmp(attributes[op].row[i].name, name) == 0) return &attributes[op].row[i];
    }
    return NULL;
}

static bool fail_unknown(const weir_graph *graph, weir_node node, const char *name) {
    const weir_op op = weir_node_op(graph, node);
    const char **names = weir_calloc(attributes[op].count + 1, sizeof *names);
    for (size_t i = 0; i < attributes[op].count; i++) names[i] = attributes[op].row[i].name;
    weir_node_fail(graph, node, "has no attribute '%s'", name);
    const char *near = weir_suggest(name, names, attributes[op].count);
    if (near != NULL) weir_note("did you mean '%s'?", near);
    free(names);
    return false;
}

static bool verify_attribute(const weir_graph *graph, weir_node node, const weir_attribute *a) {
    const attribute_row *row = find_row(weir_node_op(graph, node), a->name);
    if (row == NULL) return fail_unknown(graph, node, a->name);
    bool fits = (row->kind == KIND_FLAG ? WEIR_ATTRIBUTE_INT : (weir_attribute_kind)row->kind) == a->kind;
    if (fits && row->kind == KIND_FLAG) fits = a->as.i == 0 || a->as.i == 1;
    if (!fits) return weir_node_fail(graph, node, "attribute '%s' must be %s", a->name, kind_names[row->kind]);
    if (row->kind == KIND_FLOAT && isnan(a->as.f)) fits = false;
    for (size_t i = 0; row->kind == KIND_FLOATS && i < a->count; i++) fits &= !isnan(a->as.floats[i]);
    return fits || weir_node_fail(graph, node, "attribute '%s' is not a number", a->name);
}

static const weir_operator_attribute *find_attribute(const weir_operator *row, const char *name) {
    for (size_t i = 0; i < row->attribute_count; i++) {
        if (strcmp(row->attributes[i].name, name) == 0) return &row->attributes[i];
    }
    return NULL;
}

/* Of an operator that was registered. */
static bool verify_registered(const weir_graph *graph, weir_node node, const weir_operator *row) {
    bool fine = true;
    for (size_t i = 0; i < weir_node_attribute_count(graph, node); i++) {
        const weir_attribute *a = weir_node_attribute_at(graph, node, i);
        const weir_operator_attribute *known = find_attribute(row, a->name);
        if (known == NULL) fine = weir_node_fail(graph, node, "has no attribute '%s'", a->name);
        else if (known->kind != a->kind)
            fine = weir_node_fail(graph, node, "attribute '%s' must be %s", a->name, kind_names[known->kind]);
    }
    for (size_t i = 0; i < row->attribute_count; i++) {
        if (row->attributes[i].required && weir_node_attribute(graph, node, row->attributes[i].name) == NULL)
            fine = weir_node_fail(graph, node, "attribute '%s' is missing", row->attributes[i].name);
    }
    return fine;
}

bool weir_verify_attributes(const weir_graph *graph, weir_node node) {
    const weir_op op = weir_node_op(graph, node);
    if (op >= WEIR_OP_COUNT) return verify_registered(graph, node, weir_operator_of(op));
    bool fine = true;
    for (size_t i = 0; i < weir_node_attribute_count(graph, node); i++)
        fine &= verify_attribute(graph, node, weir_node_attribute_at(graph, node, i));
    for (size_t i = 0; i < attributes[op].count; i++) {
        const attribute_row *row = &attributes[op].row[i];
        if (row->required && weir_node_attribute(graph, node, row->name) == NULL)
            fine = weir_node_fail(graph, node, "attribute '%s' is missing", row->name);
    }
    return fine;
}

/* --- types --- */

static bool fail_types(const weir_graph *graph, weir_node node, size_t output, const char *what,
                       const weir_type *expected) {
    const weir_value value = weir_node_output(graph, node, output);
    weir_text stored = {0}, inferred = {0};
    weir_type_print(weir_value_type(graph, value), &stored);
    weir_type_print(expected, &inferred);
    weir_node_fail(graph, node, "the %s of '%s' is wrong: %s, inference gives %s", what, weir_value_name(graph, value),
                   stored.data, inferred.data);
    weir_text_free(&stored);
    weir_text_free(&inferred);
    return false;
}

/* Scales and zero points, which the text of a type leaves out. */
static bool same_parameters(const weir_graph *graph, weir_node node, size_t output, const weir_quant *a,
                            const weir_quant *b) {
    const char *name = weir_value_name(graph, weir_node_output(graph, node, output));
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->scale[i] != b->scale[i])
            return weir_node_fail(graph, node, "scale %u of '%s' is %.17g, inference gives %.17g", (unsigned)i, name,
                                  a->scale[i], b->scale[i]);
        if (weir_quant_zero(a, i) != weir_quant_zero(b, i))
            return weir_node_fail(graph, node, "zero point %u of '%s' is %lld, inference gives %lld", (unsigned)i, name,
                                  (long long)weir_quant_zero(a, i), (long long)weir_quant_zero(b, i));
    }
    return true;
}

/* What is known of an operator's results holds when the stored range contains the inferred one. A rule that derives
 * width and container from the range would derive others from a wider one: they must hold the stored range, which
 * weir_verify_value has checked. */
static bool verify_output(const weir_graph *graph, weir_node node, size_t output, const weir_type *inferred) {
    const weir_type *stored = weir_value_type(graph, weir_node_output(graph, node, output));
    weir_type e = *inferred;
    if (!weir_shape_equal(&stored->shape, &e.shape)) return fail_types(graph, node, output, "shape", inferred);
    if (strcmp(stored->layout, e.layout) != 0) return fail_types(graph, node, output, "layout", inferred);
    const bool integer = weir_node_info(graph, node)->class == WEIR_CLASS_INTEGER;
    const bool wider = stored->has_range && e.has_range && stored->low <= e.low && stored->high >= e.high &&
                       (stored->low != e.low || stored->high != e.high);
    if (integer && wider) {
        e.dtype = stored->dtype;
        e.quant.width = stored->quant.width;
        e.quant.is_signed = stored->quant.is_signed;
    }
    if (stored->dtype != e.dtype) return fail_types(graph, node, output, "element type", inferred);
    const weir_quant *a = &stored->quant, *b = &e.quant;
    if (a->format != b->format || a->is_signed != b->is_signed || a->width != b->width || a->frac != b->frac ||
        a->rounding != b->rounding || a->saturation != b->saturation || a->axis != b->axis || a->count != b->count)
        return fail_types(graph, node, output, "quantization", inferred);
    if (!same_parameters(graph, node, output, a, b)) return false;
    if (stored->has_range ? wider || (e.has_range && stored->low == e.low && stored->high == e.high)
                          : !(integer && e.has_range))
        return true;
    return fail_types(graph, node, output, "range", inferred);
}

bool weir_verify_types(const weir_graph *graph, weir_node node, weir_arena *scratch) {
    weir_type few[4];
    const size_t outputs = weir_node_output_count(graph, node);
    weir_type *types = outputs <= sizeof few / sizeof *few ? few : weir_calloc(outputs, sizeof *types);
    weir_inferred to = {types, scratch};
    bool fine = weir_infer_types(graph, node, &to);
    for (size_t i = 0; fine && i < outputs; i++) fine = verify_output(graph, node, i, &types[i]);
    if (types != few) free(types);
    return fine;
}

/* --- metadata --- */

static bool verify_statistics(const weir_graph *graph, weir_node node, const weir_meta_software *software) {
    return software->count == 0 || software->min <= software->max ||
           weir_node_fail(graph, node, "statistics: the least element is %g, the largest %g", software->min,
                          software->max);
}

static bool in_bounds(const weir_graph *graph, weir_node node, const char *name, int64_t value, int64_t low,
                      int64_t high) {
    return (value >= low && value <= high) || weir_node_fail(graph, node, "hardware: %s is %lld, expected %lld to %lld",
                                                             name, (long long)value, (long long)low, (long long)high);
}

static bool verify_settings(const weir_graph *graph, weir_node node, const weir_settings *settings) {
    for (uint8_t i = 0; i < settings->count; i++) {
        const int64_t most = settings->place[i] == WEIR_SETTINGS_STORAGE ? WEIR_STORAGE_LOGIC : INT64_MAX;
        if (!in_bounds(graph, node, settings->name[i], settings->value[i], 0, most)) return false;
    }
    return true;
}

static bool has_settings(const weir_settings *settings) {
    bool any = false;
    for (uint8_t i = 0; i < settings->count; i++) any |= settings->value[i] != 0;
    return any;
}

/* What holds of any component; its settings, and what follows from them, are checked by dataflow/folding.h. */
static bool verify_folding(const weir_graph *graph, weir_node node, const weir_meta_hardware *h) {
    const int64_t folded = h->in_lanes != 0 || h->out_lanes != 0;
    if (!verify_settings(graph, node, &h->settings) ||
        !in_bounds(graph, node, "in_lanes", h->in_lanes, folded, INT32_MAX) ||
        !in_bounds(graph, node, "out_lanes", h->out_lanes, folded, INT32_MAX) ||
        !in_bounds(graph, node, "frames", h->frames, 0, INT32_MAX) ||
        !in_bounds(graph, node, "interval", h->interval, folded, INT64_MAX))
        return false;
    if (h->operations == 0) return true;
    const int64_t macs = weir_loop_macs(graph, node);
    return in_bounds(graph, node, "operations", h->operations, macs, macs);
}

bool weir_verify_metadata(const weir_graph *graph, weir_node node) {
    const weir_metadata *metadata = weir_node_metadata_of(graph, node);
    const weir_meta_hardware *h = &metadata->hardware;
    if (!verify_statistics(graph, node, &metadata->software)) return false;
    if (!h->assigned) return true;
    if (h->module != NULL && h->is_implicit)
        return weir_node_fail(graph, node, "hardware: a component is not implicit");
    if (h->module == NULL)
        return (!has_settings(&h->settings) && h->in_lanes == 0 && h->out_lanes == 0 && h->frames == 0 &&
                h->interval == 0 && h->operations == 0) ||
               weir_node_fail(graph, node, "hardware: a node without a component has no folding");
    return verify_folding(graph, node, h);
}
