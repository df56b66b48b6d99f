#include "passes/prune/prune_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/suggest.h"

/* A mapping, and its name for messages. */
typedef struct source {
    const json_t *mapping;
    const char *option;
} source;

static bool refuse(const source *s, const char *key, const char *expected) {
    weir_error(WEIR_NOWHERE, "prune: '%s' has another '%s' than expected: %s", s->option, key, expected);
    return false;
}

/* Is the key's value that word? `preset`: what is true without the key. */
static bool says(const source *s, const char *key, const char *word, bool preset) {
    const json_t *value = json_object_get(s->mapping, key);
    return value == NULL ? preset : json_is_string(value) && strcmp(json_string_value(value), word) == 0;
}

static bool is_share(const json_t *value) {
    return json_is_number(value) && json_number_value(value) >= 0 && json_number_value(value) <= 1;
}

static bool read_sparsity(const source *s, weir_prune_choice *c) {
    const json_t *value = json_object_get(s->mapping, "sparsity");
    const char *name;
    json_t *share;
    const char *const expected = "a share from 0 to 1, or a mapping of nodes to shares";
    if (value == NULL) return true;
    c->sparsity = json_number_value(value);
    if (is_share(value)) return true;
    if (!json_is_object(value)) return refuse(s, "sparsity", expected);
    json_object_foreach((json_t *)(uintptr_t)value, name, share) {
        if (!is_share(share)) return refuse(s, "sparsity", expected);
    }
    c->own = value;
    c->sparsity = json_number_value(json_object_get(value, "default"));
    return true;
}

static bool read_granularity(const source *s, weir_prune_choice *c) {
    char *end;
    const char *text = json_string_value(json_object_get(s->mapping, "granularity"));
    c->block = 1;
    c->is_channel = says(s, "granularity", "channel", false);
    if (c->is_channel || says(s, "granularity", "elementwise", true)) return true;
    if (text == NULL) return refuse(s, "granularity", "elementwise, channel, block:N, or N:M such as 2:4");
    if (strncmp(text, "block:", 6) == 0) {
        c->block = strtol(text + 6, &end, 10);
        return (*end == '\0' && c->block > 0) || refuse(s, "granularity", "block:N, N from 1 on");
    }
    c->keep = strtol(text, &end, 10);
    if (*end == ':') c->of = strtol(end + 1, &end, 10);
    if (c->of > 0 && c->keep >= 0 && c->keep <= c->of && *end == '\0') return true;
    return refuse(s, "granularity", "elementwise, channel, block:N, or N:M such as 2:4");
}

static bool read_flag(const source *s, const char *key, bool *flag) {
    const json_t *value = json_object_get(s->mapping, key);
    *flag = json_is_true(value);
    return value == NULL || json_is_boolean(value) || refuse(s, key, "true or false");
}

static bool check_keys(const source *s) {
    static const char *const keys[] = {"sparsity", "method", "granularity", "scope", "coupled", "bias", NULL};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)s->mapping, key, value) {
        size_t i = 0;
        while (keys[i] != NULL && strcmp(keys[i], key) != 0) i++;
        if (keys[i] != NULL) continue;
        weir_error(WEIR_NOWHERE, "prune: '%s' has no key '%s'", s->option, key);
        weir_suggest_note(key, keys);
        return false;
    }
    return true;
}

/* What agrees with what. */
static bool check(const source *s, const weir_prune_choice *c) {
    const bool is_weight = strcmp(s->option, "weight") == 0;
    const double share = c->of > 0 ? 1 - (double)c->keep / (double)c->of : c->sparsity;
    if (!is_weight && (c->of > 0 || c->block > 1)) return refuse(s, "granularity", "elementwise or channel");
    if (!is_weight && c->is_coupled) return refuse(s, "coupled", "none, as it is about weights");
    if (!is_weight && c->takes_bias) return refuse(s, "bias", "none, as it is about weights");
    if (c->is_coupled && !c->is_channel) return refuse(s, "coupled", "none but with granularity: channel");
    if (c->takes_bias && !c->is_channel) return refuse(s, "bias", "none but with granularity: channel");
    if (c->of > 0 && c->is_global) return refuse(s, "scope", "local, as N:M is");
    if (c->of > 0 && json_object_get(s->mapping, "sparsity") != NULL &&
        (c->own != NULL || fabs(c->sparsity - share) > 1e-9))
        return refuse(s, "sparsity", "none beside N:M, which says it");
    return (c->own == NULL || !c->is_global) || refuse(s, "sparsity", "one share where the scope is global");
}

bool weir_prune_read(const json_t *mapping, const char *option, weir_prune_choice *c) {
    const source whole = {mapping, option}, *s = &whole;
    if (!check_keys(s)) return false;
    c->is_random = says(s, "method", "random", true);
    c->is_global = says(s, "scope", "global", false);
    if (!c->is_random && !says(s, "method", "l1-norm", false)) return refuse(s, "method", "random or l1-norm");
    if (!c->is_global && !says(s, "scope", "local", true)) return refuse(s, "scope", "local or global");
    if (!read_sparsity(s, c) || !read_granularity(s, c)) return false;
    if (!read_flag(s, "coupled", &c->is_coupled) || !read_flag(s, "bias", &c->takes_bias)) return false;
    return check(s, c);
}

double weir_prune_share(const weir_graph *graph, weir_node node, const weir_prune_choice *c) {
    const json_t *own = c->own == NULL ? NULL : json_object_get(c->own, weir_node_name(graph, node));
    return own == NULL ? c->sparsity : json_number_value(own);
}

bool weir_prune_knows(const weir_graph *graph, const weir_node *nodes, size_t count, const weir_prune_choice *c) {
    const char *name;
    json_t *share;
    json_object_foreach((json_t *)(uintptr_t)c->own, name, share) {
        const char **known = weir_calloc(count + 1, sizeof *known);
        bool is_known = strcmp(name, "default") == 0;
        for (size_t i = 0; i < count; i++) {
            known[i] = weir_node_name(graph, nodes[i]);
            is_known |= strcmp(known[i], name) == 0;
        }
        if (!is_known) {
            weir_error(WEIR_NOWHERE, "prune: no layer that can be masked is called '%s'", name);
            weir_suggest_note(name, known);
        }
        free(known);
        if (!is_known) return false;
    }
    return true;
}
