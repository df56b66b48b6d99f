/* What is registered, as text: everything, or one name in full. */
#include "pass/core/private.h"

#include <stdlib.h>
#include <string.h>

#include "support/text/unreachable.h"

static const char *const kind_words[] = {"bool", "int", "real", "string", "enum"};

static void print_specs(const weir_pass_specs *specs, const char *indent, weir_text *text) {
    for (size_t i = 0; i < specs->count; i++) {
        const weir_pass_spec *spec = &specs->item[i];
        const weir_pass_option *option = spec->option;
        weir_text_format(text, "%s%s: %s%s%s, default ", indent, option->name,
                         option->kind == WEIR_PASS_ENUM ? "" : kind_words[option->kind],
                         option->domain && option->kind != WEIR_PASS_ENUM ? " " : "",
                         option->domain ? option->domain : "");
        weir_pass_value_print(spec, &spec->otherwise, text);
        weir_text_format(text, ": %s\n", option->help ? option->help : "");
    }
}

static void print_pass(const weir_pass_entry *entry, weir_text *text) {
    const weir_pass_info *info = entry->info;
    weir_text_format(text, "%s (%s, level %d, %s", info->name, weir_pass_kind_name(info->kind), info->level,
                     weir_pass_promise_name(info->promise));
    if (info->requires && *info->requires) {
        weir_text_format(text, ", requires %s", info->requires);
    }
    weir_text_format(text, "): %s\n", info->help ? info->help : "");
    print_specs(&entry->specs, "    ", text);
}

static void print_entry(const weir_pass_entry *entry, weir_text *text) {
    const char *kind = weir_pass_kind_name(entry->kind);
    switch (entry->what) {
    case WEIR_PASS_ENTRY_PASS: print_pass(entry, text); break;
    case WEIR_PASS_ENTRY_ANALYSIS:
        weir_text_format(text, "%s (%s analysis): %s\n", entry->name, kind,
                         entry->analysis->help ? entry->analysis->help : "");
        break;
    case WEIR_PASS_ENTRY_FORM:
        weir_text_format(text, "%s (%s form): %s\n", entry->name, kind, entry->form->help);
        break;
    case WEIR_PASS_ENTRY_PIPELINE:
        weir_text_format(text, "%s (%s pipeline %s): %s\n", entry->name, kind, entry->pipeline, entry->help);
        break;
    }
}

void weir_pass_registry_print(const weir_pass_registry *registry, weir_text *text) {
    for (size_t i = 0; i < registry->count; i++) {
        print_entry(registry->entry[i], text);
    }
    if (registry->config.count) {
        weir_text_add(text, "configuration\n");
        print_specs(&registry->config, "    ", text);
    }
}

static void print_list(const char *what, const char *names, weir_text *text) {
    weir_text_format(text, "    %s: %s\n", what, names && *names ? names : "none");
}

bool weir_pass_registry_print_one(const weir_pass_registry *registry, const char *name, weir_text *text) {
    const weir_pass_entry *entry = weir_pass_registry_entry(registry, name);
    if (!entry) {
        weir_pass_registry_unknown(registry, name, (weir_pass_position){WEIR_NOWHERE, 0});
        return false;
    }
    if (entry->what != WEIR_PASS_ENTRY_PASS) {
        print_entry(entry, text);
        return true;
    }
    const weir_pass_info *info = entry->info;
    bool only_invalidates = (!info->preserves || !*info->preserves) && info->invalidates && *info->invalidates;
    weir_text_format(text, "%s: %s\n    kind: %s\n    level: %d\n    results: %s\n", info->name,
                     info->help ? info->help : "", weir_pass_kind_name(info->kind), info->level,
                     weir_pass_promise_name(info->promise));
    print_list("requires", info->requires, text);
    print_list("preserves", only_invalidates ? "all but what it invalidates" : info->preserves, text);
    print_list("invalidates", info->invalidates, text);
    weir_text_format(text, "    options:%s\n", entry->specs.count ? "" : " none");
    print_specs(&entry->specs, "        ", text);
    return true;
}

