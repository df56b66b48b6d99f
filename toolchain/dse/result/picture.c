#include "dse/result/picture.h"

#include <stdio.h>
#include <string.h>

#include "dse/result/svg.h"

/* Pixels. */
enum {
    BAR = 12,
    GAP = 24,
    HEIGHT = 220,
    MARGIN = 110,
    LABELS = 150, /* of memories below their bars */
    NAMES = 220,  /* of layers below theirs */
    NAME = 30,    /* characters of one */
    SMALL = 10,   /* font of memories */
    BOX = 200,
    BOX_HEIGHT = 62,
    NEST = 320,
    COLUMN = 150
};

/* --- bars --- */

/* Two legends, so two sets of colours: of operands and the array, of parts of the latency. */
enum { PARTS = 5, ARRAY_COLOUR = 6 };

static const char *latency_colour(int part) {
    static const size_t index[PARTS] = {7, 3, 4, 5, 8};
    return weir_svg_colour(index[part]);
}

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

/* 1.5e-5 J: "15 uJ"; 1500: "1.5 k". */
static void print_value(char *text, size_t size, double value, const char *unit) {
    static const char *const prefixes[] = {"p", "n", "u", "m", "", "k", "M", "G", "T"};
    size_t at = *unit == '\0' ? 4 : 0;
    double scaled = *unit == '\0' ? value : value * 1e12;
    for (; scaled >= 999.5 && at + 1 < sizeof prefixes / sizeof *prefixes; at++) scaled /= 1000;
    snprintf(text, size, "%.3g%s%s%s", scaled, *prefixes[at] == '\0' && *unit == '\0' ? "" : " ", prefixes[at], unit);
}

/* Above what is `width` wide. */
static void draw_value(weir_text *svg, double x, double width, double y, double value, const char *unit) {
    char text[32];
    print_value(text, sizeof text, value, unit);
    weir_svg_text(svg, x + width / 2 - 1, y - 4, WEIR_SVG_MIDDLE, NULL, text, sizeof text);
}

static void draw_group(weir_text *svg, const weir_dse_result *r, double x, double most_energy, double most_latency) {
    const weir_dse_evaluation *e = r->evaluation;
    double energy[WEIR_DSE_MEMORIES + 1][3], part[PARTS], y = MARGIN + HEIGHT, total = 0, least = y;
    energy_of(e, energy);
    for (int b = 0; b < bar_count(r); b++) {
        y = MARGIN + HEIGHT;
        for (int o = 0; o < 3; o++) {
            const double height = energy[b][o] / most_energy * HEIGHT;
            y -= height;
            if (height > 0)
                weir_svg_box(svg, x + b * BAR, y, BAR - 2, height, weir_svg_colour(b == 0 ? ARRAY_COLOUR : (size_t)o));
            total += energy[b][o];
        }
        if (y < least) least = y;
        weir_svg_upward(svg, x + b * BAR + 9, MARGIN + HEIGHT + 6, WEIR_SVG_END, SMALL,
                        b == 0 ? "array" : e->accelerator->memory[b - 1].name, 26);
    }
    const double width = bar_count(r) * BAR;
    draw_value(svg, x, width, least, 1e-12 * total, "J");
    latency_of(&e->cost, part);
    y = MARGIN + 2 * HEIGHT + LABELS;
    for (int i = 0; i < PARTS; i++) {
        const double height = part[i] > 0 ? part[i] / most_latency * HEIGHT : 0;
        y -= height;
        if (height > 0) weir_svg_box(svg, x, y, width - 2, height, latency_colour(i));
    }
    draw_value(svg, x, width, y, e->cost.latency, "");
    weir_svg_upward(svg, x + width / 2 + 4, MARGIN + 2 * HEIGHT + LABELS + 8, WEIR_SVG_END, WEIR_SVG_FONT,
                    e->layer == NULL ? "all" : e->layer->name, NAME);
}

static void draw_legend(weir_text *svg) {
    static const char *const operands[] = {"array", "output", "first input", "second input"};
    for (int i = 0; i < 4; i++) {
        weir_svg_box(svg, MARGIN + i * 110, 30, 10, 10, weir_svg_colour(i == 0 ? ARRAY_COLOUR : (size_t)i - 1));
        weir_svg_text(svg, MARGIN + i * 110 + 14, 39, WEIR_SVG_START, NULL, operands[i], 20);
    }
    for (int i = 0; i < PARTS; i++) {
        weir_svg_box(svg, MARGIN + i * 110, 52, 10, 10, latency_colour(i));
        weir_svg_text(svg, MARGIN + i * 110 + 14, 61, WEIR_SVG_START, NULL, latency_parts[i], 20);
    }
}

