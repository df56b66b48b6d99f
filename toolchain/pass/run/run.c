/* The runner: enabling, requirements, hooks, the pass itself, and what holds after it.
 * Results that hold are bit sets by registry id, one for the module (with its design) and one a graph, so a pass
 * without instruments costs a few dozen instructions beside its own work. */
#include "pass/core/private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/graph.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

/* Facts about a graph and about the design do not depend on each other; facts about the module depend on its graphs. */
static void update_what_holds(weir_pass_context *context, const weir_pass_frame *frame) {
    const weir_pass_entry *entry = frame->site.pass->entry;
    weir_pass_slot *own = frame->slot ? frame->slot : context->root;
    if (!frame->site.unchanged && !entry->survive_all) {
        const uint64_t *hardware = context->registry->hardware;
        switch (entry->kind) {
        case WEIR_PASS_GRAPH:
            weir_pass_slot_keep(context, own, entry->survive, NULL, 0);
            weir_pass_slot_keep(context, context->root, entry->survive, hardware, 0);
            break;
        case WEIR_PASS_HARDWARE: weir_pass_slot_keep(context, own, entry->survive, hardware, UINT64_MAX); break;
        case WEIR_PASS_MODULE:
            weir_pass_slot_keep(context, own, entry->survive, NULL, 0);
            for (size_t i = 0; i < context->slot_count; i++) {
                weir_pass_slot_keep(context, context->slot[i], entry->survive, NULL, 0);
            }
            break;
        case WEIR_PASS_KIND_COUNT: weir_unreachable("a kind of passes");
        }
    }
    for (size_t i = 0; i < context->registry->words && !frame->site.unchanged; i++) {
        context->root->valid[i] &= ~context->registry->forms[i];
    }
    weir_pass_put(own->valid, entry->id);
    if (context->built == 0) {
        context->last[entry->id] = frame->site.pass;
    }
}

/* The graph takes the place of the one of the slot, which is freed. */
static void put_replacement(weir_pass_context *context, weir_pass_slot *slot, weir_graph *graph) {
    size_t index = 0;
    assert(slot->graph != NULL && graph != slot->graph);
    while (weir_module_graph(context->module, index) != slot->graph) {
        index++;
    }
    weir_module_replace_graph(context->module, index, graph);
    slot->id = weir_module_graph_id(context->module, index);
    slot->graph = graph;
}

/* The graph that the pass made takes its unit's place, also in the passes around it. Results of analyses may point
 * into the old graph, so they end with it. */
static void replace_graph(weir_pass_context *context, weir_pass_frame *frame) {
    weir_pass_slot *slot = frame->slot;
    for (size_t i = 0; i < context->registry->count; i++) {
        if (context->registry->entry[i]->what == WEIR_PASS_ENTRY_ANALYSIS) {
            weir_pass_take(slot->valid, (uint32_t)i);
            if (context->registry->entry[i]->kind != WEIR_PASS_HARDWARE) {
                weir_pass_take(context->root->valid, (uint32_t)i);
            }
        }
    }
    weir_pass_drop_results(slot);
    weir_pass_drop_results(context->root);
    put_replacement(context, slot, frame->replacement);
    for (weir_pass_frame *f = frame; f && f->slot == slot; f = f->around) {
        f->site.graph = slot->graph;
    }
    frame->replacement = NULL;
}

void weir_pass_replace_graph(weir_pass_context *context, weir_graph *graph) {
    weir_pass_frame *frame = context->frame;
    if (!frame || !frame->slot) {
        fprintf(stderr, "weir: internal error: only a graph pass may replace its graph\n");
        abort();
    }
    if (frame->replacement) {
        weir_graph_free(frame->replacement);
    }
    frame->replacement = graph;
}

/* --- hooks --- */
static void set_failed(weir_pass_context *context, const char *name) {
    if (!context->failed) {
        context->failed = weir_copy_string(name);
    }
}

static bool hook_failed(const weir_pass_frame *frame, const weir_pass_instrument *instrument, size_t errors,
                        const char *when) {
    if (weir_diag_errors() == errors) {
        weir_error(WEIR_NOWHERE, "instrument '%s' failed %s pass '%s'", instrument->name, when, frame->site.pass->name);
    }
    set_failed(frame->site.context, frame->site.pass->name);
    return false;
}

