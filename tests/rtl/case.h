/* The parts of a file of tests/rtl/PASS; ends are zero. */
#ifndef WEIR_TEST_RTL_CASE_H
#define WEIR_TEST_RTL_CASE_H

#include "common/text_case.h"

typedef struct test_case {
    char *pipeline, *top, *level, *disable, *planted, *again, *verify;
    char *input, *expected, *verilog, *systemverilog, *output, *diagnostics;
} test_case;

/* False after saying what is unknown, or without a pipeline or a design. */
static inline bool read_case(char *text, test_case *c) {
    const case_field header[] = {{"pipeline", &c->pipeline}, {"top", &c->top},         {"level", &c->level},
                                 {"disable", &c->disable},   {"planted", &c->planted}, {"again", &c->again},
                                 {"verify", &c->verify}};
    const case_field sections[] = {{"input", &c->input},     {"expected", &c->expected},
                                   {"verilog", &c->verilog}, {"systemverilog", &c->systemverilog},
                                   {"output", &c->output},   {"diagnostics", &c->diagnostics}};
    return read_case_text(text, header, sizeof header / sizeof *header, sections, sizeof sections / sizeof *sections) &&
           c->pipeline != NULL && c->input != NULL;
}

#endif
