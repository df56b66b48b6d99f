/* What is known of each node of a run's hardware graph, gathered from its reports. */
#ifndef WEIR_REPORT_FACTS_H
#define WEIR_REPORT_FACTS_H

#include "report/report.h"

typedef struct weir_report_node {
    weir_node node;
    bool on_host, is_wiring; /* neither: a component */
    const char *name, *op, *component;
    const json_t *activity; /* its record of a debug run; NULL: none */
    const json_t *estimate; /* its record of the estimate; NULL */
    const json_t *made;     /* its record of the synthesis; NULL */
    const json_t *noise;    /* its record of `noise`; NULL */
} weir_report_node;

typedef struct weir_report_facts {
    const weir_report_run *run;
    size_t index;               /* of the run: part of the page's anchors */
    const json_t *debug, *fast; /* runs of `check`: the one with activity, the one over all frames; NULL */
    weir_report_node *node;     /* in the graph's order; heap */
    size_t count;
} weir_report_facts;

weir_report_facts weir_report_facts_of(const weir_report_run *run, size_t index);
void weir_report_facts_free(weir_report_facts *facts);
/* "[1,28,28,6] u8": the type of a value. */
void weir_report_add_type(weir_text *text, const weir_type *type);
/* "r0n12": what the page calls the node, by its position. */
void weir_report_add_anchor(weir_text *html, const weir_report_facts *facts, const weir_report_node *node);
/* <section id="r0-NAME"> of the page with its heading; its end. */
void weir_report_section_open(const weir_report_facts *facts, const char *name, const char *heading, weir_text *html);
void weir_report_section_close(weir_text *html);

#endif
