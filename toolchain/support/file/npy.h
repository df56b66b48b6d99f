/* The .npy and .npz formats in memory. */
#ifndef WEIR_NPY_H
#define WEIR_NPY_H

#include <stddef.h>

#include "support/memory/array.h"
#include "support/text/diag.h"
#include "support/text/text.h"

/* The array that `size` bytes of an .npy file hold, on the heap; NULL after an error at `location`. `name` is the file
 * or the archive's entry, for the message. */
weir_array *weir_npy_parse(const void *data, size_t size, weir_location location, const char *name);
/* The same of an array of strings ('U' or 'S') too, which become int64 positions among the words; `text` may be
 * NULL. */
weir_array *weir_npy_parse_text(const void *data, size_t size, weir_location location, const char *name,
                                weir_text_reader *text);
weir_array *weir_npy_read_text(const char *path, weir_text_reader *text);
/* Appends the array as an .npy file, format 1.0. */
void weir_npy_format(weir_text *text, const weir_array *array);

/* The arrays that `size` bytes of an .npz file hold; initializes the archive. After a reported error it is empty. */
bool weir_npz_parse(const void *data, size_t size, weir_location location, weir_archive *archive);
/* Makes the empty text an .npz file; false after an error at `location`. */
bool weir_npz_format(weir_text *text, const weir_archive *archive, weir_location location);

#endif
