/* What reading a suite and expanding its matrices share. */
#ifndef WEIR_REGRESS_SUITE_PRIVATE_H
#define WEIR_REGRESS_SUITE_PRIVATE_H

#include "regress/suite.h"

/* Adds the name unless it is there; its index. */
size_t weir_suite_add_name(weir_suite *suite, const char *name);
void weir_suite_texts_add(weir_suite *suite, weir_suite_texts *texts, const char *text);

#endif
