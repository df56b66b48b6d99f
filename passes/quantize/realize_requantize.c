/* realize_requantize: each Requantize and Threshold of the integer graph becomes the cheapest component that provably
 * computes the same function of the accumulator (DESIGN "Exact requantization"):
 *   Cast        every channel is an addition and a shift (powers of two, MASE's fixed point), by its own rounding or
 *               because the search below finds multipliers of 1
 *   Threshold   few output codes
 *   Scale       floor((x * M + A) / 2^S) per channel, the narrowest M by exact search
 *   Lookup      of up to 256 codes (1,024 where ScaleFloat does not fit), many of which are ties
 *   ScaleFloat  the float32 arithmetic itself, when its double rounding makes no multiply-add-shift fit
 *   Threshold   the table of steps, when nothing else fits
 * Functions that fall (a BatchNormalization with negative factors) are made to rise: the dense layer before the
 * requantizer negates the weights of their channels. Where there is none, and channels differ, a dense layer that only
 * gives signs is added.
 * The proof (weir_staircase_proves) runs for every channel of every node, on each compile.
 * Outputs of more than WEIR_STAIRCASE_CODES codes have no tables and no search for the narrowest multiplier. What is
 * exact by construction is taken as it is: ScaleFloat for float32 arithmetic, whose operations it does one by one, and
 * a Cast where all scales are powers of two. Otherwise the Scale nearest to the ratio is proved on every step, one
 * channel at a time; codes that are float32 numbers between two quantizers have a ScaleFloat, behind an exact Scale
 * (realizer_products.c), and those that nothing else takes a Scale and a Lookup of what it lacks
 * (realizer_corrected.c); up to 4,096 codes have a Lookup alone. Where parameters may change later
 * (weir_graph_patchable), the form must not depend on them: realizer_patchable.c.
 * */
#include <stdlib.h>

#include "ir/graph/print.h"
#include "passes/passes.h"
#include "passes/quantize/realizer.h"
#include "support/memory/arena.h"

enum { FEW_CODES = 3, MAX_ENTRIES = 1024, FEW_ENTRIES = 256 };

static bool few_codes(const weir_realizer *r) {
    for (size_t c = 0; c < r->channels; c++) {
        if (r->staircase[c].count > FEW_CODES) return false;
    }
    return true;
}

static bool realize(weir_realizer *r, weir_requantize_form form) {
    if (!weir_realizer_read(r) || !weir_realizer_straighten(r)) return false;
    if (!weir_realizer_is_wide(r) && !weir_realizer_build(r)) return false;
    weir_candidate k = {.multiplier = weir_calloc(r->channels, sizeof(int64_t)),
                        .add = weir_calloc(r->channels, sizeof(int64_t))};
    bool any = form == WEIR_REQUANTIZE_AUTO;
    bool fine;
    if (weir_graph_patchable(r->graph)) fine = weir_realizer_use_patchable(r, &k);
    else if (weir_realizer_is_wide(r)) fine = weir_realizer_use_wide(r, &k);
    else if (any && weir_candidate_cast(r, &k)) fine = weir_realizer_use_candidate(r, &k);
    else if (any && few_codes(r)) fine = weir_realizer_use_thresholds(r);
    else if ((any || form == WEIR_REQUANTIZE_SCALE) && weir_candidate_scale(r, &k))
        fine = weir_realizer_use_candidate(r, &k);
    else if (any && weir_realizer_table_is_small(r, FEW_ENTRIES)) fine = weir_realizer_use_table(r);
    else if (form != WEIR_REQUANTIZE_THRESHOLD && weir_candidate_float(r, &k))
        fine = weir_realizer_use_candidate(r, &k);
    else if (any && weir_realizer_table_is_small(r, MAX_ENTRIES)) fine = weir_realizer_use_table(r);
    else fine = weir_realizer_use_thresholds(r);
    free(k.multiplier);
    free(k.add);
    return fine;
}

static bool realize_all(weir_graph *graph, weir_requantize_form form, const weir_graph *like) {
    bool fine = true;
    for (weir_node node = weir_graph_first(graph), next; fine && node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        weir_op op = weir_node_op(graph, node);
        if (op != WEIR_OP_REQUANTIZE && op != WEIR_OP_THRESHOLD) continue;
        weir_realizer r = {.graph = graph, .node = node, .like = like};
        fine = realize(&r, form);
        for (size_t c = 0; r.staircase != NULL && c < r.channels; c++) weir_staircase_free(&r.staircase[c]);
        free(r.staircase);
        free(r.falling);
    }
    weir_eliminate_dead_code(graph);
    return fine;
}

bool weir_realize_requantize(weir_graph *graph, weir_requantize_form form) { return realize_all(graph, form, NULL); }

bool weir_pass_realize_requantize(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)context;
    weir_graph *hardware = weir_graph_copy(weir_module_find_graph(module, "integer"));
    weir_graph_set_name(hardware, "hardware");
    const char *path = weir_pass_string(pass, "like");
    weir_graph *like = *path == '\0' ? NULL : weir_graph_load(path);
    bool fine = *path == '\0' || like != NULL;
    fine = fine && realize_all(hardware, (weir_requantize_form)weir_pass_choice(pass, "form"), like);
    weir_graph_free(like);
    weir_module_add_graph(module, hardware);
    return fine;
}
