/* Hardware of a model, for each device that an exploration asks for. */
#ifndef WEIR_CLI_SOURCE_H
#define WEIR_CLI_SOURCE_H

#include "cli/job.h"
#include "dse/stages/stages_folding.h"

typedef struct weir_source weir_source;

/* Of the file `model`, read when hardware is first asked for; `job` says how it is quantized. Both must live as
 * long. */
weir_source *weir_source_new(weir_job *job, const char *model);
void weir_source_free(weir_source *source);
const weir_dse_source *weir_source_calls(const weir_source *source);

#endif
