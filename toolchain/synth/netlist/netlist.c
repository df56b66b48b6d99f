/* Registers of the fabric move into the blocks beside them. A module is indexed once: its flip-flops, and for each net
 * bit how many read it, which flip-flop drives it and which flip-flops take it as data; every change keeps the index.
 * Linear in the netlist, a few passes. The facts about cells are those of Lattice FPGA-TN-02205 (sysDSP) and
 * FPGA-TN-02204 (memory). */
#include "synth/netlist/netlist.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"

/* Constants and what is not there, beside the net bits of the JSON, which are positive. */
enum { BIT_NONE = -1, BIT_ZERO = -2, BIT_ONE = -3, BIT_UNKNOWN = -4 };
enum { NONE = -1, OPERAND_BITS = 18, PRODUCT_BITS = 36, MEMORY_BITS = 18, ENABLES = 4 };

/* What the bits of one register have in common. */
typedef struct domain {
    int64_t clock, enable; /* BIT_ONE: always enabled */
    bool global_reset;     /* takes part in GSR */
} domain;

typedef struct flip_flop {
    const char *name; /* of its cell */
    domain domain;
    int64_t d, q;
    int64_t next_reader; /* of the same data bit, NONE */
    bool plain;          /* rising edge, no local set or reset, 0 at first, free to move */
    bool gone;
} flip_flop;

typedef struct net_bit {
    int64_t readers;      /* inputs of cells, outputs of the module, nets to be kept */
    int64_t driver;       /* flip-flop, NONE */
    int64_t first_reader; /* flip-flop that takes it as data, NONE */
    bool cut;             /* lost its driver */
} net_bit;

typedef struct module {
    json_t *json, *cells;
    flip_flop *flip_flop;
    size_t flip_flops, flip_flop_capacity;
    net_bit *bit;
    size_t bits;
    json_t **block; /* cells that may take registers */
    size_t blocks, block_capacity;
    const weir_device *device;
    weir_netlist_absorbed *count;
} module;

/* --- what the JSON says --- */

static int64_t bit_value(const json_t *bit) {
    if (json_is_integer(bit)) return json_integer_value(bit);
    const char *constant = json_string_value(bit);
    if (constant == NULL) return BIT_NONE;
    return strcmp(constant, "0") == 0 ? BIT_ZERO : strcmp(constant, "1") == 0 ? BIT_ONE : BIT_UNKNOWN;
}

/* Of a port with one bit. */
static int64_t port_bit(const json_t *cell, const char *port) {
    return bit_value(json_array_get(json_object_get(json_object_get(cell, "connections"), port), 0));
}

/* Strings that consist of digits end with a blank. */
static bool parameter_is(const json_t *cell, const char *name, const char *otherwise, const char *value) {
    const char *text = json_string_value(json_object_get(json_object_get(cell, "parameters"), name));
    if (text == NULL) text = otherwise;
    size_t size = strlen(value);
    return strncmp(text, value, size) == 0 && (text[size] == '\0' || strcmp(text + size, " ") == 0);
}

/* A number: 32 binary digits, or an integer. */
static int64_t parameter_number(const json_t *cell, const char *name) {
    const json_t *value = json_object_get(json_object_get(cell, "parameters"), name);
    if (json_is_integer(value)) return json_integer_value(value);
    return json_is_string(value) ? (int64_t)strtoll(json_string_value(value), NULL, 2) : -1;
}

static const char *type_of(const json_t *cell) {
    const char *type = json_string_value(json_object_get(cell, "type"));
    return type == NULL ? "" : type;
}

/* Attributes are binary digits too. */
static bool attribute_set(const json_t *object, const char *name) {
    const json_t *value = json_object_get(json_object_get(object, "attributes"), name);
    if (json_is_integer(value)) return json_integer_value(value) != 0;
    return json_is_string(value) && strchr(json_string_value(value), '1') != NULL;
}

/* What each type of cell may be told; a '*' at the end stands for any rest. */
static const char *const flip_flop_parameters[] = {"GSR",    "CEMUX",  "CLKMUX",  "LSRMUX",
                                                   "SRMODE", "REGSET", "LSRMODE", NULL};
