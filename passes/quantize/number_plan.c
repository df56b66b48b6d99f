#include "passes/quantize/number_plan.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ir/trait/mase.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"
#include "support/text/yaml.h"

typedef enum plan_by { BY_TYPE, BY_NAME, BY_REGEX, BY_COUNT } plan_by;
static const char *const by_words[] = {"type", "name", "regex_name", NULL};
static const char *const prefixes[WEIR_PLAN_ROLE_COUNT] = {"data_in_", "weight_", "bias_", "data_out_"};

struct weir_plan {
    weir_yaml *root; /* its text lives here */
    plan_by by;
    weir_plan_entry preset;
    bool has_preset;
    weir_plan_entry *entry;
    regex_t *regex; /* of each entry, BY_REGEX */
    size_t count;
};

/* --- settings --- */

static bool is_nothing(const weir_yaml *node) {
    return node->kind == WEIR_YAML_SCALAR && !node->quoted &&
           (strcmp(node->text, "null") == 0 || strcmp(node->text, "~") == 0 || strcmp(node->text, "None") == 0 ||
            *node->text == '\0');
}

static bool is_absent(const weir_yaml *node) {
    return is_nothing(node) || (node->kind == WEIR_YAML_SCALAR && strcmp(node->text, "NA") == 0);
}

/* Keys of MASE that say nothing here: of training, or of what this format does always. */
static bool is_of_training(const char *key) {
    static const char *const words[] = {"mean",           "median",      "max", "residual_sign", "training",
                                        "skip_first_dim", "parallelism", "min", "s1_init",       NULL};
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], key) == 0) return true;
    return false;
}

/* A whole number, a truth value as 0 or 1, or, of a block's sizes, the last one of a list. */
static bool read_value(const weir_yaml *node, weir_number_key key, int64_t *value) {
    if (node->kind == WEIR_YAML_SEQUENCE && key == WEIR_KEY_BLOCK_SIZE && node->count > 0)
        node = node->item[node->count - 1];
    bool flag;
    if (node->kind == WEIR_YAML_SCALAR &&
        (strcasecmp(node->text, "true") == 0 || strcasecmp(node->text, "false") == 0)) {
        if (!weir_yaml_bool(node, &flag)) return false;
        *value = flag;
        return true;
    }
    return weir_yaml_int(node, INT32_MIN + 1, INT32_MAX, value);
}

static bool set_value(weir_number *n, weir_number_key key, const weir_yaml *node, const char *name) {
    int64_t value;
    int least, largest;
    if (is_absent(node)) return true; /* the format's own */
    if (!read_value(node, key, &value)) return false;
    if (weir_number_set(n, key, (int)value)) return true;
    weir_number_key_range(n->id, key, &least, &largest);
    weir_error(node->location, "'%s' of '%s' is %lld, expected %d to %d%s", name, weir_number_name(n->id),
               (long long)value, least, largest, key == WEIR_KEY_BLOCK_SIZE ? ", not 0" : "");
    return false;
}

/* The key after a role's prefix, and the role; WEIR_PLAN_ROLE_COUNT: it has none. */
static const char *split(const char *name, weir_plan_role *role) {
    for (int r = 0; r < WEIR_PLAN_ROLE_COUNT; r++) {
        const size_t size = strlen(prefixes[r]);
        *role = (weir_plan_role)r;
        if (strncmp(name, prefixes[r], size) == 0) return name + size;
    }
    *role = WEIR_PLAN_ROLE_COUNT;
    return name;
}

static bool refuse_key(const weir_plan_entry *e, weir_plan_role role, weir_location location, const char *name,
                       const char *key) {
    const char *words[WEIR_KEY_COUNT + 1] = {NULL};
    const weir_number *n = &e->number[role == WEIR_PLAN_ROLE_COUNT ? WEIR_PLAN_WEIGHT : role];
    size_t count = 0;
    for (int k = 0; k < WEIR_KEY_COUNT; k++)
        if (weir_number_has(n, (weir_number_key)k)) words[count++] = weir_number_key_name((weir_number_key)k);
    weir_error(location, "'%s' is not a setting of '%s'", name, weir_number_name(n->id));
    weir_suggest_note(key, words);
    return false;
}

