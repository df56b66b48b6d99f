/* Reads the text form in three passes, because statements name what is declared further down: declarations of all
 * modules first, then their instances, then their bodies (text_body.c). */
#include <stdlib.h>

#include "rtlir/edit/mutate.h"
#include "rtlir/reader/read.h"
#include "rtlir/text/text.h"
#include "rtlir/text/text_parser_private.h"
#include "rtlir/text/words_private.h"
#include "support/file/file.h"

static bool parse_origin_line(rtl_parser *p) {
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

/* A number or a formula, from 0 to `most` by default. */
static bool scan_size(rtl_scan *s, int64_t most, rtl_size *size) {
    const char *start = s->at;
    if (!rtl_scan_size(s, size)) return false;
    if (size->number >= 0 && size->number <= most) return true;
    s->at = start;
    return rtl_scan_fail(s, size->number < 0 ? "a number that is not negative" : "a smaller number");
}

static bool parse_shape(rtl_parser *p, weir_rtl_shape *shape) {
    rtl_scan *s = &p->scan;
    *shape = (weir_rtl_shape){.width = 0};
    rtl_size size;
    if (s->nesting >= RTL_MAX_DEPTH) return rtl_scan_fail_depth(s, "arrays");
    bool is_memory = rtl_scan_accept_word(s, "memory") && rtl_scan_peek(s, '[');
    if (rtl_scan_accept(s, '[')) {
        weir_rtl_shape element;
        if (!scan_size(s, WEIR_RTL_MAX_ELEMENTS, &size) || !rtl_scan_expect(s, ']')) return false;
        s->nesting++;
        bool fine = parse_shape(p, &element);
        s->nesting--;
        if (!fine) return false;
        shape->type = rtl_new_array(s->design, is_memory ? WEIR_RTL_TYPE_MEMORY : WEIR_RTL_TYPE_ARRAY, size, element);
        if (!shape->type.id) s->failed = true;
        return !s->failed;
    }
    shape->is_signed = rtl_scan_accept_word(s, "signed");
    rtl_scan_blanks(s);
    const char *start = s->at;
    bool is_number = shape->is_signed || rtl_scan_peek(s, '(') || (s->at < s->end && *s->at >= '0' && *s->at <= '9');
    const char *name = is_number ? NULL : rtl_scan_name(s);
    if (!is_number && !name) return false;
    if (name) {
        shape->type = weir_rtl_find_type(s->design, name);
        if (shape->type.id) return true;
        if (rtl_names_find(s->design, s->module, name).kind != RTL_NAME_PARAMETER)
            return rtl_scan_fail_name(s, "unknown type", name);
        s->at = start;
    }
    bool fine = scan_size(s, WEIR_RTL_MAX_WIDTH, &size);
    shape->width = (uint32_t)size.number;
    shape->formula.id = size.formula;
    return fine;
}

static bool parse_type_field(rtl_parser *p, weir_rtl_type type, bool is_enum) {
    rtl_scan *s = &p->scan;
    size_t errors = s->design->errors;
    const char *field = rtl_scan_name(s);
    if (!field || !rtl_scan_expect(s, is_enum ? '=' : ':')) return false;
    weir_rtl_shape shape;
    uint64_t value = 0;
    if (is_enum ? !rtl_scan_unsigned(s, UINT64_MAX, &value) : !parse_shape(p, &shape)) return false;
    if (is_enum) weir_rtl_add_member(s->design, type, field, value);
    else weir_rtl_add_field(s->design, type, field, shape);
    return s->design->errors == errors && rtl_scan_end_line(s);
}

static bool parse_type(rtl_parser *p, weir_rtl_type_kind kind) {
    rtl_scan *s = &p->scan;
    uint64_t width = 0;
    const char *name = rtl_scan_name(s);
    bool is_enum = kind == WEIR_RTL_TYPE_ENUM;
    if (!name || (is_enum && (!rtl_scan_expect(s, ':') || !rtl_scan_count(s, 64, &width)))) return false;
    weir_rtl_type type = is_enum                       ? weir_rtl_add_enum(s->design, name, (uint32_t)width)
                         : kind == WEIR_RTL_TYPE_UNION ? weir_rtl_add_union(s->design, name)
                                                       : weir_rtl_add_struct(s->design, name);
    if (!type.id || !rtl_scan_expect(s, '{')) return false;
    while (rtl_scan_space(s) && !rtl_scan_accept(s, '}')) {
        rtl_spot start = {s->at, s->line};
        if (parse_type_field(p, type, is_enum)) continue;
        if (!rtl_recover_line(p, start)) return false;
    }
    return rtl_scan_end_line(s);
}

/* `$clock`, or a shape. */
static bool parse_kind(rtl_parser *p, weir_rtl_kind *kind, weir_rtl_shape *shape) {
    rtl_scan *s = &p->scan;
    if (!rtl_scan_accept(s, '$')) return parse_shape(p, shape);
    *kind = (weir_rtl_kind)rtl_scan_choice(s, rtl_kind_words, RTL_KIND_WORDS, "a kind of signal");
    *shape = (weir_rtl_shape){.width = 1};
    return !s->failed;
}

static bool parse_modport(rtl_parser *p, weir_rtl_interface interface) {
    rtl_scan *s = &p->scan;
    const char *name = rtl_scan_name(s);
    if (!name || !rtl_scan_expect(s, '{')) return false;
    weir_rtl_modport modport = weir_rtl_add_modport(s->design, interface, name);
    while (modport.id && rtl_scan_space(s) && !rtl_scan_accept(s, '}')) {
        size_t errors = s->design->errors;
        size_t direction = rtl_scan_choice(s, rtl_direction_words + 1, 3, "'input', 'output' or 'inout'");
        const char *field = s->failed ? NULL : rtl_scan_name(s);
        if (!field) return false;
        weir_rtl_set_modport(s->design, modport, field, (weir_rtl_direction)(direction + 1));
        if (s->design->errors != errors || !rtl_scan_end_line(s)) return false;
    }
    return modport.id != 0;
}

static bool parse_interface(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    const char *name = rtl_scan_name(s);
    if (!name || !rtl_scan_expect(s, '{')) return false;
    weir_rtl_interface interface = weir_rtl_add_interface(s->design, name);
    while (interface.id && rtl_scan_space(s) && !rtl_scan_accept(s, '}')) {
        size_t errors = s->design->errors;
        const char *start = s->at;
        bool is_modport = rtl_scan_accept_word(s, "modport") && !rtl_scan_peek(s, ':');
        if (is_modport) {
            if (!parse_modport(p, interface) || !rtl_scan_end_line(s)) return false;
            continue;
        }
        s->at = start;
        weir_rtl_kind kind = WEIR_RTL_DATA;
        weir_rtl_shape shape;
        const char *field = rtl_scan_name(s);
        if (!field || !rtl_scan_expect(s, ':') || !parse_kind(p, &kind, &shape)) return false;
        weir_rtl_add_interface_field(s->design, interface, field, shape, kind);
        if (s->design->errors != errors || !rtl_scan_end_line(s)) return false;
    }
    return interface.id && rtl_scan_end_line(s);
}

/* ---- declarations ---- */

/* `(data = d, no ready)`: fields under other names, which are taken, and fields that are not there, which are
 * marked. */
static bool parse_exceptions(rtl_parser *p, uint32_t group, bool *absent) {
    rtl_scan *s = &p->scan;
    if (!rtl_scan_accept(s, '(')) return !s->failed;
    do {
        const rtl_interface *interface = &s->design->interface[s->design->group[group].interface];
        const char *start = s->at;
        bool is_absent = rtl_scan_accept_word(s, "no") && !rtl_scan_peek(s, '=');
        if (!is_absent) s->at = start;
        const char *field = rtl_scan_name(s);
        uint32_t index = 0;
        while (field && index < interface->count && interface->field[index].name != field) index++;
        if (!field || index == interface->count) return field ? rtl_scan_fail_name(s, "unknown field", field) : false;
        absent[index] = true;
        if (is_absent) continue;
        uint32_t var = rtl_scan_expect(s, '=') ? rtl_scan_var(s) : 0;
        if (!var || !rtl_join_group(s->design, group, index, var)) return false;
    } while (rtl_scan_accept(s, ','));
    return rtl_scan_expect(s, ')');
}

/* `out : bus.source flipped (data = d)`; a field that is not declared is made. */
static bool parse_group(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    weir_rtl_design *design = s->design;
    rtl_group model = {.name = rtl_scan_name(s), .module = s->module};
    const char *interface = model.name && rtl_scan_expect(s, ':') ? rtl_scan_name(s) : NULL;
    if (!interface) return false;
    model.interface = weir_rtl_find_interface(design, interface).id;
    if (!model.interface) return rtl_scan_fail_name(s, "unknown interface", interface);
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        const char *modport = rtl_scan_name(s);
        if (!modport) return false;
        model.modport = weir_rtl_find_modport(design, (weir_rtl_interface){model.interface}, modport).id;
        if (!model.modport) return rtl_scan_fail_name(s, "unknown modport", modport);
        model.is_flipped = rtl_scan_accept_word(s, "flipped");
    }
    model.is_interface = rtl_scan_accept_word(s, "interface");
    rtl_begin_origin(p, 0);
    uint32_t group = rtl_new_group(design, &model);
    uint32_t count = design->interface[model.interface].count;
    bool *absent = weir_calloc(count + 1, sizeof *absent);
    bool fine = group && parse_exceptions(p, group, absent);
    for (uint32_t i = 0; fine && i < count; i++) {
        if (absent[i] || !rtl_group_has(design, &model, i)) continue;
        char *name = weir_format("%s_%s", model.name, design->interface[model.interface].field[i].name);
        rtl_name own = rtl_names_find(design, s->module, weir_strings_intern(design->strings, name));
        fine = own.kind == RTL_NAME_VAR ? rtl_join_group(design, group, i, own.id) : rtl_make_field(design, group, i);
        free(name);
    }
    free(absent);
    return fine;
}

