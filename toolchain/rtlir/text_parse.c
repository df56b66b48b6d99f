/* Reads the text form in three passes, because statements name what stands further down: declarations of all modules
 * first, then their instances, then their bodies. Blocks nest on a stack of their own. */
#include <stdlib.h>

#include "rtlir/mutate.h"
#include "rtlir/text.h"
#include "rtlir/text_scan.h"
#include "rtlir/words.h"
#include "support/file.h"

/* Where something of a module starts in the text. */
typedef struct spot {
    const char *at; /* NULL: there is none */
    int line;
} spot;

typedef struct section {
    uint32_t module;
    spot instances, body;
} section;

/* What stands above an item. */
typedef struct above {
    const char *comment; /* interned, or NULL */
    rtl_attribute *attribute;
    size_t count, capacity;
} above;

typedef struct parser {
    rtl_scan scan;
    section *section;
    size_t sections, section_capacity;
    uint32_t implicit; /* the origin of the line that was read last */
    uint32_t *origin;  /* ids by number - 1 */
    size_t origins, origin_capacity;
    rtl_labels namesakes; /* modules by name, scope being their number */
    above above;
    uint32_t *open; /* blocks around the one being read */
    size_t open_count, open_capacity;
} parser;

/* ---- what items carry ---- */

/* Comments and attributes on the lines above an item; false after an error. */
static bool parse_above(parser *p) {
    rtl_scan *s = &p->scan;
    p->above.comment = NULL;
    p->above.count = 0;
    while (rtl_scan_space(s) && !s->failed) {
        if (rtl_scan_accept_word(s, "comment")) {
            if (!rtl_scan_string(s)) return false;
            p->above.comment = weir_strings_intern(s->design->strings, s->word.data);
        } else if (rtl_scan_accept_word(s, "attribute")) {
            rtl_attribute attribute = {.name = rtl_scan_name(s), .kind = WEIR_RTL_ATTRIBUTE_FLAG};
            if (attribute.name && rtl_scan_accept(s, '=')) {
                bool is_text = rtl_scan_peek(s, '"');
                attribute.kind = is_text ? WEIR_RTL_ATTRIBUTE_TEXT : WEIR_RTL_ATTRIBUTE_INTEGER;
                if (is_text ? !rtl_scan_string(s) : !rtl_scan_signed(s, &attribute.integer)) return false;
                if (is_text) attribute.text = weir_strings_intern(s->design->strings, s->word.data);
            }
            if (s->failed) return false;
            p->above.attribute =
                weir_grow(p->above.attribute, &p->above.capacity, p->above.count + 1, sizeof *p->above.attribute);
            p->above.attribute[p->above.count++] = attribute;
        } else {
            return true;
        }
        if (!rtl_scan_end_line(s)) return false;
    }
    return !s->failed;
}

/* What the items made next come from, when nothing else is known: this line, and the passes of the trail. */
static void begin_line(parser *p, uint32_t trail) {
    weir_rtl_design *design = p->scan.design;
    rtl_origin origin = {p->scan.file, p->scan.line, trail, true};
    const rtl_origin *last = &design->origin_entry[p->implicit];
    if (last->line != origin.line || last->trail != trail) {
        p->implicit = RTL_APPEND(design, origin_entry);
        design->origin_entry[p->implicit] = origin;
    }
    design->origin = p->implicit;
}

/* `@3`, which the items made next come from. */
static bool parse_origin(parser *p) {
    rtl_scan *s = &p->scan;
    uint64_t number = 0;
    begin_line(p, 0);
    if (!rtl_scan_accept(s, '@')) return !s->failed;
    if (!rtl_scan_unsigned(s, UINT32_MAX, &number)) return false;
    if (number < 1 || number > p->origins) return rtl_scan_fail(s, "the number of an origin before this");
    const rtl_origin *origin = &s->design->origin_entry[p->origin[number - 1]];
    if (origin->file || origin->line) s->design->origin = p->origin[number - 1];
    else begin_line(p, origin->trail);
    return true;
}

/* Gives the item what stood above it; false when it could not be made. */
static bool finish_item(parser *p, weir_rtl_item item) {
    weir_rtl_design *design = p->scan.design;
    if (!item.id) p->scan.failed = true; /* its constructor has said why */
    if (p->scan.failed) return false;
    weir_rtl_set_comment(design, item, p->above.comment);
    for (size_t i = 0; i < p->above.count; i++) {
        const rtl_attribute *a = &p->above.attribute[i];
        if (a->kind == WEIR_RTL_ATTRIBUTE_FLAG) weir_rtl_set_attribute(design, item, a->name);
        else if (a->kind == WEIR_RTL_ATTRIBUTE_TEXT) weir_rtl_set_attribute_string(design, item, a->name, a->text);
        else weir_rtl_set_attribute_integer(design, item, a->name, a->integer);
    }
    p->above.comment = NULL;
    p->above.count = 0;
    return true;
}

