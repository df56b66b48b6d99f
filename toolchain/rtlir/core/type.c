/* Types, and the parts of variables that they give. */
#include "rtlir/core/type.h"

#include <string.h>

#include "rtlir/core/private.h"

static weir_rtl_type new_named(weir_rtl_design *design, weir_rtl_type_kind kind, const char *name, uint32_t width) {
    weir_rtl_type type = {0};
    const char *own = rtl_legal_name(design, 0, "type", name);
    if (!own) return type;
    if (rtl_labels_find(&design->types, 0, own)) {
        rtl_error(design, design->location, "type name '%s' is already the name of a type", own);
        return type;
    }
    type.id = RTL_APPEND(design, type);
    rtl_type_at(design, type.id)->kind = kind;
    rtl_type_at(design, type.id)->name = own;
    rtl_type_at(design, type.id)->width = width;
    rtl_label label = {.name = own, .number = type.id};
    rtl_labels_set(&design->types, &label);
    return type;
}

weir_rtl_type weir_rtl_add_struct(weir_rtl_design *design, const char *name) {
    return new_named(design, WEIR_RTL_TYPE_STRUCT, name, 0);
}

weir_rtl_type weir_rtl_add_union(weir_rtl_design *design, const char *name) {
    return new_named(design, WEIR_RTL_TYPE_UNION, name, 0);
}

weir_rtl_type weir_rtl_add_enum(weir_rtl_design *design, const char *name, uint32_t width) {
    weir_rtl_type type = {0};
    if (width >= 1 && width <= 64) return new_named(design, WEIR_RTL_TYPE_ENUM, name, width);
    rtl_error(design, design->location, "enum '%s' has %u bits, expected 1 to 64", name, (unsigned)width);
    return type;
}

weir_rtl_type weir_rtl_find_type(const weir_rtl_design *design, const char *name) {
    const rtl_label *label = rtl_labels_find(&design->types, 0, weir_strings_intern(design->strings, name));
    return (weir_rtl_type){label ? label->number : 0};
}

/* Width and sign of a shape whose type decides them; false after an error. */
bool rtl_complete_shape(weir_rtl_design *design, const char *what, weir_rtl_shape *shape) {
    if (shape->type.id) {
        rtl_type *type = &design->type[shape->type.id];
        type->is_used = true;
        shape->width = type->width;
        shape->formula.id = type->formula;
        shape->is_signed = false;
    }
    if (shape->width >= 1 && shape->width <= WEIR_RTL_MAX_WIDTH) return true;
    rtl_error(design, design->location, "%s has %u bits, expected 1 to %d", what, (unsigned)shape->width,
              WEIR_RTL_MAX_WIDTH);
    return false;
}

/* A field or a member by its interned name, or 0. */
uint32_t rtl_find_field(const weir_rtl_design *design, uint32_t type, const char *name) {
    assert(type < design->type_count);
    const rtl_label *label = rtl_labels_find(&design->fields, type, name);
    return label ? label->number : 0;
}

/* Appends a field or a member whose name is new in the type; 0 after an error. */
static uint32_t new_field(weir_rtl_design *design, uint32_t type, const char *name) {
    assert(type > 0 && type < design->type_count);
    const char *own = rtl_legal_name(design, 0, "field", name);
    rtl_type *record = &design->type[type];
    if (!own) return 0;
    if (record->is_used) {
        rtl_error(design, design->location, "type '%s' is in use and cannot get more names, such as '%s'", record->name,
                  own);
        return 0;
    }
    if (rtl_find_field(design, type, own)) {
        rtl_error(design, design->location, "type '%s' has two fields '%s'", record->name, own);
        return 0;
    }
    uint32_t id = RTL_APPEND(design, field);
    rtl_label label = {.name = own, .scope = type, .number = id};
    rtl_labels_set(&design->fields, &label);
    design->field[id].name = own;
    if (record->last) design->field[record->last].next = id;
    else record->first = id;
    record->last = id;
    record->count++;
    return id;
}

