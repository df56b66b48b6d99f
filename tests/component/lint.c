#include "component/lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/text.h"

static bool is_silent(const char *folder, const char *const *arguments) {
    weir_text output = {NULL, 0, 0};
    int status = 0;
    if (!weir_process_found(arguments[0])) return true;
    const weir_process process = {.arguments = arguments, .folder = folder, .seconds = 120};
    const bool fine = weir_process_run(&process, &output, &status) == WEIR_PROCESS_EXITED && status == 0;
    const bool silent = fine && output.size == 0;
    if (!silent) fprintf(stderr, "%s: status %d\n%s", arguments[0], status, output.data == NULL ? "" : output.data);
    weir_text_free(&output);
    return silent;
}

bool lint_is_clean(const char *folder) {
    static const char *const verilator[] = {"verilator",    "-Wall",     "--lint-only", "-y", ".",
                                            "--top-module", "component", "component.v", NULL};
    static const char *const icarus[] = {"iverilog", "-g2005", "-Wall",     "-t",          "null", "-y",
                                         ".",        "-s",     "component", "component.v", NULL};
    static const char *const yosys[] = {"yosys", "-q", "-p",
                                        "read_verilog *.v; hierarchy -check -top component; proc; check -assert", NULL};
    char *rtl = weir_path_join(folder, "rtl");
    const bool clean = is_silent(rtl, verilator) && is_silent(rtl, icarus) && is_silent(rtl, yosys);
    free(rtl);
    return clean;
}

bool lint_plant(const char *folder) {
    static const char fault[] = "  wire [2:0] planted;\n  wire [1:0] narrow = planted;\nendmodule\n";
    size_t size;
    char *path = weir_path_join(folder, "rtl/component.v"), *text = weir_file_read(path, &size);
    char *end = text == NULL ? NULL : strstr(text, "\nendmodule");
    if (end != NULL) end[1] = '\0';
    char *planted = end == NULL ? NULL : weir_format("%s%s", text, fault);
    const bool fine = planted != NULL && weir_file_write(path, planted, strlen(planted));
    free(path);
    free(text);
    free(planted);
    return fine;
}

bool lint_has_module(const char *folder, const char *module) {
    size_t size;
    char *path = weir_path_join(folder, "rtl/component.v"), *text = weir_file_read(path, &size);
    char *instance = weir_format("\n  %s ", module);
    const bool has = text != NULL && strstr(text, instance) != NULL;
    free(path);
    free(text);
    free(instance);
    return has;
}