/* --- the same as a page --- */
/* One cell of a table: a bar would end it. */
static void print_cell(const char *content, weir_text *text) {
    for (; content && *content; content++) {
        weir_text_format(text, *content == '|' ? "\\%c" : "%c", *content);
    }
    weir_text_add(text, " |");
}

static void print_domain(const weir_pass_option *option, weir_text *text) {
    weir_text_format(text, " %s", option->kind == WEIR_PASS_ENUM ? "" : kind_words[option->kind]);
    if (option->domain && option->kind != WEIR_PASS_ENUM) {
        weir_text_format(text, " %s", option->domain);
    }
    for (const char *c = option->domain; c && *c && option->kind == WEIR_PASS_ENUM; c++) {
        weir_text_format(text, *c == '|' ? ", " : "%c", *c);
    }
    weir_text_add(text, " |");
}

static void print_spec_table(const weir_pass_specs *specs, weir_text *text) {
    if (specs->count == 0) {
        return;
    }
    weir_text_add(text, "\n| option | values | default | what |\n|---|---|---|---|\n");
    for (size_t i = 0; i < specs->count; i++) {
        const weir_pass_spec *spec = &specs->item[i];
        weir_text value = {0};
        weir_pass_value_print(spec, &spec->otherwise, &value);
        weir_text_format(text, "| `%s` |", spec->option->name);
        print_domain(spec->option, text);
        weir_text_char(text, ' ');
        print_cell(value.data, text);
        weir_text_char(text, ' ');
        print_cell(spec->option->help, text);
        weir_text_char(text, '\n');
        weir_text_free(&value);
    }
}

static void print_names(const char *what, const char *names, weir_text *text) {
    if (names && *names) {
        weir_text_format(text, "; %s %s", what, strcmp(names, "*") == 0 ? "everything" : names);
    }
}

/* A paragraph of its own, with a capital letter. */
static void print_help(const char *help, weir_text *text) {
    if (help && *help) {
        bool small = *help >= 'a' && *help <= 'z';
        weir_text_format(text, ".\n\n%c%s", small ? *help - 'a' + 'A' : *help, help + 1);
    }
    weir_text_add(text, ".\n");
}

/* What a hardware pass does with modules whose widths depend on parameters. */
static const char *formulas_text(const weir_pass_info *info) {
    static const char *const text[] = {"; requires fixed_widths", "; takes parametrised modules",
                                       "; takes parametrised modules, once for each set of values"};
    return info->kind == WEIR_PASS_HARDWARE ? text[info->formulas] : "";
}

static void print_section(const weir_pass_entry *entry, weir_text *text) {
    const char *kind = weir_pass_kind_name(entry->kind);
    const weir_pass_info *info = entry->info;
    weir_text_format(text, "\n## %s\n", entry->name);
    switch (entry->what) {
    case WEIR_PASS_ENTRY_PASS:
        weir_text_format(text, "%c%s pass, level %d; results: %s", kind[0] - 'a' + 'A', kind + 1, info->level,
                         weir_pass_promise_name(info->promise));
        weir_text_add(text, formulas_text(info));
        print_names("requires", info->requires, text);
        print_names("preserves", info->preserves, text);
        print_names("invalidates", info->invalidates, text);
        print_help(info->help, text);
        print_spec_table(&entry->specs, text);
        break;
    case WEIR_PASS_ENTRY_ANALYSIS:
        weir_text_format(text, "Analysis of a %s%s", kind, entry->kind == WEIR_PASS_HARDWARE ? " design" : "");
        print_help(entry->analysis->help, text);
        break;
    case WEIR_PASS_ENTRY_FORM:
        weir_text_format(text, "Form of a %s%s", kind, entry->kind == WEIR_PASS_HARDWARE ? " design" : "");
        if (entry->form->remedy) weir_text_format(text, "; `%s` establishes it", entry->form->remedy);
        print_help(entry->form->help, text);
        break;
    case WEIR_PASS_ENTRY_PIPELINE:
        weir_text_format(text, "Pipeline over a %s%s: `%s`", kind, entry->kind == WEIR_PASS_HARDWARE ? " design" : "",
                         entry->pipeline);
        print_help(entry->help, text);
        break;
    }
}

