#include "passes/transform/counterpart.h"

#include <string.h>

#include "support/arena.h"

static void add(weir_counterparts *to, const weir_lowering *l, uint32_t id) {
    const weir_view *view = &l->view[id];
    if (view->kind != WEIR_VIEW_CODES) return;
    weir_counterpart *made = &to->of[id];
    made->name = weir_arena_copy_string(to->arena, weir_value_name(l->to, view->value));
    if (view->accumulator.id != 0)
        made->sums = weir_arena_copy_string(to->arena, weir_value_name(l->to, view->accumulator));
    made->codes = weir_value_type(l->from, (weir_value){id})->quant.format != WEIR_FORMAT_FLOAT && !view->centered;
    made->relu = view->relu;
    made->offset_count = view->offset == NULL ? 0 : view->offset_count;
    if (view->offset == NULL) return;
    double *offset = weir_arena_array(to->arena, view->offset_count, sizeof *offset);
    memcpy(offset, view->offset, view->offset_count * sizeof *offset);
    made->offset = offset;
}

weir_counterparts *weir_counterparts_new(const weir_lowering *l) {
    weir_arena *arena = weir_arena_new();
    weir_counterparts *made = weir_arena_alloc(arena, sizeof *made);
    *made = (weir_counterparts){.arena = arena, .contract = l->contract, .limit = weir_graph_value_limit(l->from)};
    made->of = weir_arena_array(arena, made->limit, sizeof *made->of);
    for (uint32_t id = 1; id < made->limit; id++) {
        if (weir_value_exists(l->from, (weir_value){id})) add(made, l, id);
    }
    return made;
}

void weir_counterparts_free(weir_counterparts *counterparts) {
    if (counterparts != NULL) weir_arena_free(counterparts->arena);
}

double weir_counterpart_decode(const weir_counterpart *c, const weir_type *type, int64_t code, size_t i) {
    if (c->codes) return (double)code;
    const weir_quant *quant = &type->quant;
    int64_t channel = quant->count > 1 ? (int64_t)(i % quant->count) : 0;
    double real = (double)(code - weir_quant_zero(quant, channel)) * weir_quant_scale(quant, channel);
    if (c->offset != NULL) real += c->offset[c->offset_count == 1 ? 0 : i % c->offset_count];
    return c->relu && real < 0 ? 0 : real;
}
