#include "dse/folding/folding_search_private.h"

#include <string.h>

#include "dataflow/folding.h"

enum { RESOURCES = WEIR_KNAPSACK_RESOURCES, ROUNDS = 12 };

/* Of the objective, in intervals no longer than `longest`; 0: in any. */
static void find(weir_folding_finder *s, int64_t longest) {
    const size_t count = weir_folding_count_within(s, longest);
    s->fits = false;
    for (int r = 0; r < RESOURCES; r++) s->least[r] = INT64_MAX;
    if (count == 0) return;
    if (s->request->objective == WEIR_FOLDING_LATENCY) weir_folding_find_quickest(s, count);
    else if (s->request->objective == WEIR_FOLDING_THROUGHPUT) weir_folding_find_fastest(s, count);
    else weir_folding_find_least(s, count);
}

/* --- what was found --- */

/* Solves again with other room for FIFOs where these were too much, until all of it fits. *bound: that of the first
 * time. */
static bool find_that_fits(weir_folding_finder *s, int64_t *bound) {
    weir_folding_spare tried = {.has_high = false};
    for (int round = 0; round < ROUNDS; round++) {
        s->is_again = round > 0;
        find(s, s->request->interval);
        if (round == 0) *bound = s->bound;
        if (!s->fits && round == 0) return false;
        if (s->fits && !weir_folding_try_out(s, INT64_MAX)) return false;
        if (s->fits && weir_folding_is_within(s)) return true;
        if (!weir_folding_try_room(s, &tried)) break;
    }
    s->fits = false;
    return false;
}

static bool find_settings(weir_folding_finder *s, weir_graph *graph, weir_folding_report *report) {
    int64_t bound;
    const bool fine = find_that_fits(s, &bound);
    *report = s->built;
    report->objective = s->request->objective;
    report->intervals = weir_folding_space_count(s->space);
    memcpy(report->budget, s->budget, sizeof s->budget);
    memcpy(report->margin, s->margin, sizeof s->margin);
    memcpy(report->available, s->available, sizeof s->available);
    report->fits = s->fits;
    report->bound = bound;
    report->steps = WEIR_FOLDING_MOST_WORK - s->work;
    if (!fine) return false;
    report->value = s->value;
    weir_folding_space_apply(s->space, s->index, s->pick, graph);
    return true;
}

bool weir_folding_find(weir_graph *graph, const weir_folding_request *request, weir_folding_report *report) {
    weir_folding_finder s = weir_folding_start(graph, request);
    const bool fine = find_settings(&s, graph, report);
    weir_folding_finish(&s);
    return fine;
}

bool weir_folding_search(weir_graph *graph, const weir_folding_request *request, weir_folding_report *report) {
    weir_folding_finder s = weir_folding_start(graph, request);
    const bool fine = find_settings(&s, graph, report);
    if (!s.fits) weir_folding_refuse(&s);
    weir_folding_finish(&s);
    return fine && weir_folding_choose(graph, report->interval, INT32_MAX, NULL);
}
