/* JSON as text files, which end with a newline. */
#ifndef WEIR_FILE_JSON_H
#define WEIR_FILE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* `flags` are those of json_dumps. Heap memory. */
char *weir_json_text(const json_t *value, size_t flags);
/* Writes it (weir_file_write); false after a reported error. */
bool weir_json_write(const char *path, const json_t *value, size_t flags);

#endif
