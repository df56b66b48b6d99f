/* Where ports and parameters lie: Project IceStorm's icebox.py, get_dsp_nets_db and dsp_config_db. A multiplier takes a
 * column of four tiles; its inputs have the names of a logic cell's, "lutff_3/in_1". Which net a wire of a tile belongs
 * to is in the comments below each net of the Verilog. */
#include "board/decode_multipliers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

enum { TILES = 4, NAME = 24, COLUMN = 7 /* of configuration bits in a tile */, RESULTS = 32, LANES = 8 };

/* --- which net a wire of a tile belongs to --- */

typedef struct wire {
    int x, y;
    char name[NAME];
    const char *net; /* in the text */
    int size;
} wire;

typedef struct wires {
    wire *item;
    size_t count, capacity;
} wires;

static bool is_of_multiplier(const char *name) {
    return strncmp(name, "lutff_", 6) == 0 || strncmp(name, "mult/O_", 7) == 0 || strcmp(name, "slf_op_0") == 0;
}

/* "// (0, 7, 'lutff_global/clk')" */
static void note_wire(wires *all, const char *line, const char *net, int size) {
    wire w = {.net = net, .size = size};
    if (net == NULL || sscanf(line, "// (%d, %d, '%23[^']')", &w.x, &w.y, w.name) != 3 || !is_of_multiplier(w.name))
        return;
    all->item = weir_grow(all->item, &all->capacity, all->count + 1, sizeof *all->item);
    all->item[all->count++] = w;
}

static wires read_wires(const char *verilog) {
    wires all = {0};
    const char *net = NULL;
    int size = 0;
    for (const char *line = verilog; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t word = strncmp(line, "wire ", 5) == 0 ? 5 : strncmp(line, "reg ", 4) == 0 ? 4 : 0;
        if (word > 0) {
            net = line + word;
            size = (int)strcspn(net, " ;\n");
        } else if (strncmp(line, "// (", 4) == 0) {
            note_wire(&all, line, net, size);
        }
    }
    return all;
}

static const wire *find(const wires *all, int x, int y, const char *name) {
    for (size_t i = 0; i < all->count; i++) {
        const wire *w = &all->item[i];
        if (w->x == x && w->y == y && strcmp(w->name, name) == 0) return w;
    }
    return NULL;
}

/* The net, or what a wire has that nothing drives. */
static void add_net(const wires *all, int x, int y, const char *name, const char *otherwise, weir_text *text) {
    const wire *w = find(all, x, y, name);
    if (w == NULL) weir_text_add(text, otherwise);
    else weir_text_add_n(text, w->net, (size_t)w->size);
}

/* --- configuration --- */

/* Of the tile, row and column of its bits; false: there is no such tile. */
static bool bit_of(const char *asc, int x, int y, int row, int column) {
    char head[40];
    snprintf(head, sizeof head, "_tile %d %d\n", x, y);
    const char *tile = strstr(asc, head);
    if (tile == NULL) return false;
    tile += strlen(head);
    for (int i = 0; i < row; i++) tile += strcspn(tile, "\n"), tile += *tile == '\n';
    return (int)strcspn(tile, "\n") > column && tile[column] == '1';
}

typedef struct place {
    int y, bit; /* tile above the lowest, CBIT */
} place;

static bool is_set(const char *asc, int x, int y, place at) {
    static const int row_of[] = {1, 0, 3, 2, 5, 4, 7, 6}; /* of CBIT_0, CBIT_1, ... */
    return bit_of(asc, x, y + at.y, row_of[at.bit], COLUMN);
}

