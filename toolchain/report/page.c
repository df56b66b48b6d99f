#include <stdlib.h>

#include <string.h>

#include "page_assets.inc"
#include "report/html.h"
#include "report/layout.h"
#include "report/section.h"
#include "support/memory/arena.h"

void weir_report_dot(const weir_graph *hardware, weir_text *dot) { weir_layout_dot(hardware, dot); }

static void add_lines(weir_text *html, const char *const *lines) {
    for (; *lines != NULL; lines++) weir_text_add(html, *lines);
}

void weir_report_page_open(const char *const *names, size_t count, weir_text *html) {
    weir_text_add(
        html, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
              "script-src 'unsafe-inline'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>Weir:");
    for (size_t i = 0; i < count; i++) {
        weir_text_add(html, i == 0 ? " " : ", ");
        weir_html_text(html, names[i]);
    }
    weir_text_add(html, "</title>\n<style>\n");
    add_lines(html, page_css);
    weir_text_add(html, "</style></head>\n<body>\n");
}

void weir_report_page_close(weir_text *html) {
    weir_text_add(html, "<script>\n");
    add_lines(html, page_js);
    weir_text_add(html, "</script>\n</body></html>\n");
}

/* Links to the sections that the run has. */
static void add_contents(const weir_text *sections, size_t run, weir_text *html) {
    static const char *const names[][2] = {
        {"network", "Network"},   {"schedule", "Schedule"},       {"resources", "Resources"}, {"roofline", "Roofline"},
        {"accuracy", "Accuracy"}, {"simulations", "Simulations"}, {"front", "Foldings"}};
    weir_text_add(html, "<nav aria-label=\"sections\">");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *id = weir_format("<section id=\"r%zu-%s\">", run, names[i][0]);
        if (sections->data != NULL && strstr(sections->data, id) != NULL)
            weir_text_format(html, "<a href=\"#r%zu-%s\">%s</a> ", run, names[i][0], names[i][1]);
        free(id);
    }
    weir_text_add(html, "</nav>\n");
}

static void add_run(const weir_report_facts *facts, weir_text *html) {
    weir_text sections = {NULL, 0, 0};
    weir_section_front(facts, &sections);
    weir_section_network(facts, &sections);
    weir_section_schedule(facts, &sections);
    weir_section_resources(facts, &sections);
    weir_section_roofline(facts, &sections);
    weir_section_accuracy(facts, &sections);
    weir_section_simulations(facts, &sections);
    weir_text_format(html, "<article id=\"r%zu\"><h1>", facts->index);
    weir_html_text(html, facts->run->name);
    weir_text_add(html, "</h1>\n");
    weir_section_summary(facts, html);
    add_contents(&sections, facts->index, html);
    if (sections.data != NULL) weir_text_add_n(html, sections.data, sections.size);
    weir_text_add(html, "</article>\n");
    weir_text_free(&sections);
}

void weir_report_page(const weir_report_run *runs, size_t count, weir_text *html) {
    weir_report_facts *facts = weir_calloc(count + 1, sizeof *facts);
    const char **names = weir_calloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        facts[i] = weir_report_facts_of(&runs[i], i);
        names[i] = runs[i].name;
    }
    weir_report_page_open(names, count, html);
    weir_text_add(html, "<main>\n");
    if (count > 1) weir_section_comparison(facts, count, html);
    for (size_t i = 0; i < count; i++) add_run(&facts[i], html);
    weir_text_add(html, "</main>\n");
    weir_report_page_close(html);
    free(names);
    for (size_t i = 0; i < count; i++) weir_report_facts_free(&facts[i]);
    free(facts);
}

void weir_report_draw(const weir_report_run *run, weir_text *svg) {
    weir_report_facts facts = weir_report_facts_of(run, 0);
    weir_text first = {NULL, 0, 0};
    weir_text_add(&first, "<style>\n");
    add_lines(&first, page_css);
    weir_text_add(&first, "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    weir_network_draw(&facts, " xmlns=\"http://www.w3.org/2000/svg\"", first.data, svg);
    weir_text_free(&first);
    weir_report_facts_free(&facts);
}
