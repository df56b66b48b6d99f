#include "common/messages.h"

void keep_message(void *user, const weir_diagnostic *diagnostic) {
    static const char *const words[] = {"note", "warning", "error"};
    if (diagnostic->location.file != NULL)
        weir_text_format(user, "%s:%d: ", diagnostic->location.file, diagnostic->location.line);
    weir_text_format(user, "%s: %s\n", words[diagnostic->severity], diagnostic->text);
}

void keep_line(void *user, const weir_diagnostic *diagnostic) {
    weir_text_format(user, "%d: %s\n", diagnostic->location.line, diagnostic->text);
}
