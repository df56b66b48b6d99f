#include "sim/cache_json.h"

#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/text/diag.h"

typedef struct computing {
    weir_cache_compute *compute;
    void *user;
    const char *file;
    json_t **result;
    int status;
} computing;

static bool make(void *user, const char *folder) {
    computing *c = user;
    c->status = c->compute(c->user, c->result);
    if (c->status != WEIR_EXIT_FINE || *c->result == NULL) return false;
    char *path = weir_path_join(folder, c->file), *text = json_dumps(*c->result, JSON_PRESERVE_ORDER);
    const bool fine = weir_file_write(path, text, strlen(text));
    if (!fine) c->status = WEIR_EXIT_INPUT;
    free(text);
    free(path);
    return fine;
}

int weir_cache_json(const char *cache, const char *name, const char *file, weir_cache_compute *compute, void *user,
                    json_t **result) {
    computing c = {compute, user, file, result, WEIR_EXIT_FINE};
    int held = -1;
    bool made = false;
    char *folder = weir_cache_entry(cache, name, false, make, &c, &held, &made);
    if (folder != NULL && !made) {
        char *path = weir_path_join(folder, file);
        *result = json_load_file(path, 0, NULL);
        free(path);
    }
    if (folder != NULL) weir_cache_release(held);
    else if (c.status == WEIR_EXIT_FINE) c.status = WEIR_EXIT_INPUT;
    free(folder);
    return c.status;
}
