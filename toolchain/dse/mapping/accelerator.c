#include "dse/mapping/accelerator.h"

#include <assert.h>
#include <string.h>

#include "dse/mapping/schema.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static const char *const operand_names[] = {"I1", "I2", "O", NULL};
static const char *const direction_names[] = {"tl", "fl", "th", "fh", NULL};

static int find_word(const char *const *words, const char *text, size_t length) {
    for (int i = 0; words[i] != NULL; i++)
        if (strlen(words[i]) == length && strncmp(words[i], text, length) == 0) return i;
    return -1;
}

int weir_dse_memory_operand_of(const char *text) { return find_word(operand_names, text, strlen(text)); }
const char *weir_dse_memory_operand_name(int operand) {
    assert(operand >= WEIR_DSE_I1 && operand <= WEIR_DSE_O);
    return operand_names[operand];
}
const char *weir_dse_direction_name(int direction) {
    assert(direction >= 0 && direction < WEIR_DSE_DIRECTIONS);
    return direction_names[direction];
}

int weir_dse_accelerator_dimension(const weir_dse_accelerator *accelerator, const char *name) {
    for (int i = 0; i < accelerator->dimension_count; i++)
        if (strcmp(accelerator->dimension[i], name) == 0) return i;
    return -1;
}

double weir_dse_memory_count(const weir_dse_accelerator *accelerator, const weir_dse_memory *memory) {
    double count = 1;
    for (int d = 0; d < accelerator->dimension_count; d++)
        if ((memory->serves >> d & 1) == 0) count *= (double)accelerator->dimension_size[d];
    return count;
}

/* --- the hierarchy --- */

static bool holds(const weir_dse_memory *memory, int operand) {
    assert(operand >= 0 && operand < WEIR_DSE_OPERANDS);
    for (int i = 0; i < memory->operand_count; i++)
        if (memory->operand[i] == operand) return true;
    return false;
}

/* A memory's level for an operand: how many memories before it hold the operand; its level: the largest of these. */
static int level_of(const weir_dse_accelerator *a, int memory) {
    assert(memory >= 0 && memory < a->memory_count);
    int largest = 0;
    for (int i = 0; i < a->memory[memory].operand_count; i++) {
        int level = 0;
        for (int m = 0; m < memory; m++) level += holds(&a->memory[m], a->memory[memory].operand[i]);
        if (level > largest) largest = level;
    }
    return largest;
}

/* above[i] has bit j: memory j takes from memory i, which is the highest so far of one of its operands. */
static void connect(const weir_dse_accelerator *a, uint32_t *above) {
    memset(above, 0, WEIR_DSE_MEMORIES * sizeof *above);
    for (int m = 0; m < a->memory_count; m++) {
        for (int i = 0; i < a->memory[m].operand_count; i++) {
            const int operand = a->memory[m].operand[i];
            int top = -1;
            for (int below = 0; below < m; below++)
                if (holds(&a->memory[below], operand) && level_of(a, below) > top) top = level_of(a, below);
            for (int below = 0; below < m; below++)
                if (holds(&a->memory[below], operand) && level_of(a, below) == top) above[below] |= 1U << m;
        }
    }
}

/* Kahn's order by generations. */
static void sort(weir_dse_accelerator *a) {
    assert(a->memory_count >= 0 && a->memory_count <= WEIR_DSE_MEMORIES);
    uint32_t above[WEIR_DSE_MEMORIES];
    int degree[WEIR_DSE_MEMORIES] = {0}, count = 0;
    connect(a, above);
    for (int i = 0; i < a->memory_count; i++)
        for (int j = 0; j < a->memory_count; j++) degree[j] += (int)(above[i] >> j & 1);
    for (int i = 0; i < a->memory_count; i++) {
        a->memory[i].is_inner = degree[i] == 0;
        if (degree[i] == 0) a->order[count++] = i;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < a->memory_count; j++)
            if ((above[a->order[i]] >> j & 1) != 0 && --degree[j] == 0) a->order[count++] = j;
}