static bool parse_origin_line(parser *p) {
    rtl_scan *s = &p->scan;
    rtl_origin origin = {0};
    int64_t line = 0;
    if (!rtl_scan_accept_word(s, "nowhere")) {
        if (!rtl_scan_string(s)) return false;
        origin.file = weir_strings_intern(s->design->strings, s->word.data);
    }
    if (!rtl_scan_signed(s, &line)) return false;
    origin.line = line >= INT32_MIN && line <= INT32_MAX ? (int)line : 0;
    while (rtl_scan_peek(s, '"')) {
        if (!rtl_scan_string(s)) return false;
        origin.trail = rtl_add_trail(s->design, weir_strings_intern(s->design->strings, s->word.data), origin.trail);
    }
    uint32_t id = RTL_APPEND(s->design, origin_entry);
    s->design->origin_entry[id] = origin;
    p->origin = weir_grow(p->origin, &p->origin_capacity, p->origins + 1, sizeof *p->origin);
    p->origin[p->origins++] = id;
    return rtl_scan_end_line(s);
}

/* ---- types ---- */

static bool parse_shape(parser *p, weir_rtl_shape *shape) {
    rtl_scan *s = &p->scan;
    uint64_t number = 0;
    *shape = (weir_rtl_shape){{0}, 0, false};
    if (s->nesting >= RTL_MAX_DEPTH) return rtl_scan_fail(s, "less nesting");
    bool is_memory = rtl_scan_accept_word(s, "memory") && rtl_scan_peek(s, '[');
    if (rtl_scan_accept(s, '[')) {
        weir_rtl_shape element;
        if (!rtl_scan_unsigned(s, WEIR_RTL_MAX_ELEMENTS, &number) || !rtl_scan_expect(s, ']')) return false;
        s->nesting++;
        bool fine = parse_shape(p, &element);
        s->nesting--;
        if (!fine) return false;
        shape->type = is_memory ? weir_rtl_memory_of(s->design, (uint32_t)number, element)
                                : weir_rtl_array_of(s->design, (uint32_t)number, element);
        if (!shape->type.id) s->failed = true;
        return !s->failed;
    }
    shape->is_signed = rtl_scan_accept_word(s, "signed");
    if (s->at < s->end && (rtl_scan_peek(s, '0') || shape->is_signed || (*s->at >= '1' && *s->at <= '9'))) {
        if (!rtl_scan_unsigned(s, WEIR_RTL_MAX_WIDTH, &number)) return false;
        shape->width = (uint32_t)number;
        return true;
    }
    const char *name = rtl_scan_name(s);
    if (!name) return false;
    shape->type = weir_rtl_find_type(s->design, name);
    return shape->type.id ? true : rtl_scan_fail_name(s, "unknown type", name);
}

static bool parse_type(parser *p, weir_rtl_type_kind kind) {
    rtl_scan *s = &p->scan;
    uint64_t width = 0;
    const char *name = rtl_scan_name(s);
    bool is_enum = kind == WEIR_RTL_TYPE_ENUM;
    if (!name || (is_enum && (!rtl_scan_expect(s, ':') || !rtl_scan_unsigned(s, 64, &width)))) return false;
    weir_rtl_type type = is_enum                       ? weir_rtl_add_enum(s->design, name, (uint32_t)width)
                         : kind == WEIR_RTL_TYPE_UNION ? weir_rtl_add_union(s->design, name)
                                                       : weir_rtl_add_struct(s->design, name);
    if (!type.id || !rtl_scan_expect(s, '{')) return false;
    while (rtl_scan_space(s) && !rtl_scan_accept(s, '}')) {
        size_t errors = s->design->errors;
        const char *field = rtl_scan_name(s);
        if (!field || !rtl_scan_expect(s, is_enum ? '=' : ':')) return false;
        weir_rtl_shape shape;
        uint64_t value = 0;
        if (is_enum ? !rtl_scan_unsigned(s, UINT64_MAX, &value) : !parse_shape(p, &shape)) return false;
        if (is_enum) weir_rtl_add_member(s->design, type, field, value);
        else weir_rtl_add_field(s->design, type, field, shape);
        if (s->design->errors != errors || !rtl_scan_end_line(s)) return false;
    }
    return rtl_scan_end_line(s);
}

/* ---- declarations ---- */

