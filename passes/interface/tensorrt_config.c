#include "passes/interface/tensorrt_config.h"

#include <stdlib.h>
#include <string.h>

#include "ir/trait/mase.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"
#include "support/text/yaml.h"

enum { BATCHES = 200 };

static bool is_mapping(const weir_yaml *node, const char *what) {
    if (node->kind == WEIR_YAML_MAPPING) return true;
    weir_error(node->location, "expected a mapping for '%s'", what);
    return false;
}

static bool refuse_key(weir_location location, const char *key, const char *const *words) {
    weir_error(location, "unknown key '%s'", key);
    weir_suggest_note(key, words);
    return false;
}

static bool is_text(const weir_yaml *node, const char *text) {
    return node->kind == WEIR_YAML_SCALAR && strcmp(node->text, text) == 0;
}

/* --- calibrators --- */

static bool add_candidate(weir_tensorrt_config *config, weir_location location, weir_calibrator candidate) {
    if (config->candidates == WEIR_TENSORRT_CANDIDATES) {
        weir_error(location, "expected at most %d calibrators, each percentile counts", WEIR_TENSORRT_CANDIDATES);
        return false;
    }
    config->candidate[config->candidates++] = candidate;
    return true;
}

/* Of a list, or of one value alone. */
static size_t count_of(const weir_yaml *node) { return node->kind == WEIR_YAML_SEQUENCE ? node->count : 1; }

static const weir_yaml *item_of(const weir_yaml *node, size_t i) {
    return node->kind == WEIR_YAML_SEQUENCE ? node->item[i] : node;
}

static bool add_percentiles(weir_tensorrt_config *config, const weir_yaml *node, weir_location location) {
    if (node == NULL)
        return add_candidate(config, location, (weir_calibrator){WEIR_CALIBRATOR_PERCENTILE, 99}); /* MASE's */
    for (size_t i = 0; i < count_of(node); i++) {
        const weir_yaml *item = item_of(node, i);
        double percent;
        if (!weir_yaml_double(item, &percent)) return false;
        if (!(percent > 0 && percent <= 100)) {
            weir_error(item->location, "percentile %g, expected above 0, at most 100", percent);
            return false;
        }
        if (!add_candidate(config, item->location, (weir_calibrator){WEIR_CALIBRATOR_PERCENTILE, percent}))
            return false;
    }
    return true;
}

static bool read_calibrators(weir_tensorrt_config *config, const weir_yaml *node, const weir_yaml *percentiles) {
    config->candidates = 0;
    for (size_t i = 0; i < count_of(node); i++) {
        const weir_yaml *item = item_of(node, i);
        weir_calibrator own = {.id = WEIR_CALIBRATOR_COUNT};
        if (item->kind != WEIR_YAML_SCALAR || !weir_calibrator_find(item->text, &own.id)) {
            weir_error(item->location, "expected calibrators: max, percentile, entropy or mse");
            if (item->kind == WEIR_YAML_SCALAR) weir_suggest_note(item->text, weir_calibrator_names);
            return false;
        }
        const bool fine = own.id == WEIR_CALIBRATOR_PERCENTILE ? add_percentiles(config, percentiles, item->location)
                                                               : add_candidate(config, item->location, own);
        if (!fine) return false;
    }
    return true;
}

/* --- entries --- */

/* {calibrator: ..., quantize_axis: ...} of the input or the weights. */
static bool read_operand(const weir_yaml *node, bool is_weight, weir_tensorrt_entry *e) {
    static const char *const words[] = {"calibrator", "quantize_axis", NULL};
    if (!is_mapping(node, is_weight ? "weight" : "input")) return false;
    for (size_t i = 0; i < node->count; i++) {
        const weir_yaml *item = node->item[i];
        if (strcmp(node->key[i], "calibrator") == 0) {
            const bool is_histogram = is_text(item, "histogram");
            if (!is_histogram && !is_text(item, "max")) {
                weir_error(item->location, "expected 'calibrator: max' or 'calibrator: histogram'");
                return false;
            }
            *(is_weight ? &e->weight_histogram : &e->input_histogram) = is_histogram;
        } else if (strcmp(node->key[i], "quantize_axis") == 0) {
            bool axis;
            if (!weir_yaml_bool(item, &axis)) return false;
            if (axis && !is_weight) {
                weir_error(item->location, "TensorRT has one scale for the input of a layer, expected false");
                return false;
            }
            if (is_weight) e->by_channel = axis;
        } else {
            return refuse_key(node->key_location[i], node->key[i], words);
        }
    }
    return true;
}

/* {quantize: ..., precision: int8, calibrators: ..., percentiles: ...}; those are the whole network's. */
static bool read_settings(weir_tensorrt_config *config, const weir_yaml *node, weir_tensorrt_entry *e) {
    static const char *const words[] = {"quantize", "precision", "calibrators", "percentiles", NULL};
    const bool is_preset = e == &config->preset;
    if (!is_mapping(node, "config")) return false;
    for (size_t i = 0; i < node->count; i++) {
        const char *key = node->key[i];
        const weir_yaml *item = node->item[i];
        const bool is_list = strcmp(key, "calibrators") == 0 || strcmp(key, "percentiles") == 0;
        if (strcmp(key, "quantize") == 0) {
            if (!weir_yaml_bool(item, &e->quantizes)) return false;
        } else if (strcmp(key, "precision") == 0) {
            if (!is_text(item, "int8")) {
                weir_error(item->location, "TensorRT's quantizers have 'precision: int8'");
                return false;
            }
        } else if (is_list && !is_preset) {
            weir_error(node->key_location[i], "'%s' belongs to 'default', for the whole network", key);
            return false;
        } else if (!is_list) {
            return refuse_key(node->key_location[i], key, words);
        }
    }
    const weir_yaml *calibrators = weir_yaml_find(node, "calibrators"),
                    *percentiles = weir_yaml_find(node, "percentiles");
    bool fine = calibrators == NULL || read_calibrators(config, calibrators, percentiles);
    bool reads = calibrators == NULL;
    for (size_t i = 0; i < config->candidates; i++) reads |= config->candidate[i].id == WEIR_CALIBRATOR_PERCENTILE;
    if (fine && percentiles != NULL && (calibrators == NULL || !reads)) {
        weir_error(percentiles->location, "'percentiles' needs 'percentile' among the calibrators");
        fine = false;
    }
    return fine;
}

