#include "board/extend.h"

#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

bool weir_board_extend(const char *path, const char *top, const char *ports, const char *statements) {
    size_t size = 0;
    char *text = weir_file_read(path, &size), *head = weir_format("\nmodule %s (\n", top);
    char *first = text == NULL ? NULL : strstr(text, head), *end = first == NULL ? NULL : strstr(first, "\nendmodule");
    bool fine = false;
    if (end != NULL) {
        weir_text made = {NULL, 0, 0};
        first += strlen(head);
        weir_text_format(&made, "%.*s%s%.*s\n%s%s", (int)(first - text), text, ports, (int)(end - first), first,
                         statements, end);
        fine = weir_file_write(path, made.data, made.size);
        weir_text_free(&made);
    } else if (text != NULL) {
        weir_error(weir_at(path, 1), "expected module '%s' as Weir printed it", top);
    }
    free(head);
    free(text);
    return fine;
}
