#define _DEFAULT_SOURCE /* DT_DIR */
#include "support/file/tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

typedef struct walk {
    const char *root;
    weir_tree_visit *visit;
    void *user;
} walk;

static int compare(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int is_entry(const struct dirent *entry) {
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static bool walk_folder(const walk *w, const char *below);

static bool is_folder(const walk *w, const char *path, unsigned char type) {
    if (type != DT_UNKNOWN) return type == DT_DIR;
    char *full = weir_path_join(w->root, path);
    struct stat state;
    bool folder = lstat(full, &state) == 0 && S_ISDIR(state.st_mode);
    free(full);
    return folder;
}

static bool walk_entry(const walk *w, const char *below, const struct dirent *entry) {
    char *path = weir_path_join(below, entry->d_name);
    bool fine = is_folder(w, path, entry->d_type) ? walk_folder(w, path) : w->visit(w->user, path);
    free(path);
    return fine;
}

static bool walk_folder(const walk *w, const char *below) {
    char *folder = *below ? weir_path_join(w->root, below) : weir_copy_string(w->root);
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_entry, compare);
    bool fine = count >= 0 || (errno == ENOENT && *below);
    if (!fine) {
        weir_error(weir_at(folder, 0), "cannot read the folder: %s", strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        fine = fine && walk_entry(w, below, entries[i]);
        free(entries[i]);
    }
    free(entries);
    free(folder);
    return fine;
}

bool weir_tree_walk(const char *folder, weir_tree_visit *visit, void *user) {
    const walk w = {folder, visit, user};
    return walk_folder(&w, "");
}

typedef struct hashing {
    weir_hash *hash;
    const char *folder;
} hashing;

static bool hash_file(void *user, const char *name) {
    const hashing *h = user;
    char *path = weir_path_join(h->folder, name);
    weir_hash_add_string(h->hash, name);
    const bool fine = weir_file_hash(path, h->hash);
    free(path);
    return fine;
}

bool weir_tree_hash(const char *folder, weir_hash *hash) {
    return weir_tree_walk(folder, hash_file, &(hashing){hash, folder});
}

bool weir_tree_make_parent(const char *root, const char *path) {
    char *full = weir_path_join(root, path), *parent = weir_path_folder(full);
    bool fine = weir_make_folder(parent);
    free(parent);
    free(full);
    return fine;
}

bool weir_tree_copy_file(const char *from, const char *to, const char *path) {
    char *source = weir_path_join(from, path), *target = weir_path_join(to, path);
    const bool fine = weir_tree_make_parent(to, path) && weir_file_copy(source, target);
    free(target);
    free(source);
    return fine;
}

typedef struct copying {
    const char *from, *to;
} copying;

static bool copy_file(void *user, const char *path) {
    const copying *c = user;
    return weir_tree_copy_file(c->from, c->to, path);
}

bool weir_tree_copy(const char *from, const char *to) {
    copying c = {from, to};
    return weir_make_folder(to) && weir_tree_walk(from, copy_file, &c);
}
