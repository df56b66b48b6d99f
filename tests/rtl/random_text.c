#include "random_text.h"

#include <stdbool.h>
#include <stdio.h>

#include "support/memory/arena.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { MOST_VARS = 40, DEEPEST = 4, LEAST_W = 2, MOST_W = 9, LEAST_N = 2, MOST_N = 4 };

/* So many bits: w * W + fixed. */
typedef struct shape {
    int w, fixed;
    bool is_signed;
} shape;

static const shape shapes[] = {{0, 1, false},  {0, 3, false},  {0, 8, false}, {0, 8, true},
                               {0, 40, false}, {0, 70, false}, {1, 0, false}, {1, 0, true},
                               {1, 1, false},  {2, 0, false},  {2, 1, false}};
static const shape bit = {0, 1, false};

typedef enum place { INPUT, OUTPUT, INOUT, WIRE, REGISTER } place;

typedef struct var {
    char name[24];
    shape shape;
    place place;
    const char *heard; /* the inout port that an output is a copy of, or NULL */
    bool is_readable;  /* where the text is: what it is made of comes before */
} var;

typedef struct generator {
    uint64_t state;
    weir_text *text;
    weir_arena *arena; /* of all texts that become part of it */
    const char *module;
    var var[MOST_VARS];
    int vars, functions, iterators;
    int level; /* of indentation */
} generator;

static int draw(generator *g, int below) {
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((g->state >> 33) % (uint64_t)below);
}

static bool same(shape a, shape b) { return a.w == b.w && a.fixed == b.fixed && a.is_signed == b.is_signed; }

static int least(shape s) { return s.w * LEAST_W + s.fixed; }

static const char *width_text(generator *g, shape s) {
    static const char *const one[] = {"W", "(W + 1 - 1)", "W"};
    if (s.w == 0) return weir_arena_format(g->arena, "%d", s.fixed);
    const char *base = s.w == 1 ? weir_arena_format(g->arena, "%s", one[draw(g, 3)])
                                : weir_arena_format(g->arena, "%s",
                                                    draw(g, 2)   ? "2 * W"
                                                    : draw(g, 2) ? "(W + W)"
                                                                 : "DOUBLE");
    if (s.fixed == 0) return base;
    return weir_arena_format(g->arena, "%s + %d", base, s.fixed);
}

static const char *type_text(generator *g, shape s) {
    return weir_arena_format(g->arena, "%s%s", s.is_signed ? "signed " : "", width_text(g, s));
}

/* ---- expressions ---- */

static const char *expression(generator *g, shape s, int depth);

/* A random variable that fits, or NULL. */
static const var *find(generator *g, bool (*fits)(const var *, shape), shape s) {
    const int start = draw(g, g->vars > 0 ? g->vars : 1);
    for (int i = 0; i < g->vars; i++) {
        const var *v = &g->var[(start + i) % g->vars];
        if (v->is_readable && fits(v, s)) return v;
    }
    return NULL;
}

static bool is_like(const var *v, shape s) { return same(v->shape, s); }
static bool is_wider(const var *v, shape s) { return v->shape.w == 0 && s.w == 0 && v->shape.fixed > s.fixed; }
static bool is_double(const var *v, shape s) { return v->shape.w == 2 && s.w == 1 && s.fixed == 0; }
static bool is_vector(const var *v, shape s) {
    (void)s;
    return v->shape.w > 0 || v->shape.fixed > 1;
}

/* Digits of up to so many bits, with underscores now and then. */
static const char *digits(generator *g, int bits, int base) {
    weir_text text = {0};
    const int step = base == 'b' ? 1 : base == 'o' ? 3 : 4;
    if (base == 'd') return weir_arena_format(g->arena, "%d", draw(g, bits > 20 ? 1 << 20 : 1 << bits));
    for (int left = bits; left > 0; left -= step) {
        const int top = left % step ? left % step : step; /* the first digit holds what is left over */
        if (text.size > 0 && draw(g, 8) == 0) weir_text_char(&text, '_');
        weir_text_char(&text, "0123456789abcdef"[draw(g, 1 << top)]);
        left += step - top;
    }
    const char *result = weir_arena_format(g->arena, "%s", text.data);
    weir_text_free(&text);
    return result;
}

