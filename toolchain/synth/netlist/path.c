/* Yosys names what it makes after the nearest net of the source ("x_q_SB_DFFE_Q_3_D"), and gives nets of the source the
 * attributes hdlname, their instances and name, and src, the lines that they come from. Library modules are one a file,
 * so a declaration's file is its module. */
#include "synth/netlist/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "synth/netlist/family.h"
#include "synth/netlist/nodes.h"

#define INSIDE WEIR_SYNTH_DESIGN "."

typedef struct search {
    const json_t *cells, *nets; /* of the design's module */
    const weir_graph *hardware;
    const weir_device *device;
} search;

/* --- names --- */

/* Heap memory, NULL: of none. */
static char *node_of(const weir_graph *hardware, const char *instance) {
    const weir_node node = weir_synth_node_of(hardware, instance);
    return node.id == 0 ? NULL : weir_copy_string(weir_node_name(hardware, node));
}

/* Where what Yosys appended to a name begins: "_SB_LUT4_O_3". */
static size_t own_length(const char *name) {
    static const char *const cells[] = {"_SB_",  "_LUT",    "_TRELLIS_", "_CCU2C", "_PFUMX", "_L6MUX",
                                        "_MULT", "_DP16KD", "_DFF",      "_ALU",   "_MUX2"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        const char *found = strstr(name, cells[i]);
        if (found != NULL && (size_t)(found - name) < length) length = (size_t)(found - name);
    }
    return length;
}

/* Of "a.v:1.2-1.9|b.v:3.1-7.2" the file of the declaration, which is on one line: "a". Heap memory, NULL: none. */
static char *component_of(const char *src) {
    for (const char *item = src; item != NULL && *item != '\0';) {
        const size_t size = strcspn(item, "|");
        char *one = weir_format("%.*s", (int)size, item), *colon = strrchr(one, ':');
        long first = 0, last = -1;
        const bool is_declaration = strchr(one, '/') == NULL && colon != NULL &&
                                    sscanf(colon, ":%ld.%*d-%ld.", &first, &last) == 2 && first == last;
        char *dot = colon == NULL ? NULL : strstr(one, ".v:");
        if (is_declaration && dot != NULL) {
            *dot = '\0';
            return one;
        }
        free(one);
        item += size + (item[size] == '|');
    }
    return NULL;
}

/* A place from a name after its instances, separated by `separator`. */
static weir_synth_place place_of(const search *s, const char *name, char separator, const char *src,
                                 const char *index) {
    weir_synth_place place = {node_of(s->hardware, name), NULL, NULL};
    const char *rest = strchr(name, separator);
    const char *inner = rest == NULL ? name : rest + 1;
    place.net = weir_format("%.*s%s", (int)own_length(inner), inner, index);
    for (char *c = place.net; *c != '\0'; c++) *c = *c == ' ' ? '.' : *c;
    place.component = src == NULL || rest == NULL ? NULL : component_of(src); /* of the top module it says nothing */
    return place;
}

static const char *attribute(const json_t *of, const char *name) {
    return json_string_value(json_object_get(json_object_get(of, "attributes"), name));
}

/* Of a net as nextpnr calls it, without the design's instance: "u_fc1.x_q[3]". */
static weir_synth_place place_of_net(const search *s, const char *name) {
    const char *bracket = strrchr(name, '[');
    const bool is_indexed = bracket != NULL && name[strlen(name) - 1] == ']';
    char *whole = is_indexed ? weir_format("%.*s", (int)(bracket - name), name) : weir_copy_string(name);
    const json_t *net = json_object_get(s->nets, whole);
    const char *words = attribute(net, "hdlname");
    weir_synth_place place = words != NULL ? place_of(s, words, ' ', attribute(net, "src"), is_indexed ? bracket : "")
                                           : place_of(s, whole, '.', attribute(net, "src"), "");
    free(whole);
    return place;
}

/* --- where a path ends --- */

