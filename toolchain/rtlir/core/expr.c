/* Expressions. Records never change once made; size and depth are bounded, so that walking one stays cheap. */
#include "rtlir/core/expr.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"

static const weir_rtl_expr none = {0};

/* Only branches of conditionals float: nothing computes with high impedance. False after an error. */
static bool take_floating(weir_rtl_design *design, rtl_expr *expr, uint32_t operand) {
    assert(operand < design->expr_count);
    if (!design->expr[operand].floats) return true;
    expr->floats = expr->kind == WEIR_RTL_EXPR_CONDITIONAL && operand != expr->a;
    if (!expr->floats)
        rtl_error(design, design->location,
                  "'%s' cannot be part of this expression, because no operator accepts 'z: expected it as a branch of "
                  "'CONDITION ? VALUE : 'z', assigned as a whole to an inout port or a wire",
                  rtl_describe(design, operand));
    return expr->floats;
}

/* Accounts for one operand in a new expression: size, depth and the module of both. False after an error. */
static bool take_operand(weir_rtl_design *design, rtl_expr *expr, uint32_t operand) {
    assert(operand < design->expr_count);
    const rtl_expr *part = &design->expr[operand];
    if (!take_floating(design, expr, operand)) return false;
    if (expr->kind != WEIR_RTL_EXPR_ELEMENT &&
        design->type[rtl_type_of(design, operand)].kind == WEIR_RTL_TYPE_MEMORY) {
        rtl_error(design, design->location, "'%s' is a memory, of which only elements can be read",
                  rtl_describe(design, operand));
        return false;
    }
    uint32_t size = (uint32_t)expr->size + part->size;
    if (part->depth >= expr->depth) expr->depth = (uint16_t)(part->depth + 1);
    expr->size = (uint16_t)size;
    if (size >= RTL_MAX_EXPR_SIZE || expr->depth > RTL_MAX_DEPTH) {
        rtl_error(design, design->location,
                  "an expression has more than %d parts or %d levels; assign some of its parts to variables",
                  RTL_MAX_EXPR_SIZE, RTL_MAX_DEPTH);
        return false;
    }
    if (part->module && expr->module && part->module != expr->module) {
        rtl_error(design, design->location, "'%s' belongs to module '%s', the rest of its expression to '%s'",
                  rtl_describe(design, operand), design->module[part->module].name, design->module[expr->module].name);
        return false;
    }
    if (part->module) expr->module = part->module;
    if (part->has_parameter) expr->has_parameter = true;
    return true;
}

/* Formulas belong to a module and make it a parametrised one. False after an error: of another module's parameters. */
static bool take_formula(weir_rtl_design *design, rtl_expr *expr, uint32_t formula) {
    uint32_t module = formula ? rtl_formula_module(design, formula) : 0;
    if (!module) return true;
    if (expr->module && expr->module != module) {
        rtl_error(design, design->location, "an expression of module '%s' has a width that depends on module '%s'",
                  design->module[expr->module].name, design->module[module].name);
        return false;
    }
    expr->module = module;
    expr->has_parameter = true;
    design->module[module].is_parametrised = true;
    return true;
}

weir_rtl_expr rtl_add_expr(weir_rtl_design *design, rtl_expr expr, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t operands[3] = {a, b, c};
    expr.size++;
    for (int i = 0; i < 3; i++)
        if (operands[i] && !take_operand(design, &expr, operands[i])) return none;
    bool is_indexed = expr.kind == WEIR_RTL_EXPR_SELECT || expr.kind == WEIR_RTL_EXPR_ELEMENT;
    if (is_indexed && design->expr[expr.b].has_parameter) design->module[expr.module].is_parametrised = true;
    if (!take_formula(design, &expr, expr.formula)) return none;
    if (expr.kind == WEIR_RTL_EXPR_SLICE && !take_formula(design, &expr, expr.c)) return none;
    if (expr.width > WEIR_RTL_MAX_WIDTH) {
        rtl_error(design, design->location, "an expression has %u bits, expected at most %d", (unsigned)expr.width,
                  WEIR_RTL_MAX_WIDTH);
        return none;
    }
    uint32_t id = RTL_APPEND(design, expr);
    design->expr[id] = expr;
    return (weir_rtl_expr){id};
}

