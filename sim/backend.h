/* What the driver needs of a simulator; internal to sim/. */
#ifndef WEIR_SIM_BACKEND_H
#define WEIR_SIM_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/driver.h"
#include "support/memory/hash.h"
#include "support/process/tool.h"
#include "support/text/text.h"

typedef struct weir_sim_backend weir_sim_backend;

/* A build in progress; paths are absolute. */
typedef struct weir_sim_build_context {
    const weir_sim_job *job;
    const weir_sim_backend *backend;
    const char *data_folder, *cache;
    const char *const *files; /* bench parts first, then the job's */
    size_t file_count;
    weir_hash shared_hash;       /* of what goes into the shared entries */
    bool quick;                  /* for few cycles: built faster, slower to run */
    weir_sim_artifact *artifact; /* keeps the entries */
    bool *made;                  /* set when an entry has been made */
} weir_sim_build_context;

/* Fills the empty folder of an entry; false after a reported error. */
typedef bool weir_sim_make(const weir_sim_build_context *context, const char *folder);

/* An entry of the cache that all designs share. What is made of it may need those before it. */
typedef struct weir_sim_shared {
    const char *kind;
    weir_sim_make *make;
} weir_sim_shared;

struct weir_sim_backend {
    const char *name;
    const char *const *programs; /* NULL-terminated: all must be there */
    uint64_t few_cycles;         /* up to which a quick build pays, 0: there is none */
    /* Versions and flags that make results differ. */
    bool (*identify)(const weir_sim_build_context *context, weir_text *identity);
    weir_sim_shared shared[WEIR_SIM_SHARED]; /* those without a kind do not exist */
    weir_sim_make *make_program;
    /* Appends up to 8 arguments, heap memory, that run it with an option for the harness (NULL: none). */
    size_t (*command)(const weir_sim_artifact *artifact, const weir_sim_run *run, const char *option, char **arguments);
};

/* The folder of a shared entry, which another thread may be making: waits for it, or makes it. NULL after a reported
 * error. */
const char *weir_sim_shared_folder(const weir_sim_build_context *context, size_t index);

enum { WEIR_SIM_MAX_ARGUMENTS = 8 };

/* The command of the artifact's backend. */
size_t weir_sim_command(const weir_sim_artifact *artifact, const weir_sim_run *run, const char *option,
                        char **arguments);

/* What runs inside of simulators: sim/harness/NAME.c, NULL-terminated, and the headers that these share. */
extern const char *const weir_sim_harness[];
#define WEIR_SIM_HARNESS_HEADER "weir_serial_private.h"

extern const weir_sim_backend weir_sim_icarus;
extern const weir_sim_backend weir_sim_verilator;

#endif