void weir_dse_accelerator_link(weir_dse_accelerator *a) {
    assert(a->memory_count >= 0 && a->memory_count <= WEIR_DSE_MEMORIES);
    sort(a);
    for (int o = 0; o < WEIR_DSE_OPERANDS; o++) {
        a->levels[o] = 0;
        for (int i = 0; i < a->memory_count; i++)
            if (holds(&a->memory[a->order[i]], o)) a->chain[o][a->levels[o]++] = a->order[i];
    }
    a->unit_count = 1;
    for (int d = 0; d < a->dimension_count; d++) a->unit_count *= (double)a->dimension_size[d];
}

/* --- reading --- */

typedef struct reader {
    weir_dse_accelerator *a;
    weir_arena *arena;
} reader;

/* "I1, tl" */
static bool read_transfer(const weir_yaml *node, weir_dse_memory *memory, int port, int type) {
    static const char expected[] = "an operand of the memory and a direction (fh, fl, th or tl), such as 'I1, tl'";
    if (node->kind != WEIR_YAML_SCALAR) return weir_dse_schema_expected(node, expected);
    const char *comma = strchr(node->text, ','), *start = comma == NULL ? "" : comma + 1;
    start += strspn(start, " ");
    const size_t length = comma == NULL ? 0 : (size_t)(comma - node->text);
    const int operand = find_word(operand_names, node->text, length);
    const int direction = find_word(direction_names, start, strlen(start));
    if (operand < 0 || direction < 0 || !holds(memory, operand)) return weir_dse_schema_expected(node, expected);
    const bool writes = direction == WEIR_DSE_WRITE_LOW || direction == WEIR_DSE_WRITE_HIGH;
    if ((type == 0 && writes) || (type == 1 && !writes)) {
        weir_error(node->location, "a %s port cannot serve '%s'", type == 0 ? "read" : "write", node->text);
        return false;
    }
    weir_dse_port *p = &memory->port[port];
    for (int i = 0; i < p->served; i++) {
        if (p->serves[i].operand != operand || p->serves[i].direction != direction) continue;
        weir_error(node->location, "'%s' is repeated", node->text);
        return false;
    }
    p->serves[p->served].operand = (uint8_t)operand;
    p->serves[p->served++].direction = (uint8_t)direction;
    memory->port_of[operand][direction] = (int8_t)port;
    return true;
}

static bool read_port(reader *r, const weir_yaml *node, weir_dse_memory *memory) {
    assert(memory->port_count >= 0 && memory->port_count < WEIR_DSE_PORTS);
    static const char *const keys[] = {"name", "type", "bandwidth_min", "bandwidth_max", "allocation", NULL};
    static const char *const types[] = {"read", "write", "read_write", NULL};
    weir_dse_port *port = &memory->port[memory->port_count];
    int64_t low, high;
    if (!weir_dse_schema_keys(node, "port", keys)) return false;
    const weir_yaml *name = weir_dse_schema_need(node, "port", "name"),
                    *kind = weir_dse_schema_need(node, "port", "type");
    const weir_yaml *transfers = weir_dse_schema_need(node, "port", "allocation");
    if (name == NULL || kind == NULL || transfers == NULL) return false;
    const int type = weir_dse_schema_word(kind, "read, write or read_write", types);
    if (type < 0 || !weir_dse_schema_text(name, "the port's name", r->arena, &port->name) ||
        !weir_dse_schema_count(node, "port", "bandwidth_min", 1, &low) ||
        !weir_dse_schema_count(node, "port", "bandwidth_max", low, &high) ||
        !weir_dse_schema_kind(transfers, WEIR_YAML_SEQUENCE, "a list of transfers"))
        return false;
    port->bandwidth_min = (double)low;
    port->bandwidth_max = (double)high;
    for (size_t i = 0; i < transfers->count; i++)
        if (!read_transfer(transfers->item[i], memory, memory->port_count, type)) return false;
    memory->port_count++;
    return true;
}

