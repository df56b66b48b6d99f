/* NumPy's .npz files: zip archives of .npy files (APPNOTE.TXT 6.3, sections 4.3 and 4.4).
 * The central directory is what counts; local headers give the offset of the data and must agree in name and method.
 * Every offset and size is checked against the file. Uncompressed sizes are bounded by three limits: an entry by what
 * deflate can reach from its compressed size, all entries together by 1 GiB, and the .npy inside fills its entry.
 * Zip64 end records and sizes over 4 GiB are rejected; zip64 extra fields of small entries (NumPy's) are skipped.
 * Written archives hold the entries in order, deflated at LEVEL (for integers 6 takes four times as long and 6 % less),
 * or stored up to SMALL bytes, where setting deflate up takes longer than all else; dated 1980-01-01: equal arrays give
 * equal bytes. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support/file/file.h"
#include "support/file/npy.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"

enum {
    END_SIZE = 22,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    LONGEST_COMMENT = 65535,
    LONGEST_NAME = 4096,
    STORED = 0,
    DEFLATED = 8,
    VERSION = 20,
    DATE_1980 = 0x21,
    FLAG_ENCRYPTED = 0x2041, /* encryption, strong encryption, hidden headers */
    FLAG_UTF8 = 0x800
};
#define END_SIGNATURE UINT32_C(0x06054b50)
#define ENTRY_SIGNATURE UINT32_C(0x02014b50)
#define LOCAL_SIGNATURE UINT32_C(0x04034b50)
#define LARGEST_CONTENT (UINT64_C(1) << 30)
#define LEVEL 4
#define SMALL 8192         /* with the header of 128: two blocks of a disk */
#define DEFLATE_RATIO 1032 /* 258 bytes from two bits */

typedef struct zip {
    const unsigned char *data;
    size_t size;
    weir_location location;
    size_t directory, end; /* the central directory: from here to here */
    size_t entries;
    uint64_t content;  /* uncompressed bytes so far */
    bool only_numbers; /* arrays of other things are left out, but for text */
    weir_text_reader *text;
} zip;

typedef struct entry {
    char *name; /* with its .npy */
    const unsigned char *raw_name;
    size_t name_length, compressed, size, local;
    unsigned method;
    uint32_t crc;
} entry;

static uint32_t get(const unsigned char *data, int bytes) {
    assert(bytes >= 1 && bytes <= 4);
    uint32_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
        value = value << 8 | data[i];
    }
    return value;
}

static bool fail(const zip *z, const char *what) {
    weir_error(z->location, "damaged .npz file: %s", what);
    return false;
}

/* Finds the end record: the last one whose comment reaches exactly to the end of the file. */
static bool find_end(zip *z) {
    if (z->size < END_SIZE || (get(z->data, 4) != LOCAL_SIGNATURE && get(z->data, 4) != END_SIGNATURE)) {
        weir_error(z->location, "not an .npz file: expected a zip archive");
        return false;
    }
    size_t lowest = z->size - END_SIZE > LONGEST_COMMENT ? z->size - END_SIZE - LONGEST_COMMENT : 0;
    for (size_t at = z->size - END_SIZE + 1; at-- > lowest;) {
        const unsigned char *end = z->data + at;
        if (get(end, 4) != END_SIGNATURE || at + END_SIZE + get(end + 20, 2) != z->size) {
            continue;
        }
        uint32_t entries = get(end + 10, 2), size = get(end + 12, 4), start = get(end + 16, 4);
        if (entries == 0xffff || size == UINT32_MAX || start == UINT32_MAX) {
            weir_error(z->location, "zip64 archives (over 4 GiB or 65534 arrays) are not supported");
            return false;
        }
        if (get(end + 4, 4) != 0 || get(end + 8, 2) != entries) {
            return fail(z, "it is one part of a split archive");
        }
        if (start > at || size != at - start) {
            return fail(z, "the directory does not end where the end record starts");
        }
        z->directory = start;
        z->end = at;
        z->entries = entries;
        return true;
    }
    return fail(z, "the end record is missing; is the file complete?");
}