static bool read_entry(weir_tensorrt_config *config, const weir_yaml *node, weir_tensorrt_entry *e) {
    static const char *const words[] = {"config", "input", "weight", NULL};
    if (!is_mapping(node, e == &config->preset ? "default" : e->selector)) return false;
    for (size_t i = 0; i < node->count; i++) {
        const char *key = node->key[i];
        bool fine;
        if (strcmp(key, "config") == 0) fine = read_settings(config, node->item[i], e);
        else if (strcmp(key, "input") == 0) fine = read_operand(node->item[i], false, e);
        else if (strcmp(key, "weight") == 0) fine = read_operand(node->item[i], true, e);
        else fine = refuse_key(node->key_location[i], key, words);
        if (!fine) return false;
    }
    return true;
}

/* --- the file --- */

static bool read_global(weir_tensorrt_config *config, size_t i, bool *is_entry) {
    const char *key = config->root->key[i];
    const weir_yaml *item = config->root->item[i];
    *is_entry = false;
    if (strcmp(key, "by") == 0) {
        config->by_name = is_text(item, "name");
        if (config->by_name || is_text(item, "type")) return true;
        weir_error(item->location, "expected 'by: type' or 'by: name'");
        return false;
    }
    if (strcmp(key, "num_calibration_batches") == 0) return weir_yaml_int(item, 0, INT32_MAX, &config->batches);
    if (strcmp(key, "post_calibration_analysis") == 0) return weir_yaml_bool(item, &config->analyses);
    if (strcmp(key, "default") == 0) return read_entry(config, item, &config->preset);
    if (strcmp(key, "fine_tune") == 0 || strcmp(key, "runtime_analysis") == 0) return is_mapping(item, key);
    return *is_entry = true;
}

/* The default first, for entries begin with it. */
static bool read_all(weir_tensorrt_config *config) {
    const weir_yaml *root = config->root;
    if (!is_mapping(root, "the configuration")) return false;
    config->entry = weir_calloc(root->count + 1, sizeof *config->entry);
    bool *is_entry = weir_calloc(root->count + 1, sizeof *is_entry), fine = true;
    for (size_t i = 0; fine && i < root->count; i++) fine = read_global(config, i, &is_entry[i]);
    for (size_t i = 0; fine && i < root->count; i++) {
        if (!is_entry[i]) continue;
        weir_tensorrt_entry *e = &config->entry[config->count++];
        *e = config->preset;
        e->selector = root->key[i];
        e->location = root->key_location[i];
        fine = read_entry(config, root->item[i], e);
    }
    free(is_entry);
    return fine;
}

weir_tensorrt_config *weir_tensorrt_config_read(const char *path) {
    weir_tensorrt_config *config = weir_calloc(1, sizeof *config);
    config->batches = BATCHES;
    config->analyses = true;
    config->preset = (weir_tensorrt_entry){.quantizes = true, .input_histogram = true, .by_channel = true};
    for (int i = 0; i < WEIR_CALIBRATOR_COUNT; i++)
        config->candidate[config->candidates++] = (weir_calibrator){(weir_calibrator_id)i, WEIR_CALIBRATOR_PERCENT};
    if (*path == '\0') return config;
    config->root = weir_yaml_read(path);
    if (config->root != NULL && read_all(config)) return config;
    weir_tensorrt_config_free(config);
    return NULL;
}

void weir_tensorrt_config_free(weir_tensorrt_config *config) {
    if (config == NULL) return;
    free(config->entry);
    weir_yaml_free(config->root);
    free(config);
}

/* --- nodes --- */

const weir_tensorrt_entry *weir_tensorrt_config_find(weir_tensorrt_config *config, const weir_graph *graph,
                                                     weir_node node) {
    for (size_t i = 0; i < config->count; i++) {
        weir_tensorrt_entry *e = &config->entry[i];
        if (config->by_name ? strcmp(e->selector, weir_node_name(graph, node)) != 0
                            : !weir_mase_is_name(e->selector, weir_mase_op(graph, node)))
            continue;
        e->is_used = true;
        return e;
    }
    return &config->preset;
}

bool weir_tensorrt_config_check(const weir_tensorrt_config *config, const weir_graph *graph) {
    const char **names = weir_calloc((size_t)WEIR_OP_COUNT + weir_graph_node_limit(graph), sizeof *names);
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        names[count++] = config->by_name ? weir_node_name(graph, node) : weir_mase_op(graph, node);
    bool fine = true;
    for (size_t i = 0; i < config->count; i++) {
        const weir_tensorrt_entry *e = &config->entry[i];
        if (e->is_used) continue;
        weir_error(e->location, "no layer or pool of the model is '%s'", e->selector);
        const char *near = weir_suggest(e->selector, names, count);
        if (near != NULL) weir_note("did you mean '%s'?", near);
        fine = false;
    }
    free(names);
    return fine;
}