weir_rtl_expr weir_rtl_read(weir_rtl_design *design, weir_rtl_var var) {
    if (!var.id) return none;
    rtl_var *record = rtl_var_at(design, var.id);
    if (record->read) return (weir_rtl_expr){record->read};
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_VAR,
                     .width = record->width,
                     .formula = record->formula,
                     .has_parameter = rtl_type_has_formula(design, record->type),
                     .is_signed = record->is_signed,
                     .carries = record->kind,
                     .module = record->module,
                     .a = var.id};
    record->read = rtl_add_expr(design, expr, 0, 0, 0).id;
    return (weir_rtl_expr){record->read};
}

weir_rtl_expr weir_rtl_read_parameter(weir_rtl_design *design, weir_rtl_parameter parameter) {
    if (!parameter.id) return none;
    const rtl_value *value = &rtl_parameter_at(design, parameter.id)->value;
    if (value->kind != RTL_VALUE_INTEGER || value->integer < INT32_MIN || value->integer > INT32_MAX) {
        rtl_error(design, design->location,
                  "parameter '%s' is not a 32-bit integer and cannot be part of an expression",
                  rtl_parameter_at(design, parameter.id)->name);
        return none;
    }
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_PARAMETER,
                     .width = 32,
                     .is_signed = true,
                     .has_parameter = true,
                     .module = rtl_parameter_at(design, parameter.id)->module,
                     .a = parameter.id};
    return rtl_add_expr(design, expr, 0, 0, 0);
}

/* ---- constants ---- */

static uint32_t constant_hash(const rtl_expr *expr, uint64_t word) {
    uint64_t hash = (word ^ ((uint64_t)expr->base << 56 | (uint64_t)expr->width << 33 |
                             (uint64_t)expr->is_signed << 32 | expr->c)) *
                    UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hash >> 32);
}

typedef struct constant_wanted {
    const weir_rtl_design *design;
    const rtl_expr *expr;
    uint64_t word;
} constant_wanted;

static bool is_constant(const void *user, uint64_t id, uint64_t value) {
    (void)value;
    const constant_wanted *w = user;
    const rtl_expr *e = &w->design->expr[id];
    return w->design->word[e->a] == w->word && e->width == w->expr->width && e->is_signed == w->expr->is_signed &&
           e->c == w->expr->c && e->base == w->expr->base;
}

weir_rtl_expr rtl_new_constant(weir_rtl_design *design, rtl_expr expr, const uint64_t *words) {
    const uint32_t count = (expr.width + 63) / 64;
    uint64_t few[4], *copy = count <= 4 ? few : weir_malloc(count * sizeof *copy);
    memcpy(copy, words, count * sizeof *copy); /* `words` may point into the table that grows */
    expr.a = (uint32_t)design->word_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = RTL_APPEND(design, word);
        design->word[id] = copy[i];
    }
    if (copy != few) free(copy);
    return rtl_add_expr(design, expr, 0, 0, 0);
}

/* Constants of up to 64 bits are shared. */
static weir_rtl_expr share_constant(weir_rtl_design *design, rtl_expr expr, const uint64_t *words) {
    assert(expr.kind == WEIR_RTL_EXPR_CONSTANT && expr.width > 0);
    if (expr.width > 64) return rtl_new_constant(design, expr, words);
    const constant_wanted wanted = {design, &expr, words[0]};
    const uint32_t hash = constant_hash(&expr, words[0]);
    bool is_new;
    weir_map_entry *entry = weir_map_put_as(&design->constants, hash, is_constant, &wanted, &is_new);
    if (is_new) entry->key = rtl_new_constant(design, expr, words).id;
    return (weir_rtl_expr){(uint32_t)entry->key};
}

weir_rtl_expr rtl_add_constant(weir_rtl_design *design, uint32_t width, bool is_signed, const uint64_t *words,
                               uint32_t type) {
    const rtl_expr expr = {.kind = WEIR_RTL_EXPR_CONSTANT, .width = width, .is_signed = is_signed, .c = type};
    return share_constant(design, expr, words);
}

weir_rtl_expr rtl_in_base(weir_rtl_design *design, weir_rtl_expr constant, rtl_base base) {
    rtl_expr expr = *rtl_expr_at(design, constant.id);
    if (!constant.id || expr.base == base) return constant;
    assert(expr.kind == WEIR_RTL_EXPR_CONSTANT);
    expr.base = base;
    expr.size = 0;
    const uint64_t *words = design->word + expr.a;
    return expr.formula || expr.b ? rtl_new_constant(design, expr, words) : share_constant(design, expr, words);
}