static const char *const multiplier_parameters[] = {
    "REG_INPUT*",   "REG_PIPELINE_*", "REG_OUTPUT_*", "CLK*_DIV", "HIGHSPEED_CLK", "GSR", "CAS_MATCH_REG",
    "SOURCEB_MODE", "MULT_BYPASS",    "RESETMODE",    NULL};
static const char *const memory_parameters[] = {
    "DATA_WIDTH_*", "REGMODE_*", "RESETMODE", "ASYNC_RESET_RELEASE", "CSDECODE_*", "WRITEMODE_*", "CLKAMUX", "CLKBMUX",
    "GSR",          "INITVAL_*", "WID",       "INIT_DATA",           NULL};

static bool matches(const char *name, const char *pattern) {
    const char *star = strchr(pattern, '*');
    if (star == NULL) return strcmp(name, pattern) == 0;
    size_t head = (size_t)(star - pattern), tail = strlen(star + 1), size = strlen(name);
    return size >= head + tail && strncmp(name, pattern, head) == 0 && strcmp(name + size - tail, star + 1) == 0;
}

/* False after a reported error: a parameter that is not known may change what the cell does. */
static bool check_parameters(const char *name, const json_t *cell, const char *const *known) {
    const char *parameter;
    json_t *value;
    json_object_foreach(json_object_get(cell, "parameters"), parameter, value) {
        bool found = false;
        for (size_t i = 0; known[i] != NULL && !found; i++) found = matches(parameter, known[i]);
        if (found) continue;
        weir_error(WEIR_NOWHERE, "netlist: cell '%s' (%s): unknown parameter '%s'", name, type_of(cell), parameter);
        weir_note("registers are absorbed into cells as Yosys 0.23 writes them");
        return false;
    }
    return true;
}

/* --- the index --- */

static net_bit *bit_at(module *m, int64_t bit) {
    assert(bit >= 0);
    size_t index = (size_t)bit, before = m->bits;
    if (index >= before) {
        size_t capacity = before;
        m->bit = weir_grow(m->bit, &capacity, index + 1, sizeof *m->bit);
        m->bits = capacity;
        for (size_t i = before; i < capacity; i++) m->bit[i] = (net_bit){0, NONE, NONE, false};
    }
    return &m->bit[index];
}

static void add_reader(module *m, int64_t bit, int64_t by) {
    if (bit >= 0) bit_at(m, bit)->readers += by;
}

static void add_readers(module *m, const json_t *bits) {
    size_t i;
    json_t *bit;
    json_array_foreach(bits, i, bit) { add_reader(m, bit_value(bit), 1); }
}

/* No reset that could come, no other value at first than the 0 of the registers in blocks. */
static bool is_plain(const json_t *cell, const flip_flop *ff) {
    bool reset_rests = port_bit(cell, "LSR") == BIT_NONE ||
                       (port_bit(cell, "LSR") == BIT_ZERO && parameter_is(cell, "LSRMUX", "LSR", "LSR"));
    return reset_rests && parameter_is(cell, "CLKMUX", "CLK", "CLK") &&
           parameter_is(cell, "REGSET", "RESET", "RESET") &&
           (parameter_is(cell, "CEMUX", "CE", "1") || parameter_is(cell, "CEMUX", "CE", "CE")) &&
           parameter_is(cell, "LSRMODE", "LSR", "LSR") && !attribute_set(cell, "keep") && ff->domain.clock >= 0 &&
           (ff->domain.enable >= 0 || ff->domain.enable == BIT_ONE) && ff->q >= 0 && ff->d != BIT_NONE;
}

static void add_flip_flop(module *m, const char *name, const json_t *cell) {
    m->flip_flop = weir_grow(m->flip_flop, &m->flip_flop_capacity, m->flip_flops + 1, sizeof *m->flip_flop);
    int64_t index = (int64_t)m->flip_flops++;
    flip_flop *ff = &m->flip_flop[index];
    *ff = (flip_flop){.name = name, .d = port_bit(cell, "DI"), .q = port_bit(cell, "Q"), .next_reader = NONE};
    bool always = parameter_is(cell, "CEMUX", "CE", "1") || port_bit(cell, "CE") == BIT_NONE;
    ff->domain = (domain){port_bit(cell, "CLK"), always ? BIT_ONE : port_bit(cell, "CE"),
                          !parameter_is(cell, "GSR", "ENABLED", "DISABLED")};
    ff->plain = is_plain(cell, ff);
    if (ff->q >= 0) bit_at(m, ff->q)->driver = index;
    if (ff->d < 0) return;
    net_bit *data = bit_at(m, ff->d);
    ff->next_reader = data->first_reader;
    data->first_reader = index;
}