static bool read_operands(const weir_yaml *node, weir_dse_memory *memory) {
    if (!weir_dse_schema_kind(node, WEIR_YAML_SEQUENCE, "a list of operands (I1, I2, O)")) return false;
    for (size_t i = 0; i < node->count; i++) {
        const int operand = weir_dse_schema_word(node->item[i], "an operand (I1, I2 or O)", operand_names);
        if (operand < 0) return false;
        if (holds(memory, operand)) return weir_dse_schema_expected(node->item[i], "each operand once");
        memory->operand[memory->operand_count++] = (uint8_t)operand;
    }
    return node->count > 0 || weir_dse_schema_expected(node, "at least one operand");
}

static bool read_served(const reader *r, const weir_yaml *node, weir_dse_memory *memory) {
    if (!weir_dse_schema_kind(node, WEIR_YAML_SEQUENCE, "a list of array dimensions")) return false;
    for (size_t i = 0; i < node->count; i++) {
        const weir_yaml *item = node->item[i];
        const int d = item->kind != WEIR_YAML_SCALAR ? -1 : weir_dse_accelerator_dimension(r->a, item->text);
        if (d < 0) return weir_dse_schema_expected(item, "a dimension of the operational array");
        memory->serves |= 1U << d;
    }
    return true;
}

static bool read_costs(const weir_yaml *node, const char *what, weir_dse_memory *memory) {
    bool extract = false;
    int64_t size, latency;
    if (!weir_dse_schema_flag(node, "auto_cost_extraction", &extract)) return false;
    if (extract) {
        weir_error(weir_yaml_find(node, "auto_cost_extraction")->location,
                   "%s: energies are not extracted from a model of memories (CACTI)", what);
        weir_note("set auto_cost_extraction to False and give r_cost, w_cost and area");
        return false;
    }
    if (!weir_dse_schema_count(node, what, "size", 1, &size) ||
        !weir_dse_schema_real(node, what, "r_cost", &memory->read_energy) ||
        !weir_dse_schema_real(node, what, "w_cost", &memory->write_energy) ||
        !weir_dse_schema_real(node, what, "area", &memory->area) ||
        !weir_dse_schema_count(node, what, "latency", 0, &latency))
        return false;
    memory->size = (double)size;
    return true;
}

static bool read_memory(reader *r, const char *name, const weir_yaml *node) {
    static const char *const keys[] = {"size",
                                       "r_cost",
                                       "w_cost",
                                       "area",
                                       "latency",
                                       "auto_cost_extraction",
                                       "mem_type",
                                       "ports",
                                       "operands",
                                       "cost_scaling_factor",
                                       "served_dimensions",
                                       "force_double_buffering",
                                       NULL};
    weir_dse_memory *memory = &r->a->memory[r->a->memory_count];
    memory->name = weir_arena_copy_string(r->arena, name);
    memory->index = r->a->memory_count;
    memset(memory->port_of, -1, sizeof memory->port_of);
    if (!weir_dse_schema_keys(node, name, keys) || !read_costs(node, name, memory) ||
        !weir_dse_schema_flag(node, "force_double_buffering", &memory->is_double_buffered))
        return false;
    const weir_yaml *operands = weir_dse_schema_need(node, name, "operands");
    const weir_yaml *served = weir_dse_schema_need(node, name, "served_dimensions");
    const weir_yaml *ports = weir_dse_schema_need(node, name, "ports");
    if (operands == NULL || served == NULL || ports == NULL || !read_operands(operands, memory) ||
        !read_served(r, served, memory) || !weir_dse_schema_kind(ports, WEIR_YAML_SEQUENCE, "a list of ports"))
        return false;
    if (ports->count > WEIR_DSE_PORTS) return weir_dse_schema_expected(ports, "at most 8 ports");
    for (size_t i = 0; i < ports->count; i++)
        if (!read_port(r, ports->item[i], memory)) return false;
    r->a->memory_count++;
    return true;
}

