/* What the driver needs of a simulator; internal to sim/. */
#ifndef WEIR_SIM_BACKEND_H
#define WEIR_SIM_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/driver.h"
#include "support/text.h"
#include "support/tool.h"

/* A build in progress; paths are absolute. */
typedef struct weir_sim_build_context {
    const weir_sim_job *job;
    const char *data_folder;
    const char *const *files; /* bench parts first, then the job's */
    size_t file_count;
    const char *support; /* the shared entry, once there is one */
    bool quick;          /* for few cycles: sooner built, slower to run */
} weir_sim_build_context;

typedef struct weir_sim_backend {
    const char *name;
    const char *const *programs; /* NULL-terminated: all must be there */
    uint64_t few_cycles;         /* up to which a quick build pays, 0: there is none */
    /* Versions and flags that make results differ. */
    bool (*identify)(const weir_sim_build_context *context, weir_text *identity);
    /* Fill an empty folder with what all designs share, and with the program of one design. */
    bool (*make_support)(const weir_sim_build_context *context, const char *folder);
    bool (*make_program)(const weir_sim_build_context *context, const char *folder);
    /* Appends up to 8 arguments, heap memory, that run it with the description file. */
    size_t (*command)(const weir_sim_artifact *artifact, const weir_sim_run *run, const char *description,
                      char **arguments);
} weir_sim_backend;

enum { WEIR_SIM_MAX_ARGUMENTS = 8 };

/* The command of the artifact's backend. */
size_t weir_sim_command(const weir_sim_artifact *artifact, const weir_sim_run *run, const char *description,
                        char **arguments);

extern const weir_sim_backend weir_sim_icarus;
extern const weir_sim_backend weir_sim_verilator;

#endif