static bool parse_parameter(parser *p, bool is_local) {
    rtl_scan *s = &p->scan;
    const char *name = rtl_scan_name(s);
    if (!name || !rtl_scan_expect(s, '=')) return false;
    uint32_t formula = rtl_scan_formula(s);
    if (!formula || !parse_origin(p)) return false;
    weir_rtl_parameter parameter = {rtl_new_parameter(s->design, s->module, name, formula, is_local)};
    return finish_item(p, WEIR_RTL_ITEM(parameter));
}

/* What stands behind the colon of a declaration. */
static bool parse_var_type(parser *p, rtl_var *var) {
    rtl_scan *s = &p->scan;
    if (!rtl_scan_expect(s, ':')) return false;
    const char *start = s->at;
    bool is_signed = rtl_scan_accept_word(s, "signed");
    if (rtl_scan_accept_word(s, "$range")) {
        uint32_t high = rtl_scan_formula(s);
        uint32_t low = high ? rtl_scan_formula(s) : 0;
        if (!low) return false;
        var->is_signed = is_signed;
        var->range = RTL_APPEND(s->design, range);
        s->design->range[var->range] = (rtl_range){high, low};
        return true;
    }
    if (rtl_scan_accept(s, '$')) {
        size_t kind = rtl_scan_choice(s, rtl_kind_words, RTL_KIND_WORDS, "a kind of signal");
        if (s->failed) return false;
        var->kind = (weir_rtl_kind)kind;
        var->width = 1;
        return true;
    }
    s->at = start;
    weir_rtl_shape shape;
    if (!parse_shape(p, &shape)) return false;
    var->type = shape.type.id;
    var->width = shape.type.id ? s->design->type[shape.type.id].width : shape.width;
    var->is_signed = shape.is_signed;
    s->design->type[shape.type.id].is_used = true;
    bool is_memory = s->design->type[shape.type.id].kind == WEIR_RTL_TYPE_MEMORY;
    if (var->width < 1 || (is_memory && var->direction != WEIR_RTL_INTERNAL))
        return rtl_scan_fail(s, "a type with bits before this, and no memory for a port");
    return true;
}

static bool parse_var(parser *p, rtl_var var) {
    rtl_scan *s = &p->scan;
    if (var.is_path) {
        if (!rtl_scan_string(s)) return false;
        var.name = weir_strings_intern(s->design->strings, s->word.data);
    } else {
        var.name = rtl_scan_name(s);
    }
    if (!var.name || (!var.is_iterator && !parse_var_type(p, &var))) return false;
    if (rtl_scan_accept_word(s, "register")) var.is_register = true;
    if (!parse_origin(p)) return false;
    weir_rtl_var made = {rtl_new_var(s->design, s->module, &var)};
    if (!finish_item(p, WEIR_RTL_ITEM(made))) return false;
    if (var.is_path) {
        rtl_label label = {.name = var.name, .scope = s->module, .number = made.id};
        rtl_labels_set(&s->paths, &label);
    }
    return true;
}

/* name : signed 8 (a : 8, local t : signed 4) */
static bool parse_function(parser *p) {
    rtl_scan *s = &p->scan;
    weir_rtl_shape shape;
    const char *name = rtl_scan_name(s);
    if (!name || !rtl_scan_expect(s, ':') || !parse_shape(p, &shape) || !rtl_scan_expect(s, '(')) return false;
    begin_line(p, 0);
    weir_rtl_module module = {s->module};
    weir_rtl_function function = weir_rtl_add_function(s->design, module, name, shape.width, shape.is_signed);
    if (!function.id) return false;
    if (rtl_scan_accept(s, ')')) return true;
    do {
        bool is_local = rtl_scan_accept_word(s, "local");
        const char *own = rtl_scan_name(s);
        if (!own || !rtl_scan_expect(s, ':') || !parse_shape(p, &shape)) return false;
        weir_rtl_var var = is_local ? weir_rtl_add_local_var(s->design, function, own, shape.width, shape.is_signed)
                                    : weir_rtl_add_argument(s->design, function, own, shape.width, shape.is_signed);
        if (!var.id) return false;
    } while (rtl_scan_accept(s, ','));
    return rtl_scan_expect(s, ')');
}

static bool parse_declaration(parser *p) {
    static const struct {
        const char *word;
        rtl_var model;
    } words[] = {{"input", {.direction = WEIR_RTL_INPUT}},
                 {"output", {.direction = WEIR_RTL_OUTPUT}},
                 {"inout", {.direction = WEIR_RTL_INOUT}},
                 {"wire", {.direction = WEIR_RTL_INTERNAL}},
                 {"register", {.is_register = true}},
                 {"variable", {.is_undecided = true}},
                 {"iterator", {.is_iterator = true, .width = 32, .is_signed = true}},
                 {"path", {.is_path = true}}};
    rtl_scan *s = &p->scan;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rtl_scan_accept_word(s, words[i].word)) return parse_var(p, words[i].model);
    if (rtl_scan_accept_word(s, "parameter")) return parse_parameter(p, false);
    if (rtl_scan_accept_word(s, "local")) return parse_parameter(p, true);
    if (rtl_scan_accept_word(s, "function")) return parse_function(p);
    return rtl_scan_fail(s, "a declaration, 'instances', 'body' or '}'");
}