static weir_pass_decision ask(const weir_pass_context *context, const weir_pass_frame *frame) {
    const weir_pass_entry *entry = frame->site.pass->entry;
    weir_pass_decision decision = WEIR_PASS_GO;
    if (entry && (weir_pass_flags(context, entry->id) & WEIR_PASS_REQUIRED)) {
        return decision;
    }
    for (size_t i = 0; i < context->instrument_count; i++) {
        weir_pass_instrument *instrument = context->instrument[i];
        size_t errors = weir_diag_errors();
        weir_pass_decision one =
            instrument->should_run ? instrument->should_run(instrument, &frame->site) : WEIR_PASS_GO;
        if (one == WEIR_PASS_STOP) {
            hook_failed(frame, instrument, errors, "when asked about");
            return one;
        }
        decision = one == WEIR_PASS_SKIP ? one : decision;
    }
    return decision;
}

/* pass_failed for instruments first .. end-1. */
static void tell_failed(const weir_pass_context *context, const weir_pass_frame *frame, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        if (context->instrument[i]->pass_failed) {
            context->instrument[i]->pass_failed(context->instrument[i], &frame->site);
        }
    }
}

static bool call_before(const weir_pass_context *context, const weir_pass_frame *frame) {
    for (size_t i = 0; i < context->instrument_count; i++) {
        weir_pass_instrument *instrument = context->instrument[i];
        size_t errors = weir_diag_errors();
        if (instrument->before_pass && !instrument->before_pass(instrument, &frame->site)) {
            tell_failed(context, frame, 0, i);
            return hook_failed(frame, instrument, errors, "before");
        }
    }
    return true;
}

static bool call_after(const weir_pass_context *context, const weir_pass_frame *frame) {
    for (size_t i = 0; i < context->instrument_count; i++) {
        weir_pass_instrument *instrument = context->instrument[i];
        size_t errors = weir_diag_errors();
        if (instrument->after_pass && !instrument->after_pass(instrument, &frame->site)) {
            bool ok = hook_failed(frame, instrument, errors, "after");
            tell_failed(context, frame, i + 1, context->instrument_count);
            return ok;
        }
    }
    return true;
}

/* --- one pass on one unit --- */
static bool run_any(weir_pass_context *context, const weir_pass *pass, weir_pass_slot *slot);

static bool run_hardware(const weir_pass *pass, weir_pass_context *context) {
    const weir_module_design_calls *calls = weir_module_design_functions(context->module);
    if (calls->enter) {
        calls->enter(context->module, pass->name);
    }
    weir_rtl_design *own = weir_module_design(context->module), *design = own;
    if (pass->entry->info->formulas == WEIR_PASS_FORMULAS_VALUES && calls->with_values) {
        design = calls->with_values(context->module);
    }
    if (design != own) {
        weir_module_lend_design(context->module, design);
    }
    bool ok = design && pass->entry->info->run.hardware(pass, context, design);
    if (design != own) {
        weir_module_lend_design(context->module, NULL);
        if (design) {
            calls->release(design);
        }
    }
    if (calls->enter) {
        calls->enter(context->module, NULL);
    }
    return ok;
}

static bool run_leaf(weir_pass_context *context, const weir_pass_frame *frame) {
    const weir_pass *pass = frame->site.pass;
    const weir_pass_info *info = pass->entry->info;
    size_t errors = weir_diag_errors();
    bool ok = false;
    switch (info->kind) {
    case WEIR_PASS_GRAPH: ok = info->run.graph(pass, context, frame->site.graph); break;
    case WEIR_PASS_HARDWARE:
        if (weir_module_design(context->module)) {
            ok = run_hardware(pass, context);
        } else {
            weir_error(WEIR_NOWHERE, "module '%s' has no hardware design yet", weir_module_name(context->module));
        }
        break;
    case WEIR_PASS_MODULE: ok = info->run.module(pass, context, context->module); break;
    case WEIR_PASS_KIND_COUNT: weir_unreachable("a kind of passes");
    }
    if (!ok) {
        weir_text unit = {0};
        weir_pass_site_name(&frame->site, &unit);
        weir_pass_blame(errors, "pass '%s' failed on %s", pass->name, unit.data);
        weir_text_free(&unit);
        set_failed(context, pass->name);
    }
    return ok;
}

