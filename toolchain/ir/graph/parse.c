/* Reads the text form. One statement a line (a node's types on continuation lines). Nothing in the text is trusted:
 * every name, count and array is checked, and the verifier runs on the result. */
#include <stdlib.h>
#include <string.h>

#include "ir/graph/operator.h"
#include "ir/graph/print.h"
#include "ir/graph/verify.h"
#include "ir/graph/verify_part.h"
#include "ir/graph/word.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "support/memory/arena.h"

typedef struct parser {
    const char *at, *end;
    const char *file;
    int line;
    weir_graph *graph;
    const weir_archive *archive;
    weir_text word; /* the last name or string read */
    bool failed;
    int *value_line; /* by handle: the line of an input or constant */
    size_t value_limit;
    bool *open; /* by handle: the text leaves the node's types to inference */
    size_t open_limit;
    weir_location *location; /* by handle: where a node comes from, kept until the verifier has named its line here */
    size_t location_limit;
} parser;

static bool fail(parser *p, const char *expected) {
    if (!p->failed) {
        if (p->at < p->end) weir_error(weir_at(p->file, p->line), "expected %s, found '%c'", expected, *p->at);
        else weir_error(weir_at(p->file, p->line), "expected %s, found the end of the text", expected);
    }
    p->failed = true;
    return false;
}