/* With a line at each 1, 2 or 5 times a power of ten that makes at most five of them; `scale`: of values in `unit`. */
static void draw_axis(weir_text *svg, double base, const char *what, double most, double scale, const char *unit,
                      double width) {
    double decade = 1, step;
    while (decade * 10 <= most) decade *= 10;
    while (decade > most) decade /= 10;
    step = most / decade > 5 ? 2 * decade : most / decade > 2 ? decade : decade / 2;
    for (int i = 0; i * step <= most; i++) {
        char label[32];
        const double y = base - i * step / most * HEIGHT;
        print_value(label, sizeof label, i * step * scale, unit);
        weir_svg_line(svg, MARGIN - 6, y, MARGIN - 6 + width, y, i == 0 ? "black" : "#dddddd");
        weir_svg_text(svg, MARGIN - 10, y + 4, WEIR_SVG_END, NULL, i == 0 ? "0" : label, sizeof label);
    }
    weir_svg_text(svg, 8, base - HEIGHT - WEIR_SVG_LINE, WEIR_SVG_START, "font-weight=\"bold\"", what, 60);
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
    weir_svg_open(svg, width, MARGIN + 2 * HEIGHT + LABELS + NAMES);
    draw_legend(svg);
    draw_axis(svg, MARGIN + HEIGHT, "energy of the array and each memory; the sum above", most_energy, 1e-12, "J",
              width - MARGIN);
    draw_axis(svg, MARGIN + 2 * HEIGHT + LABELS, "latency in cycles", most_latency, 1, "", width - MARGIN);
    double x = MARGIN;
    for (size_t i = 0; i < count; i++) {
        draw_group(svg, &results[i], x, most_energy, most_latency);
        x += bar_count(&results[i]) * BAR + GAP;
    }
    weir_svg_close(svg);
}

/* --- memories --- */

/* Columns are operands, inputs that share a memory with the output beside it. */
static double column_of(int operand) {
    static const int position[] = {1, 0, 2};
    return 30 + position[operand] * (BOX + 30);
}

/* Over the columns of `count` operands. */
static void draw_box(weir_text *svg, const uint8_t *operand, int count, double y, const char *title, const char *line,
                     const char *colour) {
    double left = column_of(operand[0]), right = left;
    for (int k = 1; k < count; k++) {
        const double x = column_of(operand[k]);
        left = x < left ? x : left;
        right = x > right ? x : right;
    }
    weir_svg_box(svg, left, y, right - left + BOX, BOX_HEIGHT, colour);
    weir_svg_text(svg, left + 8, y + WEIR_SVG_LINE + 4, WEIR_SVG_START, "fill=\"white\" font-weight=\"bold\"", title,
                  26);
    weir_svg_text(svg, left + 8, y + 2 * WEIR_SVG_LINE + 8, WEIR_SVG_START, "fill=\"white\"", line, 28);
}

static bool holds(const weir_dse_memory *memory, int operand) {
    for (int k = 0; k < memory->operand_count; k++)
        if (memory->operand[k] == operand) return true;
    return false;
}

/* From the operand's highest memory down to the array; boxes of others may lie over it. */
static void draw_path(weir_text *svg, const weir_dse_accelerator *a, int operand) {
    const double step = BOX_HEIGHT + 24, x = column_of(operand) + BOX / 2;
    for (int i = 0; i < a->memory_count; i++) {
        if (!holds(&a->memory[a->order[a->memory_count - 1 - i]], operand)) continue;
        weir_svg_line(svg, x, 20 + i * step, x, 20 + a->memory_count * step, "#707070");
        break;
    }
}

