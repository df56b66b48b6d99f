/* Resuming after an error: after the line that it is in, with all that its brackets contain. What could not be read is
 * remembered, so that what follows from it is not reported. */
#include "rtlir/text/text_parser_private.h"
#include "support/text/diag.h"

/* A word that starts here is suspect from now on; gives its last character. */
static const char *suspect_word(rtl_scan *s, const char *at) {
    const char *c = at;
    while (c < s->end &&
           ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_'))
        c++;
    if (c == at) return at;
    rtl_label label = {.name = weir_strings_intern_n(s->design->strings, at, (size_t)(c - at))};
    rtl_labels_set(&s->suspects, &label);
    return c - 1;
}

/* Past a string or a remark that starts here. */
static const char *skip_words(const rtl_scan *s, const char *at) {
    if (*at == '#') {
        while (at + 1 < s->end && at[1] != '\n') at++;
    } else if (*at == '"') {
        for (at++; at < s->end && *at != '"' && *at != '\n'; at++)
            if (*at == '\\' && at + 1 < s->end) at++;
        if (at < s->end && *at == '\n') at--;
    }
    return at < s->end ? at : s->end - 1;
}

bool rtl_recover(rtl_parser *p, rtl_spot start, size_t opened, size_t *unopened) {
    rtl_scan *s = &p->scan;
    size_t depth = 0;
    const char *at = start.at;
    int line = start.line;
    *unopened = 0;
    if (s->at >= s->end || s->design->errors >= WEIR_DIAG_LIMIT) return false;
    s->failed = false;
    p->above.count = 0;
    p->above.comment = NULL;
    for (; at < s->end && !(*at == '\n' && at >= s->at); at++) {
        if (*at == '\n') line++;
        else if (*at == '"' || *at == '#') at = skip_words(s, at);
        else if (*at == '{') depth++;
        else if (*at == '}' && depth > 0) depth--;
        else if (*at == '}' && at >= s->at) break;
        else at = suspect_word(s, at);
    }
    s->at = at;
    s->line = line;
    *unopened = depth > opened ? depth - opened : 0;
    return true;
}

bool rtl_skip_blocks(rtl_parser *p, size_t depth) {
    rtl_scan *s = &p->scan;
    for (; depth > 0 && s->at < s->end; s->at++) {
        if (*s->at == '\n') s->line++;
        else if (*s->at == '"' || *s->at == '#') s->at = skip_words(s, s->at);
        else if (*s->at == '{') depth++;
        else if (*s->at == '}') depth--;
        else s->at = suspect_word(s, s->at);
    }
    return depth == 0;
}

bool rtl_recover_line(rtl_parser *p, rtl_spot start) {
    size_t unopened = 0;
    return rtl_recover(p, start, 0, &unopened) && rtl_skip_blocks(p, unopened);
}
