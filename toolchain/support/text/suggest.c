/* Nearest name by the optimal string alignment distance (Damerau 1964: insert, delete, replace, swap neighbours).
 * Letter case does not count: 'relu' is as near to 'Relu' as can be. Ties go to the earlier candidate. */
#include "support/text/suggest.h"

#include <assert.h>
#include <string.h>

#include "support/text/diag.h"
#include "support/text/text.h"

enum { LONGEST = 127 };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    assert(a_length <= LONGEST && b_length <= LONGEST);
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        above[j] = j;
        before[j] = 0;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_length];
}

const char *weir_suggest(const char *name, const char *const *candidates, size_t count) {
    const char *nearest = NULL;
    size_t best = LONGEST + 1, length = strlen(name);
    if (length > LONGEST) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(candidates[i]);
        if (other > LONGEST) {
            continue;
        }
        size_t d = distance(name, length, candidates[i], other);
        size_t longer = other > length ? other : length;
        if (d < best && d * 3 <= longer) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}

void weir_suggest_note(const char *name, const char *const *words) {
    size_t count = 0;
    while (words[count] != NULL) count++;
    const char *near = weir_suggest(name, words, count);
    if (near != NULL) {
        weir_note("did you mean '%s'?", near);
        return;
    }
    weir_text list = {NULL, 0, 0};
    for (size_t i = 0; i < count; i++) weir_text_format(&list, "%s%s", i == 0 ? "" : ", ", words[i]);
    weir_note("known: %s", list.data == NULL ? "none" : list.data);
    weir_text_free(&list);
}
