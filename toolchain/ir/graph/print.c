#include "ir/graph/print.h"

#include <stdlib.h>
#include <string.h>

#include "ir/graph/word.h"
#include "support/file/npy.h"
#include "support/memory/arena.h"

/* May the name be printed without quotes? */
static bool is_plain(const char *name) {
    for (const char *c = name; *c != '\0'; c++) {
        if (!weir_is_word(*c) && (*c != ':' || c == name || !weir_is_word(c[1]))) return false;
    }
    return *name != '\0';
}

static void print_name(weir_text *text, const char *name) {
    if (is_plain(name)) weir_text_add(text, name);
    else weir_text_quoted(text, name);
}

static void print_value(const weir_graph *graph, weir_text *text, weir_value value) {
    if (value.id == 0) {
        weir_text_char(text, '_');
        return;
    }
    weir_text_char(text, '%');
    print_name(text, weir_value_name(graph, value));
}

static void print_int(weir_text *text, int64_t value) { weir_text_format(text, "%lld", (long long)value); }

static void print_quant(weir_text *text, const weir_quant *quant) {
    if (quant->format == WEIR_FORMAT_FLOAT) return;
    weir_text_format(text, " %s %c%d", weir_format_name(quant->format), quant->is_signed ? 's' : 'u', quant->width);
    if (quant->format == WEIR_FORMAT_FIXED) weir_text_format(text, " frac=%d", quant->frac);
    if (quant->rounding != WEIR_ROUND_FLOOR) weir_text_format(text, " round=%s", weir_rounding_name(quant->rounding));
    if (quant->saturation != WEIR_SATURATE)
        weir_text_format(text, " saturation=%s", weir_saturation_name(quant->saturation));
    if (quant->count == 1 && quant->axis < 0) {
        weir_text_add(text, " scale=");
        weir_text_double(text, quant->scale[0]);
        if (quant->zero_point != NULL) {
            weir_text_add(text, " zero=");
            print_int(text, quant->zero_point[0]);
        }
    } else if (quant->count > 0) {
        weir_text_format(text, " axis=%d scale=@%s", quant->axis, quant->zero_point == NULL ? "" : " zero=@");
    }
}

void weir_type_print(const weir_type *type, weir_text *text) {
    char shape[WEIR_SHAPE_TEXT];
    weir_text_add(text, weir_dtype_name(type->dtype));
    weir_text_add(text, weir_shape_print(&type->shape, shape, sizeof shape));
    if (type->layout[0] != '\0') weir_text_format(text, " layout=%s", type->layout);
    print_quant(text, &type->quant);
    if (!type->has_range) return;
    weir_text_add(text, " range=[");
    print_int(text, type->low);
    weir_text_char(text, ',');
    print_int(text, type->high);
    weir_text_char(text, ']');
}

static void print_attribute(weir_text *text, const weir_attribute *attribute) {
    print_name(text, attribute->name);
    weir_text_add(text, " = ");
    switch (attribute->kind) {
    case WEIR_ATTRIBUTE_INT: print_int(text, attribute->as.i); break;
    case WEIR_ATTRIBUTE_FLOAT:
        weir_text_add(text, "float ");
        weir_text_double(text, attribute->as.f);
        break;
    case WEIR_ATTRIBUTE_STRING: weir_text_quoted(text, attribute->as.s); break;
    case WEIR_ATTRIBUTE_INTS:
        weir_text_char(text, '[');
        for (size_t i = 0; i < attribute->count; i++) {
            if (i > 0) weir_text_add(text, ", ");
            print_int(text, attribute->as.ints[i]);
        }
        weir_text_char(text, ']');
        break;
    case WEIR_ATTRIBUTE_FLOATS:
        weir_text_add(text, "float [");
        for (size_t i = 0; i < attribute->count; i++) {
            if (i > 0) weir_text_add(text, ", ");
            weir_text_double(text, attribute->as.floats[i]);
        }
        weir_text_char(text, ']');
        break;
    }
}

static void print_attributes(const weir_graph *graph, weir_text *text, weir_node node) {
    size_t count = weir_node_attribute_count(graph, node);
    if (count == 0) return;
    weir_text_add(text, " {");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) weir_text_add(text, ", ");
        print_attribute(text, weir_node_attribute_at(graph, node, i));
    }
    weir_text_char(text, '}');
}

