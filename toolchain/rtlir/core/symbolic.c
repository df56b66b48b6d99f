/* Formulas in a normal form. A sum lists its terms in one order, positive ones first and the constant last; a term is a
 * factor times a product of atoms: parameters, and non-polynomials, of operands in normal form. Equal records are
 * one record, so two formulas agree when their ids do. Local parameters are atoms, so that they are printed by name;
 * `deep` is the form in which what they stand for takes their place. Polynomials of more terms or a higher degree than
 * the limits stay operations, which agree only when they are built alike. */
#include <assert.h>
#include <stdlib.h>

#include "rtlir/core/formula.h"
#include "rtlir/core/private.h"

enum { MAX_TERMS = 24, MAX_DEGREE = 6, MAX_LEVELS = 200, MAX_EXPANDED = 100 };

typedef struct term {
    int64_t factor;
    uint32_t atom[MAX_DEGREE];
    int degree;
} term;

typedef struct polynomial {
    term term[MAX_TERMS];
    size_t count;
} polynomial;

/* ---- records ---- */

static bool is_number(const weir_rtl_design *design, uint32_t f) {
    assert(f < design->formula_count);
    return design->formula[f].kind == RTL_FORMULA_VALUE && design->formula[f].value.kind == RTL_VALUE_INTEGER;
}

bool rtl_formula_number(const weir_rtl_design *design, uint32_t f, int64_t *value) {
    assert(f < design->formula_count);
    if (!is_number(design, f)) return false;
    *value = design->formula[f].value.integer;
    return true;
}

/* The number that the record has when its operands have theirs. */
static void find_default(const weir_rtl_design *design, rtl_formula *f) {
    const uint32_t operand[3] = {f->a, f->b, f->c};
    rtl_value value[3] = {{0}};
    const char *problem = NULL;
    rtl_value result = {0};
    if (f->kind == RTL_FORMULA_VALUE) result = f->value;
    else if (f->kind == RTL_FORMULA_PARAMETER) result = design->parameter[f->a].value;
    else {
        for (int i = 0; i < 3 && operand[i]; i++) {
            const rtl_formula *o = &design->formula[operand[i]];
            value[i].kind = o->has_number ? RTL_VALUE_INTEGER : RTL_VALUE_NONE;
            value[i].integer = o->number;
            if (!o->has_number && f->kind != RTL_FORMULA_CONDITIONAL) return;
        }
        /* Verilog shifts zeros in and takes negative numbers for large ones. */
        const bool differs = (f->kind == RTL_FORMULA_CLOG2 || f->op == WEIR_RTL_SHIFT_RIGHT) && value[0].integer < 0;
        if (!differs) result = rtl_compute(f, value, &problem);
    }
    f->has_number = result.kind == RTL_VALUE_INTEGER && result.integer >= INT32_MIN && result.integer <= INT32_MAX;
    f->number = f->has_number ? result.integer : 0;
}

static uint32_t shared(weir_rtl_design *design, rtl_formula f) {
    char key[96];
    snprintf(key, sizeof key, "%d:%d:%u:%u:%u:%lld", (int)f.kind, (int)f.op, (unsigned)f.a, (unsigned)f.b,
             (unsigned)f.c, f.kind == RTL_FORMULA_VALUE ? (long long)f.value.integer : 0);
    const char *name = weir_strings_intern(design->strings, key);
    const rtl_label *known = rtl_labels_find(&design->formulas, 0, name);
    if (known) return known->number;
    const uint32_t operand[3] = {f.a, f.b, f.c};
    f.depth = 0;
    for (int i = 0; i < 3 && f.kind > RTL_FORMULA_PARAMETER && operand[i]; i++)
        if (design->formula[operand[i]].depth >= f.depth) f.depth = design->formula[operand[i]].depth + 1;
    find_default(design, &f);
    const uint32_t id = RTL_APPEND(design, formula);
    f.normal = id;
    design->formula[id] = f;
    const rtl_label label = {.name = name, .number = id};
    rtl_labels_set(&design->formulas, &label);
    return id;
}

uint32_t rtl_number(weir_rtl_design *design, int64_t value) {
    return shared(design,
                  (rtl_formula){.kind = RTL_FORMULA_VALUE, .value = {.kind = RTL_VALUE_INTEGER, .integer = value}});
}