/* Is the format fitted to the range of what it holds? */
static bool is_fitted(const weir_number *n) { return n->id == WEIR_NUMBER_AFFINE || weir_number_needs_range(n); }

/* Is what elements of data share a constant that calibration data gives? */
static bool is_measured(const weir_number *n) {
    return weir_number_hardware_of(n->id) == WEIR_NUMBER_HARDWARE_INTEGER && weir_number_measures(n) && !is_fitted(n);
}

static bool set_calibrator(weir_calibrator *c, const char *word, const weir_yaml *node) {
    if (is_absent(node)) return true;
    if (strcmp(word, "percentile") == 0) {
        if (!weir_yaml_double(node, &c->percentile)) return false;
        if (c->percentile > 0 && c->percentile <= 100) return true;
        weir_error(node->location, "percentile %g, expected above 0, at most 100", c->percentile);
        return false;
    }
    if (node->kind == WEIR_YAML_SCALAR && weir_calibrator_find(node->text, &c->id)) return true;
    weir_error(node->location, "expected a calibrator: max, percentile, entropy or mse");
    if (node->kind == WEIR_YAML_SCALAR) weir_suggest_note(node->text, weir_calibrator_names);
    return false;
}

/* `calibrator` and `percentile` of one operand, or of all; biases are fitted to their own values. */
static bool read_calibrator(weir_plan_entry *e, weir_plan_role role, const char *word, const char *name,
                            weir_location location, const weir_yaml *node) {
    bool fine = true, is_known = false;
    for (int r = 0; fine && r < WEIR_PLAN_ROLE_COUNT; r++) {
        if ((role != WEIR_PLAN_ROLE_COUNT && r != (int)role) || !is_fitted(&e->number[r])) continue;
        is_known = true;
        fine = set_calibrator(&e->calibrator[r], word, node);
    }
    if (is_known) return fine;
    weir_error(location, "'%s' needs a format that is fitted to a range, as affine, or fixed without frac_width", name);
    return false;
}

/* Does the format leave no choice, as the width of binary? */
static bool is_given(const weir_number *n, weir_number_key key) {
    int least, largest;
    return weir_number_key_range(n->id, key, &least, &largest) && least == largest;
}

/* Only weights have a scale a channel unasked. */
static bool is_data(weir_plan_role role) { return role == WEIR_PLAN_DATA_IN || role == WEIR_PLAN_DATA_OUT; }

static const char REAL_WIDTH[] = "32"; /* of real numbers, in MASE's files */

static bool is_text(const weir_yaml *node, const char *text) {
    return node != NULL && node->kind == WEIR_YAML_SCALAR && strcmp(node->text, text) == 0;
}

/* What MASE's files say of an operand in a format of signs without a meaning: a binary point, the width of real
 * numbers, of residual ones all but their levels. */
static bool is_without_meaning(const weir_number *n, const char *word, const weir_yaml *node) {
    const bool is_residual = n->id == WEIR_NUMBER_BINARY_RESIDUAL, is_width = strcmp(word, "width") == 0;
    if (n->id != WEIR_NUMBER_BINARY && n->id != WEIR_NUMBER_TERNARY && !is_residual) return false;
    if (strcmp(word, "frac_width") == 0 || (is_width && is_text(node, REAL_WIDTH))) return true;
    return is_residual && (is_width || strcmp(word, "stochastic") == 0 || strcmp(word, "bipolar") == 0);
}