void weir_pass_registry_markdown(const weir_pass_registry *registry, weir_text *text) {
    for (size_t i = 0; i < registry->count; i++) {
        print_section(registry->entry[i], text);
    }
    if (registry->config.count) {
        weir_text_add(text, "\n## Configuration\nKeys of the context, `--config KEY=VALUE`.\n");
        print_spec_table(&registry->config, text);
    }
}

/* --- the same as JSON --- */
enum { SCHEMA = 1 };

static json_t *names_json(const char *names) {
    json_t *list = json_array();
    for (char *name; (name = weir_pass_next_name(&names)); free(name)) {
        json_array_append_new(list, json_string(name));
    }
    return list;
}

static json_t *specs_json(const weir_pass_specs *specs) {
    json_t *list = json_array();
    for (size_t i = 0; i < specs->count; i++) {
        const weir_pass_option *option = specs->item[i].option;
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s?, s:s}", "name", option->name, "kind",
                                        kind_words[option->kind], "default", option->otherwise ? option->otherwise : "",
                                        "domain", option->domain, "help", option->help ? option->help : ""));
    }
    return list;
}

static const char *const formulas_words[] = {"refused", "taken", "values"};

static json_t *entry_json(const weir_pass_entry *entry) {
    const weir_pass_info *info = entry->info;
    const char *kind = weir_pass_kind_name(entry->kind);
    switch (entry->what) {
    case WEIR_PASS_ENTRY_PASS:
        return json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:o, s:o, s:o, s:s, s:o}", "name", info->name, "what", "pass",
                         "kind", kind, "formulas", formulas_words[info->formulas], "level", info->level, "results",
                         weir_pass_promise_name(info->promise), "requires", names_json(info->requires), "preserves",
                         names_json(info->preserves), "invalidates", names_json(info->invalidates), "help",
                         info->help ? info->help : "", "options", specs_json(&entry->specs));
    case WEIR_PASS_ENTRY_ANALYSIS:
        return json_pack("{s:s, s:s, s:s, s:s}", "name", entry->name, "what", "analysis", "kind", kind, "help",
                         entry->analysis->help ? entry->analysis->help : "");
    case WEIR_PASS_ENTRY_FORM:
        return json_pack("{s:s, s:s, s:s, s:s, s:s?}", "name", entry->name, "what", "form", "kind", kind, "help",
                         entry->form->help, "remedy", entry->form->remedy);
    case WEIR_PASS_ENTRY_PIPELINE:
        return json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", entry->name, "what", "pipeline", "kind", kind, "help",
                         entry->help, "pipeline", entry->pipeline);
    }
    weir_unreachable("a kind of entries");
}

json_t *weir_pass_registry_json(const weir_pass_registry *registry) {
    json_t *entries = json_array();
    for (size_t i = 0; i < registry->count; i++) {
        json_array_append_new(entries, entry_json(registry->entry[i]));
    }
    return json_pack("{s:i, s:o, s:o}", "schema", SCHEMA, "entries", entries, "configuration",
                     specs_json(&registry->config));
}

json_t *weir_pass_registry_json_one(const weir_pass_registry *registry, const char *name) {
    const weir_pass_entry *entry = weir_pass_registry_entry(registry, name);
    if (!entry) {
        weir_pass_registry_unknown(registry, name, (weir_pass_position){WEIR_NOWHERE, 0});
        return NULL;
    }
    return entry_json(entry);
}
