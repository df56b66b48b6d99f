/* verify_lowering: whoever lowers a graph gets one that was compared with the model (lower_integer.c); this compares
 * what the passes behind made of it. */
#include <string.h>

#include "ir/graph/print.h"
#include "passes/analysis/compare_lowered.h"
#include "passes/passes.h"
#include "support/memory/hash.h"

/* Of what a graph is made of, as it is stored, but not the device, which set_target may add. */
static weir_hash digest(const weir_graph *graph) {
    weir_hash hash = weir_hash_start();
    weir_text text = {0};
    weir_graph_print(graph, &text);
    const char *body = strstr(text.data, "\n"); /* behind the version: the graph's name and device */
    body = body == NULL ? text.data : strstr(body + 1, "\n");
    weir_hash_add_string(&hash, body == NULL ? text.data : body);
    weir_archive archive;
    weir_archive_init(&archive);
    weir_graph_collect(graph, &archive);
    for (size_t i = 0; i < archive.count; i++) {
        const weir_array *data = archive.array[i];
        weir_hash_add_string(&hash, archive.name[i]);
        weir_hash_add(&hash, data->data, data->count * weir_dtype_size(data->dtype));
    }
    weir_archive_free(&archive);
    weir_text_free(&text);
    return hash;
}

/* Do codes stand for the same numbers in both graphs, where a value of one name is in both? */
static bool same_labels(const weir_graph *integer, const weir_graph *hardware) {
    bool same = true;
    for (uint32_t id = 1; id < weir_graph_value_limit(hardware); id++) {
        const weir_value value = {id};
        if (!weir_value_exists(hardware, value)) continue;
        const weir_value other = weir_graph_find_value(integer, weir_value_name(hardware, value));
        if (other.id == 0) continue;
        const weir_quant *a = &weir_value_type(hardware, value)->quant, *b = &weir_value_type(integer, other)->quant;
        same &= a->format == b->format && a->count == b->count;
        for (uint32_t i = 0; same && i < a->count; i++)
            same = weir_quant_scale(a, i) == weir_quant_scale(b, i) && weir_quant_zero(a, i) == weir_quant_zero(b, i);
    }
    return same;
}

/* The graphs of the module as they are now, whoever made them. */
bool weir_pass_verify_lowering(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)context;
    const weir_graph *model = weir_lower_source(module), *integer = weir_module_find_graph(module, "integer");
    const weir_graph *hardware = weir_module_find_graph(module, "hardware");
    weir_counterparts *counterparts = NULL;
    bool reordered;
    weir_graph *prepared = weir_lower_prepare(model, &reordered);
    weir_graph *again = prepared == NULL ? NULL : weir_lower_prepared(prepared, &counterparts);
    bool fine = again != NULL;
    if (fine) {
        const bool asked = weir_pass_is_set(pass, "frames") || weir_pass_is_set(pass, "seed");
        const bool same = hardware != NULL && !asked && weir_hash_equal(digest(again), digest(integer)) &&
                          same_labels(integer, hardware);
        fine = weir_compare_lowered(&(weir_lowered_graphs){model, prepared, integer, hardware, reordered, counterparts},
                                    &(weir_lowered_effort){weir_pass_int(pass, "frames"),
                                                           (uint64_t)weir_pass_int(pass, "seed"),
                                                           weir_pass_string(pass, "data"), same});
    }
    weir_graph_free(again);
    weir_counterparts_free(counterparts);
    weir_graph_free(prepared);
    return fine;
}
