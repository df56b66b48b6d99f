#include "synth/netlist/gates.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/memory/map.h"
#include "support/text/diag.h"

static const char *const kinds[WEIR_GATE_KINDS] = {"$_BUF_", "$_NOT_",  "$_AND_",    "$_NAND_",  "$_OR_", "$_NOR_",
                                                   "$_XOR_", "$_XNOR_", "$_ANDNOT_", "$_ORNOT_", "$_MUX_"};

/* One module, in one place of the design. */
typedef struct place {
    weir_gates *gates;
    const json_t *module;
    const char *where;
    weir_map nets; /* by the module's number of a bit; of the top module they are the same, shifted */
    bool is_top;
} place;

weir_net weir_gates_net(const json_t *bit) {
    if (json_is_integer(bit)) return (weir_net)(json_integer_value(bit) + 1);
    const char *constant = json_string_value(bit);
    return constant == NULL             ? WEIR_NET_UNDEFINED
           : strcmp(constant, "0") == 0 ? WEIR_NET_0
           : strcmp(constant, "1") == 0 ? WEIR_NET_1
                                        : WEIR_NET_UNDEFINED;
}

static void make_net(weir_gates *g, weir_net net) {
    g->driver = weir_grow_zeroed(g->driver, &g->driver_capacity, (size_t)net + 1, sizeof *g->driver);
    if (net >= g->nets) g->nets = (size_t)net + 1;
}

static weir_net net_of(place *p, const json_t *bit) {
    weir_net net = weir_gates_net(bit);
    if (!json_is_integer(bit)) return net;
    if (!p->is_top) {
        uint64_t *own = weir_map_put(&p->nets, (uint64_t)json_integer_value(bit));
        if (*own == 0) *own = p->gates->nets;
        net = (weir_net)*own;
    }
    make_net(p->gates, net);
    return net;
}

static void drive(weir_gates *g, weir_net net, weir_driver kind, size_t index) {
    assert(net < WEIR_NET_FIRST || net < g->nets);
    if (net < WEIR_NET_FIRST) return;
    g->driver[net].kind = kind;
    g->driver[net].index = (uint32_t)index;
}

static void add_gate(weir_gates *g, weir_gate gate) {
    assert(gate.kind < WEIR_GATE_KINDS);
    g->gate = weir_grow(g->gate, &g->gate_capacity, g->gates + 1, sizeof *g->gate);
    g->gate[g->gates] = gate;
    drive(g, gate.y, WEIR_DRIVER_GATE, g->gates++);
}

static weir_net pin(place *p, const json_t *cell, const char *port) {
    const json_t *bits = json_object_get(json_object_get(cell, "connections"), port);
    return json_array_size(bits) == 0 ? WEIR_NET_UNDEFINED : net_of(p, json_array_get(bits, 0));
}

static bool is_output(const json_t *cell, const char *port) {
    const char *direction = json_string_value(json_object_get(json_object_get(cell, "port_directions"), port));
    return direction != NULL && strcmp(direction, "output") == 0;
}

static void add_register(place *p, const json_t *cell, bool falls) {
    weir_gates *g = p->gates;
    g->reg = weir_grow(g->reg, &g->reg_capacity, g->regs + 1, sizeof *g->reg);
    g->reg[g->regs] = (weir_register){pin(p, cell, "Q"), pin(p, cell, "D"), pin(p, cell, "C"), falls, 'x'};
    drive(g, g->reg[g->regs].q, WEIR_DRIVER_REGISTER, g->regs);
    g->regs++;
}

static void add_block(place *p, const char *name, const char *type, const json_t *cell) {
    weir_gates *g = p->gates;
    weir_block block = {.name = name, .type = type, .parameters = json_object_get(cell, "parameters")};
    const char *port;
    json_t *bits, *bit;
    size_t i;
    g->block = weir_grow(g->block, &g->block_capacity, g->blocks + 1, sizeof *g->block);
    json_object_foreach(json_object_get(cell, "connections"), port, bits) {
        json_array_foreach(bits, i, bit) {
            block.pin = weir_grow(block.pin, &block.capacity, block.pins + 1, sizeof *block.pin);
            const weir_pin own = {port, i, net_of(p, bit), is_output(cell, port)};
            block.pin[block.pins++] = own;
            if (own.is_output) drive(g, own.net, WEIR_DRIVER_BLOCK, g->blocks);
        }
    }
    g->block[g->blocks++] = block;
}

static bool add_module(place *p);