weir_rtl_expr weir_rtl_constant_words(weir_rtl_design *design, uint32_t width, bool is_signed, const uint64_t *words) {
    if (width < 1 || width > WEIR_RTL_MAX_WIDTH) {
        rtl_error(design, design->location, "a constant has %u bits, expected 1 to %d", (unsigned)width,
                  WEIR_RTL_MAX_WIDTH);
        return none;
    }
    if (width % 64 && words[(width - 1) / 64] >> (width % 64)) {
        rtl_error(design, design->location, "a constant has bits beyond its width of %u", (unsigned)width);
        return none;
    }
    return rtl_add_constant(design, width, is_signed, words, 0);
}

static weir_rtl_expr constant64(weir_rtl_design *design, uint32_t width, bool is_signed, uint64_t value, bool fill) {
    if (width <= 64) {
        uint64_t word = width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
        return weir_rtl_constant_words(design, width, is_signed, &word);
    }
    if (width > WEIR_RTL_MAX_WIDTH) return weir_rtl_constant_words(design, width, is_signed, &value);
    size_t count = (width + 63) / 64;
    uint64_t *words = weir_arena_array(design->arena, count, sizeof *words);
    if (fill) memset(words, 0xff, count * sizeof *words);
    words[0] = value;
    if (fill && width % 64) words[count - 1] &= (UINT64_C(1) << (width % 64)) - 1;
    return weir_rtl_constant_words(design, width, is_signed, words);
}

weir_rtl_expr weir_rtl_constant(weir_rtl_design *design, uint32_t width, uint64_t value) {
    if (width < 64 && value >> width) {
        rtl_error(design, design->location, "constant %llu does not fit in %u unsigned bits", (unsigned long long)value,
                  (unsigned)width);
        return none;
    }
    return constant64(design, width, false, value, false);
}

weir_rtl_expr weir_rtl_constant_signed(weir_rtl_design *design, uint32_t width, int64_t value) {
    bool fits = width >= 64;
    if (width > 0 && width < 64) fits = value >= -(INT64_C(1) << (width - 1)) && value < INT64_C(1) << (width - 1);
    if (!fits) {
        rtl_error(design, design->location, "constant %lld does not fit in %u signed bits", (long long)value,
                  (unsigned)width);
        return none;
    }
    return constant64(design, width, true, (uint64_t)value, value < 0);
}

weir_rtl_expr rtl_high_z(weir_rtl_design *design, rtl_size width, bool is_signed) {
    const rtl_expr expr = {.kind = WEIR_RTL_EXPR_HIGH_Z,
                           .width = (uint32_t)width.number,
                           .formula = width.formula,
                           .is_signed = is_signed,
                           .floats = true};
    return rtl_add_expr(design, expr, 0, 0, 0);
}

weir_rtl_expr weir_rtl_high_z(weir_rtl_design *design, uint32_t width) {
    return rtl_high_z(design, (rtl_size){.number = width}, false);
}

bool weir_rtl_floats(const weir_rtl_design *design, weir_rtl_expr value) {
    return rtl_expr_at(design, value.id)->floats;
}

bool weir_rtl_takes_floating(const weir_rtl_design *design, weir_rtl_expr target) {
    const rtl_expr *e = rtl_expr_at(design, target.id);
    while (rtl_is_part(e->kind)) e = &design->expr[e->a];
    if (e->kind == WEIR_RTL_EXPR_CONCAT) {
        for (uint32_t i = 0; i < e->b; i++)
            if (!weir_rtl_takes_floating(design, (weir_rtl_expr){design->operand[e->a + i]})) return false;
        return true;
    }
    assert(e->kind == WEIR_RTL_EXPR_PORT || e->kind == WEIR_RTL_EXPR_VAR);
    const rtl_var *var = &design->var[e->kind == WEIR_RTL_EXPR_PORT ? e->b : e->a];
    if (e->kind == WEIR_RTL_EXPR_PORT || var->direction != WEIR_RTL_INTERNAL) return var->direction == WEIR_RTL_INOUT;
    return !var->is_register && design->type[var->type].kind != WEIR_RTL_TYPE_MEMORY;
}