/* Has the unit the form that the pass requires? What does not hold is reported. */
static bool require_form(weir_pass_context *context, const weir_pass_entry *entry, const weir_pass_entry *needed) {
    const weir_pass_form *form = needed->form;
    size_t errors = weir_diag_errors();
    weir_rtl_design *design = form->kind == WEIR_PASS_HARDWARE ? weir_module_design(context->module) : NULL;
    bool ok = form->kind == WEIR_PASS_HARDWARE ? !design || form->holds.hardware(context, design)
                                               : form->holds.module(context, context->module);
    if (ok) { /* without a design, the pass itself says so */
        weir_pass_put(context->root->valid, needed->id);
        return true;
    }
    weir_pass_blame(errors, "pass '%s' requires the form '%s': %s", entry->name, form->name, form->help);
    if (form->remedy) {
        weir_note("run '%s' first", form->remedy);
    }
    return false;
}

/* The forms that the pass requires, once everything else that it requires has run and nothing skips it. */
static bool require_forms(weir_pass_context *context, const weir_pass_entry *entry) {
    for (size_t i = 0; i < entry->require_count; i++) {
        const weir_pass_entry *needed = entry->requires[i];
        if (needed->what != WEIR_PASS_ENTRY_FORM || weir_pass_has(context->root->valid, needed->id)) {
            continue;
        }
        if (!require_form(context, entry, needed)) {
            set_failed(context, entry->name);
            return false;
        }
    }
    return true;
}

static bool run_body(weir_pass_context *context, const weir_pass_frame *frame) {
    const weir_pass *pass = frame->site.pass;
    if (!pass->is_sequence) {
        return require_forms(context, pass->entry) && run_leaf(context, frame);
    }
    for (size_t i = 0; i < pass->count; i++) {
        if (!run_any(context, pass->child[i], frame->slot)) {
            return false;
        }
    }
    return true;
}

static bool run_hooked(weir_pass_context *context, weir_pass_frame *frame) {
    if (!call_before(context, frame)) {
        return false;
    }
    if (!run_body(context, frame)) {
        if (frame->replacement) {
            weir_graph_free(frame->replacement);
        }
        tell_failed(context, frame, 0, context->instrument_count);
        return false;
    }
    if (!frame->site.pass->is_sequence) {
        if (frame->replacement) {
            replace_graph(context, frame);
        }
        update_what_holds(context, frame);
    }
    return call_after(context, frame);
}

static bool run_here(weir_pass_context *context, const weir_pass *pass, weir_pass_slot *slot) {
    weir_pass_frame *around = context->frame;
    weir_pass_frame frame = {.slot = slot, .around = around};
    frame.site.context = context;
    frame.site.pass = pass;
    frame.site.module = context->module;
    frame.site.graph = slot ? slot->graph : NULL;
    frame.site.depth = around ? around->site.depth + 1 : 0;
    context->frame = &frame;
    weir_pass_decision decision = context->instrument_count ? ask(context, &frame) : WEIR_PASS_GO;
    bool ok = decision != WEIR_PASS_STOP;
    if (decision == WEIR_PASS_GO) {
        ok = run_hooked(context, &frame);
    } else if (decision == WEIR_PASS_SKIP && !pass->is_sequence) {
        /* Whoever skips a pass answers for its result, or its dependents would ask for it again and again. */
        weir_pass_put((slot ? slot : context->root)->valid, pass->entry->id);
    }
    assert(context->frame == &frame); /* what ran inside has left */
    context->frame = around;
    return ok;
}

/* --- requirements --- */
static bool require_all(weir_pass_context *context, const weir_pass_entry *entry, weir_pass_slot *slot);

static bool holds(weir_pass_context *context, const weir_pass_entry *entry, const weir_pass_slot *slot) {
    if (entry->kind != WEIR_PASS_GRAPH) {
        return weir_pass_has(context->root->valid, entry->id);
    }
    if (slot) {
        return weir_pass_has(slot->valid, entry->id);
    }
    for (size_t i = 0; i < weir_module_graph_count(context->module); i++) {
        weir_graph *graph = weir_module_graph(context->module, i);
        if (!weir_pass_has(weir_pass_slot_of(context, graph, i)->valid, entry->id)) {
            return false;
        }
    }
    return true;
}

/* The instance of a required pass: the one that ran last, else one with default options, which the context keeps. */
static const weir_pass *instance_for(weir_pass_context *context, weir_pass_entry *entry) {
    if (context->last[entry->id]) {
        return context->last[entry->id];
    }
    if (context->implicit_count < context->registry->count) {
        size_t count = context->registry->count;
        context->implicit = weir_realloc(context->implicit, count * sizeof(*context->implicit));
        for (size_t i = context->implicit_count; i < count; i++) {
            context->implicit[i] = NULL;
        }
        context->implicit_count = count;
    }
    if (!context->implicit[entry->id]) {
        context->implicit[entry->id] = weir_pass_instance(entry);
    }
    return context->implicit[entry->id];
}

