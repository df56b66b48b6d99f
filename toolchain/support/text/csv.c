/* Tables of numbers as text, plain or gzipped (told apart by content, not by name). Numbers are read in the C locale.
 * A first row whose first field is not a number is a row of names and is skipped; any later field that is not a number
 * is an error, so a misprint cannot pass for a name. Decompressed text is bounded by 1 GiB. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"
#include "support/text/diag.h"
#include "support/text/text.h"

enum { LARGEST_TEXT = 1 << 30, SHOWN = 40 };

typedef struct table {
    float *values;
    size_t count, capacity;
    size_t rows, columns;
    weir_location location;
    bool started; /* a row has been seen, so names are no longer allowed */
} table;

/* The members of a gzip file one after the other; a zero byte follows. NULL after an error. */
static char *gunzip(const char *data, size_t size, size_t *text_size, weir_location location) {
    char *text = NULL;
    size_t capacity = 0, used = 0;
    z_stream stream = {.zalloc = weir_zlib_alloc, .zfree = weir_zlib_free};
    int result = inflateInit2(&stream, 16 + MAX_WBITS);
    size_t left = size;
    stream.next_in = (unsigned char *)(uintptr_t)data;
    while (result == Z_OK || (result == Z_STREAM_END && (left > 0 || stream.avail_in > 0))) {
        if (result == Z_STREAM_END) {
            result = inflateReset(&stream);
        }
        text = weir_grow(text, &capacity, used + 65536, 1);
        if (stream.avail_in == 0) {
            stream.avail_in = left < LARGEST_TEXT ? (uInt)left : LARGEST_TEXT;
            left -= stream.avail_in;
        }
        size_t room = capacity - used - 1 < LARGEST_TEXT ? capacity - used - 1 : LARGEST_TEXT;
        stream.next_out = (unsigned char *)text + used;
        stream.avail_out = (uInt)room;
        result = inflate(&stream, Z_NO_FLUSH);
        used += room - stream.avail_out;
        if (used > LARGEST_TEXT) {
            break;
        }
    }
    inflateEnd(&stream);
    if (result != Z_STREAM_END || used > LARGEST_TEXT) {
        weir_error(location, "%s",
                   used > LARGEST_TEXT ? "the text is over 1 GiB" : "damaged gzip file; is it complete?");
        free(text);
        return NULL;
    }
    text[used] = 0;
    *text_size = used;
    return text;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* One field; the cursor moves past it. */
static bool read_field(table *t, char **at, bool *is_number) {
    size_t length = strcspn(*at, ",; \t");
    int shown = (int)(length < SHOWN ? length : SHOWN);
    char *end;
    double value = weir_parse_double(*at, &end);
    *is_number = length > 0 && end == *at + length;
    if (*is_number) {
        float single = (float)value;
        if (isinf(single) && !isinf(value)) {
            weir_error(t->location, "the number '%.*s' is out of range for float32", shown, *at);
            return false;
        }
        t->values = weir_grow(t->values, &t->capacity, t->count + 1, sizeof *t->values);
        t->values[t->count++] = single;
    } else if (t->started) {
        weir_error(t->location, "expected a number, found '%.*s'", shown, *at);
        return false;
    }
    *at += length;
    return true;
}

static void skip_blanks(char **at) {
    while (is_blank(**at)) {
        ++*at;
    }
}

/* One line without its end and comment. */
static bool read_row(table *t, char *at) {
    size_t columns = 0;
    bool is_number, more = true;
    skip_blanks(&at);
    if (*at == 0) {
        return true;
    }
    while (more) {
        if (!read_field(t, &at, &is_number)) {
            return false;
        }
        if (!t->started && !is_number) {
            t->started = true; /* a row of names */
            return true;
        }
        t->started = true;
        columns++;
        skip_blanks(&at);
        more = *at != 0;
        if (*at == ',' || *at == ';') {
            at++;
            skip_blanks(&at);
        }
    }
    if (t->rows > 0 && columns != t->columns) {
        weir_error(t->location, "expected %zu numbers as in the rows before, found %zu", t->columns, columns);
        return false;
    }
    t->columns = columns;
    t->rows++;
    return true;
}

static bool read_rows(table *t, char *text, size_t size) {
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        size -= 3;
    }
    if (memchr(text, 0, size)) {
        weir_error(t->location, "expected text, found a zero byte");
        return false;
    }
    t->location.line = 1;
    for (char *line = text; line; t->location.line++) {
        char *next = strchr(line, '\n');
        if (next) {
            *next++ = 0;
        }
        size_t length = strcspn(line, "#");
        line[length] = 0;
        if (length > 0 && line[length - 1] == '\r') {
            line[length - 1] = 0;
        }
        if (!read_row(t, line)) {
            return false;
        }
        line = next;
    }
    return true;
}

static weir_array *make_array(const table *t) {
    if (t->rows == 0) {
        weir_error(weir_at(t->location.file, 0), "expected rows of numbers, found none");
        return NULL;
    }
    weir_shape shape = weir_shape_of(2, (const int64_t[]){(int64_t)t->rows, (int64_t)t->columns});
    weir_array *array = weir_array_new(WEIR_FLOAT32, &shape);
    memcpy(array->data, t->values, t->count * sizeof *t->values);
    return array;
}

weir_array *weir_csv_read(const char *path) {
    size_t size;
    table t = {.location = weir_at(path, 0)};
    char *data = weir_file_read(path, &size);
    if (data && size >= 2 && memcmp(data, "\x1f\x8b", 2) == 0) {
        char *packed = data;
        data = gunzip(packed, size, &size, t.location);
        free(packed);
    }
    weir_array *array = data && read_rows(&t, data, size) ? make_array(&t) : NULL;
    free(t.values);
    free(data);
    return array;
}