static void print_field(weir_text *text, const char *name, int64_t value) {
    if (value == 0) return;
    weir_text_format(text, " %s=", name);
    print_int(text, value);
}

static void print_settings(const weir_settings *settings, weir_settings_place place, weir_text *text) {
    for (uint8_t i = 0; i < settings->count; i++) {
        const int64_t value = settings->value[i];
        if (settings->place[i] != place || value == 0) continue;
        if (place != WEIR_SETTINGS_STORAGE) print_field(text, settings->name[i], value);
        else weir_text_format(text, " %s=%s", settings->name[i], weir_storage_name((weir_storage)value));
    }
}

static void print_hardware(const weir_meta_hardware *hardware, weir_text *text) {
    weir_text_format(text, " hardware{module=%s", hardware->module == NULL ? "_" : hardware->module);
    if (hardware->host != WEIR_HOST_NONE) weir_text_format(text, " host=%s", weir_host_name(hardware->host));
    print_field(text, "implicit", hardware->is_implicit);
    print_settings(&hardware->settings, WEIR_SETTINGS_BEFORE_LANES, text);
#define WEIR_HARDWARE_SETTINGS print_settings(&hardware->settings, WEIR_SETTINGS_AFTER_LANES, text);
#define WEIR_HARDWARE_FIELD(name) print_field(text, #name, hardware->name);
#include "ir/trait/hardware.def"
#undef WEIR_HARDWARE_FIELD
#undef WEIR_HARDWARE_SETTINGS
    if (hardware->storage != WEIR_STORAGE_AUTO)
        weir_text_format(text, " storage=%s", weir_storage_name(hardware->storage));
    print_settings(&hardware->settings, WEIR_SETTINGS_STORAGE, text);
    weir_text_char(text, '}');
}

static void print_common(const weir_meta_common *common, weir_text *text) {
    const bool has_mase = common->mase_op != NULL;
    if (!has_mase && common->group == 0) return;
    weir_text_add(text, " common{");
    if (has_mase) weir_text_format(text, "type=%s op=%s", weir_mase_type_name(common->mase_type), common->mase_op);
    if (common->group != 0) weir_text_format(text, "%sgroup=%u", has_mase ? " " : "", (unsigned)common->group);
    weir_text_char(text, '}');
}

static void print_metadata(const weir_graph *graph, weir_text *text, weir_node node) {
    const weir_metadata *metadata = weir_node_metadata_of(graph, node);
    print_common(&metadata->common, text);
    if (metadata->software.count > 0) {
        weir_text_format(text, " software{count=%llu min=", (unsigned long long)metadata->software.count);
        weir_text_double(text, metadata->software.min);
        weir_text_add(text, " max=");
        weir_text_double(text, metadata->software.max);
        weir_text_char(text, '}');
    }
    if (metadata->hardware.assigned || metadata->hardware.host != WEIR_HOST_NONE)
        print_hardware(&metadata->hardware, text);
    if (metadata->facts == NULL) return;
    char *facts = json_dumps(metadata->facts, JSON_COMPACT | JSON_ENSURE_ASCII);
    weir_text_format(text, " facts %s", facts);
    free(facts);
}

static void print_node(const weir_graph *graph, weir_text *text, weir_node node) {
    print_name(text, weir_node_name(graph, node));
    weir_text_char(text, ':');
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        weir_text_add(text, i == 0 ? " " : ", ");
        print_value(graph, text, weir_node_output(graph, node, i));
    }
    weir_text_format(text, " = %s(", weir_node_info(graph, node)->full_name);
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        if (i > 0) weir_text_add(text, ", ");
        print_value(graph, text, weir_node_input(graph, node, i));
    }
    weir_text_char(text, ')');
    print_attributes(graph, text, node);
    weir_location location = weir_node_location(graph, node);
    if (location.file != NULL) {
        weir_text_add(text, " at ");
        weir_text_quoted(text, location.file);
        weir_text_format(text, ":%d", location.line);
    }
    print_metadata(graph, text, node);
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        weir_text_add(text, i == 0 ? "\n    : " : "\n    , ");
        weir_type_print(weir_value_type(graph, weir_node_output(graph, node, i)), text);
    }
    weir_text_char(text, '\n');
}