static bool require_here(weir_pass_context *context, weir_pass_entry *needed, weir_pass_slot *slot) {
    return require_all(context, needed, slot) && run_here(context, instance_for(context, needed), slot);
}

/* Module passes that `entry` needs, directly or through graph passes, before its first graph is taken. */
static bool hoist(weir_pass_context *context, const weir_pass_entry *entry);

static bool require_one(weir_pass_context *context, const weir_pass_entry *entry, weir_pass_entry *needed,
                        weir_pass_slot *slot) {
    if (weir_pass_flags(context, needed->id) & WEIR_PASS_DISABLED) {
        weir_error(WEIR_NOWHERE, "pass '%s' requires '%s', which is disabled", entry->name, needed->name);
        return false;
    }
    if (slot && needed->kind != WEIR_PASS_GRAPH) {
        weir_error(WEIR_NOWHERE, "pass '%s' requires %s pass '%s', whose result was lost within graph(...)",
                   entry->name, weir_pass_kind_name(needed->kind), needed->name);
        weir_note("end the graph(...) before '%s'", entry->name);
        return false;
    }
    bool ok = true;
    if (needed->kind == WEIR_PASS_GRAPH && !slot) {
        ok = hoist(context, needed);
        for (size_t i = 0; ok && i < weir_module_graph_count(context->module); i++) {
            weir_pass_slot *slot_of = weir_pass_slot_of(context, weir_module_graph(context->module, i), i);
            ok = weir_pass_has(slot_of->valid, needed->id) || require_here(context, needed, slot_of);
        }
    } else {
        ok = require_here(context, needed, slot);
    }
    if (!ok) {
        weir_note("'%s' is required by pass '%s'", needed->name, entry->name);
    }
    return ok;
}

/* One requirement may undo another, so look again after each round; every useful order needs no more rounds than
 * there are requirements. */
static bool require_all(weir_pass_context *context, const weir_pass_entry *entry, weir_pass_slot *slot) {
    const weir_pass_entry *lost = NULL;
    for (size_t round = 0; round <= entry->require_count; round++) {
        lost = NULL;
        for (size_t i = 0; i < entry->require_count; i++) {
            if (entry->requires[i] -> what == WEIR_PASS_ENTRY_PASS && !holds(context, entry->requires[i], slot)) {
                lost = entry->requires[i];
                if (!require_one(context, entry, entry->requires[i], slot)) {
                    set_failed(context, entry->name);
                    return false;
                }
            }
        }
        if (!lost) {
            return true;
        }
    }
    set_failed(context, entry->name);
    weir_error(WEIR_NOWHERE, "the requirements of pass '%s' undo each other: the result of '%s' is always lost",
               entry->name, lost->name);
    return false;
}

static bool hoist(weir_pass_context *context, const weir_pass_entry *entry) {
    for (size_t i = 0; i < entry->require_count; i++) {
        weir_pass_entry *needed = entry->requires[i];
        if (needed->what == WEIR_PASS_ENTRY_FORM || holds(context, needed, NULL)) {
            continue;
        }
        if (needed->kind == WEIR_PASS_GRAPH ? !hoist(context, needed) : !require_one(context, entry, needed, NULL)) {
            return false;
        }
    }
    return true;
}

static bool hoist_all(weir_pass_context *context, const weir_pass *pass) {
    if (!weir_pass_enabled(context, pass)) {
        return true;
    }
    if (!pass->is_sequence) {
        return hoist(context, pass->entry);
    }
    for (size_t i = 0; i < pass->count; i++) {
        if (!hoist_all(context, pass->child[i])) {
            return false;
        }
    }
    return true;
}

/* --- any pass --- */
static bool run_required(weir_pass_context *context, const weir_pass *pass, weir_pass_slot *slot) {
    return (pass->is_sequence || pass->entry->require_count == 0 || require_all(context, pass->entry, slot)) &&
           run_here(context, pass, slot);
}