/* Past the block that is opened here: only strings may hold braces that do not count. */
static bool skip_block(rtl_scan *s) {
    int depth = 0;
    for (; s->at < s->end; s->at++) {
        if (*s->at == '\n') s->line++;
        else if (*s->at == '#') {
            while (s->at + 1 < s->end && s->at[1] != '\n') s->at++;
        } else if (*s->at == '"') {
            for (s->at++; s->at < s->end && *s->at != '"' && *s->at != '\n'; s->at++)
                if (*s->at == '\\' && s->at + 1 < s->end) s->at++;
            if (s->at >= s->end || *s->at == '\n') return rtl_scan_fail(s, "'\"'");
        } else if (*s->at == '{') {
            depth++;
        } else if (*s->at == '}' && --depth == 0) {
            s->at++;
            return true;
        }
    }
    return rtl_scan_fail(s, "'}'");
}

static bool skip_section(rtl_scan *s, spot *where) {
    if (!rtl_scan_expect(s, '{')) return false;
    *where = (spot){s->at, s->line};
    s->at--;
    return skip_block(s) && rtl_scan_end_line(s);
}

static void default_widths(weir_rtl_design *design, uint32_t module) {
    rtl_value *values = rtl_evaluate_parameters(design, module, NULL);
    for (uint32_t v = design->module[module].first_var; v; v = design->var[v].next) {
        const char *problem = NULL;
        if (design->var[v].range) design->var[v].width = rtl_port_width(design, v, values, &problem);
    }
    free(values);
}

static bool parse_module(parser *p) {
    rtl_scan *s = &p->scan;
    const char *name = rtl_scan_name(s);
    const char *path = NULL;
    if (!name) return false;
    bool is_external = rtl_scan_accept_word(s, "external");
    if (is_external && rtl_scan_peek(s, '"')) {
        if (!rtl_scan_string(s)) return false;
        path = weir_strings_intern(s->design->strings, s->word.data);
    }
    bool is_stub = rtl_scan_accept_word(s, "stub");
    if (!parse_origin(p) || !rtl_scan_expect(s, '{')) return false;
    weir_rtl_module module = weir_rtl_add_generator(s->design, name);
    if (!finish_item(p, WEIR_RTL_ITEM(module)) || !rtl_scan_end_line(s)) return false;
    uint32_t number = 1;
    while (rtl_labels_find(&p->namesakes, number, name)) number *= 2; /* below: the first free number */
    for (uint32_t step = number / 2; step > 0; step /= 2)
        if (!rtl_labels_find(&p->namesakes, number - step, name)) number -= step;
    rtl_label label = {.name = name, .scope = number, .number = module.id};
    rtl_labels_set(&p->namesakes, &label);
    s->design->module[module.id].path = path;
    s->design->module[module.id].is_stub = is_stub;
    s->module = module.id;
    section found = {.module = module.id};
    while (parse_above(p) && rtl_scan_space(s) && !rtl_scan_accept(s, '}')) {
        bool fine = rtl_scan_accept_word(s, "instances") ? skip_section(s, &found.instances)
                    : rtl_scan_accept_word(s, "body")    ? skip_section(s, &found.body)
                                                         : parse_declaration(p) && rtl_scan_end_line(s);
        if (!fine || s->failed) return false;
    }
    s->design->module[module.id].is_external = is_external;
    default_widths(s->design, module.id);
    p->section = weir_grow(p->section, &p->section_capacity, p->sections + 1, sizeof *p->section);
    p->section[p->sections++] = found;
    return rtl_scan_end_line(s);
}

static bool parse_declarations(parser *p) {
    rtl_scan *s = &p->scan;
    if (!rtl_scan_space(s) || !rtl_scan_expect_word(s, "wrtl") || !rtl_scan_expect_word(s, "1"))
        return rtl_scan_fail(s, "'wrtl 1'");
    while (parse_above(p) && rtl_scan_space(s)) {
        bool fine = false;
        if (rtl_scan_accept_word(s, "module")) fine = parse_module(p);
        else if (rtl_scan_accept_word(s, "origin")) fine = parse_origin_line(p);
        else if (rtl_scan_accept_word(s, "struct")) fine = parse_type(p, WEIR_RTL_TYPE_STRUCT);
        else if (rtl_scan_accept_word(s, "union")) fine = parse_type(p, WEIR_RTL_TYPE_UNION);
        else if (rtl_scan_accept_word(s, "enum")) fine = parse_type(p, WEIR_RTL_TYPE_ENUM);
        else rtl_scan_fail(s, "'module', 'origin', 'struct', 'union' or 'enum'");
        if (!fine) return false;
    }
    return !s->failed;
}