static bool index_cell(module *m, const char *name, const json_t *cell) {
    const char *port;
    json_t *bits, *directions = json_object_get(cell, "port_directions");
    json_object_foreach(json_object_get(cell, "connections"), port, bits) {
        const char *direction = json_string_value(json_object_get(directions, port));
        if (direction == NULL) {
            weir_error(WEIR_NOWHERE, "netlist: cell '%s' (%s): no direction of port '%s'", name, type_of(cell), port);
            return false;
        }
        if (strcmp(direction, "output") != 0) add_readers(m, bits);
    }
    if (strcmp(type_of(cell), "TRELLIS_FF") != 0) return true;
    if (!check_parameters(name, cell, flip_flop_parameters)) return false;
    add_flip_flop(m, name, cell);
    return true;
}

static bool index_module(module *m) {
    const char *name;
    json_t *object;
    json_object_foreach(json_object_get(m->json, "ports"), name, object) {
        const char *direction = json_string_value(json_object_get(object, "direction"));
        if (direction == NULL || strcmp(direction, "input") != 0) add_readers(m, json_object_get(object, "bits"));
    }
    json_object_foreach(json_object_get(m->json, "netnames"), name, object) {
        if (attribute_set(object, "keep")) add_readers(m, json_object_get(object, "bits"));
    }
    json_object_foreach(m->cells, name, object) {
        if (!index_cell(m, name, object)) return false;
    }
    return true;
}

/* --- changes --- */

static void set_parameter(json_t *cell, const char *name, const char *value) {
    json_t *parameters = json_object_get(cell, "parameters");
    if (parameters == NULL) json_object_set_new(cell, "parameters", parameters = json_object());
    json_object_set_new(parameters, name, json_string(value));
}

static void connect(module *m, json_t *cell, const char *port, bool output, int64_t bit) {
    assert(bit >= 0 || bit == BIT_ZERO || bit == BIT_ONE || bit == BIT_UNKNOWN);
    if (!output) {
        add_reader(m, port_bit(cell, port), -1);
        add_reader(m, bit, 1);
    }
    json_t *value = bit >= 0 ? json_integer(bit) : json_string(bit == BIT_ZERO ? "0" : bit == BIT_ONE ? "1" : "x");
    json_object_set_new(json_object_get(cell, "connections"), port, json_pack("[o]", value));
    json_object_set_new(json_object_get(cell, "port_directions"), port, json_string(output ? "output" : "input"));
}

/* The flip-flop leaves the fabric; what read its output has another driver by now, or nothing did. */
static void remove_flip_flop(module *m, flip_flop *ff) {
    assert(!ff->gone && ff->plain);
    add_reader(m, ff->d, -1);
    add_reader(m, ff->domain.clock, -1);
    add_reader(m, ff->domain.enable, -1);
    bit_at(m, ff->q)->driver = NONE;
    ff->gone = true;
    json_object_del(m->cells, ff->name);
    m->count->flip_flops++;
}

/* --- registers beside a block --- */

static bool same_domain(domain a, domain b) {
    return a.clock == b.clock && a.enable == b.enable && a.global_reset == b.global_reset;
}

/* The flip-flop that alone reads the bit, NULL. */
static flip_flop *only_reader(module *m, int64_t bit) {
    if (bit < 0 || bit_at(m, bit)->readers != 1) return NULL;
    for (int64_t i = bit_at(m, bit)->first_reader; i != NONE; i = m->flip_flop[i].next_reader) {
        if (!m->flip_flop[i].gone) return m->flip_flop[i].plain ? &m->flip_flop[i] : NULL;
    }
    return NULL;
}