static bool parse_parameter(rtl_parser *p, bool is_local) {
    rtl_scan *s = &p->scan;
    const char *name = rtl_scan_name(s);
    if (!name || !rtl_scan_expect(s, '=')) return false;
    uint32_t formula = rtl_scan_formula(s);
    if (!formula) return false;
    int64_t low = 0, high = 0;
    bool is_bounded = !is_local && rtl_scan_accept_word(s, "from");
    if (is_bounded && (!rtl_scan_integer(s, &low) || !rtl_scan_expect_word(s, "to") || !rtl_scan_integer(s, &high)))
        return false;
    if (!rtl_parse_origin(p)) return false;
    weir_rtl_parameter parameter = {rtl_new_parameter(s->design, s->module, name, formula, is_local)};
    if (parameter.id && is_bounded && !rtl_bound_parameter(s->design, parameter.id, low, high)) s->failed = true;
    return rtl_finish_item(p, WEIR_RTL_ITEM(parameter));
}

/* What follows the colon of a declaration. */
static bool parse_var_type(rtl_parser *p, rtl_var *var) {
    rtl_scan *s = &p->scan;
    if (!rtl_scan_expect(s, ':')) return false;
    const char *start = s->at;
    bool is_signed = rtl_scan_accept_word(s, "signed");
    if (rtl_scan_accept_word(s, "$range")) {
        uint32_t high = rtl_scan_operand(s);
        uint32_t low = high ? rtl_scan_operand(s) : 0;
        if (!low) return false;
        var->is_signed = is_signed;
        var->range = RTL_APPEND(s->design, range);
        s->design->range[var->range] = (rtl_range){high, low};
        return true;
    }
    s->at = start;
    weir_rtl_shape shape;
    weir_rtl_kind kind = WEIR_RTL_DATA;
    if (!parse_kind(p, &kind, &shape)) return false;
    var->kind = kind;
    var->type = shape.type.id;
    var->width = shape.type.id ? s->design->type[shape.type.id].width : shape.width;
    var->formula = shape.type.id ? s->design->type[shape.type.id].formula : shape.formula.id;
    var->is_signed = shape.is_signed;
    s->design->type[shape.type.id].is_used = true;
    bool is_memory = s->design->type[shape.type.id].kind == WEIR_RTL_TYPE_MEMORY;
    if (var->width < 1 || (is_memory && var->direction != WEIR_RTL_INTERNAL))
        return rtl_scan_fail(s, "a type with bits before this, and no memory for a port");
    return true;
}