static const char *constant(generator *g, shape s) {
    static const char bases[] = "hdob";
    const int base = bases[draw(g, 4)], bits = least(s) - (base == 'd' && s.is_signed);
    const char *sign = s.is_signed ? "s" : "";
    if (s.w == 0)
        return weir_arena_format(g->arena, "%d'%s%c%s", s.fixed, sign, base, digits(g, bits > 0 ? bits : 1, base));
    const char *width = width_text(g, s);
    const int some = bits > 1 ? bits - 1 : 1;
    if (s.w == 1 && s.fixed == 0 && draw(g, 2)) width = "W";
    return weir_arena_format(g->arena, "(%s)'%s%c%s", width, sign, base, digits(g, some > 3 ? 3 : some, base));
}

/* The low bits of a number that parameters make. */
static const char *cast(generator *g, shape s) {
    static const char *const numbers[] = {"W", "N", "DOUBLE", "W * 2 - 1", "clog2(N * W)", "LAST", "W + N"};
    const char *number = numbers[draw(g, COUNT(numbers))];
    const char *width = width_text(g, (shape){s.w, s.fixed, false});
    const char *value = weir_arena_format(g->arena, "(%s)'(%s)", width, number);
    return s.is_signed ? weir_arena_format(g->arena, "$signed(%s)", value) : value;
}

static const char *leaf(generator *g, shape s) {
    const var *v = draw(g, 4) ? find(g, is_like, s) : NULL;
    if (v != NULL) return weir_arena_format(g->arena, "%s", v->name);
    if (least(s) >= 5 && s.w * MOST_W + s.fixed <= 32 && draw(g, 3) == 0) return cast(g, s);
    return constant(g, s);
}

/* Part of a variable, without a sign; NULL when nothing fits. */
static const char *part(generator *g, shape s) {
    const var *v = s.w == 0 ? find(g, is_wider, s) : find(g, is_double, s);
    if (v == NULL) return NULL;
    if (s.w > 0) return weir_arena_format(g->arena, "%s[%s]", v->name, draw(g, 2) ? "W - 1 : 0" : "DOUBLE - 1 : W");
    const int low = draw(g, v->shape.fixed - s.fixed + 1);
    switch (draw(g, 3)) {
    case 0: return weir_arena_format(g->arena, "%d'(%s)", s.fixed, v->name);
    case 1:
        if (v->shape.fixed < 40 || s.fixed > 8) break; /* inside, whatever the index is */
        return weir_arena_format(g->arena, "%s[%s +: %d]", v->name, expression(g, (shape){0, 3, false}, DEEPEST),
                                 s.fixed);
    default: break;
    }
    return s.fixed == 1 ? weir_arena_format(g->arena, "%s[%d]", v->name, low)
                        : weir_arena_format(g->arena, "%s[%d : %d]", v->name, low + s.fixed - 1, low);
}

static const char *bit_of(generator *g, int depth) {
    static const char *const compare[] = {"==", "!=", "<", "<=", ">", ">="};
    static const char *const reduce[] = {"&", "|", "^"};
    static const char *const logic[] = {"&&", "||"};
    const shape s = shapes[1 + draw(g, COUNT(shapes) - 1)];
    const var *v = find(g, is_vector, s);
    switch (draw(g, 6)) {
    case 0:
    case 1:
        return weir_arena_format(g->arena, "(%s %s %s)", expression(g, s, depth + 1), compare[draw(g, 6)],
                                 expression(g, s, depth + 1));
    case 2: return weir_arena_format(g->arena, "(%s(%s))", reduce[draw(g, 3)], expression(g, s, depth + 1));
    case 3:
        return weir_arena_format(g->arena, "(%s %s %s)", expression(g, bit, depth + 1), logic[draw(g, 2)],
                                 expression(g, bit, depth + 1));
    case 4: return weir_arena_format(g->arena, "(!%s)", expression(g, bit, depth + 1));
    default: break;
    }
    if (v == NULL) return leaf(g, bit);
    return weir_arena_format(g->arena, "%s[%s]", v->name, v->shape.w == 1 ? "W - 1" : v->shape.w == 2 ? "W" : "0");
}