/* A setting of one operand, or without a prefix of all. */
static bool read_setting(weir_plan_entry *e, const char *name, weir_location location, const weir_yaml *node) {
    weir_plan_role role;
    weir_number_key key = WEIR_KEY_COUNT;
    const char *word = split(name, &role);
    if (is_of_training(word) || strcmp(name, "binary_training") == 0 || strcmp(word, "name") == 0) return true;
    if (strcmp(word, "calibrator") == 0 || strcmp(word, "percentile") == 0)
        return read_calibrator(e, role, word, name, location, node);
    bool fine = true, is_known = false;
    for (int r = 0; r < WEIR_PLAN_ROLE_COUNT; r++) {
        if (role != WEIR_PLAN_ROLE_COUNT && r != (int)role) continue;
        if (role != WEIR_PLAN_ROLE_COUNT && is_without_meaning(&e->number[r], word, node)) {
            is_known = true;
            continue;
        }
        if (!weir_number_key_find(word, &key) || !weir_number_has(&e->number[r], key)) continue;
        if (role == WEIR_PLAN_ROLE_COUNT && key == WEIR_KEY_CHANNEL && is_data((weir_plan_role)r)) continue;
        if (role == WEIR_PLAN_ROLE_COUNT && e->number[r].id != e->id && is_given(&e->number[r], key)) continue;
        is_known = true;
        fine &= set_value(&e->number[r], key, node, name);
        if (role != WEIR_PLAN_ROLE_COUNT && !is_absent(node)) e->has[r] = true;
    }
    return is_known ? fine : refuse_key(e, role, location, name, word);
}

static bool read_format(weir_plan_entry *e, const weir_yaml *name) {
    weir_number_id id;
    const char *words[WEIR_NUMBER_COUNT + 1] = {NULL};
    if (name->kind == WEIR_YAML_SCALAR && weir_number_find(name->text, &id)) {
        /* MASE's binary and ternary layers keep their data; a bias of affine layers is part of the requantizer */
        const bool has_data = id != WEIR_NUMBER_BINARY && id != WEIR_NUMBER_TERNARY;
        for (int r = 0; r < WEIR_PLAN_ROLE_COUNT; r++) {
            e->number[r] = weir_number_new(id);
            if (id == WEIR_NUMBER_AFFINE && is_data((weir_plan_role)r))
                weir_number_set(&e->number[r], WEIR_KEY_CHANNEL, 0);
            e->calibrator[r] = (weir_calibrator){WEIR_CALIBRATOR_COUNT, 0};
            e->has[r] = r == WEIR_PLAN_WEIGHT ||
                        (has_data && r != WEIR_PLAN_DATA_OUT && (id != WEIR_NUMBER_AFFINE || r != WEIR_PLAN_BIAS));
        }
        e->id = id;
        return e->is_quantized = true;
    }
    for (int i = 0; i < WEIR_NUMBER_COUNT; i++) words[i] = weir_number_name((weir_number_id)i);
    weir_error(name->location, "expected a number format, found '%s'",
               name->kind == WEIR_YAML_SCALAR ? name->text : "a list or a mapping");
    weir_suggest_note(name->kind == WEIR_YAML_SCALAR ? name->text : "", words);
    return false;
}

/* data_in_name, weight_name, ...: a format of the operand's own, or none. */
static bool read_own_format(weir_plan_entry *e, weir_plan_role role, const weir_yaml *name) {
    weir_plan_entry own;
    e->has[role] = !is_absent(name);
    if (!e->has[role]) return true;
    if (!read_format(&own, name)) return false;
    e->number[role] = own.number[role];
    e->calibrator[role] = own.calibrator[role];
    return true;
}

static bool check_settings(const weir_plan_entry *e) {
    for (int r = 0; r < WEIR_PLAN_ROLE_COUNT; r++) {
        const char *conflict = weir_number_conflict(&e->number[r]);
        if (conflict == NULL) continue;
        weir_error(e->location, "%s settings of '%s': %s", prefixes[r], weir_number_name(e->number[r].id), conflict);
        return false;
    }
    const weir_number *data = &e->number[WEIR_PLAN_DATA_IN];
    if (data->id != WEIR_NUMBER_AFFINE || weir_number_get(data, WEIR_KEY_CHANNEL) == 0 ||
        weir_number_get(data, WEIR_KEY_SYMMETRIC) != 0)
        return true;
    weir_error(e->location, "with 'data_in_channel: 1' the zero point is 0, which 'data_in_symmetric: 0' excludes");
    return false;
}