void weir_dse_picture_hierarchy(const weir_dse_accelerator *a, weir_text *svg) {
    static const uint8_t all[] = {0, 1, 2};
    char line[96];
    const double step = BOX_HEIGHT + 24, height = (a->memory_count + 1) * step + 40;
    weir_svg_open(svg, 3 * BOX + 120, height);
    for (int operand = 0; operand < 3; operand++) draw_path(svg, a, operand);
    for (int i = 0; i < a->memory_count; i++) {
        const weir_dse_memory *memory = &a->memory[a->order[a->memory_count - 1 - i]];
        int length = snprintf(line, sizeof line, "%.0f bits:", memory->size);
        for (int k = 0; k < memory->operand_count; k++)
            length += snprintf(line + length, sizeof line - (size_t)length, " %s",
                               weir_dse_memory_operand_name(memory->operand[k]));
        draw_box(svg, memory->operand, memory->operand_count, 20 + i * step, memory->name, line,
                 weir_svg_colour(memory->operand_count > 1 ? 4 : (size_t)memory->operand[0]));
    }
    snprintf(line, sizeof line, "%.0f units", a->unit_count);
    draw_box(svg, all, 3, 20 + a->memory_count * step, "array", line, weir_svg_colour(6));
    weir_svg_close(svg);
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

/* --- loop nests --- */

static int parfor_count(const weir_dse_problem *p) {
    int count = 0;
    for (int a = 0; a < p->accelerator->dimension_count; a++) count += p->unroll.count[a];
    return count;
}

static int rows_of(const weir_dse_evaluation *e) {
    return e->temporal == NULL ? 0 : 3 + e->temporal->loops.count + parfor_count(e->temporal->problem);
}

/* Loops that operand o has in one memory, in a box. */
static void draw_memories(weir_text *svg, const weir_dse_temporal *t, int o, double top) {
    const double x = NEST + o * COLUMN;
    for (int i = t->loops.count - 1, first = i; i >= 0; i--) {
        const char *name = memory_of(t, o, i);
        if (i > 0 && strcmp(name, memory_of(t, o, i - 1)) == 0) continue;
        const double y = top + (t->loops.count - 1 - first) * WEIR_SVG_LINE;
        weir_svg_box(svg, x, y, COLUMN - 6, (first - i + 1) * WEIR_SVG_LINE - 2, weir_svg_colour((size_t)o));
        weir_svg_text(svg, x + 6, y + 11, WEIR_SVG_START, "fill=\"white\"", name, 20);
        first = i - 1;
    }
}

static void draw_loop(weir_text *svg, double y, int indent, const char *kind, const char *dim, double size,
                      const char *along) {
    char line[96];
    snprintf(line, sizeof line, "%s %s in [0, %.6g)%s%s", kind, dim, size, *along == '\0' ? "" : "  ", along);
    weir_svg_text(svg, 8 + 8 * indent, y + 11, WEIR_SVG_START, NULL, line, 34);
}

static void draw_nest(weir_text *svg, const weir_dse_evaluation *e, double y) {
    const weir_dse_temporal *t = e->temporal;
    const weir_dse_problem *p = t->problem;
    weir_svg_text(svg, 8, y + 11, WEIR_SVG_START, "font-weight=\"bold\"", e->layer->name, 40);
    for (int o = 0; o < e->layer->operand_count; o++)
        weir_svg_text(svg, NEST + o * COLUMN, y + 11, WEIR_SVG_START, "font-weight=\"bold\"",
                      (const char[]){e->layer->operand[o].name, '\0'}, 1);
    y += WEIR_SVG_LINE;
    for (int o = 0; o < e->layer->operand_count; o++) draw_memories(svg, t, o, y);
    int indent = 0;
    for (int i = t->loops.count - 1; i >= 0; i--, indent++, y += WEIR_SVG_LINE)
        draw_loop(svg, y, indent, "for", e->layer->dim[t->loops.dim[i]], t->loops.size[i], "");
    weir_svg_box(svg, 0, y, NEST + 3 * COLUMN, parfor_count(p) * WEIR_SVG_LINE, "#e8e8e8");
    for (int a = 0; a < p->accelerator->dimension_count; a++)
        for (int i = 0; i < p->unroll.count[a]; i++, y += WEIR_SVG_LINE)
            draw_loop(svg, y, indent, "parfor", e->layer->dim[p->unroll.dim[a][i]], p->unroll.factor[a][i],
                      p->accelerator->dimension[a]);
}

void weir_dse_picture_nests(const weir_dse_result *results, size_t count, weir_text *svg) {
    int rows = 0;
    for (size_t i = 0; i < count; i++) rows += rows_of(results[i].evaluation);
    weir_svg_open(svg, NEST + 3 * COLUMN, (rows + 1) * WEIR_SVG_LINE);
    double y = WEIR_SVG_LINE;
    for (size_t i = 0; i < count; i++) {
        if (results[i].evaluation->temporal != NULL) draw_nest(svg, results[i].evaluation, y);
        y += rows_of(results[i].evaluation) * WEIR_SVG_LINE;
    }
    weir_svg_close(svg);
}
