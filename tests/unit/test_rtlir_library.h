/* The library of Verilog modules, rtl/, as tests read it. */
#ifndef WEIR_TEST_RTLIR_LIBRARY_H
#define WEIR_TEST_RTLIR_LIBRARY_H

#include "test_rtlir_support.h"

#include <dirent.h>

#include "support/process/process.h"

/* Reads the headers of all files below a folder into the design; how many there are. Without those of rtl/check, which
 * hold nothing unless WEIR_CHECK is defined. */
static inline int read_folder(weir_rtl_design *design, const char *folder) {
    int files = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
        const char *name = entry->d_name;
        size_t length = strlen(name);
        if (name[0] == '.' || strcmp(name, "check") == 0) continue;
        char *path = weir_path_join(folder, name);
        if (length > 2 && strcmp(name + length - 2, ".v") == 0) {
            weir_rtl_module module = weir_rtl_read_module(design, path);
            if (!module.id) fail_msg("%s: %s", path, messages.data ? messages.data : "not read");
            char *expected = weir_format("%s.v", weir_rtl_get_module(design, module).name);
            assert_string_equal(name, expected);
            free(expected);
            files++;
        } else {
            files += read_folder(design, path); /* no folder: nothing is found */
        }
        free(path);
    }
    if (list) closedir(list);
    return files;
}

/* What Icarus says of the file's modules when it elaborates them with the library and `part` (NULL: none). Its exit
 * status. */
static inline int ask_icarus(const char *standard, const char *file, const char *part, weir_text *output) {
    static const char *const folders[] = {"stream", "linear", "window", "pool", "activation", "norm", "cast", "memory"};
    enum { FOLDERS = sizeof folders / sizeof *folders };
    const char *arguments[FOLDERS + 8] = {"iverilog", standard, "-Wall", "-t", "null", file};
    char *rtl = source_path("rtl");
    weir_text folder[FOLDERS] = {{0}};
    for (size_t i = 0; i < FOLDERS; i++) {
        weir_text_format(&folder[i], "-y%s/%s", rtl, folders[i]);
        arguments[6 + i] = folder[i].data;
    }
    arguments[6 + FOLDERS] = part;
    int status = 0;
    weir_process process = {.arguments = arguments, .seconds = 60};
    assert_int_equal(weir_process_run(&process, output, &status), WEIR_PROCESS_EXITED);
    for (size_t i = 0; i < FOLDERS; i++) weir_text_free(&folder[i]);
    free(rtl);
    return status;
}

#endif