static bool check_entry(const zip *z, const entry *e, unsigned flags) {
    if (strlen(e->name) != e->name_length || e->name_length < 5 || strcmp(e->name + e->name_length - 4, ".npy") != 0) {
        weir_error(z->location, "the archive's entry '%s' is not an array: expected a name that ends in .npy", e->name);
        return false;
    }
    if (flags & FLAG_ENCRYPTED) {
        weir_error(z->location, "the archive's entry '%s' is encrypted", e->name);
        return false;
    }
    if (e->method != STORED && e->method != DEFLATED) {
        weir_error(z->location,
                   "the archive's entry '%s' has compression method %u: expected stored (0) or deflated (8)", e->name,
                   e->method);
        return false;
    }
    if (e->size == UINT32_MAX || e->compressed == UINT32_MAX || e->local == UINT32_MAX) {
        weir_error(z->location, "the archive's entry '%s' is over 4 GiB (zip64), which is not supported", e->name);
        return false;
    }
    if (e->method == STORED ? e->size != e->compressed : e->size / DEFLATE_RATIO > e->compressed) {
        weir_error(z->location, "the archive's entry '%s' cannot have %zu bytes in %zu compressed ones", e->name,
                   e->size, e->compressed);
        return false;
    }
    if (z->content > LARGEST_CONTENT) {
        weir_error(z->location, "the archive holds more than 1 GiB");
        return false;
    }
    return true;
}

/* Reads the directory's entry at *at and moves past it. The name is on the heap also after a failure. */
static bool read_entry(zip *z, size_t *at, entry *e) {
    assert(*at <= z->end && z->end <= z->size);
    size_t left = z->end - *at;
    const unsigned char *from = z->data + *at;
    if (left < ENTRY_SIZE || get(from, 4) != ENTRY_SIGNATURE) {
        return fail(z, "the directory is shorter than announced");
    }
    size_t name = get(from + 28, 2), rest = get(from + 30, 2) + (size_t)get(from + 32, 2);
    if (left - ENTRY_SIZE < name + rest || name > LONGEST_NAME) {
        return fail(z, "an entry's name extends past the end of the directory");
    }
    e->name_length = name;
    e->raw_name = from + ENTRY_SIZE;
    e->name = weir_calloc(name + 1, 1);
    memcpy(e->name, e->raw_name, name);
    e->method = get(from + 10, 2);
    e->crc = get(from + 16, 4);
    e->compressed = get(from + 20, 4);
    e->size = get(from + 24, 4);
    e->local = get(from + 42, 4);
    z->content += e->size;
    *at += ENTRY_SIZE + name + rest;
    return check_entry(z, e, get(from + 8, 2));
}

/* Where the entry's data starts, by its local header; NULL after an error. */
static const unsigned char *find_data(const zip *z, const entry *e) {
    size_t end = z->directory;
    const unsigned char *local = z->data + e->local;
    if (e->local > end || end - e->local < LOCAL_SIZE || get(local, 4) != LOCAL_SIGNATURE) {
        weir_error(z->location, "damaged .npz file: the entry '%s' has no header", e->name);
        return NULL;
    }
    size_t room = end - e->local - LOCAL_SIZE, name = get(local + 26, 2), extra = get(local + 28, 2);
    if (name != e->name_length || room < name || memcmp(local + LOCAL_SIZE, e->raw_name, name) != 0 ||
        get(local + 8, 2) != e->method) {
        weir_error(z->location, "damaged .npz file: the entry '%s' and its header disagree", e->name);
        return NULL;
    }
    if (room - name < extra || room - name - extra < e->compressed) {
        weir_error(z->location, "damaged .npz file: the entry '%s' extends past its end", e->name);
        return NULL;
    }
    return local + LOCAL_SIZE + name + extra;
}

/* Exactly `size` bytes from exactly `compressed` ones. */
static bool inflate_exactly(const unsigned char *from, size_t compressed, unsigned char *to, size_t size) {
    z_stream stream = {.zalloc = weir_zlib_alloc, .zfree = weir_zlib_free};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return false;
    }
    stream.next_in = (unsigned char *)(uintptr_t)from; /* zlib does not write to it */
    stream.avail_in = (uInt)compressed;
    stream.next_out = to;
    stream.avail_out = (uInt)size;
    int result = inflate(&stream, Z_FINISH);
    bool fine = result == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
    inflateEnd(&stream);
    return fine;
}

static bool takes_text(const zip *z, const entry *e) {
    char *name = weir_format("%.*s", (int)(e->name_length - 4), e->name);
    const bool takes = z->text != NULL && (z->text->takes == NULL || z->text->takes(name));
    free(name);
    return takes;
}

/* The array; NULL after a reported error, or with *left_out after a warning. */
static weir_array *parse_array(const zip *z, const entry *e, const unsigned char *data, bool *left_out) {
    if (!z->only_numbers) {
        return weir_npy_parse(data, e->size, z->location, e->name);
    }
    weir_diag_log *log = weir_diag_capture();
    weir_array *array = weir_npy_parse_text(data, e->size, z->location, e->name, takes_text(z, e) ? z->text : NULL);
    weir_diag_release(log);
    *left_out = array == NULL;
    if (*left_out) {
        weir_warning(z->location, "left out: %s", weir_diag_log_error(log));
    }
    weir_diag_log_free(log);
    return array;
}

