/* Line diff: common head and tail are taken off, the rest goes through the longest common subsequence (a table of
 * rows * columns 16-bit lengths), or counts as one block when the table would be too large. */
#include "pass/run/instrument.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

enum { TABLE_LIMIT = 1 << 22, LINE_LIMIT = 65535 };

typedef struct line {
    const char *text;
    size_t length;
    char mark; /* ' ', '-', '+' */
} line;

typedef struct lines {
    line *item;
    size_t count, capacity;
} lines;

static void add(lines *list, line one, char mark) {
    list->item = weir_grow(list->item, &list->capacity, list->count + 1, sizeof *list->item);
    one.mark = mark;
    list->item[list->count++] = one;
}

static lines split(const char *text) {
    lines list = {0};
    while (*text) {
        size_t length = strcspn(text, "\n");
        add(&list, (line){.text = text, .length = length}, ' ');
        text += length + (text[length] == '\n');
    }
    return list;
}

static bool same(const line *a, const line *b) {
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static void compare_table(const line *a, size_t rows, const line *b, size_t columns, lines *script) {
    size_t stride = columns + 1;
    uint16_t *length = weir_calloc((rows + 1) * stride, sizeof *length);
    for (size_t i = rows; i-- > 0;) {
        for (size_t j = columns; j-- > 0;) {
            uint16_t down = length[(i + 1) * stride + j], right = length[i * stride + j + 1];
            length[i * stride + j] = same(&a[i], &b[j]) ? (uint16_t)(length[(i + 1) * stride + j + 1] + 1)
                                     : down > right     ? down
                                                        : right;
        }
    }
    size_t i = 0, j = 0;
    while (i < rows || j < columns) {
        if (i < rows && j < columns && same(&a[i], &b[j])) {
            add(script, a[i], ' ');
            i++;
            j++;
        } else if (i < rows && (j == columns || length[(i + 1) * stride + j] >= length[i * stride + j + 1])) {
            add(script, a[i++], '-');
        } else {
            add(script, b[j++], '+');
        }
    }
    free(length);
}

/* Neither list is empty. */
static void compare(const lines *a, const lines *b, lines *script) {
    size_t head = 0, rows = a->count, columns = b->count;
    while (head < rows && head < columns && same(&a->item[head], &b->item[head])) {
        add(script, a->item[head++], ' ');
    }
    size_t tail = 0;
    while (rows > head && columns > head && same(&a->item[rows - 1], &b->item[columns - 1])) {
        rows--;
        columns--;
        tail++;
    }
    size_t left = rows - head, right = columns - head;
    if (left <= LINE_LIMIT && right <= LINE_LIMIT && left * right <= TABLE_LIMIT) {
        compare_table(a->item + head, left, b->item + head, right, script);
    } else {
        for (size_t i = head; i < rows; i++) {
            add(script, a->item[i], '-');
        }
        for (size_t i = head; i < columns; i++) {
            add(script, b->item[i], '+');
        }
    }
    for (size_t i = 0; i < tail; i++) {
        add(script, a->item[rows + i], ' ');
    }
}

/* Is a changed line within `around` of it? */
static bool near_change(const lines *script, size_t index, size_t around) {
    size_t first = index > around ? index - around : 0;
    for (size_t i = first; i < script->count && i <= index + around; i++) {
        if (script->item[i].mark != ' ') {
            return true;
        }
    }
    return false;
}

void weir_pass_diff(const char *before, const char *after, size_t around, weir_text *text) {
    lines a = split(before), b = split(after), script = {0};
    if (a.count && b.count) {
        compare(&a, &b, &script);
    } else {
        for (size_t i = 0; i < a.count + b.count; i++) {
            add(&script, a.count ? a.item[i] : b.item[i], a.count ? '-' : '+');
        }
    }
    size_t shown = 0; /* one past the last line printed */
    for (size_t i = 0; i < script.count; i++) {
        if (!near_change(&script, i, around)) {
            continue;
        }
        if (i > shown) {
            weir_text_add(text, "@@\n");
        }
        weir_text_char(text, script.item[i].mark);
        weir_text_add_n(text, script.item[i].text, script.item[i].length);
        weir_text_char(text, '\n');
        shown = i + 1;
    }
    free(a.item);
    free(b.item);
    free(script.item);
}
