/* NumPy's .npy files (numpy.lib.format, versions 1.0 to 3.0). The header is a Python dictionary literal; only the three
 * keys that NumPy writes are accepted, each once, and the data must have exactly the size they announce, so nothing is
 * allocated beyond the size of the file. */
#include "support/file/npy.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/file/file.h"
#include "support/memory/arena.h"

enum { MAGIC_SIZE = 6, ALIGNMENT = 64, LONGEST_STRING = 4096 };
static const char magic[] = "\x93NUMPY";

static const struct {
    weir_dtype dtype;
    char code[3];
} codes[] = {
    {WEIR_BOOL, "b1"},   {WEIR_INT8, "i1"},    {WEIR_INT16, "i2"},   {WEIR_INT32, "i4"},
    {WEIR_INT64, "i8"},  {WEIR_UINT8, "u1"},   {WEIR_UINT16, "u2"},  {WEIR_UINT32, "u4"},
    {WEIR_UINT64, "u8"}, {WEIR_FLOAT16, "f2"}, {WEIR_FLOAT32, "f4"}, {WEIR_FLOAT64, "f8"},
};

/* What the header says. */
typedef struct header {
    weir_dtype dtype;
    bool big_endian, fortran;
    weir_shape shape;
    bool has_descr, has_order, has_shape;
    size_t unit, length; /* of strings: bytes a character, characters an element; 0: numbers */
} header;

/* The dictionary's text and the reader's position in it. */
typedef struct cursor {
    const char *at, *end;
    weir_location location;
    const char *name;
    bool takes_text;
} cursor;

static bool fail(const cursor *c, const char *expected) {
    weir_error(c->location, "'%s': damaged .npy header: expected %s", c->name, expected);
    return false;
}

static void skip_blanks(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r')) {
        c->at++;
    }
}

static bool take(cursor *c, char expected) {
    skip_blanks(c);
    if (c->at < c->end && *c->at == expected) {
        c->at++;
        return true;
    }
    return false;
}

static bool take_word(cursor *c, const char *word) {
    size_t length = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) >= length && memcmp(c->at, word, length) == 0) {
        c->at += length;
        return true;
    }
    return false;
}

/* A string literal without escapes, of at most size - 1 characters. */
static bool take_string(cursor *c, char *text, size_t size) {
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) {
        return false;
    }
    char quote = *c->at++;
    size_t length = 0;
    for (; c->at < c->end && *c->at != quote; c->at++) {
        if (*c->at < ' ' || *c->at > '~' || *c->at == '\\' || length + 1 >= size) {
            return false;
        }
        text[length++] = *c->at;
    }
    text[length] = 0;
    return take(c, quote);
}

/* 'U7', characters of four bytes, or 'S7', bytes. */
static bool parse_string_type(const char *code, header *h) {
    char *end;
    h->unit = *code == 'U' ? 4 : *code == 'S' ? 1 : 0;
    const unsigned long length = h->unit == 0 ? 0 : strtoul(code + 1, &end, 10);
    if (h->unit == 0 || length == 0 || length > LONGEST_STRING || *end != '\0') return false;
    h->length = length;
    return true;
}

static bool parse_descr(cursor *c, header *h) {
    char descr[32];
    if (take(c, '[')) {
        weir_error(c->location, "'%s': records are not supported: expected one number per element", c->name);
        return false;
    }
    if (!take_string(c, descr, sizeof descr)) {
        return fail(c, "an element type such as '<f4'");
    }
    const char *code = descr;
    if (*code && strchr("<>|=", *code)) {
        h->big_endian = *code++ == '>';
    }
    if (*code == 'O') {
        weir_error(c->location, "'%s': the array holds Python objects: expected numbers", c->name);
        weir_note("save it with a numeric dtype, for instance array.astype('float32')");
        return false;
    }
    if (c->takes_text && parse_string_type(code, h)) return true;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        bool ordered = descr[0] != '|' || codes[i].code[1] == '1';
        if (ordered && strcmp(codes[i].code, code) == 0) {
            h->dtype = codes[i].dtype;
            return true;
        }
    }
    weir_error(c->location, "'%s': element type '%s' is not supported: expected bool, int, uint or float", c->name,
               descr);
    return false;
}

static bool parse_order(cursor *c, header *h) {
    h->fortran = take_word(c, "True");
    return h->fortran || take_word(c, "False") || fail(c, "True or False for 'fortran_order'");
}

