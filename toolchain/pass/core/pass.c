/* Pass instances and sequences. A registered pipeline is a sequence with an entry. */
#include "pass/core/private.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

weir_pass *weir_pass_instance(weir_pass_entry *entry) {
    weir_pass *pass = weir_calloc(1, sizeof *pass);
    pass->entry = entry;
    pass->kind = entry->kind;
    pass->name = weir_copy_string(entry->name);
    if (entry->what == WEIR_PASS_ENTRY_PIPELINE) {
        pass->is_sequence = true;
    } else {
        pass->level = entry->info->level;
        weir_pass_values_init(&pass->values, &entry->specs);
    }
    return pass;
}

void weir_pass_free(weir_pass *pass) {
    if (!pass) {
        return;
    }
    for (size_t i = 0; i < pass->count; i++) {
        weir_pass_free(pass->child[i]);
    }
    free(pass->child);
    weir_pass_values_free(&pass->values);
    free(pass->name);
    free(pass);
}

bool weir_pass_set(weir_pass *pass, const char *option, const char *text) {
    weir_pass_position position = {WEIR_NOWHERE, 0};
    if (pass->is_sequence) {
        weir_pass_complain(position, "sequence '%s' has no option '%s'", pass->name, option);
        return false;
    }
    char *owner = weir_format("pass '%s'", pass->name);
    bool ok = weir_pass_values_set(&pass->values, option, text, owner, position);
    free(owner);
    return ok;
}

const char *weir_pass_name(const weir_pass *pass) { return pass->name; }

weir_pass_kind weir_pass_kind_of(const weir_pass *pass) { return pass->kind; }

bool weir_pass_is_sequence(const weir_pass *pass) { return pass->is_sequence; }

const weir_pass_info *weir_pass_info_of(const weir_pass *pass) { return pass->entry ? pass->entry->info : NULL; }

int weir_pass_level(const weir_pass *pass) { return pass->level; }

bool weir_pass_bool(const weir_pass *pass, const char *option) {
    return weir_pass_values_get(&pass->values, option, WEIR_PASS_BOOL, WEIR_PASS_BOOL, NULL)->as.b;
}

int64_t weir_pass_int(const weir_pass *pass, const char *option) {
    return weir_pass_values_get(&pass->values, option, WEIR_PASS_INT, WEIR_PASS_INT, NULL)->as.i;
}

double weir_pass_real(const weir_pass *pass, const char *option) {
    return weir_pass_values_get(&pass->values, option, WEIR_PASS_REAL, WEIR_PASS_REAL, NULL)->as.r;
}

static const char *string_of(const weir_pass_values *values, const char *name) {
    const weir_pass_spec *spec;
    const weir_pass_value *value = weir_pass_values_get(values, name, WEIR_PASS_STRING, WEIR_PASS_ENUM, &spec);
    return spec->option->kind == WEIR_PASS_ENUM ? spec->choice[value->as.choice] : value->as.s;
}

const char *weir_pass_string(const weir_pass *pass, const char *option) { return string_of(&pass->values, option); }

int weir_pass_choice(const weir_pass *pass, const char *option) {
    return (int)weir_pass_values_get(&pass->values, option, WEIR_PASS_ENUM, WEIR_PASS_ENUM, NULL)->as.choice;
}

bool weir_pass_is_set(const weir_pass *pass, const char *option) {
    for (size_t i = 0; i < pass->values.count; i++) {
        if (strcmp(pass->values.specs->item[i].option->name, option) == 0) {
            return pass->values.item[i].set;
        }
    }
    return false;
}

bool weir_pass_config_bool(const weir_pass_context *context, const char *key) {
    return weir_pass_values_get(&context->config, key, WEIR_PASS_BOOL, WEIR_PASS_BOOL, NULL)->as.b;
}

int64_t weir_pass_config_int(const weir_pass_context *context, const char *key) {
    return weir_pass_values_get(&context->config, key, WEIR_PASS_INT, WEIR_PASS_INT, NULL)->as.i;
}

double weir_pass_config_real(const weir_pass_context *context, const char *key) {
    return weir_pass_values_get(&context->config, key, WEIR_PASS_REAL, WEIR_PASS_REAL, NULL)->as.r;
}

const char *weir_pass_config_string(const weir_pass_context *context, const char *key) {
    return string_of(&context->config, key);
}

int weir_pass_config_choice(const weir_pass_context *context, const char *key) {
    return (int)weir_pass_values_get(&context->config, key, WEIR_PASS_ENUM, WEIR_PASS_ENUM, NULL)->as.choice;
}

/* --- sequences --- */
weir_pass *weir_pass_sequence_new(weir_pass_kind kind, const char *name, int level) {
    weir_pass *sequence = weir_calloc(1, sizeof *sequence);
    sequence->kind = kind;
    sequence->level = level;
    sequence->name = weir_copy_string(name ? name : weir_pass_kind_name(kind));
    sequence->is_sequence = true;
    return sequence;
}

bool weir_pass_sequence_add(weir_pass *sequence, weir_pass *pass) {
    if (!pass) {
        return false;
    }
    if (sequence->kind != WEIR_PASS_MODULE && sequence->kind != pass->kind) {
        weir_error(WEIR_NOWHERE, "%s '%s' does not fit into a sequence of %s passes", weir_pass_kind_name(pass->kind),
                   pass->name, weir_pass_kind_name(sequence->kind));
        weir_pass_free(pass);
        return false;
    }
    sequence->child = weir_grow(sequence->child, &sequence->capacity, sequence->count + 1, sizeof *sequence->child);
    sequence->child[sequence->count++] = pass;
    return true;
}

size_t weir_pass_sequence_count(const weir_pass *sequence) { return sequence->count; }

const weir_pass *weir_pass_sequence_at(const weir_pass *sequence, size_t index) { return sequence->child[index]; }
