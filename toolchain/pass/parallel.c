/* Graph passes on several graphs at the same time. Each graph gets a branch: a context of its own that shares settings,
 * so that passes meet nothing of each other. What branches found is merged in the order of the graphs, and after a
 * failure the graphs behind it are put back as they were: nobody can tell from the outside. Where that cannot be
 * promised (see weir_pass_may_branch) graphs are taken one after the other. */
#include <stdlib.h>
#include <string.h>

#include "ir/graph.h"
#include "pass/private.h"
#include "support/arena.h"
#include "support/stack.h"

typedef struct run {
    weir_pass_branch branch;
    weir_pass_context context;
    weir_pass_slot root;
    weir_graph *before; /* a copy; NULL: not started, or the first graph, which never has to be put back */
    weir_diag_log *log; /* NULL: not started */
    bool ok;
} run;

typedef struct team {
    const weir_pass *pass;
    run *runs;
    size_t count;
    atomic_size_t next, failed; /* index; the lowest one that failed, or count */
} team;

/* --- whether --- */
static bool is_plain(const weir_pass *pass) {
    for (size_t i = 0; i < pass->values.count; i++) {
        if (pass->values.item[i].set) {
            return false;
        }
    }
    return true;
}

/* Adds all that the pass requires, directly or not. */
static bool collect(const weir_pass_entry *entry, uint64_t *needed) {
    bool ok = true;
    for (size_t i = 0; ok && i < entry->require_count; i++) {
        const weir_pass_entry *other = entry->requires[i];
        ok = other->kind == WEIR_PASS_GRAPH && other->info->parallel;
        if (ok && !weir_pass_has(needed, other->id)) {
            weir_pass_put(needed, other->id);
            ok = collect(other, needed);
        }
    }
    return ok;
}

static bool all_parallel(const weir_pass_context *context, const weir_pass *pass, uint64_t *needed) {
    if (pass->entry && pass->entry->registry != context->registry) {
        return false;
    }
    if (!weir_pass_enabled(context, pass)) {
        return true;
    }
    bool ok = pass->is_sequence || (pass->entry->info->parallel && collect(pass->entry, needed));
    for (size_t i = 0; ok && i < pass->count; i++) {
        ok = all_parallel(context, pass->child[i], needed);
    }
    return ok;
}

/* A requirement runs with the options that its pass last ran with, on whatever graph: that would be another graph's
 * affair unless these are the defaults everywhere. */
static bool all_plain(const weir_pass *pass, const uint64_t *needed) {
    bool ok = pass->is_sequence || !weir_pass_has(needed, pass->entry->id) || is_plain(pass);
    for (size_t i = 0; ok && i < pass->count; i++) {
        ok = all_plain(pass->child[i], needed);
    }
    return ok;
}

static bool instruments_branch(const weir_pass_context *context) {
    /* At the top, instruments look at the whole module. */
    bool ok = context->instrument_count == 0 || context->frame;
    for (size_t i = 0; ok && i < context->instrument_count; i++) {
        ok = context->instrument[i]->branch;
    }
    return ok;
}

bool weir_pass_may_branch(weir_pass_context *context, const weir_pass *pass) {
    if (context->threads < 2 || weir_module_graph_count(context->module) < 2 || !instruments_branch(context)) {
        return false;
    }
    const weir_pass_registry *registry = context->registry;
    uint64_t *needed = weir_calloc(registry->words, sizeof *needed);
    bool ok = all_parallel(context, pass, needed) && all_plain(pass, needed);
    for (size_t id = 0; ok && id < registry->count; id++) {
        if (weir_pass_has(needed, (uint32_t)id)) {
            ok = is_plain(weir_pass_instance_for(context, registry->entry[id]));
        }
    }
    free(needed);
    return ok;
}

/* --- branches --- */
static void *copy(const void *data, size_t size) {
    void *made = weir_calloc(1, size + 1);
    if (size) {
        memcpy(made, data, size);
    }
    return made;
}

static void open_branch(run *r, weir_pass_context *from, weir_pass_slot *slot) {
    weir_pass_context *context = &r->context;
    r->branch.slot = slot;
    r->root.valid = copy(from->root->valid, from->registry->words * sizeof *r->root.valid);
    *context = *from;
    context->branch = &r->branch;
    context->root = &r->root;
    context->slot = &r->branch.slot;
    context->slot_count = context->slot_capacity = 1;
    context->last = copy(from->last, from->registry->count * sizeof(*from->last));
    context->implicit = copy(from->implicit, from->implicit_count * sizeof(*from->implicit));
    context->failed = NULL;
    context->row = NULL;
    context->row_count = context->row_capacity = 0;
    context->records = json_array();
    context->output = (weir_text){0};
    context->instrument = weir_calloc(from->instrument_count + 1, sizeof(*context->instrument));
    for (size_t i = 0; i < from->instrument_count; i++) {
        context->instrument[i] = from->instrument[i]->branch(from->instrument[i]);
    }
}