/* Outputs of a block: the flip-flop after each bit that is read. */
typedef struct outputs {
    char port[PRODUCT_BITS][8];
    flip_flop *ff[PRODUCT_BITS]; /* NULL: it is not read */
    size_t count;                /* of ports */
    int64_t bits;
    domain domain;
} outputs;

static void add_ports(outputs *found, const char *name, size_t count) {
    assert(found->count + count <= PRODUCT_BITS);
    for (size_t i = 0; i < count; i++) {
        snprintf(found->port[found->count++], sizeof found->port[0], "%s%u", name, (unsigned)i);
    }
}

/* Does all that is read of these outputs go into one register and nowhere else? */
static bool find_outputs(module *m, const json_t *cell, outputs *found) {
    found->bits = 0;
    for (size_t i = 0; i < found->count; i++) {
        int64_t bit = port_bit(cell, found->port[i]);
        found->ff[i] = NULL;
        if (bit < 0 || bit_at(m, bit)->readers == 0) continue;
        flip_flop *ff = only_reader(m, bit);
        if (ff == NULL || (found->bits > 0 && !same_domain(ff->domain, found->domain))) return false;
        found->domain = ff->domain;
        found->ff[i] = ff;
        found->bits++;
    }
    return found->bits > 0;
}

/* The block drives what the flip-flops drove. */
static void take_outputs(module *m, json_t *cell, const outputs *found) {
    assert(found->count <= PRODUCT_BITS);
    for (size_t i = 0; i < found->count; i++) {
        if (found->ff[i] == NULL) continue;
        bit_at(m, port_bit(cell, found->port[i]))->cut = true;
        remove_flip_flop(m, found->ff[i]);
        connect(m, cell, found->port[i], true, found->ff[i]->q);
    }
}

/* --- MULT18X18D --- */

typedef enum stage_kind { STAGE_OUTPUT, STAGE_A, STAGE_B, STAGE_PIPELINE, STAGES } stage_kind;
static const char *const stage_name[STAGES] = {"OUTPUT", "INPUTA", "INPUTB", "PIPELINE"};

/* The registers of a multiplier. */
typedef struct register_set {
    bool used[STAGES];
    int64_t enable[STAGES];   /* of those in use */
    int64_t clock, any;       /* common to all in use; how many are */
    bool global_reset, clean; /* clean: one clock on CLK0, no reset */
} register_set;

static register_set registers_of(const json_t *cell) {
    register_set found = {.clock = port_bit(cell, "CLK0")};
    found.global_reset = parameter_is(cell, "GSR", "ENABLED", "ENABLED");
    found.clean = port_bit(cell, "RST0") == BIT_NONE || port_bit(cell, "RST0") == BIT_ZERO;
    for (size_t i = 0; i < STAGES; i++) {
        char name[32], port[8] = "CE0";
        snprintf(name, sizeof name, "REG_%s_CLK", stage_name[i]);
        found.used[i] = !parameter_is(cell, name, "NONE", "NONE");
        if (!found.used[i]) continue;
        found.any++;
        found.clean = found.clean && parameter_is(cell, name, "NONE", "CLK0");
        snprintf(name, sizeof name, "REG_%s_RST", stage_name[i]);
        found.clean = found.clean && parameter_is(cell, name, "RST0", "RST0");
        snprintf(name, sizeof name, "REG_%s_CE", stage_name[i]);
        for (; port[2] < '3' && !parameter_is(cell, name, "CE0", port); port[2]++) continue;
        found.enable[i] = port_bit(cell, port);
    }
    return found;
}

/* Can a further register of the cell be in this domain? nextpnr knows the timing of CLK0 alone. */
static bool takes(const register_set *found, domain wanted) {
    return found->clean &&
           (found->any == 0 || (found->clock == wanted.clock && found->global_reset == wanted.global_reset));
}

