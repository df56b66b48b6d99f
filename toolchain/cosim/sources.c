#include "cosim/sources.h"

#include <stdlib.h>

#include "support/memory/arena.h"

/* For one value of the model: the codes that it is computed from, in either graph. */
typedef struct sources {
    const weir_graph *model;
    const weir_value *partner; /* by value of the model */
    const bool *is_partner;    /* by value of the lowered graph */
    weir_value own;            /* the value's partner */
    uint32_t *model_seen, *lowered_seen, *model_mark, *lowered_mark;
    uint32_t stamp;
    weir_value *item, *open; /* of either; values to look behind */
    size_t count, room, opened, open_room;
} sources;

static weir_value *push(weir_value *list, size_t *count, size_t *room, weir_value value) {
    if (*count == *room) {
        *room = 2 * *room + 8;
        list = weir_realloc(list, *room * sizeof *list);
    }
    list[(*count)++] = value;
    return list;
}

/* Through values without codes of their own, and those that are only read as the same codes. */
static void find_sources(sources *s, const weir_graph *graph, weir_value value) {
    const bool is_model = graph == s->model;
    uint32_t *seen = is_model ? s->model_seen : s->lowered_seen, *mark = is_model ? s->model_mark : s->lowered_mark;
    s->open = push(s->open, &s->opened, &s->open_room, value);
    while (s->opened > 0) {
        const weir_node maker = weir_value_producer(graph, s->open[--s->opened]);
        for (size_t i = 0; maker.id != 0 && i < weir_node_input_count(graph, maker); i++) {
            const weir_value x = weir_node_input(graph, maker, i);
            if (x.id == 0 || seen[x.id] == s->stamp) continue;
            seen[x.id] = s->stamp;
            const weir_value codes = is_model ? s->partner[x.id] : s->is_partner[x.id] ? x : WEIR_NO_VALUE;
            if (codes.id == 0 || codes.id == s->own.id) {
                s->open = push(s->open, &s->opened, &s->open_room, x);
                continue;
            }
            mark[codes.id] = s->stamp;
            s->item = push(s->item, &s->count, &s->room, codes);
        }
    }
}

void weir_sources_keep_unshared(const weir_graph *model, const weir_graph *lowered, const weir_value *partner,
                                bool *may_replace) {
    const uint32_t limit = weir_graph_value_limit(model), hardware = weir_graph_value_limit(lowered);
    bool *is_partner = weir_calloc(hardware + 1, sizeof *is_partner);
    uint32_t *marks = weir_calloc(3 * (size_t)hardware + limit + 1, sizeof *marks);
    sources s = {
        .model = model, .partner = partner, .is_partner = is_partner, .model_seen = marks + 3 * (size_t)hardware};
    s.lowered_seen = marks;
    s.model_mark = marks + hardware;
    s.lowered_mark = marks + 2 * (size_t)hardware;
    for (uint32_t id = 1; id < limit; id++) is_partner[partner[id].id] = true;
    for (uint32_t id = 1; id < limit; id++) {
        s.own = partner[id];
        if (s.own.id == 0) continue;
        s.stamp++;
        s.count = 0;
        find_sources(&s, model, (weir_value){id});
        find_sources(&s, lowered, s.own);
        for (size_t i = 0; i < s.count; i++) {
            const uint32_t codes = s.item[i].id;
            if (s.model_mark[codes] != s.lowered_mark[codes]) may_replace[codes] = false;
        }
    }
    free(s.item);
    free(s.open);
    free(marks);
    free(is_partner);
}
