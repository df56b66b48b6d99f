#include "support/file/json.h"

#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

char *weir_json_text(const json_t *value, size_t flags) {
    char *dump = json_dumps(value, flags), *text = weir_format("%s\n", dump);
    free(dump);
    return text;
}

bool weir_json_write(const char *path, const json_t *value, size_t flags) {
    char *text = weir_json_text(value, flags);
    const bool fine = weir_file_write(path, text, strlen(text));
    free(text);
    return fine;
}
