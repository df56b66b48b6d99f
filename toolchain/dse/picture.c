#include "dse/picture.h"

#include <stdio.h>
#include <string.h>

/* Pixels. */
enum { BAR = 10, GAP = 24, HEIGHT = 220, MARGIN = 90, LABELS = 150, LINE = 16, BOX = 200, BOX_HEIGHT = 62 };

static const char *const colours[] = {"#4878a8", "#e08030", "#58a050", "#b04848", "#8060a8", "#806048", "#909090"};

static void open_svg(weir_text *svg, double width, double height) {
    weir_text_format(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" "
        "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        width, height);
}

/* Whole hundredths: the locale does not matter. */
static void add_number(weir_text *svg, const char *name, double value) {
    weir_text_format(svg, " %s=\"%lld.%02lld\"", name, (long long)value, (long long)(value * 100) % 100);
}

static void add_bar(weir_text *svg, double x, double y, double width, double height, const char *colour) {
    weir_text_add(svg, "<rect");
    add_number(svg, "x", x);
    add_number(svg, "y", y);
    add_number(svg, "width", width);
    add_number(svg, "height", height);
    weir_text_format(svg, " fill=\"%s\"/>\n", colour);
}

/* Up to `most` characters; what XML knows is replaced. */
static void add_text(weir_text *svg, double x, double y, const char *attributes, const char *text, size_t most) {
    weir_text_add(svg, "<text");
    add_number(svg, "x", x);
    add_number(svg, "y", y);
    weir_text_format(svg, " %s>", attributes);
    for (size_t i = 0; i < most && text[i] != '\0'; i++)
        weir_text_char(svg, strchr("<>&\"'", text[i]) != NULL || (unsigned char)text[i] < ' ' ? '_' : text[i]);
    weir_text_add(svg, "</text>\n");
}

/* --- bars --- */

enum { PARTS = 5 };
static const char *const latency_parts[PARTS] = {"ideal", "spatial stall", "temporal stall", "loading", "off-loading"};

static void latency_of(const weir_dse_cost *c, double *part) {
    part[0] = c->ideal;
    part[1] = c->ideal_temporal - c->ideal;
    part[2] = c->stall;
    part[3] = c->onloading;
    part[4] = c->offloading;
}

/* Bars of a group: the array, then the memories of the accelerator. */
static int bar_count(const weir_dse_result *r) {
    return r->evaluation->temporal == NULL ? 1 : 1 + r->evaluation->accelerator->memory_count;
}

/* Energy of each bar by operand; the array's is that of bar 0, part 0. */
static void energy_of(const weir_dse_evaluation *e, double energy[WEIR_DSE_MEMORIES + 1][3]) {
    memset(energy, 0, (WEIR_DSE_MEMORIES + 1) * sizeof *energy);
    energy[0][0] = e->temporal == NULL ? e->cost.energy : e->cost.mac_energy;
    if (e->temporal == NULL) return;
    weir_dse_cost cost;
    weir_dse_detail detail;
    weir_dse_cost_of(e->temporal, &e->rules, &cost, &detail);
    for (int o = 0; o < e->layer->operand_count; o++)
        for (int m = 0; m < e->temporal->problem->levels[o]; m++)
            energy[1 + (e->temporal->problem->memory[o][m] - e->accelerator->memory)][o] += detail.energy[o][m];
}

static void draw_group(weir_text *svg, const weir_dse_result *r, double x, double most_energy, double most_latency) {
    const weir_dse_evaluation *e = r->evaluation;
    double energy[WEIR_DSE_MEMORIES + 1][3], part[PARTS], y = MARGIN + HEIGHT;
    char turned[96];
    energy_of(e, energy);
    for (int b = 0; b < bar_count(r); b++) {
        y = MARGIN + HEIGHT;
        for (int o = 0; o < 3; o++) {
            const double height = energy[b][o] / most_energy * HEIGHT;
            y -= height;
            if (height > 0) add_bar(svg, x + b * BAR, y, BAR - 2, height, b == 0 ? colours[6] : colours[o]);
        }
        snprintf(turned, sizeof turned, "text-anchor=\"end\" transform=\"rotate(-90 %.0f %d)\" font-size=\"8\"",
                 x + b * BAR + 7, MARGIN + HEIGHT + 6);
        add_text(svg, x + b * BAR + 7, MARGIN + HEIGHT + 6, turned,
                 b == 0 ? "array" : e->accelerator->memory[b - 1].name, 16);
    }
    const double width = bar_count(r) * BAR;
    latency_of(&e->cost, part);
    y = MARGIN + 2 * HEIGHT + LABELS;
    for (int i = 0; i < PARTS; i++) {
        const double height = part[i] > 0 ? part[i] / most_latency * HEIGHT : 0;
        y -= height;
        if (height > 0) add_bar(svg, x, y, width - 2, height, colours[i]);
    }
    const int below = MARGIN + 2 * HEIGHT + LABELS + 8;
    snprintf(turned, sizeof turned, "text-anchor=\"end\" transform=\"rotate(-90 %.0f %d)\"", x + width / 2 + 4, below);
    add_text(svg, x + width / 2 + 4, below, turned, e->layer == NULL ? "all" : e->layer->name, 22);
}

static void draw_legend(weir_text *svg) {
    static const char *const operands[] = {"array", "output", "first input", "second input"};
    for (int i = 0; i < 4; i++) {
        add_bar(svg, MARGIN + i * 110, 30, 10, 10, i == 0 ? colours[6] : colours[i - 1]);
        add_text(svg, MARGIN + i * 110 + 14, 39, "", operands[i], 20);
    }
    for (int i = 0; i < PARTS; i++) {
        add_bar(svg, MARGIN + i * 110, 52, 10, 10, colours[i]);
        add_text(svg, MARGIN + i * 110 + 14, 61, "", latency_parts[i], 20);
    }
}

static void draw_axis(weir_text *svg, double base, const char *what, double most, double width) {
    char label[64];
    add_bar(svg, MARGIN - 6, base, width, 1, "black");
    snprintf(label, sizeof label, "%s, up to %.4g", what, most);
    add_text(svg, 8, base - HEIGHT - 6, "font-weight=\"bold\"", label, sizeof label);
}

void weir_dse_picture_bars(const weir_dse_result *results, size_t count, weir_text *svg) {
    double most_energy = 1, most_latency = 1, width = MARGIN;
    for (size_t i = 0; i < count; i++) {
        double energy[WEIR_DSE_MEMORIES + 1][3];
        energy_of(results[i].evaluation, energy);
        for (int b = 0; b < bar_count(&results[i]); b++) {
            const double sum = energy[b][0] + energy[b][1] + energy[b][2];
            if (sum > most_energy) most_energy = sum;
        }
        if (results[i].evaluation->cost.latency > most_latency) most_latency = results[i].evaluation->cost.latency;
        width += bar_count(&results[i]) * BAR + GAP;
    }
    if (width < MARGIN + PARTS * 110) width = MARGIN + PARTS * 110;
    open_svg(svg, width, MARGIN + 2 * HEIGHT + 2 * LABELS);
    draw_legend(svg);
    draw_axis(svg, MARGIN + HEIGHT, "energy in pJ", most_energy, width - MARGIN);
    draw_axis(svg, MARGIN + 2 * HEIGHT + LABELS, "latency in cycles", most_latency, width - MARGIN);
    double x = MARGIN;
    for (size_t i = 0; i < count; i++) {
        draw_group(svg, &results[i], x, most_energy, most_latency);
        x += bar_count(&results[i]) * BAR + GAP;
    }
    weir_text_add(svg, "</svg>\n");
}

/* --- memories --- */

static void draw_box(weir_text *svg, double x, double y, const char *title, const char *line, const char *colour) {
    add_bar(svg, x, y, BOX, BOX_HEIGHT, colour);
    add_text(svg, x + 8, y + LINE + 4, "fill=\"white\" font-weight=\"bold\"", title, 26);
    add_text(svg, x + 8, y + 2 * LINE + 8, "fill=\"white\"", line, 34);
}

/* Columns are operands: a memory stands in that of the first it holds, the array below all. */
void weir_dse_picture_hierarchy(const weir_dse_accelerator *a, weir_text *svg) {
    char line[96];
    const double step = BOX_HEIGHT + 24, height = (a->memory_count + 1) * step + 40;
    open_svg(svg, 3 * BOX + 120, height);
    for (int i = 0; i < a->memory_count; i++) {
        const weir_dse_memory *memory = &a->memory[a->order[a->memory_count - 1 - i]];
        int length = snprintf(line, sizeof line, "%.0f bits:", memory->size);
        for (int k = 0; k < memory->operand_count; k++)
            length += snprintf(line + length, sizeof line - (size_t)length, " %s",
                               weir_dse_memory_operand_name(memory->operand[k]));
        const double x = memory->operand_count > 1 ? BOX + 60 : memory->operand[0] * (BOX + 30) + 30;
        draw_box(svg, x, 20 + i * step, memory->name, line,
                 colours[memory->operand_count > 1 ? 4 : memory->operand[0]]);
        add_bar(svg, x + BOX / 2, 20 + i * step + BOX_HEIGHT, 2, 24, "#909090");
    }
    snprintf(line, sizeof line, "%.0f units", a->unit_count);
    draw_box(svg, BOX + 60, 20 + a->memory_count * step, "array", line, colours[6]);
    weir_text_add(svg, "</svg>\n");
}

/* --- loops --- */

static const char *memory_of(const weir_dse_temporal *t, int o, int loop) {
    for (int m = 0; m < t->problem->levels[o]; m++)
        if (loop >= t->start[o][m] && loop < t->start[o][m + 1]) return t->problem->memory[o][m]->name;
    return "";
}

void weir_dse_picture_loops(const weir_dse_evaluation *e, weir_text *text) {
    const weir_dse_temporal *t = e->temporal;
    const weir_dse_problem *p = t->problem;
    int indent = 0;
    weir_text_format(text, "%s\n", e->layer->name);
    for (int i = t->loops.count - 1; i >= 0; i--, indent++) {
        weir_text_format(text, "%*sfor %s in [0, %.0f)  ", 2 * indent, "", e->layer->dim[t->loops.dim[i]],
                         t->loops.size[i]);
        for (int o = 0; o < e->layer->operand_count; o++)
            weir_text_format(text, " %c: %s", e->layer->operand[o].name, memory_of(t, o, i));
        weir_text_char(text, '\n');
    }
    for (int a = 0; a < p->accelerator->dimension_count; a++)
        for (int i = 0; i < p->unroll.count[a]; i++)
            weir_text_format(text, "%*sparfor %s in [0, %.0f)   %s\n", 2 * indent, "",
                             e->layer->dim[p->unroll.dim[a][i]], p->unroll.factor[a][i], p->accelerator->dimension[a]);
    weir_text_char(text, '\n');
}
