/* Formulas are evaluated while they are read, by descent; values are fractions of 64-bit integers, as the parameters of
 * components are small. */
#include "dataflow/header.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/library.h"
#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

/* --- the lines --- */

/* What stands after "// WORD:", its further lines joined; NULL when there is none before the module. */
static char *read_line(const char *text, const char *word) {
    char *mark = weir_format("// %s:", word);
    const char *line = strstr(text, mark), *module = strstr(text, "\nmodule ");
    weir_text joined = {NULL, 0, 0};
    if (line != NULL && (module == NULL || line < module)) {
        line += strlen(mark);
        for (;;) {
            line += strspn(line, " ");
            size_t size = strcspn(line, "\n");
            weir_text_add_n(&joined, line, size);
            if (strncmp(line + size, "\n//     ", 8) != 0) break;
            line += size + 3;
            weir_text_char(&joined, ' ');
        }
    }
    free(mark);
    return joined.data;
}

/* Splits "FORMULA cycles a UNIT..." of the line; `unit` may be NULL: there is none. */
static bool split(const char *line, char **formula, char **unit) {
    const char *cycle = line != NULL ? strstr(line, " cycle") : NULL;
    bool fine = cycle != NULL;
    if (fine && unit != NULL) {
        const char *a = cycle + strlen(" cycle");
        if (*a == 's') a++;
        fine = strncmp(a, " a ", 3) == 0;
        size_t length = 0;
        while (fine && islower((unsigned char)a[3 + length])) length++;
        fine = fine && length > 0;
        if (fine) *unit = weir_format("%.*s", (int)length, a + 3);
    }
    if (fine) *formula = weir_format("%.*s", (int)(cycle - line), line);
    return fine;
}

/* The first sentence after "// Mapping:"; NULL when there is none. */
static char *read_mapping(const char *text) {
    char *sentence = read_line(text, "Mapping");
    if (sentence == NULL) return NULL;
    char *end = strstr(sentence, ". ");
    if (end != NULL) *end = '\0';
    else if (sentence[strlen(sentence) - 1] == '.') sentence[strlen(sentence) - 1] = '\0';
    return sentence;
}

bool weir_header_read(const char *module, weir_header *header) {
    *header = (weir_header){NULL, NULL, NULL, NULL};
    char *text = weir_library_text(module);
    if (text == NULL) return false;
    char *latency = read_line(text, "Latency"), *interval = read_line(text, "Interval");
    bool fine = split(latency, &header->latency, NULL);
    if (!fine) weir_error(weir_at(module, 0), "the header has no line '// Latency: FORMULA cycles'");
    if (fine && !split(interval, &header->interval, &header->unit)) {
        weir_error(weir_at(module, 0), "the header has no line '// Interval: FORMULA cycles a UNIT'");
        fine = false;
    }
    free(latency);
    free(interval);
    if (fine) header->mapping = read_mapping(text);
    free(text);
    if (!fine) weir_header_free(header);
    return fine;
}

void weir_header_free(weir_header *header) {
    free(header->latency);
    free(header->interval);
    free(header->unit);
    free(header->mapping);
    *header = (weir_header){NULL, NULL, NULL, NULL};
}

/* --- formulas --- */

typedef struct fraction {
    int64_t n, d; /* d > 0 */
} fraction;

typedef struct reader {
    const char *at, *formula;
    weir_rtl_design *design;
    weir_rtl_instance instance;
    bool fine;
} reader;

static fraction choose(reader *r);

static fraction fail(reader *r, const char *what) {
    if (r->fine) {
        weir_rtl_module module = weir_rtl_get_instance(r->design, r->instance).module;
        weir_error(weir_at(weir_rtl_get_module(r->design, module).name, 0), "formula '%s': %s at '%s'", r->formula,
                   what, r->at);
    }
    r->fine = false;
    return (fraction){0, 1};
}

static bool take(reader *r, const char *token) {
    while (*r->at == ' ') r->at++;
    size_t size = strlen(token);
    if (strncmp(r->at, token, size) != 0) return false;
    r->at += size;
    return true;
}

static void expect(reader *r, const char *token) {
    if (r->fine && !take(r, token)) fail(r, "unexpected text");
}

