/* Parts of variables that their types give: elements, fields; and members of enums. */
#include "rtlir/core/private.h"

static const weir_rtl_expr none = {0};

/* Iterators, constants and what is computed of them. */
static bool is_static(const weir_rtl_design *design, uint32_t expr) {
    assert(expr < design->expr_count);
    const rtl_expr *e = &design->expr[expr];
    switch (e->kind) {
    case WEIR_RTL_EXPR_VAR: return rtl_var_of(design, e)->is_iterator;
    case WEIR_RTL_EXPR_CONSTANT:
    case WEIR_RTL_EXPR_PARAMETER: return true;
    case WEIR_RTL_EXPR_UNARY: return is_static(design, e->a);
    case WEIR_RTL_EXPR_BINARY: return is_static(design, e->a) && is_static(design, e->b);
    default: return false;
    }
}

static bool is_index(weir_rtl_design *design, const rtl_type *type, weir_rtl_expr index) {
    const rtl_expr *e = rtl_expr_at(design, index.id);
    if (e->width == 32 && e->is_signed && is_static(design, index.id)) return true;
    bool fits = !e->is_signed && e->width <= rtl_index_bits(type->count);
    if (e->kind == WEIR_RTL_EXPR_CONSTANT && fits) fits = rtl_words_of(design, e)[0] < type->count;
    if (!fits)
        rtl_error(design, design->location, "'%s' cannot index %u elements, expected at most %u unsigned bits",
                  rtl_describe(design, index.id), (unsigned)type->count, (unsigned)rtl_index_bits(type->count));
    return fits;
}

weir_rtl_expr weir_rtl_element(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr index) {
    if (!value.id || !index.id) return none;
    const rtl_type *type = &design->type[rtl_type_of(design, value.id)];
    if (type->kind != WEIR_RTL_TYPE_ARRAY && type->kind != WEIR_RTL_TYPE_MEMORY) {
        rtl_error(design, design->location, "'%s' is not an array and has no elements", rtl_describe(design, value.id));
        return none;
    }
    if (!is_index(design, type, index)) return none;
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_ELEMENT,
                     .width = type->element.width,
                     .formula = type->element.formula.id,
                     .is_signed = type->element.is_signed,
                     .a = value.id,
                     .b = index.id,
                     .c = type->element.type.id};
    return rtl_add_expr(design, expr, value.id, index.id, 0);
}

weir_rtl_expr weir_rtl_element_at(weir_rtl_design *design, weir_rtl_expr value, uint32_t index) {
    if (!value.id) return none;
    uint32_t count = design->type[rtl_type_of(design, value.id)].count;
    uint32_t bits = rtl_index_bits(count > index ? count : index + (index < UINT32_MAX));
    return weir_rtl_element(design, value, weir_rtl_constant(design, bits, index));
}

weir_rtl_expr weir_rtl_field(weir_rtl_design *design, weir_rtl_expr value, const char *name) {
    if (!value.id) return none;
    const rtl_type *type = &design->type[rtl_type_of(design, value.id)];
    const char *own = weir_strings_intern(design->strings, name);
    bool has_fields = type->kind == WEIR_RTL_TYPE_STRUCT || type->kind == WEIR_RTL_TYPE_UNION;
    uint32_t f = has_fields ? rtl_find_field(design, rtl_type_of(design, value.id), own) : 0;
    if (!f) {
        rtl_error(design, design->location, "'%s' has no field '%s'", rtl_describe(design, value.id), name);
        return none;
    }
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_FIELD,
                     .width = design->field[f].shape.width,
                     .is_signed = design->field[f].shape.is_signed,
                     .a = value.id,
                     .b = f,
                     .c = design->field[f].shape.type.id};
    return rtl_add_expr(design, expr, value.id, 0, 0);
}

weir_rtl_expr weir_rtl_member(weir_rtl_design *design, weir_rtl_type type, const char *name) {
    if (!type.id) return none;
    const rtl_type *record = rtl_type_at(design, type.id);
    const char *own = weir_strings_intern(design->strings, name);
    uint32_t f = record->kind == WEIR_RTL_TYPE_ENUM ? rtl_find_field(design, type.id, own) : 0;
    if (!f) {
        rtl_error(design, design->location, "type '%s' has no member '%s'", record->name ? record->name : "array",
                  name);
        return none;
    }
    return rtl_add_constant(design, record->width, false, &design->field[f].value, type.id);
}