/* ---- parts of variables ---- */

/* Bits [low, low + width) of a constant. */
static weir_rtl_expr slice_constant(weir_rtl_design *design, const rtl_expr *value, uint32_t low, uint32_t width) {
    assert(value->kind == WEIR_RTL_EXPR_CONSTANT && width > 0 && low + width <= value->width);
    size_t count = (width + 63) / 64;
    size_t available = (value->width + 63) / 64;
    uint64_t *words = weir_arena_array(design->arena, count, sizeof *words);
    for (size_t i = 0; i < count; i++) {
        size_t from = low / 64 + i;
        words[i] = design->word[value->a + from] >> (low % 64);
        if (low % 64 && from + 1 < available) words[i] |= design->word[value->a + from + 1] << (64 - low % 64);
    }
    if (width % 64) words[count - 1] &= (UINT64_C(1) << (width % 64)) - 1;
    return weir_rtl_constant_words(design, width, false, words);
}

/* Arrays have elements instead of bits: reports it. */
static bool is_array(weir_rtl_design *design, weir_rtl_expr value) {
    if (design->type[rtl_type_of(design, value.id)].kind < WEIR_RTL_TYPE_ARRAY) return false;
    rtl_error(design, design->location, "'%s' is an array; take elements of it", rtl_describe(design, value.id));
    return true;
}

weir_rtl_expr rtl_slice(weir_rtl_design *design, weir_rtl_expr value, rtl_size low, rtl_size width) {
    if (!value.id) return none;
    rtl_expr from = *rtl_expr_at(design, value.id);
    if (low.number < 0 || width.number < 1 || low.number + width.number > from.width) {
        rtl_error(design, design->location, "slice [%lld:%lld] is outside of '%s', which has %u bits",
                  (long long)(low.number + width.number - 1), (long long)low.number, rtl_describe(design, value.id),
                  (unsigned)from.width);
        return none;
    }
    bool is_fixed = !from.formula && !low.formula && !width.formula;
    if (from.kind == WEIR_RTL_EXPR_CONSTANT && is_fixed)
        return slice_constant(design, &from, (uint32_t)low.number, (uint32_t)width.number);
    if (from.kind == WEIR_RTL_EXPR_SLICE) {
        value.id = from.a;
        low = rtl_size_apply(design, WEIR_RTL_ADD, low, (rtl_size){from.b, from.c});
    } else if (!rtl_has_parts(from.kind)) {
        rtl_error(design, design->location, "'%s' is not a variable and cannot be sliced; assign it to a wire first",
                  rtl_describe(design, value.id));
        return none;
    }
    if (rtl_same_size(design, width, rtl_width_of(design, value.id))) return weir_rtl_as_unsigned(design, value);
    if (is_array(design, value)) return none;
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_SLICE,
                     .width = (uint32_t)width.number,
                     .formula = width.formula,
                     .a = value.id,
                     .b = (uint32_t)low.number,
                     .c = low.formula};
    return rtl_add_expr(design, expr, value.id, 0, 0);
}

weir_rtl_expr weir_rtl_slice(weir_rtl_design *design, weir_rtl_expr value, uint32_t high, uint32_t low) {
    return rtl_slice(design, value, (rtl_size){.number = low}, (rtl_size){.number = (int64_t)high - low + 1});
}

weir_rtl_expr weir_rtl_bit(weir_rtl_design *design, weir_rtl_expr value, uint32_t index) {
    return weir_rtl_slice(design, value, index, index);
}

weir_rtl_expr rtl_select(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr base, rtl_size width) {
    if (!value.id || !base.id) return none;
    const rtl_expr *from = rtl_expr_at(design, value.id);
    if (!rtl_has_parts(from->kind) || from->width < 2 || width.number < 1 || width.number > from->width) {
        rtl_error(design, design->location, "'%s' has %u bits; a select of %lld bits needs a variable of at least %lld",
                  rtl_describe(design, value.id), (unsigned)from->width, (long long)width.number,
                  (long long)(width.number < 2 ? 2 : width.number));
        return none;
    }
    if (is_array(design, value)) return none;
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_SELECT,
                     .width = (uint32_t)width.number,
                     .formula = width.formula,
                     .a = value.id,
                     .b = base.id};
    return rtl_add_expr(design, expr, value.id, base.id, 0);
}