static bool read_array(reader *r, const weir_yaml *node) {
    static const char *const keys[] = {"dimensions",     "sizes",      "unit_energy",     "unit_area",
                                       "is_imc",         "imc_type",   "input_precision", "bit_serial_precision",
                                       "adc_resolution", "cells_size", "cells_area",      NULL};
    weir_dse_accelerator *a = r->a;
    bool in_memory = false;
    if (!weir_dse_schema_keys(node, "operational_array", keys) || !weir_dse_schema_flag(node, "is_imc", &in_memory))
        return false;
    if (in_memory) {
        weir_error(weir_yaml_find(node, "is_imc")->location, "arrays that compute in memory are not modelled");
        weir_note("expected an array with unit_energy and unit_area");
        return false;
    }
    const weir_yaml *names = weir_dse_schema_need(node, "operational_array", "dimensions");
    const weir_yaml *sizes = weir_dse_schema_need(node, "operational_array", "sizes");
    if (names == NULL || sizes == NULL || !weir_dse_schema_kind(names, WEIR_YAML_SEQUENCE, "a list of dimensions") ||
        !weir_dse_schema_kind(sizes, WEIR_YAML_SEQUENCE, "a list of sizes"))
        return false;
    if (names->count != sizes->count || names->count == 0 || names->count > WEIR_DSE_ARRAY_DIMS)
        return weir_dse_schema_expected(sizes, "1 to 8 dimensions with a size each");
    for (size_t i = 0; i < names->count; i++) {
        const char *name;
        if (!weir_dse_schema_name(names->item[i], "the name of a dimension", r->arena, &name) ||
            !weir_yaml_int(sizes->item[i], 1, INT32_MAX, &a->dimension_size[i]))
            return false;
        if (weir_dse_accelerator_dimension(a, name) >= 0)
            return weir_dse_schema_expected(names->item[i], "each dimension once");
        a->dimension[a->dimension_count++] = name;
    }
    return weir_dse_schema_real(node, "operational_array", "unit_energy", &a->unit_energy) &&
           weir_dse_schema_real(node, "operational_array", "unit_area", &a->unit_area);
}

/* An operand without a memory would have nowhere to be. */
static bool check_operands(const weir_dse_accelerator *a, const weir_yaml *memories) {
    for (int o = 0; o < WEIR_DSE_OPERANDS; o++) {
        if (a->levels[o] > 0) continue;
        weir_error(memories->location, "no memory holds operand '%s'", operand_names[o]);
        return false;
    }
    return true;
}

static bool read_root(reader *r, const weir_yaml *root) {
    static const char *const keys[] = {"name", "memories", "operational_array", "dataflows", NULL};
    if (!weir_dse_schema_keys(root, "accelerator", keys)) return false;
    const weir_yaml *name = weir_dse_schema_need(root, "accelerator", "name");
    const weir_yaml *memories = weir_dse_schema_need(root, "accelerator", "memories");
    const weir_yaml *array = weir_dse_schema_need(root, "accelerator", "operational_array");
    if (name == NULL || memories == NULL || array == NULL ||
        !weir_dse_schema_text(name, "the accelerator's name", r->arena, &r->a->name) || !read_array(r, array) ||
        !weir_dse_schema_kind(memories, WEIR_YAML_MAPPING, "a mapping of memories, the innermost first"))
        return false;
    if (memories->count > WEIR_DSE_MEMORIES) return weir_dse_schema_expected(memories, "at most 16 memories");
    for (size_t i = 0; i < memories->count; i++)
        if (!read_memory(r, memories->key[i], memories->item[i])) return false;
    weir_dse_accelerator_link(r->a);
    return check_operands(r->a, memories);
}

weir_dse_accelerator *weir_dse_accelerator_read(const char *path, weir_arena *arena) {
    weir_yaml *root = weir_yaml_read_lenient(path);
    reader r = {weir_arena_alloc(arena, sizeof(weir_dse_accelerator)), arena};
    const bool fine = root != NULL && read_root(&r, root);
    weir_yaml_free(root);
    return fine ? r.a : NULL;
}