void weir_rtl_add_field(weir_rtl_design *design, weir_rtl_type type, const char *name, weir_rtl_shape shape) {
    if (!type.id || !rtl_complete_shape(design, name, &shape)) return;
    if (shape.formula.id || rtl_type_has_formula(design, shape.type.id)) {
        rtl_error(design, design->location, "field '%s' of type '%s' has a width that depends on parameters", name,
                  rtl_type_at(design, type.id)->name);
        return;
    }
    rtl_type *record = rtl_type_at(design, type.id);
    bool is_union = record->kind == WEIR_RTL_TYPE_UNION;
    if ((!is_union && record->kind != WEIR_RTL_TYPE_STRUCT) || shape.type.id == type.id ||
        design->type[shape.type.id].kind == WEIR_RTL_TYPE_MEMORY) {
        rtl_error(design, design->location, "'%s' cannot be a field of type '%s'", name, record->name);
        return;
    }
    if (is_union && record->count > 0 && shape.width != record->width) {
        rtl_error(design, design->location, "field '%s' has %u bits, expected %u as the others of union '%s'", name,
                  (unsigned)shape.width, (unsigned)record->width, record->name);
        return;
    }
    if (!is_union && record->width + shape.width > WEIR_RTL_MAX_WIDTH) {
        rtl_error(design, design->location, "struct '%s' has more than %d bits", record->name, WEIR_RTL_MAX_WIDTH);
        return;
    }
    uint32_t id = new_field(design, type.id, name);
    if (!id) return;
    design->field[id].shape = shape;
    design->field[id].above = is_union ? 0 : record->width;
    record->width = is_union ? shape.width : record->width + shape.width;
}

void weir_rtl_add_member(weir_rtl_design *design, weir_rtl_type type, const char *name, uint64_t value) {
    if (!type.id) return;
    const rtl_type *record = rtl_type_at(design, type.id);
    if (record->kind != WEIR_RTL_TYPE_ENUM || (record->width < 64 && value >> record->width)) {
        rtl_error(design, design->location, "'%s' = %llu cannot be a member of type '%s' with %u bits", name,
                  (unsigned long long)value, record->name, (unsigned)record->width);
        return;
    }
    uint32_t same = record->count > 0 && value <= record->top ? record->first : 0;
    while (same && design->field[same].value != value) same = design->field[same].next;
    if (same) {
        rtl_error(design, design->location, "members '%s' and '%s' of enum '%s' have one value",
                  design->field[same].name, name, record->name);
        return;
    }
    uint32_t id = new_field(design, type.id, name);
    if (!id) return;
    rtl_type *enumeration = rtl_type_at(design, type.id);
    enumeration->top = value > enumeration->top ? value : enumeration->top;
    design->field[id].value = value;
    rtl_label label = {.name = design->field[id].name, .number = type.id};
    if (rtl_labels_find(&design->fields, 0, label.name)) label.number = 0;
    rtl_labels_set(&design->fields, &label);
}

weir_rtl_type rtl_new_array(weir_rtl_design *design, weir_rtl_type_kind kind, rtl_size count, weir_rtl_shape element) {
    assert(kind == WEIR_RTL_TYPE_ARRAY || kind == WEIR_RTL_TYPE_MEMORY);
    weir_rtl_type type = {0};
    bool is_memory = kind == WEIR_RTL_TYPE_MEMORY;
    if (!rtl_complete_shape(design, "an element", &element)) return type;
    int64_t width = element.width;
    bool is_large = count.number < 1 || count.number > WEIR_RTL_MAX_ELEMENTS;
    if (!is_large && !is_memory) width *= count.number;
    if (is_large || width > WEIR_RTL_MAX_WIDTH ||
        (!is_memory && design->type[element.type.id].kind == WEIR_RTL_TYPE_MEMORY)) {
        rtl_error(design, design->location, "an array of %lld elements of %u bits cannot be made",
                  (long long)count.number, (unsigned)element.width);
        return type;
    }
    rtl_size size = {element.width, element.formula.id};
    if (!is_memory && (count.formula || size.formula)) size = rtl_size_apply(design, WEIR_RTL_MULTIPLY, count, size);
    type.id = RTL_APPEND(design, type);
    rtl_type *record = rtl_type_at(design, type.id);
    record->kind = kind;
    record->count = (uint32_t)count.number;
    record->count_formula = count.formula;
    record->width = (uint32_t)width;
    record->formula = size.formula;
    record->element = element;
    return type;
}

weir_rtl_type weir_rtl_array_of(weir_rtl_design *design, uint32_t count, weir_rtl_shape element) {
    return rtl_new_array(design, WEIR_RTL_TYPE_ARRAY, (rtl_size){.number = count}, element);
}

