/* Prints the text form. Origins are numbered in the order in which the text names them, so the items are printed into a
 * buffer of their own first. Modules that share a name are told apart by a number: name#2 is the second one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rtlir/core/formula.h"
#include "rtlir/core/private.h"
#include "rtlir/text/text.h"
#include "rtlir/text/words_private.h"
#include "support/file/file.h"

typedef struct printer {
    const weir_rtl_design *design;
    weir_text *text;
    uint32_t *number; /* by module id: its number among those of the same name */
    uint32_t *origin; /* by origin id: its number in the text, or 0 */
    uint32_t *trail;  /* by trail id: the number of the origin without a location, or 0 */
    uint32_t *used;   /* origin ids by number - 1 */
    uint32_t origins;
    int indent;
    bool with_locations;
    const char *from; /* the file whose lines are said without its name */
    bool uses_from;
} printer;

static void add(printer *p, const char *string) { rtl_append_string(p->text, string); }

static void blanks(printer *p) {
    for (int i = 0; i < p->indent; i++) rtl_append(p->text, "  ", 2);
}

static void print_unsigned(printer *p, uint64_t value) { rtl_append_number(p->text, value); }

static void print_signed(printer *p, int64_t value) {
    if (value < 0) rtl_append_char(p->text, '-');
    print_unsigned(p, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* ---- expressions ---- */

static void print_expr(printer *p, uint32_t id);

static void print_formula(printer *p, uint32_t id);

static void print_size(printer *p, int64_t number, uint32_t formula) {
    if (formula) print_formula(p, formula);
    else print_signed(p, number);
}

/* W'(PARAMETER) */
static void print_sized(printer *p, const rtl_expr *e) {
    add(p, e->is_signed ? "$signed(" : "");
    print_size(p, e->width, e->formula);
    weir_text_format(p->text, "'(%s)", p->design->parameter[e->b].name);
    add(p, e->is_signed ? ")" : "");
}

static void print_constant(printer *p, uint32_t id) {
    assert(id < p->design->expr_count);
    const rtl_expr *e = &p->design->expr[id];
    uint32_t member = rtl_member_of(p->design, id);
    if (member) {
        add(p, p->design->type[e->c].name);
        add(p, "::");
        add(p, p->design->field[member].name);
        return;
    }
    if (e->b) {
        print_sized(p, e);
        return;
    }
    print_size(p, e->width, e->formula);
    rtl_append_based(p->text, e, rtl_words_of(p->design, e));
}

/* A constant with as many bits as an index of the array needs. */
static bool is_plain_index(const weir_rtl_design *design, const rtl_expr *e) {
    const rtl_expr *index = &design->expr[e->b];
    return e->kind == WEIR_RTL_EXPR_ELEMENT && index->kind == WEIR_RTL_EXPR_CONSTANT && !index->is_signed &&
           index->c == 0 && index->width == rtl_index_bits(design->type[rtl_type_of(design, e->a)].count);
}

/* high:low], or low] when that is one bit, whatever the parameters are. */
static void print_bounds(printer *p, const rtl_expr *e) {
    weir_rtl_design *design;
    memcpy(&design, &p->design, sizeof design); /* which gets a formula that it may not have */
    const rtl_size low = {e->b, e->c}, width = {e->width, e->formula};
    const rtl_size above = rtl_size_apply(design, WEIR_RTL_ADD, low, width);
    const rtl_size high = rtl_size_apply(design, WEIR_RTL_SUBTRACT, above, (rtl_size){.number = 1});
    if (width.formula || width.number > 1) {
        print_size(p, high.number, high.formula);
        add(p, ":");
    }
    print_size(p, low.number, low.formula);
    rtl_append_char(p->text, ']');
}

static void print_part(printer *p, const rtl_expr *e) {
    print_expr(p, e->a);
    if (e->kind == WEIR_RTL_EXPR_FIELD) {
        rtl_append_char(p->text, '.');
        add(p, p->design->field[e->b].name);
        return;
    }
    rtl_append_char(p->text, '[');
    if (e->kind == WEIR_RTL_EXPR_SLICE && (e->formula || e->c)) {
        print_bounds(p, e);
        return;
    }
    if (e->kind == WEIR_RTL_EXPR_SLICE) print_unsigned(p, e->b + e->width - 1);
    else if (is_plain_index(p->design, e)) print_unsigned(p, p->design->word[p->design->expr[e->b].a]);
    else print_expr(p, e->b);
    if (e->kind == WEIR_RTL_EXPR_SLICE && e->width > 1) {
        rtl_append_char(p->text, ':');
        print_unsigned(p, e->b);
    } else if (e->kind == WEIR_RTL_EXPR_SELECT) {
        add(p, " +: ");
        print_size(p, e->width, e->formula);
    }
    rtl_append_char(p->text, ']');
}

static void print_list(printer *p, const rtl_expr *e, const char *open, const char *close) {
    add(p, open);
    for (uint32_t i = 0; i < e->b; i++) {
        if (i) add(p, ", ");
        print_expr(p, p->design->operand[e->a + i]);
    }
    add(p, close);
}

static void print_cast(printer *p, const rtl_expr *e) {
    bool changes = p->design->expr[e->a].is_signed != e->is_signed;
    rtl_append_char(p->text, '$');
    add(p, !changes ? rtl_kind_words[e->carries] : e->is_signed ? "signed" : "unsigned");
    rtl_append_char(p->text, '(');
    print_expr(p, e->a);
    rtl_append_char(p->text, ')');
}

static void print_operation(printer *p, const rtl_expr *e) {
    rtl_append_char(p->text, '(');
    if (e->kind == WEIR_RTL_EXPR_UNARY) add(p, rtl_operators[e->op].text);
    print_expr(p, e->a);
    if (e->kind != WEIR_RTL_EXPR_UNARY) {
        rtl_append_char(p->text, ' ');
        add(p, e->kind == WEIR_RTL_EXPR_BINARY ? rtl_operators[e->op].text : "?");
        rtl_append_char(p->text, ' ');
        print_expr(p, e->b);
    }
    if (e->kind == WEIR_RTL_EXPR_CONDITIONAL) {
        add(p, " : ");
        print_expr(p, e->c);
    }
    rtl_append_char(p->text, ')');
}

static void print_var(printer *p, uint32_t id) {
    assert(id < p->design->var_count);
    const rtl_var *var = &p->design->var[id];
    if (var->is_path) add(p, "$path(\"");
    add(p, var->name);
    if (var->is_path) add(p, "\")");
}

/* Recursion is bounded by RTL_MAX_DEPTH. */
static void print_expr(printer *p, uint32_t id) {
    assert(id < p->design->expr_count);
    const rtl_expr *e = &p->design->expr[id];
    switch (e->kind) {
    case WEIR_RTL_EXPR_NONE: break;
    case WEIR_RTL_EXPR_CONSTANT: print_constant(p, id); break;
    case WEIR_RTL_EXPR_VAR: print_var(p, e->a); break;
    case WEIR_RTL_EXPR_PARAMETER: add(p, p->design->parameter[e->a].name); break;
    case WEIR_RTL_EXPR_HIGH_Z: add(p, "'z"); break;
    case WEIR_RTL_EXPR_PORT:
        add(p, p->design->instance[e->a].name);
        rtl_append_char(p->text, '.');
        add(p, p->design->var[e->b].name);
        break;
    case WEIR_RTL_EXPR_SLICE:
    case WEIR_RTL_EXPR_SELECT:
    case WEIR_RTL_EXPR_ELEMENT:
    case WEIR_RTL_EXPR_FIELD: print_part(p, e); break;
    case WEIR_RTL_EXPR_CALL:
        add(p, p->design->function[e->c].name);
        print_list(p, e, "(", ")");
        break;
    case WEIR_RTL_EXPR_CONCAT: print_list(p, e, "{", "}"); break;
    case WEIR_RTL_EXPR_REPEAT:
        rtl_append_char(p->text, '{');
        print_size(p, e->b, e->c);
        rtl_append_char(p->text, '{');
        print_expr(p, e->a);
        add(p, "}}");
        break;
    case WEIR_RTL_EXPR_UNARY:
    case WEIR_RTL_EXPR_BINARY:
    case WEIR_RTL_EXPR_CONDITIONAL: print_operation(p, e); break;
    case WEIR_RTL_EXPR_CAST: print_cast(p, e); break;
    }
}

/* ---- what items carry ---- */

/* Comment and attributes, each on a line above the item. */
static void print_above(printer *p, const rtl_common *common) {
    const char *comment = rtl_comment_of(p->design, common);
    if (comment) {
        blanks(p);
        add(p, "comment ");
        weir_text_quoted(p->text, comment);
        rtl_append_char(p->text, '\n');
    }
    for (uint32_t a = rtl_attributes_of(p->design, common); a; a = p->design->attribute[a].next) {
        const rtl_attribute *attribute = &p->design->attribute[a];
        blanks(p);
        weir_text_format(p->text, "attribute %s", attribute->name);
        if (attribute->kind != WEIR_RTL_ATTRIBUTE_FLAG) add(p, " = ");
        if (attribute->kind == WEIR_RTL_ATTRIBUTE_TEXT) weir_text_quoted(p->text, attribute->text);
        if (attribute->kind == WEIR_RTL_ATTRIBUTE_INTEGER) print_signed(p, attribute->integer);
        rtl_append_char(p->text, '\n');
    }
}

static void begin_item(printer *p, const rtl_common *common) {
    if (common->extra) print_above(p, common);
    blanks(p);
}

/* Is the location a line of the file that the text is written from? */
static bool is_line(printer *p, const rtl_origin *origin) {
    if (origin->is_from) return true;
    if (!p->with_locations || !origin->is_implicit || !origin->file) return false;
    if (!p->from) p->from = origin->file;
    return strcmp(p->from, origin->file) == 0;
}

/* Where this text is read, an item that names no location has that of its line. */
static bool has_place(printer *p, const rtl_origin *origin) {
    return (!origin->is_implicit || p->with_locations) && (origin->file || origin->line) && !is_line(p, origin);
}

static void end_item(printer *p, const rtl_common *common, const char *end) {
    const rtl_origin *origin = &p->design->origin_entry[common->origin];
    bool line = is_line(p, origin);
    if (line || has_place(p, origin) || origin->trail) add(p, " @");
    if (has_place(p, origin) || origin->trail) {
        uint32_t *number = has_place(p, origin) ? &p->origin[common->origin] : &p->trail[origin->trail];
        if (!*number) {
            p->used[p->origins++] = common->origin;
            *number = p->origins;
        }
        print_unsigned(p, *number);
    }
    if (line) {
        rtl_append_char(p->text, ':');
        print_signed(p, origin->line);
        p->uses_from = true;
    }
    add(p, end);
}

static void print_trail(printer *p, uint32_t trail) {
    size_t count = 0;
    for (uint32_t t = trail; t; t = p->design->trail_entry[t].previous) count++;
    for (; count > 0; count--) {
        uint32_t t = trail;
        for (size_t i = 1; i < count; i++) t = p->design->trail_entry[t].previous;
        rtl_append_char(p->text, ' ');
        weir_text_quoted(p->text, p->design->trail_entry[t].pass);
    }
}

static void print_origins(printer *p) {
    for (uint32_t i = 0; i < p->origins; i++) {
        const rtl_origin *origin = &p->design->origin_entry[p->used[i]];
        add(p, "origin ");
        if (has_place(p, origin) && origin->file) weir_text_quoted(p->text, origin->file);
        else add(p, "nowhere");
        weir_text_format(p->text, " %d", has_place(p, origin) ? origin->line : 0);
        print_trail(p, origin->trail);
        rtl_append_char(p->text, '\n');
    }
}

/* ---- types ---- */

static void print_shape(printer *p, const weir_rtl_shape *shape) {
    const rtl_type *type = &p->design->type[shape->type.id];
    if (type->name) {
        add(p, type->name);
    } else if (shape->type.id) { /* recursion ends: a type is made of earlier ones, but it may be long */
        add(p, type->kind == WEIR_RTL_TYPE_MEMORY ? "memory[" : "[");
        print_size(p, type->count, type->count_formula);
        add(p, "] ");
        print_shape(p, &type->element);
    } else {
        if (shape->is_signed) add(p, "signed ");
        print_size(p, shape->width, shape->formula.id);
    }
}

static void print_types(printer *p) {
    for (uint32_t t = 1; t < p->design->type_count; t++) {
        const rtl_type *type = &p->design->type[t];
        if (!type->name) continue;
        bool is_enum = type->kind == WEIR_RTL_TYPE_ENUM;
        add(p, is_enum ? "enum " : type->kind == WEIR_RTL_TYPE_UNION ? "union " : "struct ");
        add(p, type->name);
        if (is_enum) weir_text_format(p->text, " : %u", (unsigned)type->width);
        add(p, " {\n");
        for (uint32_t f = type->first; f; f = p->design->field[f].next) {
            weir_text_format(p->text, "  %s %s ", p->design->field[f].name, is_enum ? "=" : ":");
            if (is_enum) print_unsigned(p, p->design->field[f].value);
            else print_shape(p, &p->design->field[f].shape);
            rtl_append_char(p->text, '\n');
        }
        add(p, "}\n");
    }
}

/* The type of a field of an interface or of a variable: a kind, or a shape. */
static void print_kind(printer *p, weir_rtl_kind kind, const weir_rtl_shape *shape) {
    if (kind == WEIR_RTL_DATA) {
        print_shape(p, shape);
        return;
    }
    rtl_append_char(p->text, '$');
    add(p, rtl_kind_words[kind]);
}

static void print_interfaces(printer *p) {
    for (uint32_t i = 1; i < p->design->interface_count; i++) {
        const rtl_interface *interface = &p->design->interface[i];
        weir_text_format(p->text, "interface %s {\n", interface->name);
        for (uint32_t f = 0; f < interface->count; f++) {
            weir_text_format(p->text, "  %s : ", interface->field[f].name);
            print_kind(p, interface->field[f].kind, &interface->field[f].shape);
            rtl_append_char(p->text, '\n');
        }
        for (size_t m = 0; m < interface->modports.count; m++) {
            const rtl_modport *modport = &p->design->modport[interface->modports.id[m]];
            weir_text_format(p->text, "  modport %s {\n", modport->name);
            for (uint32_t f = 0; f < interface->count; f++)
                if (modport->direction[f] != WEIR_RTL_INTERNAL)
                    weir_text_format(p->text, "    %s %s\n", rtl_direction_words[modport->direction[f]],
                                     interface->field[f].name);
            add(p, "  }\n");
        }
        add(p, "}\n");
    }
}

/* ---- declarations ---- */

static void print_formula(printer *p, uint32_t id) {
    assert(id < p->design->formula_count);
    const rtl_formula *f = &p->design->formula[id];
    if (f->kind == RTL_FORMULA_PARAMETER) {
        add(p, p->design->parameter[f->a].name);
        return;
    }
    if (f->kind == RTL_FORMULA_VALUE) {
        if (f->value.kind == RTL_VALUE_INTEGER) print_signed(p, f->value.integer);
        else if (f->value.kind == RTL_VALUE_STRING) weir_text_quoted(p->text, f->value.text);
        else add(p, "$opaque");
        return;
    }
    bool is_clog2 = f->kind == RTL_FORMULA_CLOG2;
    add(p, is_clog2 ? "clog2(" : "(");
    if (f->kind == RTL_FORMULA_UNARY) add(p, rtl_operators[f->op].text);
    /* "- 1" negates 1, "-1" is a number. */
    if (f->kind == RTL_FORMULA_UNARY && p->design->formula[f->a].kind == RTL_FORMULA_VALUE) add(p, " ");
    print_formula(p, f->a);
    if (f->b) {
        rtl_append_char(p->text, ' ');
        add(p, f->c ? "?" : rtl_operators[f->op].text);
        rtl_append_char(p->text, ' ');
        print_formula(p, f->b);
    }
    if (f->c) {
        add(p, " : ");
        print_formula(p, f->c);
    }
    rtl_append_char(p->text, ')');
}

void weir_rtl_print_formula(const weir_rtl_design *design, weir_rtl_formula formula, weir_text *text) {
    printer p = {.design = design, .text = text};
    if (formula.id) print_formula(&p, formula.id);
}

static void print_var_type(printer *p, const rtl_var *var) {
    add(p, " : ");
    if (var->range) {
        if (var->is_signed) add(p, "signed ");
        add(p, "$range ");
        print_formula(p, p->design->range[var->range].high);
        rtl_append_char(p->text, ' ');
        print_formula(p, p->design->range[var->range].low);
    } else {
        weir_rtl_shape shape = {{var->type}, var->width, var->is_signed, {var->formula}};
        print_kind(p, var->kind, &shape);
    }
}

/* Fields that are not under the name that they would get are said. */
static void print_group(printer *p, const rtl_group *group) {
    const rtl_interface *interface = &p->design->interface[group->interface];
    weir_text_format(p->text, "  group %s : %s", group->name, interface->name);
    if (group->modport) weir_text_format(p->text, ".%s", p->design->modport[group->modport].name);
    if (group->is_flipped) add(p, " flipped");
    if (group->is_interface) add(p, " interface");
    bool any = false;
    for (uint32_t f = 0; f < interface->count; f++) {
        if (!rtl_group_has(p->design, group, f)) continue;
        const char *field = interface->field[f].name;
        const char *name = group->var[f] ? p->design->var[group->var[f]].name : NULL;
        size_t length = strlen(group->name);
        bool is_usual = name && strncmp(name, group->name, length) == 0 && name[length] == '_' &&
                        strcmp(name + length + 1, field) == 0;
        if (is_usual) continue;
        weir_text_format(p->text, "%s%s %s", any ? ", " : " (", name ? field : "no", name ? "= " : field);
        if (name) add(p, name);
        any = true;
    }
    add(p, any ? ")\n" : "\n");
}

static void print_declaration(printer *p, uint32_t id) {
    assert(id < p->design->var_count);
    const rtl_var *var = &p->design->var[id];
    begin_item(p, &var->common);
    if (var->is_path) {
        weir_text_format(p->text, "path \"%s\"", var->name);
    } else if (var->is_iterator) {
        weir_text_format(p->text, "iterator %s", var->name);
    } else {
        bool is_port = var->direction != WEIR_RTL_INTERNAL;
        add(p, is_port             ? rtl_direction_words[var->direction]
               : var->is_undecided ? "variable"
               : var->is_register  ? "register"
                                   : "wire");
        rtl_append_char(p->text, ' ');
        add(p, var->name);
    }
    if (!var->is_iterator) print_var_type(p, var);
    if (p->design->module[var->module].is_external && var->is_register) add(p, " register");
    end_item(p, &var->common, "\n");
}

static void print_declarations(printer *p, const rtl_module *module) {
    for (size_t i = 0; i < module->parameters.count; i++) {
        const rtl_parameter *parameter = &p->design->parameter[module->parameters.id[i]];
        begin_item(p, &parameter->common);
        weir_text_format(p->text, "%s %s = ", parameter->is_local ? "local" : "parameter", parameter->name);
        print_formula(p, parameter->formula);
        if (parameter->is_bounded)
            weir_text_format(p->text, " from %" PRId64 " to %" PRId64, parameter->low, parameter->high);
        end_item(p, &parameter->common, "\n");
    }
    for (size_t i = 0; i < module->ports.count; i++) print_declaration(p, module->ports.id[i]);
    for (uint32_t v = module->first_var; v; v = p->design->var[v].next)
        if (p->design->var[v].direction == WEIR_RTL_INTERNAL) print_declaration(p, v);
    for (size_t i = 0; i < module->groups.count; i++) print_group(p, &p->design->group[module->groups.id[i]]);
    for (uint32_t s = p->design->block[module->body].first; s; s = p->design->stmt[s].next) {
        if (p->design->stmt[s].kind != WEIR_RTL_STMT_FUNCTION) continue;
        const rtl_function *function = rtl_function_of(p->design, &p->design->stmt[s]);
        weir_text_format(p->text, "  function %s : %s%u (", function->name, function->is_signed ? "signed " : "",
                         (unsigned)function->width);
        for (size_t i = 0; i < function->arguments.count + function->locals.count; i++) {
            bool is_local = i >= function->arguments.count;
            const rtl_var *var =
                &p->design
                     ->var[is_local ? function->locals.id[i - function->arguments.count] : function->arguments.id[i]];
            weir_text_format(p->text, "%s%s%s : %s%u", i ? ", " : "", is_local ? "local " : "", var->name,
                             var->is_signed ? "signed " : "", (unsigned)var->width);
        }
        add(p, ")\n");
    }
}

/* ---- statements ---- */

static void print_module_name(printer *p, uint32_t module) {
    assert(module < p->design->module_count);
    add(p, p->design->module[module].name);
    if (p->number[module] > 1) weir_text_format(p->text, "#%u", (unsigned)p->number[module]);
}

/* Values that may decide widths are printed where instances are listed: before anything that names their ports. Ports
 * of library modules have ranges; those of instances with connections are named after the values anyway. */
static bool stands_with_name(const weir_rtl_design *design, const rtl_instance *instance) {
    const rtl_ids *ports = &design->module[instance->module].ports;
    bool has_formula = design->module[instance->module].is_parametrised;
    for (size_t i = 0; instance->is_wired && i < ports->count; i++)
        has_formula = has_formula || design->var[ports->id[i]].range;
    for (uint32_t i = 0; i < instance->override_count; i++)
        has_formula = has_formula || instance->override[i].kind == RTL_VALUE_FORMULA;
    return has_formula;
}

static void print_value(printer *p, const rtl_value *value) {
    if (value->kind == RTL_VALUE_INTEGER) print_signed(p, value->integer);
    else if (value->kind == RTL_VALUE_STRING) weir_text_quoted(p->text, value->text);
    else if (value->kind == RTL_VALUE_FORMULA) print_formula(p, value->formula);
    else {
        add(p, "value ");
        print_expr(p, value->expr);
    }
}

static const rtl_value *override_at(const printer *p, const rtl_instance *instance, size_t i) {
    const rtl_ids *ids = &p->design->module[instance->module].parameters;
    const uint32_t slot = p->design->parameter[ids->id[i]].slot;
    const bool is_set = slot < instance->override_count && instance->override[slot].kind != RTL_VALUE_NONE;
    return is_set ? &instance->override[slot] : NULL;
}

static void print_overrides(printer *p, const rtl_instance *instance) {
    const rtl_ids *ids = &p->design->module[instance->module].parameters;
    for (size_t i = 0; i < ids->count; i++) {
        const rtl_value *value = override_at(p, instance, i);
        if (!value) continue;
        blanks(p);
        weir_text_format(p->text, "parameter %s = ", p->design->parameter[ids->id[i]].name);
        print_value(p, value);
        rtl_append_char(p->text, '\n');
    }
}

/* (WIDTH = W, DEPTH = 4) */
static void print_values(printer *p, const rtl_instance *instance) {
    const rtl_ids *ids = &p->design->module[instance->module].parameters;
    bool any = false;
    for (size_t i = 0; i < ids->count; i++) {
        const rtl_value *value = override_at(p, instance, i);
        if (!value) continue;
        weir_text_format(p->text, "%s%s = ", any ? ", " : "(", p->design->parameter[ids->id[i]].name);
        print_value(p, value);
        any = true;
    }
    if (any) add(p, ")");
}

static void print_instance(printer *p, const rtl_stmt *stmt) {
    const rtl_instance *instance = &p->design->instance[stmt->a];
    const rtl_module *module = &p->design->module[instance->module];
    begin_item(p, &instance->common);
    weir_text_format(p->text, "instance %s", instance->name);
    end_item(p, &instance->common, " {\n");
    p->indent++;
    if (!stands_with_name(p->design, instance)) print_overrides(p, instance);
    for (size_t i = 0; i < module->ports.count; i++) {
        const rtl_var *port = &p->design->var[module->ports.id[i]];
        uint32_t expr = port->slot < instance->connection_count ? instance->connection[port->slot] : 0;
        if (!expr) continue;
        blanks(p);
        weir_text_format(p->text, expr == RTL_OPEN ? "open %s" : "connect %s = ", port->name);
        if (expr != RTL_OPEN) print_expr(p, expr);
        rtl_append_char(p->text, '\n');
    }
    p->indent--;
    blanks(p);
    add(p, "}\n");
}

static void print_assertion(printer *p, const rtl_assertion *a) {
    weir_text_format(p->text, "%s %s", a->is_property ? "property" : "immediate", rtl_assertion_words[a->kind]);
    if (a->clock) weir_text_format(p->text, " %s %s", rtl_edge_words[a->edge], p->design->var[a->clock].name);
    if (a->disable) {
        add(p, " disable ");
        print_expr(p, a->disable);
    }
    if (a->antecedent) {
        add(p, " when ");
        print_expr(p, a->antecedent);
    }
    if (a->low || a->high) weir_text_format(p->text, " after %u to %u", (unsigned)a->low, (unsigned)a->high);
    add(p, " then ");
    print_expr(p, a->consequent);
    if (a->message) rtl_append_char(p->text, ' ');
    if (a->message) weir_text_quoted(p->text, a->message);
    if (a->call) weir_text_format(p->text, " call %s", a->call);
}

static void print_events(printer *p, uint32_t event) {
    for (uint32_t e = event; e; e = p->design->event[e].next)
        weir_text_format(p->text, "%s %s %s", e == event ? "" : ",", rtl_edge_words[p->design->event[e].edge],
                         p->design->var[p->design->event[e].var].name);
}

static void print_machine(printer *p, const rtl_fsm *fsm) {
    weir_text_format(p->text, " %s", fsm->name);
    if (fsm->parent) return;
    weir_text_format(p->text, " %s %s reset %s%s", rtl_edge_words[fsm->edge], p->design->var[fsm->clock].name,
                     fsm->is_low ? "low " : "", p->design->var[fsm->reset].name);
    if (fsm->is_mealy) add(p, " mealy");
    if (fsm->current) weir_text_format(p->text, " current %s", p->design->var[fsm->current].name);
}

static void print_state(printer *p, uint32_t id) {
    assert(id < p->design->state_count);
    const rtl_state *state = &p->design->state[id];
    rtl_append_char(p->text, ' ');
    add(p, state->name);
    if (p->design->fsm[rtl_outermost(p->design, state->fsm)].start == id) add(p, " start");
}

static void print_transition(printer *p, const rtl_stmt *stmt) {
    rtl_append_char(p->text, ' ');
    add(p, weir_rtl_state_name(p->design, (weir_rtl_state){stmt->b}, '.'));
    if (!stmt->a) return;
    add(p, " when ");
    print_expr(p, stmt->a);
}

/* The first line of a statement, without its end. */
static void print_head(printer *p, const rtl_stmt *stmt) {
    add(p, rtl_stmt_words[stmt->kind]);
    switch (stmt->kind) {
    case WEIR_RTL_STMT_ASSIGN:
        add(p, rtl_timing_words[stmt->timing]);
        rtl_append_char(p->text, ' ');
        print_expr(p, stmt->a);
        add(p, " = ");
        print_expr(p, stmt->b);
        break;
    case WEIR_RTL_STMT_ALWAYS: print_events(p, stmt->a); break;
    case WEIR_RTL_STMT_FUNCTION: weir_text_format(p->text, " %s", rtl_function_of(p->design, stmt)->name); break;
    case WEIR_RTL_STMT_FOR: {
        const rtl_loop *loop = rtl_loop_of(p->design, stmt);
        weir_text_format(p->text, " %s = ", p->design->var[loop->iterator].name);
        print_size(p, loop->start, loop->formula[0]);
        add(p, " to ");
        print_size(p, loop->end, loop->formula[1]);
        add(p, " step ");
        print_size(p, loop->step, loop->formula[2]);
        break;
    }
    case WEIR_RTL_STMT_CASE_ITEM:
        add(p, stmt->a ? "item " : "default");
        if (stmt->a) print_expr(p, stmt->a);
        break;
    case WEIR_RTL_STMT_IF:
    case WEIR_RTL_STMT_CASE:
    case WEIR_RTL_STMT_RETURN:
        rtl_append_char(p->text, ' ');
        print_expr(p, stmt->a);
        break;
    case WEIR_RTL_STMT_ASSERT: print_assertion(p, rtl_assertion_of(p->design, stmt)); break;
    case WEIR_RTL_STMT_FSM: print_machine(p, rtl_fsm_of(p->design, stmt)); break;
    case WEIR_RTL_STMT_STATE: print_state(p, stmt->a); break;
    case WEIR_RTL_STMT_TRANSITION: print_transition(p, stmt); break;
    default: break;
    }
}

/* The statements of a block, through their links: nested ones cost no recursion. */
static void print_stmts(printer *p, uint32_t block) {
    const weir_rtl_design *design = p->design;
    uint32_t s = design->block[block].first;
    uint32_t here = block;
    int floor = p->indent;
    for (;;) {
        if (s) {
            const rtl_stmt *stmt = &design->stmt[s];
            if (stmt->kind == WEIR_RTL_STMT_INSTANCE) {
                print_instance(p, stmt);
                s = stmt->next;
                continue;
            }
            begin_item(p, &stmt->common);
            print_head(p, stmt);
            end_item(p, &stmt->common, stmt->body ? " {\n" : "\n");
            if (!stmt->body) {
                s = stmt->next;
                continue;
            }
            p->indent++;
            here = stmt->body;
            s = design->block[here].first;
            continue;
        }
        if (p->indent == floor) return;
        uint32_t owner = design->block[here].owner;
        const rtl_stmt *above = &design->stmt[owner];
        p->indent--;
        blanks(p);
        if (here == above->body && above->other) {
            add(p, "} else {\n");
            p->indent++;
            here = above->other;
            s = design->block[here].first;
            continue;
        }
        add(p, "}\n");
        here = above->block;
        s = above->next;
    }
}

static void print_module(printer *p, uint32_t id) {
    assert(id < p->design->module_count);
    const rtl_module *module = &p->design->module[id];
    begin_item(p, &module->common);
    weir_text_format(p->text, "module %s", module->name);
    if (module->is_external) add(p, " external");
    if (module->path) {
        rtl_append_char(p->text, ' ');
        weir_text_quoted(p->text, module->path);
    }
    if (module->is_stub) add(p, " stub");
    end_item(p, &module->common, " {\n");
    p->indent++;
    print_declarations(p, module);
    if (module->instances.count) {
        add(p, "  instances {\n");
        for (size_t i = 0; i < module->instances.count; i++) {
            const rtl_instance *instance = &p->design->instance[module->instances.id[i]];
            weir_text_format(p->text, "    %s : ", instance->name);
            print_module_name(p, instance->module);
            if (stands_with_name(p->design, instance)) print_values(p, instance);
            add(p, instance->is_wired ? " wired\n" : "\n");
        }
        add(p, "  }\n");
    }
    if (!module->is_external) {
        add(p, "  body {\n");
        p->indent++;
        print_stmts(p, module->body);
        p->indent--;
        add(p, "  }\n");
    }
    p->indent--;
    add(p, "}\n");
}

static void number_modules(printer *p) {
    rtl_labels counts = {0};
    for (uint32_t m = 1; m < p->design->module_count; m++) {
        const rtl_module *module = &p->design->module[m];
        if (module->is_removed) continue;
        const rtl_label *known = rtl_labels_find(&counts, 0, module->name);
        rtl_label label = {.name = module->name, .number = known ? known->number + 1 : 1};
        p->number[m] = label.number;
        rtl_labels_set(&counts, &label);
    }
    rtl_labels_free(&counts);
}

static void print_text(const weir_rtl_design *design, weir_text *text, bool with_locations) {
    weir_text items = {0};
    printer p = {.design = design, .text = &items, .with_locations = with_locations, .from = design->from};
    p.number = weir_calloc(design->module_count, sizeof *p.number);
    p.origin = weir_calloc(design->origin_entry_count, sizeof *p.origin);
    p.trail = weir_calloc(design->trail_entry_count, sizeof *p.trail);
    p.used = weir_calloc(design->origin_entry_count, sizeof *p.used);
    number_modules(&p);
    for (uint32_t m = 1; m < design->module_count; m++)
        if (!design->module[m].is_removed) print_module(&p, m);
    p.text = text;
    add(&p, "wrtl 1\n");
    if (p.uses_from) {
        add(&p, "from ");
        weir_text_quoted(text, p.from);
        add(&p, "\n");
    }
    print_origins(&p);
    print_types(&p);
    print_interfaces(&p);
    weir_text_add_n(text, items.data ? items.data : "", items.size);
    weir_text_free(&items);
    free(p.number);
    free(p.origin);
    free(p.trail);
    free(p.used);
}

void weir_rtl_print_text(const weir_rtl_design *design, weir_text *text) { print_text(design, text, false); }

void weir_rtl_print_text_locations(const weir_rtl_design *design, weir_text *text) { print_text(design, text, true); }

bool weir_rtl_save_text(const weir_rtl_design *design, const char *path) {
    weir_text text = {0};
    print_text(design, &text, false);
    bool written = weir_file_write_changed(path, text.data, text.size);
    weir_text_free(&text);
    return written;
}
