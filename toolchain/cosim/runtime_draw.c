/* The hardware graph as an SVG picture: one row a step from the inputs, a box a component with the shares of a debug run's cycles in
 * which it worked and waited. An edge over several rows gets a column of its own there, so that none crosses a box. The same report
 * gives the same bytes. Cost: the rows between the ends of all edges. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/runtime.h"
#include "dataflow/component.h"
#include "dataflow/host.h"
#include "support/memory/arena.h"

/* Letters of bold text are at most as wide as LETTER. */
enum {
    BOX_WIDTH = 230,
    MARGIN = 6,
    SHARE_WIDTH = 44,
    LETTER = 8,
    BOX_HEIGHT = 46,
    COLUMN = 250,
    ROW = 76,
    TOP = 70,
    LEFT = 16,
    BAR = 8,
    KINDS = 3
};
static const char *const kinds[KINDS] = {"busy", "starved", "blocked"};

/* By node id; a box for each that is no constant's. */
typedef struct drawing {
    const weir_runtime *runtime;
    const weir_graph *graph;
    const weir_cosim *run;       /* NULL: no shares */
    const weir_activity **meter; /* by node id; NULL: none */
    uint32_t *row, *column;
    uint32_t rows, *used; /* columns of each row */
    weir_text *text;
} drawing;

static void add_escaped(weir_text *text, const char *string) {
    for (; *string != '\0'; string++) {
        switch (*string) {
        case '<': weir_text_add(text, "&lt;"); break;
        case '>': weir_text_add(text, "&gt;"); break;
        case '&': weir_text_add(text, "&amp;"); break;
        default: weir_text_char(text, *string);
        }
    }
}

/* --- layout --- */

static weir_node maker_of(const drawing *d, weir_node node, size_t input) {
    return weir_value_producer(d->graph, weir_node_input(d->graph, node, input));
}

/* A node lies one row below the lowest of those that it reads. */
static void place_nodes(drawing *d) {
    for (weir_node node = weir_graph_first(d->graph); node.id != 0; node = weir_node_next(d->graph, node)) {
        uint32_t row = 0;
        for (size_t i = 0; i < weir_node_input_count(d->graph, node); i++) {
            const weir_node maker = maker_of(d, node, i);
            if (maker.id != 0 && d->row[maker.id] >= row) row = d->row[maker.id] + 1;
        }
        d->row[node.id] = row;
        d->column[node.id] = d->used[row]++;
        if (row >= d->rows) d->rows = row + 1;
    }
}

/* The first column that is free in all rows between two. */
static uint32_t free_column(drawing *d, uint32_t from, uint32_t to) {
    assert(from < to);
    uint32_t column = 0;
    for (uint32_t row = from + 1; row < to; row++)
        if (d->used[row] > column) column = d->used[row];
    for (uint32_t row = from + 1; row < to; row++) d->used[row] = column + 1;
    return column;
}

/* --- drawing --- */

static uint32_t middle_of(uint32_t column) { return LEFT + column * COLUMN + BOX_WIDTH / 2; }

static uint32_t top_of(uint32_t row) { return TOP + row * ROW; }

/* "[1,28,28,6] u8" */
static void add_type(weir_text *text, const weir_type *type) {
    for (int i = 0; i < type->shape.rank; i++)
        weir_text_format(text, "%c%lld", i == 0 ? '[' : ',', (long long)type->shape.dim[i]);
    if (type->shape.rank > 0) weir_text_char(text, ']');
    if (type->quant.format == WEIR_FORMAT_FLOAT) weir_text_format(text, " %s", weir_dtype_name(type->dtype));
    else weir_text_format(text, " %c%d", type->quant.is_signed ? 's' : 'u', type->quant.width);
}

