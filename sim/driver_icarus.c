/* Icarus: the harness is a VPI module that all designs share, a design is one file for vvp. */
#include <stdlib.h>

#include "sim/backend.h"
#include "support/arena.h"
#include "support/file.h"

static const char *const programs[] = {"iverilog", "iverilog-vpi", "vvp", NULL};

static bool identify(const weir_sim_build_context *context, weir_text *identity) {
    weir_arguments version = {0};
    weir_arguments_add(&version, "iverilog");
    weir_arguments_add(&version, "-V");
    bool fine = weir_sim_tool(&version, NULL, context->job->seconds, identity);
    weir_arguments_free(&version);
    return fine;
}

static bool make_support(const weir_sim_build_context *context, const char *folder) {
    weir_arguments make = {0};
    weir_arguments_add(&make, "iverilog-vpi");
    weir_arguments_add(&make, "--name=weir");
    weir_arguments_add(&make, "-DWEIR_HARNESS_VPI");
    weir_arguments_add(&make, "%s/sim/harness/weir_harness.c", context->data_folder);
    bool fine = weir_sim_tool(&make, folder, context->job->seconds, NULL);
    weir_arguments_free(&make);
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
    bool fine = weir_sim_tool(&make, folder, job->seconds, NULL);
    weir_arguments_free(&make);
    return fine;
}

static size_t command(const weir_sim_artifact *artifact, const weir_sim_run *run, const char *description,
                      char **arguments) {
    size_t count = 0;
    arguments[count++] = weir_copy_string("vvp");
    arguments[count++] = weir_copy_string("-n");
    arguments[count++] = weir_format("-M%s", artifact->support);
    arguments[count++] = weir_copy_string("-mweir");
    arguments[count++] = weir_path_join(artifact->folder, "tb.vvp");
    if (run->dump) arguments[count++] = weir_copy_string("-fst");
    arguments[count++] = weir_format("+weir_run=%s", description);
    return count;
}

const weir_sim_backend weir_sim_icarus = {"icarus", programs, identify, make_support, make_program, command};