/* ---- instances ---- */

static void go_to(rtl_scan *s, uint32_t module, spot where) {
    s->at = where.at;
    s->line = where.line;
    s->module = module;
    s->function = 0;
}

static bool parse_instance_line(parser *p) {
    rtl_scan *s = &p->scan;
    uint64_t number = 1;
    const char *name = rtl_scan_name(s);
    const char *child = name && rtl_scan_expect(s, ':') ? rtl_scan_name(s) : NULL;
    if (!child) return false;
    if (s->at < s->end && *s->at == '#') {
        s->at++;
        if (!rtl_scan_unsigned(s, UINT32_MAX, &number)) return false;
    }
    bool is_wired = rtl_scan_accept_word(s, "wired");
    const rtl_label *label = rtl_labels_find(&p->namesakes, (uint32_t)number, child);
    if (!label) return rtl_scan_fail_name(s, "unknown module", child);
    weir_rtl_module parent = {s->module};
    weir_rtl_module module = {label->number};
    begin_line(p, 0);
    weir_rtl_instance made = is_wired ? weir_rtl_add_wired_instance(s->design, parent, module, name)
                                      : weir_rtl_add_instance(s->design, parent, module, name);
    return made.id && rtl_scan_end_line(s);
}

static bool parse_instances(parser *p, const section *from) {
    rtl_scan *s = &p->scan;
    if (!from->instances.at) return true;
    go_to(s, from->module, from->instances);
    while (rtl_scan_space(s) && !rtl_scan_accept(s, '}'))
        if (!parse_instance_line(p)) return false;
    return !s->failed;
}

/* ---- statements ---- */

static uint32_t here(const parser *p) { return p->open[p->open_count - 1]; }

static bool open_block(parser *p, uint32_t block) {
    if (!rtl_scan_expect(&p->scan, '{')) return false;
    if (p->open_count > RTL_MAX_DEPTH) return rtl_scan_fail(&p->scan, "less nesting");
    p->open = weir_grow(p->open, &p->open_capacity, p->open_count + 1, sizeof *p->open);
    p->open[p->open_count++] = block;
    return true;
}

static bool parse_override(parser *p, weir_rtl_instance instance) {
    rtl_scan *s = &p->scan;
    const char *name = rtl_scan_name(s);
    int64_t value = 0;
    if (!name || !rtl_scan_expect(s, '=')) return false;
    if (rtl_scan_peek(s, '"')) {
        if (!rtl_scan_string(s)) return false;
        weir_rtl_set_parameter_string(s->design, instance, name, s->word.data);
    } else if (rtl_scan_accept_word(s, "value")) {
        weir_rtl_set_parameter_expr(s->design, instance, name, rtl_scan_expr(s));
    } else {
        if (!rtl_scan_signed(s, &value)) return false;
        weir_rtl_set_parameter(s->design, instance, name, value);
    }
    return !s->failed;
}

/* `instance u {` and its lines: the instance takes its place among the statements. */
static bool parse_instance(parser *p) {
    rtl_scan *s = &p->scan;
    weir_rtl_design *design = s->design;
    const char *name = rtl_scan_name(s);
    weir_rtl_instance instance = {0};
    if (name) instance = weir_rtl_find_instance(design, (weir_rtl_module){s->module}, name);
    if (name && !instance.id) return rtl_scan_fail_name(s, "unknown instance", name);
    if (!name || !parse_origin(p) || !rtl_scan_expect(s, '{') || !rtl_scan_end_line(s)) return false;
    design->instance[instance.id].common.origin = design->origin;
    weir_rtl_stmt stmt = {design->instance[instance.id].stmt};
    if (!weir_rtl_move_stmt(design, stmt, (weir_rtl_block){here(p)}, (weir_rtl_stmt){0})) return false;
    if (!finish_item(p, WEIR_RTL_ITEM(instance))) return false;
    size_t errors = design->errors;
    while (rtl_scan_space(s) && !rtl_scan_accept(s, '}')) {
        bool fine = true;
        bool is_open = false;
        if (rtl_scan_accept_word(s, "parameter")) {
            fine = parse_override(p, instance);
        } else if ((is_open = rtl_scan_accept_word(s, "open")) || rtl_scan_accept_word(s, "connect")) {
            const char *port = rtl_scan_name(s);
            if (!port || (!is_open && !rtl_scan_expect(s, '='))) return false;
            if (is_open) weir_rtl_leave_open(design, instance, port);
            else weir_rtl_connect(design, instance, port, rtl_scan_expr(s));
        } else {
            fine = rtl_scan_fail(s, "'parameter', 'connect', 'open' or '}'");
        }
        if (!fine || design->errors != errors || !rtl_scan_end_line(s)) return false;
    }
    return !s->failed;
}

