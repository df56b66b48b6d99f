#include "passes/setting.h"

#include <stdlib.h>
#include <string.h>

#include "support/text/yaml.h"

/* The option's value as a pipeline would write it. */
static void option_text(const weir_pass *pass, const weir_pass_option *option, weir_text *text) {
    switch (option->kind) {
    case WEIR_PASS_BOOL: weir_text_add(text, weir_pass_bool(pass, option->name) ? "true" : "false"); break;
    case WEIR_PASS_INT: weir_text_format(text, "%lld", (long long)weir_pass_int(pass, option->name)); break;
    case WEIR_PASS_REAL: weir_text_double(text, weir_pass_real(pass, option->name)); break;
    case WEIR_PASS_STRING:
    case WEIR_PASS_ENUM: weir_text_add(text, weir_pass_string(pass, option->name)); break;
    }
}

/* Lists and mappings stay YAML: JSON is. A null leaves the option alone. */
static bool set_from(weir_pass *pass, const char *key, const weir_yaml *value) {
    json_t *json = weir_yaml_json(value);
    char *dump = json_is_object(json) || json_is_array(json) ? json_dumps(json, 0) : NULL;
    bool fine = json_is_null(json) || weir_pass_set(pass, key, dump != NULL ? dump : value->text);
    if (!fine) weir_note("it is set at %s:%d", value->location.file, value->location.line);
    free(dump);
    json_decref(json);
    return fine;
}

static bool set_from_file(weir_pass *own, const char *file) {
    weir_yaml *root = weir_yaml_read(file);
    bool fine = root != NULL && root->kind == WEIR_YAML_MAPPING;
    if (root != NULL && !fine) weir_error(root->location, "expected a mapping of options");
    for (size_t i = 0; fine && i < root->count; i++) fine = set_from(own, root->key[i], root->item[i]);
    weir_yaml_free(root);
    return fine;
}

weir_pass *weir_setting_read(const weir_pass *pass, weir_pass_context *context) {
    weir_pass *own = weir_pass_new(weir_pass_context_registry(context), weir_pass_name(pass));
    const char *file = weir_pass_string(pass, "config");
    bool fine = *file == '\0' || set_from_file(own, file);
    const weir_pass_option *option = weir_pass_info_of(pass)->options;
    for (; fine && option->name != NULL; option++) {
        if (!weir_pass_is_set(pass, option->name)) continue;
        weir_text text = {NULL, 0, 0};
        weir_text_add(&text, "");
        option_text(pass, option, &text);
        fine = weir_pass_set(own, option->name, text.data);
        weir_text_free(&text);
    }
    if (fine) return own;
    weir_pass_free(own);
    return NULL;
}

/* The option's text as YAML; NULL after a reported error or when the root is of another kind. */
static json_t *parse(const weir_pass *pass, const char *option, weir_yaml_kind kind, const char *expected) {
    const char *text = weir_pass_string(pass, option);
    weir_yaml *root = weir_yaml_parse(text, strlen(text), option);
    json_t *value = root != NULL && root->kind == kind ? weir_yaml_json(root) : NULL;
    if (root != NULL && value == NULL)
        weir_error(WEIR_NOWHERE, "%s: '%s' must be %s, is '%s'", weir_pass_name(pass), option, expected, text);
    weir_yaml_free(root);
    return value;
}

json_t *weir_setting_list(const weir_pass *pass, const char *option) {
    const char *at = weir_pass_string(pass, option) + strspn(weir_pass_string(pass, option), " ");
    if (*at == '[') return parse(pass, option, WEIR_YAML_SEQUENCE, "a list");
    json_t *list = json_array();
    for (at += strspn(at, " ,"); *at != '\0'; at += strspn(at, " ,")) {
        size_t size = strcspn(at, " ,");
        json_array_append_new(list, json_stringn(at, size));
        at += size;
    }
    return list;
}

json_t *weir_setting_mapping(const weir_pass *pass, const char *option) {
    if (*weir_pass_string(pass, option) == '\0') return json_object();
    return parse(pass, option, WEIR_YAML_MAPPING, "a mapping such as {range_min_max: {abs: true}}");
}

bool weir_setting_has(const json_t *list, const char *word) {
    size_t index;
    json_t *item;
    json_array_foreach((json_t *)list, index, item) {
        if (json_is_string(item) && strcmp(json_string_value(item), word) == 0) return true;
    }
    return false;
}
