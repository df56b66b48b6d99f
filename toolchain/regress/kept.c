#include "regress/kept.h"

#include <stddef.h>
#include <stdlib.h>

#include "support/file/file.h"
#include "support/memory/arena.h"

static const struct {
    const char *placeholder, *file, *folder, *ending;
} kinds[] = {[WEIR_KEPT_COVERAGE] = {"{coverage}", "coverage.dat", "coverage", ".dat"},
             [WEIR_KEPT_RESULT] = {"{result}", ".weir-result", "result", ""}};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *weir_kept_placeholder(weir_kept_kind kind) { return kinds[kind].placeholder; }

char *weir_kept_source(weir_kept_kind kind, const char *work) { return weir_path_join(work, kinds[kind].file); }

char *weir_kept_path(weir_kept_kind kind, const char *run, const weir_hash *key) {
    char digits[33];
    weir_hash_print(key, digits);
    return weir_format("%s/%s/%s%s", run, kinds[kind].folder, digits, kinds[kind].ending);
}

bool weir_kept_take(const char *run, const weir_hash *key, const char *work) {
    bool fine = true;
    for (size_t i = 0; fine && i < KINDS; i++) {
        const weir_kept_kind kind = (weir_kept_kind)i;
        char *from = weir_kept_source(kind, work), *to = weir_kept_path(kind, run, key),
             *folder = weir_path_join(run, kinds[kind].folder);
        fine = !weir_file_exists(from) || (weir_make_folder(folder) && weir_file_copy(from, to));
        free(folder);
        free(to);
        free(from);
    }
    return fine;
}