/* An instance of a module: what its ports are connected to are its nets. */
static bool add_instance(place *outer, const json_t *cell, const json_t *module) {
    place inner = {.gates = outer->gates, .module = module, .where = outer->where};
    const char *name;
    json_t *port, *bit;
    size_t i;
    for (int outputs = 0; outputs < 2; outputs++) {
        json_object_foreach(json_object_get(module, "ports"), name, port) {
            const bool is_out = strcmp(json_string_value(json_object_get(port, "direction")), "output") == 0;
            const json_t *connected = json_object_get(json_object_get(cell, "connections"), name);
            json_array_foreach(json_object_get(port, "bits"), i, bit) {
                const json_t *to = json_array_get(connected, i);
                if (is_out != (outputs == 1) || to == NULL) continue;
                const weir_net net = net_of(outer, to);
                uint64_t *own =
                    json_is_integer(bit) ? weir_map_put(&inner.nets, (uint64_t)json_integer_value(bit)) : NULL;
                if (own != NULL && *own == 0 && net >= WEIR_NET_FIRST) {
                    *own = net;
                } else if (is_out) { /* a constant, or what goes through */
                    const weir_gate through = {WEIR_GATE_BUF, net_of(&inner, bit), 0, 0, net};
                    add_gate(outer->gates, through);
                } else if (own != NULL) {
                    *own = outer->gates->nets;
                    make_net(outer->gates, (weir_net)*own);
                    add_gate(outer->gates, (weir_gate){WEIR_GATE_BUF, net, 0, 0, (weir_net)*own});
                }
            }
        }
    }
    const bool fine = add_module(&inner);
    weir_map_free(&inner.nets);
    return fine;
}

static bool add_cell(place *p, const char *name, const json_t *cell) {
    const char *type = json_string_value(json_object_get(cell, "type"));
    for (size_t k = 0; k < WEIR_GATE_KINDS; k++) {
        if (strcmp(type, kinds[k]) != 0) continue;
        add_gate(p->gates, (weir_gate){(weir_gate_kind)k, pin(p, cell, "A"), pin(p, cell, "B"), pin(p, cell, "S"),
                                       pin(p, cell, "Y")});
        return true;
    }
    if (strcmp(type, "$_DFF_P_") == 0 || strcmp(type, "$_DFF_N_") == 0) {
        add_register(p, cell, strcmp(type, "$_DFF_N_") == 0);
        return true;
    }
    const json_t *module = json_object_get(json_object_get(p->gates->json, "modules"), type);
    if (module != NULL && json_object_get(json_object_get(module, "attributes"), "blackbox") == NULL)
        return add_instance(p, cell, module);
    if (type[0] == '$') {
        weir_error(WEIR_NOWHERE, "%s: cells of type '%s' are not compared", p->where, type);
        return false;
    }
    add_block(p, name, type, cell);
    return true;
}

/* An attribute of the wire, least significant bit last. */
static void set_initial(place *p, const json_t *wire) {
    const char *initial = json_string_value(json_object_get(json_object_get(wire, "attributes"), "init"));
    const size_t size = initial == NULL ? 0 : strlen(initial);
    const json_t *bits = json_object_get(wire, "bits");
    for (size_t i = 0; i < size && i < json_array_size(bits); i++) {
        const weir_net net = net_of(p, json_array_get(bits, i));
        if (net >= WEIR_NET_FIRST && p->gates->driver[net].kind == WEIR_DRIVER_REGISTER)
            p->gates->reg[p->gates->driver[net].index].initial = initial[size - 1 - i];
    }
}

static bool add_module(place *p) {
    const char *name;
    json_t *item;
    json_object_foreach(json_object_get(p->module, "cells"), name, item) {
        if (!add_cell(p, name, item)) return false;
    }
    json_object_foreach(json_object_get(p->module, "netnames"), name, item) { set_initial(p, item); }
    return true;
}

/* Every bit of the top module, so that nets made later have other numbers. */
static void make_nets(weir_gates *g) {
    const char *name;
    json_t *item, *bit;
    size_t i;
    make_net(g, WEIR_NET_UNDEFINED);
    json_object_foreach(json_object_get(g->top, "netnames"), name, item) {
        json_array_foreach(json_object_get(item, "bits"), i, bit) { make_net(g, weir_gates_net(bit)); }
    }
    json_object_foreach(json_object_get(g->top, "ports"), name, item) {
        const bool is_input = strcmp(json_string_value(json_object_get(item, "direction")), "input") == 0;
        json_array_foreach(json_object_get(item, "bits"), i, bit) {
            make_net(g, weir_gates_net(bit));
            if (is_input) drive(g, weir_gates_net(bit), WEIR_DRIVER_INPUT, 0);
        }
    }
}

bool weir_gates_read(json_t *json, const char *top, const char *where, weir_gates *gates) {
    *gates = (weir_gates){.json = json};
    gates->top = json_object_get(json_object_get(json, "modules"), top);
    if (gates->top == NULL) {
        weir_error(WEIR_NOWHERE, "%s: no module '%s'", where, top);
        return false;
    }
    make_nets(gates);
    place p = {.gates = gates, .module = gates->top, .where = where, .is_top = true};
    return add_module(&p);
}

void weir_gates_free(weir_gates *gates) {
    for (size_t i = 0; i < gates->blocks; i++) free(gates->block[i].pin);
    free(gates->gate);
    free(gates->reg);
    free(gates->block);
    free(gates->driver);
    json_decref(gates->json);
    *gates = (weir_gates){.json = NULL};
}