weir_rtl_expr weir_rtl_select(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr base, uint32_t width) {
    return rtl_select(design, value, base, (rtl_size){.number = width});
}

/* ---- concatenations ---- */

weir_rtl_expr rtl_add_list(weir_rtl_design *design, rtl_expr expr, size_t count, const weir_rtl_expr *operands) {
    for (size_t i = 0; i < count; i++)
        if (!operands[i].id || !take_operand(design, &expr, operands[i].id)) return none;
    expr.a = (uint32_t)design->operand_count;
    expr.b = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        uint32_t id = RTL_APPEND(design, operand);
        design->operand[id] = operands[i].id;
    }
    return rtl_add_expr(design, expr, 0, 0, 0);
}

weir_rtl_expr weir_rtl_concat(weir_rtl_design *design, size_t count, const weir_rtl_expr *parts) {
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_CONCAT};
    uint64_t width = 0;
    rtl_size size = {0};
    for (size_t i = 0; i < count; i++) {
        if (!parts[i].id) return none;
        width += design->expr[parts[i].id].width;
        expr.formula |= design->expr[parts[i].id].formula;
    }
    for (size_t i = 0; i < count && expr.formula; i++)
        size = rtl_size_apply(design, WEIR_RTL_ADD, size, rtl_width_of(design, parts[i].id));
    expr.formula = size.formula;
    if (count == 0 || width > WEIR_RTL_MAX_WIDTH) {
        rtl_error(design, design->location, "a concatenation has %llu bits, expected 1 to %d",
                  (unsigned long long)width, WEIR_RTL_MAX_WIDTH);
        return none;
    }
    if (count == 1) return weir_rtl_as_unsigned(design, parts[0]);
    expr.width = (uint32_t)width;
    return rtl_add_list(design, expr, count, parts);
}

weir_rtl_expr weir_rtl_concat2(weir_rtl_design *design, weir_rtl_expr high, weir_rtl_expr low) {
    const weir_rtl_expr parts[2] = {high, low};
    return weir_rtl_concat(design, 2, parts);
}

weir_rtl_expr rtl_repeat(weir_rtl_design *design, rtl_size count, weir_rtl_expr value) {
    if (!value.id) return none;
    int64_t width = 0;
    bool is_large = __builtin_mul_overflow(count.number, (int64_t)rtl_expr_at(design, value.id)->width, &width);
    if (is_large || width < 1 || width > WEIR_RTL_MAX_WIDTH) {
        rtl_error(design, design->location, "a replication has %lld bits, expected 1 to %d", (long long)width,
                  WEIR_RTL_MAX_WIDTH);
        return none;
    }
    if (count.number == 1 && !count.formula) return weir_rtl_as_unsigned(design, value);
    rtl_size size = {.number = width};
    if (count.formula || rtl_expr_at(design, value.id)->formula)
        size = rtl_size_apply(design, WEIR_RTL_MULTIPLY, count, rtl_width_of(design, value.id));
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_REPEAT,
                     .width = (uint32_t)width,
                     .formula = size.formula,
                     .a = value.id,
                     .b = (uint32_t)count.number,
                     .c = count.formula};
    return rtl_add_expr(design, expr, value.id, 0, 0);
}

weir_rtl_expr weir_rtl_repeat(weir_rtl_design *design, uint32_t count, weir_rtl_expr value) {
    return rtl_repeat(design, (rtl_size){.number = count}, value);
}

/* ---- operators ---- */

static const char *sign_name(bool is_signed) { return is_signed ? "signed" : "unsigned"; }

/* Do both operands agree in width and sign? */
static bool agree(weir_rtl_design *design, const char *what, weir_rtl_expr left, weir_rtl_expr right) {
    const rtl_expr *l = rtl_expr_at(design, left.id);
    const rtl_expr *r = rtl_expr_at(design, right.id);
    if (l->width != r->width) {
        rtl_error(design, design->location, "'%s' needs operands of one width: '%s' has %u bits, '%s' has %u", what,
                  rtl_describe(design, left.id), (unsigned)l->width, rtl_describe(design, right.id),
                  (unsigned)r->width);
        return false;
    }
    if (l->is_signed != r->is_signed) {
        rtl_error(design, design->location, "'%s' needs operands of one sign: '%s' is %s, '%s' is %s", what,
                  rtl_describe(design, left.id), sign_name(l->is_signed), rtl_describe(design, right.id),
                  sign_name(r->is_signed));
        return false;
    }
    return true;
}

