/* Characters of the text form. Nothing is trusted: every read is bounded by the end of the text. */
#include "rtlir/text/text_scan_private.h"

#include <stdlib.h>

bool rtl_scan_fail(rtl_scan *s, const char *expected) {
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t')) s->at++;
    if (!s->failed && s->at >= s->end)
        rtl_error(s->design, weir_at(s->file, s->line), "expected %s, found the end of the text", expected);
    else if (!s->failed && *s->at == '\n')
        rtl_error(s->design, weir_at(s->file, s->line), "expected %s, found the end of the line", expected);
    else if (!s->failed)
        rtl_error(s->design, weir_at(s->file, s->line), "expected %s, found '%c'", expected,
                  *s->at > 0x20 && *s->at < 0x7f ? *s->at : '?');
    s->failed = true;
    return false;
}

bool rtl_scan_fail_depth(rtl_scan *s, const char *what) {
    if (!s->failed) rtl_error(s->design, weir_at(s->file, s->line), "%s nest deeper than %d", what, RTL_MAX_DEPTH);
    s->failed = true;
    s->at = s->end;
    return false;
}

/* Fields of a group are called GROUP_FIELD. */
bool rtl_scan_is_suspect(const rtl_scan *s, const char *name) {
    if (s->suspects.count == 0) return false;
    size_t length = strlen(name);
    for (size_t i = length; i > 0; i--) {
        if (i < length && name[i] != '_') continue;
        if (rtl_labels_find(&s->suspects, 0, weir_strings_intern_n(s->design->strings, name, i))) return true;
    }
    return false;
}

bool rtl_scan_fail_name(rtl_scan *s, const char *what, const char *name) {
    if (!s->failed && !rtl_scan_is_suspect(s, name))
        rtl_error(s->design, weir_at(s->file, s->line), "%s '%s'", what, name);
    s->failed = true;
    return false;
}

void rtl_scan_blanks(rtl_scan *s) {
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r')) s->at++;
}

bool rtl_scan_space(rtl_scan *s) {
    for (;;) {
        rtl_scan_blanks(s);
        if (s->at >= s->end) return false;
        if (*s->at == '#') {
            while (s->at < s->end && *s->at != '\n') s->at++;
        } else if (*s->at == '\n') {
            s->at++;
            s->line++;
        } else {
            s->design->location.line = s->line;
            return true;
        }
    }
}

bool rtl_scan_peek(rtl_scan *s, char c) {
    rtl_scan_blanks(s);
    return !s->failed && s->at < s->end && *s->at == c;
}

bool rtl_scan_accept(rtl_scan *s, char c) {
    if (!rtl_scan_peek(s, c)) return false;
    s->at++;
    return true;
}

bool rtl_scan_expect(rtl_scan *s, char c) {
    if (rtl_scan_accept(s, c)) return true;
    const char text[4] = {'\'', c, '\'', '\0'};
    return rtl_scan_fail(s, text);
}

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

bool rtl_scan_accept_word(rtl_scan *s, const char *word) {
    rtl_scan_blanks(s);
    /* cppcheck-suppress ctunullpointer ; the tables of words have no gaps */
    size_t size = strlen(word);
    size_t left = (size_t)(s->end - s->at);
    if (s->failed || left < size || memcmp(s->at, word, size) != 0) return false;
    if (left > size && is_name_char(s->at[size])) return false;
    s->at += size;
    return true;
}

bool rtl_scan_expect_word(rtl_scan *s, const char *word) {
    if (rtl_scan_accept_word(s, word)) return true;
    char *expected = weir_format("'%s'", word);
    rtl_scan_fail(s, expected);
    free(expected);
    return false;
}

size_t rtl_scan_choice(rtl_scan *s, const char *const *words, size_t count, const char *expected) {
    for (size_t i = 0; i < count; i++)
        if (rtl_scan_accept_word(s, words[i])) return i;
    rtl_scan_fail(s, expected);
    return count;
}

const char *rtl_scan_word(rtl_scan *s) {
    rtl_scan_blanks(s);
    const char *start = s->at;
    while (s->at < s->end && is_name_char(*s->at)) s->at++;
    bool is_name = s->at > start && !(*start >= '0' && *start <= '9') && *start != '$';
    if (is_name && !s->failed) return weir_strings_intern_n(s->design->strings, start, (size_t)(s->at - start));
    s->at = start;
    return NULL;
}

const char *rtl_scan_name(rtl_scan *s) {
    const char *name = rtl_scan_word(s);
    if (!name) rtl_scan_fail(s, "a name");
    return name;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static bool scan_escape(rtl_scan *s) {
    static const char from[] = "nrt\"\\", to[] = "\n\r\t\"\\";
    char c = s->at < s->end ? *s->at++ : '\0';
    const char *known = c ? strchr(from, c) : NULL;
    if (known) {
        weir_text_char(&s->word, to[known - from]);
        return true;
    }
    bool is_code = c == 'u' && s->end - s->at >= 4 && s->at[0] == '0' && s->at[1] == '0';
    int high = is_code ? hex_digit(s->at[2]) : -1;
    int low = is_code ? hex_digit(s->at[3]) : -1;
    if (high < 0 || low < 0 || high + low == 0) return rtl_scan_fail(s, "an escape: \\n \\r \\t \\\" \\\\ \\u00XX");
    weir_text_char(&s->word, (char)(high * 16 + low));
    s->at += 4;
    return true;
}

bool rtl_scan_string(rtl_scan *s) {
    s->word.size = 0;
    weir_text_add(&s->word, "");
    if (!rtl_scan_expect(s, '"')) return false;
    while (s->at < s->end && *s->at != '"' && *s->at != '\n' && *s->at != '\0') {
        char c = *s->at++;
        if (c != '\\') weir_text_char(&s->word, c);
        else if (!scan_escape(s)) return false;
    }
    if (s->at < s->end && *s->at == '"') {
        s->at++;
        return true;
    }
    return rtl_scan_fail(s, "'\"'");
}

bool rtl_scan_unsigned(rtl_scan *s, uint64_t most, uint64_t *value) {
    rtl_scan_blanks(s);
    const char *start = s->at;
    *value = 0;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9') {
        uint64_t digit = (uint64_t)(*s->at - '0');
        if (*value > (most - digit) / 10 || digit > most) {
            s->at = start;
            return rtl_scan_fail(s, "a smaller number");
        }
        *value = *value * 10 + digit;
        s->at++;
    }
    return s->at > start ? !s->failed : rtl_scan_fail(s, "a number");
}

bool rtl_scan_signed(rtl_scan *s, int64_t *value) {
    bool negative = rtl_scan_accept(s, '-');
    uint64_t magnitude = 0;
    if (!rtl_scan_unsigned(s, (uint64_t)INT64_MAX + negative, &magnitude)) return false;
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool rtl_scan_ends_line(rtl_scan *s) {
    rtl_scan_blanks(s);
    return !s->failed && (s->at >= s->end || *s->at == '\n' || *s->at == '#');
}

bool rtl_scan_end_line(rtl_scan *s) {
    rtl_scan_blanks(s);
    if (s->failed) return false;
    if (s->at >= s->end || *s->at == '\n' || *s->at == '#' || *s->at == '}') return true;
    const char *last = s->at - 1; /* there is one: the text starts with a word */
    while (*last == ' ' || *last == '\t' || *last == '\r') last--;
    if (*last == '{') return true;
    return rtl_scan_fail(s, "the end of the line");
}
