/* One case of tests/rtl: a hardware design, a pipeline, and the expected result. usage: run_rtl CASE [--print]
 * Besides the text it checks that the result is sound, that each pass keeps what the design computes (equivalence.h),
 * and that the result reads back byte for byte and stays as it is when the pipeline runs again. tests/README.md
 * describes the file; exit status 0 when all holds (or, in a case with `planted:`, when exactly that check fails), else
 * 1. --print shows the result as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "common/messages.h"
#include "pass/run/instrument.h"
#include "passes/equivalence/equivalence.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"
#include "support/file/file.h"

static weir_text messages, output;

/* Runs the pipeline on the module under the case's settings; false when it could not be set up or failed. */
static bool run_pipeline(const test_case *c, weir_module *module) {
    weir_pass_registry *registry = weir_pass_registry_new();
    bool fine = weir_passes_register(registry);
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_rtl_equivalence how = WEIR_RTL_EQUIVALENCE_DEFAULTS;
    how.silent = true;
    weir_pass_instrument *watch[] = {weir_pass_verifier_new(), weir_pass_immutable_new(),
                                     weir_rtl_equivalence_new(&how)};
    for (size_t i = 0; i < sizeof watch / sizeof *watch; i++) weir_pass_context_add_instrument(context, watch[i]);
    fine = fine && run_case_pipeline(context, c->level, c->disable, c->pipeline, module);
    output.size = 0;
    weir_text_add(&output, weir_pass_output(context)->size > 0 ? weir_pass_output(context)->data : "");
    weir_pass_context_free(context);
    for (size_t i = 0; i < sizeof watch / sizeof *watch; i++) weir_pass_instrument_free(watch[i]);
    weir_pass_registry_free(registry);
    return fine;
}

static void check_round_trip(const char *text) {
    weir_rtl_design *design = weir_rtl_parse_text(text, strlen(text), "result");
    weir_text again = {0};
    if (design == NULL) {
        complain("round trip", messages.data);
        return;
    }
    weir_rtl_print_text(design, &again);
    check_equal("round trip", text, again.data);
    weir_text_free(&again);
    weir_rtl_design_free(design);
}

static void check_verilog(const char *what, const char *expected, weir_rtl_design *design, weir_rtl_module top,
                          weir_rtl_dialect dialect) {
    const weir_rtl_print_options options = {.dialect = dialect};
    weir_text text = {0};
    if (expected == NULL) return;
    weir_print_hardware(design, top, &options, &text);
    check_equal(what, expected, text.data);
    weir_text_free(&text);
}

static void check_result(const test_case *c, weir_module *module, weir_rtl_module top, bool print) {
    weir_rtl_design *design = weir_module_design(module);
    weir_text text = {0}, again = {0};
    weir_rtl_print_text(design, &text);
    if (print) fputs(text.data, stdout);
    if (c->expected != NULL) check_equal("text", c->expected, text.data);
    if (c->output != NULL) check_equal("output", c->output, output.data);
    check_verilog("verilog", c->verilog, design, top, WEIR_RTL_VERILOG);
    check_verilog("systemverilog", c->systemverilog, design, top, WEIR_RTL_SYSTEMVERILOG);
    if (c->verify != NULL && strcmp(c->verify, "whole") == 0 && !weir_rtl_verify(design, top))
        complain("verify", messages.data);
    check_round_trip(text.data);
    if (c->again == NULL) {
        if (!run_pipeline(c, module)) complain("again", messages.data);
        weir_rtl_print_text(design, &again);
        check_equal("again", text.data, again.data);
    }
    weir_text_free(&text);
    weir_text_free(&again);
}

static void run_case(const test_case *c, bool print) {
    weir_rtl_design *design = weir_rtl_parse_text(c->input, strlen(c->input), "input");
    if (design == NULL) {
        if (c->diagnostics == NULL) complain("input", messages.data);
        else check_equal("diagnostics", c->diagnostics, messages.data);
        return;
    }
    const weir_rtl_module top = weir_rtl_choose_top(design, c->top);
    if (top.id == 0) {
        complain("top", messages.data);
        weir_rtl_design_free(design);
        return;
    }
    weir_module *module = weir_module_new("case");
    weir_module_set_rtl(module, design, weir_rtl_get_module(design, top).name);
    if (run_pipeline(c, module)) {
        if (c->expected == NULL && c->verilog == NULL && c->systemverilog == NULL && c->output == NULL)
            complain("diagnostics", "the pipeline is expected to fail");
        else check_result(c, module, top, print);
    } else if (c->expected != NULL) {
        complain("pipeline", messages.data);
    }
    check_equal("diagnostics", c->diagnostics == NULL ? "" : c->diagnostics, messages.data);
    weir_module_free(module);
}

int main(int count, char **arguments) {
    test_case c = {0};
    size_t size;
    const bool print = count == 3 && strcmp(arguments[2], "--print") == 0;
    char *text = count == 2 || print ? weir_file_read(arguments[1], &size) : NULL;
    if (text == NULL || !read_case(text, &c)) {
        fprintf(stderr, "usage: run_rtl CASE [--print]\n");
        free(text);
        return 2;
    }
    weir_text_add(&messages, "");
    weir_text_add(&output, "");
    weir_diag_set_handler(keep_message, &messages);
    run_case(&c, print);
    const int status = case_status(c.planted);
    weir_text_free(&messages);
    weir_text_free(&output);
    free(text);
    return status;
}
