/* The parts of a page, each nothing where the run has nothing for it. */
#ifndef WEIR_REPORT_SECTION_H
#define WEIR_REPORT_SECTION_H

#include "report/facts.h"

/* All up to the body of a page with these names in its title; its end. */
void weir_report_page_open(const char *const *names, size_t count, weir_text *html);
void weir_report_page_close(weir_text *html);

/* The graph as an SVG element: with more attributes, and something that comes first in it. */
void weir_network_draw(const weir_report_facts *facts, const char *attributes, const char *first, weir_text *html);
/* The graph with what is known of each node beside it, and all nodes as a table. */
void weir_section_network(const weir_report_facts *facts, weir_text *html);
/* First to last beat of each component for frame 0. */
void weir_section_schedule(const weir_report_facts *facts, weir_text *html);
/* What components reach of what they could. */
void weir_section_roofline(const weir_report_facts *facts, weir_text *html);
/* What of the device is used and estimated; the clock and the critical path. */
void weir_section_resources(const weir_report_facts *facts, weir_text *html);
/* How well outputs name labels, and what quantization changes, by layer. */
void weir_section_accuracy(const weir_report_facts *facts, weir_text *html);
/* Each simulation. */
void weir_section_simulations(const weir_report_facts *facts, weir_text *html);
/* Foldings that no other is better than. */
void weir_section_front(const weir_report_facts *facts, weir_text *html);

/* What one looks at first, as name, value and unit; of several runs beside each other, better and worse than the first.
 * */
void weir_section_summary(const weir_report_facts *facts, weir_text *html);
void weir_section_comparison(const weir_report_facts *facts, size_t count, weir_text *html);

#endif