/* The calibrator of whoever names none: that which changes the results of networks least on their calibration data
 * (tests/bench/RESULTS.md). */
static weir_calibrator_id usual_calibrator(const weir_number *n, weir_plan_role role) {
    enum { WIDE = 8 };
    const bool clips =
        n->id == WEIR_NUMBER_AFFINE && (role == WEIR_PLAN_WEIGHT || weir_number_get(n, WEIR_KEY_WIDTH) < WIDE);
    return clips ? WEIR_CALIBRATOR_MSE : WEIR_CALIBRATOR_MAX;
}

/* Only one calibrator takes a percentile, and has its own where none is said. */
static bool finish_calibrators(weir_plan_entry *e) {
    for (int r = 0; r < WEIR_PLAN_ROLE_COUNT; r++) {
        weir_calibrator *c = &e->calibrator[r];
        if (c->id == WEIR_CALIBRATOR_COUNT) c->id = usual_calibrator(&e->number[r], (weir_plan_role)r);
        if (c->percentile != 0 && c->id != WEIR_CALIBRATOR_PERCENTILE) {
            weir_error(e->location, "'%spercentile' needs 'calibrator: percentile', found %s", prefixes[r],
                       weir_calibrator_names[c->id]);
            return false;
        }
        if (c->percentile == 0) c->percentile = WEIR_CALIBRATOR_PERCENT;
    }
    return true;
}

/* Of a format of signs, operands of 32 bits stay real numbers. */
static void leave_real(weir_plan_entry *e, const weir_yaml *config) {
    for (int r = 0; r < WEIR_PLAN_ROLE_COUNT; r++) {
        char *key = weir_format("%swidth", prefixes[r]);
        const weir_yaml *width = weir_yaml_find(config, key);
        free(key);
        if (is_text(width, REAL_WIDTH) && is_without_meaning(&e->number[r], "width", width)) e->has[r] = false;
    }
}

/* {config: {name: ..., ...}} */
static bool read_entry(weir_plan_entry *e, const char *selector, const weir_yaml *node, weir_location location) {
    *e = (weir_plan_entry){.selector = selector, .location = location};
    const weir_yaml *config = node->kind == WEIR_YAML_MAPPING ? weir_yaml_find(node, "config") : NULL;
    if (config == NULL || config->kind != WEIR_YAML_MAPPING) {
        weir_error(location, "expected '%s: {config: {name: FORMAT}}'", selector == NULL ? "default" : selector);
        return false;
    }
    const weir_yaml *name = weir_yaml_find(config, "name"), *bypass = weir_yaml_find(config, "bypass");
    bool skips = false;
    if (bypass != NULL && !weir_yaml_bool(bypass, &skips)) return false;
    if (name == NULL) {
        weir_error(location, "the configuration has no 'name', a number format or NA");
        return false;
    }
    if (is_absent(name) || skips) return true;
    bool fine = read_format(e, name);
    for (int r = 0; fine && r < WEIR_PLAN_ROLE_COUNT; r++) {
        char *key = weir_format("%sname", prefixes[r]);
        const weir_yaml *own = weir_yaml_find(config, key);
        free(key);
        if (own != NULL) fine = read_own_format(e, (weir_plan_role)r, own);
    }
    for (size_t i = 0; fine && i < config->count; i++) {
        const char *key = config->key[i];
        if (strcmp(key, "name") != 0 && strcmp(key, "bypass") != 0)
            fine = read_setting(e, key, config->key_location[i], config->item[i]);
    }
    if (fine) leave_real(e, config);
    return fine && check_settings(e) && finish_calibrators(e);
}

/* --- the file --- */

