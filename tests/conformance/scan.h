/* What the runner must know of a model before importing it, read from the protobuf wire by itself so that the list of
 * expected tests does not depend on the importer under test. */
#ifndef WEIR_CONFORMANCE_SCAN_H
#define WEIR_CONFORMANCE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum { SCAN_MAX = 64, SCAN_NAME = 128, SCAN_OP = 2 * SCAN_NAME };

typedef struct scan {
    size_t node_count, input_count, output_count;
    char op[SCAN_MAX][SCAN_OP]; /* "Gemm", or "domain.Name" */
    char input[SCAN_MAX][SCAN_NAME];
    const char *obstacle; /* why the model is out of reach: not plain tensors of a supported type, too old; or NULL */
} scan;

/* False when the bytes are no model, or one with more than SCAN_MAX nodes or inputs. */
bool scan_model(const void *data, size_t size, scan *result);

#endif