/* An input that is not connected rests at 0, so an enable that is always there is connected too. */
static void write_registers(module *m, json_t *cell, const register_set *wanted) {
    int64_t input[ENABLES];
    size_t inputs = 0;
    for (size_t i = 0; i < STAGES; i++) { /* the output register first: Project Trellis has it on CE0 alone */
        char name[32], value[8];
        if (!wanted->used[i]) continue;
        size_t at = 0;
        while (at < inputs && input[at] != wanted->enable[i]) at++;
        if (at == inputs) input[inputs++] = wanted->enable[i];
        snprintf(name, sizeof name, "REG_%s_CLK", stage_name[i]);
        set_parameter(cell, name, "CLK0");
        snprintf(name, sizeof name, "REG_%s_RST", stage_name[i]);
        set_parameter(cell, name, "RST0");
        snprintf(name, sizeof name, "REG_%s_CE", stage_name[i]);
        snprintf(value, sizeof value, "CE%u", (unsigned)at);
        set_parameter(cell, name, value);
    }
    for (size_t i = 0; i < inputs; i++) {
        char port[8];
        snprintf(port, sizeof port, "CE%u", (unsigned)i);
        connect(m, cell, port, false, input[i]);
    }
    set_parameter(cell, "GSR", wanted->global_reset ? "ENABLED" : "DISABLED");
    connect(m, cell, "CLK0", false, wanted->clock);
    connect(m, cell, "RST0", false, BIT_ZERO);
}

static void add_stage(register_set *registers, stage_kind added, domain of) {
    assert(!registers->used[added]);
    assert(added < STAGES);
    registers->used[added] = true;
    registers->enable[added] = of.enable;
    registers->clock = of.clock;
    registers->global_reset = of.global_reset;
    registers->any++;
}

/* The register after the product becomes the output register; the one that was there is then the pipeline register. */
static bool absorb_product(module *m, json_t *cell) {
    register_set registers = registers_of(cell);
    bool second = registers.used[STAGE_OUTPUT];
    if (!weir_device_multiplier_has(m->device, second ? "pipeline" : "output") || registers.used[STAGE_PIPELINE])
        return false;
    outputs product = {.count = 0};
    add_ports(&product, "P", PRODUCT_BITS);
    if (!find_outputs(m, cell, &product) || !takes(&registers, product.domain)) return false;
    if (second) {
        add_stage(&registers, STAGE_PIPELINE, product.domain);
        registers.enable[STAGE_PIPELINE] = registers.enable[STAGE_OUTPUT];
        registers.enable[STAGE_OUTPUT] = product.domain.enable;
    } else {
        add_stage(&registers, STAGE_OUTPUT, product.domain);
    }
    write_registers(m, cell, &registers);
    take_outputs(m, cell, &product);
    *(second ? &m->count->pipelines : &m->count->outputs) += 1;
    *(second ? &m->count->pipeline_bits : &m->count->output_bits) += product.bits;
    m->count->multiplier_bits += product.bits;
    return true;
}

/* An operand that comes from one register or is constant, or in part each. */
typedef struct operand {
    flip_flop *ff[OPERAND_BITS]; /* NULL: a constant */
    int64_t bits;                /* of the register */
    bool has_ones;               /* among the constants */
    domain domain;               /* of the register */
} operand;

static void operand_port(char port[8], char letter, size_t bit) {
    assert(letter == 'A' || letter == 'B');
    snprintf(port, 8, "%c%u", letter, (unsigned)bit % OPERAND_BITS);
}

static bool find_operand(module *m, const json_t *cell, char letter, operand *found) {
    *found = (operand){.bits = 0};
    for (size_t i = 0; i < OPERAND_BITS; i++) {
        char port[8];
        operand_port(port, letter, i);
        int64_t bit = port_bit(cell, port);
        found->has_ones |= bit == BIT_ONE;
        if (bit == BIT_ZERO || bit == BIT_ONE || bit == BIT_UNKNOWN) continue;
        int64_t driver = bit < 0 ? NONE : bit_at(m, bit)->driver;
        flip_flop *ff = driver == NONE ? NULL : &m->flip_flop[driver];
        if (ff == NULL || !ff->plain || (found->bits > 0 && !same_domain(ff->domain, found->domain))) return false;
        found->domain = ff->domain;
        found->ff[i] = ff;
        found->bits++;
    }
    return true;
}

/* Can both be in registers at once? Those of the cell are 0 until they are first written, a constant 1 too: the product
 * is 0 then in any case, if it is written together with the other operand, and that is without one. A constant is
 * written when the other is. */
