/* Options: from a record's text to checked specs, from user text to values and back. */
#include "pass/core/private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/suggest.h"

static const char *const kind_words[] = {
    [WEIR_PASS_BOOL] = "true or false", [WEIR_PASS_INT] = "an integer", [WEIR_PASS_REAL] = "a number",
    [WEIR_PASS_STRING] = "text",        [WEIR_PASS_ENUM] = "one of",
};

void weir_pass_complain(weir_pass_position position, const char *format, ...) {
    weir_text text = {0};
    if (position.column > 0) {
        weir_text_format(&text, "column %d: ", position.column);
    }
    va_list arguments;
    va_start(arguments, format);
    weir_text_vformat(&text, format, arguments);
    va_end(arguments);
    weir_error(position.location, "%s", text.data);
    weir_text_free(&text);
}

void weir_pass_hint(const char *name, const char *const *candidates, size_t count) {
    const char *near = weir_suggest(name, candidates, count);
    if (near) {
        weir_note("did you mean '%s'?", near);
    }
}

/* "an integer from 1 to 64", "one of a, b", ... */
static void print_expectation(const weir_pass_spec *spec, weir_text *text) {
    weir_text_add(text, kind_words[spec->option->kind]);
    if (spec->option->kind == WEIR_PASS_INT) {
        if (spec->low != INT64_MIN) {
            weir_text_format(text, " from %lld", (long long)spec->low);
        }
        if (spec->high != INT64_MAX) {
            weir_text_format(text, " up to %lld", (long long)spec->high);
        }
    } else if (spec->option->kind == WEIR_PASS_REAL) {
        if (isfinite(spec->real_low)) {
            weir_text_add(text, " from ");
            weir_text_double(text, spec->real_low);
        }
        if (isfinite(spec->real_high)) {
            weir_text_add(text, " up to ");
            weir_text_double(text, spec->real_high);
        }
    } else if (spec->option->kind == WEIR_PASS_ENUM) {
        for (size_t i = 0; i < spec->choice_count; i++) {
            weir_text_format(text, "%s '%s'", i ? "," : "", spec->choice[i]);
        }
    }
}

static bool parse_int(const char *text, int64_t *value) {
    const char *digits = text + (*text == '-');
    int base = digits[0] == '0' && digits[1] == 'x' ? 16 : 10;
    const char *first = base == 16 ? digits + 2 : digits;
    if (*first == 0 || strspn(first, base == 16 ? "0123456789abcdefABCDEF" : "0123456789") != strlen(first)) {
        return false;
    }
    errno = 0;
    *value = strtoll(text, NULL, base);
    return errno == 0;
}

static bool parse_real(const char *text, double *value) {
    if (*text == 0 || strspn(text, "+-.0123456789eE") != strlen(text)) {
        return false;
    }
    char *end;
    *value = weir_parse_double(text, &end);
    return end != text && *end == 0 && isfinite(*value);
}

/* A string value is a heap copy. */
static bool parse_value(const weir_pass_spec *spec, const char *text, weir_pass_value *value) {
    switch (spec->option->kind) {
    case WEIR_PASS_BOOL: value->as.b = strcmp(text, "true") == 0; return value->as.b || strcmp(text, "false") == 0;
    case WEIR_PASS_INT: return parse_int(text, &value->as.i) && value->as.i >= spec->low && value->as.i <= spec->high;
    case WEIR_PASS_REAL:
        return parse_real(text, &value->as.r) && value->as.r >= spec->real_low && value->as.r <= spec->real_high;
    case WEIR_PASS_STRING: value->as.s = weir_copy_string(text); return true;
    case WEIR_PASS_ENUM:
        for (value->as.choice = 0; value->as.choice < spec->choice_count; value->as.choice++) {
            if (strcmp(spec->choice[value->as.choice], text) == 0) {
                return true;
            }
        }
        return false;
    }
    return false;
}

static bool parse_range(weir_pass_spec *spec, const char *domain) {
    const char *dots = strstr(domain, "..");
    if (!dots) {
        return false;
    }
    char *low = weir_format("%.*s", (int)(dots - domain), domain);
    const char *high = dots + 2;
    bool ok;
    if (spec->option->kind == WEIR_PASS_INT) {
        ok = (*low == 0 || parse_int(low, &spec->low)) && (*high == 0 || parse_int(high, &spec->high)) &&
             spec->low <= spec->high;
    } else {
        ok = (*low == 0 || parse_real(low, &spec->real_low)) && (*high == 0 || parse_real(high, &spec->real_high)) &&
             spec->real_low <= spec->real_high;
    }
    free(low);
    return ok;
}

