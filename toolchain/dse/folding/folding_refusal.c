#include <stdlib.h>
#include <string.h>

#include "dse/folding/folding_search_private.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

enum { RESOURCES = WEIR_KNAPSACK_RESOURCES };

/* --- what does not fit --- */

/* Does a slow folding fit, with its FIFOs? What takes too much in the longest interval takes no less in a shorter
 * one. */
static bool has_room(const weir_graph *graph, const weir_folding_request *request) {
    weir_folding_request any = *request;
    any.objective = WEIR_FOLDING_AREA;
    weir_folding_finder s = weir_folding_start(graph, &any);
    weir_folding_space_relax(s.space, true);
    bool fits = false, hopeless = false;
    size_t rounds = WEIR_FOLDING_FEW_ROUNDS;
    for (size_t i = weir_folding_count_within(&s, request->interval); i-- > 0 && rounds-- > 0 && !fits && !hopeless;) {
        int64_t bound;
        fits = weir_folding_solve(&s, i, WEIR_FOLDING_NEVER, &bound) && weir_folding_try_out(&s, INT64_MAX) &&
               weir_folding_is_within(&s);
        hopeless = weir_folding_is_short(&s);
    }
    weir_folding_finish(&s);
    return fits;
}

/* How much the device has, in the order of weir_cost_uses. */
static void uses_of(const weir_device *device, weir_cost_use *uses) {
    weir_cost_uses(&(weir_cost){.luts = 0}, device, uses);
}

/* Is a device too small, as the least says that the graph takes of the one it was refused for? Of the same family it
 * takes the same; lookup tables of one family do less than four times as much as those of another. */
static bool is_too_small(const weir_folding_finder *refused, const weir_device *device) {
    const weir_device *other = refused->target.device;
    if (device->family != other->family) return refused->least[0] / 4 > weir_device_luts(device);
    weir_cost_use uses[WEIR_COST_USES];
    uses_of(device, uses);
    bool small = false;
    for (int r = 0; r < RESOURCES; r++) small |= refused->least[r] > uses[r].available;
    return small;
}

/* Does the device have no more of anything than the other one, of its family? */
static bool is_within_device(const weir_device *device, const weir_device *other) {
    weir_cost_use uses[WEIR_COST_USES], others[WEIR_COST_USES];
    uses_of(device, uses);
    uses_of(other, others);
    bool within = device->family == other->family;
    for (int r = 0; r < RESOURCES; r++) within &= uses[r].available <= others[r].available;
    return within;
}

typedef struct candidate {
    const char *name;
    weir_device *device;
    bool lacks_room;
} candidate;

static int by_size(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    const int64_t of_x = weir_device_luts(x->device), of_y = weir_device_luts(y->device);
    return of_x > of_y ? -1 : of_x < of_y ? 1 : strcmp(x->name, y->name);
}

static bool has_room_on(const weir_folding_finder *refused, const char *device) {
    weir_graph *copy = weir_component_copy(refused->graph);
    const bool room = weir_target_set(copy, device, weir_graph_clock(copy)) && has_room(copy, refused->request);
    weir_graph_free(copy);
    return room;
}

/* The smallest device that has room for the graph, of those that are known: the largest are asked first, and none that
 * lies within one without room. NULL: none; heap memory. */
static char *roomier(const weir_folding_finder *refused) {
    weir_diag_log *log = weir_diag_capture();
    size_t names, count = 0;
    char **name = weir_device_names(&names), *nearest = NULL;
    candidate *all = weir_calloc(names + 1, sizeof *all);
    for (size_t i = 0; name != NULL && i < names; i++) {
        int status;
        all[count] = (candidate){.name = name[i], .device = weir_device_read(name[i], &status)};
        count += all[count].device != NULL;
    }
    qsort(all, count, sizeof *all, by_size);
    for (size_t i = 0; i < count; i++) {
        candidate *c = &all[i];
        c->lacks_room = is_too_small(refused, c->device);
        for (size_t k = 0; k < i && !c->lacks_room; k++)
            c->lacks_room = all[k].lacks_room && is_within_device(c->device, all[k].device);
        c->lacks_room = c->lacks_room || !has_room_on(refused, c->name);
        if (c->lacks_room) continue;
        free(nearest);
        nearest = weir_copy_string(c->name);
    }
    for (size_t i = 0; i < count; i++) weir_device_free(all[i].device);
    free(all);
    free(name);
    weir_diag_release(log);
    weir_diag_log_free(log);
    return nearest;
}