static bool parse_assign(parser *p, weir_rtl_timing timing) {
    rtl_scan *s = &p->scan;
    weir_rtl_expr target = rtl_scan_expr(s);
    if (!target.id || !rtl_scan_expect(s, '=')) return false;
    weir_rtl_expr value = rtl_scan_expr(s);
    if (!value.id || !parse_origin(p)) return false;
    weir_rtl_stmt made = weir_rtl_add_assign(s->design, (weir_rtl_block){here(p)}, target, value, WEIR_RTL_UNDECIDED);
    weir_rtl_set_timing(s->design, made, timing);
    return finish_item(p, WEIR_RTL_ITEM(made));
}

/* A process: the events of an always block come first. */
static bool parse_process(parser *p, weir_rtl_stmt_kind kind) {
    rtl_scan *s = &p->scan;
    weir_rtl_event *event = NULL;
    size_t count = 0, capacity = 0;
    while (kind == WEIR_RTL_STMT_ALWAYS && !s->failed && !rtl_scan_peek(s, '{') && !rtl_scan_peek(s, '@')) {
        if (count > 0) rtl_scan_expect(s, ',');
        size_t edge = rtl_scan_choice(s, rtl_edge_words, 2, "'posedge' or 'negedge'");
        event = weir_grow(event, &capacity, count + 1, sizeof *event);
        event[count++] = (weir_rtl_event){(weir_rtl_edge)edge, {s->failed ? 0 : rtl_scan_var(s)}};
    }
    bool fine = !s->failed && parse_origin(p);
    if (fine && rtl_process_of(s->design, here(p))) fine = rtl_scan_fail(s, "no process in a process");
    if (fine) {
        size_t errors = s->design->errors;
        weir_rtl_stmt made = {rtl_new_stmt(s->design, here(p), kind)};
        uint32_t body = rtl_new_block(s->design, s->module, made.id);
        s->design->stmt[made.id].body = body;
        for (size_t i = 0; i < count; i++)
            weir_rtl_add_event(s->design, (weir_rtl_block){body}, event[i].edge, event[i].var);
        fine = s->design->errors == errors && finish_item(p, WEIR_RTL_ITEM(made)) && open_block(p, body);
    }
    free(event);
    return fine;
}

static bool parse_function_body(parser *p) {
    rtl_scan *s = &p->scan;
    const char *name = rtl_scan_name(s);
    weir_rtl_function function = {0};
    if (name) function = weir_rtl_find_function(s->design, (weir_rtl_module){s->module}, name);
    if (name && !function.id) return rtl_scan_fail_name(s, "unknown function", name);
    if (!name || !parse_origin(p)) return false;
    weir_rtl_stmt stmt = {s->design->function[function.id].stmt};
    s->design->stmt[stmt.id].common.origin = s->design->origin;
    if (!weir_rtl_move_stmt(s->design, stmt, (weir_rtl_block){here(p)}, (weir_rtl_stmt){0})) return false;
    s->function = function.id;
    return finish_item(p, WEIR_RTL_ITEM(stmt)) && open_block(p, s->design->stmt[stmt.id].body);
}

static bool parse_branch(parser *p, bool is_case) {
    rtl_scan *s = &p->scan;
    weir_rtl_expr value = rtl_scan_expr(s);
    weir_rtl_block block = {here(p)};
    if (!value.id || !parse_origin(p)) return false;
    weir_rtl_stmt made =
        is_case ? weir_rtl_add_case(s->design, block, value) : weir_rtl_add_if(s->design, block, value);
    return finish_item(p, WEIR_RTL_ITEM(made)) && open_block(p, s->design->stmt[made.id].body);
}

static bool parse_item(parser *p, bool is_default) {
    rtl_scan *s = &p->scan;
    weir_rtl_stmt branch = {s->design->block[here(p)].owner};
    if (!branch.id || s->design->stmt[branch.id].kind != WEIR_RTL_STMT_CASE)
        return rtl_scan_fail(s, "items in a case only");
    weir_rtl_expr label = {0};
    if (!is_default) label = rtl_scan_expr(s);
    if (s->failed || !parse_origin(p)) return false;
    weir_rtl_block body =
        is_default ? weir_rtl_add_default(s->design, branch) : weir_rtl_add_case_item(s->design, branch, label);
    weir_rtl_stmt made = {body.id ? s->design->block[body.id].owner : 0};
    return finish_item(p, WEIR_RTL_ITEM(made)) && open_block(p, body.id);
}