static void draw_edge(drawing *d, weir_node maker, weir_node reader) {
    assert(d->row[maker.id] < d->row[reader.id]);
    const uint32_t from = d->row[maker.id], to = d->row[reader.id];
    weir_text_format(d->text, "<path class=\"edge\" d=\"M%u,%u", middle_of(d->column[maker.id]),
                     top_of(from) + BOX_HEIGHT);
    if (to > from + 1) {
        const uint32_t x = middle_of(free_column(d, from, to));
        weir_text_format(d->text, " L%u,%u L%u,%u", x, top_of(from + 1), x, top_of(to - 1) + BOX_HEIGHT);
    }
    weir_text_format(d->text, " L%u,%u\"/>\n", middle_of(d->column[reader.id]), top_of(to));
}

static void draw_edges(drawing *d) {
    for (weir_node node = weir_graph_first(d->graph); node.id != 0; node = weir_node_next(d->graph, node)) {
        for (size_t i = 0; i < weir_node_input_count(d->graph, node); i++) {
            const weir_node maker = maker_of(d, node, i);
            if (maker.id != 0) draw_edge(d, maker, node);
        }
    }
}

/* The bar of a component; a FIFO may take a beat while what it holds is waited with. */
static void draw_shares(drawing *d, const weir_sim_meter *meter, uint32_t x, uint32_t y) {
    assert(d->run->cycles > 0);
    const uint64_t cycles[] = {meter->busy, meter->starved, meter->blocked};
    uint32_t left = BOX_WIDTH;
    for (int i = 0; i < KINDS; i++) {
        uint32_t width = (uint32_t)((cycles[i] * BOX_WIDTH + d->run->cycles / 2) / d->run->cycles);
        if (width > left) width = left;
        weir_text_format(d->text, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\"/>\n", kinds[i],
                         x + BOX_WIDTH - left, y, width, BAR);
        left -= width;
    }
}

/* A line in a box, narrower letters where it has no room for others. */
static void draw_line(drawing *d, const char *attributes, uint32_t x, uint32_t y, const char *line, uint32_t room) {
    weir_text_format(d->text, "<text%s x=\"%u\" y=\"%u\"", attributes, x, y);
    if (strlen(line) * LETTER > room)
        weir_text_format(d->text, " textLength=\"%u\" lengthAdjust=\"spacingAndGlyphs\"", room);
    weir_text_char(d->text, '>');
    add_escaped(d->text, line);
    weir_text_add(d->text, "</text>\n");
}

static void draw_box(drawing *d, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(d->graph, node)->hardware;
    const bool on_host = weir_host_of(d->graph, node) != WEIR_HOST_NONE;
    const weir_activity *meter = d->meter[node.id];
    const uint32_t x = LEFT + d->column[node.id] * COLUMN, y = top_of(d->row[node.id]);
    weir_text_format(d->text, "<g class=\"%s\">\n<rect class=\"box\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\"/>\n",
                     on_host                    ? "host"
                     : hardware->module == NULL ? "wiring"
                                                : "component",
                     x, y, BOX_WIDTH, BOX_HEIGHT);
    const uint32_t room = BOX_WIDTH - 2 * MARGIN;
    draw_line(d, " class=\"name\"", x + MARGIN, y + 15, weir_node_name(d->graph, node),
              meter == NULL ? room : room - SHARE_WIDTH);
    weir_text made = {NULL, 0, 0};
    weir_text_add(&made, hardware->module == NULL ? weir_node_info(d->graph, node)->full_name : hardware->module);
    if (on_host) weir_text_add(&made, " on the host");
    const weir_component *component = weir_component_of(d->graph, node);
    weir_text units = {NULL, 0, 0};
    if (component != NULL && weir_component_setting_add_units(component->rules, hardware, &units))
        weir_text_format(&made, " %s", units.data);
    weir_text_free(&units);
    draw_line(d, "", x + MARGIN, y + 30, made.data, room);
    weir_text_free(&made);
    if (meter != NULL) {
        weir_text_format(d->text, "<text class=\"share\" x=\"%u\" y=\"%u\">%.1f %%</text>\n", x + BOX_WIDTH - MARGIN,
                         y + 15, 100.0 * meter->meter.busy / d->run->cycles);
        draw_shares(d, &meter->meter, x, y + BOX_HEIGHT - BAR);
    }
    weir_text_format(d->text, "<text class=\"type\" x=\"%u\" y=\"%u\">", x + BOX_WIDTH / 2 + 6, y + BOX_HEIGHT + 14);
    add_type(d->text, weir_value_type(d->graph, weir_node_output(d->graph, node, 0)));
    weir_text_add(d->text, "</text>\n</g>\n");
}

