/* Contexts: settings, the instruments' scope, statistics. Running is in run.c. */
#include "pass/core/private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/graph.h"
#include "support/memory/arena.h"

weir_pass_context *weir_pass_context_new(weir_pass_registry *registry) {
    weir_pass_context *context = weir_calloc(1, sizeof *context);
    context->registry = registry;
    context->level = WEIR_PASS_LEVEL_DEFAULT;
    context->records = json_array();
    weir_pass_values_init(&context->config, &registry->config);
    return context;
}

weir_pass_context *weir_pass_context_nest(const weir_pass_context *around) {
    weir_pass_context *context = weir_pass_context_new(around->registry);
    context->level = around->level;
    context->user = around->user;
    context->flag_count = around->flag_count;
    context->flag = around->flag_count ? weir_malloc(around->flag_count) : NULL;
    if (around->flag_count) {
        memcpy(context->flag, around->flag, around->flag_count);
    }
    weir_pass_values_copy(&context->config, &around->config);
    return context;
}

void weir_pass_context_free(weir_pass_context *context) {
    if (!context) {
        return;
    }
    for (size_t i = 0; i < context->implicit_count; i++) {
        weir_pass_free(context->implicit[i]);
    }
    for (size_t i = 0; i < context->row_count; i++) {
        free(context->row[i].pass);
    }
    free(context->implicit);
    free(context->row);
    json_decref(context->records);
    weir_text_free(&context->output);
    free(context->failed);
    free(context->instrument);
    free(context->flag);
    weir_pass_values_free(&context->config);
    free(context);
}

weir_pass_registry *weir_pass_context_registry(const weir_pass_context *context) { return context->registry; }

bool weir_pass_context_set_level(weir_pass_context *context, int level) {
    if (level < 0 || level > WEIR_PASS_LEVEL_MAX) {
        weir_error(WEIR_NOWHERE, "optimization level must be from 0 to %d, found %d", WEIR_PASS_LEVEL_MAX, level);
        return false;
    }
    context->level = level;
    return true;
}

int weir_pass_context_level(const weir_pass_context *context) { return context->level; }

static bool set_flag(weir_pass_context *context, const char *names, uint8_t flag) {
    const weir_pass_registry *registry = context->registry;
    bool ok = true;
    if (context->flag_count < registry->count) {
        context->flag = weir_realloc(context->flag, registry->count);
        memset(context->flag + context->flag_count, 0, registry->count - context->flag_count);
        context->flag_count = registry->count;
    }
    for (char *name; (name = weir_pass_next_name(&names)); free(name)) {
        const weir_pass_entry *entry = weir_pass_registry_entry(registry, name);
        if (entry && weir_pass_can_run(entry)) {
            context->flag[entry->id] |= flag;
        } else {
            weir_pass_registry_unknown(registry, name, (weir_pass_position){WEIR_NOWHERE, 0});
            ok = false;
        }
    }
    context->warned = false;
    return ok;
}

bool weir_pass_context_require(weir_pass_context *context, const char *names) {
    return set_flag(context, names, WEIR_PASS_REQUIRED);
}

bool weir_pass_context_disable(weir_pass_context *context, const char *names) {
    return set_flag(context, names, WEIR_PASS_DISABLED);
}

bool weir_pass_context_assume(weir_pass_context *context, const char *names) {
    return set_flag(context, names, WEIR_PASS_ASSUMED);
}

void weir_pass_context_set_user(weir_pass_context *context, void *user) { context->user = user; }

void *weir_pass_context_user(const weir_pass_context *context) { return context->user; }

bool weir_pass_config_set(weir_pass_context *context, const char *key, const char *text) {
    return weir_pass_values_set(&context->config, key, text, "the configuration",
                                (weir_pass_position){WEIR_NOWHERE, 0});
}

/* --- the instruments' scope --- */
void weir_pass_context_add_instrument(weir_pass_context *context, weir_pass_instrument *instrument) {
    context->instrument = weir_grow(context->instrument, &context->instrument_capacity, context->instrument_count + 1,
                                    sizeof *context->instrument);
    context->instrument[context->instrument_count++] = instrument;
}

size_t weir_pass_context_instrument_count(const weir_pass_context *context) { return context->instrument_count; }

weir_pass_instrument *weir_pass_context_instrument(const weir_pass_context *context, size_t index) {
    assert(index < context->instrument_count);
    return context->instrument[index];
}

void weir_pass_blame(size_t errors, const char *format, ...) {
    weir_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    weir_text_vformat(&text, format, arguments);
    va_end(arguments);
    if (weir_diag_errors() == errors) {
        weir_error(WEIR_NOWHERE, "%s", text.data);
    } else {
        weir_note("%s", text.data);
    }
    weir_text_free(&text);
}

static bool call_scope(weir_pass_context *context, weir_pass_instrument *instrument, bool enter) {
    bool (*hook)(weir_pass_instrument *, weir_pass_context *) =
        enter ? instrument->enter_context : instrument->exit_context;
    size_t errors = weir_diag_errors();
    if (!hook || hook(instrument, context)) {
        return true;
    }
    weir_pass_blame(errors, "instrument '%s' failed on %s the context", instrument->name,
                    enter ? "entering" : "leaving");
    return false;
}