static bool parse_for(parser *p) {
    rtl_scan *s = &p->scan;
    int64_t bound[3] = {0};
    static const char *const words[3] = {NULL, "to", "step"};
    weir_rtl_var iterator = {rtl_scan_var(s)};
    if (!iterator.id || !rtl_scan_expect(s, '=')) return false;
    for (int i = 0; i < 3; i++)
        if ((words[i] && !rtl_scan_expect_word(s, words[i])) || !rtl_scan_signed(s, &bound[i])) return false;
    if (!parse_origin(p)) return false;
    weir_rtl_block body =
        weir_rtl_add_for(s->design, (weir_rtl_block){here(p)}, iterator, bound[0], bound[1], bound[2]);
    weir_rtl_stmt made = {body.id ? s->design->block[body.id].owner : 0};
    return finish_item(p, WEIR_RTL_ITEM(made)) && open_block(p, body.id);
}

static bool parse_claim(parser *p, bool has_clock) {
    rtl_scan *s = &p->scan;
    weir_rtl_property property = {0};
    uint64_t cycles[2] = {0};
    property.claim = (weir_rtl_claim)rtl_scan_choice(s, rtl_claim_words, RTL_CLAIM_WORDS, "a claim");
    if (has_clock && !s->failed) {
        property.edge = (weir_rtl_edge)rtl_scan_choice(s, rtl_edge_words, 2, "'posedge' or 'negedge'");
        if (!s->failed) property.clock.id = rtl_scan_var(s);
        if (rtl_scan_accept_word(s, "disable")) property.disable = rtl_scan_expr(s);
        if (rtl_scan_accept_word(s, "when")) property.antecedent = rtl_scan_expr(s);
        if (rtl_scan_accept_word(s, "after") &&
            (!rtl_scan_unsigned(s, UINT32_MAX, &cycles[0]) || !rtl_scan_expect_word(s, "to") ||
             !rtl_scan_unsigned(s, UINT32_MAX, &cycles[1])))
            return false;
    }
    if (s->failed || !rtl_scan_expect_word(s, "then")) return false;
    property.consequent = rtl_scan_expr(s);
    property.low = (uint32_t)cycles[0];
    property.high = (uint32_t)cycles[1];
    if (rtl_scan_peek(s, '"') && rtl_scan_string(s))
        property.message = weir_strings_intern(s->design->strings, s->word.data);
    if (s->failed || !parse_origin(p)) return false;
    weir_rtl_stmt made = has_clock ? weir_rtl_add_property(s->design, (weir_rtl_module){s->module}, &property)
                                   : weir_rtl_add_claim(s->design, (weir_rtl_block){here(p)}, property.claim,
                                                        property.consequent, property.message);
    if (made.id && has_clock) weir_rtl_move_stmt(s->design, made, (weir_rtl_block){here(p)}, (weir_rtl_stmt){0});
    return finish_item(p, WEIR_RTL_ITEM(made));
}

static bool parse_leaf(parser *p, weir_rtl_stmt_kind kind) {
    rtl_scan *s = &p->scan;
    weir_rtl_block block = {here(p)};
    weir_rtl_expr value = {0};
    if (kind == WEIR_RTL_STMT_RETURN) value = rtl_scan_expr(s);
    uint32_t owner = s->design->block[block.id].owner;
    if (owner && s->design->stmt[owner].kind == WEIR_RTL_STMT_CASE) return rtl_scan_fail(s, "an item before this");
    if (s->failed || !parse_origin(p)) return false;
    weir_rtl_stmt made = kind == WEIR_RTL_STMT_RETURN  ? weir_rtl_add_return(s->design, block, value)
                         : kind == WEIR_RTL_STMT_BREAK ? weir_rtl_add_break(s->design, block)
                                                       : (weir_rtl_stmt){rtl_new_stmt(s->design, block.id, kind)};
    return finish_item(p, WEIR_RTL_ITEM(made));
}