/* The only bit at a cell's port, -1: none. */
static json_int_t bit_at(const json_t *cell, const char *port) {
    const json_t *bit = json_array_get(json_object_get(json_object_get(cell, "connections"), port), 0);
    return json_is_integer(bit) ? json_integer_value(bit) : -1;
}

/* The bit at the only output of a small cell. */
static json_int_t output_of(const json_t *cell) {
    const char *port;
    json_t *direction;
    json_object_foreach(json_object_get(cell, "port_directions"), port, direction) {
        if (strcmp(json_string_value(direction), "output") == 0) return bit_at(cell, port);
    }
    return -1;
}

static const char *type_of(const json_t *cell) {
    const char *type = json_string_value(json_object_get(cell, "type"));
    return type == NULL ? "" : type;
}

/* The flip-flop that takes the bit; NULL: none. */
static const json_t *flip_flop_of(const search *s, json_int_t bit) {
    const char *name, *port;
    json_t *cell, *wires;
    json_object_foreach((json_t *)(uintptr_t)s->cells, name, cell) {
        if (!weir_synth_is_flip_flop(s->device, type_of(cell))) continue;
        json_object_foreach(json_object_get(cell, "connections"), port, wires) {
            if ((*port == 'D' || *port == 'M') && bit_at(cell, port) == bit) return cell;
        }
    }
    return NULL;
}

/* The name in the source of the net with this bit, followed by its index. Heap memory, NULL: it has none there. */
static char *net_of_bit(const search *s, json_int_t bit) {
    const char *name;
    json_t *net, *wire;
    size_t i;
    json_object_foreach((json_t *)(uintptr_t)s->nets, name, net) {
        if (attribute(net, "hdlname") == NULL) continue;
        json_array_foreach(json_object_get(net, "bits"), i, wire) {
            if (!json_is_integer(wire) || json_integer_value(wire) != bit) continue;
            return json_array_size(json_object_get(net, "bits")) == 1 ? weir_copy_string(name)
                                                                      : weir_format("%s[%zu]", name, i);
        }
    }
    return NULL;
}

/* The cell of the netlist that a placed one was made of: nextpnr appends what it became. */
static const json_t *cell_of(const search *s, const char *placed) {
    static const char *const endings[] = {"", "_LC", "_DFFLC", "_FF", "_COMB", "$nextpnr_comb", "$nextpnr_ff"};
    const size_t length = strlen(placed);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t size = strlen(endings[i]);
        if (size > length || strcmp(placed + length - size, endings[i]) != 0) continue;
        char *name = weir_format("%.*s", (int)(length - size), placed);
        const json_t *cell = json_object_get(s->cells, name);
        free(name);
        if (cell != NULL) return cell;
    }
    return NULL;
}

/* A register is named by what it holds, other cells by themselves. */
static weir_synth_place place_of_cell(const search *s, const char *placed) {
    const json_t *cell = cell_of(s, placed), *flip_flop = cell;
    char *net = NULL;
    if (cell != NULL && weir_synth_is_lut(s->device, type_of(cell))) flip_flop = flip_flop_of(s, output_of(cell));
    if (flip_flop != NULL && weir_synth_is_flip_flop(s->device, type_of(flip_flop)))
        net = net_of_bit(s, output_of(flip_flop));
    weir_synth_place place =
        net != NULL ? place_of_net(s, net) : place_of(s, placed, '.', cell == NULL ? NULL : attribute(cell, "src"), "");
    free(net);
    return place;
}

static bool is_inside(const char *name) { return strncmp(name, INSIDE, strlen(INSIDE)) == 0; }

/* --- the path --- */

static const char *string_at(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text == NULL ? "" : text;
}

static double delay_of(const json_t *arcs) {
    double sum = 0;
    size_t i;
    json_t *arc;
    json_array_foreach((json_t *)(uintptr_t)arcs, i, arc) { sum += json_number_value(json_object_get(arc, "delay")); }
    return sum;
}