weir_rtl_type weir_rtl_memory_of(weir_rtl_design *design, uint32_t count, weir_rtl_shape element) {
    return rtl_new_array(design, WEIR_RTL_TYPE_MEMORY, (rtl_size){.number = count}, element);
}

bool rtl_type_has_formula(const weir_rtl_design *design, uint32_t type) {
    assert(type < design->type_count);
    for (; design->type[type].kind >= WEIR_RTL_TYPE_ARRAY; type = design->type[type].element.type.id)
        if (design->type[type].count_formula || design->type[type].formula || design->type[type].element.formula.id)
            return true;
    return false;
}

uint32_t rtl_type_of(const weir_rtl_design *design, uint32_t expr) {
    assert(expr < design->expr_count);
    const rtl_expr *e = &design->expr[expr];
    switch (e->kind) {
    case WEIR_RTL_EXPR_VAR: return rtl_var_of(design, e)->type;
    case WEIR_RTL_EXPR_PORT: return design->var[e->b].type;
    case WEIR_RTL_EXPR_ELEMENT:
    case WEIR_RTL_EXPR_FIELD:
    case WEIR_RTL_EXPR_CONSTANT: return e->c;
    default: return 0;
    }
}

weir_rtl_type weir_rtl_type_of(const weir_rtl_design *design, weir_rtl_expr expr) {
    return (weir_rtl_type){rtl_type_of(design, expr.id)};
}

uint32_t rtl_index_bits(uint32_t count) {
    uint32_t bits = 1;
    while (bits < 31 && UINT32_C(1) << bits < count) bits++;
    return bits;
}

uint32_t rtl_member_of(const weir_rtl_design *design, uint32_t expr) {
    assert(expr < design->expr_count);
    const rtl_expr *e = &design->expr[expr];
    if (e->kind != WEIR_RTL_EXPR_CONSTANT || e->is_signed || !e->c) return 0;
    const rtl_type *type = &design->type[e->c];
    uint64_t value = rtl_words_of(design, e)[0];
    /* Members that were made one after the other with the values 0, 1, ... are where they would be. */
    if (type->last - type->first + 1 == type->count && value < type->count &&
        design->field[type->first + (uint32_t)value].value == value)
        return type->first + (uint32_t)value;
    uint32_t f = type->first;
    while (f && design->field[f].value != value) f = design->field[f].next;
    return f;
}

/* ---- reading back ---- */

weir_rtl_type weir_rtl_next_type(const weir_rtl_design *design, weir_rtl_type type) {
    return (weir_rtl_type){type.id + 1 < design->type_count ? type.id + 1 : 0};
}

weir_rtl_type weir_rtl_first_type(const weir_rtl_design *design) {
    return weir_rtl_next_type(design, (weir_rtl_type){0});
}

weir_rtl_type_info weir_rtl_get_type(const weir_rtl_design *design, weir_rtl_type type) {
    const rtl_type *record = rtl_type_at(design, type.id);
    return (weir_rtl_type_info){record->kind,    record->name,      record->width,          record->count,
                                record->element, {record->formula}, {record->count_formula}};
}

weir_rtl_field_info weir_rtl_field_at(const weir_rtl_design *design, weir_rtl_type type, uint32_t index) {
    uint32_t f = rtl_type_at(design, type.id)->first;
    while (index-- > 0) f = design->field[f].next;
    assert(f > 0 && f < design->field_count);
    const rtl_field *field = &design->field[f];
    return (weir_rtl_field_info){field->name, field->shape,
                                 rtl_type_at(design, type.id)->width - field->above - field->shape.width, field->value};
}

/* Arrays are alike by what they hold, named types by being the same. */
bool weir_rtl_same_type(const weir_rtl_design *design, weir_rtl_type a, weir_rtl_type b) {
    while (a.id != b.id) {
        const rtl_type *x = rtl_type_at(design, a.id);
        const rtl_type *y = rtl_type_at(design, b.id);
        bool is_array = x->kind == WEIR_RTL_TYPE_ARRAY || x->kind == WEIR_RTL_TYPE_MEMORY;
        if (!is_array || x->kind != y->kind || x->count != y->count || x->width != y->width ||
            x->element.is_signed != y->element.is_signed || x->count_formula != y->count_formula ||
            x->formula != y->formula)
            return false;
        a = x->element.type;
        b = y->element.type;
    }
    return true;
}