/* `other`: in the multiplier at 0, 15. */
static const struct {
    const char *name;
    int bits;
    place at[2], other[2];
} parameters[] = {
    {"C_REG", 1, {{0, 0}}, {{0, 0}}},
    {"A_REG", 1, {{0, 1}}, {{0, 1}}},
    {"B_REG", 1, {{0, 2}}, {{0, 2}}},
    {"D_REG", 1, {{0, 3}}, {{0, 3}}},
    {"TOP_8x8_MULT_REG", 1, {{0, 4}}, {{0, 4}}},
    {"BOT_8x8_MULT_REG", 1, {{0, 5}}, {{0, 5}}},
    {"PIPELINE_16x16_MULT_REG1", 1, {{0, 6}}, {{0, 6}}},
    {"PIPELINE_16x16_MULT_REG2", 1, {{0, 7}}, {{0, 7}}},
    {"TOPOUTPUT_SELECT", 2, {{1, 0}, {1, 1}}, {{1, 0}, {4, 3}}},
    {"TOPADDSUB_LOWERINPUT", 2, {{1, 2}, {1, 3}}, {{4, 4}, {4, 5}}},
    {"TOPADDSUB_UPPERINPUT", 1, {{1, 4}}, {{4, 6}}},
    {"TOPADDSUB_CARRYSELECT", 2, {{1, 5}, {1, 6}}, {{4, 7}, {1, 6}}},
    {"BOTOUTPUT_SELECT", 2, {{1, 7}, {2, 0}}, {{1, 7}, {2, 0}}},
    {"BOTADDSUB_LOWERINPUT", 2, {{2, 1}, {2, 2}}, {{2, 1}, {2, 2}}},
    {"BOTADDSUB_UPPERINPUT", 1, {{2, 3}}, {{2, 3}}},
    {"BOTADDSUB_CARRYSELECT", 2, {{2, 4}, {2, 5}}, {{2, 4}, {2, 5}}},
    {"MODE_8x8", 1, {{2, 6}}, {{2, 6}}},
    {"A_SIGNED", 1, {{2, 7}}, {{2, 7}}},
    {"B_SIGNED", 1, {{3, 0}}, {{3, 0}}},
};

/* From the multiplier below, by wires that no configuration leads elsewhere. */
static bool is_cascade(const char *name, int value) {
    return (strcmp(name, "BOTADDSUB_LOWERINPUT") == 0 && value == 3) ||
           (strcmp(name, "BOTADDSUB_CARRYSELECT") == 0 && value == 2);
}

/* False: it is fed by the one below. */
static bool add_parameters(const char *asc, int x, int y, weir_text *text) {
    bool fine = true;
    weir_text_format(text, "SB_MAC16 #(\n  .NEG_TRIGGER(1'b%d)", bit_of(asc, x, y + 2, 0, 0));
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        const place *at = x == 0 && y == 15 ? parameters[i].other : parameters[i].at;
        int value = 0;
        for (int k = 0; k < parameters[i].bits; k++) value |= is_set(asc, x, y, at[k]) << k;
        weir_text_format(text, ",\n  .%s(%d'd%d)", parameters[i].name, parameters[i].bits, value);
        fine = fine && !is_cascade(parameters[i].name, value);
    }
    return fine;
}

/* --- ports --- */

static const struct {
    const char *name;
    int y;
    const char *wire, *otherwise;
} ports[] = {
    {"CLK", 2, "lutff_global/clk", "1'b0"},     {"CE", 2, "lutff_global/cen", "1'b1"},
    {"IRSTTOP", 1, "lutff_global/s_r", "1'b0"}, {"IRSTBOT", 0, "lutff_global/s_r", "1'b0"},
    {"ORSTTOP", 3, "lutff_global/s_r", "1'b0"}, {"ORSTBOT", 2, "lutff_global/s_r", "1'b0"},
    {"AHOLD", 2, "lutff_0/in_0", "1'b0"},       {"BHOLD", 1, "lutff_0/in_0", "1'b0"},
    {"CHOLD", 3, "lutff_0/in_0", "1'b0"},       {"DHOLD", 0, "lutff_0/in_0", "1'b0"},
    {"OHOLDTOP", 3, "lutff_1/in_0", "1'b0"},    {"OHOLDBOT", 0, "lutff_1/in_0", "1'b0"},
    {"ADDSUBTOP", 3, "lutff_3/in_0", "1'b0"},   {"ADDSUBBOT", 0, "lutff_3/in_0", "1'b0"},
    {"OLOADTOP", 3, "lutff_2/in_0", "1'b0"},    {"OLOADBOT", 0, "lutff_2/in_0", "1'b0"},
    {"CI", 0, "lutff_4/in_0", "1'b0"},
};