static bool is_one_bit(weir_rtl_design *design, const char *what, weir_rtl_expr value) {
    const rtl_expr *expr = rtl_expr_at(design, value.id);
    if (expr->width == 1 && !expr->is_signed) return true;
    rtl_error(design, design->location, "'%s' needs one unsigned bit: '%s' has %u %s bits", what,
              rtl_describe(design, value.id), (unsigned)expr->width, sign_name(expr->is_signed));
    return false;
}

weir_rtl_expr weir_rtl_unary(weir_rtl_design *design, weir_rtl_operator op, weir_rtl_expr value) {
    if (!value.id) return none;
    const rtl_operator_row *row = &rtl_operators[op];
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_UNARY, .op = op, .width = 1, .a = value.id};
    if (row->operands != 1) {
        rtl_error(design, design->location, "'%s' is not an operator with one operand", row->text);
        return none;
    }
    if (row->rule == RTL_LOGICAL && !is_one_bit(design, row->text, value)) return none;
    if (row->rule == RTL_SAME) {
        expr.width = rtl_expr_at(design, value.id)->width;
        expr.formula = rtl_expr_at(design, value.id)->formula;
        expr.is_signed = rtl_expr_at(design, value.id)->is_signed;
    }
    return rtl_add_expr(design, expr, value.id, 0, 0);
}

weir_rtl_expr weir_rtl_binary(weir_rtl_design *design, weir_rtl_operator op, weir_rtl_expr left, weir_rtl_expr right) {
    if (!left.id || !right.id) return none;
    const rtl_operator_row *row = &rtl_operators[op];
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_BINARY, .op = op, .width = 1, .a = left.id, .b = right.id};
    if (row->operands != 2) {
        rtl_error(design, design->location, "'%s' is not an operator with two operands", row->text);
        return none;
    }
    if (row->rule == RTL_SHIFT && rtl_expr_at(design, right.id)->is_signed) {
        rtl_error(design, design->location, "'%s' needs an unsigned right operand: '%s' is signed", row->text,
                  rtl_describe(design, right.id));
        return none;
    }
    if ((row->rule == RTL_SAME || row->rule == RTL_COMPARE) && !agree(design, row->text, left, right)) return none;
    if (row->rule == RTL_LOGICAL && (!is_one_bit(design, row->text, left) || !is_one_bit(design, row->text, right)))
        return none;
    if (row->rule == RTL_SAME || row->rule == RTL_SHIFT) {
        expr.width = rtl_expr_at(design, left.id)->width;
        expr.formula = rtl_expr_at(design, left.id)->formula;
        expr.is_signed = rtl_expr_at(design, left.id)->is_signed;
    }
    return rtl_add_expr(design, expr, left.id, right.id, 0);
}

weir_rtl_expr weir_rtl_conditional(weir_rtl_design *design, weir_rtl_expr condition, weir_rtl_expr yes,
                                   weir_rtl_expr no) {
    if (!condition.id || !yes.id || !no.id) return none;
    if (!is_one_bit(design, "?:", condition) || !agree(design, "?:", yes, no)) return none;
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_CONDITIONAL,
                     .width = rtl_expr_at(design, yes.id)->width,
                     .formula = rtl_expr_at(design, yes.id)->formula,
                     .is_signed = rtl_expr_at(design, yes.id)->is_signed,
                     .a = condition.id,
                     .b = yes.id,
                     .c = no.id};
    return rtl_add_expr(design, expr, condition.id, yes.id, no.id);
}

/* ---- casts ---- */

static weir_rtl_expr cast(weir_rtl_design *design, weir_rtl_expr value, bool is_signed) {
    if (!value.id || rtl_expr_at(design, value.id)->is_signed == is_signed) return value;
    rtl_expr expr = *rtl_expr_at(design, value.id);
    expr.is_signed = is_signed;
    if (expr.kind == WEIR_RTL_EXPR_CONSTANT) expr.c = 0;
    if (expr.kind == WEIR_RTL_EXPR_CONSTANT) return rtl_add_expr(design, (expr.size = 0, expr), 0, 0, 0);
    if (expr.kind == WEIR_RTL_EXPR_CAST && design->expr[expr.a].is_signed == is_signed &&
        design->expr[expr.a].carries == expr.carries)
        return (weir_rtl_expr){expr.a};
    rtl_expr made = {.kind = WEIR_RTL_EXPR_CAST,
                     .width = expr.width,
                     .formula = expr.formula,
                     .is_signed = is_signed,
                     .a = value.id};
    return rtl_add_expr(design, made, value.id, 0, 0);
}

