#include "frontend/import/onnx_table.h"

#include <string.h>

/* A version has a row when it changes something that this importer can see. Element types are checked by type
 * inference, and by weir_onnx_types_of where ONNX takes fewer. */

/* --- operators --- */

enum { WEIR_ONNX_DOMAIN_WEIR = WEIR_ONNX_DOMAIN_COUNT }; /* files have none of its operators */

#define INPUT(i) (1u << (i))

/* For each operator the rules of its row under its own name; the list ends with one without a name. */
#define WEIR_OP_FACTS(id, of_domain, as_name, ...)                                                                     \
    static const weir_onnx_rule *rules_of_##id(void) {                                                                 \
        enum { SELF = WEIR_OP_##id, OWN_DOMAIN = WEIR_ONNX_DOMAIN_##of_domain };                                       \
        static const char own_name[] = as_name;                                                                        \
        static const weir_onnx_rule rules[] = {__VA_ARGS__{.op = (weir_op)SELF, .name = NULL}};                        \
        (void)own_name;                                                                                                \
        return rules;                                                                                                  \
    }
#define SINCE(...)                                                                                                     \
    {.domain = (weir_onnx_domain)OWN_DOMAIN, .name = own_name, .op = (weir_op)SELF, .since = __VA_ARGS__},
#include "ir/graph/op.def"

#define ONNX WEIR_ONNX_DOMAIN_ONNX
#define MICROSOFT WEIR_ONNX_DOMAIN_MICROSOFT
#define QONNX WEIR_ONNX_DOMAIN_QONNX
#define ML WEIR_ONNX_DOMAIN_ML
#define MCT WEIR_ONNX_DOMAIN_MCT