static uint32_t operation(weir_rtl_design *design, weir_rtl_operator op, uint32_t a, uint32_t b) {
    return shared(design, (rtl_formula){.kind = RTL_FORMULA_BINARY, .op = op, .a = a, .b = b});
}

/* An order that does not depend on what was made first. Recursion is bounded by the depth of formulas. */
static int compare(const weir_rtl_design *design, uint32_t a, uint32_t b) {
    assert(a < design->formula_count);
    assert(b < design->formula_count);
    if (a == b) return 0;
    const rtl_formula *x = &design->formula[a], *y = &design->formula[b];
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->kind == RTL_FORMULA_PARAMETER) return design->parameter[x->a].slot < design->parameter[y->a].slot ? -1 : 1;
    if (x->kind == RTL_FORMULA_VALUE) return x->value.integer < y->value.integer ? -1 : 1;
    if (x->op != y->op) return x->op < y->op ? -1 : 1;
    const uint32_t p[3] = {x->a, x->b, x->c}, q[3] = {y->a, y->b, y->c};
    for (int i = 0; i < 3; i++)
        if (p[i] != q[i]) return !p[i] ? -1 : !q[i] ? 1 : compare(design, p[i], q[i]);
    return 0;
}

/* ---- polynomials ---- */

static int compare_terms(const weir_rtl_design *design, const term *a, const term *b) {
    if (a->degree != b->degree) return a->degree > b->degree ? -1 : 1;
    for (int i = 0; i < a->degree; i++)
        if (a->atom[i] != b->atom[i]) return compare(design, a->atom[i], b->atom[i]);
    return 0;
}

/* Terms stay in order, and none is zero. False beyond the limits. */
static bool add_term(const weir_rtl_design *design, polynomial *p, const term *t) {
    size_t at = 0;
    while (at < p->count && compare_terms(design, &p->term[at], t) < 0) at++;
    if (at < p->count && compare_terms(design, &p->term[at], t) == 0) {
        if (__builtin_add_overflow(p->term[at].factor, t->factor, &p->term[at].factor)) return false;
        if (p->term[at].factor == 0) memmove(&p->term[at], &p->term[at + 1], (--p->count - at) * sizeof *p->term);
        return true;
    }
    if (t->factor == 0) return true;
    if (p->count == MAX_TERMS) return false;
    memmove(&p->term[at + 1], &p->term[at], (p->count++ - at) * sizeof *p->term);
    p->term[at] = *t;
    return true;
}

static bool multiply_terms(const weir_rtl_design *design, const term *a, const term *b, term *result) {
    term t = *a;
    if (__builtin_mul_overflow(a->factor, b->factor, &t.factor) || a->degree + b->degree > MAX_DEGREE) return false;
    for (int i = 0; i < b->degree; i++) {
        int at = t.degree++;
        for (; at > 0 && compare(design, t.atom[at - 1], b->atom[i]) > 0; at--) t.atom[at] = t.atom[at - 1];
        t.atom[at] = b->atom[i];
    }
    *result = t;
    return true;
}

/* A record in normal form as one term. */
static bool read_term(const weir_rtl_design *design, uint32_t f, int64_t factor, term *t) {
    assert(f < design->formula_count);
    *t = (term){.factor = factor};
    for (; design->formula[f].kind == RTL_FORMULA_BINARY && design->formula[f].op == WEIR_RTL_MULTIPLY;
         f = design->formula[f].a) {
        const term atom = {.factor = 1, .atom = {design->formula[f].b}, .degree = 1};
        if (!multiply_terms(design, t, &atom, t)) return false;
    }
    int64_t value;
    if (rtl_formula_number(design, f, &value)) return !__builtin_mul_overflow(t->factor, value, &t->factor);
    const term atom = {.factor = 1, .atom = {f}, .degree = 1};
    return multiply_terms(design, t, &atom, t);
}

/* Adds factor times a record in normal form: a chain of sums and differences to the left. */
static bool add_formula(const weir_rtl_design *design, polynomial *p, uint32_t f, int64_t factor) {
    assert(f < design->formula_count);
    term t;
    for (;; f = design->formula[f].a) {
        const rtl_formula *record = &design->formula[f];
        const bool is_difference = record->kind == RTL_FORMULA_BINARY && record->op == WEIR_RTL_SUBTRACT;
        const bool is_sum = record->kind == RTL_FORMULA_BINARY && record->op == WEIR_RTL_ADD;
        if (!is_sum && !is_difference) return read_term(design, f, factor, &t) && add_term(design, p, &t);
        if (!read_term(design, record->b, is_difference ? -factor : factor, &t) || !add_term(design, p, &t))
            return false;
    }
}

