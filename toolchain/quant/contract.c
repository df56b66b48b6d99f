#include "quant/contract.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "quant/arithmetic.h"
#include "support/text/unreachable.h"

static const char *const names[WEIR_CONTRACT_COUNT] = {"qlinear", "quant", "exact", "requantshift"};

const char *weir_contract_name(weir_contract contract) {
    assert(contract < WEIR_CONTRACT_COUNT);
    return names[contract];
}

bool weir_contract_parse(const char *name, weir_contract *contract) {
    for (int i = 0; i < WEIR_CONTRACT_COUNT; i++) {
        if (strcmp(names[i], name) != 0) continue;
        *contract = (weir_contract)i;
        return true;
    }
    return false;
}

double weir_contract_product(weir_contract contract, double a, double b) {
    return contract == WEIR_CONTRACT_ONNXRUNTIME ? (double)((float)a * (float)b) : a * b;
}

int64_t weir_encode(double x, const weir_quant *quant, int64_t channel, weir_contract contract) {
    assert(contract < WEIR_CONTRACT_COUNT);
    int64_t low, high, zero = weir_quant_zero(quant, channel);
    double scale = weir_quant_scale(quant, channel);
    if (quant->format == WEIR_FORMAT_BINARY) {
        const float shifted = (float)x / (float)scale + (float)zero;
        return (zero == 0 ? x >= 0 : shifted >= 0) ? 1 : -1;
    }
    weir_quant_limits(quant, &low, &high);
    if (contract != WEIR_CONTRACT_REAL) return weir_encode_onnx((float)x, (float)scale, zero, low, high);
    return weir_encode_qonnx((float)x, (float)scale, (float)zero, quant->rounding, low, high);
}

/* x / count, both exact in float64. */
static int64_t encode_mean(double x, int64_t count, const weir_quant *quant, int64_t channel, weir_contract contract) {
    assert(count > 0 && contract < WEIR_CONTRACT_COUNT);
    int64_t low, high, zero = weir_quant_zero(quant, channel);
    double scale = weir_quant_scale(quant, channel) * (double)count;
    if (quant->format == WEIR_FORMAT_BINARY) return x / scale + (double)zero >= 0 ? 1 : -1;
    weir_quant_limits(quant, &low, &high);
    if (contract == WEIR_CONTRACT_REAL) return weir_encode_real(x, scale, (double)zero, quant->rounding, low, high);
    return weir_encode_real(x, scale, 0, WEIR_ROUND_HALF_EVEN, low - zero, high - zero) + zero;
}

int64_t weir_encode_sum(double x, const weir_quant *quant, int64_t channel, weir_contract contract) {
    return encode_mean(x, 1, quant, channel, contract);
}

/* MLAS is compiled with fused multiplications, which the compiler also makes of one of the two products of zero
 * points. */
weir_qlinear_sum weir_qlinear_sum_of(const weir_quant *a, const weir_quant *b, const weir_quant *to, int64_t low,
                                     int64_t high) {
    assert(a->count <= 1 && b->count <= 1 && to->count <= 1 && low <= high);
    const float scale = (float)weir_quant_scale(to, 0);
    weir_qlinear_sum sum = {.a = (float)weir_quant_scale(a, 0) / scale,
                            .b = (float)weir_quant_scale(b, 0) / scale,
                            .low = low,
                            .high = high};
    const float zero_b = sum.b * (float)weir_quant_zero(b, 0);
    sum.fixed = (float)weir_quant_zero(to, 0) - fmaf(sum.a, (float)weir_quant_zero(a, 0), zero_b);
    return sum;
}

int64_t weir_qlinear_sum_apply(const weir_qlinear_sum *sum, int64_t a, int64_t b) {
    const float x = fmaf((float)a, sum->a, fmaf((float)b, sum->b, sum->fixed));
    return weir_encode_onnx(x, 1, 0, sum->low, sum->high);
}

/* --- steps --- */

size_t weir_step_channels(const weir_step *step) {
    if (step->constant == NULL) return 1;
    return step->op == WEIR_OP_MULTI_THRESHOLD ? (size_t)step->constant->shape.dim[0] : step->constant->count;
}

static float constant_of(const weir_step *step, int64_t channel) {
    if (step->constant == NULL) return 0;
    assert(step->constant->dtype == WEIR_FLOAT32);
    return (float)weir_array_get(step->constant, step->constant->count == 1 ? 0 : (size_t)channel);
}

