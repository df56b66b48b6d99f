#include "cli/source.h"

#include <stdlib.h>

#include "dataflow/component.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

struct weir_source {
    weir_dse_source calls;
    weir_job *job;
    const char *model;
    weir_module *lowered; /* NULL: not yet */
};

/* The model in integer arithmetic, which is the same for all devices. */
static bool lower(weir_source *source) {
    weir_module *module = weir_job_read_frames(source->model, &source->job->sizes);
    if (module != NULL && weir_job_run(source->job, module, "lower_integer") == WEIR_EXIT_FINE) {
        source->lowered = module;
        return true;
    }
    weir_module_free(module);
    return false;
}

static weir_graph *read(void *user, const char *device, int64_t clock_mhz) {
    weir_source *source = user;
    if (source->lowered == NULL && !lower(source)) return NULL;
    weir_module *module = weir_module_new(weir_module_name(source->lowered));
    for (size_t i = 0; i < weir_module_graph_count(source->lowered); i++)
        weir_module_add_graph(module, weir_graph_copy(weir_module_graph(source->lowered, i)));
    weir_job rest = WEIR_JOB_DEFAULTS(source->job->command);
    rest.finds_states = false; /* they are kept already */
    char *pipeline =
        weir_format("set_target{device=\"%s\",clock=%lld},realize_requantize,partition", device, (long long)clock_mhz);
    weir_graph *graph = NULL;
    if (weir_job_run(&rest, module, pipeline) == WEIR_EXIT_FINE)
        graph = weir_graph_copy(weir_module_find_graph(module, "hardware"));
    free(pipeline);
    weir_module_free(module);
    if (graph == NULL || weir_component_assign(graph)) return graph;
    weir_graph_free(graph);
    return NULL;
}

weir_source *weir_source_new(weir_job *job, const char *model) {
    weir_source *source = weir_calloc(1, sizeof *source);
    *source = (weir_source){.calls = {read, weir_complete_folding, source}, .job = job, .model = model};
    return source;
}

void weir_source_free(weir_source *source) {
    weir_module_free(source->lowered);
    free(source);
}

const weir_dse_source *weir_source_calls(const weir_source *source) { return &source->calls; }
