/* The growing text buffer. `capacity` counts the terminating zero; `data` is always terminated once it exists.
 * Numbers with a fraction go through the C locale of the calling thread, whatever the program's locale is. */
#include "support/text/text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

static void reserve(weir_text *text, size_t more) {
    if (more >= SIZE_MAX - text->size) {
        weir_malloc(SIZE_MAX); /* reports and stops */
    }
    text->data = weir_grow(text->data, &text->capacity, text->size + more + 1, 1);
}

void weir_text_add_n(weir_text *text, const char *data, size_t size) {
    reserve(text, size);
    if (size) {
        memcpy(text->data + text->size, data, size);
    }
    text->size += size;
    text->data[text->size] = 0;
}

void weir_text_add(weir_text *text, const char *string) { weir_text_add_n(text, string, strlen(string)); }

void weir_text_char(weir_text *text, char c) {
    if (text->size + 1 >= text->capacity) {
        reserve(text, 1);
    }
    text->data[text->size++] = c;
    text->data[text->size] = 0;
}

/* Most fits into the room that is left, and is formatted once. */
void weir_text_vformat(weir_text *text, const char *format, va_list arguments) {
    const size_t room = text->capacity > text->size ? text->capacity - text->size : 0;
    char *end = text->data == NULL ? NULL : text->data + text->size;
    va_list copy;
    va_copy(copy, arguments);
    const int length = vsnprintf(end, room, format, copy);
    va_end(copy);
    if (length >= 0 && (size_t)length >= room) {
        reserve(text, (size_t)length);
        vsnprintf(text->data + text->size, (size_t)length + 1, format, arguments);
    } else if (length < 0 && room > 0) {
        *end = 0;
    }
    text->size += length > 0 ? (size_t)length : 0;
}

void weir_text_format(weir_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    weir_text_vformat(text, format, arguments);
    va_end(arguments);
}

/* The calling thread's locale becomes C until leave_c_locale. */
typedef struct c_locale {
    locale_t mine, before;
} c_locale;

static c_locale enter_c_locale(void) {
    c_locale state = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (state.mine != (locale_t)0) {
        state.before = uselocale(state.mine);
    }
    return state;
}

static void leave_c_locale(c_locale state) {
    if (state.mine != (locale_t)0) {
        uselocale(state.before);
        freelocale(state.mine);
    }
}

void weir_text_double(weir_text *text, double value) {
    if (isnan(value)) {
        weir_text_add(text, "nan");
        return;
    }
    if (isinf(value)) {
        weir_text_add(text, value < 0 ? "-inf" : "inf");
        return;
    }
    /* %.15g finds every shorter decimal of a normal number; the few digits of a subnormal need the full search. */
    int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG;
    char number[40];
    c_locale state = enter_c_locale();
    for (; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        double back = strtod(number, NULL);
        if (!(back < value) && !(back > value)) {
            break;
        }
    }
    leave_c_locale(state);
    weir_text_add(text, number);
}

double weir_parse_double(const char *text, char **end) {
    c_locale state = enter_c_locale();
    double value = strtod(text, end);
    leave_c_locale(state);
    return value;
}

/* The length of the UTF-8 sequence at s, 0 when it is not valid (RFC 3629: no surrogates, no overlong forms). */
static size_t utf8_length(const unsigned char *s) {
    if (s[0] < 0x80) {
        return 1;
    }
    size_t length = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
               (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : length;
}

/* Does the sequence end the line or change the direction of writing: U+0080 to U+009F, U+2028, U+2029, bidirectional
 * controls? */
static bool is_invisible(const unsigned char *s, size_t length) {
    if (length == 2) return s[0] == 0xc2 && s[1] < 0xa0;
    if (length != 3 || s[0] != 0xe2) return false;
    return (s[1] == 0x80 && ((s[2] >= 0xa8 && s[2] <= 0xae) || (s[2] >= 0x8b && s[2] <= 0x8f))) ||
           (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

void weir_text_plain(weir_text *text, const char *string, size_t size) {
    for (size_t i = 0, length; i < size; i += length) {
        const unsigned char *s = (const unsigned char *)string + i;
        length = utf8_length(s);
        const bool is_whole = length > 0 && i + length <= size;
        if (!is_whole) length = 1;
        if (*s < ' ' || *s == 0x7f) weir_text_char(text, ' ');
        else if (!is_whole || is_invisible(s, length)) weir_text_char(text, '?');
        else weir_text_add_n(text, string + i, length);
    }
}

/* Valid UTF-8 is kept; control characters and bytes that are not UTF-8 become \u00XX, so different strings always give
 * different literals. */
void weir_text_quoted(weir_text *text, const char *string) {
    static const char plain[] = "\"\\\n\t\r", letter[] = "\"\\ntr";
    weir_text_char(text, '"');
    for (const unsigned char *s = (const unsigned char *)string; *s;) {
        const char *found = strchr(plain, *s);
        size_t length = utf8_length(s);
        if (found) {
            weir_text_char(text, '\\');
            weir_text_char(text, letter[found - plain]);
        } else if (length == 0 || *s < 0x20 || *s == 0x7f) {
            weir_text_format(text, "\\u%04x", *s);
        } else {
            weir_text_add_n(text, (const char *)s, length);
        }
        s += length ? length : 1;
    }
    weir_text_char(text, '"');
}

void weir_text_free(weir_text *text) {
    free(text->data);
    *text = (weir_text){0};
}