static bool read_by(weir_plan *plan) {
    const weir_yaml *by = weir_yaml_find(plan->root, "by");
    if (by == NULL) return true;
    for (int i = 0; by->kind == WEIR_YAML_SCALAR && i < BY_COUNT; i++) {
        if (strcmp(by->text, by_words[i]) != 0) continue;
        plan->by = (plan_by)i;
        return true;
    }
    weir_error(by->location, "expected 'by: type', 'by: name' or 'by: regex_name'");
    if (by->kind == WEIR_YAML_SCALAR) weir_suggest_note(by->text, by_words);
    return false;
}

/* A switch of MASE's that says to print what the note here always says; a node may have the name, too. */
static bool is_report(const weir_yaml *root, size_t i) {
    bool prints;
    return strcmp(root->key[i], "report") == 0 && root->item[i]->kind == WEIR_YAML_SCALAR &&
           weir_yaml_bool(root->item[i], &prints);
}

static bool compile_regex(weir_plan *plan, size_t index) {
    char message[128], *whole = weir_format("^(%s)$", plan->entry[index].selector);
    const int error = regcomp(&plan->regex[index], whole, REG_EXTENDED | REG_NOSUB);
    free(whole);
    if (error == 0) return true;
    regerror(error, &plan->regex[index], message, sizeof message);
    weir_error(plan->entry[index].location, "'%s' is not a regular expression: %s", plan->entry[index].selector,
               message);
    return false;
}

static bool read_entries(weir_plan *plan) {
    const weir_yaml *root = plan->root;
    plan->entry = weir_calloc(root->count + 1, sizeof *plan->entry);
    plan->regex = weir_calloc(root->count + 1, sizeof *plan->regex);
    bool fine = read_by(plan);
    for (size_t i = 0; fine && i < root->count; i++) {
        if (strcmp(root->key[i], "by") == 0 || is_report(root, i)) continue;
        if (strcmp(root->key[i], "default") == 0) {
            plan->has_preset = true;
            fine = read_entry(&plan->preset, NULL, root->item[i], root->key_location[i]);
            continue;
        }
        fine = read_entry(&plan->entry[plan->count], root->key[i], root->item[i], root->key_location[i]) &&
               (plan->by != BY_REGEX || compile_regex(plan, plan->count));
        if (fine) plan->count++;
    }
    if (fine && !plan->has_preset && plan->count == 0) {
        weir_error(root->location, "the configuration quantizes nothing, expected 'default: {config: {name: FORMAT}}'");
        fine = false;
    }
    return fine;
}

weir_plan *weir_plan_read(const char *path) {
    weir_plan *plan = weir_calloc(1, sizeof *plan);
    plan->root = weir_yaml_read(path);
    bool fine = plan->root != NULL;
    if (fine && plan->root->kind != WEIR_YAML_MAPPING) {
        weir_error(plan->root->location, "expected a mapping with 'by' and 'default'");
        fine = false;
    }
    if (fine && read_entries(plan)) return plan;
    weir_plan_free(plan);
    return NULL;
}

void weir_plan_free(weir_plan *plan) {
    if (plan == NULL) return;
    for (size_t i = 0; plan->by == BY_REGEX && i < plan->count; i++) regfree(&plan->regex[i]);
    free(plan->entry);
    free(plan->regex);
    weir_yaml_free(plan->root);
    free(plan);
}

static bool uses(const weir_plan_entry *e, weir_number_id id) {
    bool any = false;
    for (int r = 0; e->is_quantized && r < WEIR_PLAN_ROLE_COUNT; r++) any |= e->has[r] && e->number[r].id == id;
    return any;
}

bool weir_plan_uses(const weir_plan *plan, weir_number_id id) {
    bool any = plan->has_preset && uses(&plan->preset, id);
    for (size_t i = 0; i < plan->count; i++) any |= uses(&plan->entry[i], id);
    return any;
}

