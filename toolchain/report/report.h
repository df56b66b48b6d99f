/* Runs as one page of HTML that needs nothing else: what the commands left, beside the hardware graph. */
#ifndef WEIR_REPORT_REPORT_H
#define WEIR_REPORT_REPORT_H

#include <jansson.h>

#include "ir/graph/graph.h"
#include "support/text/text.h"

/* What is known of a compiled network, or of a sweep; all borrowed, and NULL where there is none. */
typedef struct weir_report_run {
    const char *name;           /* the folder's or the model's */
    const weir_graph *hardware; /* with its streams */
    const json_t *check;        /* of `weir check` or `weir sim` (cosim/README.md) */
    const json_t *synthesis;    /* of `weir synth` (synth/README.md) */
    const json_t *estimate;     /* weir_cost_json */
    const json_t *front;        /* of `weir dse --sweep`: front.json */
    const char *layout;         /* Graphviz' answer to weir_report_dot: `dot -Tplain` */
} weir_report_run;

/* The hardware graph for Graphviz, its nodes called by their numbers. */
void weir_report_dot(const weir_graph *hardware, weir_text *dot);
/* The network alone, as an SVG file: busy, starved and blocked are those of the debug run of `check`. */
void weir_report_draw(const weir_report_run *run, weir_text *svg);
/* The page. Of several runs each has its part, behind a comparison with the first. */
void weir_report_page(const weir_report_run *runs, size_t count, weir_text *html);
/* The page of a suite, of its JSON (schema/regress.schema.json). */
void weir_report_suite(const json_t *tally, weir_text *html);

#endif