/* What the smallest design takes with its FIFOs: that with the least shares of the device together, in any time. */
static void note_smallest(const weir_folding_finder *refused) {
    weir_folding_request any = *refused->request;
    any.objective = WEIR_FOLDING_AREA;
    weir_folding_finder s = *refused;
    s.request = &any;
    s.pick = NULL;
    s.mix = NULL;
    s.capacity = 0;
    memset(s.reserve, 0, sizeof s.reserve);
    weir_folding_weights shares = {.node = 0};
    for (int r = 0; r < RESOURCES; r++) {
        shares.each[r] = s.available[r] > 0 ? (INT64_C(1) << 30) / s.available[r] : INT64_C(1) << 30;
        s.budget[r] = WEIR_KNAPSACK_MOST_USE;
    }
    weir_folding_space_weigh(s.space, &shares);
    weir_folding_space_relax(s.space, true);
    const size_t count = weir_folding_count_within(&s, any.interval);
    int64_t bound;
    if (count > 0 && weir_folding_solve(&s, count - 1, WEIR_FOLDING_NEVER, &bound) &&
        weir_folding_try_out(&s, INT64_MAX)) {
        weir_cost_use uses[WEIR_COST_USES];
        uses_of(s.target.device, uses);
        weir_text text = {NULL, 0, 0};
        for (int r = 0; r < RESOURCES; r++)
            weir_text_format(&text, "%s%lld %s of %lld", r == 0 ? "" : ", ", (long long)s.built.used[r], uses[r].name,
                             (long long)refused->budget[r]);
        weir_note("the smallest design takes %s", text.data);
        weir_text_free(&text);
    }
    free(s.pick);
}

/* 0: none. */
static int64_t shortest_that_fits(const weir_folding_finder *refused) {
    weir_folding_request request = *refused->request;
    request.objective = WEIR_FOLDING_THROUGHPUT;
    weir_folding_finder s = weir_folding_start(refused->graph, &request);
    weir_folding_find_fastest(&s, weir_folding_space_count(s.space));
    const int64_t interval = s.fits ? weir_folding_space_interval(s.space, s.index) : 0;
    weir_folding_finish(&s);
    return interval;
}

static void note_margin(const weir_folding_finder *s) {
    weir_text text = {NULL, 0, 0};
    weir_cost_use uses[WEIR_COST_USES];
    uses_of(s->target.device, uses);
    for (int r = 0; r < RESOURCES; r++) {
        if (s->margin[r] == 0 || s->budget[r] < s->available[r] - s->margin[r]) continue;
        weir_text_format(&text, "%s%lld of %lld %s", text.size == 0 ? "" : ", ", (long long)s->margin[r],
                         (long long)s->available[r], uses[r].name);
    }
    if (text.size > 0) weir_note("left free, because estimates are off by as much: %s", text.data);
    weir_text_free(&text);
}

void weir_folding_refuse(weir_folding_finder *s) {
    const weir_location at = weir_at(weir_graph_source(s->graph), 0);
    const int64_t asked = s->request->interval, shortest = weir_folding_space_interval(s->space, 0);
    if (asked > 0 && asked < shortest) {
        weir_error(at, "a frame takes %lld cycles with any folding, more than the %lld asked for", (long long)shortest,
                   (long long)asked);
        return;
    }
    weir_cost_use uses[WEIR_COST_USES];
    uses_of(s->target.device, uses);
    weir_text missing = {NULL, 0, 0};
    for (int r = 0; r < RESOURCES; r++) {
        const int64_t room = s->budget[r] - s->reserve[r];
        if (s->least[r] <= room) continue;
        weir_text_format(&missing, "%s%lld %s of %lld, %lld more", missing.size == 0 ? "" : "; ",
                         (long long)s->least[r], uses[r].name, (long long)room, (long long)(s->least[r] - room));
    }
    char *within = asked > 0 ? weir_format(" in %lld cycles a frame", (long long)asked) : weir_copy_string("");
    weir_error(at, "no folding fits %s%s%s%s", s->target.device->name, within,
               missing.size > 0 ? ": it takes at least " : ": saving one resource takes too much of another",
               missing.size > 0 ? missing.data : "");
    weir_text_free(&missing);
    note_margin(s);
    const int64_t quickest = asked > 0 ? shortest_that_fits(s) : 0;
    if (quickest > 0) weir_note("the shortest interval that fits is %lld cycles a frame", (long long)quickest);
    char *nearest = roomier(s);
    if (nearest != NULL) weir_note("the smallest known device that has room%s is %s", within, nearest);
    else weir_note("no known device has room%s within this budget", within);
    free(nearest);
    free(within);
    note_smallest(s); /* last, for it changes the space */
}
