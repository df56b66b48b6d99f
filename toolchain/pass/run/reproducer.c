/* Writing reproducers. Each pass costs the text of its unit and its constants, written to a file. */
#include "pass/run/reproducer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/graph.h"
#include "ir/graph/print.h"
#include "pass/core/private.h"
#include "support/file/file.h"
#include "support/file/npy.h"
#include "support/memory/arena.h"
#include "support/text/base64.h"
#include "support/text/yaml.h"

typedef struct keeper {
    weir_pass_instrument instrument;
    char *path, *running;
    bool verified, failed; /* a failure is written: those of the passes around it follow from it */
    json_t *start;         /* the state at the start of the run */
    json_t *states;        /* of the passes that run, innermost last */
} keeper;

/* --- a state as JSON --- */
/* Bytes that are no text become '?': names come from hostile files. */
static json_t *string_json(const char *text) {
    json_t *json = json_string(text);
    if (!json) {
        char *copy = weir_copy_string(text);
        for (char *c = copy; *c; c++) {
            *c = (unsigned char)*c < 0x80 ? *c : '?';
        }
        json = json_string(copy);
        free(copy);
    }
    return json;
}

static json_t *graph_json(const weir_graph *graph) {
    weir_text text = {0}, packed = {0}, constants = {0};
    weir_archive archive;
    weir_archive_init(&archive);
    weir_graph_print(graph, &text);
    weir_graph_collect(graph, &archive);
    json_t *json = NULL;
    if (weir_npz_format(&packed, &archive, WEIR_NOWHERE)) {
        weir_base64_encode(packed.data, packed.size, &constants);
        json = json_pack("{s:s, s:s}", "text", text.data, "constants", constants.data);
    }
    weir_archive_free(&archive);
    weir_text_free(&constants);
    weir_text_free(&packed);
    weir_text_free(&text);
    return json;
}

/* Names of the passes that pass `test`. */
static json_t *names_json(const weir_pass_context *context, const weir_pass_frame *frame,
                          bool (*test)(const weir_pass_context *, const weir_pass_frame *, const weir_pass_entry *)) {
    json_t *names = json_array();
    for (size_t i = 0; i < context->registry->count; i++) {
        const weir_pass_entry *entry = context->registry->entry[i];
        if (weir_pass_can_run(entry) && test(context, frame, entry)) {
            json_array_append_new(names, json_string(entry->name));
        }
    }
    return names;
}

/* A requirement runs whatever its level; run again by itself it would not. */
static bool is_required(const weir_pass_context *context, const weir_pass_frame *frame, const weir_pass_entry *entry) {
    return (weir_pass_flags(context, entry->id) & WEIR_PASS_REQUIRED) ||
           (frame && frame->site.pass->entry == entry && !weir_pass_enabled(context, frame->site.pass));
}

static bool is_disabled(const weir_pass_context *context, const weir_pass_frame *frame, const weir_pass_entry *entry) {
    (void)frame;
    return weir_pass_flags(context, entry->id) & WEIR_PASS_DISABLED;
}

static bool holds(const weir_pass_context *context, const weir_pass_frame *frame, const weir_pass_entry *entry) {
    return frame && entry->what == WEIR_PASS_ENTRY_PASS &&
           (entry->kind != WEIR_PASS_GRAPH ? weir_pass_has(context->root->valid, entry->id)
                                           : frame->slot && weir_pass_has(frame->slot->valid, entry->id));
}

static json_t *config_json(const weir_pass_context *context) {
    json_t *config = json_object();
    for (size_t i = 0; i < context->config.count; i++) {
        const weir_pass_spec *spec = &context->config.specs->item[i];
        const weir_pass_value *value = &context->config.item[i];
        weir_text text = {0};
        if (value->set && spec->option->kind == WEIR_PASS_STRING) {
            weir_text_add(&text, value->as.s);
        } else if (value->set) {
            weir_pass_value_print(spec, value, &text);
        }
        if (value->set) {
            json_object_set_new(config, spec->option->name, json_string(text.data));
        }
        weir_text_free(&text);
    }
    return config;
}

static void add_design(json_t *state, const weir_module *module) {
    const weir_module_design_calls *calls = weir_module_design_functions(module);
    weir_text text = {0};
    if (!weir_module_design(module) || !calls->print) {
        return;
    }
    calls->print(module, &text);
    json_object_set_new(state, "design", string_json(text.data));
    weir_text_free(&text);
}

/* The run of the pass on all graphs, or with a frame on its unit with what holds there. */
static json_t *state_json(const keeper *k, const weir_pass_site *site, const weir_pass_frame *frame) {
    const weir_pass_context *context = site->context;
    weir_text pipeline = {0};
    weir_text_add(&pipeline, "");
    weir_pass_print(site->pass, &pipeline);
    json_t *graphs = json_array();
    for (size_t i = 0; i < weir_module_graph_count(site->module); i++) {
        const weir_graph *graph = weir_module_graph(site->module, i);
        if (!frame || !site->graph || graph == site->graph) {
            json_array_append_new(graphs, graph_json(graph));
        }
    }
    json_t *state =
        json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "pipeline", string_json(pipeline.data), "level",
                  context->level, "required", names_json(context, frame, is_required), "disabled",
                  names_json(context, frame, is_disabled), "holds", names_json(context, frame, holds), "config",
                  config_json(context), "verified", k->verified, "module", string_json(weir_module_name(site->module)),
                  "properties", weir_module_properties(site->module), "graphs", graphs);
    weir_text_free(&pipeline);
    add_design(state, site->module);
    return state;
}