static bool parse_dim(cursor *c, int64_t *dim) {
    int64_t value = 0;
    const char *first = c->at;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        int digit = *c->at - '0';
        if (value > (INT64_MAX - digit) / 10) {
            return fail(c, "a dimension that fits 64 bits");
        }
        value = value * 10 + digit;
    }
    if (c->at == first) {
        return fail(c, "a dimension");
    }
    take_word(c, "L"); /* Python 2 wrote long integers so */
    *dim = value;
    return true;
}

static bool parse_shape(cursor *c, header *h) {
    if (!take(c, '(')) {
        return fail(c, "a tuple for 'shape'");
    }
    h->shape.rank = 0;
    while (!take(c, ')')) {
        if (h->shape.rank == WEIR_MAX_RANK) {
            weir_error(c->location, "'%s': expected at most %d dimensions", c->name, (int)WEIR_MAX_RANK);
            return false;
        }
        if (!parse_dim(c, &h->shape.dim[h->shape.rank++])) {
            return false;
        }
        bool comma = take(c, ',');
        skip_blanks(c);
        bool closed = c->at < c->end && *c->at == ')';
        if (!comma && (!closed || h->shape.rank == 1)) { /* (3) is no tuple, (3,) is */
            return fail(c, "',' between dimensions");
        }
    }
    return true;
}

static bool parse_entry(cursor *c, header *h) {
    char key[32];
    if (!take_string(c, key, sizeof key) || !take(c, ':')) {
        return fail(c, "a key");
    }
    bool *seen = strcmp(key, "descr") == 0           ? &h->has_descr
                 : strcmp(key, "fortran_order") == 0 ? &h->has_order
                 : strcmp(key, "shape") == 0         ? &h->has_shape
                                                     : NULL;
    if (!seen || *seen) {
        return fail(c, "the keys 'descr', 'fortran_order' and 'shape', each once");
    }
    *seen = true;
    skip_blanks(c);
    return seen == &h->has_descr ? parse_descr(c, h) : seen == &h->has_order ? parse_order(c, h) : parse_shape(c, h);
}

static bool parse_header(cursor *c, header *h) {
    if (!take(c, '{')) {
        return fail(c, "'{'");
    }
    while (!take(c, '}')) {
        if (!parse_entry(c, h)) {
            return false;
        }
        if (!take(c, ',')) {
            if (!take(c, '}')) {
                return fail(c, "',' or '}'");
            }
            break;
        }
    }
    if (!h->has_descr || !h->has_order || !h->has_shape) {
        return fail(c, "the keys 'descr', 'fortran_order' and 'shape'");
    }
    skip_blanks(c);
    return c->at == c->end || fail(c, "nothing after the dictionary");
}

static bool host_is_big_endian(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 0;
}

static void swap_bytes(unsigned char *data, size_t count, size_t size) {
    assert(size == 1 || size == 2 || size == 4 || size == 8);
    for (size_t i = 0; i < count; i++, data += size) {
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            unsigned char byte = data[low];
            data[low] = data[high];
            data[high] = byte;
        }
    }
}

/* Copies column-major elements into the row-major array. */
static void transpose(const unsigned char *from, weir_array *array) {
    assert(array->shape.rank >= 0 && array->shape.rank <= WEIR_MAX_RANK);
    const weir_shape *shape = &array->shape;
    size_t size = weir_dtype_size(array->dtype);
    size_t stride[WEIR_MAX_RANK] = {0}, source = 0, step = 1;
    int64_t at[WEIR_MAX_RANK] = {0};
    for (int d = 0; d < shape->rank; d++) {
        stride[d] = step;
        step *= (size_t)shape->dim[d];
    }
    for (size_t i = 0; i < array->count; i++) {
        memcpy((unsigned char *)array->data + i * size, from + source * size, size);
        for (int d = shape->rank - 1; d >= 0; d--) {
            source += stride[d];
            if (++at[d] < shape->dim[d]) {
                break;
            }
            source -= stride[d] * (size_t)shape->dim[d];
            at[d] = 0;
        }
    }
}

/* Finds the dictionary and the offset of the data after it. */
static bool find_header(const unsigned char *bytes, size_t size, cursor *c, size_t *offset) {
    if (size < MAGIC_SIZE || memcmp(bytes, magic, MAGIC_SIZE) != 0) {
        weir_error(c->location, "'%s' is not a .npy file: expected it to start with NUMPY", c->name);
        return false;
    }
    if (size < MAGIC_SIZE + 4) {
        return fail(c, "a version and a length");
    }
    unsigned major = bytes[6], minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0) {
        weir_error(c->location, "'%s': .npy version %u.%u is not supported: expected 1.0, 2.0 or 3.0", c->name, major,
                   minor);
        return false;
    }
    size_t start = major == 1 ? 10 : 12, length = bytes[8] | (size_t)bytes[9] << 8;
    if (size < start) {
        return fail(c, "a version and a length");
    }
    if (major > 1) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (length > size - start) {
        return fail(c, "a header that fits the file");
    }
    c->at = (const char *)bytes + start;
    c->end = c->at + length;
    *offset = start + length;
    return true;
}