static void draw_head(drawing *d) {
    static const char style[] =
        "text { font: 11px sans-serif } .name, .title { font-weight: bold } .type { fill: #666; font-size: 10px }\n"
        ".share { text-anchor: end } .edge { fill: none; stroke: #888 } .box { fill: #f4f6f8; stroke: #456 }\n"
        ".host .box, .wiring .box { fill: #fff; stroke-dasharray: 4 3 } .busy { fill: #2a9d4a } .starved { fill: #c9d3dc } .blocked { fill: #e08a2e }\n";
    uint32_t columns = 1;
    for (uint32_t row = 0; row < d->rows; row++)
        if (d->used[row] > columns) columns = d->used[row];
    const uint32_t width = 2 * LEFT + columns * COLUMN > 600 ? 2 * LEFT + columns * COLUMN : 600;
    weir_text_format(d->text,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\">\n<style>\n%s</style>\n",
                     width, top_of(d->rows), style);
    weir_text_add(d->text, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    weir_text_format(d->text, "<text class=\"title\" x=\"%d\" y=\"20\">", LEFT);
    add_escaped(d->text, d->runtime->model);
    weir_text_format(d->text, ": %lld multipliers, %lld bits of parameters, ideal interval %lld cycles</text>\n",
                     (long long)d->runtime->resources.multipliers, (long long)d->runtime->resources.memory_bits,
                     (long long)d->runtime->resources.ideal_interval);
    if (d->run == NULL) return;
    weir_text_format(d->text, "<text x=\"%d\" y=\"42\">of %u cycles, %lld frames:</text>\n", LEFT, d->run->cycles,
                     (long long)d->run->frames);
    for (int i = 0; i < KINDS; i++)
        weir_text_format(
            d->text,
            "<rect class=\"%s\" x=\"%d\" y=\"34\" width=\"14\" height=\"%d\"/>\n<text x=\"%d\" y=\"42\">%s</text>\n",
            kinds[i], LEFT + 190 + 80 * i, BAR, LEFT + 208 + 80 * i, kinds[i]);
}

void weir_runtime_draw(const weir_runtime *runtime, weir_text *text) {
    const weir_graph *graph = runtime->hardware;
    const uint32_t limit = weir_graph_node_limit(graph);
    weir_text edges = {NULL, 0, 0};
    drawing d = {.runtime = runtime, .graph = graph, .run = weir_runtime_debug_run(runtime), .text = &edges};
    d.meter = weir_calloc(limit, sizeof *d.meter);
    d.row = weir_calloc(limit, sizeof *d.row);
    d.column = weir_calloc(limit, sizeof *d.column);
    d.used = weir_calloc(limit, sizeof *d.used);
    for (size_t i = 0; d.run != NULL && i < d.run->activity_count; i++)
        d.meter[d.run->activity[i].node.id] = &d.run->activity[i];
    place_nodes(&d);
    draw_edges(&d); /* they take columns, which the width needs */
    d.text = text;
    draw_head(&d);
    weir_text_add(text, edges.data == NULL ? "" : edges.data);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) draw_box(&d, node);
    weir_text_add(text, "</svg>\n");
    weir_text_free(&edges);
    free(d.meter);
    free(d.row);
    free(d.column);
    free(d.used);
}
