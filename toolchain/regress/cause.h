/* Why a step ended as it did: the first cause in what it printed and in its report. */
#ifndef WEIR_REGRESS_CAUSE_H
#define WEIR_REGRESS_CAUSE_H

#include <jansson.h>
#include <stdbool.h>

#include "regress/record.h"
#include "regress/suite.h"

/* Fills node, message and the end of the log; `report` is the step's, NULL: none. */
void weir_cause_find(weir_record *record, const char *printed, size_t size, const json_t *report);
/* Does the step say that the machine failed it (a full disk, no memory)? */
bool weir_cause_is_machine(const char *printed, size_t size);
/* Numbers of the report by name into the record's metrics. */
void weir_cause_metrics(weir_record *record, weir_step_kind kind, const json_t *report);
/* Two points whose causes have the same text failed alike: state, step, node and message, without the point's own
 * values and numbers. Heap memory. */
char *weir_cause_group(const weir_suite *suite, const weir_suite_point *point, const weir_record *record);

#endif