static bool run_any(weir_pass_context *context, const weir_pass *pass, weir_pass_slot *slot) {
    if (pass->entry && pass->entry->registry != context->registry) {
        weir_error(WEIR_NOWHERE, "pass '%s' belongs to another registry than the context", pass->name);
        return false;
    }
    if (!weir_pass_enabled(context, pass)) {
        return true;
    }
    if (pass->kind != WEIR_PASS_GRAPH || slot) {
        return run_required(context, pass, slot);
    }
    if (!hoist_all(context, pass)) {
        return false;
    }
    for (size_t i = 0; i < weir_module_graph_count(context->module); i++) {
        if (!run_required(context, pass, weir_pass_slot_of(context, weir_module_graph(context->module, i), i))) {
            return false;
        }
    }
    return true;
}

static void warn_conflicts(weir_pass_context *context) {
    for (size_t id = 0; id < context->flag_count && !context->warned; id++) {
        if ((context->flag[id] & WEIR_PASS_REQUIRED) && (context->flag[id] & WEIR_PASS_DISABLED)) {
            weir_warning(WEIR_NOWHERE, "pass '%s' is both required and disabled: it does not run",
                         context->registry->entry[id]->name);
        }
    }
    context->warned = true;
}

/* What weir_pass_context_assume said, once. */
static void assume(weir_pass_context *context) {
    for (size_t id = 0; id < context->flag_count; id++) {
        if (!(context->flag[id] & WEIR_PASS_ASSUMED)) {
            continue;
        }
        context->flag[id] &= (uint8_t)~WEIR_PASS_ASSUMED;
        if (context->registry->entry[id]->kind != WEIR_PASS_GRAPH) {
            weir_pass_put(context->root->valid, (uint32_t)id);
            continue;
        }
        for (size_t i = 0; i < weir_module_graph_count(context->module); i++) {
            weir_pass_put(weir_pass_slot_of(context, weir_module_graph(context->module, i), i)->valid, (uint32_t)id);
        }
    }
}

static bool run_top(weir_pass_context *context, const weir_pass *pass, weir_module *module) {
    weir_pass_registry *registry = context->registry;
    context->module = module;
    context->root = weir_pass_slot_new(context, 0);
    context->last = weir_calloc(registry->count + 1, sizeof(*context->last));
    assume(context);
    registry->running++;
    context->direct = weir_pass_direct(pass);
    if (context->direct && (weir_pass_flags(context, context->direct->entry->id) & WEIR_PASS_DISABLED)) {
        weir_warning(WEIR_NOWHERE, "pass '%s' is disabled, but named by itself: it runs", context->direct->name);
    }
    bool ok = run_any(context, pass, NULL);
    context->direct = NULL;
    registry->running--;
    for (size_t i = 0; i < context->slot_count; i++) {
        weir_pass_slot_free(context, context->slot[i]);
    }
    weir_pass_slot_free(context, context->root);
    free(context->slot);
    free(context->last);
    context->slot = NULL;
    context->slot_count = context->slot_capacity = 0;
    context->root = NULL;
    context->last = NULL;
    context->module = NULL;
    return ok;
}

bool weir_pass_run(weir_pass_context *context, const weir_pass *pass, weir_module *module) {
    if (context->module) {
        weir_error(WEIR_NOWHERE, "pass '%s' cannot be started while the context runs another", pass->name);
        weir_note("passes run others with weir_pass_run_here");
        return false;
    }
    free(context->failed);
    context->failed = NULL;
    if (!weir_pass_registry_check(context->registry)) {
        return false;
    }
    warn_conflicts(context);
    bool scoped = context->entered;
    if (!scoped && !weir_pass_context_enter(context)) {
        return false;
    }
    bool ok = run_top(context, pass, module);
    return (scoped || weir_pass_context_exit(context)) && ok;
}

bool weir_pass_run_here(weir_pass_context *context, const weir_pass *pass) {
    weir_pass_frame *frame = context->frame;
    if (!frame) {
        weir_error(WEIR_NOWHERE, "pass '%s' can only be run here from within a pass", pass->name);
        return false;
    }
    weir_pass_kind kind = frame->site.pass->kind;
    if (kind != WEIR_PASS_MODULE && kind != pass->kind) {
        weir_error(WEIR_NOWHERE, "%s pass '%s' cannot run %s '%s'", weir_pass_kind_name(kind), frame->site.pass->name,
                   weir_pass_kind_name(pass->kind), pass->name);
        return false;
    }
    context->built++;
    bool ok = run_any(context, pass, frame->slot);
    context->built--;
    return ok;
}