static bool parse_choices(weir_pass_spec *spec, const char *domain) {
    size_t capacity = 0;
    for (const char *at = domain;;) {
        size_t length = strcspn(at, "|");
        if (length == 0) {
            return false;
        }
        spec->choice = weir_grow(spec->choice, &capacity, spec->choice_count + 1, sizeof *spec->choice);
        spec->choice[spec->choice_count++] = weir_format("%.*s", (int)length, at);
        if (at[length] == 0) {
            return true;
        }
        at += length + 1;
    }
}

static bool parse_domain(weir_pass_spec *spec) {
    const char *domain = spec->option->domain;
    switch (spec->option->kind) {
    case WEIR_PASS_INT:
    case WEIR_PASS_REAL: return !domain || parse_range(spec, domain);
    case WEIR_PASS_ENUM: return domain && parse_choices(spec, domain);
    case WEIR_PASS_BOOL:
    case WEIR_PASS_STRING: return !domain;
    }
    return false;
}

static void free_spec(weir_pass_spec *spec) {
    for (size_t i = 0; i < spec->choice_count; i++) {
        free(spec->choice[i]);
    }
    free(spec->choice);
    if (spec->option->kind == WEIR_PASS_STRING) {
        free(spec->otherwise.as.s);
    }
}

bool weir_pass_specs_add(weir_pass_specs *specs, const weir_pass_option *option, const char *owner) {
    weir_pass_spec spec = {.option = option, .low = INT64_MIN, .high = INT64_MAX};
    spec.real_low = -HUGE_VAL;
    spec.real_high = HUGE_VAL;
    for (size_t i = 0; i < specs->count; i++) {
        if (strcmp(specs->item[i].option->name, option->name) == 0) {
            weir_error(WEIR_NOWHERE, "%s has two options '%s'", owner, option->name);
            return false;
        }
    }
    if (!weir_pass_is_word(option->name)) {
        weir_error(WEIR_NOWHERE, "%s has an option '%s', expected a word of letters, digits, '-', '_' and '.'", owner,
                   option->name);
        return false;
    }
    if (!parse_domain(&spec)) {
        weir_error(WEIR_NOWHERE, "option '%s' of %s has the domain '%s', expected %s", option->name, owner,
                   option->domain ? option->domain : "",
                   option->kind == WEIR_PASS_ENUM ? "words separated by '|'" : "'low..high' for numbers, else none");
        free_spec(&spec);
        return false;
    }
    if (!option->otherwise || !parse_value(&spec, option->otherwise, &spec.otherwise)) {
        weir_text text = {0};
        print_expectation(&spec, &text);
        weir_error(WEIR_NOWHERE, "option '%s' of %s has the default '%s', expected %s", option->name, owner,
                   option->otherwise ? option->otherwise : "", text.data);
        weir_text_free(&text);
        free_spec(&spec);
        return false;
    }
    specs->item = weir_grow(specs->item, &specs->capacity, specs->count + 1, sizeof *specs->item);
    specs->item[specs->count++] = spec;
    return true;
}

void weir_pass_specs_free(weir_pass_specs *specs) {
    for (size_t i = 0; i < specs->count; i++) {
        free_spec(&specs->item[i]);
    }
    free(specs->item);
}

void weir_pass_values_init(weir_pass_values *values, const weir_pass_specs *specs) {
    values->specs = specs;
    values->count = specs->count;
    values->item = specs->count ? weir_calloc(specs->count, sizeof *values->item) : NULL;
}

static void free_value(const weir_pass_spec *spec, weir_pass_value *value) {
    if (value->set && spec->option->kind == WEIR_PASS_STRING) {
        free(value->as.s);
    }
}

void weir_pass_values_free(weir_pass_values *values) {
    for (size_t i = 0; i < values->count; i++) {
        free_value(&values->specs->item[i], &values->item[i]);
    }
    free(values->item);
}

