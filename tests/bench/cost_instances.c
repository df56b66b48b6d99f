/* What a compiled network is built of and estimated to take: a line an instance, NODE MODULE PARAMETERS, then lookup
 * tables, flip-flops, multipliers and memory blocks; the last line is all of it.
 *
 * cost_instances DEVICE HARDWARE.weir */
#include <stdio.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "ir/graph/print.h"

typedef struct visit {
    const weir_device *device;
    const char *node;
} visit;

static void print(const weir_cost *cost) {
    printf(",%lld,%lld,%lld,%lld\n", (long long)cost->luts, (long long)cost->flip_flops, (long long)cost->multipliers,
           (long long)cost->memory_blocks);
}

static void print_instance(void *user, const char *module, const weir_cost_parameter *parameter, size_t count) {
    const visit *v = user;
    weir_cost cost;
    weir_cost_of_module(v->device, module, parameter, count, &cost);
    printf("%s,%s,", v->node, module);
    for (size_t i = 0; i < count; i++)
        printf("%s%s=%lld", i == 0 ? "" : " ", parameter[i].name, (long long)parameter[i].value);
    print(&cost);
}

int main(int count, char **argument) {
    if (count != 3) return fprintf(stderr, "usage: cost_instances DEVICE HARDWARE.weir\n"), 2;
    int status;
    weir_device *device = weir_device_read(argument[1], &status);
    weir_graph *graph = device == NULL ? NULL : weir_graph_load(argument[2]);
    if (graph == NULL) return 1;
    weir_cost_survey *survey = weir_cost_survey_new(graph, device);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_component_of(graph, node) == NULL) continue;
        visit v = {device, weir_node_name(graph, node)};
        weir_cost_survey_visit(survey, node, print_instance, &v);
    }
    weir_cost_survey_free(survey);
    weir_cost_report report = weir_cost_of_graph(graph, device);
    printf("all,,");
    print(&report.total);
    weir_cost_report_free(&report);
    weir_graph_free(graph);
    weir_device_free(device);
    return 0;
}