/* A MultiThreshold's row of thresholds for the channel. */
static const float *thresholds_of(const weir_step *step, int64_t channel, size_t *count) {
    assert(step->op == WEIR_OP_MULTI_THRESHOLD && step->constant->shape.rank == 2);
    assert(step->constant->dtype == WEIR_FLOAT32 && channel >= 0);
    assert(step->constant->shape.dim[0] == 1 || channel < step->constant->shape.dim[0]);
    *count = (size_t)step->constant->shape.dim[1];
    return (const float *)step->constant->data + (step->constant->shape.dim[0] == 1 ? 0 : (size_t)channel) * *count;
}

static float count_reached(const weir_step *step, int64_t channel, float x) {
    size_t count;
    const float *threshold = thresholds_of(step, channel, &count);
    return (float)weir_count_reached(threshold, count, x);
}

/* float32 arithmetic, one rounding a step: what the operators' kernels do to float32 tensors. */
static float apply_step(const weir_step *step, int64_t channel, float x) {
    if (step->op == WEIR_OP_MULTI_THRESHOLD) return count_reached(step, channel, x);
    const float c = constant_of(step, channel);
    switch (step->op) {
    case WEIR_OP_MUL: return x * c;
    case WEIR_OP_DIV: return x / c;
    case WEIR_OP_ADD: return x + c;
    case WEIR_OP_SUB: return x - c;
    case WEIR_OP_MAX: return x < c ? c : x;
    case WEIR_OP_MIN: return x > c ? c : x;
    case WEIR_OP_NEG: return -x;
    case WEIR_OP_IDENTITY: return x; /* as a float32 */
    case WEIR_OP_ROUND: return (float)weir_round((double)x, WEIR_ROUND_HALF_EVEN);
    case WEIR_OP_RELU: return x < 0 ? 0 : x;
    default: weir_unreachable("an operator that is not a step (weir_op_step)");
    }
}

/* "Mul Add Relu", and inputs from the third on: the constants of those that take one. */
static bool read_steps(const weir_graph *graph, weir_node node, weir_requantizer *requantizer) {
    const char *text = weir_node_string(graph, node, "steps", "");
    size_t input = 2;
    requantizer->step_count = 0;
    while (*text != '\0') {
        if (requantizer->step_count == WEIR_STEPS) return false;
        weir_step *step = &requantizer->step[requantizer->step_count++];
        bool takes_constant;
        step->constant = NULL;
        step->op = weir_op_step(&text, &takes_constant);
        if (step->op == WEIR_OP_NONE) return false;
        if (!takes_constant) continue;
        const weir_value value = weir_node_input(graph, node, input++);
        step->constant = value.id == 0 ? NULL : weir_value_constant(graph, value);
        if (step->constant == NULL) return false;
    }
    return input == 2 || input == weir_node_input_count(graph, node);
}

static bool read_floor(const weir_graph *graph, weir_node node, weir_requantizer *requantizer) {
    const weir_value factor = weir_node_input(graph, node, 2), addend = weir_node_input(graph, node, 3);
    if (factor.id == 0 || addend.id == 0) return false;
    requantizer->step_count = 0;
    requantizer->factor = weir_value_constant(graph, factor);
    requantizer->addend = weir_value_constant(graph, addend);
    requantizer->divisor = weir_node_int(graph, node, "divisor", 1);
    return requantizer->factor != NULL && requantizer->addend != NULL;
}

bool weir_requantizer_of(const weir_graph *graph, weir_node node, weir_requantizer *requantizer) {
    weir_value offset = weir_node_input(graph, node, 1);
    requantizer->from = &weir_value_type(graph, weir_node_input(graph, node, 0))->quant;
    requantizer->to = &weir_value_type(graph, weir_node_output(graph, node, 0))->quant;
    requantizer->offset = offset.id == 0 ? NULL : weir_value_constant(graph, offset);
    int64_t low, high;
    weir_quant_limits(requantizer->to, &low, &high);
    requantizer->low = weir_node_int(graph, node, "low", low);
    requantizer->high = weir_node_int(graph, node, "high", high);
    requantizer->count = weir_node_int(graph, node, "count", 1);
    requantizer->factor = requantizer->addend = NULL;
    if (!weir_contract_parse(weir_node_string(graph, node, "arithmetic", "qlinear"), &requantizer->contract))
        return false;
    return weir_requantizer_is_floor(requantizer) ? read_floor(graph, node, requantizer)
                                                  : read_steps(graph, node, requantizer);
}