void weir_pass_values_copy(weir_pass_values *to, const weir_pass_values *from) {
    weir_pass_values_free(to);
    *to = *from;
    to->item = from->count ? weir_calloc(from->count, sizeof *to->item) : NULL;
    for (size_t i = 0; i < from->count; i++) {
        to->item[i] = from->item[i];
        if (from->item[i].set && from->specs->item[i].option->kind == WEIR_PASS_STRING) {
            to->item[i].as.s = weir_copy_string(from->item[i].as.s);
        }
    }
}

static void unknown_option(const weir_pass_specs *specs, const char *name, const char *owner,
                           weir_pass_position position) {
    weir_pass_complain(position, "%s has no option '%s'", owner, name);
    const char **names = weir_calloc(specs->count + 1, sizeof *names);
    for (size_t i = 0; i < specs->count; i++) {
        names[i] = specs->item[i].option->name;
    }
    weir_pass_hint(name, names, specs->count);
    free(names);
}

static bool find_spec(const weir_pass_specs *specs, const char *name, size_t *index) {
    for (*index = 0; *index < specs->count; (*index)++) {
        if (strcmp(specs->item[*index].option->name, name) == 0) {
            return true;
        }
    }
    return false;
}

bool weir_pass_values_set(weir_pass_values *values, const char *name, const char *text, const char *owner,
                          weir_pass_position position) {
    size_t index;
    if (!find_spec(values->specs, name, &index)) {
        unknown_option(values->specs, name, owner, position);
        return false;
    }
    if (index >= values->count) {
        values->item = weir_realloc(values->item, values->specs->count * sizeof *values->item);
        memset(values->item + values->count, 0, (values->specs->count - values->count) * sizeof *values->item);
        values->count = values->specs->count;
    }
    const weir_pass_spec *spec = &values->specs->item[index];
    weir_pass_value value = {.set = true};
    if (!parse_value(spec, text, &value)) {
        weir_text expected = {0};
        print_expectation(spec, &expected);
        weir_pass_complain(position, "option '%s' of %s must be %s, found '%s'", name, owner, expected.data, text);
        weir_text_free(&expected);
        if (spec->option->kind == WEIR_PASS_ENUM) {
            weir_pass_hint(text, (const char *const *)spec->choice, spec->choice_count);
        }
        return false;
    }
    free_value(spec, &values->item[index]);
    values->item[index] = value;
    return true;
}

const weir_pass_value *weir_pass_values_get(const weir_pass_values *values, const char *name,
                                            weir_pass_option_kind kind, weir_pass_option_kind other,
                                            const weir_pass_spec **found) {
    size_t index;
    if (!values->specs || !find_spec(values->specs, name, &index) ||
        (values->specs->item[index].option->kind != kind && values->specs->item[index].option->kind != other)) {
        fprintf(stderr, "weir: internal error: a pass reads option '%s', which is not declared or of another kind\n",
                name);
        abort();
    }
    const weir_pass_spec *spec = &values->specs->item[index];
    if (found) {
        *found = spec;
    }
    return index < values->count && values->item[index].set ? &values->item[index] : &spec->otherwise;
}

bool weir_pass_is_word(const char *text) {
    size_t length = strlen(text);
    return length > 0 && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+/:") == length;
}

void weir_pass_value_print(const weir_pass_spec *spec, const weir_pass_value *value, weir_text *text) {
    switch (spec->option->kind) {
    case WEIR_PASS_BOOL: weir_text_add(text, value->as.b ? "true" : "false"); break;
    case WEIR_PASS_INT: weir_text_format(text, "%lld", (long long)value->as.i); break;
    case WEIR_PASS_REAL: weir_text_double(text, value->as.r); break;
    case WEIR_PASS_ENUM: weir_text_add(text, spec->choice[value->as.choice]); break;
    case WEIR_PASS_STRING:
        if (weir_pass_is_word(value->as.s)) {
            weir_text_add(text, value->as.s);
        } else {
            weir_text_quoted(text, value->as.s);
        }
        break;
    }
}

void weir_pass_values_print(const weir_pass_values *values, weir_text *text) {
    char before = '{';
    for (size_t i = 0; i < values->count; i++) {
        if (values->item[i].set) {
            weir_text_char(text, before);
            weir_text_format(text, "%s=", values->specs->item[i].option->name);
            weir_pass_value_print(&values->specs->item[i], &values->item[i], text);
            before = ' ';
        }
    }
    if (before == ' ') {
        weir_text_char(text, '}');
    }
}