static bool may_register(operand *a, operand *b) {
    if (a->bits == 0) a->domain = b->domain;
    if (b->bits == 0) b->domain = a->domain;
    if (a->bits + b->bits == 0 || (a->has_ones && b->has_ones)) return false;
    if (a->has_ones || b->has_ones) return same_domain(a->domain, b->domain);
    return a->domain.clock == b->domain.clock && a->domain.global_reset == b->domain.global_reset;
}

static void take_operand(module *m, json_t *cell, char letter, const operand *found) {
    for (size_t i = 0; i < OPERAND_BITS; i++) {
        char port[8];
        operand_port(port, letter, i);
        if (found->ff[i] != NULL) connect(m, cell, port, false, found->ff[i]->d);
    }
}

static void release_operand(module *m, const operand *found) {
    for (size_t i = 0; i < OPERAND_BITS; i++) {
        flip_flop *ff = found->ff[i];
        if (ff == NULL || ff->gone || bit_at(m, ff->q)->readers > 0) continue;
        bit_at(m, ff->q)->cut = true;
        remove_flip_flop(m, ff);
    }
}

/* Both operands or none: with one alone nextpnr counts as if there were no register. The registers hold the signs
 * too. */
static bool absorb_operands(module *m, json_t *cell) {
    operand a, b;
    register_set registers = registers_of(cell);
    bool parallel = port_bit(cell, "SOURCEA") == BIT_ZERO && port_bit(cell, "SOURCEB") == BIT_ZERO;
    bool constant_signs = port_bit(cell, "SIGNEDA") < 0 && port_bit(cell, "SIGNEDB") < 0;
    if (!weir_device_multiplier_has(m->device, "input") || registers.used[STAGE_A] || registers.used[STAGE_B] ||
        !parallel || !constant_signs || !find_operand(m, cell, 'A', &a) || !find_operand(m, cell, 'B', &b) ||
        !may_register(&a, &b) || !takes(&registers, a.domain)) {
        return false;
    }
    add_stage(&registers, STAGE_A, a.domain);
    add_stage(&registers, STAGE_B, b.domain);
    write_registers(m, cell, &registers);
    take_operand(m, cell, 'A', &a);
    take_operand(m, cell, 'B', &b);
    release_operand(m, &a);
    release_operand(m, &b);
    m->count->inputs++;
    m->count->input_bits += a.bits + b.bits;
    m->count->multiplier_bits += a.bits + b.bits;
    return true;
}

/* --- DP16KD --- */

/* A read port: the letter of its clock and enables, and its outputs. In pseudo dual port mode (A 36 bits wide) A writes
 * and B reads, with the outputs of both. */
static bool absorb_read(module *m, json_t *cell, char letter) {
    assert(letter == 'A' || letter == 'B');
    bool pseudo = parameter_number(cell, "DATA_WIDTH_A") == 2 * MEMORY_BITS;
    if ((pseudo && letter == 'A') || (!pseudo && parameter_number(cell, "DATA_WIDTH_B") > MEMORY_BITS)) return false;
    char clock[8], reset[8], enable[8], mode[16], edge[16];
    snprintf(clock, sizeof clock, "CLK%c", letter);
    snprintf(reset, sizeof reset, "RST%c", letter);
    snprintf(enable, sizeof enable, "OCE%c", letter);
    snprintf(mode, sizeof mode, "REGMODE_%c", letter);
    snprintf(edge, sizeof edge, "CLK%cMUX", letter);
    outputs data = {.count = 0};
    if (pseudo || letter == 'A') add_ports(&data, "DOA", MEMORY_BITS);
    if (letter == 'B') add_ports(&data, "DOB", MEMORY_BITS);
    bool reset_rests = port_bit(cell, reset) == BIT_NONE || port_bit(cell, reset) == BIT_ZERO;
    if (!parameter_is(cell, mode, "NOREG", "NOREG") || !parameter_is(cell, edge, clock, clock) || !reset_rests ||
        !find_outputs(m, cell, &data) || data.domain.clock != port_bit(cell, clock) ||
        data.domain.global_reset != parameter_is(cell, "GSR", "ENABLED", "ENABLED")) {
        return false;
    }
    set_parameter(cell, mode, "OUTREG");
    if (pseudo) set_parameter(cell, "REGMODE_A", "OUTREG");
    connect(m, cell, enable, false, data.domain.enable);
    take_outputs(m, cell, &data);
    m->count->reads++;
    m->count->memory_bits += data.bits;
    return true;
}

