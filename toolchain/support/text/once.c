#include "support/text/once.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

bool weir_once_add(weir_once *once, const char *text) {
    for (size_t i = 0; i < once->count; i++)
        if (strcmp(once->text[i], text) == 0) return false;
    once->text = weir_grow(once->text, &once->capacity, once->count + 1, sizeof *once->text);
    once->text[once->count++] = weir_copy_string(text);
    return true;
}

void weir_once_free(weir_once *once) {
    for (size_t i = 0; i < once->count; i++) free(once->text[i]);
    free(once->text);
    *once = (weir_once){0};
}