static const char *list(generator *g, shape s, int depth) {
    if (s.w == 1 && s.fixed == 0) return weir_arena_format(g->arena, "{W{%s}}", expression(g, bit, depth + 1));
    if (s.w > 0 && s.fixed == 0)
        return weir_arena_format(g->arena, "{%s, %s}", expression(g, (shape){1, 0, false}, depth + 1),
                                 expression(g, (shape){1, 0, false}, depth + 1));
    if (s.w > 0)
        return weir_arena_format(g->arena, "{%s, %s}", expression(g, bit, depth + 1),
                                 expression(g, (shape){s.w, s.fixed - 1, false}, depth + 1));
    if (s.fixed == 8 && draw(g, 2)) return weir_arena_format(g->arena, "{4{%s}}", leaf(g, (shape){0, 2, false}));
    const int low = 1 + draw(g, s.fixed - 1);
    return weir_arena_format(g->arena, "{%s, %s}", expression(g, (shape){0, s.fixed - low, false}, depth + 1),
                             expression(g, (shape){0, low, false}, depth + 1));
}

static const char *operation(generator *g, shape s, int depth) {
    static const char *const binary[] = {"+", "-", "*", "&", "|", "^"};
    static const char *const shift[] = {"<<", ">>", ">>>"};
    switch (draw(g, 7)) {
    case 0:
    case 1:
        return weir_arena_format(g->arena, "(%s %s %s)", expression(g, s, depth + 1), binary[draw(g, 6)],
                                 expression(g, s, depth + 1));
    case 2:
        return weir_arena_format(g->arena, "(%s %s %s)", expression(g, s, depth + 1), shift[draw(g, 3)],
                                 expression(g, (shape){0, 3, false}, depth + 1));
    case 3: return weir_arena_format(g->arena, "(%s%s)", draw(g, 2) ? "~" : "-", leaf(g, s));
    case 4:
        return weir_arena_format(g->arena, "(%s ? %s : %s)", expression(g, bit, depth + 1), expression(g, s, depth + 1),
                                 expression(g, s, depth + 1));
    case 5:
        return weir_arena_format(g->arena, "(%s + %d)", expression(g, s, depth + 1),
                                 draw(g, 2)); /* as wide as the other one */
    default:                                  /* of a constant, it would be one that was written otherwise */
        return weir_arena_format(g->arena, "$%s(%s)", s.is_signed ? "signed" : "unsigned",
                                 operation(g, (shape){s.w, s.fixed, !s.is_signed}, depth + 1));
    }
}

static const char *expression(generator *g, shape s, int depth) {
    if (depth >= DEEPEST || draw(g, 5) == 0) return leaf(g, s);
    const char *text = NULL;
    if (!s.is_signed && draw(g, 4) == 0) text = part(g, s);
    if (text != NULL) return text;
    if (same(s, bit)) return bit_of(g, depth);
    if (!s.is_signed && draw(g, 4) == 0) return list(g, s, depth);
    if (s.w == 0 && s.fixed == 8 && !s.is_signed && g->functions > 0 && draw(g, 6) == 0)
        return weir_arena_format(g->arena, "mix(%s, %s)", expression(g, s, depth + 1), expression(g, bit, depth + 1));
    return operation(g, s, depth);
}

/* ---- statements ---- */

static void line(generator *g, const char *text) {
    for (int i = 0; i < g->level; i++) weir_text_add(g->text, "  ");
    weir_text_format(g->text, "%s\n", text);
}

static void set(generator *g, const char *word, const var *v) {
    line(g, weir_arena_format(g->arena, "%s %s = %s", word, v->name, expression(g, v->shape, 0)));
}

static void branch(generator *g, const char *word, const var *v) {
    if (draw(g, 2)) {
        line(g, weir_arena_format(g->arena, "if %s {", expression(g, bit, 1)));
        g->level++;
        set(g, word, v);
        g->level--;
        line(g, weir_arena_format(g->arena, "} else if %s {", expression(g, bit, 2)));
        g->level++;
        set(g, word, v);
        g->level--;
        line(g, "}");
        return;
    }
    line(g, weir_arena_format(g->arena, "case %s {", expression(g, (shape){0, 3, false}, 2)));
    g->level++;
    for (int i = draw(g, 2); i < 6; i += 2) {
        line(g, weir_arena_format(g->arena, i == 3 ? "item %d, 7 {" : "item %d {", i));
        g->level++;
        set(g, word, v);
        g->level--;
        line(g, "}");
    }
    g->level -= 1;
    line(g, "}");
}

