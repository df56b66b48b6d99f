/* Folders of tests/op: an operator's name, with "weir." in front for Weir's own. */
#ifndef WEIR_TEST_OP_SUBJECT_H
#define WEIR_TEST_OP_SUBJECT_H

#include "ir/graph/op.h"

/* The folder's name; heap memory. */
char *subject_folder(weir_op op);
/* The operator of a folder, or of a case in it; WEIR_OP_NONE when it is named after none. */
weir_op subject_of_path(const char *path);

#endif
