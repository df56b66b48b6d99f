/* Icarus: the harness is VPI modules that all designs share, a design is one file for vvp. */
#include <stdlib.h>
#include <string.h>

#include "sim/backend.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static const char *const programs[] = {"iverilog", "iverilog-vpi", "vvp", NULL};
enum { SUPPORT }; /* what designs share: the VPI modules */

static bool identify(const weir_sim_build_context *context, weir_text *identity) {
    weir_arguments version = {0};
    weir_arguments_add(&version, "iverilog");
    weir_arguments_add(&version, "-V");
    bool fine = weir_tool_run(&version, NULL, context->job->seconds, identity);
    weir_arguments_free(&version);
    return fine;
}

/* A copy, because iverilog-vpi takes blanks in a path for its end. */
static bool copy_harness(const weir_sim_build_context *context, const char *folder, const char *file) {
    char *from = weir_format("%s/sim/harness/%s", context->data_folder, file), *to = weir_path_join(folder, file);
    const bool fine = weir_file_copy(from, to);
    free(from);
    free(to);
    return fine;
}

static bool make_module(const weir_sim_build_context *context, const char *folder, const char *name) {
    weir_arguments make = {0};
    char *file = weir_format("%s.c", name);
    weir_arguments_add(&make, "iverilog-vpi");
    weir_arguments_add(&make, "-DWEIR_HARNESS_VPI");
    weir_arguments_add(&make, "%s", file);
    const bool fine = copy_harness(context, folder, file) && weir_tool_run(&make, folder, context->job->seconds, NULL);
    weir_arguments_free(&make);
    free(file);
    return fine;
}

static bool make_support(const weir_sim_build_context *context, const char *folder) {
    bool fine = copy_harness(context, folder, WEIR_SIM_HARNESS_HEADER);
    for (const char *const *name = weir_sim_harness; fine && *name; name++) fine = make_module(context, folder, *name);
    return fine;
}

/* iverilog does not notice a full disk. What it writes ends with a list of as many file names as it announces. */
static bool check_program(const char *folder) {
    static const char head[] = ":file_names ";
    char *path = weir_path_join(folder, "tb.vvp");
    size_t size = 0;
    char *text = weir_file_read(path, &size), *list = text, *next = text;
    while (next && (next = strstr(next, head))) list = next++;
    long names = list && list != text ? strtol(list + sizeof head - 1, &list, 10) : 0;
    bool fine = names > 0;
    for (; fine && names > 0; names--) {
        list = strchr(list, '\n');
        fine = list && strncmp(++list, "    \"", 5) == 0;
    }
    fine = fine && size > 3 && strcmp(text + size - 3, "\";\n") == 0;
    if (text && !fine) {
        weir_error(weir_at(path, 0), "'iverilog' wrote only part of it");
        weir_note("is the disk full?");
    }
    free(text);
    free(path);
    return fine;
}

static bool make_program(const weir_sim_build_context *context, const char *folder) {
    const weir_sim_job *job = context->job;
    weir_arguments make = {0};
    weir_arguments_add(&make, "iverilog");
    weir_arguments_add(&make, "-g2005");
    weir_arguments_add(&make, "-stb");
    weir_arguments_add(&make, "-otb.vvp");
    if (job->trace) weir_arguments_add(&make, "-DWEIR_SIM_TRACE");
    for (size_t i = 0; i < job->define_count; i++) weir_arguments_add(&make, "-D%s", job->defines[i]);
    for (size_t i = 0; i < context->file_count; i++) weir_arguments_add(&make, "%s", context->files[i]);
    bool fine = weir_tool_run(&make, folder, job->seconds, NULL) && check_program(folder);
    weir_arguments_free(&make);
    return fine;
}

static size_t command(const weir_sim_artifact *artifact, const weir_sim_run *run, const char *option,
                      char **arguments) {
    size_t count = 0;
    arguments[count++] = weir_copy_string("vvp");
    arguments[count++] = weir_copy_string("-n");
    arguments[count++] = weir_format("-M%s", artifact->shared[SUPPORT].folder);
    for (const char *const *name = weir_sim_harness; *name; name++) arguments[count++] = weir_format("-m%s", *name);
    arguments[count++] = weir_path_join(artifact->folder, "tb.vvp");
    if (run->dump) arguments[count++] = weir_copy_string("-fst");
    if (option) arguments[count++] = weir_copy_string(option);
    return count;
}

const weir_sim_backend weir_sim_icarus = {.name = "icarus",
                                          .programs = programs,
                                          .identify = identify,
                                          .shared = {[SUPPORT] = {"support", make_support}},
                                          .make_program = make_program,
                                          .command = command};
