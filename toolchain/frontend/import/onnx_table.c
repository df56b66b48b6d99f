#include "frontend/import/onnx_table.h"

/* A version has a row when it changes something that this importer can see. Element types are checked by type inference, and
 * by weir_onnx_types where ONNX takes fewer. */

/* --- operators --- */

#define ONNX WEIR_ONNX_DOMAIN_ONNX
#define MICROSOFT WEIR_ONNX_DOMAIN_MICROSOFT
#define QONNX WEIR_ONNX_DOMAIN_QONNX
#define ML WEIR_ONNX_DOMAIN_ML
#define INPUT(i) (1u << (i))

/* An operator whose inputs and outputs are those of op.def; one with other numbers of them; one with scales. */
#define RULE(name, id, since)                                                                                          \
    { ONNX, name, WEIR_OP_##id, since, false, 0, 0, 0, 0, false, false, 0, NULL, false }
/* The operator's name has no meaning from an opset on. */
#define RULE_GONE(name, id, since)                                                                                     \
    { ONNX, name, WEIR_OP_##id, since, true, 0, 0, 0, 0, false, false, 0, NULL, false }
#define RULE_ARITY(name, id, since, inputs_min, inputs_max, outputs_max)                                               \
    { ONNX, name, WEIR_OP_##id, since, false, inputs_min, inputs_max, outputs_max, 0, false, false, 0, NULL, false }
#define RULE_SCALES(domain, name, id, since, scales, per_axis)                                                         \
    { domain, name, WEIR_OP_##id, since, false, 0, 0, 0, scales, per_axis, false, 0, NULL, false }
/* ONNX Runtime's name for an operator of ai.onnx of an opset; one of codes. */
#define RULE_RUNTIME(name, id, opset, scales)                                                                          \
    { MICROSOFT, name, WEIR_OP_##id, 1, false, 0, 0, 0, scales, true, false, opset, NULL, false }
/* ReduceSum with another operator before or behind, with the attributes that ReduceSum has in an opset. */
#define RULE_SUMS(name, since, opset, inputs_max)                                                                      \
    { ONNX, name, WEIR_OP_REDUCE_SUM, since, false, 1, inputs_max, 0, 0, false, false, opset, NULL, false }
#define RULE_CODES(name, id, opset, inputs_min, inputs_max, codes)                                                     \
    { MICROSOFT, name, WEIR_OP_##id, 1, false, inputs_min, inputs_max, 0, 0, false, false, opset, codes, false }

/* What becomes several operators, with the attributes of the main one that opset `opset` of ai.onnx has. */
#define RULE_COMPOSED(domain, name, id, since, opset, inputs_min, inputs_max, outputs_max)                             \
    {                                                                                                                  \
        domain, name, WEIR_OP_##id, since, false, inputs_min, inputs_max, outputs_max, 0, false, false, opset, NULL,   \
            true                                                                                                       \
    }

static const weir_onnx_codes concat_codes = {.result_first = true}, where_codes = {.plain = 1};

const weir_onnx_rule weir_onnx_rules[] = {
    RULE_ARITY("Gemm", GEMM, 6, 3, 3, 0),
    RULE("Gemm", GEMM, 11), /* C may be left out */
    RULE("MatMul", MATMUL, 1),
    RULE("Add", ADD, 6),
    RULE_ARITY("Sum", ADD, 6, 1, -1, 0),
    RULE("Sub", SUB, 6),
    RULE("Mul", MUL, 6),
    RULE("Div", DIV, 6),
    RULE_ARITY("Mean", DIV, 6, 1, -1, 0),
    RULE("Exp", EXP, 6),
    RULE("Sqrt", SQRT, 6),
    RULE("Neg", NEG, 6),
    RULE("Abs", ABS, 6),
    RULE("Sigmoid", SIGMOID, 6),
    RULE("Tanh", TANH, 6),
    RULE("LeakyRelu", LEAKY_RELU, 6),
    RULE("Reciprocal", RECIPROCAL, 6),
    RULE("Log", LOG, 6),
    RULE("Erf", ERF, 9),
    RULE("Sign", SIGN, 9),
    RULE("Floor", FLOOR, 6),
    RULE("Ceil", CEIL, 6),
    RULE("Round", ROUND, 11),
    RULE("HardSigmoid", HARD_SIGMOID, 6),
    RULE("Elu", ELU, 6),
    RULE("Selu", SELU, 6),
    RULE("Softplus", SOFTPLUS, 1),
    RULE("Softsign", SOFTSIGN, 1),
    RULE("Gelu", GELU, 20),
    RULE("Celu", CELU, 12),
    RULE("PRelu", PRELU, 6),
    RULE("ThresholdedRelu", THRESHOLDED_RELU, 10),
    RULE("HardSwish", HARD_SWISH, 14),
    RULE("Swish", SWISH, 24),
    RULE("Mish", MISH, 18),
    RULE("Sin", SIN, 7),
    RULE("Cos", COS, 7),
    RULE("Tan", TAN, 7),
    RULE("Asin", ASIN, 7),
    RULE("Acos", ACOS, 7),
    RULE("Atan", ATAN, 7),
    RULE("Sinh", SINH, 9),
    RULE("Cosh", COSH, 9),
    RULE("Asinh", ASINH, 9),
    RULE("Acosh", ACOSH, 9),
    RULE("Atanh", ATANH, 9),
    RULE("Shrink", SHRINK, 9),
    RULE("IsNaN", IS_NAN, 9),
    RULE("IsInf", IS_INF, 10),
    RULE("Pow", POW, 1),
    RULE("Max", MAX, 6),
    RULE("Min", MIN, 6),
    RULE("BitShift", BIT_SHIFT, 11),
    RULE("Equal", EQUAL, 1),
    RULE("Greater", GREATER, 1),
    RULE("Less", LESS, 1),
    RULE("GreaterOrEqual", GREATER_OR_EQUAL, 12),
    RULE("LessOrEqual", LESS_OR_EQUAL, 12),
    RULE("And", AND, 1),
    RULE("Or", OR, 1),
    RULE("Xor", XOR, 1),
    RULE("Not", NOT, 1),
    RULE("Mod", MOD, 10),
    RULE("Where", WHERE, 9),
    RULE("Cast", CONVERT, 6),
    RULE_ARITY("Clip", CLIP, 6, 1, 1, 0),
    RULE("Clip", CLIP, 11),
    RULE_ARITY("Dropout", DROPOUT, 6, 1, 1, 2),
    RULE_ARITY("Dropout", DROPOUT, 12, 1, 3, 2),
    RULE("Relu", RELU, 6),
    RULE("Conv", CONV, 1),
    RULE("ConvTranspose", CONV_TRANSPOSE, 1),
    RULE_ARITY("MaxPool", MAX_POOL, 1, 1, 1, 2),
    RULE("AveragePool", AVERAGE_POOL, 1),
    RULE("GlobalAveragePool", GLOBAL_AVERAGE_POOL, 1),
    RULE("GlobalMaxPool", GLOBAL_MAX_POOL, 1),
    RULE_ARITY("BatchNormalization", BATCH_NORMALIZATION, 6, 5, 5, 5),
    RULE_ARITY("BatchNormalization", BATCH_NORMALIZATION, 14, 5, 5, 3),
    RULE_ARITY("LayerNormalization", LAYER_NORMALIZATION, 17, 2, 3, 3),
    RULE("InstanceNormalization", INSTANCE_NORMALIZATION, 6),
    RULE("LpNormalization", LP_NORMALIZATION, 1),
    RULE("Softmax", SOFTMAX, 1),
    RULE("LogSoftmax", LOG_SOFTMAX, 1),
    RULE("Hardmax", HARDMAX, 1),
    RULE_ARITY("ReduceMean", REDUCE_MEAN, 1, 1, 1, 0),
    RULE("ReduceMean", REDUCE_MEAN, 18),
    RULE_ARITY("ReduceSum", REDUCE_SUM, 1, 1, 1, 0),
    RULE("ReduceSum", REDUCE_SUM, 13),
    RULE_SUMS("ReduceL1", 1, 12, 1),
    RULE_SUMS("ReduceL1", 18, 13, 2),
    RULE_SUMS("ReduceL2", 1, 12, 1),
    RULE_SUMS("ReduceL2", 18, 13, 2),
    RULE_SUMS("ReduceSumSquare", 1, 12, 1),
    RULE_SUMS("ReduceSumSquare", 18, 13, 2),
    RULE_SUMS("ReduceLogSum", 1, 12, 1),
    RULE_SUMS("ReduceLogSum", 18, 13, 2),
    RULE_ARITY("ReduceMax", REDUCE_MAX, 1, 1, 1, 0),
    RULE("ReduceMax", REDUCE_MAX, 18),
    RULE_ARITY("ReduceMin", REDUCE_MIN, 1, 1, 1, 0),
    RULE("ReduceMin", REDUCE_MIN, 18),
    RULE_ARITY("ReduceProd", REDUCE_PROD, 1, 1, 1, 0),
    RULE("ReduceProd", REDUCE_PROD, 18),
    RULE("ArgMax", ARG_MAX, 1),
    RULE("ArgMin", ARG_MIN, 1),
    RULE_ARITY("TopK", TOP_K, 1, 1, 1, 2),
    RULE_ARITY("TopK", TOP_K, 10, 2, 2, 2),
    RULE("Concat", CONCAT, 4),
    RULE_ARITY("Slice", SLICE, 1, 1, 1, 0),
    RULE("Slice", SLICE, 10),
    RULE_ARITY("Split", SPLIT, 2, 1, 1, 0),
    RULE("Split", SPLIT, 13),
    RULE_ARITY("Squeeze", SQUEEZE, 1, 1, 1, 0),
    RULE("Squeeze", SQUEEZE, 13),
    RULE_ARITY("Unsqueeze", UNSQUEEZE, 1, 1, 1, 0),
    RULE("Unsqueeze", UNSQUEEZE, 13),
    RULE_ARITY("Pad", PAD, 2, 1, 1, 0),
    RULE_ARITY("Pad", PAD, 11, 2, 3, 0),
    RULE("Pad", PAD, 18),
    RULE_ARITY("Upsample", RESIZE, 7, 1, 1, 0), /* the name until 9 */
    RULE_ARITY("Upsample", RESIZE, 9, 2, 2, 0),
    RULE_GONE("Upsample", RESIZE, 10),
    RULE_ARITY("Resize", RESIZE, 10, 2, 2, 0),
    RULE_ARITY("Resize", RESIZE, 11, 3, 4, 0),
    RULE("Resize", RESIZE, 13),
    RULE("DepthToSpace", DEPTH_TO_SPACE, 1),
    RULE("SpaceToDepth", SPACE_TO_DEPTH, 1),
    RULE("Tile", TILE, 6),
    RULE("Gather", GATHER, 1),
    RULE("Expand", EXPAND, 8),
    RULE("Shape", SHAPE, 1),
    RULE("Size", SIZE, 1),
    RULE_ARITY("ConstantOfShape", CONSTANT_OF_SHAPE, 9, 1, 1, 0),
    RULE("Range", RANGE, 11),
    RULE("Flatten", FLATTEN, 1),
    RULE("Reshape", RESHAPE, 5),
    RULE("Transpose", TRANSPOSE, 1),
    RULE("Identity", IDENTITY, 1),
    RULE("Constant", NONE, 1),
    RULE_SCALES(ONNX, "QuantizeLinear", QUANTIZE_LINEAR, 10, INPUT(1), false),
    RULE_SCALES(ONNX, "QuantizeLinear", QUANTIZE_LINEAR, 13, INPUT(1), true),
    RULE_RUNTIME("QuantizeLinear", QUANTIZE_LINEAR, 21, INPUT(1)),
    RULE_SCALES(ONNX, "DequantizeLinear", DEQUANTIZE_LINEAR, 10, INPUT(1), false),
    RULE_SCALES(ONNX, "DequantizeLinear", DEQUANTIZE_LINEAR, 13, INPUT(1), true),
    RULE_RUNTIME("DequantizeLinear", DEQUANTIZE_LINEAR, 21, INPUT(1)),
    RULE_SCALES(ONNX, "QLinearMatMul", QLINEAR_MATMUL, 10, INPUT(1) | INPUT(4) | INPUT(6), true),
    RULE("MatMulInteger", MATMUL_INTEGER, 10),
    RULE("ConvInteger", CONV_INTEGER, 10),
    RULE_SCALES(ONNX, "QLinearConv", QLINEAR_CONV, 10, INPUT(1) | INPUT(4) | INPUT(6), true),
    RULE_SCALES(MICROSOFT, "QLinearConv", QLINEAR_CONV, 1, INPUT(1) | INPUT(4) | INPUT(6), true),
    RULE_RUNTIME("NhwcMaxPool", MAX_POOL, 12, 0),
    RULE_SCALES(MICROSOFT, "QLinearAdd", QLINEAR_ADD, 1, INPUT(1) | INPUT(4) | INPUT(6), true),
    RULE_SCALES(MICROSOFT, "QLinearMul", QLINEAR_MUL, 1, INPUT(1) | INPUT(4) | INPUT(6), true),
    RULE_SCALES(MICROSOFT, "QLinearSigmoid", QLINEAR_SIGMOID, 1, INPUT(1) | INPUT(3), true),
    RULE_SCALES(MICROSOFT, "QLinearLeakyRelu", QLINEAR_LEAKY_RELU, 1, INPUT(1) | INPUT(3), true),
    RULE_SCALES(MICROSOFT, "QLinearSoftmax", QLINEAR_SOFTMAX, 1, INPUT(1) | INPUT(3), true),
    RULE_SCALES(MICROSOFT, "QLinearAveragePool", QLINEAR_AVERAGE_POOL, 1, INPUT(1) | INPUT(3), true),
    RULE_SCALES(MICROSOFT, "QLinearGlobalAveragePool", QLINEAR_GLOBAL_AVERAGE_POOL, 1, INPUT(1) | INPUT(3), true),
    RULE_CODES("QLinearConcat", CONCAT, 13, 5, -1, &concat_codes),
    RULE_CODES("QLinearWhere", WHERE, 13, 9, 9, &where_codes),
    RULE_SCALES(MICROSOFT, "QGemm", QGEMM, 1, INPUT(1) | INPUT(4) | INPUT(7), true),
    RULE_SCALES(QONNX, "Quant", QUANT, 1, INPUT(1), true),
    RULE_SCALES(QONNX, "IntQuant", QUANT, 1, INPUT(1), true), /* its later name */
    RULE_SCALES(QONNX, "BipolarQuant", BIPOLAR_QUANT, 1, INPUT(1), true),
    {QONNX, "Trunc", WEIR_OP_TRUNC, 1, false, 5, 5, 0, INPUT(1), true, false, 0, NULL, false}, /* to a bit width */
    RULE_SCALES(QONNX, "Trunc", TRUNC, 2, INPUT(1) | INPUT(4), true), /* or to a scale and a bit width */
    RULE_SCALES(QONNX, "MultiThreshold", MULTI_THRESHOLD, 1, 0, false),
    RULE_SCALES(ML, "Scaler", SCALER, 1, 0, false),
    RULE_SCALES(ML, "ArrayFeatureExtractor", ARRAY_FEATURE_EXTRACTOR, 1, 0, false),
    {ML, "ZipMap", WEIR_OP_IDENTITY, 1, false, 0, 0, 0, 0, false, true, 0, NULL, false}, /* a map of what is a tensor */
    RULE_COMPOSED(ONNX, "Einsum", MATMUL, 12, 13, 2, 2, 0),
    RULE_COMPOSED(ONNX, "CumSum", MATMUL, 11, 13, 2, 2, 0),
    RULE_COMPOSED(ONNX, "OneHot", WHERE, 9, 13, 3, 3, 0),
    RULE_COMPOSED(ONNX, "GatherElements", GATHER, 11, 13, 2, 2, 0),
    RULE_COMPOSED(ONNX, "ScatterElements", GATHER, 11, 13, 3, 3, 0),
    RULE_COMPOSED(ONNX, "ScatterND", GATHER, 11, 13, 3, 3, 0),
    RULE_COMPOSED(MICROSOFT, "FusedGemm", GEMM, 1, 13, 2, 3, 0),
    RULE_COMPOSED(MICROSOFT, "FusedMatMul", MATMUL, 1, 13, 2, 2, 0),
    RULE_COMPOSED(MICROSOFT, "FusedConv", CONV, 1, 13, 2, 4, 0),
    RULE_RUNTIME("Gelu", GELU, 20, 0),
    RULE_COMPOSED(MICROSOFT, "BiasGelu", GELU, 1, 20, 2, 2, 0),
    RULE_COMPOSED(MICROSOFT, "FastGelu", GELU, 1, 20, 1, 2, 0),
    RULE_COMPOSED(MICROSOFT, "QuickGelu", SWISH, 1, 24, 1, 1, 0),
    RULE_COMPOSED(ML, "LinearRegressor", GEMM, 1, 13, 1, 1, 0),
    RULE_COMPOSED(ML, "LinearClassifier", GEMM, 1, 13, 1, 1, 2),
    RULE_COMPOSED(ML, "Normalizer", LP_NORMALIZATION, 1, 13, 1, 1, 0),
};
const size_t weir_onnx_rule_count = sizeof weir_onnx_rules / sizeof *weir_onnx_rules;

/* --- attributes --- */

static const weir_onnx_word roundings[] = {
    {"ROUND", "ROUND"}, {"HALF_EVEN", "ROUND"}, {"CEIL", "CEIL"},           {"FLOOR", "FLOOR"}, {"UP", "UP"},
    {"DOWN", "DOWN"},   {"HALF_UP", "HALF_UP"}, {"HALF_DOWN", "HALF_DOWN"}, {NULL, NULL},
};
static const weir_onnx_word auto_pads[] = {
    {"NOTSET", "NOTSET"}, {"SAME_UPPER", "SAME_UPPER"}, {"SAME_LOWER", "SAME_LOWER"}, {"VALID", "VALID"}, {NULL, NULL}};

static const weir_onnx_word approximations[] = {{"none", "none"}, {"tanh", "tanh"}, {NULL, NULL}};
static const weir_onnx_word directions_of_rounding[] = {
    {"up", "up"}, {"down", "down"}, {"nearest", "nearest"}, {NULL, NULL}}; /* to float8e8m0 */
static const weir_onnx_word scatterings[] = {{"none", "none"}, {NULL, NULL}};
static const weir_onnx_word activations[] = {{"Relu", "Relu"}, {"LeakyRelu", "LeakyRelu"},     {"Sigmoid", "Sigmoid"},
                                             {"Tanh", "Tanh"}, {"HardSigmoid", "HardSigmoid"}, {"Clip", "Clip"},
                                             {NULL, NULL}};
static const weir_onnx_word score_functions[] = {
    {"NONE", "NONE"}, {"SOFTMAX", "SOFTMAX"}, {"LOGISTIC", "LOGISTIC"}, {NULL, NULL}};
static const weir_onnx_word norms[] = {{"L1", "L1"}, {"L2", "L2"}, {NULL, NULL}};
static const weir_onnx_word block_modes[] = {{"DCR", "DCR"}, {"CRD", "CRD"}, {NULL, NULL}};
static const weir_onnx_word directions[] = {{"LEFT", "LEFT"}, {"RIGHT", "RIGHT"}, {NULL, NULL}};
static const weir_onnx_word padding_modes[] = {
    {"constant", "constant"}, {"reflect", "reflect"}, {"edge", "edge"}, {NULL, NULL}};
static const weir_onnx_word padding_modes_19[] = {
    {"constant", "constant"}, {"reflect", "reflect"}, {"edge", "edge"}, {"wrap", "wrap"}, {NULL, NULL}};
static const weir_onnx_word resizing_modes[] = {{"nearest", "nearest"}, {"linear", "linear"}, {NULL, NULL}};
static const weir_onnx_word aspect_ratios[] = {
    {"stretch", "stretch"}, {"not_larger", "not_larger"}, {"not_smaller", "not_smaller"}, {NULL, NULL}};
static const weir_onnx_word nearest_modes[] = {{"round_prefer_floor", "round_prefer_floor"},
                                               {"round_prefer_ceil", "round_prefer_ceil"},
                                               {"floor", "floor"},
                                               {"ceil", "ceil"},
                                               {NULL, NULL}};
static const weir_onnx_word coordinates[] = {{"half_pixel", "half_pixel"},
                                             {"pytorch_half_pixel", "pytorch_half_pixel"},
                                             {"align_corners", "align_corners"},
                                             {"asymmetric", "asymmetric"},
                                             {"tf_half_pixel_for_nn", "tf_half_pixel_for_nn"},
                                             {"half_pixel_symmetric", "half_pixel_symmetric"},
                                             {NULL, NULL}};

enum { OPTIONAL = false, REQUIRED = true };
enum { STAYS = WEIR_ONNX_STAYS, DROPPED = WEIR_ONNX_DROPPED, BIG = INT32_MAX, RANK = WEIR_MAX_RANK };

/* Integers (or lists of them) within bounds; words; everything else. */
#define WHOLE(id, name, kind, since, need, low, high, input)                                                           \
    { WEIR_OP_##id, NULL, name, WEIR_ONNX_##kind, since, need, low, high, NULL, input }
#define WORDS(id, name, since, need, words)                                                                            \
    { WEIR_OP_##id, NULL, name, WEIR_ONNX_STRING, since, need, 0, 0, words, STAYS }
#define DROPPED_WORDS(id, name, since, words)                                                                          \
    { WEIR_OP_##id, NULL, name, WEIR_ONNX_STRING, since, false, 0, 0, words, DROPPED }
#define OTHER(id, name, kind, since, need, input)                                                                      \
    { WEIR_OP_##id, NULL, name, WEIR_ONNX_##kind, since, need, 0, 0, NULL, input }
#define REMOVED(id, name, since)                                                                                       \
    { WEIR_OP_##id, NULL, name, WEIR_ONNX_REMOVED, since, false, 0, 0, NULL, STAYS }
/* Those of a composed rule: read by onnx_compose.c, or, STAYS, those of the graph's operator. */
#define OF(rule, id, name, kind, need, low, high, stays)                                                               \
    { WEIR_OP_##id, rule, name, WEIR_ONNX_##kind, 1, need, low, high, NULL, stays }
#define OF_WORDS(rule, id, name, need, words)                                                                          \
    { WEIR_OP_##id, rule, name, WEIR_ONNX_STRING, 1, need, 0, 0, words, DROPPED }
/* What every sliding window has; the version from which on it may be dilated. */
#define WINDOW(id, kernel, dilated)                                                                                    \
    WORDS(id, "auto_pad", 1, OPTIONAL, auto_pads), WHOLE(id, "kernel_shape", INTS, 1, kernel, 1, BIG, STAYS),          \
        WHOLE(id, "strides", INTS, 1, OPTIONAL, 1, BIG, STAYS), WHOLE(id, "pads", INTS, 1, OPTIONAL, 0, BIG, STAYS),   \
        WHOLE(id, "dilations", INTS, dilated, OPTIONAL, 1, BIG, STAYS)
/* An axis that may be negative from a version on. */
#define AXIS(id, need, negative)                                                                                       \
    WHOLE(id, "axis", INT, 1, need, 0, RANK - 1, STAYS), WHOLE(id, "axis", INT, negative, need, -RANK, RANK - 1, STAYS)
/* How the second operand was broadcast before that was numpy's way. */
#define BROADCAST(id)                                                                                                  \
    WHOLE(id, "broadcast", INT, 1, OPTIONAL, 0, 1, DROPPED),                                                           \
        WHOLE(id, "axis", INT, 1, OPTIONAL, -RANK, RANK, DROPPED), REMOVED(id, "broadcast", 7), REMOVED(id, "axis", 7)
/* A reduction whose axes are an input from a version on. */
#define REDUCTION(id, input)                                                                                           \
    WHOLE(id, "axes", INTS, 1, OPTIONAL, 0, RANK - 1, 1), WHOLE(id, "axes", INTS, 11, OPTIONAL, -RANK, RANK - 1, 1),   \
        REMOVED(id, "axes", input), WHOLE(id, "keepdims", INT, 1, OPTIONAL, 0, 1, STAYS),                              \
        WHOLE(id, "noop_with_empty_axes", INT, input, OPTIONAL, 0, 1, STAYS)

const weir_onnx_attribute_rule weir_onnx_attributes[] = {
    OTHER(GEMM, "alpha", FLOAT, 1, OPTIONAL, STAYS),
    OTHER(GEMM, "beta", FLOAT, 1, OPTIONAL, STAYS),
    WHOLE(GEMM, "transA", INT, 1, OPTIONAL, 0, 1, STAYS),
    WHOLE(GEMM, "transB", INT, 1, OPTIONAL, 0, 1, STAYS),
    WHOLE(GEMM, "broadcast", INT, 1, OPTIONAL, 0, 1, DROPPED),
    REMOVED(GEMM, "broadcast", 7),
    BROADCAST(ADD),
    BROADCAST(SUB),
    BROADCAST(MUL),
    BROADCAST(DIV),
    BROADCAST(POW),
    BROADCAST(EQUAL),
    BROADCAST(GREATER),
    BROADCAST(LESS),
    BROADCAST(AND),
    BROADCAST(OR),
    BROADCAST(XOR),
    OTHER(LEAKY_RELU, "alpha", FLOAT, 1, OPTIONAL, STAYS),
    OTHER(HARD_SIGMOID, "alpha", FLOAT, 1, OPTIONAL, STAYS),
    OTHER(HARD_SIGMOID, "beta", FLOAT, 1, OPTIONAL, STAYS),
    OTHER(ELU, "alpha", FLOAT, 1, OPTIONAL, STAYS),
    OTHER(SELU, "alpha", FLOAT, 1, OPTIONAL, STAYS),
    OTHER(SELU, "gamma", FLOAT, 1, OPTIONAL, STAYS),
    OTHER(CELU, "alpha", FLOAT, 12, OPTIONAL, STAYS),
    OTHER(THRESHOLDED_RELU, "alpha", FLOAT, 10, OPTIONAL, STAYS),
    OTHER(SWISH, "alpha", FLOAT, 24, OPTIONAL, STAYS),
    OTHER(SHRINK, "bias", FLOAT, 9, OPTIONAL, STAYS),
    OTHER(SHRINK, "lambd", FLOAT, 9, OPTIONAL, STAYS),
    WHOLE(IS_INF, "detect_negative", INT, 10, OPTIONAL, 0, 1, STAYS),
    WHOLE(IS_INF, "detect_positive", INT, 10, OPTIONAL, 0, 1, STAYS),
    OTHER(QLINEAR_LEAKY_RELU, "alpha", FLOAT, 1, OPTIONAL, STAYS),
    WORDS(GELU, "approximate", 20, OPTIONAL, approximations),
    WHOLE(MOD, "fmod", INT, 10, OPTIONAL, 0, 1, STAYS),
    WORDS(BIT_SHIFT, "direction", 11, REQUIRED, directions),
    OTHER(CONVERT, "to", DTYPE, 1, REQUIRED, STAYS),
    WHOLE(CONVERT, "saturate", INT, 19, OPTIONAL, 0, 1, DROPPED), /* concerns float8 alone */
    DROPPED_WORDS(CONVERT, "round_mode", 24, directions_of_rounding),
    OTHER(CLIP, "min", FLOAT, 1, OPTIONAL, 1),
    OTHER(CLIP, "max", FLOAT, 1, OPTIONAL, 2),
    REMOVED(CLIP, "min", 11),
    REMOVED(CLIP, "max", 11),
    WHOLE(DROPOUT, "is_test", INT, 1, REQUIRED, 1, 1, DROPPED), /* else it trains */
    REMOVED(DROPOUT, "is_test", 7),
    OTHER(DROPOUT, "ratio", FLOAT, 1, OPTIONAL, 1),
    REMOVED(DROPOUT, "ratio", 12),
    WHOLE(DROPOUT, "seed", INT, 12, OPTIONAL, INT64_MIN, INT64_MAX, DROPPED),
    WINDOW(CONV, OPTIONAL, 1),
    WHOLE(CONV, "group", INT, 1, OPTIONAL, 1, BIG, STAYS),
    WINDOW(CONV_INTEGER, OPTIONAL, 1),
    WHOLE(CONV_INTEGER, "group", INT, 1, OPTIONAL, 1, BIG, STAYS),
    WINDOW(QLINEAR_CONV, OPTIONAL, 1),
    WHOLE(QLINEAR_CONV, "group", INT, 1, OPTIONAL, 1, BIG, STAYS),
    WHOLE(QLINEAR_CONV, "channels_last", INT, 1, OPTIONAL, 0, 1, DROPPED), /* the importer makes Transposes of it */
    WINDOW(CONV_TRANSPOSE, OPTIONAL, 1),
    WHOLE(CONV_TRANSPOSE, "group", INT, 1, OPTIONAL, 1, BIG, STAYS),
    WHOLE(CONV_TRANSPOSE, "output_padding", INTS, 1, OPTIONAL, 0, BIG, STAYS),
    WHOLE(CONV_TRANSPOSE, "output_shape", INTS, 1, OPTIONAL, 1, BIG, STAYS),
    WINDOW(MAX_POOL, REQUIRED, 10),
    WHOLE(MAX_POOL, "ceil_mode", INT, 10, OPTIONAL, 0, 1, STAYS),
    WHOLE(MAX_POOL, "storage_order", INT, 8, OPTIONAL, 0, 1, DROPPED), /* concerns the second output alone */
    WINDOW(AVERAGE_POOL, REQUIRED, 19),
    WHOLE(AVERAGE_POOL, "ceil_mode", INT, 10, OPTIONAL, 0, 1, STAYS),
    WHOLE(AVERAGE_POOL, "count_include_pad", INT, 7, OPTIONAL, 0, 1, STAYS),
    OTHER(BATCH_NORMALIZATION, "epsilon", FLOAT, 1, OPTIONAL, STAYS),
    OTHER(BATCH_NORMALIZATION, "momentum", FLOAT, 1, OPTIONAL, DROPPED),    /* concerns training alone */
    WHOLE(BATCH_NORMALIZATION, "is_test", INT, 1, REQUIRED, 1, 1, DROPPED), /* else it trains */
    REMOVED(BATCH_NORMALIZATION, "is_test", 7),
    WHOLE(BATCH_NORMALIZATION, "spatial", INT, 1, OPTIONAL, 1, 1, DROPPED),
    REMOVED(BATCH_NORMALIZATION, "spatial", 9),
    WHOLE(BATCH_NORMALIZATION, "training_mode", INT, 14, OPTIONAL, 0, 0, DROPPED),
    WHOLE(LAYER_NORMALIZATION, "axis", INT, 17, OPTIONAL, -RANK, RANK - 1, STAYS),
    OTHER(LAYER_NORMALIZATION, "epsilon", FLOAT, 17, OPTIONAL, STAYS),
    WHOLE(LAYER_NORMALIZATION, "stash_type", INT, 17, OPTIONAL, 1, 1, DROPPED),
    OTHER(INSTANCE_NORMALIZATION, "epsilon", FLOAT, 1, OPTIONAL, STAYS),
    WHOLE(LP_NORMALIZATION, "axis", INT, 1, OPTIONAL, -RANK, RANK - 1, STAYS),
    WHOLE(LP_NORMALIZATION, "p", INT, 1, OPTIONAL, 1, 2, STAYS),
    AXIS(SOFTMAX, OPTIONAL, 11),
    AXIS(LOG_SOFTMAX, OPTIONAL, 11),
    AXIS(HARDMAX, OPTIONAL, 11),
    REDUCTION(REDUCE_MEAN, 18),
    REDUCTION(REDUCE_SUM, 13),
    REDUCTION(REDUCE_MAX, 18),
    REDUCTION(REDUCE_MIN, 18),
    REDUCTION(REDUCE_PROD, 18),
    AXIS(ARG_MAX, OPTIONAL, 11),
    WHOLE(ARG_MAX, "keepdims", INT, 1, OPTIONAL, 0, 1, STAYS),
    WHOLE(ARG_MAX, "select_last_index", INT, 12, OPTIONAL, 0, 1, STAYS),
    AXIS(ARG_MIN, OPTIONAL, 11),
    WHOLE(ARG_MIN, "keepdims", INT, 1, OPTIONAL, 0, 1, STAYS),
    WHOLE(ARG_MIN, "select_last_index", INT, 12, OPTIONAL, 0, 1, STAYS),
    AXIS(TOP_K, OPTIONAL, 10),
    WHOLE(TOP_K, "k", INT, 1, REQUIRED, 1, BIG, 1),
    REMOVED(TOP_K, "k", 10),
    WHOLE(TOP_K, "largest", INT, 11, OPTIONAL, 0, 1, STAYS),
    WHOLE(TOP_K, "sorted", INT, 11, OPTIONAL, 0, 1, STAYS),
    AXIS(CONCAT, REQUIRED, 11),
    WHOLE(SLICE, "starts", INTS, 1, REQUIRED, INT64_MIN, INT64_MAX, 1),
    WHOLE(SLICE, "ends", INTS, 1, REQUIRED, INT64_MIN, INT64_MAX, 2),
    WHOLE(SLICE, "axes", INTS, 1, OPTIONAL, -RANK, RANK - 1, 3),
    REMOVED(SLICE, "starts", 10),
    REMOVED(SLICE, "ends", 10),
    REMOVED(SLICE, "axes", 10),
    AXIS(SPLIT, OPTIONAL, 11),
    WHOLE(SPLIT, "split", INTS, 1, OPTIONAL, 0, INT64_MAX, 1),
    REMOVED(SPLIT, "split", 13),
    WHOLE(SPLIT, "num_outputs", INT, 18, OPTIONAL, 1, BIG, DROPPED), /* the importer makes sizes of it */
    WHOLE(SQUEEZE, "axes", INTS, 1, OPTIONAL, 0, RANK - 1, 1),
    WHOLE(SQUEEZE, "axes", INTS, 11, OPTIONAL, -RANK, RANK - 1, 1),
    REMOVED(SQUEEZE, "axes", 13),
    WHOLE(UNSQUEEZE, "axes", INTS, 1, REQUIRED, 0, RANK - 1, 1),
    WHOLE(UNSQUEEZE, "axes", INTS, 11, REQUIRED, -RANK, RANK - 1, 1),
    REMOVED(UNSQUEEZE, "axes", 13),
    WORDS(PAD, "mode", 1, OPTIONAL, padding_modes),
    WORDS(PAD, "mode", 19, OPTIONAL, padding_modes_19),
    WHOLE(PAD, "pads", INTS, 1, REQUIRED, -BIG, BIG, 1),
    OTHER(PAD, "value", FLOAT, 1, OPTIONAL, 2),
    REMOVED(PAD, "pads", 11),
    REMOVED(PAD, "value", 11),
    WORDS(RESIZE, "mode", 1, OPTIONAL, resizing_modes),
    OTHER(RESIZE, "scales", FLOATS, 1, REQUIRED, 2),
    REMOVED(RESIZE, "scales", 9),
    WORDS(RESIZE, "coordinate_transformation_mode", 11, OPTIONAL, coordinates),
    WORDS(RESIZE, "nearest_mode", 11, OPTIONAL, nearest_modes),
    OTHER(RESIZE, "cubic_coeff_a", FLOAT, 11, OPTIONAL, DROPPED),       /* concerns other modes */
    OTHER(RESIZE, "extrapolation_value", FLOAT, 11, OPTIONAL, DROPPED), /* the same */
    WHOLE(RESIZE, "exclude_outside", INT, 11, OPTIONAL, 0, 1, DROPPED), /* the same */
    WHOLE(RESIZE, "antialias", INT, 18, OPTIONAL, 0, 0, DROPPED),
    WORDS(RESIZE, "keep_aspect_ratio_policy", 18, OPTIONAL, aspect_ratios),
    WHOLE(RESIZE, "axes", INTS, 18, OPTIONAL, -RANK, RANK - 1, STAYS),
    WHOLE(DEPTH_TO_SPACE, "blocksize", INT, 1, REQUIRED, 1, BIG, STAYS),
    WORDS(DEPTH_TO_SPACE, "mode", 11, OPTIONAL, block_modes),
    WHOLE(SPACE_TO_DEPTH, "blocksize", INT, 1, REQUIRED, 1, BIG, STAYS),
    WORDS(SPACE_TO_DEPTH, "mode", 28, OPTIONAL, block_modes),
    AXIS(GATHER, OPTIONAL, 1),
    WHOLE(SHAPE, "start", INT, 15, OPTIONAL, INT64_MIN, INT64_MAX, STAYS),
    WHOLE(SHAPE, "end", INT, 15, OPTIONAL, INT64_MIN, INT64_MAX, STAYS),
    OTHER(CONSTANT_OF_SHAPE, "value", TENSOR, 9, OPTIONAL, 1),
    WHOLE(FLATTEN, "axis", INT, 1, OPTIONAL, 0, RANK, STAYS),
    WHOLE(FLATTEN, "axis", INT, 11, OPTIONAL, -RANK, RANK, STAYS),
    WHOLE(RESHAPE, "allowzero", INT, 14, OPTIONAL, 0, 1, STAYS),
    WHOLE(TRANSPOSE, "perm", PERMUTATION, 1, OPTIONAL, 0, RANK - 1, STAYS),
    WHOLE(QUANTIZE_LINEAR, "axis", INT, 13, OPTIONAL, -RANK, RANK - 1, STAYS),
    WHOLE(QUANTIZE_LINEAR, "saturate", INT, 19, OPTIONAL, 0, 1, STAYS), /* concerns float8 alone */
    WHOLE(QUANTIZE_LINEAR, "block_size", INT, 21, OPTIONAL, 0, 0, STAYS),
    OTHER(QUANTIZE_LINEAR, "output_dtype", DTYPE, 21, OPTIONAL, STAYS),
    WHOLE(QUANTIZE_LINEAR, "precision", INT, 23, OPTIONAL, 0, 1, DROPPED), /* float32, which is the scale's type */
    WHOLE(DEQUANTIZE_LINEAR, "axis", INT, 13, OPTIONAL, -RANK, RANK - 1, STAYS),
    WHOLE(DEQUANTIZE_LINEAR, "block_size", INT, 21, OPTIONAL, 0, BIG, STAYS),
    OTHER(DEQUANTIZE_LINEAR, "output_dtype", DTYPE, 23, OPTIONAL, STAYS),
    WHOLE(QLINEAR_SOFTMAX, "axis", INT, 1, OPTIONAL, -RANK, RANK - 1, STAYS),
    WHOLE(QLINEAR_SOFTMAX, "opset", INT, 1, REQUIRED, 1, BIG, STAYS), /* of the Softmax that it was */
    WORDS(QLINEAR_AVERAGE_POOL, "auto_pad", 1, OPTIONAL, auto_pads),
    WHOLE(QLINEAR_AVERAGE_POOL, "kernel_shape", INTS, 1, REQUIRED, 1, BIG, STAYS),
    WHOLE(QLINEAR_AVERAGE_POOL, "strides", INTS, 1, OPTIONAL, 1, BIG, STAYS),
    WHOLE(QLINEAR_AVERAGE_POOL, "pads", INTS, 1, OPTIONAL, 0, BIG, STAYS),
    WHOLE(QLINEAR_AVERAGE_POOL, "ceil_mode", INT, 1, OPTIONAL, 0, 1, STAYS),
    WHOLE(QLINEAR_AVERAGE_POOL, "count_include_pad", INT, 1, OPTIONAL, 0, 1, STAYS),
    WHOLE(QLINEAR_AVERAGE_POOL, "channels_last", INT, 1, OPTIONAL, 0, 1, STAYS),
    WHOLE(QLINEAR_GLOBAL_AVERAGE_POOL, "channels_last", INT, 1, OPTIONAL, 0, 1, STAYS),
    OTHER(QGEMM, "alpha", FLOAT, 1, OPTIONAL, STAYS),
    WHOLE(QGEMM, "transA", INT, 1, OPTIONAL, 0, 1, STAYS),
    WHOLE(QGEMM, "transB", INT, 1, OPTIONAL, 0, 1, STAYS),
    WHOLE(QUANT, "signed", INT, 1, REQUIRED, 0, 1, STAYS),
    WHOLE(QUANT, "narrow", INT, 1, REQUIRED, 0, 1, STAYS),
    WORDS(QUANT, "rounding_mode", 1, OPTIONAL, roundings),
    WORDS(TRUNC, "rounding_mode", 1, OPTIONAL, roundings),
    WHOLE(TRUNC, "signed", INT, 2, OPTIONAL, 0, 1, STAYS),
    WHOLE(TRUNC, "narrow", INT, 2, OPTIONAL, 0, 1, STAYS),
    OTHER(MULTI_THRESHOLD, "out_dtype", STRING, 1, OPTIONAL, STAYS),
    OTHER(MULTI_THRESHOLD, "out_scale", FLOAT, 1, OPTIONAL, STAYS),
    OTHER(MULTI_THRESHOLD, "out_bias", FLOAT, 1, OPTIONAL, STAYS),
    OTHER(MULTI_THRESHOLD, "data_layout", STRING, 1, OPTIONAL, STAYS),
    OTHER(SCALER, "offset", FLOATS, 1, OPTIONAL, STAYS),
    OTHER(SCALER, "scale", FLOATS, 1, OPTIONAL, STAYS),
    OF("Einsum", MATMUL, "equation", STRING, REQUIRED, 0, 0, DROPPED),
    OF("CumSum", MATMUL, "exclusive", INT, OPTIONAL, 0, 1, DROPPED),
    OF("CumSum", MATMUL, "reverse", INT, OPTIONAL, 0, 1, DROPPED),
    OF("OneHot", WHERE, "axis", INT, OPTIONAL, -RANK, RANK - 1, DROPPED),
    OF("GatherElements", GATHER, "axis", INT, OPTIONAL, -RANK, RANK - 1, DROPPED),
    OF("ScatterElements", GATHER, "axis", INT, OPTIONAL, -RANK, RANK - 1, DROPPED),
    OF_WORDS("ScatterElements", GATHER, "reduction", OPTIONAL, scatterings),
    OF_WORDS("ScatterND", GATHER, "reduction", OPTIONAL, scatterings),
    OF("FusedGemm", GEMM, "alpha", FLOAT, OPTIONAL, 0, 0, STAYS),
    OF("FusedGemm", GEMM, "beta", FLOAT, OPTIONAL, 0, 0, STAYS),
    OF("FusedGemm", GEMM, "transA", INT, OPTIONAL, 0, 1, STAYS),
    OF("FusedGemm", GEMM, "transB", INT, OPTIONAL, 0, 1, STAYS),
    OF_WORDS("FusedGemm", GEMM, "activation", OPTIONAL, activations),
    OF("FusedGemm", GEMM, "activation_alpha", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("FusedGemm", GEMM, "activation_beta", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("FusedGemm", GEMM, "activation_gamma", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("FusedMatMul", MATMUL, "alpha", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("FusedMatMul", MATMUL, "transA", INT, OPTIONAL, 0, 1, DROPPED),
    OF("FusedMatMul", MATMUL, "transB", INT, OPTIONAL, 0, 1, DROPPED),
    OF("FusedMatMul", MATMUL, "transBatchA", INT, OPTIONAL, 0, 0, DROPPED),
    OF("FusedMatMul", MATMUL, "transBatchB", INT, OPTIONAL, 0, 0, DROPPED),
    {WEIR_OP_CONV, "FusedConv", "auto_pad", WEIR_ONNX_STRING, 1, OPTIONAL, 0, 0, auto_pads, STAYS},
    OF("FusedConv", CONV, "kernel_shape", INTS, OPTIONAL, 1, BIG, STAYS),
    OF("FusedConv", CONV, "strides", INTS, OPTIONAL, 1, BIG, STAYS),
    OF("FusedConv", CONV, "pads", INTS, OPTIONAL, 0, BIG, STAYS),
    OF("FusedConv", CONV, "dilations", INTS, OPTIONAL, 1, BIG, STAYS),
    OF("FusedConv", CONV, "group", INT, OPTIONAL, 1, BIG, STAYS),
    OF_WORDS("FusedConv", CONV, "activation", OPTIONAL, activations),
    OF("FusedConv", CONV, "activation_params", FLOATS, OPTIONAL, 0, 0, DROPPED),
    OF("QuickGelu", SWISH, "alpha", FLOAT, OPTIONAL, 0, 0, STAYS),
    OF("LinearRegressor", GEMM, "coefficients", FLOATS, REQUIRED, 0, 0, DROPPED),
    OF("LinearRegressor", GEMM, "intercepts", FLOATS, OPTIONAL, 0, 0, DROPPED),
    OF("LinearRegressor", GEMM, "targets", INT, OPTIONAL, 1, BIG, DROPPED),
    OF_WORDS("LinearRegressor", GEMM, "post_transform", OPTIONAL, score_functions),
    OF("LinearClassifier", GEMM, "coefficients", FLOATS, REQUIRED, 0, 0, DROPPED),
    OF("LinearClassifier", GEMM, "intercepts", FLOATS, OPTIONAL, 0, 0, DROPPED),
    OF("LinearClassifier", GEMM, "multi_class", INT, OPTIONAL, 0, 1, DROPPED),
    OF("LinearClassifier", GEMM, "classlabels_ints", INTS, OPTIONAL, INT64_MIN, INT64_MAX, DROPPED),
    OF("LinearClassifier", GEMM, "classlabels_strings", STRINGS, OPTIONAL, 0, 0, DROPPED),
    OF_WORDS("LinearClassifier", GEMM, "post_transform", OPTIONAL, score_functions),
    OF_WORDS("Normalizer", LP_NORMALIZATION, "norm", OPTIONAL, norms),
    OTHER(NONE, "value", TENSOR, 1, OPTIONAL, STAYS),
    OTHER(NONE, "sparse_value", REFUSED, 11, OPTIONAL, STAYS),
    OTHER(NONE, "value_float", FLOAT, 12, OPTIONAL, STAYS),
    OTHER(NONE, "value_floats", FLOATS, 12, OPTIONAL, STAYS),
    WHOLE(NONE, "value_int", INT, 12, OPTIONAL, INT64_MIN, INT64_MAX, STAYS),
    WHOLE(NONE, "value_ints", INTS, 12, OPTIONAL, INT64_MIN, INT64_MAX, STAYS),
    OTHER(NONE, "value_string", REFUSED, 12, OPTIONAL, STAYS),
    OTHER(NONE, "value_strings", REFUSED, 12, OPTIONAL, STAYS),
};
const size_t weir_onnx_attribute_count = sizeof weir_onnx_attributes / sizeof *weir_onnx_attributes;

/* --- element types --- */

enum { NEVER = WEIR_ONNX_NEVER };

const weir_onnx_type_rule weir_onnx_types[] = {
    {WEIR_OP_QUANTIZE_LINEAR, WEIR_INT16, 21, NULL},
    {WEIR_OP_QUANTIZE_LINEAR, WEIR_UINT16, 21, NULL},
    {WEIR_OP_DEQUANTIZE_LINEAR, WEIR_INT16, 21, NULL},
    {WEIR_OP_DEQUANTIZE_LINEAR, WEIR_UINT16, 21, NULL},
    {WEIR_OP_RELU, WEIR_UINT8, NEVER, NULL},
    {WEIR_OP_RELU, WEIR_UINT16, NEVER, NULL},
    {WEIR_OP_RELU, WEIR_UINT32, NEVER, NULL},
    {WEIR_OP_RELU, WEIR_UINT64, NEVER, NULL},
    {WEIR_OP_MAX_POOL, WEIR_INT16, NEVER, NULL},
    {WEIR_OP_MAX_POOL, WEIR_INT32, NEVER, NULL},
    {WEIR_OP_MAX_POOL, WEIR_INT64, NEVER, NULL},
    {WEIR_OP_MAX_POOL, WEIR_UINT16, NEVER, NULL},
    {WEIR_OP_MAX_POOL, WEIR_UINT32, NEVER, NULL},
    {WEIR_OP_MAX_POOL, WEIR_UINT64, NEVER, NULL},
    {WEIR_OP_REDUCE_MEAN, WEIR_INT16, NEVER, NULL},
    {WEIR_OP_REDUCE_MEAN, WEIR_UINT16, NEVER, NULL},
    {WEIR_OP_REDUCE_MEAN, WEIR_INT8, NEVER, NULL},
    {WEIR_OP_REDUCE_MEAN, WEIR_UINT8, NEVER, NULL},
    {WEIR_OP_REDUCE_SUM, WEIR_INT16, NEVER, NULL},
    {WEIR_OP_REDUCE_SUM, WEIR_UINT16, NEVER, NULL},
    {WEIR_OP_REDUCE_SUM, WEIR_INT8, NEVER, NULL},
    {WEIR_OP_REDUCE_SUM, WEIR_UINT8, NEVER, NULL},
    {WEIR_OP_REDUCE_PROD, WEIR_INT16, NEVER, NULL},
    {WEIR_OP_REDUCE_PROD, WEIR_UINT16, NEVER, NULL},
    {WEIR_OP_REDUCE_PROD, WEIR_INT8, NEVER, NULL},
    {WEIR_OP_REDUCE_PROD, WEIR_UINT8, NEVER, NULL},
    {WEIR_OP_REDUCE_MAX, WEIR_INT16, NEVER, NULL},
    {WEIR_OP_REDUCE_MAX, WEIR_UINT16, NEVER, NULL},
    {WEIR_OP_REDUCE_MIN, WEIR_INT16, NEVER, NULL},
    {WEIR_OP_REDUCE_MIN, WEIR_UINT16, NEVER, NULL},
    {WEIR_OP_REDUCE_MAX, WEIR_BOOL, 20, NULL},
    {WEIR_OP_REDUCE_MIN, WEIR_BOOL, 20, NULL},
    {WEIR_OP_BIT_SHIFT, WEIR_INT8, 28, NULL},
    {WEIR_OP_BIT_SHIFT, WEIR_INT16, 28, NULL},
    {WEIR_OP_BIT_SHIFT, WEIR_INT32, 28, NULL},
    {WEIR_OP_BIT_SHIFT, WEIR_INT64, 28, NULL},
    {WEIR_OP_MOD, WEIR_FLOAT16, 28, "fmod"},
    {WEIR_OP_MOD, WEIR_FLOAT32, 28, "fmod"},
    {WEIR_OP_MOD, WEIR_FLOAT64, 28, "fmod"},
    {WEIR_OP_NONE, WEIR_INT4, 21, NULL},
    {WEIR_OP_NONE, WEIR_UINT4, 21, NULL},
    {WEIR_OP_NONE, WEIR_BFLOAT16, 13, NULL},
};
const size_t weir_onnx_type_count = sizeof weir_onnx_types / sizeof *weir_onnx_types;