static uint32_t write_term(weir_rtl_design *design, const term *t, int64_t factor) {
    uint32_t result = factor != 1 || t->degree == 0 ? rtl_number(design, factor) : 0;
    for (int i = 0; i < t->degree; i++)
        result = result ? operation(design, WEIR_RTL_MULTIPLY, result, t->atom[i]) : t->atom[i];
    return result;
}

/* 8 - W rather than -1 * W + 8: what is positive comes first. */
static uint32_t write(weir_rtl_design *design, const polynomial *p) {
    uint32_t result = 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (size_t i = 0; i < p->count; i++) {
            const int64_t factor = p->term[i].factor;
            if ((factor > 0) != (sign > 0)) continue;
            const bool takes = sign < 0 && result && factor != INT64_MIN;
            const uint32_t next = write_term(design, &p->term[i], takes ? -factor : factor);
            result = result ? operation(design, takes ? WEIR_RTL_SUBTRACT : WEIR_RTL_ADD, result, next) : next;
        }
    }
    return result ? result : rtl_number(design, 0);
}

/* a + factor * b, or a * b; 0 beyond the limits. */
static uint32_t combine(weir_rtl_design *design, weir_rtl_operator op, uint32_t a, uint32_t b) {
    polynomial p = {.count = 0}, q = {.count = 0};
    if (!add_formula(design, &p, a, 1)) return 0;
    if (op != WEIR_RTL_MULTIPLY) return add_formula(design, &p, b, op == WEIR_RTL_ADD ? 1 : -1) ? write(design, &p) : 0;
    polynomial product = {.count = 0};
    if (!add_formula(design, &q, b, 1)) return 0;
    for (size_t i = 0; i < p.count; i++)
        for (size_t k = 0; k < q.count; k++) {
            term t;
            if (!multiply_terms(design, &p.term[i], &q.term[k], &t) || !add_term(design, &product, &t)) return 0;
        }
    return write(design, &product);
}

/* ---- the normal form ---- */

uint32_t rtl_formula_apply(weir_rtl_design *design, rtl_formula f) {
    int64_t number;
    if (f.kind == RTL_FORMULA_UNARY && f.op == WEIR_RTL_PLUS) return f.a;
    if (f.kind == RTL_FORMULA_UNARY && f.op == WEIR_RTL_NEGATE) {
        f = (rtl_formula){.kind = RTL_FORMULA_BINARY, .op = WEIR_RTL_SUBTRACT, .a = rtl_number(design, 0), .b = f.a};
    }
    const bool is_binary = f.kind == RTL_FORMULA_BINARY;
    if (is_binary && (f.op == WEIR_RTL_ADD || f.op == WEIR_RTL_SUBTRACT || f.op == WEIR_RTL_MULTIPLY)) {
        const uint32_t result = combine(design, f.op, f.a, f.b);
        if (result) return result;
    }
    if (is_binary && f.op == WEIR_RTL_SHIFT_LEFT && rtl_formula_number(design, f.b, &number) && number >= 0 &&
        number < 31) {
        const uint32_t result = combine(design, WEIR_RTL_MULTIPLY, f.a, rtl_number(design, INT64_C(1) << number));
        if (result) return result;
    }
    if (f.kind == RTL_FORMULA_CONDITIONAL) {
        if (f.b == f.c) return f.b;
        if (rtl_formula_number(design, f.a, &number)) return number ? f.b : f.c;
    }
    const uint32_t result = shared(design, f);
    const rtl_formula *made = &design->formula[result];
    const bool is_constant = made->has_number && f.kind > RTL_FORMULA_PARAMETER && is_number(design, f.a) &&
                             (!f.b || is_number(design, f.b)) && (!f.c || is_number(design, f.c));
    return is_constant ? rtl_number(design, made->number) : result;
}

uint32_t rtl_of_parameter(weir_rtl_design *design, uint32_t parameter) {
    return shared(design, (rtl_formula){.kind = RTL_FORMULA_PARAMETER, .a = parameter});
}

typedef uint32_t formula_map(weir_rtl_design *design, uint32_t formula, void *user);