static weir_array *read_array(const zip *z, const entry *e, bool *left_out) {
    const unsigned char *data = find_data(z, e);
    unsigned char *inflated = NULL;
    if (!data) {
        return NULL;
    }
    if (e->method == DEFLATED) {
        inflated = weir_malloc(e->size);
        if (!inflate_exactly(data, e->compressed, inflated, e->size)) {
            weir_error(z->location, "damaged .npz file: the entry '%s' does not decompress to its %zu bytes", e->name,
                       e->size);
            free(inflated);
            return NULL;
        }
        data = inflated;
    }
    weir_array *array = NULL;
    if (crc32(0, data, (uInt)e->size) != e->crc) {
        weir_error(z->location, "damaged .npz file: the entry '%s' has the wrong checksum", e->name);
    } else {
        array = parse_array(z, e, data, left_out);
    }
    free(inflated);
    return array;
}

static bool read_one(zip *z, size_t *at, weir_archive *archive) {
    entry e = {0};
    weir_array *array = NULL;
    bool left_out = false;
    if (read_entry(z, at, &e)) {
        e.name[e.name_length - 4] = 0;
        bool repeated = weir_archive_find(archive, e.name) != NULL;
        e.name[e.name_length - 4] = '.';
        if (repeated) {
            weir_error(z->location, "the archive has two entries '%s'", e.name);
        } else {
            array = read_array(z, &e, &left_out);
        }
    }
    if (array) {
        e.name[e.name_length - 4] = 0;
        weir_archive_add(archive, e.name, array);
    }
    free(e.name);
    return array != NULL || left_out;
}

static bool parse(zip z, weir_archive *archive) {
    weir_archive_init(archive);
    bool fine = find_end(&z);
    size_t at = z.directory;
    for (size_t i = 0; i < z.entries && fine; i++) {
        fine = read_one(&z, &at, archive);
    }
    if (fine && at != z.end) {
        fine = fail(&z, "the directory has other entries than announced");
    }
    if (!fine) {
        weir_archive_free(archive);
    }
    return fine;
}

bool weir_npz_parse(const void *data, size_t size, weir_location location, weir_archive *archive) {
    return parse((zip){.data = data, .size = size, .location = location}, archive);
}

static bool read_file(const char *path, bool only_numbers, weir_text_reader *text, weir_archive *archive) {
    size_t size;
    weir_archive_init(archive);
    char *data = weir_file_read(path, &size);
    const zip z = {.data = (unsigned char *)data,
                   .size = size,
                   .location = weir_at(path, 0),
                   .only_numbers = only_numbers,
                   .text = text};
    bool fine = data && parse(z, archive);
    free(data);
    return fine;
}

/* Initializes the archive; after a failure it is empty. */
bool weir_npz_read(const char *path, weir_archive *archive) { return read_file(path, false, NULL, archive); }

bool weir_npz_read_numbers(const char *path, weir_text_reader *text, weir_archive *archive) {
    return read_file(path, true, text, archive);
}

static void put(weir_text *text, int bytes, size_t value) {
    assert(bytes >= 1 && (bytes >= 8 || value >> (8 * bytes) == 0));
    for (int i = 0; i < bytes; i++, value >>= 8) {
        weir_text_char(text, (char)(value & 255));
    }
}

/* What local header and directory entry share, from the version to the length of the extra field. */
static void put_common(weir_text *text, const char *name, unsigned method, uint32_t crc, size_t compressed,
                       size_t size) {
    bool plain = true;
    for (const char *c = name; *c; c++) {
        plain = plain && !(*c & 0x80);
    }
    put(text, 2, VERSION);
    put(text, 2, plain ? 0 : FLAG_UTF8);
    put(text, 2, method);
    put(text, 2, 0);
    put(text, 2, DATE_1980);
    put(text, 4, crc);
    put(text, 4, compressed);
    put(text, 4, size);
    put(text, 2, strlen(name) + 4);
    put(text, 2, 0);
}

static void put_name(weir_text *text, const char *name) {
    weir_text_add(text, name);
    weir_text_add(text, ".npy");
}

/* An archive being written: one compressor for all of its arrays, from the first that is compressed on. */
typedef struct writer {
    weir_text *file, directory;
    z_stream stream;
    bool has_stream;
} writer;

