/* The text of a case of tests/op (tests/README.md describes it), and the cases of a folder. */
#ifndef WEIR_TEST_OP_CASE_H
#define WEIR_TEST_OP_CASE_H

#include <stdbool.h>

/* The parts of a file, NULL where it has none: they point into its text. */
typedef struct op_case {
    char *tolerance, *hardware, *reference, *planted;
    char *interval; /* only `simulate` reads it */
    char *graph, *data, *nest, *values, *diagnostics, *refusal;
} op_case;

/* Cuts the text up. False after saying what is unknown, or without a graph. */
bool op_case_read(char *text, op_case *c);

/* Visits the files *.txt of the folder in the order of their names: how many there are, or -1 where the folder cannot
 * be read. */
typedef void op_file_visit(void *user, const char *path);
int op_folder_visit(const char *folder, op_file_visit *visit, void *user);

#endif