/* The same operation, in normal form, on what `map` makes of its operands. */
static uint32_t map_operands(weir_rtl_design *design, const rtl_formula *f, formula_map *map, void *user) {
    assert(f->kind > RTL_FORMULA_PARAMETER);
    rtl_formula made = {.kind = f->kind, .op = f->op};
    made.a = map(design, f->a, user);
    made.b = f->b ? map(design, f->b, user) : 0;
    made.c = f->c ? map(design, f->c, user) : 0;
    return rtl_formula_apply(design, made);
}

/* Recursion is bounded by what rtl_normalize takes. */
static uint32_t normal(weir_rtl_design *design, uint32_t id, void *user) {
    assert(id < design->formula_count);
    (void)user;
    const rtl_formula f = design->formula[id]; /* the table grows */
    if (f.normal) return f.normal;
    uint32_t result = id;
    if (f.kind == RTL_FORMULA_VALUE) {
        if (f.value.kind == RTL_VALUE_INTEGER) result = rtl_number(design, f.value.integer);
    } else if (f.kind == RTL_FORMULA_PARAMETER) {
        result = rtl_of_parameter(design, f.a);
    } else {
        result = map_operands(design, &f, normal, NULL);
    }
    design->formula[id].normal = result;
    return result;
}

uint32_t rtl_normalize(weir_rtl_design *design, uint32_t formula) {
    assert(formula < design->formula_count);
    if (!formula) return 0;
    if (design->formula[formula].depth <= MAX_LEVELS) return normal(design, formula, NULL);
    rtl_error(design, design->location, "a formula has more than %d levels", MAX_LEVELS);
    return 0;
}

/* ---- other formulas in the place of parameters ---- */

static uint32_t known(const rtl_substitution *s, uint32_t f) { return f < s->capacity ? s->made[f] : 0; }

static void keep(rtl_substitution *s, uint32_t f, uint32_t result) {
    s->made = weir_grow_zeroed(s->made, &s->capacity, (size_t)f + 1, sizeof *s->made);
    s->made[f] = result;
}

/* Recursion is bounded by the depth of records in normal form. */
static uint32_t substitute(weir_rtl_design *design, uint32_t id, void *user) {
    assert(id < design->formula_count);
    rtl_substitution *s = user;
    const rtl_formula f = design->formula[id];
    if (f.kind == RTL_FORMULA_VALUE) return id;
    if (known(s, id)) return known(s, id);
    uint32_t result;
    if (f.kind == RTL_FORMULA_PARAMETER) {
        const rtl_parameter *parameter = &design->parameter[f.a];
        const bool is_set = parameter->module == s->module && parameter->slot < s->slots && s->value[parameter->slot];
        result = is_set ? s->value[parameter->slot] : id;
    } else {
        result = map_operands(design, &f, substitute, s);
    }
    keep(s, id, result);
    return result;
}

uint32_t rtl_substitute(rtl_substitution *s, uint32_t formula) {
    return formula ? substitute(s->design, rtl_normalize(s->design, formula), s) : 0;
}

void rtl_substitution_end(rtl_substitution *s) {
    free(s->made);
    free(s->value);
}

rtl_substitution rtl_substitution_of(weir_rtl_design *design, uint32_t instance) {
    assert(instance < design->instance_count);
    const rtl_instance *record = &design->instance[instance];
    rtl_substitution s = {.design = design, .module = record->module};
    const rtl_ids *ids = &design->module[record->module].parameters;
    s.slots = design->module[record->module].parameter_slots;
    s.value = weir_calloc(s.slots + 1, sizeof *s.value);
    for (size_t i = 0; i < ids->count; i++) {
        const rtl_parameter parameter = design->parameter[ids->id[i]];
        const rtl_value *value = parameter.slot < design->instance[instance].override_count
                                     ? &design->instance[instance].override[parameter.slot]
                                     : NULL;
        uint32_t *slot = &s.value[parameter.slot];
        if (value && value->kind == RTL_VALUE_FORMULA) *slot = rtl_normalize(design, value->formula);
        else if (value && value->kind == RTL_VALUE_EXPR && design->expr[value->expr].kind == WEIR_RTL_EXPR_PARAMETER)
            *slot = rtl_of_parameter(design, design->expr[value->expr].a);
        else if (value && value->kind != RTL_VALUE_NONE)
            *slot = rtl_normalize(design, rtl_formula_value(design, rtl_plain_value(design, value)));
        else *slot = rtl_substitute(&s, parameter.formula);
        if (!*slot) *slot = rtl_normalize(design, rtl_formula_value(design, (rtl_value){.kind = RTL_VALUE_OPAQUE}));
    }
    return s;
}

