/* The memory is a text, a line a file: HASH SIZE MTIME CTIME PATH, times in nanoseconds. A file that changed within the
 * last two seconds may change again without a new time, and is not remembered. */
#include "regress/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/file/file.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/memory/map.h"
#include "support/text/text.h"

enum { YOUNG_SECONDS = 2 };

typedef struct entry {
    const char *path;
    int64_t size, modified, changed;
    weir_hash hash;
    bool is_seen;   /* in this run: not asked again */
    bool is_absent; /* the same */
    bool is_young;
} entry;

struct weir_fingerprints {
    weir_arena *arena;
    char *memory;
    entry *entry;
    size_t count, capacity;
    weir_map of; /* path to index + 1 */
    bool is_new;
    bool has_program; /* what `program` is */
    weir_hash program;
};

typedef struct wanted {
    const weir_fingerprints *f;
    const char *path;
} wanted;

static bool is_wanted(const void *user, uint64_t key, uint64_t value) {
    const wanted *w = user;
    (void)key;
    return strcmp(w->f->entry[value - 1].path, w->path) == 0;
}

static entry *entry_of(weir_fingerprints *f, const char *path) {
    bool is_new;
    const wanted w = {f, path};
    weir_map_entry *e = weir_map_put_as(&f->of, weir_map_hash_text(path, strlen(path)), is_wanted, &w, &is_new);
    if (is_new) {
        f->entry = weir_grow(f->entry, &f->capacity, f->count + 1, sizeof *f->entry);
        f->entry[f->count++] = (entry){.path = weir_arena_copy_string(f->arena, path), .size = -1};
        e->value = f->count;
    }
    return &f->entry[e->value - 1];
}

static void read_line(weir_fingerprints *f, const char *line) {
    int64_t size, modified, changed;
    uint64_t high, low;
    int at = 0;
    if (sscanf(line, "%16" SCNx64 "%16" SCNx64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %n", &high, &low, &size, &modified,
               &changed, &at) < 5 ||
        at == 0 || line[at] == '\0')
        return;
    entry *e = entry_of(f, line + at);
    *e = (entry){.path = e->path, .size = size, .modified = modified, .changed = changed, .hash = {high, low}};
}

weir_fingerprints *weir_fingerprints_open(const char *memory) {
    weir_fingerprints *f = weir_calloc(1, sizeof *f);
    f->arena = weir_arena_new();
    f->memory = weir_copy_string(memory);
    size_t size;
    char *text = weir_file_read_quietly(memory, &size);
    for (char *line = text, *end; line != NULL && (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        read_line(f, line);
    }
    free(text);
    return f;
}

void weir_fingerprints_close(weir_fingerprints *f) {
    weir_text text = {NULL, 0, 0};
    for (size_t i = 0; f->is_new && i < f->count; i++) {
        const entry *e = &f->entry[i];
        char hash[33];
        if (e->size < 0 || e->is_absent || e->is_young || strchr(e->path, '\n') != NULL) continue;
        weir_hash_print(&e->hash, hash);
        weir_text_format(&text, "%s %" PRId64 " %" PRId64 " %" PRId64 " %s\n", hash, e->size, e->modified, e->changed,
                         e->path);
    }
    if (text.size > 0) weir_file_write(f->memory, text.data, text.size);
    weir_text_free(&text);
    weir_map_free(&f->of);
    weir_arena_free(f->arena);
    free(f->entry);
    free(f->memory);
    free(f);
}

static bool read_content(const char *path, weir_hash *hash) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    enum { PIECE = 1 << 16 };
    char *piece = weir_malloc(PIECE);
    *hash = weir_hash_start();
    for (size_t got; (got = fread(piece, 1, PIECE, file)) > 0;) weir_hash_add(hash, piece, got);
    const bool fine = ferror(file) == 0;
    fclose(file);
    free(piece);
    return fine;
}

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

/* Is the content the same as long as these are? */
static bool is_remembered(const entry *e, const struct stat *state) {
    return e->size == (int64_t)state->st_size && e->modified == nanoseconds(state->st_mtim) &&
           e->changed == nanoseconds(state->st_ctim);
}

static bool add_file(weir_fingerprints *f, const char *path, const struct stat *state, weir_hash *hash) {
    entry *e = entry_of(f, path);
    if (!e->is_seen && !is_remembered(e, state)) {
        e->is_absent = !read_content(path, &e->hash);
        e->size = (int64_t)state->st_size;
        e->modified = nanoseconds(state->st_mtim);
        e->changed = nanoseconds(state->st_ctim);
        e->is_young = time(NULL) - state->st_ctim.tv_sec < YOUNG_SECONDS;
        f->is_new = true;
    }
    e->is_seen = true;
    if (e->is_absent) return false;
    weir_hash_add_number(hash, (uint64_t)e->size);
    weir_hash_add_hash(hash, e->hash);
    return true;
}

typedef struct below {
    weir_fingerprints *f;
    const char *folder;
    weir_hash *hash;
} below;

static bool add_below(void *user, const char *path) {
    const below *b = user;
    struct stat state;
    char *whole = weir_path_join(b->folder, path);
    weir_hash_add_string(b->hash, path);
    if (stat(whole, &state) == 0 && S_ISREG(state.st_mode)) add_file(b->f, whole, &state, b->hash);
    free(whole);
    return true;
}

bool weir_fingerprints_add(weir_fingerprints *f, const char *path, weir_hash *hash) {
    struct stat state;
    if (stat(path, &state) != 0) return false;
    if (S_ISREG(state.st_mode)) return add_file(f, path, &state, hash);
    return S_ISDIR(state.st_mode) && weir_tree_walk(path, add_below, &(below){f, path, hash});
}

static bool find_program(weir_fingerprints *f) {
    static const char *const folders[] = {"rtl", "sim", "boards/devices"};
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *data = weir_data_folder();
    f->program = weir_hash_start();
    f->has_program = length > 0 && data != NULL;
    if (f->has_program) {
        program[length] = '\0';
        f->has_program = weir_fingerprints_add(f, program, &f->program);
    }
    for (size_t i = 0; f->has_program && i < sizeof folders / sizeof *folders; i++) {
        char *path = weir_path_join(data, folders[i]);
        f->has_program = weir_fingerprints_add(f, path, &f->program);
        free(path);
    }
    free(data);
    return f->has_program;
}

bool weir_fingerprints_add_program(weir_fingerprints *f, weir_hash *hash) {
    if (!f->has_program && !find_program(f)) return false;
    weir_hash_add_hash(hash, f->program);
    return true;
}
