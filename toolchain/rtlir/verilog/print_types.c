/* Text of named types. In SystemVerilog they are in a package, named after the design's top (or, of a module that is
 * printed alone, after that), before every module that uses them and guarded, so that the files of a design can be read
 * in any order and those of two designs together. Modules import it; a type or a member whose name means something else
 * in one of the modules, or in one of their functions, has another name in the package. In Verilog-2005 members of
 * enums are localparams of the module. */
#include <stdlib.h>

#include "rtlir/core/visitor.h"
#include "rtlir/verilog/printer_private.h"

/* ---- which types ---- */

/* Marks a type and what it is made of. */
void rtl_mark_type(const weir_rtl_design *design, uint32_t type, bool *used) {
    assert(type < design->type_count);
    while (design->type[type].kind >= WEIR_RTL_TYPE_ARRAY) type = design->type[type].element.type.id;
    if (!type || used[type]) return;
    used[type] = true;
    bool has_fields = design->type[type].kind != WEIR_RTL_TYPE_ENUM;
    for (uint32_t f = has_fields ? design->type[type].first : 0; f; f = design->field[f].next)
        rtl_mark_type(design, design->field[f].shape.type.id, used); /* fields are of earlier types, so this ends */
}

static void mark_expr(const weir_rtl_design *design, uint32_t expr, bool *used) {
    assert(expr < design->expr_count);
    const rtl_expr *e = &design->expr[expr];
    if (e->kind == WEIR_RTL_EXPR_CONSTANT) rtl_mark_type(design, e->c, used);
    weir_rtl_expr handle = {expr};
    for (size_t i = weir_rtl_get_expr(design, handle).operand_count; i-- > 0;)
        mark_expr(design, weir_rtl_operand(design, handle, i).id, used);
}

/* Types of variables and of constants of the module. */
void rtl_mark_types(const weir_rtl_design *design, uint32_t id, bool *used) {
    const rtl_module *module = &design->module[id];
    for (uint32_t v = module->first_var; v; v = design->var[v].next) rtl_mark_type(design, design->var[v].type, used);
    for (uint32_t s = design->block[module->body].first; s; s = design->stmt[s].next)
        for (uint32_t i = s; i; i = rtl_walk_next(design, i, s)) {
            for (size_t k = 0; rtl_stmt_slot(design, i, k); k++) mark_expr(design, *rtl_stmt_slot(design, i, k), used);
            if (design->stmt[i].kind != WEIR_RTL_STMT_INSTANCE) continue;
            const rtl_instance *instance = &design->instance[design->stmt[i].a];
            for (uint32_t k = 0; k < instance->connection_count; k++)
                if (instance->connection[k] != RTL_OPEN) mark_expr(design, instance->connection[k], used);
        }
}

bool *rtl_used_types(const weir_rtl_design *design, uint32_t module) {
    bool *used = weir_calloc(design->type_count, sizeof *used);
    if (design->type_count > 1) rtl_mark_types(design, module, used);
    return used;
}

/* ---- names ---- */

static void print_member_value(rtl_writer *w, const rtl_type *type, uint32_t field) {
    assert(field < w->design->field_count);
    rtl_put(w, " = ");
    rtl_put_number(w, type->width);
    rtl_put(w, "'d");
    rtl_put_number(w, w->design->field[field].value);
}

/* Those that nothing names are not worth a warning. */
void rtl_print_members(rtl_writer *w, const bool *used) {
    bool any = false;
    for (uint32_t t = 1; t < w->design->type_count; t++) {
        const rtl_type *type = &w->design->type[t];
        if (!used[t] || type->kind != WEIR_RTL_TYPE_ENUM) continue;
        rtl_put(w, any ? "" : "\n  /* verilator lint_off UNUSEDPARAM */\n");
        any = true;
        for (uint32_t f = type->first; f; f = w->design->field[f].next) {
            rtl_put(w, "  localparam");
            rtl_print_type(w, 0, (rtl_size){.number = type->width}, false);
            rtl_put_char(w, ' ');
            rtl_print_member(w, f);
            print_member_value(w, type, f);
            rtl_put(w, ";\n");
        }
    }
    if (any) rtl_put(w, "  /* verilator lint_on UNUSEDPARAM */\n");
}

/* ---- definitions ---- */

static void print_fields(rtl_writer *w, uint32_t id) {
    assert(id < w->design->type_count);
    const rtl_type *type = &w->design->type[id];
    for (uint32_t f = type->first; f; f = w->design->field[f].next) {
        const rtl_field *field = &w->design->field[f];
        rtl_put(w, "  ");
        if (type->kind == WEIR_RTL_TYPE_ENUM) {
            rtl_print_member(w, f);
            print_member_value(w, type, f);
            rtl_put(w, field->next ? ",\n" : "\n");
            continue;
        }
        const uint32_t name = rtl_named_type(w->design, field->shape.type.id);
        if (name) rtl_put_type_name(w, name);
        else rtl_put(w, "logic");
        rtl_print_type(w, field->shape.type.id, (rtl_size){.number = field->shape.width}, field->shape.is_signed);
        rtl_put_char(w, ' ');
        rtl_put(w, field->name);
        rtl_put(w, ";\n");
    }
}

void rtl_print_typedef(rtl_writer *w, uint32_t id) {
    assert(id < w->design->type_count);
    const rtl_type *type = &w->design->type[id];
    bool is_enum = type->kind == WEIR_RTL_TYPE_ENUM;
    rtl_put(w, is_enum                             ? "typedef enum logic"
               : type->kind == WEIR_RTL_TYPE_UNION ? "typedef union packed"
                                                   : "typedef struct packed");
    if (is_enum) rtl_print_type(w, 0, (rtl_size){.number = type->width}, false);
    rtl_put(w, " {\n");
    print_fields(w, id);
    rtl_put(w, "} ");
    rtl_put_type_name(w, id);
    rtl_put(w, ";\n");
}

void weir_rtl_print_typedef(weir_rtl_design *design, weir_rtl_type type, weir_text *text) {
    static const weir_rtl_print_options system = {.dialect = WEIR_RTL_SYSTEMVERILOG};
    rtl_writer w = {.design = design, .options = &system, .is_system = true, .text = text};
    if (type.id && design->type[type.id].name) rtl_print_typedef(&w, type.id);
}

/* ---- packages ---- */