/* Appends the character as UTF-8. */
static void add_character(weir_text *text, uint32_t c) {
    if (c < 0x80) {
        weir_text_char(text, (char)c);
        return;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    weir_text_char(text, (char)((0xF00 >> more & 0xFF) | (c >> (6 * more))));
    for (int i = more - 1; i >= 0; i--) weir_text_char(text, (char)(0x80 | (c >> (6 * i) & 0x3F)));
}

/* One element; zeros fill it up. */
static void read_string(const unsigned char *at, const header *h, weir_text *text) {
    assert(h->unit == 1 || h->unit == 4);
    size_t length = h->length;
    while (length > 0 && memcmp(at + (length - 1) * h->unit, "\0\0\0", h->unit) == 0) length--;
    for (size_t i = 0; i < length; i++, at += h->unit) {
        uint32_t c = at[0];
        for (size_t k = 1; k < h->unit; k++) c |= (uint32_t)at[k] << (8 * k);
        if (h->unit == 1) weir_text_char(text, (char)c);
        else add_character(text, h->big_endian ? __builtin_bswap32(c) : c);
    }
}

static weir_array *read_strings(const unsigned char *elements, const header *h, size_t count,
                                weir_text_reader *reader) {
    weir_array *array = weir_array_new(WEIR_INT64, &h->shape);
    weir_text text = {0};
    for (size_t i = 0; i < count; i++) {
        text.size = 0;
        read_string(elements + i * h->unit * h->length, h, &text);
        weir_array_set_int(array, i, weir_text_reader_find(reader, text.size == 0 ? "" : text.data, text.size));
    }
    weir_text_free(&text);
    reader->made = weir_realloc(reader->made, (reader->made_count + 1) * sizeof(weir_array *));
    reader->made[reader->made_count++] = array;
    return array;
}

/* Are the elements in memory as they are in the file? Those that are copied are put in order. */
static bool is_plain(const header *h, const unsigned char *elements) {
    const size_t element = weir_dtype_size(h->dtype);
    const bool is_ordered = !h->fortran || h->shape.rank < 2;
    const bool is_own = element == 1 || h->big_endian == host_is_big_endian();
    return h->unit == 0 && h->dtype != WEIR_BOOL && is_ordered && is_own && (uintptr_t)elements % element == 0;
}

static weir_array *copy_elements(const unsigned char *elements, const header *h, size_t count, size_t element) {
    weir_array *array = weir_array_new(h->dtype, &h->shape);
    if (h->fortran && h->shape.rank > 1) {
        transpose(elements, array);
    } else {
        memcpy(array->data, elements, count * element);
    }
    if (element > 1 && h->big_endian != host_is_big_endian()) {
        swap_bytes(array->data, count, element);
    }
    for (size_t i = 0; h->dtype == WEIR_BOOL && i < count; i++) {
        ((uint8_t *)array->data)[i] = ((uint8_t *)array->data)[i] != 0;
    }
    return array;
}

/* `lent` is not NULL: the data stays where it is, and is what the array holds where *lent becomes true. */
static weir_array *parse(const void *data, size_t size, weir_location location, const char *name,
                         weir_text_reader *text, bool *lent) {
    cursor c = {.location = location, .name = name, .takes_text = text != NULL && text->words.count > 0};
    header h = {0};
    size_t offset, count;
    if (!find_header(data, size, &c, &offset) || !parse_header(&c, &h)) {
        return NULL;
    }
    if (!weir_shape_count(&h.shape, &count)) {
        weir_error(location, "'%s': the shape's element count is out of range", name);
        return NULL;
    }
    size_t element = h.unit > 0 ? h.unit * h.length : weir_dtype_size(h.dtype);
    if (size - offset != count * element) {
        char shape[128];
        weir_error(location, "'%s': expected %zu bytes of data for %s%s, found %zu", name, count * element,
                   h.unit > 0 ? "strings" : weir_dtype_name(h.dtype), weir_shape_print(&h.shape, shape, sizeof shape),
                   size - offset);
        return NULL;
    }
    const unsigned char *elements = (const unsigned char *)data + offset;
    if (h.unit > 0) return read_strings(elements, &h, count, text);
    if (lent == NULL || !is_plain(&h, elements)) return copy_elements(elements, &h, count, element);
    *lent = true;
    weir_array *array = weir_calloc(1, sizeof *array);
    *array = (weir_array){.dtype = h.dtype, .shape = h.shape, .count = count, .data = (char *)data + offset};
    return array;
}

weir_array *weir_npy_parse(const void *data, size_t size, weir_location location, const char *name) {
    return parse(data, size, location, name, NULL, NULL);
}

weir_array *weir_npy_parse_text(const void *data, size_t size, weir_location location, const char *name,
                                weir_text_reader *text) {
    return parse(data, size, location, name, text, NULL);
}

void weir_npy_format(weir_text *text, const weir_array *array) {
    const weir_dtype in_file = weir_dtype_in_file(array->dtype);
    if (in_file != array->dtype) {
        weir_array *wider = weir_array_convert(array, in_file);
        weir_npy_format(text, wider);
        weir_array_free(wider);
        return;
    }
    const char *code = NULL;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].dtype == array->dtype) {
            code = codes[i].code;
        }
    }
    size_t element = weir_dtype_size(array->dtype), bytes = array->count * element;
    weir_text dictionary = {0};
    weir_text_format(&dictionary, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", element == 1 ? '|' : '<',
                     code);
    for (int i = 0; i < array->shape.rank; i++) {
        weir_text_format(&dictionary, i ? " %lld," : "%lld,", (long long)array->shape.dim[i]);
    }
    if (array->shape.rank > 1) {
        dictionary.size--; /* NumPy keeps the comma of (3,) only */
    }
    weir_text_add(&dictionary, "), }");
    while ((MAGIC_SIZE + 4 + dictionary.size + 1) % ALIGNMENT != 0) {
        weir_text_char(&dictionary, ' ');
    }
    weir_text_char(&dictionary, '\n');
    const char prefix[] = {1, 0, (char)(dictionary.size & 255), (char)(dictionary.size >> 8)};
    weir_text_add_n(text, magic, MAGIC_SIZE);
    weir_text_add_n(text, prefix, sizeof prefix);
    weir_text_add_n(text, dictionary.data, dictionary.size);
    weir_text_free(&dictionary);
    size_t start = text->size;
    weir_text_add_n(text, array->data, bytes);
    if (element > 1 && host_is_big_endian()) {
        swap_bytes((unsigned char *)text->data + start, array->count, element);
    }
}

