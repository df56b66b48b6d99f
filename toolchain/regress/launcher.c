#include "regress/launcher.h"

#include <stddef.h>
#include <string.h>

#include "support/text/diag.h"
#include "support/text/schema.h"
#include "support/text/yaml.h"

enum { MOST_TASKS = 1000 };

static const struct {
    const char *name;
    weir_launcher launcher;
} known[] = {
    {"parallel", {.submit = "seq {first} {last} | parallel --no-notice {options} sh {script}", .most = 100000}},
    {"slurm",
     {.submit = "sbatch --parsable --requeue --array={first}-{last} --job-name={name} --output={folder}/tasks.log "
                "--open-mode=append {options} {script}",
      .index = "SLURM_ARRAY_TASK_ID",
      .ask = "squeue --noheader --jobs={job} --format=%i",
      .gone = "Invalid job id",
      .cancel = "scancel {job}",
      .most = MOST_TASKS}},
};
enum { KNOWN = sizeof known / sizeof *known };

static const weir_schema_field fields[] = {
    {.name = "submit", .kind = WEIR_SCHEMA_STRING, .required = true, .at = offsetof(weir_launcher, submit)},
    {.name = "index", .kind = WEIR_SCHEMA_STRING, .at = offsetof(weir_launcher, index)},
    {.name = "ask", .kind = WEIR_SCHEMA_STRING, .at = offsetof(weir_launcher, ask)},
    {.name = "gone", .kind = WEIR_SCHEMA_STRING, .at = offsetof(weir_launcher, gone)},
    {.name = "cancel", .kind = WEIR_SCHEMA_STRING, .at = offsetof(weir_launcher, cancel)},
    {.name = "first", .kind = WEIR_SCHEMA_COUNT, .at = offsetof(weir_launcher, first)},
    {.name = "most", .kind = WEIR_SCHEMA_COUNT, .at = offsetof(weir_launcher, most)},
    {.name = NULL}};

bool weir_launcher_read(weir_arena *arena, const char *name, weir_launcher *launcher) {
    for (size_t i = 0; i < KNOWN; i++) {
        if (strcmp(known[i].name, name) != 0) continue;
        *launcher = known[i].launcher;
        return true;
    }
    if (strchr(name, '/') == NULL && strstr(name, ".yaml") == NULL) {
        weir_error(WEIR_NOWHERE, "--on: unknown launcher '%s'", name);
        weir_note("expected 'parallel', 'slurm', or the .yaml file of another scheduler");
        return false;
    }
    weir_yaml *yaml = weir_yaml_read(name);
    *launcher = (weir_launcher){.most = MOST_TASKS};
    bool fine = yaml != NULL && weir_schema_read(arena, yaml, "launcher", fields, launcher);
    if (fine && launcher->ask != NULL && launcher->cancel == NULL) {
        weir_error(weir_at(name, 0), "'ask' without 'cancel': an interrupted run would leave its tasks");
        fine = false;
    }
    if (fine && launcher->most == 0) launcher->most = MOST_TASKS;
    weir_yaml_free(yaml);
    return fine;
}