weir_rtl_expr weir_rtl_as_signed(weir_rtl_design *design, weir_rtl_expr value) { return cast(design, value, true); }

weir_rtl_expr weir_rtl_as_unsigned(weir_rtl_design *design, weir_rtl_expr value) { return cast(design, value, false); }

weir_rtl_expr weir_rtl_as(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_kind kind) {
    if (!value.id || rtl_expr_at(design, value.id)->carries == kind) return value;
    if (!is_one_bit(design, "cast to a clock, reset or enable", value)) return none;
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_CAST, .width = 1, .a = value.id, .carries = kind};
    return rtl_add_expr(design, expr, value.id, 0, 0);
}

static weir_rtl_expr extend_constant(weir_rtl_design *design, weir_rtl_expr value, uint32_t width) {
    rtl_expr expr = *rtl_expr_at(design, value.id);
    size_t count = (width + 63) / 64;
    size_t old = (expr.width + 63) / 64;
    uint64_t *words = weir_arena_array(design->arena, count, sizeof *words);
    bool ones = expr.is_signed && (design->word[expr.a + old - 1] >> ((expr.width - 1) % 64) & 1);
    memset(words, ones ? 0xff : 0, count * sizeof *words);
    memcpy(words, design->word + expr.a, old * sizeof *words);
    if (ones && expr.width % 64) words[old - 1] |= UINT64_MAX << (expr.width % 64);
    if (width % 64) words[count - 1] &= (UINT64_C(1) << (width % 64)) - 1;
    return rtl_in_base(design, weir_rtl_constant_words(design, width, expr.is_signed, words), expr.base);
}

weir_rtl_expr weir_rtl_extend(weir_rtl_design *design, weir_rtl_expr value, uint32_t width) {
    if (!value.id) return none;
    const rtl_expr *expr = rtl_expr_at(design, value.id);
    uint32_t old = expr->width;
    if (width < old || width > WEIR_RTL_MAX_WIDTH) {
        rtl_error(design, design->location, "'%s' has %u bits and cannot be extended to %u",
                  rtl_describe(design, value.id), (unsigned)old, (unsigned)width);
        return none;
    }
    if (expr->formula) {
        rtl_error(design, design->location, "'%s' has a width that depends on parameters; put zeros before it instead",
                  rtl_describe(design, value.id));
        return none;
    }
    if (width == old) return value;
    if (expr->kind == WEIR_RTL_EXPR_CONSTANT) return extend_constant(design, value, width);
    if (!expr->is_signed) return weir_rtl_concat2(design, weir_rtl_constant(design, width - old, 0), value);
    /* The sign of $signed(variable) is the variable's top bit. */
    weir_rtl_expr bits = expr->kind == WEIR_RTL_EXPR_CAST ? (weir_rtl_expr){expr->a} : value;
    weir_rtl_expr sign = weir_rtl_bit(design, bits, old - 1);
    return weir_rtl_as_signed(design, weir_rtl_concat2(design, weir_rtl_repeat(design, width - old, sign), bits));
}

/* ---- reading back ---- */

uint32_t weir_rtl_width(const weir_rtl_design *design, weir_rtl_expr expr) {
    return rtl_expr_at(design, expr.id)->width;
}

