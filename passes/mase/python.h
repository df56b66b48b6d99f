/* JSON values as Python prints them, because MASE's reports are Python objects. */
#ifndef WEIR_PASSES_PYTHON_H
#define WEIR_PASSES_PYTHON_H

#include <jansson.h>

#include "support/memory/array.h"
#include "support/text/text.h"

/* On one line: {'start_dim': 1, 'inplace': False}. Tensors (below) are without quotes, as do torch's types. */
void weir_python_print(const json_t *value, weir_text *text);
/* What does not fit `width` columns is broken after commas, one entry a line, as pprint does. */
void weir_python_print_lines(const json_t *value, size_t width, weir_text *text);
/* "tensor([0.5, 1.0, 2.0, ..., 7.0])": the elements in order, without those in the middle where there are many. */
json_t *weir_python_tensor(const weir_array *array);

#endif
