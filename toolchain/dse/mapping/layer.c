#include "dse/mapping/layer.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "dse/mapping/schema.h"
#include "ir/graph/types.h"

int weir_dse_layer_dim(const weir_dse_layer *layer, const char *name) {
    for (int i = 0; i < layer->dim_count; i++)
        if (strcmp(layer->dim[i], name) == 0) return i;
    return -1;
}

/* Too large when a < factor[1]/g; the totals depend on it. */
static double relation_span(const weir_dse_relation *r, double a, double b) {
    assert(r->factor[0] >= 1 && r->factor[1] >= 1);
    const int64_t g = weir_common_divisor(r->factor[0], r->factor[1]);
    const double over = b - (double)(r->factor[0] / g);
    return a * b - (over > 0 ? over : 0) * (a - (double)(r->factor[1] / g));
}

double weir_dse_relation_size(const weir_dse_relation *relation, double first, double second) {
    const double span = relation_span(relation, trunc(first), trunc(second));
    return span < relation->total ? span : relation->total;
}

double weir_dse_operand_size(const weir_dse_layer *layer, int operand, const double *size) {
    assert(operand >= 0 && operand < layer->operand_count);
    const weir_dse_operand *o = &layer->operand[operand];
    double elements = 1;
    for (int i = 0; i < o->relevant_count; i++) elements *= size[o->relevant[i]];
    for (int i = 0; o->is_partial && i < layer->relation_count; i++)
        elements *= weir_dse_relation_size(&layer->relation[i], size[layer->relation[i].dim[0]],
                                           size[layer->relation[i].dim[1]]);
    return elements;
}

static bool in_relation(const weir_dse_layer *layer, int dim) {
    for (int i = 0; i < layer->relation_count; i++)
        if (layer->relation[i].dim[0] == dim || layer->relation[i].dim[1] == dim) return true;
    return false;
}

/* An operand with the index of a relation depends on its loops in part; a single iteration is neither relevant nor
 * not. */
static void derive_relevance(const weir_dse_layer *layer, weir_dse_operand *o) {
    bool used[WEIR_DSE_DIMS] = {false};
    int kept = 0;
    for (int i = 0; i < o->relevant_count; i++) o->is_partial = o->is_partial || o->relevant[i] >= layer->dim_count;
    for (int i = 0; i < o->relevant_count; i++) {
        const int d = o->relevant[i];
        if (d >= layer->dim_count) continue;
        used[d] = true;
        const bool keep = o->is_partial ? !in_relation(layer, d) : layer->size[d] != 1;
        if (keep) o->relevant[kept++] = (uint8_t)d;
    }
    o->relevant_count = kept;
    for (int d = 0; d < layer->dim_count; d++) {
        const bool shares = o->is_partial && in_relation(layer, d);
        o->relevance[d] = shares                                              ? WEIR_DSE_PARTIAL
                          : used[d] && (o->is_partial || layer->size[d] != 1) ? WEIR_DSE_RELEVANT
                          : !used[d] && layer->size[d] != 1                   ? WEIR_DSE_IRRELEVANT
                                                                              : WEIR_DSE_NEITHER;
    }
}

bool weir_dse_layer_derive(weir_dse_layer *layer, bool has_totals, const int64_t *padding) {
    double size[WEIR_DSE_DIMS];
    layer->macs = 1;
    for (int d = 0; d < layer->dim_count; d++) {
        size[d] = (double)layer->size[d];
        layer->macs *= size[d];
    }
    for (int i = 0; !has_totals && i < layer->relation_count; i++) {
        weir_dse_relation *r = &layer->relation[i];
        r->total = trunc(relation_span(r, size[r->dim[0]], size[r->dim[1]]) - (double)padding[i]);
        if (r->total < 1) r->total = 1;
    }
    for (int i = 0; i < layer->operand_count; i++) {
        weir_dse_operand *o = &layer->operand[i];
        derive_relevance(layer, o);
        o->elements = weir_dse_operand_size(layer, i, size);
        o->bits = trunc(o->elements * o->precision);
    }
    return layer->macs <= (double)WEIR_DSE_LARGEST;
}

int weir_dse_layer_constants(const weir_dse_layer *layer) {
    int count = 0;
    for (int i = 1; i < layer->operand_count; i++) count += layer->operand[i].is_constant;
    return count;
}

int weir_dse_layer_activations(const weir_dse_layer *layer) {
    assert(layer->operand_count > 1);
    const int constants = weir_dse_layer_constants(layer);
    if (layer->operand_count == 2) return 1;
    if (constants == 1) return layer->operand[1].is_constant ? 2 : 1;
    if (constants == 0) return 2;
    return layer->relation_count == 0 || layer->operand[1].is_partial ? 1 : 2;
}

int weir_dse_layer_weights(const weir_dse_layer *layer) {
    return layer->operand_count == 2 ? 0 : 3 - weir_dse_layer_activations(layer);
}