/* --- all of a netlist --- */

typedef bool absorb_step(module *m, json_t *cell);

static bool absorb_memory(module *m, json_t *cell) {
    bool a = absorb_read(m, cell, 'A'), b = absorb_read(m, cell, 'B');
    return a || b;
}

/* In this order: what a register between two blocks goes into. */
static const struct {
    const char *type;
    absorb_step *step;
} steps[] = {{"DP16KD", absorb_memory}, {"MULT18X18D", absorb_product}, {"MULT18X18D", absorb_operands}};

static bool find_blocks(module *m) {
    const char *name;
    json_t *cell;
    json_object_foreach(m->cells, name, cell) {
        bool multiplier = strcmp(type_of(cell), "MULT18X18D") == 0, memory = strcmp(type_of(cell), "DP16KD") == 0;
        if (multiplier && !check_parameters(name, cell, multiplier_parameters)) return false;
        if (memory && !check_parameters(name, cell, memory_parameters)) return false;
        m->count->multipliers += multiplier;
        m->count->memories += memory;
        if ((!multiplier && !memory) || attribute_set(cell, "keep")) continue;
        m->block = weir_grow(m->block, &m->block_capacity, m->blocks + 1, sizeof *m->block);
        m->block[m->blocks++] = cell;
    }
    return true;
}

static bool absorb_once(module *m) {
    bool changed = false;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!weir_device_absorbs(m->device, steps[i].type)) continue;
        for (size_t k = 0; k < m->blocks; k++) {
            if (strcmp(type_of(m->block[k]), steps[i].type) != 0) continue;
            while (steps[i].step(m, m->block[k])) changed = true;
        }
    }
    return changed;
}

/* Names of nets with a bit that has no driver any more go. */
static void clear_names(module *m) {
    json_t *kept = json_object(), *net;
    const char *name;
    json_object_foreach(json_object_get(m->json, "netnames"), name, net) {
        const json_t *bits = json_object_get(net, "bits");
        bool cut = false;
        for (size_t i = 0; i < json_array_size(bits); i++) {
            int64_t bit = bit_value(json_array_get(bits, i));
            cut = cut || (bit >= 0 && bit_at(m, bit)->cut);
        }
        if (!cut) json_object_set(kept, name, net);
    }
    json_object_set_new(m->json, "netnames", kept);
}

static bool absorb_module(module *m) {
    if (!find_blocks(m) || !index_module(m)) return false;
    while (absorb_once(m)) continue;
    clear_names(m);
    return true;
}

bool weir_netlist_absorb(json_t *netlist, const weir_device *device, weir_netlist_absorbed *count) {
    *count = (weir_netlist_absorbed){0};
    if (!weir_device_absorbs(device, "MULT18X18D") && !weir_device_absorbs(device, "DP16KD")) return true;
    bool fine = true;
    const char *name;
    json_t *object;
    json_object_foreach(json_object_get(netlist, "modules"), name, object) {
        if (attribute_set(object, "blackbox")) continue;
        module m = {.json = object, .cells = json_object_get(object, "cells"), .device = device, .count = count};
        fine = fine && absorb_module(&m);
        free(m.flip_flop);
        free(m.bit);
        free(m.block);
    }
    return fine;
}

void weir_netlist_drop_scopes(json_t *netlist) {
    const char *name, *cell_name;
    json_t *item, *cell;
    void *next;
    json_object_foreach(json_object_get(netlist, "modules"), name, item) {
        json_t *cells = json_object_get(item, "cells");
        json_object_foreach_safe(cells, next, cell_name, cell) {
            if (strcmp(json_string_value(json_object_get(cell, "type")), "$scopeinfo") == 0)
                json_object_del(cells, cell_name);
        }
    }
}