/* `line`: by node id, the line on which each node begins is written there; NULL: not asked for. */
static void print_graph(const weir_graph *graph, weir_text *text, int *line) {
    int lines = 2; /* so far */
    weir_text_add(text, "weir 1\ngraph ");
    weir_text_quoted(text, weir_graph_name(graph));
    weir_text_add(text, " from ");
    weir_text_quoted(text, weir_graph_source(graph));
    if (*weir_graph_device(graph) != '\0' || weir_graph_clock(graph) != 0) {
        weir_text_add(text, " for ");
        weir_text_quoted(text, weir_graph_device(graph));
        weir_text_format(text, " at %lld", (long long)weir_graph_clock(graph));
    }
    if (weir_graph_patchable(graph)) weir_text_add(text, " patchable");
    if (weir_graph_interval(graph) != 0) weir_text_format(text, " every %lld", (long long)weir_graph_interval(graph));
    if (weir_graph_batch(graph) != NULL) {
        weir_text_add(text, " batch ");
        weir_text_quoted(text, weir_graph_batch(graph));
    }
    if (weir_graph_contract_of(graph) != WEIR_GRAPH_MODEL)
        weir_text_format(text, " by %s", weir_graph_contract_name(weir_graph_contract_of(graph)));
    const weir_word_list classes = weir_graph_classes(graph);
    if (classes.count > 0) weir_text_add(text, " classes");
    for (size_t i = 0; i < classes.count; i++) {
        weir_text_char(text, ' ');
        weir_text_quoted(text, classes.word[i]);
    }
    weir_text_char(text, '\n');
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        weir_text_add(text, "input ");
        print_value(graph, text, weir_graph_input(graph, i));
        weir_text_add(text, " : ");
        weir_type_print(weir_value_type(graph, weir_graph_input(graph, i)), text);
        weir_text_char(text, '\n');
        lines++;
    }
    for (uint32_t id = 1; id < weir_graph_value_limit(graph); id++) {
        weir_value value = {id};
        if (!weir_value_exists(graph, value) || weir_value_constant(graph, value) == NULL) continue;
        weir_text_add(text, "constant ");
        print_value(graph, text, value);
        weir_text_add(text, " : ");
        weir_type_print(weir_value_type(graph, value), text);
        weir_text_char(text, '\n');
        lines++;
    }
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (line != NULL) line[node.id] = lines + 1;
        print_node(graph, text, node);
        lines += 1 + (int)weir_node_output_count(graph, node);
    }
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        weir_text_add(text, "output ");
        print_name(text, weir_graph_output_name(graph, i));
        weir_text_add(text, " = ");
        print_value(graph, text, weir_graph_output(graph, i));
        weir_text_char(text, '\n');
    }
}

void weir_graph_print(const weir_graph *graph, weir_text *text) { print_graph(graph, text, NULL); }

int *weir_graph_lines(const weir_graph *graph) {
    int *line = weir_calloc(weir_graph_node_limit(graph), sizeof *line);
    weir_text text = {0};
    print_graph(graph, &text, line);
    weir_text_free(&text);
    return line;
}

static void collect_part(weir_archive *archive, const char *name, const char *part, weir_array *array) {
    char *full = weir_format("%s%s", name, part);
    weir_archive_add(archive, full, array);
    free(full);
}

static void collect_value(const weir_graph *graph, weir_value value, weir_archive *archive) {
    const char *name = weir_value_name(graph, value);
    const weir_array *constant = weir_value_constant(graph, value);
    if (constant != NULL) collect_part(archive, name, "", weir_array_copy(constant));
    const weir_quant *quant = &weir_value_type(graph, value)->quant;
    if (quant->format == WEIR_FORMAT_FLOAT || quant->count == 0 || (quant->count == 1 && quant->axis < 0)) return;
    weir_shape shape = {1, {quant->count}};
    weir_array *scale = weir_array_new(WEIR_FLOAT64, &shape);
    memcpy(scale->data, quant->scale, quant->count * sizeof(double));
    collect_part(archive, name, ".scale", scale);
    if (quant->zero_point == NULL) return;
    weir_array *zero = weir_array_new(WEIR_INT64, &shape);
    memcpy(zero->data, quant->zero_point, quant->count * sizeof(int64_t));
    collect_part(archive, name, ".zero_point", zero);
}

void weir_graph_collect(const weir_graph *graph, weir_archive *archive) {
    for (uint32_t id = 1; id < weir_graph_value_limit(graph); id++) {
        weir_value value = {id};
        if (weir_value_exists(graph, value)) collect_value(graph, value, archive);
    }
}