/* The arcs of the slowest path from a clock edge to a clock edge; NULL: none. */
static const json_t *slowest(const json_t *report) {
    const json_t *best = NULL;
    size_t i;
    json_t *path;
    json_array_foreach(json_object_get(report, "critical_paths"), i, path) {
        const json_t *arcs = json_object_get(path, "path");
        if (strstr(string_at(path, "from"), "edge") == NULL || strstr(string_at(path, "to"), "edge") == NULL) continue;
        if (json_array_size(arcs) > 0 && (best == NULL || delay_of(arcs) > delay_of(best))) best = arcs;
    }
    return best;
}

bool weir_synth_path_read(const json_t *report, const weir_synth_netlist *netlist, const weir_graph *hardware,
                          const weir_device *device, weir_synth_path *path) {
    const json_t *arcs = slowest(report);
    const json_t *module = json_object_get(json_object_get(netlist->json, "modules"), netlist->top);
    const search s = {json_object_get(module, "cells"), json_object_get(module, "netnames"), hardware, device};
    const char *first = NULL;
    size_t i;
    json_t *arc;
    memset(path, 0, sizeof *path);
    json_array_foreach((json_t *)(uintptr_t)arcs, i, arc) {
        const bool is_routing = strcmp(string_at(arc, "type"), "routing") == 0;
        const double delay = json_number_value(json_object_get(arc, "delay"));
        *(is_routing ? &path->routing_ns : &path->logic_ns) += delay;
        path->delay_ns += delay;
        path->levels += strcmp(string_at(arc, "type"), "logic") == 0;
        if (is_routing && first == NULL) first = string_at(arc, "net");
    }
    if (arcs == NULL) return false;
    const char *last = string_at(json_object_get(json_array_get(arcs, json_array_size(arcs) - 1), "to"), "cell");
    if (first != NULL && is_inside(first)) path->from = place_of_net(&s, first + strlen(INSIDE));
    if (is_inside(last)) path->to = place_of_cell(&s, last + strlen(INSIDE));
    return true;
}

static void free_place(weir_synth_place *place) {
    free(place->node);
    free(place->component);
    free(place->net);
}

void weir_synth_path_free(weir_synth_path *path) {
    free_place(&path->from);
    free_place(&path->to);
    memset(path, 0, sizeof *path);
}

/* --- in words --- */

/* The last part of a name, "x_q[0]" of "u_shell.u_multiply.x_q[0]"; of what no component is known for, its instance
 * too. */
static const char *last_part(const weir_synth_place *place) {
    const char *part = strrchr(place->net, '.');
    if (part == NULL) return place->net;
    while (place->component == NULL && part > place->net && part[-1] != '.') part--;
    return *part == '.' ? part + 1 : part;
}

static void print_place(const weir_synth_place *place, const char *outside, weir_text *text) {
    if (place->net == NULL) {
        weir_text_add(text, outside);
        return;
    }
    if (place->component != NULL) weir_text_format(text, "%s ", place->component);
    weir_text_add(text, last_part(place));
}

void weir_synth_path_print(const weir_synth_path *path, weir_text *text) {
    const char *from = path->from.node, *to = path->to.node;
    const bool is_same = from != NULL && to != NULL && strcmp(from, to) == 0;
    if (from != NULL) weir_text_format(text, "%s: ", from);
    print_place(&path->from, "an input", text);
    weir_text_add(text, " to ");
    if (to != NULL && !is_same) weir_text_format(text, "%s: ", to);
    print_place(&path->to, "an output", text);
}

static json_t *json_of_place(const weir_synth_place *place) {
    return json_pack("{s:s?, s:s?, s:s?}", "node", place->node, "component", place->component, "net", place->net);
}

json_t *weir_synth_path_json(const weir_synth_path *path) {
    weir_text text = {NULL, 0, 0};
    weir_synth_path_print(path, &text);
    json_t *json =
        json_pack("{s:s, s:f, s:f, s:f, s:I, s:o, s:o}", "text", text.data, "delay_ns", path->delay_ns, "logic_ns",
                  path->logic_ns, "routing_ns", path->routing_ns, "levels", (json_int_t)path->levels, "from",
                  json_of_place(&path->from), "to", json_of_place(&path->to));
    weir_text_free(&text);
    return json;
}