static bool fail_name(parser *p, const char *what, const char *name) {
    if (!p->failed) weir_error(weir_at(p->file, p->line), "%s '%s'", what, name);
    p->failed = true;
    return false;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static void skip_blanks(parser *p) {
    while (p->at < p->end && is_blank(*p->at)) p->at++;
}

/* Blanks, line ends and comments. */
static void skip_space(parser *p) {
    while (p->at < p->end) {
        if (*p->at == '\n') p->line++;
        else if (*p->at == '#') {
            while (p->at < p->end && *p->at != '\n') p->at++;
            continue;
        } else if (!is_blank(*p->at)) break;
        p->at++;
    }
}

static bool peek(parser *p, char c) {
    skip_blanks(p);
    return p->at < p->end && *p->at == c;
}

static bool accept(parser *p, char c) {
    if (!peek(p, c)) return false;
    p->at++;
    return true;
}

static bool expect(parser *p, char c) {
    if (accept(p, c)) return true;
    char text[4] = {'\'', c, '\'', '\0'};
    return fail(p, text);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* The character after a backslash; \u00XX is a byte that is no UTF-8 text. */
static bool read_escape(parser *p) {
    static const char from[] = "nrtbf\"\\/", to[] = "\n\r\t\b\f\"\\/";
    if (p->at >= p->end) return fail(p, "an escape");
    char c = *p->at++;
    const char *known = c == '\0' ? NULL : strchr(from, c);
    if (known != NULL) {
        weir_text_char(&p->word, to[known - from]);
        return true;
    }
    if (c != 'u' || p->end - p->at < 4 || p->at[0] != '0' || p->at[1] != '0' || hex_digit(p->at[2]) < 0 ||
        hex_digit(p->at[3]) < 0)
        return fail(p, "one of the escapes \\n \\r \\t \\b \\f \\\" \\\\ \\u00XX");
    int code = hex_digit(p->at[2]) * 16 + hex_digit(p->at[3]);
    if (code == 0) return fail(p, "no zero byte in a name");
    weir_text_char(&p->word, (char)code);
    p->at += 4;
    return true;
}

static bool read_string(parser *p) {
    p->word.size = 0;
    weir_text_add(&p->word, "");
    if (!expect(p, '"')) return false;
    while (p->at < p->end && *p->at != '"' && *p->at != '\n' && *p->at != '\0') {
        char c = *p->at++;
        if (c != '\\') weir_text_char(&p->word, c);
        else if (!read_escape(p)) return false;
    }
    return expect(p, '"');
}

/* A plain name of letters, digits and _./- (and ':' where one of those follows), or a string. */
static bool read_name(parser *p) {
    if (peek(p, '"')) return read_string(p);
    p->word.size = 0;
    const char *start = p->at;
    while (p->at < p->end && (weir_is_word(*p->at) || (*p->at == ':' && p->at + 1 < p->end && weir_is_word(p->at[1]))))
        p->at++;
    if (p->at == start) return fail(p, "a name");
    weir_text_add_n(&p->word, start, (size_t)(p->at - start));
    return true;
}

static bool accept_word(parser *p, const char *word) {
    skip_blanks(p);
    size_t size = strlen(word);
    if ((size_t)(p->end - p->at) < size || memcmp(p->at, word, size) != 0) return false;
    if ((size_t)(p->end - p->at) > size && (weir_is_word(p->at[size]) || p->at[size] == ':')) return false;
    p->at += size;
    return true;
}

/* "name=" as a field of a list; leaves the position alone when it is another one. */
static bool accept_field(parser *p, const char *name) {
    skip_blanks(p);
    size_t size = strlen(name);
    if ((size_t)(p->end - p->at) <= size || memcmp(p->at, name, size) != 0 || p->at[size] != '=') return false;
    p->at += size + 1;
    return true;
}

static bool read_int(parser *p, int64_t *value) {
    skip_blanks(p);
    const char *start = p->at;
    bool negative = p->at < p->end && *p->at == '-';
    if (negative) p->at++;
    uint64_t magnitude = 0, limit = negative ? (uint64_t)1 << 63 : (uint64_t)INT64_MAX;
    const char *digits = p->at;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
        uint64_t digit = (uint64_t)(*p->at - '0');
        if (magnitude > (limit - digit) / 10) {
            p->at = start;
            return fail(p, "a 64-bit integer");
        }
        magnitude = magnitude * 10 + digit;
        p->at++;
    }
    if (p->at == digits) return fail(p, "an integer");
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

static bool read_small(parser *p, int64_t low, int64_t high, int *value) {
    int64_t wide;
    if (!read_int(p, &wide)) return false;
    if (wide < low || wide > high) {
        char *expected = weir_format("a number from %lld to %lld before this", (long long)low, (long long)high);
        fail(p, expected);
        free(expected);
        return false;
    }
    *value = (int)wide;
    return true;
}

static bool read_double(parser *p, double *value) {
    skip_blanks(p);
    char text[64];
    size_t size = 0;
    while (p->at + size < p->end && size + 1 < sizeof text && (weir_is_word(p->at[size]) || p->at[size] == '+')) size++;
    memcpy(text, p->at, size);
    text[size] = '\0';
    char *end;
    *value = weir_parse_double(text, &end);
    if (size == 0 || end != text + size) return fail(p, "a number");
    p->at += size;
    return true;
}

static bool read_shape(parser *p, weir_shape *shape) {
    memset(shape, 0, sizeof *shape);
    if (!expect(p, '[')) return false;
    if (accept(p, ']')) return true;
    do {
        if (shape->rank == WEIR_MAX_RANK) return fail(p, "at most 8 dimensions");
        if (!read_int(p, &shape->dim[shape->rank])) return false;
        shape->rank++;
    } while (accept(p, ','));
    size_t count;
    if (!weir_shape_count(shape, &count)) return fail(p, "a shape whose size fits the memory before this");
    return expect(p, ']');
}

/* The named array of scales or zero points from the archive. */
static const weir_array *find_part(parser *p, const char *owner, const char *part, weir_dtype dtype) {
    char *name = weir_format("%s%s", owner, part);
    const weir_array *array = weir_archive_find(p->archive, name);
    if (array == NULL) fail_name(p, "the archive has no array", name);
    else if (array->dtype != dtype || array->shape.rank != 1) {
        fail_name(p, "the archive has the wrong type for", name);
        array = NULL;
    }
    free(name);
    return array;
}

/* Scales and zero points: inline numbers for one, '@' for arrays of the archive. `hold` keeps inline ones. */
static bool read_scales(parser *p, const char *owner, weir_quant *quant, double *hold_scale, int64_t *hold_zero) {
    if (!accept_field(p, "scale")) return true;
    if (!accept(p, '@')) {
        if (!read_double(p, hold_scale)) return false;
        quant->count = 1;
        quant->scale = hold_scale;
        if (!accept_field(p, "zero")) return true;
        quant->zero_point = hold_zero;
        return read_int(p, hold_zero);
    }
    const weir_array *scale = find_part(p, owner, ".scale", WEIR_FLOAT64);
    if (scale == NULL) return false;
    if (scale->count == 0 || scale->count > UINT32_MAX) return fail_name(p, "no scales, or too many, for", owner);
    if (scale->count > 1 && quant->axis < 0) return fail(p, "'axis=' before several scales");
    quant->count = (uint32_t)scale->count;
    quant->scale = scale->data;
    if (!accept_field(p, "zero")) return true;
    if (!expect(p, '@')) return false;
    const weir_array *zero = find_part(p, owner, ".zero_point", WEIR_INT64);
    if (zero == NULL) return false;
    if (zero->count != scale->count) return fail_name(p, "scales and zero points differ in number for", owner);
    quant->zero_point = zero->data;
    return true;
}

static bool read_quant(parser *p, const char *owner, weir_quant *quant, double *hold_scale, int64_t *hold_zero) {
    skip_blanks(p);
    if (p->at >= p->end || *p->at < 'a' || *p->at > 'z' || accept_field(p, "range")) return true;
    if (!read_name(p)) return false;
    if (!weir_format_parse(p->word.data, &quant->format)) return fail_name(p, "unknown number format", p->word.data);
    skip_blanks(p);
    quant->is_signed = accept(p, 's');
    if (!quant->is_signed && !expect(p, 'u')) return false;
    if (!read_small(p, 1, 64, &quant->width)) return false;
    if (accept_field(p, "frac") && !read_small(p, -1024, 1024, &quant->frac)) return false;
    if (accept_field(p, "round")) {
        if (!read_name(p)) return false;
        if (!weir_rounding_parse(p->word.data, &quant->rounding)) return fail_name(p, "unknown rounding", p->word.data);
    }
    if (accept_field(p, "saturation")) {
        if (!read_name(p)) return false;
        if (!weir_saturation_parse(p->word.data, &quant->saturation))
            return fail_name(p, "unknown saturation", p->word.data);
    }
    if (accept_field(p, "axis") && !read_small(p, -1, WEIR_MAX_RANK - 1, &quant->axis)) return false;
    if (!read_scales(p, owner, quant, hold_scale, hold_zero)) return false;
    accept_field(p, "range");
    return true;
}

static bool read_layout(parser *p, weir_type *type) {
    int order[WEIR_MAX_RANK];
    if (!accept_field(p, "layout")) return true;
    if (!read_name(p)) return false;
    if (!weir_layout_parse(p->word.data, type->shape.rank, order) || weir_layout_is_identity(order, type->shape.rank))
        return fail_name(p, "not the layout of a tensor with such dimensions", p->word.data);
    strcpy(type->layout, p->word.data);
    return true;
}

/* A type, set on the value named `owner` (whose name the archive's arrays carry). */
static bool read_type(parser *p, const char *owner, weir_type *type, double *hold_scale, int64_t *hold_zero) {
    memset(type, 0, sizeof *type);
    type->quant.axis = -1;
    skip_blanks(p);
    p->word.size = 0;
    const char *start = p->at;
    while (p->at < p->end && weir_is_word(*p->at)) p->at++;
    weir_text_add_n(&p->word, start, (size_t)(p->at - start));
    if (p->word.size == 0 || !weir_dtype_parse(p->word.data, &type->dtype)) {
        p->at = start;
        return fail(p, "an element type such as float32 or int8");
    }
    if (!read_shape(p, &type->shape) || !read_layout(p, type)) return false;
    skip_blanks(p);
    if (p->at < p->end && *p->at == '\n') return true;
    if (!read_quant(p, owner, &type->quant, hold_scale, hold_zero)) return false;
    if (!peek(p, '[')) return true;
    p->at++;
    type->has_range = true;
    return read_int(p, &type->low) && expect(p, ',') && read_int(p, &type->high) && expect(p, ']');
}

static bool read_value(parser *p, weir_value *value) {
    *value = WEIR_NO_VALUE;
    if (peek(p, '_')) {
        p->at++;
        return true;
    }
    if (!expect(p, '%') || !read_name(p)) return false;
    *value = weir_graph_find_value(p->graph, p->word.data);
    if (value->id == 0) return fail_name(p, "no value is called", p->word.data);
    return true;
}

/* "%name" of something new. */
static bool read_new_name(parser *p, const char **name) {
    if (!expect(p, '%') || !read_name(p)) return false;
    if (weir_graph_find_value(p->graph, p->word.data).id != 0)
        return fail_name(p, "more than one value is called", p->word.data);
    *name = weir_graph_intern(p->graph, p->word.data);
    return true;
}

static void note_line(parser *p, weir_value value, int line) {
    p->value_line = weir_grow_zeroed(p->value_line, &p->value_limit, value.id + 1, sizeof *p->value_line);
    p->value_line[value.id] = line;
}

static bool parse_input(parser *p) {
    const char *name;
    weir_type type;
    double scale;
    int64_t zero;
    if (!read_new_name(p, &name) || !expect(p, ':') || !read_type(p, name, &type, &scale, &zero)) return false;
    note_line(p, weir_graph_add_input(p->graph, name, &type), p->line);
    return true;
}

/* The constant's data: the archive's array, or what its elements are in a type that the archive's format lacks. NULL
 * when that is impossible; heap memory. */
static weir_array *constant_data(const weir_array *found, const weir_type *type) {
    if (!weir_shape_equal(&found->shape, &type->shape)) return NULL;
    if (found->dtype == type->dtype) return weir_array_copy(found);
    if (found->dtype != weir_dtype_in_file(type->dtype)) return NULL;
    weir_array *data = weir_array_convert(found, type->dtype), *again = weir_array_convert(data, found->dtype);
    bool same = weir_array_equal(found, again);
    weir_array_free(again);
    if (same) return data;
    weir_array_free(data);
    return NULL;
}

static bool parse_constant(parser *p) {
    const char *name;
    weir_type type;
    double scale;
    int64_t zero;
    if (!read_new_name(p, &name) || !expect(p, ':') || !read_type(p, name, &type, &scale, &zero)) return false;
    const weir_array *in_archive = weir_archive_find(p->archive, name);
    if (in_archive == NULL) return fail_name(p, "the archive has no array", name);
    weir_array *data = constant_data(in_archive, &type);
    if (data == NULL) return fail_name(p, "the archive has another type or shape for", name);
    weir_value value = weir_graph_add_constant(p->graph, name, data);
    weir_array_free(data);
    weir_value_set_type(p->graph, value, &type);
    note_line(p, value, p->line);
    return true;
}

static bool parse_int_list(parser *p, weir_node node, const char *name) {
    int64_t *ints = NULL;
    size_t count = 0, capacity = 0;
    bool fine = true;
    if (!accept(p, ']')) {
        do {
            ints = weir_grow(ints, &capacity, count + 1, sizeof *ints);
            fine = read_int(p, &ints[count++]);
        } while (fine && accept(p, ','));
        fine = fine && expect(p, ']');
    }
    if (fine) weir_node_set_ints(p->graph, node, name, ints, count);
    free(ints);
    return fine;
}

static bool parse_float_list(parser *p, weir_node node, const char *name) {
    double *floats = NULL;
    size_t count = 0, capacity = 0;
    bool fine = true;
    if (!accept(p, ']')) {
        do {
            floats = weir_grow(floats, &capacity, count + 1, sizeof *floats);
            fine = read_double(p, &floats[count++]);
        } while (fine && accept(p, ','));
        fine = fine && expect(p, ']');
    }
    if (fine) weir_node_set_floats(p->graph, node, name, floats, count);
    free(floats);
    return fine;
}

static bool parse_attribute(parser *p, weir_node node) {
    if (!read_name(p)) return false;
    const char *name = weir_graph_intern(p->graph, p->word.data);
    if (weir_node_attribute(p->graph, node, name) != NULL)
        return fail_name(p, "more than one attribute is called", name);
    if (!expect(p, '=')) return false;
    if (peek(p, '"')) {
        if (!read_string(p)) return false;
        weir_node_set_string(p->graph, node, name, p->word.data);
        return true;
    }
    if (accept(p, '[')) return parse_int_list(p, node, name);
    if (accept_word(p, "float")) {
        if (accept(p, '[')) return parse_float_list(p, node, name);
        double real;
        if (!read_double(p, &real)) return false;
        weir_node_set_float(p->graph, node, name, real);
        return true;
    }
    int64_t integer;
    if (!read_int(p, &integer)) return false;
    weir_node_set_int(p->graph, node, name, integer);
    return true;
}

static bool read_storage(parser *p, weir_storage *storage) {
    return read_name(p) && (weir_storage_parse(p->word.data, storage) || fail_name(p, "unknown storage", p->word.data));
}

/* "name=" of a setting, which p->word has then; leaves the position alone when it is something else. */
static bool accept_setting(parser *p) {
    skip_blanks(p);
    const char *start = p->at, *end = start;
    while (end < p->end && weir_is_word(*end)) end++;
    if (end == p->end || *end != '=') return false;
    p->word.size = 0;
    weir_text_add_n(&p->word, start, (size_t)(end - start));
    if (!weir_settings_may_have(p->word.data)) return false;
    p->at = end + 1;
    return true;
}

/* Names and values of settings, of which dataflow/folding.h checks whether the component has them. */
static bool parse_settings(parser *p, weir_settings *settings, weir_settings_place place) {
    while (accept_setting(p)) {
        const char *name = weir_graph_intern(p->graph, p->word.data);
        for (uint8_t i = 0; i < settings->count; i++)
            if (settings->name[i] == name) return fail_name(p, "more than one setting is called", name);
        if (settings->count == WEIR_SETTINGS_MOST) return fail_name(p, "a setting too many:", name);
        weir_storage storage = WEIR_STORAGE_AUTO;
        int64_t value = 0;
        if (place == WEIR_SETTINGS_STORAGE ? !read_storage(p, &storage) : !read_int(p, &value)) return false;
        weir_settings_set(settings, name, place, place == WEIR_SETTINGS_STORAGE ? (int64_t)storage : value);
    }
    return true;
}

static bool parse_hardware(parser *p, weir_meta_hardware *hardware) {
    hardware->assigned = true;
    if (!accept_field(p, "module") || !read_name(p)) return fail(p, "module=");
    hardware->module = strcmp(p->word.data, "_") == 0 ? NULL : weir_graph_intern(p->graph, p->word.data);
    if (accept_field(p, "host")) {
        if (!read_name(p)) return false;
        if (!weir_host_parse(p->word.data, &hardware->host))
            return fail_name(p, "unknown part of the host", p->word.data);
    }
    int64_t implicit = 0;
    if (accept_field(p, "implicit") && !read_int(p, &implicit)) return false;
    hardware->is_implicit = implicit != 0;
    if (!parse_settings(p, &hardware->settings, WEIR_SETTINGS_BEFORE_LANES)) return false;
#define WEIR_HARDWARE_SETTINGS                                                                                         \
    if (!parse_settings(p, &hardware->settings, WEIR_SETTINGS_AFTER_LANES)) return false;
#define WEIR_HARDWARE_FIELD(name)                                                                                      \
    if (accept_field(p, #name) && !read_int(p, &hardware->name)) return false;
#include "ir/trait/hardware.def"
#undef WEIR_HARDWARE_FIELD
#undef WEIR_HARDWARE_SETTINGS
    if (accept_field(p, "storage") && !read_storage(p, &hardware->storage)) return false;
    return parse_settings(p, &hardware->settings, WEIR_SETTINGS_STORAGE) && expect(p, '}');
}

static bool parse_mase(parser *p, weir_meta_common *common) {
    if (!read_name(p)) return false;
    int type = 0;
    while (type < WEIR_MASE_TYPE_COUNT && strcmp(weir_mase_type_name((weir_mase_type)type), p->word.data) != 0) type++;
    if (type == WEIR_MASE_TYPE_COUNT) return fail_name(p, "unknown MASE type", p->word.data);
    common->mase_type = (weir_mase_type)type;
    if (!accept_field(p, "op") || !read_name(p)) return fail(p, "op=");
    common->mase_op = weir_graph_intern(p->graph, p->word.data);
    return true;
}

static bool parse_common(parser *p, weir_meta_common *common) {
    const bool has_mase = accept_field(p, "type");
    if (has_mase && !parse_mase(p, common)) return false;
    if (accept_field(p, "group")) {
        int group;
        if (!read_small(p, 1, INT32_MAX, &group)) return false;
        common->group = (uint32_t)group;
    } else if (!has_mase) {
        return fail(p, "type= or group=");
    }
    return expect(p, '}');
}

static bool parse_software(parser *p, weir_meta_software *software) {
    int64_t count;
    if (!accept_field(p, "count") || !read_int(p, &count) || count < 0) return fail(p, "count=");
    software->count = (uint64_t)count;
    if (!accept_field(p, "min") || !read_double(p, &software->min)) return fail(p, "min=");
    if (!accept_field(p, "max") || !read_double(p, &software->max)) return fail(p, "max=");
    return expect(p, '}');
}

/* {"group": {...}, ...} as JSON, on one line. */
static bool parse_facts(parser *p, weir_metadata *metadata) {
    json_error_t error;
    skip_blanks(p);
    const char *line_end = memchr(p->at, '\n', (size_t)(p->end - p->at));
    size_t size = (size_t)((line_end == NULL ? p->end : line_end) - p->at);
    json_t *facts = json_loadb(p->at, size, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
    bool fine = json_is_object(facts);
    const char *key;
    json_t *group;
    json_object_foreach(facts, key, group) {
        bool known = false;
        for (int i = 0; i < WEIR_META_GROUPS; i++) known |= strcmp(key, weir_meta_group_name((weir_meta_group)i)) == 0;
        fine = fine && known && json_is_object(group);
    }
    if (!fine) {
        json_decref(facts);
        return fail(p, "facts as JSON: {\"common\": {...}, \"software\": {...}, \"hardware\": {...}}");
    }
    metadata->facts = facts;
    p->at += error.position;
    return true;
}

/* Everything of a node between its inputs and its types. */
static bool parse_node_rest(parser *p, weir_node node) {
    if (accept(p, '{')) {
        do {
            if (!parse_attribute(p, node)) return false;
        } while (accept(p, ','));
        if (!expect(p, '}')) return false;
    }
    if (accept_word(p, "at")) {
        int line = 0;
        if (!read_string(p)) return false;
        const char *file = weir_graph_intern(p->graph, p->word.data);
        if (!expect(p, ':') || !read_small(p, 0, INT32_MAX, &line)) return false;
        p->location[node.id] = weir_at(file, line);
    }
    weir_metadata *metadata = weir_node_metadata(p->graph, node);
    if (accept_word(p, "common") && (!expect(p, '{') || !parse_common(p, &metadata->common))) return false;
    if (accept_word(p, "software") && (!expect(p, '{') || !parse_software(p, &metadata->software))) return false;
    if (accept_word(p, "hardware") && (!expect(p, '{') || !parse_hardware(p, &metadata->hardware))) return false;
    return !accept_word(p, "facts") || parse_facts(p, metadata);
}

static bool parse_inputs(parser *p, weir_value **inputs, size_t *count) {
    size_t capacity = 0;
    if (!expect(p, '(')) return false;
    if (accept(p, ')')) return true;
    do {
        *inputs = weir_grow(*inputs, &capacity, *count + 1, sizeof **inputs);
        if (!read_value(p, &(*inputs)[(*count)++])) return false;
    } while (accept(p, ','));
    return expect(p, ')');
}

static bool parse_types(parser *p, weir_node node) {
    p->open = weir_grow_zeroed(p->open, &p->open_limit, node.id + 1, sizeof *p->open);
    for (size_t i = 0; i < weir_node_output_count(p->graph, node); i++) {
        skip_space(p);
        if (!expect(p, i == 0 ? ':' : ',')) return false;
        if (accept(p, '?')) {
            p->open[node.id] = true;
            continue;
        }
        weir_value value = weir_node_output(p->graph, node, i);
        weir_type type;
        double scale;
        int64_t zero;
        if (!read_type(p, weir_value_name(p->graph, value), &type, &scale, &zero)) return false;
        weir_value_set_type(p->graph, value, &type);
    }
    return true;
}

static bool parse_node_body(parser *p, const char *name, const char *const *outputs, size_t output_count) {
    const int line = p->line;
    if (!expect(p, '=') || !read_name(p)) return false;
    weir_op op = weir_op_find_full(p->word.data);
    if (op == WEIR_OP_NONE) {
        fail_name(p, "unknown operator", p->word.data);
        if (strchr(p->word.data, '.') != NULL && strncmp(p->word.data, "weir.", 5) != 0)
            weir_note(WEIR_OPERATOR_REMEDY);
        return false;
    }
    weir_value *inputs = NULL;
    size_t input_count = 0;
    bool fine = parse_inputs(p, &inputs, &input_count);
    if (fine) {
        weir_node node = weir_graph_add_node(p->graph, op, name, inputs, input_count, output_count, WEIR_NO_NODE);
        for (size_t i = 0; i < output_count; i++)
            weir_value_set_name(p->graph, weir_node_output(p->graph, node, i), outputs[i]);
        p->location = weir_grow_zeroed(p->location, &p->location_limit, node.id + 1, sizeof *p->location);
        weir_node_set_location(p->graph, node, weir_at(p->file, line));
        fine = parse_node_rest(p, node) && parse_types(p, node);
    }
    free(inputs);
    return fine;
}

/* "%a, %b": names that no value has, each once. */
static bool parse_outputs(parser *p, const char ***outputs, size_t *count) {
    size_t capacity = 0;
    do {
        *outputs = weir_grow(*outputs, &capacity, *count + 1, sizeof **outputs);
        const char **output = &(*outputs)[*count];
        if (!read_new_name(p, output)) return false;
        for (size_t i = 0; i < *count; i++) {
            if ((*outputs)[i] == *output) return fail_name(p, "more than one value is called", *output);
        }
        ++*count;
    } while (accept(p, ','));
    return true;
}

static bool parse_node(parser *p) {
    if (!read_name(p)) return false;
    const char *name = weir_graph_intern(p->graph, p->word.data);
    if (weir_graph_find_node(p->graph, name).id != 0) return fail_name(p, "more than one node is called", name);
    const char **outputs = NULL;
    size_t count = 0;
    const bool fine = expect(p, ':') && parse_outputs(p, &outputs, &count) && parse_node_body(p, name, outputs, count);
    free(outputs);
    return fine;
}

static bool parse_output(parser *p) {
    weir_value value;
    if (!read_name(p)) return false;
    const char *name = weir_graph_intern(p->graph, p->word.data);
    if (!expect(p, '=') || !read_value(p, &value)) return false;
    if (value.id == 0) return fail(p, "a value");
    for (size_t i = 0; i < weir_graph_output_count(p->graph); i++)
        if (strcmp(weir_graph_output_name(p->graph, i), name) == 0)
            return fail_name(p, "more than one output is called", name);
    weir_graph_add_output(p->graph, name, value);
    return true;
}

/* for "device" at MHZ */
static bool parse_device(parser *p) {
    if (!read_string(p)) return fail(p, "'for \"device\" at MHZ'");
    const char *device = weir_graph_intern(p->graph, p->word.data);
    int clock;
    if (!accept_word(p, "at")) return fail(p, "'at MHZ'");
    if (!read_small(p, 0, 100000, &clock)) return false;
    weir_graph_set_device(p->graph, device, clock);
    return true;
}

/* classes "a" "b" ... */
static bool parse_classes(parser *p) {
    const char **name = NULL;
    size_t count = 0, capacity = 0;
    bool fine = true;
    do {
        fine = read_string(p);
        if (!fine) break;
        name = weir_grow(name, &capacity, count + 1, sizeof *name);
        name[count++] = weir_graph_intern(p->graph, p->word.data);
        skip_blanks(p);
    } while (p->at < p->end && *p->at == '"');
    if (fine) weir_graph_set_classes(p->graph, &(weir_word_list){name, count});
    free(name);
    return fine || fail(p, "'classes \"name\" ...'");
}

/* every CYCLES */
static bool parse_interval(parser *p) {
    int64_t cycles;
    if (!read_int(p, &cycles)) return false;
    if (cycles < 1) return fail(p, "at least 1 cycle");
    weir_graph_set_interval(p->graph, cycles);
    return true;
}

static bool parse_header(parser *p) {
    int version;
    skip_space(p);
    if (!accept_word(p, "weir")) return fail(p, "'weir 1', the start of a graph's text form");
    if (!read_small(p, 1, 1, &version)) return false;
    skip_space(p);
    if (!accept_word(p, "graph") || !read_string(p)) return fail(p, "'graph \"name\"'");
    weir_graph_set_name(p->graph, p->word.data);
    if (!accept_word(p, "from") || !read_string(p)) return fail(p, "'from \"file\"'");
    weir_graph_set_source(p->graph, p->word.data);
    if (accept_word(p, "for") && !parse_device(p)) return false;
    weir_graph_set_patchable(p->graph, accept_word(p, "patchable"));
    if (accept_word(p, "every") && !parse_interval(p)) return false;
    if (accept_word(p, "batch")) {
        if (!read_string(p)) return fail(p, "'batch \"name\"'");
        weir_graph_set_batch(p->graph, p->word.data);
    }
    if (accept_word(p, "by")) {
        weir_graph_contract contract;
        if (!read_name(p) || !weir_graph_contract_parse(p->word.data, &contract))
            return fail(p, "'by onnxruntime', the contract of the results");
        weir_graph_set_contract(p->graph, contract);
    }
    return !accept_word(p, "classes") || parse_classes(p);
}

static bool parse_statement(parser *p) {
    /* A node may be called like a keyword: "input: %x = ..." is a node. */
    if (accept_word(p, "input")) return parse_input(p);
    if (accept_word(p, "constant")) return parse_constant(p);
    if (accept_word(p, "output")) return parse_output(p);
    return parse_node(p);
}

/* Types that the text leaves open are inferred, of types that are verified: inference takes their ranges and formats
 * for granted. */
static bool infer_open(parser *p) {
    weir_graph *graph = p->graph;
    bool is_complete = true, fine = true;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        is_complete = is_complete && !p->open[node.id];
    for (uint32_t id = 1; !is_complete && id < weir_graph_value_limit(graph); id++) {
        const weir_node producer = weir_value_producer(graph, (weir_value){id});
        if (producer.id == 0 || !p->open[producer.id])
            fine &= weir_verify_value(graph, (weir_value){id}, weir_at(p->file, p->value_line[id]));
    }
    for (weir_node node = weir_graph_first(graph); fine && node.id != 0; node = weir_node_next(graph, node))
        fine = !p->open[node.id] || weir_infer_node(graph, node);
    return fine;
}

/* Complaints name lines of the text; afterwards nodes have the locations that the text gives them. */
static bool verify(parser *p) {
    weir_graph *graph = p->graph;
    p->value_line = weir_grow_zeroed(p->value_line, &p->value_limit, weir_graph_value_limit(graph), sizeof(int));
    if (!infer_open(p)) return false;
    const weir_verify_lines lines = {p->file, p->value_line};
    if (!weir_graph_verify_text(graph, &lines)) return false;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        weir_node_set_location(graph, node, p->location[node.id]);
    return true;
}

weir_graph *weir_graph_parse(const char *text, size_t size, const weir_archive *archive, const char *file) {
    parser p = {.at = text, .end = text + size, .file = file, .line = 1, .archive = archive};
    p.graph = weir_graph_new("");
    bool fine = parse_header(&p);
    while (fine) {
        skip_blanks(&p);
        if (p.at < p.end && *p.at != '\n' && *p.at != '#') {
            fine = fail(&p, "the end of the line");
            break;
        }
        skip_space(&p);
        if (p.at == p.end) break;
        fine = parse_statement(&p);
    }
    weir_text_free(&p.word);
    fine = fine && verify(&p);
    free(p.value_line);
    free(p.open);
    free(p.location);
    if (fine) return p.graph;
    weir_graph_free(p.graph);
    return NULL;
}