static int64_t clip(int64_t code, int64_t low, int64_t high) { return code < low ? low : code > high ? high : code; }

float weir_requantizer_multiplier(const weir_requantizer *r, int64_t channel) {
    const float to = (float)weir_quant_scale(r->to, channel) * (float)r->count;
    return (float)weir_quant_element_scale(r->from, channel, r->count) / to;
}

bool weir_requantizer_is_floor(const weir_requantizer *r) { return r->contract == WEIR_CONTRACT_REQUANTSHIFT; }

static int64_t of_channel(const weir_array *numbers, int64_t channel) {
    return weir_array_get_int(numbers, numbers->count == 1 ? 0 : (size_t)channel);
}

/* Inference has seen to it that 64 bits hold the numerator. */
static int64_t apply_floor(const weir_requantizer *r, int64_t channel, int64_t code) {
    const int64_t numerator = code * of_channel(r->factor, channel) + of_channel(r->addend, channel);
    return clip(numerator / r->divisor - (numerator % r->divisor < 0), r->low, r->high);
}

bool weir_requantizer_is_product(const weir_requantizer *r) {
    return r->contract == WEIR_CONTRACT_ONNXRUNTIME && r->offset == NULL && r->step_count == 0;
}

weir_channel_product weir_requantizer_product(const weir_requantizer *r, int64_t channel) {
    return (weir_channel_product){weir_requantizer_multiplier(r, channel), weir_quant_zero(r->from, channel),
                                  weir_quant_zero(r->to, channel), r->low, r->high};
}

int64_t weir_channel_product_apply(const weir_channel_product *p, int64_t code) {
    return weir_requantize_onnx(code - p->from, p->multiplier, p->to, p->low, p->high);
}

void weir_channel_product_apply_each(const weir_channel_product *p, const int64_t *code, size_t count,
                                     int64_t *result) {
    weir_requantize_onnx_each(code, count, p->from, p->multiplier, p->to, p->low, p->high, result);
}

int64_t weir_requantizer_apply(const weir_requantizer *r, int64_t channel, int64_t code) {
    if (weir_requantizer_is_floor(r)) return apply_floor(r, channel, code);
    if (weir_requantizer_is_product(r)) {
        const weir_channel_product product = weir_requantizer_product(r, channel);
        return weir_channel_product_apply(&product, code);
    }
    const int64_t centered = code - weir_quant_zero(r->from, channel);
    const double count = (double)r->count;
    double real = (double)centered * weir_quant_element_scale(r->from, channel, r->count);
    if (r->offset != NULL) real += weir_array_get(r->offset, r->offset->count == 1 ? 0 : (size_t)channel);
    if (r->step_count == 0) return clip(encode_mean(real, r->count, r->to, channel, r->contract), r->low, r->high);
    float x = (float)(real / count);
    for (size_t i = 0; i < r->step_count; i++) x = apply_step(&r->step[i], channel, x);
    return clip(weir_encode((double)x, r->to, channel, r->contract), r->low, r->high);
}

/* Thresholds reached, a unit of what is compared: of those that are finite. */
static double threshold_slope(const weir_step *step, int64_t channel) {
    size_t count, finite = 0;
    const float *threshold = thresholds_of(step, channel, &count);
    float low = 0, high = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(threshold[i])) continue;
        low = finite == 0 || threshold[i] < low ? threshold[i] : low;
        high = finite == 0 || threshold[i] > high ? threshold[i] : high;
        finite++;
    }
    return high > low ? (double)(finite - 1) / ((double)high - (double)low) : 1;
}

double weir_requantizer_slope(const weir_requantizer *r, int64_t channel) {
    if (weir_requantizer_is_floor(r)) return (double)of_channel(r->factor, channel) / (double)r->divisor;
    double slope = weir_quant_scale(r->from, channel) / weir_quant_scale(r->to, channel);
    for (size_t i = 0; i < r->step_count; i++) {
        if (r->step[i].op == WEIR_OP_MULTI_THRESHOLD) {
            slope *= threshold_slope(&r->step[i], channel);
            continue;
        }
        const double c = (double)constant_of(&r->step[i], channel);
        if (r->step[i].op == WEIR_OP_MUL) slope *= c;
        if (r->step[i].op == WEIR_OP_DIV) slope /= c;
        if (r->step[i].op == WEIR_OP_NEG) slope = -slope;
    }
    return slope;
}