/* The end of a block, or what an if goes on with. */
static bool parse_close(parser *p) {
    rtl_scan *s = &p->scan;
    uint32_t closed = p->open[--p->open_count];
    uint32_t owner = s->design->block[closed].owner;
    if (p->above.comment || p->above.count) return rtl_scan_fail(s, "a statement under its comment");
    if (owner && s->design->stmt[owner].kind == WEIR_RTL_STMT_FUNCTION) s->function = 0;
    if (!rtl_scan_accept_word(s, "else")) return rtl_scan_end_line(s);
    if (!owner || s->design->stmt[owner].kind != WEIR_RTL_STMT_IF || s->design->stmt[owner].other)
        return rtl_scan_fail(s, "one else of an if");
    return open_block(p, weir_rtl_else(s->design, (weir_rtl_stmt){owner}).id) && rtl_scan_end_line(s);
}

static bool parse_stmt(parser *p) {
    rtl_scan *s = &p->scan;
    for (size_t i = 0; i < RTL_TIMING_WORDS; i++)
        if (rtl_scan_accept_word(s, rtl_timing_words[i])) return parse_assign(p, (weir_rtl_timing)i);
    if (rtl_scan_accept_word(s, "item")) return parse_item(p, false);
    if (rtl_scan_accept_word(s, "default")) return parse_item(p, true);
    if (rtl_scan_accept_word(s, "claim")) return parse_claim(p, false);
    if (rtl_scan_accept_word(s, "property")) return parse_claim(p, true);
    weir_rtl_stmt_kind kind = WEIR_RTL_STMT_NONE;
    for (int i = 1; i <= WEIR_RTL_STMT_ASSERT && !kind; i++)
        if (*rtl_stmt_words[i] && rtl_scan_accept_word(s, rtl_stmt_words[i])) kind = (weir_rtl_stmt_kind)i;
    switch (kind) {
    case WEIR_RTL_STMT_ALWAYS:
    case WEIR_RTL_STMT_COMBINATIONAL:
    case WEIR_RTL_STMT_LATCH:
    case WEIR_RTL_STMT_INITIAL:
    case WEIR_RTL_STMT_FINAL: return parse_process(p, kind);
    case WEIR_RTL_STMT_FUNCTION: return parse_function_body(p);
    case WEIR_RTL_STMT_INSTANCE: return parse_instance(p);
    case WEIR_RTL_STMT_IF: return parse_branch(p, false);
    case WEIR_RTL_STMT_CASE: return parse_branch(p, true);
    case WEIR_RTL_STMT_FOR: return parse_for(p);
    case WEIR_RTL_STMT_BREAK:
    case WEIR_RTL_STMT_RETURN:
    case WEIR_RTL_STMT_COMMENT: return parse_leaf(p, kind);
    default: return rtl_scan_fail(s, "a statement or '}'");
    }
}

static bool parse_body(parser *p, const section *from) {
    rtl_scan *s = &p->scan;
    if (!from->body.at) return true;
    if (s->design->module[from->module].is_external) return rtl_scan_fail(s, "no body of an external module");
    go_to(s, from->module, from->body);
    p->open = weir_grow(p->open, &p->open_capacity, 1, sizeof *p->open);
    p->open[0] = s->design->module[from->module].body;
    p->open_count = 1;
    while (p->open_count > 0) {
        if (!parse_above(p) || !rtl_scan_space(s)) return rtl_scan_fail(s, "'}'");
        bool fine = rtl_scan_accept(s, '}') ? parse_close(p) : parse_stmt(p) && rtl_scan_end_line(s);
        if (!fine || s->failed) return false;
    }
    return true;
}

/* ---- the text ---- */

weir_rtl_design *weir_rtl_parse_text(const char *text, size_t size, const char *file) {
    weir_rtl_design *design = weir_rtl_design_new();
    parser p = {.scan = {.design = design, .at = text, .end = text + size, .file = file, .line = 1}};
    weir_rtl_set_place(design, weir_at(file, 1));
    p.scan.file = design->place.file;
    design->keeps_origin = true;
    bool fine = parse_declarations(&p);
    for (size_t i = 0; fine && i < p.sections; i++) fine = parse_instances(&p, &p.section[i]);
    for (size_t i = 0; fine && i < p.sections; i++) fine = parse_body(&p, &p.section[i]);
    if (!fine && design->errors == 0) rtl_scan_fail(&p.scan, "something else");
    fine = fine && design->errors == 0;
    design->keeps_origin = false;
    weir_rtl_set_place(design, WEIR_NOWHERE);
    free(p.section);
    free(p.origin);
    free(p.namesakes.slot);
    free(p.above.attribute);
    free(p.open);
    free(p.scan.paths.slot);
    weir_text_free(&p.scan.word);
    if (fine) return design;
    weir_rtl_design_free(design);
    return NULL;
}

weir_rtl_design *weir_rtl_load_text(const char *path) {
    size_t size = 0;
    char *text = weir_file_read(path, &size);
    weir_rtl_design *design = text ? weir_rtl_parse_text(text, size, path) : NULL;
    free(text);
    return design;
}