weir_array *weir_npy_read(const char *path) { return weir_npy_read_text(path, NULL); }

/* --- files that are too large to be copied --- */

/* From this size on numbers stay where they lie in the file, so that data may be larger than memory; who writes to such
 * an array is stopped by the system. */
enum { MAPPED = 64 << 20 };

typedef struct mapping {
    void *data; /* NULL: there is none */
    size_t size;
} mapping;

/* The header is shorter than a page of memory. */
static void unmap(weir_array *array) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)array->data;
    munmap((void *)(at / page * page), at % page + array->count * weir_dtype_size(array->dtype));
}

static mapping map(const char *path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    mapping m = {NULL, 0};
    if (file < 0) return m;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= MAPPED) {
        m.size = (size_t)status.st_size;
        m.data = mmap(NULL, m.size, PROT_READ, MAP_PRIVATE, file, 0);
        if (m.data == MAP_FAILED) m.data = NULL;
    }
    close(file);
    return m;
}

static weir_array *read_mapped(const mapping *m, const char *path, weir_text_reader *text) {
    bool lent = false;
    weir_array *array = parse(m->data, m->size, weir_at(path, 0), weir_path_name(path), text, &lent);
    if (lent && (char *)array->data - (char *)m->data < (ptrdiff_t)sysconf(_SC_PAGESIZE)) {
        array->release = unmap;
        return array;
    }
    if (lent) { /* a header of several pages */
        weir_array *copy = weir_array_copy(array);
        free(array);
        array = copy;
    }
    munmap(m->data, m->size);
    return array;
}

weir_array *weir_npy_read_text(const char *path, weir_text_reader *text) {
    const mapping m = map(path);
    if (m.data != NULL) return read_mapped(&m, path, text);
    size_t size;
    char *data = weir_file_read(path, &size);
    if (!data) {
        return NULL;
    }
    weir_array *array = weir_npy_parse_text(data, size, weir_at(path, 0), weir_path_name(path), text);
    free(data);
    return array;
}

bool weir_npy_write(const char *path, const weir_array *array) {
    weir_text text = {0};
    weir_npy_format(&text, array);
    bool fine = weir_file_write(path, text.data, text.size);
    weir_text_free(&text);
    return fine;
}