static void add_ports(const wires *all, int x, int y, weir_text *text) {
    static const char operands[TILES] = {'D', 'B', 'A',
                                         'C'}; /* by tile; bits 0 to 7 are inputs 3 of its cells, 8 to 15 inputs 1 */
    char name[NAME];
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        weir_text_format(text, "  .%s(", ports[i].name);
        add_net(all, x, y + ports[i].y, ports[i].wire, ports[i].otherwise, text);
        weir_text_add(text, "),\n");
    }
    for (int t = 0; t < TILES; t++) {
        weir_text_format(text, "  .%c({", operands[t]);
        for (int bit = 2 * LANES - 1; bit >= 0; bit--) {
            snprintf(name, sizeof name, "lutff_%d/in_%d", bit % LANES, bit < LANES ? 3 : 1);
            add_net(all, x, y + t, name, "1'b0", text);
            weir_text_add(text, bit > 0 ? ", " : "}),\n");
        }
    }
    weir_text_format(text, "  .ACCUMCI(1'b0), .SIGNEXTIN(1'b0), .CO(mac_%d_%d_co), .O(mac_%d_%d_o)\n);\n", x, y, x, y);
}

/* How many wires are driven: none, it is not in use. */
static size_t add_results(const wires *all, int x, int y, weir_text *text) {
    char name[NAME];
    size_t driven = 0;
    for (int i = 0; i <= RESULTS; i++) {
        if (i < RESULTS) snprintf(name, sizeof name, "mult/O_%d", i);
        const wire *w = i < RESULTS ? find(all, x, y + i / LANES, name) : find(all, x, y + TILES, "slf_op_0");
        if (w == NULL) continue;
        driven++;
        if (i < RESULTS) weir_text_format(text, "assign %.*s = mac_%d_%d_o[%d];\n", w->size, w->net, x, y, i);
        else weir_text_format(text, "assign %.*s = mac_%d_%d_co;\n", w->size, w->net, x, y);
    }
    return driven;
}

static const char *add_multiplier(const wires *all, const char *asc, int x, int y, weir_text *text) {
    weir_text results = {0};
    const char *why_not = NULL;
    if (add_results(all, x, y, &results) > 0) {
        weir_text_format(text, "wire [31:0] mac_%d_%d_o;\nwire mac_%d_%d_co;\n", x, y, x, y);
        if (!add_parameters(asc, x, y, text)) why_not = "multipliers that feed each other are not decoded";
        weir_text_format(text, "\n) mac_%d_%d (\n", x, y);
        add_ports(all, x, y, text);
        weir_text_add(text, results.data);
    }
    weir_text_free(&results);
    return why_not;
}

const char *weir_decode_multipliers(const char *verilog, const char *asc, weir_text *decoded) {
    static const char tile[] = ".dsp0_tile ";
    const char *why_not = NULL;
    wires all = read_wires(verilog);
    for (const char *line = verilog; *line != '\0';) {
        const size_t size = strcspn(line, "\n"), whole = size + (line[size] == '\n');
        if (strncmp(line, "endmodule", 9) == 0) {
            for (const char *at = strstr(asc, tile); at != NULL && why_not == NULL; at = strstr(at + 1, tile)) {
                int x = 0, y = 0;
                if (sscanf(at, ".dsp0_tile %d %d", &x, &y) == 2) why_not = add_multiplier(&all, asc, x, y, decoded);
            }
        }
        if (strncmp(line, "/* DSP", 6) != 0) weir_text_add_n(decoded, line, whole); /* names without a use */
        line += whole;
    }
    free(all.item);
    return why_not;
}
