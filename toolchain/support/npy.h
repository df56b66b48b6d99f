/* The .npy format in memory, shared by the readers and writers of .npy and .npz files. */
#ifndef WEIR_NPY_H
#define WEIR_NPY_H

#include <stddef.h>

#include "support/array.h"
#include "support/diag.h"
#include "support/text.h"

/* The array that `size` bytes of an .npy file hold, on the heap; NULL after an error at `location`. `name` is the file
 * or the archive's entry, for the message. */
weir_array *weir_npy_parse(const void *data, size_t size, weir_location location, const char *name);
/* Appends the array as an .npy file, format 1.0. */
void weir_npy_format(weir_text *text, const weir_array *array);

#endif
