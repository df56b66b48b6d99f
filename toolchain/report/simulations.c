#include <math.h>
#include <stdio.h>

#include "report/html.h"
#include "report/section.h"

static void add_run(const json_t *run, double ideal, weir_text *html) {
    const bool is_debug = json_is_true(json_object_get(run, "debug"));
    const double seconds = weir_html_number(run, "seconds"), interval = weir_html_number(run, "interval");
    weir_html_row(html, weir_html_string(run, "simulator"));
    weir_html_cell(html, is_debug                                    ? "debug"
                         : json_object_get(run, "malformed") != NULL ? "malformed frames"
                                                                     : weir_html_string(run, "profile"));
    weir_html_cell_integer(html, weir_html_whole(run, "frames"));
    weir_html_cell_integer(html, weir_html_whole(run, "compared"));
    weir_html_cell_integer(html, weir_html_whole(run, "mismatches"));
    weir_html_cell_integer(html, weir_html_whole(run, "latency"));
    weir_html_cell_real(html, interval, 1);
    weir_html_cell_real(html, interval / ideal, 3);
    weir_html_cell_real(html, weir_html_number(run, "cycles") / seconds, 0);
    weir_html_cell_real(html, seconds, 2);
    weir_html_cell(html, weir_html_string(run, "status"));
    weir_html_row_end(html);
}

static void add_divergence(const json_t *run, weir_text *html) {
    const json_t *first = json_object_get(run, "first_divergence");
    if (!json_is_object(first)) return;
    weir_text_add(html, "<p class=\"bad\">");
    weir_html_text(html, weir_html_string(run, "simulator"));
    weir_text_add(html, ": first divergence at node ");
    weir_html_text(html, weir_html_string(first, "node"));
    weir_text_format(html, ", frame %lld, element %lld, beat %lld, cycle %lld: expected %lld, found %lld.</p>\n",
                     (long long)weir_html_whole(first, "frame"), (long long)weir_html_whole(first, "element"),
                     (long long)weir_html_whole(first, "beat"), (long long)weir_html_whole(first, "cycle"),
                     (long long)weir_html_whole(first, "expected"), (long long)weir_html_whole(first, "found"));
}

static void add_netlist(const json_t *synthesis, weir_text *html) {
    const json_t *netlist = json_object_get(synthesis, "simulation"), *proof = json_object_get(synthesis, "proof");
    if (json_is_object(netlist) && json_object_get(netlist, "compared") != NULL) {
        weir_text_add(html, "<p>Netlist: ");
        weir_html_integer(html, weir_html_whole(netlist, "compared"));
        weir_text_add(html, " values compared, ");
        weir_html_integer(html, weir_html_whole(netlist, "mismatches"));
        weir_text_add(html, " wrong.</p>\n");
    }
    if (json_object_get(proof, "status") == NULL) return;
    weir_text_add(html, "<p>Mapping to cells: ");
    weir_html_text(html, weir_html_string(proof, "status"));
    weir_text_add(html, ", ");
    weir_html_integer(html, weir_html_whole(proof, "functions_equal"));
    weir_text_add(html, " of ");
    weir_html_integer(html, weir_html_whole(proof, "functions"));
    weir_text_add(html, " functions equal.</p>\n");
}

void weir_section_simulations(const weir_report_facts *facts, weir_text *html) {
    static const char *const heads[] = {"simulator", "profile",   "#frames",   "#compared", "#wrong", "#latency",
                                        "#interval", "#of ideal", "#cycles/s", "#seconds",  "status"};
    const json_t *runs = json_object_get(facts->run->check, "runs");
    if (json_array_size(runs) == 0 && facts->run->synthesis == NULL) return;
    weir_report_section_open(facts, "simulations", "Simulations", html);
    if (json_array_size(runs) > 0) {
        weir_html_table(html, "Runs; latency and interval in cycles", heads, sizeof heads / sizeof *heads);
        for (size_t i = 0; i < json_array_size(runs); i++)
            add_run(json_array_get(runs, i), weir_html_number(facts->run->check, "ideal_interval"), html);
        weir_html_table_end(html);
    }
    for (size_t i = 0; i < json_array_size(runs); i++) add_divergence(json_array_get(runs, i), html);
    add_netlist(facts->run->synthesis, html);
    weir_report_section_close(html);
}