bool weir_rtl_is_target(const weir_rtl_design *design, weir_rtl_expr expr) {
    const rtl_expr *record = rtl_expr_at(design, expr.id);
    switch (record->kind) {
    case WEIR_RTL_EXPR_VAR:
        return rtl_var_of(design, record)->direction != WEIR_RTL_INPUT && !rtl_var_of(design, record)->is_path &&
               !rtl_var_of(design, record)->is_iterator;
    case WEIR_RTL_EXPR_ELEMENT:
    case WEIR_RTL_EXPR_FIELD: return weir_rtl_is_target(design, (weir_rtl_expr){record->a});
    case WEIR_RTL_EXPR_PORT: return design->var[record->b].direction != WEIR_RTL_OUTPUT;
    case WEIR_RTL_EXPR_SLICE:
    case WEIR_RTL_EXPR_SELECT: return weir_rtl_is_target(design, (weir_rtl_expr){record->a});
    case WEIR_RTL_EXPR_CONCAT:
        for (uint32_t i = 0; i < record->b; i++)
            if (!weir_rtl_is_target(design, (weir_rtl_expr){design->operand[record->a + i]})) return false;
        return true;
    default: return false;
    }
}

/* Of kinds that do not list their operands. */
static const unsigned char operand_counts[] = {
    [WEIR_RTL_EXPR_SLICE] = 1,  [WEIR_RTL_EXPR_SELECT] = 2,      [WEIR_RTL_EXPR_ELEMENT] = 2,
    [WEIR_RTL_EXPR_FIELD] = 1,  [WEIR_RTL_EXPR_REPEAT] = 1,      [WEIR_RTL_EXPR_UNARY] = 1,
    [WEIR_RTL_EXPR_BINARY] = 2, [WEIR_RTL_EXPR_CONDITIONAL] = 3, [WEIR_RTL_EXPR_CAST] = 1};

static bool lists_operands(const rtl_expr *expr) {
    return expr->kind == WEIR_RTL_EXPR_CONCAT || expr->kind == WEIR_RTL_EXPR_CALL;
}

size_t rtl_operand_count(const rtl_expr *expr) {
    if (lists_operands(expr)) return expr->b;
    return expr->kind < sizeof operand_counts ? operand_counts[expr->kind] : 0;
}

uint32_t rtl_operand_at(const weir_rtl_design *design, const rtl_expr *expr, size_t index) {
    assert(index < rtl_operand_count(expr));
    assert(!lists_operands(expr) || expr->a + index < design->operand_count);
    if (lists_operands(expr)) return design->operand[expr->a + index];
    return index == 0 ? expr->a : index == 1 ? expr->b : expr->c;
}

/* A literal, as in other get functions: what is filled in member by member is gathered on the stack first, and
 * copied. */
weir_rtl_expr_info weir_rtl_get_expr(const weir_rtl_design *design, weir_rtl_expr expr) {
    const rtl_expr *record = rtl_expr_at(design, expr.id), *base = record;
    const weir_rtl_expr_kind kind = record->kind;
    while (rtl_is_part(base->kind)) base = &design->expr[base->a];
    const bool is_port = base->kind == WEIR_RTL_EXPR_PORT, is_var = base->kind == WEIR_RTL_EXPR_VAR;
    return (weir_rtl_expr_info){.kind = kind,
                                .op = record->op,
                                .width = record->width,
                                .is_signed = record->is_signed,
                                .carries = record->carries,
                                .module = {record->module},
                                .var = {is_port  ? base->b
                                        : is_var ? base->a
                                                 : 0},
                                .instance = {is_port ? base->a : 0},
                                .parameter = {kind == WEIR_RTL_EXPR_PARAMETER  ? record->a
                                              : kind == WEIR_RTL_EXPR_CONSTANT ? record->b
                                                                               : 0},
                                .has_parameter = record->has_parameter,
                                .formula = {record->formula},
                                .low_formula = {kind == WEIR_RTL_EXPR_SLICE ? record->c : 0},
                                .repeat_formula = {kind == WEIR_RTL_EXPR_REPEAT ? record->c : 0},
                                .function = {kind == WEIR_RTL_EXPR_CALL ? record->c : 0},
                                .field = kind == WEIR_RTL_EXPR_FIELD ? design->field[record->b].name : NULL,
                                .low = kind == WEIR_RTL_EXPR_SLICE ? record->b : 0,
                                .operand_count = rtl_operand_count(record),
                                .repeat = kind == WEIR_RTL_EXPR_REPEAT ? record->b : 0,
                                .words = kind == WEIR_RTL_EXPR_CONSTANT ? rtl_words_of(design, record) : NULL};
}

weir_rtl_expr weir_rtl_operand(const weir_rtl_design *design, weir_rtl_expr expr, size_t index) {
    return (weir_rtl_expr){rtl_operand_at(design, rtl_expr_at(design, expr.id), index)};
}