static bool write_state(const char *path, const json_t *state, const char *failure) {
    weir_text text = {0};
    json_t *file = json_pack("{s:o}", "failure", string_json(failure));
    json_object_update(file, (json_t *)(uintptr_t)state);
    const char *command = json_array_size(json_object_get(state, "graphs")) == 0 ? "rtl" : "opt";
    weir_text_format(&text, WEIR_PASS_REPRODUCER_START ": 'weir %s' runs this file again\n", command);
    weir_yaml_print(file, &text);
    bool ok = weir_file_write(path, text.data, text.size);
    weir_text_free(&text);
    json_decref(file);
    return ok;
}

/* --- hooks --- */
static char *running_of(const char *path) { return weir_format("%s.running", path); }

static bool write_running(const keeper *k, const weir_pass_site *site) {
    weir_text failure = {0};
    weir_text_format(&failure, "pass '%s' crashed on ", weir_pass_name(site->pass));
    weir_pass_site_name(site, &failure);
    bool ok = write_state(k->running, json_array_get(k->states, json_array_size(k->states) - 1), failure.data);
    weir_text_free(&failure);
    return ok;
}

static bool before_pass(weir_pass_instrument *instrument, const weir_pass_site *site) {
    keeper *k = instrument->user;
    if (site->depth == 0) {
        json_decref(k->start);
        k->start = state_json(k, site, NULL);
        k->failed = false;
    }
    if (weir_pass_is_sequence(site->pass)) {
        return true;
    }
    if (weir_module_is_plain(site->module)) {
        json_array_append_new(k->states, state_json(k, site, site->context->frame));
    } else {
        json_array_append(k->states, k->start);
    }
    return write_running(k, site);
}

/* The pass around this one goes on, if it is no sequence. */
static void pop(const keeper *k, const weir_pass_site *site) {
    const weir_pass_frame *around = site->context->frame->around;
    json_array_remove(k->states, json_array_size(k->states) - 1);
    while (around && weir_pass_is_sequence(around->site.pass)) {
        around = around->around;
    }
    if (around) {
        write_running(k, &around->site);
    }
}

static bool after_pass(weir_pass_instrument *instrument, const weir_pass_site *site) {
    keeper *k = instrument->user;
    if (!weir_pass_is_sequence(site->pass)) {
        k->failed = false;
        pop(k, site);
    }
    return true;
}

static void pass_failed(weir_pass_instrument *instrument, const weir_pass_site *site) {
    keeper *k = instrument->user;
    if (weir_pass_is_sequence(site->pass)) {
        return;
    }
    if (!k->failed) {
        weir_text failure = {0};
        weir_text_format(&failure, "pass '%s' failed on ", weir_pass_name(site->pass));
        weir_pass_site_name(site, &failure);
        weir_text_format(&failure, ": %s", weir_diag_last_error());
        k->failed = write_state(k->path, json_array_get(k->states, json_array_size(k->states) - 1), failure.data);
        weir_text_free(&failure);
    }
    pop(k, site);
}

static bool exit_context(weir_pass_instrument *instrument, weir_pass_context *context) {
    (void)context;
    const keeper *k = instrument->user;
    remove(k->running);
    if (k->failed) {
        weir_note("'%s' runs it again", k->path);
    }
    return true;
}

static void release(weir_pass_instrument *instrument) {
    keeper *k = instrument->user;
    json_decref(k->start);
    json_decref(k->states);
    free(k->path);
    free(k->running);
    free(k);
}

weir_pass_instrument *weir_pass_reproducer_new(const char *path, bool verified) {
    keeper *k = weir_calloc(1, sizeof *k);
    k->instrument = (weir_pass_instrument){.name = "reproducer", .user = k};
    k->instrument.exit_context = exit_context;
    k->instrument.before_pass = before_pass;
    k->instrument.after_pass = after_pass;
    k->instrument.pass_failed = pass_failed;
    k->instrument.release = release;
    k->path = weir_copy_string(path);
    k->running = running_of(path);
    k->verified = verified;
    k->states = json_array();
    return &k->instrument;
}

void weir_pass_reproducer_discard(const char *path) {
    char *running = running_of(path);
    remove(running);
    free(running);
}

bool weir_pass_reproducer_rescue(const char *path) {
    char *running = running_of(path);
    bool ok = rename(running, path) == 0;
    if (ok) {
        weir_note("'%s' runs it again", path);
    }
    free(running);
    return ok;
}
