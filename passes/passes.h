/* The passes of pass.def and rtl/rtl.def and the functions behind them that other passes, commands and tests call
 * directly. */
#ifndef WEIR_PASSES_H
#define WEIR_PASSES_H

#include "cosim/counterpart.h"
#include "dataflow/schedule/schedule.h"
#include "pass/core/record.h"

#define WEIR_PASS WEIR_PASS_DECLARE
#include "passes/pass.def"
#include "passes/rtl/rtl.def"
#undef WEIR_PASS

/* Registers every pass and the pipelines "compile", "default" and "clean"; false after a reported error. */
bool weir_passes_register(weir_pass_registry *registry);

/* The model without what computes nothing on the data: a copy with shape arithmetic and other constant parts folded
 * (quantizers stay), conversions to the type that they have, dropouts and copies gone. NULL after a reported error
 * (graph/tidy.c). What quantize and lower_integer start from. */
weir_graph *weir_tidy(const weir_graph *model);
/* The model as it is lowered: tidy, with its channels innermost. `reordered`: elements of values may be in another
 * order than the model's. NULL after a reported error; the caller frees it. */
weir_graph *weir_lower_prepare(const weir_graph *model, bool *reordered);

/* In place, as ONNX Runtime's default level does it (quantize/onnxruntime_kernels.c); `count`: operators that became
 * kernels on codes. False after a reported error. */
bool weir_onnxruntime_kernels(weir_graph *graph, size_t *count);
/* In place; false after a reported error. What fold_constant and simplify_expr do; `count`: nodes that went. */
typedef enum weir_fold {
    WEIR_FOLD_AS_TVM,     /* but quantizers, and what only fills a shape */
    WEIR_FOLD_QUANTIZERS, /* these too */
    WEIR_FOLD_FILLED      /* but quantizers: what fills a shape may be a mask */
} weir_fold;
bool weir_fold_constants(weir_graph *graph, weir_fold what, size_t *count);
bool weir_simplify_expressions(weir_graph *graph, bool signed_zeros, size_t *count);
/* What fuse_normalization does (graph/fuse_normalization.c); `between`: only behind a quantizer and before another one:
 * what the host computes stays as the model has it. `count`: those that became one node. */
bool weir_fuse_normalizations(weir_graph *graph, bool between, size_t *count);
/* Does every node of the operator go so, whatever its attributes? */
bool weir_fold_constants_removes(weir_op op);
bool weir_simplify_expressions_removes(weir_op op);

/* The integer graph of an imported one (lower/lower_integer.c), which was compared with it; NULL after reported errors,
 * which name the first node that computes something else where there is one. */
weir_graph *weir_lower_integer(const weir_graph *model);
/* How an operator of a model is lowered: it is refused, becomes exact integer arithmetic and hardware, stays real
 * arithmetic, which the host computes, or was removed before. */
typedef enum weir_lowered {
    WEIR_LOWERED_REFUSED,
    WEIR_LOWERED_HARDWARE,
    WEIR_LOWERED_HOST,
    WEIR_LOWERED_BEFORE
} weir_lowered;
weir_lowered weir_lower_integer_takes(weir_op op);
/* For that comparison: the integer graph of a prepared model, compared with nothing, and which of its values stand for
 * which; NULL after reported errors. */
weir_graph *weir_lower_prepared(const weir_graph *prepared, weir_counterparts **counterparts);
/* The graph of a module that is lowered: what quantize made, else the imported one; NULL: neither is there. */
const weir_graph *weir_lower_source(const weir_module *module);

typedef enum weir_requantize_form {
    WEIR_REQUANTIZE_AUTO,
    WEIR_REQUANTIZE_SCALE,
    WEIR_REQUANTIZE_FLOAT,
    WEIR_REQUANTIZE_THRESHOLD
} weir_requantize_form;
/* In place; false after a reported error (quantize/realize_requantize.c). */
bool weir_realize_requantize(weir_graph *graph, weir_requantize_form form);

/* The streams of a folded graph, FIFOs included: weir_insert_streams and weir_size_fifos_timed. */
bool weir_complete_folding(weir_graph *graph, int64_t limit, weir_schedule_timing *timing);
/* In place (stream/choose_folding.c). `target` 0: the smallest interval for `budget` multipliers; `file` may be
 * empty. */
bool weir_choose_folding(weir_graph *graph, int64_t target, int64_t budget, const char *file);
/* The string property with the report of a folding for an objective, as JSON (dse/folding/folding_search.h). */
#define WEIR_FOLDING_REPORT "folding"
/* Sets it; takes the report (stream/folding_promise.c). */
void weir_keep_folding_report(weir_module *module, json_t *report);
/* Writes into it as "latency" what the first frame takes in the finished graph, where sources do not wait; what
 * foldings were compared by becomes "paced_latency". False after a reported error. */
bool weir_promise_latency(weir_module *module, const weir_graph *graph);
/* In place (stream/insert_streams.c). */
bool weir_insert_streams(weir_graph *graph);
bool weir_size_fifos(weir_graph *graph);
/* Fifos only add to the latency: where it is `limit` or more they are not sized further. */
bool weir_size_fifos_timed(weir_graph *graph, int64_t limit, weir_schedule_timing *timing);

/* Removes nodes whose results nobody uses and unused constants; returns how many (graph/dead_code_elimination.c). */
size_t weir_eliminate_dead_code(weir_graph *graph);
/* Channels innermost, as streams carry them (graph/convert_layout.c); types must be inferred. False after a reported
 * error. */
bool weir_convert_layout(weir_graph *graph, bool *changed);
/* Transposes that move elements in memory. */
size_t weir_count_transpositions(const weir_graph *graph);

#endif
