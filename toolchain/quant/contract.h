/* Whose rounding applies: what "bit-exact" refers to (DESIGN, "Numbers"), for each node ("arithmetic" in text IR:
 * qlinear, quant, exact, requantshift), applied here to quantization records, per channel. */
#ifndef WEIR_QUANT_CONTRACT_H
#define WEIR_QUANT_CONTRACT_H

#include "ir/graph/graph.h"

typedef enum weir_contract {
    WEIR_CONTRACT_ONNXRUNTIME, /* float32 scales and products, half to even: ONNX Runtime's fused kernels */
    WEIR_CONTRACT_REAL,        /* float64 arithmetic, rounding by the quantization record: QONNX, MASE's fixed point */
    /* of sums: ONNX Runtime's rounding of the exact number: its float kernels, except for their own error */
    WEIR_CONTRACT_EXACT,
    /* of whole numbers: RequantShift's domain, the floor of (code * factor + addend) / divisor */
    WEIR_CONTRACT_REQUANTSHIFT,
    WEIR_CONTRACT_COUNT
} weir_contract;

const char *weir_contract_name(weir_contract contract);
bool weir_contract_parse(const char *name, weir_contract *contract);

/* Scale of a product of two scaled values: float32(a * b), or the float64 product. */
double weir_contract_product(weir_contract contract, double a, double b);
/* Code of the real number x in a quantization (scale and zero point of `channel`), clipped to its limits, as the host
 * computes it in float32. Binary formats give +1 for x / scale + zero >= 0, else -1. */
int64_t weir_encode(double x, const weir_quant *quant, int64_t channel, weir_contract contract);

/* The same for a sum of scaled values, exact in float64 and rounded once: ONNX rounds x / scale and then adds the zero
 * point, QONNX rounds x / scale + zero, which differs at ties if the zero point is odd. */
int64_t weir_encode_sum(double x, const weir_quant *quant, int64_t channel, weir_contract contract);

/* QLinearAdd as ONNX Runtime computes it on x86-64: float32 with fused multiplications, the result's zero point added
 * before it rounds. Its kernels without fused multiplications differ next to ties. */
typedef struct weir_qlinear_sum {
    float a, b;  /* codes of the result, a code of each operand */
    float fixed; /* the contribution of the zero points */
    int64_t low, high;
} weir_qlinear_sum;

/* For operands and a result with one scale each, the result clipped to [low, high]. An operand that is a single number
 * is b: the kernel swaps them. */
weir_qlinear_sum weir_qlinear_sum_of(const weir_quant *a, const weir_quant *b, const weir_quant *to, int64_t low,
                                     int64_t high);
int64_t weir_qlinear_sum_apply(const weir_qlinear_sum *sum, int64_t a, int64_t b);

/* One operation of the model between codes and the quantizer after them: x, a real number, becomes x op constant. */
typedef struct weir_step {
    weir_op op; /* of weir_op_step; a MultiThreshold only counts */
    /* float32, one or one per channel; of a MultiThreshold a row for all or one per channel; NULL: none */
    const weir_array *constant;
} weir_step;

/* How many channels its constant distinguishes; 1: none. */
size_t weir_step_channels(const weir_step *step);

enum { WEIR_STEPS = 32 };

/* The function that a Requantize node applies to the codes of one channel; monotone in the code. Without steps it is
 * the contract's own; with steps every operation of the model is rounded to float32, as the model's operators round. */
typedef struct weir_requantizer {
    weir_contract contract;
    const weir_quant *from, *to;
    const weir_array *offset; /* real numbers added before quantizing, one or one per channel; NULL: none */
    int64_t low, high;        /* clip bounds in codes of `to` */
    int64_t count;            /* number of elements whose mean is quantized; 1: no mean */
    size_t step_count;
    weir_step step[WEIR_STEPS];
    const weir_array *factor, *addend; /* of requantshift alone, one or one per channel, and above 0 */
    int64_t divisor;
} weir_requantizer;

/* Reads contract, low, high, the offset and the steps of a Requantize node; false if a name is unknown. */
bool weir_requantizer_of(const weir_graph *graph, weir_node node, weir_requantizer *requantizer);
int64_t weir_requantizer_apply(const weir_requantizer *requantizer, int64_t channel, int64_t code);
/* Is it the floor of a quotient of whole numbers? */
bool weir_requantizer_is_floor(const weir_requantizer *requantizer);
/* Is it one float32 product and its rounding? Then the channel's product is `apply`. */
bool weir_requantizer_is_product(const weir_requantizer *requantizer);
/* Its parameters for one channel, read once. */
typedef struct weir_channel_product {
    float multiplier;
    int64_t from, to; /* zero points */
    int64_t low, high;
} weir_channel_product;
weir_channel_product weir_requantizer_product(const weir_requantizer *requantizer, int64_t channel);
int64_t weir_channel_product_apply(const weir_channel_product *product, int64_t code);
void weir_channel_product_apply_each(const weir_channel_product *product, const int64_t *code, size_t count,
                                     int64_t *result);
/* The float32 factor from a code minus its zero point to a code minus its zero point, without steps. */
float weir_requantizer_multiplier(const weir_requantizer *requantizer, int64_t channel);
/* Output codes per input code without clipping; negative: the function falls, 0: it is constant. */
double weir_requantizer_slope(const weir_requantizer *requantizer, int64_t channel);

#endif