static bool parse_var(rtl_parser *p, rtl_var var) {
    rtl_scan *s = &p->scan;
    if (var.is_path) {
        if (!rtl_scan_string(s)) return false;
        var.name = weir_strings_intern(s->design->strings, s->word.data);
    } else {
        var.name = rtl_scan_name(s);
    }
    if (!var.name || (!var.is_iterator && !parse_var_type(p, &var))) return false;
    if (rtl_scan_accept_word(s, "register")) var.is_register = true;
    uint32_t start = 0;
    if (!rtl_parse_start(p, &var, &start) || !rtl_parse_origin(p)) return false;
    weir_rtl_var made = {rtl_new_var(s->design, s->module, &var)};
    if (!rtl_finish_item(p, WEIR_RTL_ITEM(made))) return false;
    rtl_declare_start(p, made.id, start);
    if (var.is_path) {
        rtl_label label = {.name = var.name, .scope = s->module, .number = made.id};
        rtl_labels_set(&s->paths, &label);
    }
    return true;
}

/* Functions have widths that are numbers. */
static bool parse_fixed(rtl_parser *p, weir_rtl_shape *shape) {
    if (!parse_shape(p, shape)) return false;
    if (!shape->formula.id && !shape->type.id) return true;
    return rtl_scan_fail(&p->scan, "a width of a function that depends on no parameter before this");
}

