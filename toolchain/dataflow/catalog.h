/* The components and the modules of the library as lists, from the table of components and the headers of the
 * Verilog. */
#ifndef WEIR_DATAFLOW_CATALOG_H
#define WEIR_DATAFLOW_CATALOG_H

#include <jansson.h>
#include <stdbool.h>

#include "dataflow/cost/device.h"
#include "support/text/text.h"

/* Each component's operator, requirements, foldings and time; with a device (else NULL) its resources at default
 * parameters. False after a reported error. */
bool weir_catalog_print(const weir_device *device, weir_text *text);
/* One component in full, by its name or its operator's. False after a reported error. */
bool weir_catalog_print_one(const char *name, const weir_device *device, weir_text *text);
/* The same as objects: all, or one; a new reference, NULL after a reported error. */
json_t *weir_catalog_json(const weir_device *device);
json_t *weir_catalog_json_one(const char *name, const weir_device *device);
/* Two tables for rtl/README.md: the components, and every module of rtl/ with parameters, time and mapping. False after
 * a reported error. */
bool weir_catalog_markdown(weir_text *text);

#endif
