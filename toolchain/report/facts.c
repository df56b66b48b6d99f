#include "report/facts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/host.h"
#include "dataflow/schedule/stream.h"
#include "report/html.h"
#include "support/memory/arena.h"

/* The record of the node in a list; they come in the graph's order, so the search goes on from the last one found. */
static const json_t *find(const json_t *list, const char *name, size_t *from) {
    const size_t count = json_array_size(list);
    for (size_t i = 0; i < count; i++) {
        const size_t at = (*from + i) % count;
        const json_t *record = json_array_get(list, at);
        if (strcmp(weir_html_string(record, "node"), name) != 0) continue;
        *from = at + 1;
        return record;
    }
    return NULL;
}

static void choose_runs(weir_report_facts *facts) {
    const json_t *runs = json_object_get(facts->run->check, "runs");
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        const bool is_debug = json_is_true(json_object_get(run, "debug"));
        if (is_debug && facts->debug == NULL && json_array_size(json_object_get(run, "nodes")) > 0) facts->debug = run;
        if (!is_debug && json_object_get(run, "malformed") == NULL) facts->fast = run;
    }
}

weir_report_facts weir_report_facts_of(const weir_report_run *run, size_t index) {
    weir_report_facts facts = {.run = run, .index = index};
    choose_runs(&facts);
    if (run->hardware == NULL) return facts;
    const weir_graph *graph = run->hardware;
    facts.node = weir_calloc(weir_graph_node_count(graph) + 1, sizeof *facts.node);
    size_t active = 0, estimated = 0, made = 0, noisy = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
        const char *name = weir_node_name(graph, node);
        facts.node[facts.count++] =
            (weir_report_node){.node = node,
                               .on_host = weir_host_of(graph, node) != WEIR_HOST_NONE,
                               .is_wiring = weir_stream_role(graph, node) != WEIR_ROLE_COMPONENT,
                               .name = name,
                               .op = weir_node_info(graph, node)->full_name,
                               .component = hardware->module,
                               .activity = find(json_object_get(facts.debug, "nodes"), name, &active),
                               .estimate = find(json_object_get(run->estimate, "nodes"), name, &estimated),
                               .made = find(json_object_get(run->synthesis, "nodes"), name, &made),
                               .noise = find(json_object_get(run->check, "noise"), name, &noisy)};
    }
    return facts;
}

void weir_report_facts_free(weir_report_facts *facts) { free(facts->node); }

void weir_report_add_type(weir_text *text, const weir_type *type) {
    for (int i = 0; i < type->shape.rank; i++)
        weir_text_format(text, "%c%lld", i == 0 ? '[' : ',', (long long)type->shape.dim[i]);
    if (type->shape.rank > 0) weir_text_add(text, "] ");
    if (type->quant.format == WEIR_FORMAT_FLOAT) weir_text_add(text, weir_dtype_name(type->dtype));
    else weir_text_format(text, "%c%d", type->quant.is_signed ? 's' : 'u', type->quant.width);
}

void weir_report_add_anchor(weir_text *html, const weir_report_facts *facts, const weir_report_node *node) {
    assert(node >= facts->node && node < facts->node + facts->count);
    weir_text_format(html, "r%zun%zu", facts->index, (size_t)(node - facts->node));
}

void weir_report_section_open(const weir_report_facts *facts, const char *name, const char *heading, weir_text *html) {
    weir_text_format(html, "<section id=\"r%zu-%s\"><h2>%s</h2>\n", facts->index, name, heading);
}

void weir_report_section_close(weir_text *html) { weir_text_add(html, "</section>\n"); }