/* Some value that is no choice at its top, so that `'z` reads as it is meant. */
static const char *driver_value(generator *g, shape s, int depth) {
    const int kind = depth > 1 ? 0 : draw(g, 5);
    if (kind < 2) return weir_arena_format(g->arena, "%s ? %s : 'z", expression(g, bit, 2), expression(g, s, 2));
    if (kind == 2) return weir_arena_format(g->arena, "%s ? 'z : %s", expression(g, bit, 2), expression(g, s, 2));
    if (kind == 3)
        return weir_arena_format(g->arena, "%s ? %s : %s", expression(g, bit, 2), expression(g, s, 2),
                                 driver_value(g, s, depth + 1));
    return weir_arena_format(g->arena, "%s ? (%s) : %s", expression(g, bit, 2), driver_value(g, s, depth + 1),
                             driver_value(g, s, depth + 1));
}

static void drive_bits(generator *g, const var *v) {
    const char *end = v->shape.w == 1 && v->shape.fixed == 0 ? "W" : "8";
    const char *i = weir_arena_format(g->arena, "i%d", g->iterators++);
    const var *other = find(g, is_like, v->shape);
    line(g, weir_arena_format(g->arena, "for %s = 0 to %s step 1 {", i, end));
    g->level++;
    if (other != NULL)
        line(g, weir_arena_format(g->arena, "assign %s[%s] = %s[%s] ^ %s", v->name, i, other->name, i,
                                  expression(g, bit, 2)));
    else line(g, weir_arena_format(g->arena, "assign %s[%s] = %s", v->name, i, expression(g, bit, 2)));
    g->level--;
    line(g, "}");
}

static void drive_wire(generator *g, const var *v) {
    const bool has_bits =
        !v->shape.is_signed && ((v->shape.w == 1 && v->shape.fixed == 0) || (v->shape.w == 0 && v->shape.fixed == 8));
    const int kind = draw(g, 5);
    if (kind == 0 && has_bits && g->iterators < 3) {
        drive_bits(g, v);
    } else if (kind == 1 && v->place == WIRE) {
        const char *condition = expression(g, bit, 3), *value = expression(g, v->shape, 2);
        line(g, weir_arena_format(g->arena, "assign %s = %s ? %s : 'z", v->name, condition, value));
        line(g,
             weir_arena_format(g->arena, "assign %s = %s ? 'z : %s", v->name, condition, expression(g, v->shape, 2)));
    } else if (kind < 4) {
        set(g, "assign", v);
    } else {
        line(g, "combinational {");
        g->level++;
        set(g, "set", v);
        branch(g, "set", v);
        g->level--;
        line(g, "}");
    }
}

static void body(generator *g) {
    for (int i = 0; i < g->vars; i++) {
        var *v = &g->var[i];
        if (v->heard != NULL) line(g, weir_arena_format(g->arena, "assign %s = %s", v->name, v->heard));
        else if (v->place == WIRE || v->place == OUTPUT) drive_wire(g, v);
        for (int k = v->place == INOUT ? draw(g, 3) : 0; k > 0; k--)
            line(g, weir_arena_format(g->arena, "assign %s = %s", v->name, driver_value(g, v->shape, 0)));
        v->is_readable = v->place != INOUT && v->heard == NULL; /* what may be unknown decides nothing */
    }
    for (int i = 0; i < g->vars; i++) {
        if (g->var[i].place != REGISTER) continue;
        line(g, "always posedge clk reset rst {");
        g->level++;
        if (draw(g, 2)) set(g, "next", &g->var[i]);
        branch(g, "next", &g->var[i]);
        g->level--;
        line(g, "}");
    }
}

/* ---- modules ---- */

static void add(generator *g, place p, const char *prefix, int count, bool with_wide) {
    for (int i = 0; i < count; i++) {
        var *v = &g->var[g->vars++];
        *v = (var){.place = p, .is_readable = p == INPUT || p == REGISTER};
        do v->shape = shapes[draw(g, COUNT(shapes))];
        while (!with_wide && v->shape.fixed > 8);
        snprintf(v->name, sizeof v->name, "%s%d", prefix, i);
        if (p != INOUT) continue;
        var *output = &g->var[g->vars++];
        *output = (var){.place = OUTPUT, .shape = v->shape, .heard = v->name};
        snprintf(output->name, sizeof output->name, "heard%d", i);
    }
}