static bool needs_range(const weir_plan_entry *e) {
    bool needs = false;
    for (int r = 0; e->is_quantized && r < WEIR_PLAN_ROLE_COUNT; r++) {
        const bool is_data = r == WEIR_PLAN_DATA_IN || r == WEIR_PLAN_DATA_OUT;
        needs |=
            r != WEIR_PLAN_BIAS && e->has[r] && (is_fitted(&e->number[r]) || (is_data && is_measured(&e->number[r])));
    }
    return needs;
}

/* A weight may be data, too: x @ y. */
static bool needs_histogram(const weir_plan_entry *e) {
    bool needs = false;
    for (int r = 0; e->is_quantized && r < WEIR_PLAN_ROLE_COUNT; r++)
        needs |=
            r != WEIR_PLAN_BIAS && e->has[r] &&
            (is_measured(&e->number[r]) || (is_fitted(&e->number[r]) && e->calibrator[r].id != WEIR_CALIBRATOR_MAX));
    return needs;
}

bool weir_plan_needs_histograms(const weir_plan *plan) {
    bool needs = plan->has_preset && needs_histogram(&plan->preset);
    for (size_t i = 0; i < plan->count; i++) needs |= needs_histogram(&plan->entry[i]);
    return needs;
}

bool weir_plan_needs_ranges(const weir_plan *plan) {
    bool needs = plan->has_preset && needs_range(&plan->preset);
    for (size_t i = 0; i < plan->count; i++) needs |= needs_range(&plan->entry[i]);
    return needs;
}

/* --- nodes --- */

static bool fits(const weir_plan *plan, size_t index, const weir_graph *graph, weir_node node) {
    const char *selector = plan->entry[index].selector;
    switch (plan->by) {
    case BY_TYPE: return weir_mase_is_name(selector, weir_mase_op(graph, node));
    case BY_NAME: return strcmp(selector, weir_node_name(graph, node)) == 0;
    case BY_REGEX: return regexec(&plan->regex[index], weir_node_name(graph, node), 0, NULL, 0) == 0;
    case BY_COUNT: break;
    }
    return false;
}

const weir_plan_entry *weir_plan_find(weir_plan *plan, const weir_graph *graph, weir_node node) {
    for (size_t i = 0; i < plan->count; i++) {
        if (!fits(plan, i, graph, node)) continue;
        plan->entry[i].is_used = true;
        return &plan->entry[i];
    }
    return plan->has_preset ? &plan->preset : NULL;
}

/* MASE's operators, or the nodes' names. */
static const char **known_names(const weir_plan *plan, const weir_graph *graph, size_t *count) {
    const char **names = weir_calloc((size_t)WEIR_OP_COUNT + weir_graph_node_limit(graph), sizeof *names);
    *count = 0;
    if (plan->by == BY_TYPE) {
        for (int op = 1; op < WEIR_OP_COUNT; op++) names[(*count)++] = weir_mase_name((weir_op)op);
    } else {
        for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
            names[(*count)++] = weir_node_name(graph, node);
    }
    return names;
}

bool weir_plan_check(const weir_plan *plan, const weir_graph *graph) {
    size_t count;
    const char **names = known_names(plan, graph, &count);
    bool fine = true;
    for (size_t i = 0; i < plan->count; i++) {
        const weir_plan_entry *e = &plan->entry[i];
        bool is_known = plan->by == BY_REGEX;
        for (size_t k = 0; plan->by == BY_TYPE && k < count; k++) is_known |= weir_mase_is_name(names[k], e->selector);
        if (e->is_used) continue;
        if (is_known) {
            weir_warning(e->location, "no node is '%s'", e->selector);
            continue;
        }
        weir_error(e->location, plan->by == BY_TYPE ? "MASE has no operator '%s'" : "the model has no node '%s'",
                   e->selector);
        const char *near = weir_suggest(e->selector, names, count);
        if (near != NULL) weir_note("did you mean '%s'?", near);
        fine = false;
    }
    free(names);
    return fine;
}
