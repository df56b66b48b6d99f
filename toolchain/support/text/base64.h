/* Bytes as text: base64 (RFC 4648, section 4). */
#ifndef WEIR_BASE64_H
#define WEIR_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "support/text/text.h"

/* Appends the bytes in lines of at most 100 characters, each with its line end. */
void weir_base64_encode(const void *data, size_t size, weir_text *text);
/* Appends the bytes; blanks and line ends are skipped. False when the text is not whole base64. */
bool weir_base64_decode(const char *text, weir_text *data);

#endif