static void declare(generator *g, const var *v) {
    static const char *const words[] = {
        [INPUT] = "input", [OUTPUT] = "output", [INOUT] = "inout", [WIRE] = "variable", [REGISTER] = "register"};
    const char *start = v->place == REGISTER ? weir_arena_format(g->arena, " = %d", draw(g, 2)) : "";
    if (v->place == REGISTER && v->shape.is_signed) start = " = 0";
    line(g, weir_arena_format(g->arena, "%s %s : %s%s", words[v->place], v->name, type_text(g, v->shape), start));
}

static void module(generator *g) {
    line(g, weir_arena_format(g->arena, "module %s {", g->module));
    g->level++;
    line(g, weir_arena_format(g->arena, "parameter W = %d from %d to %d", 3 + draw(g, 4), LEAST_W, MOST_W));
    line(g, weir_arena_format(g->arena, "parameter N = %d from %d to %d", LEAST_N + draw(g, 3), LEAST_N, MOST_N));
    line(g, "local DOUBLE = 2 * W");
    line(g, draw(g, 2) ? "local LAST = N * 2 - 1" : "local LAST = (N + clog2(W)) - 1");
    line(g, "input clk : $clock");
    line(g, "input rst : $reset");
    add(g, INPUT, "in", 3 + draw(g, 3), true);
    add(g, INOUT, "pad", draw(g, 3), false);
    add(g, REGISTER, "r", 1 + draw(g, 3), true);
    add(g, WIRE, "w", 2 + draw(g, 5), true);
    add(g, OUTPUT, "out", 1 + draw(g, 3), true);
    for (int i = 0; i < g->vars; i++) declare(g, &g->var[i]);
    for (int i = 0; i < 3; i++) line(g, weir_arena_format(g->arena, "iterator i%d", i));
    g->functions = draw(g, 2);
    if (g->functions) line(g, "function mix : 8 (x : 8, c : 1)");
    line(g, "body {");
    g->level++;
    if (g->functions) {
        line(g, "function mix {");
        line(g, "  if c { return (x ^ 8'o125) + 1 }");
        line(g, "  return {x[3:0], x[7:4]}");
        line(g, "}");
    }
    body(g);
    g->level--;
    line(g, "}");
    g->level--;
    line(g, "}");
}

/* ---- the top ---- */

static bool is_port(const var *v) { return v->place == INPUT || v->place == OUTPUT || v->place == INOUT; }

static void top(generator *g) {
    static const char *const words[] = {[INPUT] = "input", [OUTPUT] = "output", [INOUT] = "inout"};
    const int w[2] = {LEAST_W + draw(g, 8), LEAST_W + draw(g, 8)}, n[2] = {LEAST_N + draw(g, 3), LEAST_N + draw(g, 3)};
    line(g, weir_arena_format(g->arena, "module %s_top {", g->module));
    line(g, "  input clk : $clock\n  input rst : $reset");
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < g->vars; i++)
            if (is_port(&g->var[i]))
                line(g, weir_arena_format(g->arena, "  %s u%d_%s : %d", words[g->var[i].place], k, g->var[i].name,
                                          g->var[i].shape.w * w[k] + g->var[i].shape.fixed));
    line(g, "  body {");
    for (int k = 0; k < 2; k++) {
        line(g, weir_arena_format(g->arena, "    instance u%d : %s(W = %d, N = %d) {", k, g->module, w[k], n[k]));
        line(g, "      connect clk = clk\n      connect rst = rst");
        for (int i = 0; i < g->vars; i++)
            if (is_port(&g->var[i]))
                line(g, weir_arena_format(g->arena, "      connect %s = u%d_%s", g->var[i].name, k, g->var[i].name));
        line(g, "    }");
    }
    line(g, "  }\n}");
}

void random_text(uint64_t seed, weir_text *text) {
    generator g = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1, .text = text, .arena = weir_arena_new()};
    g.module = weir_arena_format(g.arena, "t%llu", (unsigned long long)seed);
    draw(&g, 2);
    line(&g, "wrtl 1");
    module(&g);
    top(&g);
    weir_arena_free(g.arena);
}
