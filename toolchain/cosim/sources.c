#include "cosim/sources.h"

#include <stdlib.h>

#include "support/memory/arena.h"

/* For one value of the model: the codes that it is computed from, in either graph. */
typedef struct sources {
    const weir_graph *model;
    const weir_value *partner; /* by value of the model */
    const bool *is_partner;    /* by value of the lowered graph */
    weir_value own;            /* the value's partner */
    bool is_behind;            /* another value of the model, from which it is computed, has the same */
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

/* A value that is read: its codes are a source, or it is one to look behind. */
static void read_value(sources *s, const weir_graph *graph, weir_value x) {
    const bool is_model = graph == s->model;
    uint32_t *seen = is_model ? s->model_seen : s->lowered_seen, *mark = is_model ? s->model_mark : s->lowered_mark;
    if (x.id == 0 || seen[x.id] == s->stamp) return;
    seen[x.id] = s->stamp;
    const weir_value codes = is_model ? s->partner[x.id] : s->is_partner[x.id] ? x : WEIR_NO_VALUE;
    s->is_behind |= is_model && codes.id != 0 && codes.id == s->own.id;
    if (codes.id == 0 || codes.id == s->own.id) {
        s->open = push(s->open, &s->opened, &s->open_room, x);
        return;
    }
    mark[codes.id] = s->stamp;
    s->item = push(s->item, &s->count, &s->room, codes);
}

/* Through values without codes of their own, and those that are only read as the same codes. */
static void look_behind(sources *s, const weir_graph *graph) {
    while (s->opened > 0) {
        const weir_node maker = weir_value_producer(graph, s->open[--s->opened]);
        for (size_t i = 0; maker.id != 0 && i < weir_node_input_count(graph, maker); i++)
            read_value(s, graph, weir_node_input(graph, maker, i));
    }
}

static void find_sources(sources *s, const weir_graph *graph, weir_value value) {
    s->open = push(s->open, &s->opened, &s->open_room, value);
    look_behind(s, graph);
}

static void find_sources_of_output(sources *s, const weir_graph *graph, size_t output) {
    read_value(s, graph, weir_graph_output(graph, output));
    look_behind(s, graph);
}

static void start(sources *s, weir_value own) {
    s->own = own;
    s->is_behind = false;
    s->stamp++;
    s->count = 0;
}

/* Keeps what is a source in one graph alone. */
static void keep(const sources *s, bool *may_replace) {
    for (size_t i = 0; i < s->count; i++) {
        const uint32_t codes = s->item[i].id;
        if (s->model_mark[codes] != s->lowered_mark[codes]) may_replace[codes] = false;
    }
}

void weir_sources_keep_unshared(const weir_graph *model, const weir_graph *lowered, const weir_value *partner,
                                bool *may_replace) {
    const uint32_t limit = weir_graph_value_limit(model), hardware = weir_graph_value_limit(lowered);
    bool *is_partner = weir_calloc(hardware + 1, sizeof *is_partner),
         *is_met = weir_calloc(hardware + 1, sizeof *is_met);
    uint32_t *marks = weir_calloc(3 * (size_t)hardware + limit + 1, sizeof *marks);
    sources s = {
        .model = model, .partner = partner, .is_partner = is_partner, .model_seen = marks + 3 * (size_t)hardware};
    s.lowered_seen = marks;
    s.model_mark = marks + hardware;
    s.lowered_mark = marks + 2 * (size_t)hardware;
    for (uint32_t id = 1; id < limit; id++) is_partner[partner[id].id] = true;
    for (uint32_t id = 1; id < limit; id++) {
        if (partner[id].id == 0) continue;
        start(&s, partner[id]);
        find_sources(&s, model, (weir_value){id});
        find_sources(&s, lowered, s.own);
        keep(&s, may_replace);
        if (!s.is_behind && is_met[s.own.id]) may_replace[s.own.id] = false;
        is_met[s.own.id] = true;
    }
    for (size_t i = 0; i < weir_graph_output_count(model); i++) {
        start(&s, WEIR_NO_VALUE);
        find_sources_of_output(&s, model, i);
        find_sources_of_output(&s, lowered, i);
        keep(&s, may_replace);
    }
    free(s.item);
    free(s.open);
    free(marks);
    free(is_partner);
    free(is_met);
}