static bool start_stream(writer *w) {
    if (w->has_stream) {
        return deflateReset(&w->stream) == Z_OK;
    }
    w->stream = (z_stream){.zalloc = weir_zlib_alloc, .zfree = weir_zlib_free};
    w->has_stream = deflateInit2(&w->stream, LEVEL, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    return w->has_stream;
}

/* Appends the content deflated; the size it has then, or 0 on failure. */
static size_t deflate_into(writer *w, weir_text *text, const weir_text *content) {
    if (!start_stream(w)) {
        return 0;
    }
    z_stream *stream = &w->stream;
    uLong bound = deflateBound(stream, (uLong)content->size);
    unsigned char *output = weir_malloc(bound);
    stream->next_in = (unsigned char *)content->data;
    stream->avail_in = (uInt)content->size;
    stream->next_out = output;
    stream->avail_out = (uInt)bound;
    int result = deflate(stream, Z_FINISH);
    size_t size = result == Z_STREAM_END ? (size_t)stream->total_out : 0;
    weir_text_add_n(text, (const char *)output, size);
    free(output);
    return size;
}

/* Appends one array to the file and its entry to the directory. */
static bool write_one(writer *w, const char *name, const weir_array *array) {
    weir_text *file = w->file, *directory = &w->directory;
    weir_text content = {0}, packed = {0};
    size_t bytes = array->count * weir_dtype_size(weir_dtype_in_file(array->dtype)), local = file->size;
    bool fine = bytes < LARGEST_CONTENT - 65536;
    if (fine) {
        weir_npy_format(&content, array);
        const bool small = content.size <= SMALL;
        const unsigned method = small ? STORED : DEFLATED;
        const size_t compressed = small ? content.size : deflate_into(w, &packed, &content);
        const weir_text *kept = small ? &content : &packed;
        fine = compressed > 0;
        uint32_t crc = (uint32_t)crc32(0, (const unsigned char *)content.data, (uInt)content.size);
        put(file, 4, LOCAL_SIGNATURE);
        put_common(file, name, method, crc, compressed, content.size);
        put_name(file, name);
        weir_text_add_n(file, kept->data, kept->size);
        put(directory, 4, ENTRY_SIGNATURE);
        put(directory, 2, VERSION);
        put_common(directory, name, method, crc, compressed, content.size);
        put(directory, 2 + 2 + 2 + 4, 0); /* comment, disk, attributes */
        put(directory, 4, local);
        put_name(directory, name);
    }
    weir_text_free(&content);
    weir_text_free(&packed);
    return fine;
}

static bool check_names(weir_location location, const weir_archive *archive) {
    bool fine = archive->count < 65535;
    if (!fine) {
        weir_error(location, "cannot write %zu arrays: expected at most 65534", archive->count);
    }
    for (size_t i = 0; i < archive->count && fine; i++) {
        size_t length = strlen(archive->name[i]);
        fine = length > 0 && length <= LONGEST_NAME - 4;
        if (!fine) {
            weir_error(location, "cannot write the array '%.40s': expected a name of 1 to %d bytes", archive->name[i],
                       (int)LONGEST_NAME - 4);
        }
    }
    return fine;
}

bool weir_npz_format(weir_text *text, const weir_archive *archive, weir_location location) {
    writer w = {.file = text};
    bool fine = check_names(location, archive);
    uint64_t content = 0;
    for (size_t i = 0; i < archive->count && fine; i++) {
        const weir_array *array = archive->array[i];
        content += array->count * weir_dtype_size(weir_dtype_in_file(array->dtype)) + 65536;
        fine = content <= LARGEST_CONTENT && write_one(&w, archive->name[i], array);
        if (!fine) {
            weir_error(location, "cannot write the array '%s': the archive would hold more than 1 GiB",
                       archive->name[i]);
        }
    }
    if (fine) {
        size_t start = text->size;
        weir_text_add_n(text, w.directory.data, w.directory.size);
        put(text, 4, END_SIGNATURE);
        put(text, 2 + 2, 0); /* this is the only part */
        put(text, 2, archive->count);
        put(text, 2, archive->count);
        put(text, 4, w.directory.size);
        put(text, 4, start);
        put(text, 2, 0);
    }
    if (w.has_stream) {
        deflateEnd(&w.stream);
    }
    weir_text_free(&w.directory);
    return fine;
}

bool weir_npz_write(const char *path, const weir_archive *archive) {
    weir_text file = {0};
    bool fine = weir_npz_format(&file, archive, weir_at(path, 0)) && weir_file_write(path, file.data, file.size);
    weir_text_free(&file);
    return fine;
}
