#include "passes/interface/onnx_runtime_config.h"

#include <string.h>

#include "support/text/suggest.h"
#include "support/text/yaml.h"

enum { BATCHES = 200 };

const char *const weir_onnx_runtime_mode_names[WEIR_ONNX_RUNTIME_MODES + 1] = {
    [WEIR_ONNX_RUNTIME_STATIC] = "static",
    [WEIR_ONNX_RUNTIME_DYNAMIC] = "dynamic",
    [WEIR_ONNX_RUNTIME_AUTO] = "auto",
};

static bool refuse_key(weir_location location, const char *key, const char *const *words) {
    weir_error(location, "unknown key '%s'", key);
    weir_suggest_note(key, words);
    return false;
}

static bool is_mapping(const weir_yaml *node, const char *what) {
    if (node->kind == WEIR_YAML_MAPPING) return true;
    weir_error(node->location, "expected a mapping for '%s'", what);
    return false;
}

static bool add_mode(weir_onnx_runtime_config *config, weir_location location, const char *name, size_t size) {
    for (int i = 0; i < WEIR_ONNX_RUNTIME_MODES; i++) {
        const char *own = weir_onnx_runtime_mode_names[i];
        if (strlen(own) != size || memcmp(own, name, size) != 0) continue;
        config->has[i] = true;
        return true;
    }
    weir_error(location, "'%.*s' is not a mode of quantize_types, expected static, dynamic or auto", (int)size, name);
    return false;
}

static bool read_modes(weir_onnx_runtime_config *config, const weir_yaml *node) {
    const bool is_list = node->kind == WEIR_YAML_SEQUENCE;
    memset(config->has, 0, sizeof config->has);
    for (size_t i = 0; i < (is_list ? node->count : 1); i++) {
        const weir_yaml *item = is_list ? node->item[i] : node;
        const char *text = item->kind == WEIR_YAML_SCALAR ? item->text : "";
        if (!add_mode(config, item->location, text, strlen(text))) return false;
    }
    return true;
}

static bool read_batches(const weir_yaml *node, weir_onnx_runtime_config *config) {
    return weir_yaml_int(node, 0, INT32_MAX, &config->batches);
}

static bool read_precision(const weir_yaml *node, bool *is_unsigned) {
    const char *text = node->kind == WEIR_YAML_SCALAR ? node->text : "";
    *is_unsigned = strcmp(text, "uint8") == 0;
    if (*is_unsigned || strcmp(text, "int8") == 0) return true;
    weir_error(node->location, "expected 'precision: int8' or 'precision: uint8'");
    return false;
}

static bool read_tolerance(const weir_yaml *node, double *value) {
    if (!weir_yaml_double(node, value)) return false;
    if (*value >= 0) return true;
    weir_error(node->location, "a tolerance of %g, expected 0 or more", *value);
    return false;
}

/* Inputs and outputs stay as they are. */
static bool read_io_types(const weir_yaml *node) {
    bool keeps;
    if (!weir_yaml_bool(node, &keeps)) return false;
    if (!keeps) weir_error(node->location, "inputs and outputs keep their types, expected true");
    return keeps;
}

static bool read_settings(weir_onnx_runtime_config *config, const weir_yaml *node) {
    static const char *const words[] = {"quantize",  "quantize_types", "num_calibration_batches",
                                        "precision", "per_channel",    "rtol",
                                        "atol",      "keep_io_types",  NULL};
    bool quantizes = false;
    if (!is_mapping(node, "config")) return false;
    config->has[WEIR_ONNX_RUNTIME_STATIC] = true;
    for (size_t i = 0; i < node->count; i++) {
        const char *key = node->key[i];
        const weir_yaml *item = node->item[i];
        bool fine;
        if (strcmp(key, "quantize") == 0) fine = weir_yaml_bool(item, &quantizes);
        else if (strcmp(key, "quantize_types") == 0) fine = read_modes(config, item);
        else if (strcmp(key, "num_calibration_batches") == 0) fine = read_batches(item, config);
        else if (strcmp(key, "precision") == 0) fine = read_precision(item, &config->is_unsigned);
        else if (strcmp(key, "per_channel") == 0) fine = weir_yaml_bool(item, &config->by_channel);
        else if (strcmp(key, "rtol") == 0) fine = read_tolerance(item, &config->rtol);
        else if (strcmp(key, "atol") == 0) fine = read_tolerance(item, &config->atol);
        else if (strcmp(key, "keep_io_types") == 0) fine = read_io_types(item);
        else fine = refuse_key(node->key_location[i], key, words);
        if (!fine) return false;
    }
    if (!quantizes) memset(config->has, 0, sizeof config->has);
    return true;
}

static bool read_default(weir_onnx_runtime_config *config, const weir_yaml *node) {
    static const char *const words[] = {"config", NULL};
    if (!is_mapping(node, "default")) return false;
    for (size_t i = 0; i < node->count; i++) {
        if (strcmp(node->key[i], "config") != 0) return refuse_key(node->key_location[i], node->key[i], words);
        if (!read_settings(config, node->item[i])) return false;
    }
    return true;
}

static bool read_all(weir_onnx_runtime_config *config, const weir_yaml *root) {
    static const char *const words[] = {"by", "num_calibration_batches", "default", "runtime_analysis", NULL};
    if (!is_mapping(root, "the configuration")) return false;
    for (size_t i = 0; i < root->count; i++) {
        const weir_yaml *item = root->item[i];
        const bool is_type = item->kind == WEIR_YAML_SCALAR && strcmp(item->text, "type") == 0;
        bool fine;
        if (strcmp(root->key[i], "by") == 0) {
            fine = is_type;
            if (!fine) weir_error(item->location, "expected 'by: type': the modes quantize all layers");
        } else if (strcmp(root->key[i], "num_calibration_batches") == 0) {
            fine = read_batches(item, config);
        } else if (strcmp(root->key[i], "default") == 0) {
            fine = read_default(config, item);
        } else if (strcmp(root->key[i], "runtime_analysis") == 0) {
            fine = is_mapping(item, "runtime_analysis"); /* of another pass */
        } else {
            fine = refuse_key(root->key_location[i], root->key[i], words);
        }
        if (!fine) return false;
    }
    return true;
}

bool weir_onnx_runtime_config_read(const char *path, const char *modes, weir_onnx_runtime_config *config) {
    *config = (weir_onnx_runtime_config){.rtol = 0.1, .atol = 0.01, .batches = BATCHES};
    weir_yaml *root = *path == '\0' ? NULL : weir_yaml_read(path);
    bool fine = *path == '\0' || (root != NULL && read_all(config, root));
    weir_yaml_free(root);
    modes += strspn(modes, " ,");
    if (*modes != '\0') memset(config->has, 0, sizeof config->has);
    for (size_t size; fine && *modes != '\0'; modes += size, modes += strspn(modes, " ,")) {
        size = strcspn(modes, " ,");
        fine = add_mode(config, WEIR_NOWHERE, modes, size);
    }
    return fine;
}
