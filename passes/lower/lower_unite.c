/* Codes of one scale and zero point that differ in width or sign, as those of several quantizers, get what holds all of them. */
#include <stdio.h>

#include "passes/lower/view.h"

static bool is_of_one_grid(const weir_quant *a, const weir_quant *b) {
    return a->count <= 1 && b->count <= 1 && weir_quant_scale(a, 0) == weir_quant_scale(b, 0) &&
           weir_quant_zero(a, 0) == weir_quant_zero(b, 0);
}

static weir_quant quantization_of_both(const weir_quant *a, const weir_quant *b) {
    weir_quant both = *a;
    int64_t low, high, least, most;
    weir_quant_limits(a, &low, &high);
    weir_quant_limits(b, &least, &most);
    low = least < low ? least : low;
    high = most > high ? most : high;
    if (both.format == WEIR_FORMAT_BINARY) both.format = WEIR_FORMAT_INTEGER;
    both.is_signed = low < 0;
    both.width = weir_bits_for(low, high);
    both.saturation = WEIR_SATURATE;
    return both;
}

static weir_value widen(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                        const weir_quant *quant) {
    const weir_type *from = weir_value_type(l->to, codes);
    const weir_type type = weir_lower_codes_type(quant, &from->shape, from->low, from->high);
    if (from->dtype == type.dtype && weir_quant_equal(&from->quant, quant)) return codes;
    return weir_lower_clip(l, node, suffix, codes, &type);
}

bool weir_lower_unite(weir_lowering *l, weir_node node, size_t index, weir_value *before, weir_value *next) {
    const weir_quant a = weir_value_type(l->to, *before)->quant, b = weir_value_type(l->to, *next)->quant;
    char suffix[2][32];
    if (!is_of_one_grid(&a, &b))
        return weir_lower_fail(l, node, "its inputs have different scales, and no quantizer takes its result alone");
    if (weir_quant_equal(&a, &b)) return true;
    const weir_quant both = quantization_of_both(&a, &b);
    snprintf(suffix[0], sizeof suffix[0], "_before_%zu", index);
    snprintf(suffix[1], sizeof suffix[1], "_input_%zu", index);
    *before = widen(l, node, suffix[0], *before, &both);
    *next = widen(l, node, suffix[1], *next, &both);
    return before->id != 0 && next->id != 0;
}