/* ---- what local parameters stand for ---- */

static uint32_t deep(weir_rtl_design *design, uint32_t id, void *user) {
    assert(id < design->formula_count);
    (void)user;
    const rtl_formula f = design->formula[id];
    if (f.deep) return f.deep;
    uint32_t result = id;
    if (f.kind == RTL_FORMULA_PARAMETER) {
        if (design->parameter[f.a].deep) result = design->parameter[f.a].deep;
    } else if (f.kind != RTL_FORMULA_VALUE) {
        result = map_operands(design, &f, deep, NULL);
    }
    design->formula[id].deep = result;
    return result;
}

uint32_t rtl_deep_formula(weir_rtl_design *design, uint32_t formula) { return deep(design, formula, NULL); }

bool rtl_same_formula(weir_rtl_design *design, uint32_t a, uint32_t b) {
    return a == b || (a && b && deep(design, a, NULL) == deep(design, b, NULL));
}

void rtl_set_default(weir_rtl_design *design, uint32_t parameter) {
    assert(parameter < design->parameter_count);
    const uint32_t formula = design->parameter[parameter].formula;
    const bool is_short = design->formula[formula].depth <= MAX_LEVELS;
    const uint32_t own = is_short ? normal(design, formula, NULL) : formula;
    const rtl_formula *f = &design->formula[own];
    rtl_value value = f->kind == RTL_FORMULA_VALUE ? f->value : (rtl_value){0};
    if (f->kind != RTL_FORMULA_VALUE && f->has_number)
        value = (rtl_value){.kind = RTL_VALUE_INTEGER, .integer = f->number};
    design->parameter[parameter].value = value;
    if (!design->parameter[parameter].is_local || !is_short || value.kind == RTL_VALUE_STRING) return;
    const uint32_t expanded = deep(design, own, NULL);
    if (design->formula[expanded].depth <= MAX_EXPANDED) design->parameter[parameter].deep = expanded;
}

/* ---- sizes ---- */

rtl_size rtl_size_of(const weir_rtl_design *design, uint32_t formula) {
    assert(formula < design->formula_count);
    rtl_size size = {0};
    int64_t value;
    if (!rtl_formula_number(design, formula, &value)) size.formula = formula;
    else size.number = value;
    if (size.formula && design->formula[formula].has_number) size.number = design->formula[formula].number;
    return size;
}

static uint32_t formula_of(weir_rtl_design *design, rtl_size size) {
    return size.formula ? size.formula : rtl_number(design, size.number);
}

/* The numbers of sizes are of 32 bits, so that they do not overflow here. */
rtl_size rtl_size_apply(weir_rtl_design *design, weir_rtl_operator op, rtl_size a, rtl_size b) {
    if (!a.formula && !b.formula)
        return (rtl_size){.number = op == WEIR_RTL_ADD        ? a.number + b.number
                                    : op == WEIR_RTL_SUBTRACT ? a.number - b.number
                                                              : a.number * b.number};
    const uint32_t x = formula_of(design, a), y = formula_of(design, b);
    return rtl_size_of(design,
                       rtl_formula_apply(design, (rtl_formula){.kind = RTL_FORMULA_BINARY, .op = op, .a = x, .b = y}));
}

bool rtl_same_size(weir_rtl_design *design, rtl_size a, rtl_size b) {
    if (!a.formula && !b.formula) return a.number == b.number;
    return rtl_same_formula(design, formula_of(design, a), formula_of(design, b));
}

uint32_t rtl_formula_module(const weir_rtl_design *design, uint32_t formula) {
    assert(formula < design->formula_count);
    const rtl_formula *f = &design->formula[formula];
    if (f->kind == RTL_FORMULA_PARAMETER) return design->parameter[f->a].module;
    if (f->kind == RTL_FORMULA_VALUE) return 0;
    const uint32_t operand[3] = {f->a, f->b, f->c};
    uint32_t module = 0;
    for (int i = 0; i < 3 && operand[i] && !module; i++) module = rtl_formula_module(design, operand[i]);
    return module;
}
