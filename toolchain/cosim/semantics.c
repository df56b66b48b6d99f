/* Each watched pass keeps what the graphs computed before it; passes nest, so these records form a stack. Inputs are
 * made for the graph before the pass and given to both. Cost: two executions of every graph a pass and sample. */
#include "cosim/semantics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/outcome.h"
#include "ir/graph/graph.h"
#include "support/memory/arena.h"
#include "support/text/once.h"

typedef struct comparison {
    const weir_semantics *semantics;
    const weir_pass *pass;
    const weir_outcome *before, *after;
} comparison;

static void report(const comparison *c, weir_outcome_difference d) {
    weir_text text = {0};
    const char *pass = weir_pass_name(c->pass);
    weir_outcome_print(c->before, c->after, d, &text);
    if (d.kind == WEIR_OUTCOME_OBSTACLE) {
        weir_error(WEIR_NOWHERE, "after pass '%s' %s", pass, text.data);
    } else if (d.kind == WEIR_OUTCOME_ELEMENT) {
        weir_error(WEIR_NOWHERE, "pass '%s' changed what graph '%s' computes: %s", pass, c->after->graph, text.data);
        weir_note("random inputs %zu of %zu, seed %llu; the pass promises '%s' results", d.sample + 1,
                  c->before->samples, (unsigned long long)c->semantics->seed,
                  weir_pass_promise_name(weir_pass_info_of(c->pass)->promise));
    } else {
        weir_error(WEIR_NOWHERE, "pass '%s' changed %s", pass, text.data);
    }
    weir_text_free(&text);
}

static bool compare(const comparison *c) {
    bool approximate = weir_pass_info_of(c->pass)->promise == WEIR_PASS_APPROXIMATE;
    double part = fmax(c->semantics->tolerance, approximate ? WEIR_SEMANTICS_APPROXIMATE : 0);
    weir_outcome_difference difference = weir_outcome_compare(c->before, c->after, part);
    if (difference.kind != WEIR_OUTCOME_SAME) {
        report(c, difference);
    }
    return difference.kind == WEIR_OUTCOME_SAME;
}

/* --- the instrument --- */
/* What the graphs of a pass that runs computed before it. */
typedef struct record {
    weir_outcome **of;
    size_t count;
    struct record *around;
} record;

typedef struct state {
    weir_semantics semantics;
    record *now;
    weir_once warned; /* names of graphs */
} state;

static bool watched(const weir_pass_site *site) {
    const weir_pass_info *info = weir_pass_info_of(site->pass);
    return info && info->promise != WEIR_PASS_CHANGES && info->kind != WEIR_PASS_HARDWARE;
}

static size_t graph_count(const weir_pass_site *site) {
    return site->graph ? 1 : weir_module_graph_count(site->module);
}

static const weir_graph *graph_at(const weir_pass_site *site, size_t index) {
    assert(index < graph_count(site));
    return site->graph ? site->graph : weir_module_graph(site->module, index);
}

static void warn(state *s, const weir_outcome *o) {
    if (!weir_once_add(&s->warned, o->graph)) return;
    weir_warning(WEIR_NOWHERE, "graph '%s' is not checked, because it cannot be executed: %s", o->graph, o->obstacle);
}

static bool before(weir_pass_instrument *instrument, const weir_pass_site *site) {
    state *s = instrument->user;
    if (!watched(site)) {
        return true;
    }
    record *r = weir_calloc(1, sizeof *r);
    r->count = graph_count(site);
    r->of = weir_calloc(r->count + 1, sizeof(*r->of));
    for (size_t i = 0; i < r->count; i++) {
        r->of[i] = weir_outcome_random(graph_at(site, i), s->semantics.samples, s->semantics.seed);
        if (r->of[i]->obstacle) {
            warn(s, r->of[i]);
        }
    }
    r->around = s->now;
    s->now = r;
    return true;
}

static void pop(state *s) {
    record *r = s->now;
    s->now = r->around;
    for (size_t i = 0; i < r->count; i++) {
        weir_outcome_free(r->of[i]);
    }
    free(r->of);
    free(r);
}

/* The graph before the pass that this one is compared with; NULL: none. */
static const weir_outcome *partner(const record *r, const weir_pass_site *site, const weir_graph *graph) {
    for (size_t i = 0; i < r->count; i++) {
        if (site->graph || strcmp(r->of[i]->graph, weir_graph_name(graph)) == 0) {
            return r->of[i];
        }
    }
    const weir_outcome *last = r->count ? r->of[r->count - 1] : NULL;
    return last && weir_outcome_fits(graph, last) && weir_graph_output_count(graph) == last->output_count ? last : NULL;
}

static bool check(const state *s, const weir_pass_site *site, const weir_graph *graph) {
    const weir_outcome *then = partner(s->now, site, graph);
    if (!then || then->obstacle) {
        return true;
    }
    if (!weir_outcome_fits(graph, then)) {
        weir_error(WEIR_NOWHERE, "pass '%s' changed the inputs of graph '%s'", weir_pass_name(site->pass),
                   weir_graph_name(graph));
        return false;
    }
    weir_outcome *now = weir_outcome_like(graph, then);
    bool ok = compare(&(comparison){&s->semantics, site->pass, then, now});
    weir_outcome_free(now);
    return ok;
}

static bool after(weir_pass_instrument *instrument, const weir_pass_site *site) {
    state *s = instrument->user;
    bool ok = true;
    if (watched(site)) {
        for (size_t i = 0; ok && i < graph_count(site); i++) {
            ok = check(s, site, graph_at(site, i));
        }
        pop(s);
    }
    return ok;
}

static void failed(weir_pass_instrument *instrument, const weir_pass_site *site) {
    if (watched(site)) {
        pop(instrument->user);
    }
}

static void release(weir_pass_instrument *instrument) {
    state *s = instrument->user;
    weir_once_free(&s->warned);
    free(s);
    free(instrument);
}

weir_pass_instrument *weir_semantics_new(const weir_semantics *semantics) {
    weir_pass_instrument *instrument = weir_calloc(1, sizeof *instrument);
    state *s = weir_calloc(1, sizeof *s);
    s->semantics = *semantics;
    *instrument = (weir_pass_instrument){.name = "semantics",
                                         .user = s,
                                         .before_pass = before,
                                         .after_pass = after,
                                         .pass_failed = failed,
                                         .release = release};
    return instrument;
}