static int64_t floor_of(fraction x) {
    assert(x.d != 0);
    return x.n / x.d - (x.n % x.d < 0);
}

static int64_t ceil_of(fraction x) { return floor_of(x) + (x.n % x.d != 0); }

static int compare(fraction a, fraction b) {
    assert(a.d != 0 && b.d != 0);
    const int64_t x = a.n * b.d, y = b.n * a.d;
    return (x > y) - (x < y);
}

static fraction call(reader *r, const char *name, size_t size) {
    fraction a = choose(r), b = a;
    bool pair = size == 3 && (memcmp(name, "max", 3) == 0 || memcmp(name, "min", 3) == 0);
    if (pair) {
        expect(r, ",");
        b = choose(r);
    }
    expect(r, ")");
    if (pair) return (compare(a, b) > 0) == (name[1] == 'a') ? a : b;
    if (size == 4 && memcmp(name, "ceil", 4) == 0) return (fraction){ceil_of(a), 1};
    if (size == 5 && memcmp(name, "clog2", 5) == 0) return (fraction){weir_clog2(ceil_of(a)), 1};
    if (size == 6 && memcmp(name, "digits", 6) == 0) return (fraction){weir_digit_count(ceil_of(a)), 1};
    return fail(r, "unknown function");
}

static fraction parameter(reader *r, const char *name, size_t size) {
    weir_rtl_module module = weir_rtl_get_instance(r->design, r->instance).module;
    char *text = weir_format("%.*s", (int)size, name);
    fraction value = {0, 1};
    if (weir_rtl_find_parameter(r->design, module, text).id == 0) fail(r, "no such parameter");
    else if (!weir_rtl_parameter_value(r->design, r->instance, text, &value.n)) r->fine = false;
    free(text);
    return value;
}

static fraction atom(reader *r) {
    if (!r->fine) return (fraction){0, 1};
    if (take(r, "(")) {
        fraction value = choose(r);
        expect(r, ")");
        return value;
    }
    if (take(r, "-")) {
        fraction value = atom(r);
        return (fraction){-value.n, value.d};
    }
    const char *start = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_') r->at++;
    const size_t size = (size_t)(r->at - start);
    if (size == 0) return fail(r, "unexpected text");
    if (isdigit((unsigned char)*start)) return (fraction){strtoll(start, NULL, 10), 1};
    return take(r, "(") ? call(r, start, size) : parameter(r, start, size);
}

static fraction product(reader *r) {
    fraction a = atom(r);
    while (r->fine) {
        if (take(r, "*")) {
            fraction b = atom(r);
            a = (fraction){a.n * b.n, a.d * b.d};
        } else if (take(r, "/")) {
            fraction b = atom(r);
            if (b.n <= 0) return fail(r, "division by a number that is not positive");
            a = (fraction){a.n * b.d, a.d * b.n};
        } else {
            break;
        }
    }
    return a;
}

static fraction sum(reader *r) {
    fraction a = product(r);
    while (r->fine) {
        bool plus = take(r, "+");
        if (!plus && !take(r, "-")) break;
        fraction b = product(r);
        a = (fraction){a.n * b.d + (plus ? b.n : -b.n) * a.d, a.d * b.d};
    }
    return a;
}

static fraction comparison(reader *r) {
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    fraction a = sum(r);
    for (int i = 0; i < 6; i++) {
        if (!take(r, operators[i])) continue;
        const int order = compare(a, sum(r));
        const bool truth[] = {order == 0, order != 0, order <= 0, order >= 0, order<0, order> 0};
        return (fraction){truth[i], 1};
    }
    return a;
}

static fraction choose(reader *r) {
    fraction condition = comparison(r);
    if (!take(r, "?")) return condition;
    fraction yes = choose(r);
    expect(r, ":");
    fraction no = choose(r);
    return condition.n != 0 ? yes : no;
}

bool weir_header_evaluate(const char *formula, weir_rtl_design *design, weir_rtl_instance instance, int64_t *value) {
    reader r = {formula, formula, design, instance, true};
    fraction result = choose(&r);
    while (*r.at == ' ') r.at++;
    if (r.fine && *r.at != '\0') fail(&r, "unexpected text");
    if (r.fine && result.n % result.d != 0) fail(&r, "the value is not an integer");
    *value = result.n / result.d;
    return r.fine;
}