/* name : signed 8 (a : 8, local t : signed 4) */
static bool parse_function(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    weir_rtl_shape shape;
    const char *name = rtl_scan_name(s);
    if (!name || !rtl_scan_expect(s, ':') || !parse_fixed(p, &shape) || !rtl_scan_expect(s, '(')) return false;
    rtl_begin_origin(p, 0);
    weir_rtl_module module = {s->module};
    weir_rtl_function function = weir_rtl_add_function(s->design, module, name, shape.width, shape.is_signed);
    if (!function.id) return false;
    if (rtl_scan_accept(s, ')')) return true;
    do {
        bool is_local = rtl_scan_accept_word(s, "local");
        const char *own = rtl_scan_name(s);
        if (!own || !rtl_scan_expect(s, ':') || !parse_fixed(p, &shape)) return false;
        weir_rtl_var var = is_local ? weir_rtl_add_local_var(s->design, function, own, shape.width, shape.is_signed)
                                    : weir_rtl_add_argument(s->design, function, own, shape.width, shape.is_signed);
        if (!var.id) return false;
    } while (rtl_scan_accept(s, ','));
    return rtl_scan_expect(s, ')');
}

static bool parse_declaration(rtl_parser *p) {
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
    if (rtl_scan_accept_word(s, "group")) return parse_group(p);
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

static bool skip_section(rtl_scan *s, rtl_spot *where) {
    if (!rtl_scan_expect(s, '{')) return false;
    *where = (rtl_spot){s->at, s->line};
    s->at--;
    return skip_block(s) && rtl_scan_end_line(s);
}

/* Only library modules have ranges; here it is a width. */
static void own_range(weir_rtl_design *design, uint32_t v) {
    assert(v < design->var_count);
    const rtl_size width = rtl_size_of(design, rtl_range_formula(design, design->var[v].range));
    design->var[v].range = 0;
    design->var[v].formula = width.formula;
    if (width.formula) design->module[design->var[v].module].is_parametrised = true;
    if (design->var[v].width) return;
    rtl_error(design, rtl_location_of(design, &design->var[v].common), "the range of '%s' is not a width",
              design->var[v].name);
}

static void default_widths(weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    rtl_value *values = rtl_evaluate_parameters(design, module, NULL);
    for (uint32_t v = design->module[module].first_var; v; v = design->var[v].next) {
        const char *problem = NULL;
        if (design->var[v].range) design->var[v].width = rtl_port_width(design, v, values, &problem);
        if (design->var[v].range && !design->module[module].is_external) own_range(design, v);
    }
    free(values);
}

/* `module NAME external "FILE"` alone: what the Verilog file declares. The file is looked for beside the text. */
static bool read_external(rtl_parser *p, const char *name, const char *path) {
    rtl_scan *s = &p->scan;
    char *folder = weir_path_folder(s->file), *beside = weir_path_join(folder, path);
    const size_t errors = s->design->errors;
    const weir_rtl_module module = weir_rtl_read_module(s->design, *path == '/' ? path : beside);
    free(beside);
    free(folder);
    if (module.id && strcmp(s->design->module[module.id].name, name) != 0)
        rtl_error(s->design, s->design->location, "'%s' holds the module '%s', expected '%s'", path,
                  s->design->module[module.id].name, name);
    if (!module.id || s->design->errors > errors) {
        s->failed = true;
        return false;
    }
    rtl_labels_set(&p->namesakes, &(rtl_label){.name = name, .scope = 1, .number = module.id});
    return rtl_finish_item(p, WEIR_RTL_ITEM(module)) && rtl_scan_end_line(s);
}

static bool parse_module(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    const char *name = rtl_scan_name(s);
    const char *path = NULL;
    if (!name) return false;
    bool is_external = rtl_scan_accept_word(s, "external");
    if (is_external && rtl_scan_peek(s, '"')) {
        if (!rtl_scan_string(s)) return false;
        path = weir_strings_intern(s->design->strings, s->word.data);
    }
    if (path && rtl_scan_ends_line(s)) return read_external(p, name, path);
    bool is_stub = rtl_scan_accept_word(s, "stub");
    if (!rtl_parse_origin(p) || !rtl_scan_expect(s, '{')) return false;
    weir_rtl_module module = weir_rtl_add_generator(s->design, name);
    if (!rtl_finish_item(p, WEIR_RTL_ITEM(module)) || !rtl_scan_end_line(s)) return false;
    uint32_t number = 1;
    while (rtl_labels_find(&p->namesakes, number, name)) number *= 2; /* below: the first free number */
    for (uint32_t step = number / 2; step > 0; step /= 2)
        if (!rtl_labels_find(&p->namesakes, number - step, name)) number -= step;
    rtl_label label = {.name = name, .scope = number, .number = module.id};
    rtl_labels_set(&p->namesakes, &label);
    s->design->module[module.id].path = path;
    s->design->module[module.id].is_stub = is_stub;
    s->module = module.id;
    rtl_section found = {.module = module.id};
    rtl_spot start = {NULL, 0};
    while (rtl_next_item(p, &start)) {
        bool fine = rtl_scan_accept_word(s, "instances") ? skip_section(s, &found.instances)
                    : rtl_scan_accept_word(s, "body")    ? skip_section(s, &found.body)
                                                         : parse_declaration(p) && rtl_scan_end_line(s);
        if (fine && !s->failed) continue;
        if (!rtl_recover_line(p, start)) return false;
    }
    if (s->failed) return false;
    s->design->module[module.id].is_external = is_external;
    default_widths(s->design, module.id);
    p->section = weir_grow(p->section, &p->section_capacity, p->sections + 1, sizeof *p->section);
    p->section[p->sections++] = found;
    return rtl_scan_end_line(s);
}

static bool parse_top_level(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    if (rtl_scan_accept_word(s, "module")) return parse_module(p);
    if (rtl_scan_accept_word(s, "origin")) return parse_origin_line(p);
    if (rtl_scan_accept_word(s, "from")) {
        if (s->design->from || !rtl_scan_string(s)) return rtl_scan_fail(s, "a single source file of the text");
        s->design->from = weir_strings_intern(s->design->strings, s->word.data);
        return rtl_scan_end_line(s);
    }
    if (rtl_scan_accept_word(s, "struct")) return parse_type(p, WEIR_RTL_TYPE_STRUCT);
    if (rtl_scan_accept_word(s, "union")) return parse_type(p, WEIR_RTL_TYPE_UNION);
    if (rtl_scan_accept_word(s, "enum")) return parse_type(p, WEIR_RTL_TYPE_ENUM);
    if (rtl_scan_accept_word(s, "interface")) return parse_interface(p);
    return rtl_scan_fail(s, "'module', 'origin', 'struct', 'union', 'enum' or 'interface'");
}

static bool parse_declarations(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    if (!rtl_scan_space(s) || !rtl_scan_expect_word(s, "wrtl") || !rtl_scan_expect_word(s, "1"))
        return rtl_scan_fail(s, "'wrtl 1'");
    while (rtl_scan_space(s)) {
        rtl_spot start = {s->at, s->line};
        s->module = 0;
        if (rtl_parse_above(p) && (!rtl_scan_space(s) || parse_top_level(p))) continue;
        if (!rtl_recover_line(p, start)) return false;
    }
    return !s->failed;
}

/* ---- instances ---- */

static bool parse_instance_line(rtl_parser *p) {
    return rtl_declare_instance(p, rtl_scan_name(&p->scan)).id && rtl_scan_end_line(&p->scan);
}

static bool parse_instances(rtl_parser *p, const rtl_section *from) {
    rtl_scan *s = &p->scan;
    if (!from->instances.at) return true;
    rtl_go_to(s, from->module, from->instances);
    while (rtl_scan_space(s) && !rtl_scan_accept(s, '}')) {
        rtl_spot start = {s->at, s->line};
        if (parse_instance_line(p)) continue;
        if (!rtl_recover_line(p, start)) return false;
    }
    return !s->failed;
}

/* ---- the text ---- */

weir_rtl_design *weir_rtl_parse_text(const char *text, size_t size, const char *file) {
    weir_rtl_design *design = weir_rtl_design_new();
    rtl_parser p = {.scan = {.design = design, .at = text, .end = text + size, .file = file, .line = 1}};
    weir_rtl_set_location(design, weir_at(file, 1));
    p.scan.file = design->location.file;
    design->keeps_origin = true;
    bool goes_on = parse_declarations(&p);
    for (size_t i = 0; goes_on && i < p.sections; i++) goes_on = parse_instances(&p, &p.section[i]);
    for (size_t i = 0; goes_on && i < p.sections; i++) goes_on = rtl_parse_body(&p, &p.section[i]);
    if (!goes_on && design->errors == 0) rtl_scan_fail(&p.scan, "something else");
    bool fine = goes_on && design->errors == 0 && rtl_check_starts(&p);
    design->keeps_origin = false;
    weir_rtl_set_location(design, WEIR_NOWHERE);
    free(p.section);
    free(p.origin);
    rtl_labels_free(&p.namesakes);
    free(p.above.attribute);
    free(p.open);
    free(p.start);
    free(p.lead);
    rtl_labels_free(&p.scan.paths);
    rtl_labels_free(&p.scan.suspects);
    weir_text_free(&p.scan.word);
    rtl_free_tree(&p.scan.tree);
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