/* What the context that was branched from would have after this graph. `start`: its `last` before all branches. */
static void merge_branch(weir_pass_context *into, run *r, size_t index, const weir_pass *const *start) {
    weir_pass_context *context = &r->context;
    for (size_t i = 0; i < into->registry->words; i++) {
        into->root->valid[i] &= r->root.valid[i];
    }
    weir_pass_drop_results(into->root);
    for (size_t id = 0; id < into->registry->count; id++) {
        into->last[id] = context->last[id] != start[id] ? context->last[id] : into->last[id];
    }
    if (r->branch.replaced) {
        weir_module_put_graph(into->module, index, r->branch.slot->graph);
        r->branch.slot->id = weir_module_graph_id(into->module, index);
    }
    for (size_t i = 0; i < context->row_count; i++) {
        weir_pass_add_count(into, context->row[i].pass, context->row[i].what, context->row[i].amount);
    }
    json_array_extend(into->records, context->records);
    if (context->output.size) {
        weir_text_add_n(&into->output, context->output.data, context->output.size);
    }
    for (size_t i = 0; i < into->instrument_count; i++) {
        if (into->instrument[i]->merge) {
            into->instrument[i]->merge(into->instrument[i], context->instrument[i]);
        }
    }
    if (context->failed && !into->failed) {
        into->failed = weir_copy_string(context->failed);
    }
    weir_diag_replay(r->log);
}

/* As if the branch had never run. */
static void revert_branch(weir_pass_context *into, run *r, size_t index) {
    weir_pass_slot *slot = r->branch.slot;
    memset(slot->valid, 0, into->registry->words * sizeof *slot->valid);
    weir_pass_drop_results(slot);
    weir_graph_free(slot->graph);
    slot->graph = r->before;
    r->before = NULL;
    weir_module_put_graph(into->module, index, slot->graph);
    slot->id = weir_module_graph_id(into->module, index);
}

static void close_branch(const weir_pass_context *into, run *r) {
    weir_pass_context *context = &r->context;
    for (size_t i = 0; i < context->instrument_count; i++) {
        weir_pass_instrument_free(context->instrument[i]);
    }
    for (size_t i = 0; i < context->implicit_count; i++) {
        if (i >= into->implicit_count || context->implicit[i] != into->implicit[i]) {
            weir_pass_free(context->implicit[i]);
        }
    }
    for (size_t i = 0; i < context->row_count; i++) {
        free(context->row[i].pass);
    }
    free(context->instrument);
    free(context->implicit);
    free(context->last);
    free(context->row);
    free(context->failed);
    free(r->root.valid);
    json_decref(context->records);
    weir_text_free(&context->output);
    weir_diag_log_free(r->log);
    if (r->before) {
        weir_graph_free(r->before);
    }
}

/* --- threads --- */
static void note_failure(team *t, size_t index) {
    size_t lowest = t->failed;
    while (index < lowest && !atomic_compare_exchange_weak(&t->failed, &lowest, index)) {
    }
}

static void *work(void *user) {
    team *t = user;
    for (size_t i; (i = t->next++) < t->count;) {
        run *r = &t->runs[i];
        if (i > t->failed) {
            continue;
        }
        r->before = i > 0 ? weir_graph_copy(r->branch.slot->graph) : NULL;
        r->log = weir_diag_capture();
        r->ok = weir_pass_run_required(&r->context, t->pass, r->branch.slot);
        weir_diag_release(r->log);
        if (!r->ok) {
            note_failure(t, i);
        }
    }
    return NULL;
}

/* This thread works too; threads that cannot be had are done without. */
static void run_team(team *t, size_t threads) {
    pthread_t *thread = weir_calloc(threads, sizeof *thread);
    size_t started = 0;
    while (started + 1 < threads && started + 1 < t->count && weir_stack_thread(&thread[started], work, t)) {
        started++;
    }
    work(t);
    for (size_t i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
    }
    free(thread);
}

bool weir_pass_run_branches(weir_pass_context *context, const weir_pass *pass) {
    team t = {.pass = pass, .count = weir_module_graph_count(context->module)};
    const weir_pass **start = copy(context->last, context->registry->count * sizeof(*context->last));
    t.failed = t.count;
    t.runs = weir_calloc(t.count, sizeof *t.runs);
    for (size_t i = 0; i < t.count; i++) {
        open_branch(&t.runs[i], context, weir_pass_slot_of(context, weir_module_graph(context->module, i), i));
    }
    run_team(&t, context->threads);
    for (size_t i = 0; i < t.count; i++) {
        if (i <= t.failed) {
            merge_branch(context, &t.runs[i], i, start);
        } else if (t.runs[i].log) {
            revert_branch(context, &t.runs[i], i);
        }
    }
    for (size_t i = 0; i < t.count; i++) {
        close_branch(context, &t.runs[i]);
    }
    bool ok = t.failed == t.count;
    free(start);
    free(t.runs);
    return ok;
}