/* An operator whose inputs and outputs are those of op.def; one with other numbers of them; one with scales. */
#define RULE(name, id, since)                                                                                          \
    { ONNX, name, WEIR_OP_##id, since, false, 0, 0, 0, 0, false, false, 0, NULL, NULL }
/* The operator's name has no meaning from an opset on. */
#define RULE_GONE(name, id, since)                                                                                     \
    { ONNX, name, WEIR_OP_##id, since, true, 0, 0, 0, 0, false, false, 0, NULL, NULL }
#define RULE_ARITY(name, id, since, inputs_min, inputs_max, outputs_max)                                               \
    { ONNX, name, WEIR_OP_##id, since, false, inputs_min, inputs_max, outputs_max, 0, false, false, 0, NULL, NULL }
#define RULE_SCALES(domain, name, id, since, scales, per_axis)                                                         \
    { domain, name, WEIR_OP_##id, since, false, 0, 0, 0, scales, per_axis, false, 0, NULL, NULL }
/* ONNX Runtime's name for an operator of ai.onnx of an opset; one of codes. */
#define RULE_RUNTIME(name, id, opset, scales)                                                                          \
    { MICROSOFT, name, WEIR_OP_##id, 1, false, 0, 0, 0, scales, true, false, opset, NULL, NULL }
/* ReduceSum with another operator before or behind, with the attributes that ReduceSum has in an opset. */
#define RULE_SUMS(name, since, opset, inputs_max)                                                                      \
    { ONNX, name, WEIR_OP_REDUCE_SUM, since, false, 1, inputs_max, 0, 0, false, false, opset, NULL, NULL }
#define RULE_CODES(name, id, opset, inputs_min, inputs_max, codes)                                                     \
    { MICROSOFT, name, WEIR_OP_##id, 1, false, inputs_min, inputs_max, 0, 0, false, false, opset, codes, NULL }

/* What becomes several operators, with the attributes of the main one that opset `opset` of ai.onnx has; one whose form
 * has another name than the operator. */
#define RULE_FORM(domain, name, form, id, since, opset, inputs_min, inputs_max, outputs_max)                           \
    {                                                                                                                  \
        domain, name, WEIR_OP_##id, since, false, inputs_min, inputs_max, outputs_max, 0, false, false, opset, NULL,   \
            form                                                                                                       \
    }
#define RULE_COMPOSED(domain, name, id, since, opset, inputs_min, inputs_max, outputs_max)                             \
    RULE_FORM(domain, name, name, id, since, opset, inputs_min, inputs_max, outputs_max)

static const weir_onnx_codes concat_codes = {.result_first = true}, where_codes = {.plain = 1};

/* Other names of operators, names in other domains, and names of what becomes several. */
static const weir_onnx_rule named_rules[] = {
    RULE_ARITY("Sum", ADD, 6, 1, -1, 0),
    RULE_ARITY("Mean", DIV, 6, 1, -1, 0),
    RULE_SUMS("ReduceL1", 1, 12, 1),
    RULE_SUMS("ReduceL1", 18, 13, 2),
    RULE_SUMS("ReduceL2", 1, 12, 1),
    RULE_SUMS("ReduceL2", 18, 13, 2),
    RULE_SUMS("ReduceSumSquare", 1, 12, 1),
    RULE_SUMS("ReduceSumSquare", 18, 13, 2),
    RULE_SUMS("ReduceLogSum", 1, 12, 1),
    RULE_SUMS("ReduceLogSum", 18, 13, 2),
    RULE_SUMS("ReduceLogSumExp", 1, 12, 1),
    RULE_SUMS("ReduceLogSumExp", 18, 13, 2),
    RULE_ARITY("Upsample", RESIZE, 7, 1, 1, 0), /* the name until 9 */
    RULE_ARITY("Upsample", RESIZE, 9, 2, 2, 0),
    RULE_GONE("Upsample", RESIZE, 10),
    RULE("Constant", NONE, 1),
    RULE_COMPOSED(ONNX, "If", NONE, 1, 13, 1, 1, -1),
    RULE_COMPOSED(ONNX, "Loop", NONE, 1, 13, 0, -1, -1),
    RULE_COMPOSED(ONNX, "Scan", NONE, 9, 13, 1, -1, -1),
    RULE_COMPOSED(ONNX, "SequenceConstruct", NONE, 11, 13, 1, -1, 1),
    RULE_COMPOSED(ONNX, "SequenceEmpty", NONE, 11, 13, 0, 0, 1),
    RULE_COMPOSED(ONNX, "SequenceInsert", NONE, 11, 13, 2, 3, 1),
    RULE_COMPOSED(ONNX, "SequenceErase", NONE, 11, 13, 1, 2, 1),
    RULE_COMPOSED(ONNX, "SplitToSequence", NONE, 11, 13, 1, 2, 1),
    RULE_COMPOSED(ONNX, "SequenceAt", NONE, 11, 13, 2, 2, 1),
    RULE_COMPOSED(ONNX, "SequenceLength", NONE, 11, 13, 1, 1, 1),
    RULE_COMPOSED(ONNX, "ConcatFromSequence", NONE, 11, 13, 1, 1, 1),
    RULE_RUNTIME("QuantizeLinear", QUANTIZE_LINEAR, 21, INPUT(1)),
    RULE_RUNTIME("DequantizeLinear", DEQUANTIZE_LINEAR, 21, INPUT(1)),
    RULE_SCALES(MICROSOFT, "QLinearConv", QLINEAR_CONV, 1, INPUT(1) | INPUT(4) | INPUT(6), true),
    RULE_RUNTIME("NhwcMaxPool", MAX_POOL, 12, 0),
    RULE_CODES("QLinearConcat", CONCAT, 13, 5, -1, &concat_codes),
    RULE_CODES("QLinearWhere", WHERE, 13, 9, 9, &where_codes),
    RULE_SCALES(QONNX, "IntQuant", QUANT, 1, INPUT(1), true),                           /* its later name */
    {ML, "ZipMap", WEIR_OP_IDENTITY, 1, false, 0, 0, 0, 0, false, true, 0, NULL, NULL}, /* a map of what is a tensor */
    RULE_COMPOSED(ONNX, "Einsum", MATMUL, 12, 13, 1, -1, 0),
    RULE_COMPOSED(ONNX, "Trilu", WHERE, 14, 16, 1, 2, 0),
    RULE_FORM(MICROSOFT, "Trilu", "Trilu", WHERE, 1, 16, 1, 2, 0),
    RULE_COMPOSED(ONNX, "Attention", MATMUL, 23, 13, 3, 6, 4),
    RULE_COMPOSED(ONNX, "Attention", MATMUL, 24, 13, 3, 7, 4),
    RULE_FORM(MICROSOFT, "Attention", "RuntimeAttention", MATMUL, 1, 13, 2, 7, 2),
    RULE_COMPOSED(MICROSOFT, "MultiHeadAttention", MATMUL, 1, 13, 1, 10, 3),
    RULE_COMPOSED(ONNX, "RotaryEmbedding", ADD, 23, 13, 3, 4, 0),
    RULE_FORM(MICROSOFT, "RotaryEmbedding", "RuntimeRotaryEmbedding", ADD, 1, 13, 4, 4, 0),
    RULE_COMPOSED(ONNX, "GroupNormalization", INSTANCE_NORMALIZATION, 18, 13, 3, 3, 0),
    RULE_COMPOSED(ONNX, "LRN", DIV, 1, 13, 1, 1, 0),
    RULE_COMPOSED(MICROSOFT, "SkipLayerNormalization", LAYER_NORMALIZATION, 1, 17, 3, 5, 4),
    RULE_COMPOSED(MICROSOFT, "SkipSimplifiedLayerNormalization", RMS_NORMALIZATION, 1, 23, 3, 4, 4),
    RULE_COMPOSED(MICROSOFT, "EmbedLayerNormalization", LAYER_NORMALIZATION, 1, 17, 1, 9, 3),
    {ONNX, "SimplifiedLayerNormalization", WEIR_OP_RMS_NORMALIZATION, 1, false, 2, 2, 2, 0, false, false, 23, NULL,
     NULL}, /* ONNX Runtime's name for it */
    RULE_COMPOSED(ONNX, "LSTM", RESHAPE, 7, 13, 3, 8, 3),
    RULE_COMPOSED(ONNX, "GRU", RESHAPE, 7, 13, 3, 6, 2),
    RULE_COMPOSED(ONNX, "RNN", RESHAPE, 7, 13, 3, 6, 2),
    RULE_COMPOSED(ONNX, "CumSum", MATMUL, 11, 13, 2, 2, 0),
    RULE_COMPOSED(ONNX, "OneHot", WHERE, 9, 13, 3, 3, 0),
    RULE_COMPOSED(ONNX, "GatherElements", GATHER, 11, 13, 2, 2, 0),
    RULE_COMPOSED(ONNX, "GatherND", GATHER, 11, 13, 2, 2, 0),
    RULE_COMPOSED(ONNX, "ScatterElements", GATHER, 11, 13, 3, 3, 0),
    RULE_COMPOSED(ONNX, "ScatterND", GATHER, 11, 13, 3, 3, 0),
    RULE_COMPOSED(MICROSOFT, "FusedGemm", GEMM, 1, 13, 2, 3, 0),
    RULE_COMPOSED(MICROSOFT, "FusedMatMul", MATMUL, 1, 13, 2, 2, 0),
    RULE_COMPOSED(MICROSOFT, "FusedConv", CONV, 1, 13, 2, 4, 0),
    RULE_COMPOSED(MICROSOFT, "MatMulIntegerToFloat", MATMUL, 1, 13, 4, 7, 0),
    RULE_COMPOSED(MICROSOFT, "DynamicQuantizeMatMul", MATMUL_INTEGER, 1, 13, 3, 5, 0),
    RULE_COMPOSED(MICROSOFT, "MatMulNBits", MATMUL, 1, 13, 3, 6, 0),
    RULE_COMPOSED(MICROSOFT, "MatMulBnb4", MATMUL, 1, 13, 3, 3, 0),
    RULE_COMPOSED(ONNX, "CastLike", CAST, 15, 13, 2, 2, 0),
    RULE_RUNTIME("Gelu", GELU, 20, 0),
    RULE_COMPOSED(MICROSOFT, "BiasGelu", GELU, 1, 20, 2, 2, 0),
    RULE_COMPOSED(MICROSOFT, "FastGelu", GELU, 1, 20, 1, 2, 0),
    RULE_COMPOSED(MICROSOFT, "QuickGelu", SWISH, 1, 24, 1, 1, 0),
    RULE_COMPOSED(ML, "LinearRegressor", GEMM, 1, 13, 1, 1, 0),
    RULE_COMPOSED(ML, "LinearClassifier", GEMM, 1, 13, 1, 1, 2),
    RULE_COMPOSED(ML, "Binarizer", CAST, 1, 13, 1, 1, 0),
    RULE_COMPOSED(ML, "Normalizer", LP_NORMALIZATION, 1, 13, 1, 1, 0),
    RULE_COMPOSED(MCT, "ActivationPOTQuantizer", QUANT, 1, 13, 1, 1, 0),
    RULE_COMPOSED(MCT, "ActivationSymmetricQuantizer", QUANT, 1, 13, 1, 1, 0),
    RULE_COMPOSED(MCT, "WeightsPOTQuantizer", QUANT, 1, 13, 2, 2, 0),
    RULE_COMPOSED(MCT, "WeightsSymmetricQuantizer", QUANT, 1, 13, 2, 2, 0),
    {.op = WEIR_OP_COUNT, .name = NULL},
};

/* The first rule of the operator or one behind it, then those of other names. */
static const weir_onnx_rule *first_of(weir_op op) {
    static const weir_onnx_rule *(*const rules_of[WEIR_OP_COUNT])(void) = {
#define WEIR_OP_FACTS(id, ...) [WEIR_OP_##id] = rules_of_##id,
#include "ir/graph/op.def"
    };
    for (; op < WEIR_OP_COUNT; op++) {
        const weir_onnx_rule *rules = rules_of[op]();
        if (rules->name != NULL) return rules;
    }
    return op == WEIR_OP_COUNT ? named_rules : NULL;
}

const weir_onnx_rule *weir_onnx_rule_next(const weir_onnx_rule *rule) {
    if (rule == NULL) return first_of(WEIR_OP_NONE + 1);
    return rule[1].name != NULL ? &rule[1] : first_of(rule[1].op + 1);
}

weir_op weir_onnx_rule_op(const weir_onnx_rule *rule, const weir_onnx_rule *const *rules, size_t count) {
    if (strcmp(rule->name, "ReduceMean") != 0) return rule->op;
    for (size_t i = 0; i < count; i++)
        if (rules[i] != NULL && rules[i]->domain == WEIR_ONNX_DOMAIN_PACT) return WEIR_OP_INTEGER_MEAN;
    return rule->op;
}

/* --- attributes --- */

enum { OPTIONAL = false, REQUIRED = true };
enum { STAYS = WEIR_ONNX_STAYS, DROPPED = WEIR_ONNX_DROPPED, BIG = INT32_MAX, RANK = WEIR_MAX_RANK };

/* Those of a composed rule: read by onnx_compose.c, or, STAYS, those of the graph's operator. */
#define OF(rule, name, kind, need, low, high, stays)                                                                   \
    { rule, name, WEIR_ONNX_##kind, 1, need, low, high, NULL, stays }
#define OF_WORDS(rule, name, need, words)                                                                              \
    { rule, name, WEIR_ONNX_STRING, 1, need, 0, 0, words, DROPPED }

static const weir_onnx_word auto_pads[] = {
    {"NOTSET", "NOTSET"}, {"SAME_UPPER", "SAME_UPPER"}, {"SAME_LOWER", "SAME_LOWER"}, {"VALID", "VALID"}, {NULL, NULL}};
static const weir_onnx_word scatterings[] = {{"none", "none"}, {NULL, NULL}};
#define CONV_ACTIVATIONS                                                                                               \
    {"Relu", "Relu"}, {"LeakyRelu", "LeakyRelu"}, {"Sigmoid", "Sigmoid"}, {"Tanh", "Tanh"},                            \
        {"HardSigmoid", "HardSigmoid"}, {                                                                              \
        "Clip", "Clip"                                                                                                 \
    }
static const weir_onnx_word conv_activations[] = {CONV_ACTIVATIONS, {NULL, NULL}};
static const weir_onnx_word gemm_activations[] = {CONV_ACTIVATIONS,
                                                  {"Elu", "Elu"},
                                                  {"Selu", "Selu"},
                                                  {"Softplus", "Softplus"},
                                                  {"Softsign", "Softsign"},
                                                  {"ThresholdedRelu", "ThresholdedRelu"},
                                                  {NULL, NULL}};
static const weir_onnx_word score_functions[] = {
    {"NONE", "NONE"}, {"SOFTMAX", "SOFTMAX"}, {"LOGISTIC", "LOGISTIC"}, {NULL, NULL}};
static const weir_onnx_word directions[] = {
    {"forward", "forward"}, {"reverse", "reverse"}, {"bidirectional", "bidirectional"}, {NULL, NULL}};
static const weir_onnx_word norms[] = {{"MAX", "MAX"}, {"L1", "L1"}, {"L2", "L2"}, {NULL, NULL}};

/* Of an LSTM, a GRU or an RNN. */
#define OF_RECURRENT(rule)                                                                                             \
    OF(rule, "activations", STRINGS, OPTIONAL, 0, 0, DROPPED),                                                         \
        OF(rule, "activation_alpha", FLOATS, OPTIONAL, 0, 0, DROPPED),                                                 \
        OF(rule, "activation_beta", FLOATS, OPTIONAL, 0, 0, DROPPED),                                                  \
        OF(rule, "clip", FLOAT, OPTIONAL, 0, 0, DROPPED), OF_WORDS(rule, "direction", OPTIONAL, directions),           \
        OF(rule, "hidden_size", INT, OPTIONAL, 1, BIG, DROPPED), OF(rule, "layout", INT, OPTIONAL, 0, 1, DROPPED)

static const weir_onnx_attribute_rule composed_attributes[] = {
    OF("If", "then_branch", GRAPH, REQUIRED, 0, 0, DROPPED),
    OF("If", "else_branch", GRAPH, REQUIRED, 0, 0, DROPPED),
    OF("Loop", "body", GRAPH, REQUIRED, 0, 0, DROPPED),
    OF("Scan", "body", GRAPH, REQUIRED, 0, 0, DROPPED),
    OF("Scan", "num_scan_inputs", INT, REQUIRED, 1, BIG, DROPPED),
    OF("Scan", "scan_input_axes", INTS, OPTIONAL, -RANK, RANK - 1, DROPPED),
    OF("Scan", "scan_input_directions", INTS, OPTIONAL, 0, 1, DROPPED),
    OF("Scan", "scan_output_axes", INTS, OPTIONAL, -RANK, RANK - 1, DROPPED),
    OF("Scan", "scan_output_directions", INTS, OPTIONAL, 0, 1, DROPPED),
    OF("SequenceEmpty", "dtype", INT, OPTIONAL, 0, BIG, DROPPED),
    OF("SplitToSequence", "axis", INT, OPTIONAL, -RANK, RANK - 1, DROPPED),
    OF("SplitToSequence", "keepdims", INT, OPTIONAL, 0, 1, DROPPED),
    OF("ConcatFromSequence", "axis", INT, REQUIRED, -RANK, RANK, DROPPED),
    OF("ConcatFromSequence", "new_axis", INT, OPTIONAL, 0, 1, DROPPED),
    OF("Einsum", "equation", STRING, REQUIRED, 0, 0, DROPPED),
    OF("Trilu", "upper", INT, OPTIONAL, 0, 1, DROPPED),
    OF("Attention", "is_causal", INT, OPTIONAL, 0, 1, DROPPED),
    OF("Attention", "kv_num_heads", INT, OPTIONAL, 1, BIG, DROPPED),
    OF("Attention", "left_window_size", INT, OPTIONAL, -1, BIG, DROPPED),
    OF("Attention", "q_num_heads", INT, OPTIONAL, 1, BIG, DROPPED),
    OF("Attention", "qk_matmul_output_mode", INT, OPTIONAL, 0, 3, DROPPED),
    OF("Attention", "right_window_size", INT, OPTIONAL, -1, BIG, DROPPED),
    OF("Attention", "scale", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("Attention", "softcap", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("Attention", "softmax_precision", INT, OPTIONAL, 1, 16, DROPPED), /* here it is float64 */
    OF("RuntimeAttention", "do_rotary", INT, OPTIONAL, 0, 0, DROPPED),
    OF("RuntimeAttention", "mask_filter_value", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("RuntimeAttention", "num_heads", INT, REQUIRED, 1, BIG, DROPPED),
    OF("RuntimeAttention", "past_present_share_buffer", INT, OPTIONAL, 0, 0, DROPPED),
    OF("RuntimeAttention", "qkv_hidden_sizes", INTS, OPTIONAL, 1, BIG, DROPPED),
    OF("RuntimeAttention", "scale", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("RuntimeAttention", "unidirectional", INT, OPTIONAL, 0, 1, DROPPED),
    OF("MultiHeadAttention", "mask_filter_value", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("MultiHeadAttention", "num_heads", INT, REQUIRED, 1, BIG, DROPPED),
    OF("MultiHeadAttention", "scale", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("MultiHeadAttention", "unidirectional", INT, OPTIONAL, 0, 1, DROPPED),
    OF("RotaryEmbedding", "interleaved", INT, OPTIONAL, 0, 1, DROPPED),
    OF("RotaryEmbedding", "num_heads", INT, OPTIONAL, 0, BIG, DROPPED),
    OF("RotaryEmbedding", "rotary_embedding_dim", INT, OPTIONAL, 0, BIG, DROPPED),
    OF("RuntimeRotaryEmbedding", "interleaved", INT, OPTIONAL, 0, 1, DROPPED),
    OF("RuntimeRotaryEmbedding", "is_packed_batching", INT, OPTIONAL, 0, 0, DROPPED),
    OF("RuntimeRotaryEmbedding", "num_heads", INT, OPTIONAL, 0, BIG, DROPPED),
    OF("RuntimeRotaryEmbedding", "rotary_embedding_dim", INT, OPTIONAL, 0, BIG, DROPPED),
    OF("RuntimeRotaryEmbedding", "scale", FLOAT, OPTIONAL, 0, 0, DROPPED), /* ONNX Runtime ignores it */
    OF_RECURRENT("LSTM"),
    OF("LSTM", "input_forget", INT, OPTIONAL, 0, 1, DROPPED),
    OF_RECURRENT("GRU"),
    OF("GRU", "linear_before_reset", INT, OPTIONAL, 0, 1, DROPPED),
    OF_RECURRENT("RNN"),
    OF("GroupNormalization", "epsilon", FLOAT, OPTIONAL, 0, 0, STAYS),
    OF("GroupNormalization", "num_groups", INT, REQUIRED, 1, BIG, DROPPED),
    OF("GroupNormalization", "stash_type", INT, OPTIONAL, 1, 1, DROPPED),
    OF("SkipLayerNormalization", "epsilon", FLOAT, OPTIONAL, 0, 0, STAYS),
    OF("SkipSimplifiedLayerNormalization", "epsilon", FLOAT, OPTIONAL, 0, 0, STAYS),
    OF("EmbedLayerNormalization", "epsilon", FLOAT, OPTIONAL, 0, 0, STAYS),
    OF("EmbedLayerNormalization", "mask_index_type", INT, OPTIONAL, 0, 1, DROPPED),
    OF("CumSum", "exclusive", INT, OPTIONAL, 0, 1, DROPPED),
    OF("CumSum", "reverse", INT, OPTIONAL, 0, 1, DROPPED),
    OF("OneHot", "axis", INT, OPTIONAL, -RANK, RANK - 1, DROPPED),
    OF("GatherElements", "axis", INT, OPTIONAL, -RANK, RANK - 1, DROPPED),
    OF("LRN", "alpha", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("LRN", "beta", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("LRN", "bias", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("LRN", "size", INT, REQUIRED, 1, BIG, DROPPED),
    OF("GatherND", "batch_dims", INT, OPTIONAL, 0, BIG, DROPPED),
    OF("ScatterElements", "axis", INT, OPTIONAL, -RANK, RANK - 1, DROPPED),
    OF_WORDS("ScatterElements", "reduction", OPTIONAL, scatterings),
    OF_WORDS("ScatterND", "reduction", OPTIONAL, scatterings),
    OF("FusedGemm", "alpha", FLOAT, OPTIONAL, 0, 0, STAYS),
    OF("FusedGemm", "beta", FLOAT, OPTIONAL, 0, 0, STAYS),
    OF("FusedGemm", "transA", INT, OPTIONAL, 0, 1, STAYS),
    OF("FusedGemm", "transB", INT, OPTIONAL, 0, 1, STAYS),
    OF_WORDS("FusedGemm", "activation", OPTIONAL, gemm_activations),
    OF("FusedGemm", "activation_alpha", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("FusedGemm", "activation_beta", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("FusedGemm", "activation_gamma", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("FusedMatMul", "alpha", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF("FusedMatMul", "transA", INT, OPTIONAL, 0, 1, DROPPED),
    OF("FusedMatMul", "transB", INT, OPTIONAL, 0, 1, DROPPED),
    OF("FusedMatMul", "transBatchA", INT, OPTIONAL, 0, 1, DROPPED),
    OF("FusedMatMul", "transBatchB", INT, OPTIONAL, 0, 1, DROPPED),
    {"FusedConv", "auto_pad", WEIR_ONNX_STRING, 1, OPTIONAL, 0, 0, auto_pads, STAYS},
    OF("FusedConv", "kernel_shape", INTS, OPTIONAL, 1, BIG, STAYS),
    OF("FusedConv", "strides", INTS, OPTIONAL, 1, BIG, STAYS),
    OF("FusedConv", "pads", INTS, OPTIONAL, 0, BIG, STAYS),
    OF("FusedConv", "dilations", INTS, OPTIONAL, 1, BIG, STAYS),
    OF("FusedConv", "group", INT, OPTIONAL, 1, BIG, STAYS),
    OF_WORDS("FusedConv", "activation", OPTIONAL, conv_activations),
    OF("FusedConv", "activation_params", FLOATS, OPTIONAL, 0, 0, DROPPED),
    OF("MatMulNBits", "K", INT, REQUIRED, 1, BIG, DROPPED),
    OF("MatMulNBits", "N", INT, REQUIRED, 1, BIG, DROPPED),
    OF("MatMulNBits", "bits", INT, OPTIONAL, 2, 8, DROPPED),
    OF("MatMulNBits", "block_size", INT, REQUIRED, 1, BIG, DROPPED),
    OF("MatMulNBits", "accuracy_level", INT, OPTIONAL, 0, 4, DROPPED),
    OF("MatMulBnb4", "K", INT, REQUIRED, 1, BIG, DROPPED),
    OF("MatMulBnb4", "N", INT, REQUIRED, 1, BIG, DROPPED),
    OF("MatMulBnb4", "block_size", INT, REQUIRED, 1, BIG, DROPPED),
    OF("MatMulBnb4", "quant_type", INT, REQUIRED, 0, 1, DROPPED),
    OF("MatMulBnb4", "training_mode", INT, OPTIONAL, 0, 1, DROPPED),
    OF("MatMulBnb4", "transB", INT, OPTIONAL, 1, 1, DROPPED),
    OF("CastLike", "saturate", INT, OPTIONAL, 0, 1, DROPPED),
    OF("QuickGelu", "alpha", FLOAT, OPTIONAL, 0, 0, STAYS),
    OF("LinearRegressor", "coefficients", FLOATS, REQUIRED, 0, 0, DROPPED),
    OF("LinearRegressor", "intercepts", FLOATS, OPTIONAL, 0, 0, DROPPED),
    OF("LinearRegressor", "targets", INT, OPTIONAL, 1, BIG, DROPPED),
    OF_WORDS("LinearRegressor", "post_transform", OPTIONAL, score_functions),
    OF("LinearClassifier", "coefficients", FLOATS, REQUIRED, 0, 0, DROPPED),
    OF("LinearClassifier", "intercepts", FLOATS, OPTIONAL, 0, 0, DROPPED),
    OF("LinearClassifier", "multi_class", INT, OPTIONAL, 0, 1, DROPPED),
    OF("LinearClassifier", "classlabels_ints", INTS, OPTIONAL, INT64_MIN, INT64_MAX, DROPPED),
    OF("LinearClassifier", "classlabels_strings", STRINGS, OPTIONAL, 0, 0, DROPPED),
    OF_WORDS("LinearClassifier", "post_transform", OPTIONAL, score_functions),
    OF("Binarizer", "threshold", FLOAT, OPTIONAL, 0, 0, DROPPED),
    OF_WORDS("Normalizer", "norm", OPTIONAL, norms),
    OF("ActivationPOTQuantizer", "num_bits", INT, REQUIRED, 1, 16, DROPPED),
    OF("ActivationPOTQuantizer", "signed", INT, REQUIRED, 0, 1, STAYS),
    OF("ActivationPOTQuantizer", "threshold", FLOAT, REQUIRED, 0, 0, DROPPED),
    OF("ActivationPOTQuantizer", "mctq_version", STRING, OPTIONAL, 0, 0, DROPPED),
    OF("ActivationSymmetricQuantizer", "num_bits", INT, REQUIRED, 1, 16, DROPPED),
    OF("ActivationSymmetricQuantizer", "signed", INT, REQUIRED, 0, 1, STAYS),
    OF("ActivationSymmetricQuantizer", "threshold", FLOAT, REQUIRED, 0, 0, DROPPED),
    OF("ActivationSymmetricQuantizer", "mctq_version", STRING, OPTIONAL, 0, 0, DROPPED),
    OF("WeightsPOTQuantizer", "num_bits", INT, REQUIRED, 1, 16, DROPPED),
    OF("WeightsPOTQuantizer", "signed", INT, OPTIONAL, 1, 1, STAYS),
    OF("WeightsPOTQuantizer", "per_channel", INT, REQUIRED, 0, 1, DROPPED),
    OF("WeightsPOTQuantizer", "channel_axis", INT, OPTIONAL, -RANK, RANK - 1, DROPPED),
    OF("WeightsPOTQuantizer", "mctq_version", STRING, OPTIONAL, 0, 0, DROPPED),
    OF("WeightsSymmetricQuantizer", "num_bits", INT, REQUIRED, 1, 16, DROPPED),
    OF("WeightsSymmetricQuantizer", "signed", INT, OPTIONAL, 1, 1, STAYS),
    OF("WeightsSymmetricQuantizer", "per_channel", INT, REQUIRED, 0, 1, DROPPED),
    OF("WeightsSymmetricQuantizer", "channel_axis", INT, OPTIONAL, -RANK, RANK - 1, DROPPED),
    OF("WeightsSymmetricQuantizer", "mctq_version", STRING, OPTIONAL, 0, 0, DROPPED),
    {.name = NULL},
};

static const weir_onnx_attribute_rule *const attributes[WEIR_OP_COUNT] = {
    [WEIR_OP_NONE] =
        (const weir_onnx_attribute_rule[]){
            {NULL, "value", WEIR_ONNX_TENSOR, 1, OPTIONAL, 0, 0, NULL, STAYS},
            {NULL, "sparse_value", WEIR_ONNX_REFUSED, 11, OPTIONAL, 0, 0, NULL, STAYS},
            {NULL, "value_float", WEIR_ONNX_FLOAT, 12, OPTIONAL, 0, 0, NULL, STAYS},
            {NULL, "value_floats", WEIR_ONNX_FLOATS, 12, OPTIONAL, 0, 0, NULL, STAYS},
            {NULL, "value_int", WEIR_ONNX_INT, 12, OPTIONAL, INT64_MIN, INT64_MAX, NULL, STAYS},
            {NULL, "value_ints", WEIR_ONNX_INTS, 12, OPTIONAL, INT64_MIN, INT64_MAX, NULL, STAYS},
            {NULL, "value_string", WEIR_ONNX_REFUSED, 12, OPTIONAL, 0, 0, NULL, STAYS},
            {NULL, "value_strings", WEIR_ONNX_REFUSED, 12, OPTIONAL, 0, 0, NULL, STAYS},
            {.name = NULL},
        },
#define WORD(text) {text, text},
#define WORD_AS(from, to) {from, to},
#define LIST(...)                                                                                                      \
    (const weir_onnx_word[]) {                                                                                         \
        __VA_ARGS__ { NULL, NULL }                                                                                     \
    }
#define IMPORT(name, kind, since, presence, low, high, words, becomes)                                                 \
    {NULL, #name, WEIR_ONNX_##kind, since, presence, low, high, words, becomes},
#define WEIR_OP_FACTS(id, domain, as_name, ...)                                                                        \
    [WEIR_OP_##id] = (const weir_onnx_attribute_rule[]){__VA_ARGS__{.name = NULL}},
#include "ir/graph/op.def"
};

const weir_onnx_attribute_rule *weir_onnx_attributes_of(weir_op op, bool composed) {
    static const weir_onnx_attribute_rule none[] = {{.name = NULL}};
    if (composed) return composed_attributes;
    return op < WEIR_OP_COUNT ? attributes[op] : none;
}

/* --- element types --- */

enum { NEVER = WEIR_ONNX_NEVER };

static const weir_onnx_type_rule *const types[WEIR_OP_COUNT] = {
    [WEIR_OP_NONE] = (const weir_onnx_type_rule[]){{WEIR_INT4, 21, NULL},
                                                   {WEIR_UINT4, 21, NULL},
                                                   {WEIR_INT2, 25, NULL},
                                                   {WEIR_UINT2, 25, NULL},
                                                   {WEIR_FLOAT4E2M1, 23, NULL},
                                                   {WEIR_FLOAT8E4M3FN, 19, NULL},
                                                   {WEIR_FLOAT8E4M3FNUZ, 19, NULL},
                                                   {WEIR_FLOAT8E5M2, 19, NULL},
                                                   {WEIR_FLOAT8E5M2FNUZ, 19, NULL},
                                                   {WEIR_FLOAT8E8M0, 24, NULL},
                                                   {WEIR_BFLOAT16, 13, NULL},
                                                   {.since = 0}},
#define WEIR_OP_FACTS(id, domain, as_name, ...) [WEIR_OP_##id] = (const weir_onnx_type_rule[]){__VA_ARGS__{.since = 0}},
#define TYPE(dtype, since, unless) {WEIR_##dtype, since, unless},
#include "ir/graph/op.def"
};

const weir_onnx_type_rule *weir_onnx_types_of(weir_op op) { return types[op]; }