bool weir_pass_enter_instruments(weir_pass_context *context) {
    for (size_t i = 0; i < context->instrument_count; i++) {
        if (!call_scope(context, context->instrument[i], true)) {
            while (i-- > 0) {
                call_scope(context, context->instrument[i], false);
            }
            context->instrument_count = 0;
            return false;
        }
    }
    return true;
}

bool weir_pass_exit_instruments(weir_pass_context *context) {
    for (size_t i = 0; i < context->instrument_count; i++) {
        if (!call_scope(context, context->instrument[i], false)) {
            context->instrument_count = 0;
            return false;
        }
    }
    return true;
}

bool weir_pass_context_override(weir_pass_context *context, weir_pass_instrument *const *instruments, size_t count) {
    if (context->module) {
        weir_error(WEIR_NOWHERE, "instruments cannot be replaced while a pass runs");
        return false;
    }
    if (context->entered && !weir_pass_exit_instruments(context)) {
        return false;
    }
    context->instrument_count = 0;
    for (size_t i = 0; i < count; i++) {
        weir_pass_context_add_instrument(context, instruments[i]);
    }
    return !context->entered || weir_pass_enter_instruments(context);
}

bool weir_pass_context_enter(weir_pass_context *context) {
    if (context->entered) {
        weir_error(WEIR_NOWHERE, "the pass context is already entered");
        return false;
    }
    context->entered = weir_pass_enter_instruments(context);
    return context->entered;
}

bool weir_pass_context_exit(weir_pass_context *context) {
    if (!context->entered || context->module) {
        weir_error(WEIR_NOWHERE, "the pass context cannot be left: %s",
                   context->module ? "a pass runs" : "it was not entered");
        return false;
    }
    context->entered = false;
    return weir_pass_exit_instruments(context);
}

bool weir_pass_context_is_entered(const weir_pass_context *context) { return context->entered; }

/* --- enabling --- */
bool weir_pass_enabled(const weir_pass_context *context, const weir_pass *pass) {
    unsigned flags = pass->entry ? weir_pass_flags(context, pass->entry->id) : 0;
    if (pass == context->direct) {
        return true;
    }
    return !(flags & WEIR_PASS_DISABLED) && ((flags & WEIR_PASS_REQUIRED) || pass->level <= context->level);
}

const char *weir_pass_failed_name(const weir_pass_context *context) { return context->failed; }

/* --- for passes --- */
weir_module *weir_pass_module_of(const weir_pass_context *context) { return context->module; }

weir_graph *weir_pass_graph_of(const weir_pass_context *context) {
    return context->frame ? context->frame->site.graph : NULL;
}

void weir_pass_unchanged(weir_pass_context *context) {
    if (context->frame) {
        context->frame->site.unchanged = true;
    }
}

void weir_pass_add_count(weir_pass_context *context, const char *pass, const char *what, int64_t amount) {
    assert(*pass != 0 && *what != 0);
    for (size_t i = 0; i < context->row_count; i++) {
        if (strcmp(context->row[i].what, what) == 0 && strcmp(context->row[i].pass, pass) == 0) {
            context->row[i].amount += amount;
            return;
        }
    }
    context->row = weir_grow(context->row, &context->row_capacity, context->row_count + 1, sizeof *context->row);
    context->row[context->row_count++] =
        (weir_pass_statistic_row){.pass = weir_copy_string(pass), .what = what, .amount = amount};
}

void weir_pass_count(weir_pass_context *context, const char *what, int64_t amount) {
    weir_pass_add_count(context, context->frame ? context->frame->site.pass->name : "", what, amount);
}

json_t *weir_pass_record(weir_pass_context *context) {
    weir_pass_frame *frame = context->frame;
    if (frame->record == NULL) {
        json_t *run = json_object();
        json_object_set_new(run, "pass", json_string(frame->site.pass->name));
        if (frame->site.graph != NULL)
            json_object_set_new(run, "graph", json_string(weir_graph_name(frame->site.graph)));
        frame->record = json_object();
        json_object_set_new(run, "info", frame->record);
        json_array_append_new(context->records, run);
    }
    return frame->record;
}

const json_t *weir_pass_records(const weir_pass_context *context) { return context->records; }

weir_text *weir_pass_output(weir_pass_context *context) {
    weir_text_add(&context->output, "");
    return &context->output;
}

void weir_pass_print_statistics(const weir_pass_context *context, weir_text *text) {
    for (size_t i = 0; i < context->row_count; i++) {
        const weir_pass_statistic_row *row = &context->row[i];
        weir_text_format(text, "%s: %lld %s\n", row->pass, (long long)row->amount, row->what);
    }
}

int64_t weir_pass_statistic(const weir_pass_context *context, const char *pass, const char *what) {
    for (size_t i = 0; i < context->row_count; i++) {
        if (strcmp(context->row[i].what, what) == 0 && strcmp(context->row[i].pass, pass) == 0) {
            return context->row[i].amount;
        }
    }
    return 0;
}
