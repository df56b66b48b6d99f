#include "dataflow/cost/device.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/schedule/stream.h"
#include "support/file/named.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/schema.h"
#include "support/text/table.h"
#include "support/text/yaml.h"

static const char *const families[] = {"ice40", "ecp5", "gowin", "xilinx7", "gatemate", NULL};
static const char *const memory_kinds[] = {"block", "large", NULL};
static const char *const logic_cells[] = {"separate", "shared", NULL};
static const char *const register_names[] = {"input", "pipeline", "output", NULL};

/* --- the schema --- */

static bool read_shape(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f, void *into);
static bool read_shapes(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f, void *into);
static bool read_range(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f, void *into);

#define STRING WEIR_SCHEMA_STRING
#define STRINGS WEIR_SCHEMA_STRINGS
#define COUNT WEIR_SCHEMA_COUNT
#define FLAG WEIR_SCHEMA_FLAG
#define INVERSE_FLAG WEIR_SCHEMA_INVERSE_FLAG
#define WORD WEIR_SCHEMA_WORD
#define RECORD WEIR_SCHEMA_RECORD
#define RECORDS WEIR_SCHEMA_RECORDS
#define OWN WEIR_SCHEMA_OWN
#define IN(member) offsetof(weir_device, member)
#define OF(member) offsetof(weir_device_memory, member)
static const weir_schema_field yosys_fields[] = {{"command", STRING, true, .at = IN(yosys.command)},
                                                 {"options", STRINGS, false, .at = IN(yosys.options)},
                                                 {.name = NULL}};
static const weir_schema_field nextpnr_fields[] = {{"program", STRING, true, .at = IN(nextpnr.program)},
                                                   {"options", STRINGS, false, .at = IN(nextpnr.options)},
                                                   {"pins", STRINGS, false, .at = IN(nextpnr.pins)},
                                                   {.name = NULL}};
static const weir_schema_field lut_fields[] = {{"count", COUNT, true, .at = IN(luts.count)},
                                               {"inputs", COUNT, true, .at = IN(luts.inputs)},
                                               {"joined", COUNT, false, .at = IN(luts.joined)},
                                               {"placeable", COUNT, false, .at = IN(luts.placeable)},
                                               {.name = NULL}};
static const weir_schema_field multiplier_fields[] = {
    {"cell", STRING, true, .at = IN(multipliers.cell)},
    {"count", COUNT, true, .at = IN(multipliers.count)},
    {"shapes", OWN, true, .at = IN(multipliers.shapes), .read = read_shapes},
    {"smallest_product", COUNT, false, .at = IN(multipliers.smallest_product)},
    {"accumulator", COUNT, false, .at = IN(multipliers.accumulator)},
    {"registers", STRINGS, false, .at = IN(multipliers.registers), .words = register_names},
    {"absorbs_output", FLAG, false, .at = IN(multipliers.absorbs_output)},
    {"inferred", INVERSE_FLAG, false, .at = IN(multipliers.not_inferred)},
    {.name = NULL}};
static const weir_schema_field memory_fields[] = {{"cell", STRING, true, .at = OF(cell)},
                                                  {"kind", WORD, true, .at = OF(kind), .words = memory_kinds},
                                                  {"count", COUNT, true, .at = OF(count)},
                                                  {"bits", COUNT, true, .at = OF(bits)},
                                                  {"shapes", OWN, true, .at = OF(shapes), .read = read_shapes},
                                                  {"initialized", FLAG, true, .at = OF(initialized)},
                                                  {"output_register", FLAG, true, .at = OF(output_register)},
                                                  {"dual_port", FLAG, false, .at = OF(dual_port)},
                                                  {.name = NULL}};
static const weir_schema_field distributed_fields[] = {
    {"cell", STRING, true, .at = IN(distributed_ram.cell)},
    {"kbits", COUNT, true, .at = IN(distributed_ram.kbits)},
    {"shape", OWN, true, .at = IN(distributed_ram.shape), .read = read_shape},
    {"luts", COUNT, true, .at = IN(distributed_ram.luts)},
    {.name = NULL}};
static const weir_schema_field clock_fields[] = {{"networks", COUNT, true, .at = IN(clocks.networks)},
                                                 {"plls", COUNT, false, .at = IN(clocks.plls)},
                                                 {"goal_mhz", COUNT, false, .at = IN(clocks.goal_mhz)},
                                                 {"board_mhz", COUNT, false, .at = IN(clocks.board_mhz)},
                                                 {"oscillator_mhz", COUNT, false, .at = IN(clocks.oscillator_mhz)},
                                                 {.name = NULL}};
static const weir_schema_field pll_fields[] = {{"input", OWN, true, .at = IN(pll.input), .read = read_range},
                                               {"detector", OWN, true, .at = IN(pll.detector), .read = read_range},
                                               {"vco", OWN, true, .at = IN(pll.vco), .read = read_range},
                                               {"output", OWN, true, .at = IN(pll.output), .read = read_range},
                                               {.name = NULL}};
static const weir_schema_field delay_fields[] = {{"flip_flop", COUNT, true, .at = IN(delays.flip_flop)},
                                                 {"memory", COUNT, true, .at = IN(delays.memory)},
                                                 {"multiplier", COUNT, false, .at = IN(delays.multiplier)},
                                                 {"lut", COUNT, true, .at = IN(delays.lut)},
                                                 {"chain", COUNT, true, .at = IN(delays.chain)},
                                                 {"carry", COUNT, true, .at = IN(delays.carry)},
                                                 {"fanout", COUNT, true, .at = IN(delays.fanout)},
                                                 {"kept", COUNT, false, .at = IN(delays.kept)},
                                                 {"doubling", COUNT, false, .at = IN(delays.doubling)},
                                                 {.name = NULL}};
/* Fields of records inside count from the start of the device, those of a list from the start of its item. */
static const weir_schema_field device_fields[] = {
    {"name", STRING, true, .at = IN(name)},
    {"title", STRING, true, .at = IN(title)},
    {"family", WORD, true, .at = IN(family), .words = families},
    {"yosys", RECORD, true, .fields = yosys_fields},
    {"nextpnr", RECORD, false, .fields = nextpnr_fields},
    {"luts", RECORD, true, .fields = lut_fields},
    {"flip_flops", COUNT, true, .at = IN(flip_flops)},
    {"logic_cell", WORD, false, .at = IN(logic_cell), .words = logic_cells},
    {"multipliers", RECORD, false, .fields = multiplier_fields},
    {"memories", RECORDS, false, .at = IN(memories), .fields = memory_fields, .size = sizeof(weir_device_memory)},
    {"distributed_ram", RECORD, false, .fields = distributed_fields},
    {"clocks", RECORD, false, .fields = clock_fields},
    {"pll", RECORD, false, .fields = pll_fields},
    {"delays", RECORD, false, .fields = delay_fields},
    {"notes", STRINGS, false, .at = IN(notes)},
    {.name = NULL}};

/* --- reading --- */

/* The profile with the memory of all that it points to. */
typedef struct holder {
    weir_device device;
    weir_arena *arena;
} holder;

/* Digits of a number up to 2^31 - 1, at least 1. */
static bool read_number(const char **at, int64_t *into) {
    *into = 0;
    const char *start = *at;
    for (; **at >= '0' && **at <= '9' && *into <= INT32_MAX; ++*at) *into = *into * 10 + (**at - '0');
    return *at != start && *into >= 1 && *into <= INT32_MAX;
}

static bool read_shape(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f, void *into) {
    static const char what[] = "a shape as '256x16'";
    (void)arena;
    weir_device_shape *shape = into;
    if (yaml->kind != WEIR_YAML_SCALAR) return weir_schema_expected(yaml, f, what);
    const char *at = yaml->text;
    if (read_number(&at, &shape->x) && *at == 'x' && (at++, read_number(&at, &shape->y)) && *at == '\0') return true;
    return weir_schema_expected(yaml, f, what);
}

static bool read_shapes(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f, void *into) {
    weir_device_shapes *shapes = into;
    if (yaml->kind != WEIR_YAML_SEQUENCE || yaml->count == 0)
        return weir_schema_expected(yaml, f, "a sequence of shapes");
    shapes->item = weir_arena_array(arena, yaml->count, sizeof *shapes->item);
    shapes->count = yaml->count;
    bool fine = true;
    for (size_t i = 0; i < yaml->count; i++) fine = read_shape(arena, yaml->item[i], f, &shapes->item[i]) && fine;
    return fine;
}

static bool read_range(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f, void *into) {
    static const char what[] = "a range of kilohertz as '10000-133000'";
    (void)arena;
    weir_device_range *range = into;
    if (yaml->kind != WEIR_YAML_SCALAR) return weir_schema_expected(yaml, f, what);
    const char *at = yaml->text;
    if (read_number(&at, &range->low) && *at == '-' && (at++, read_number(&at, &range->high)) && *at == '\0' &&
        range->low <= range->high)
        return true;
    return weir_schema_expected(yaml, f, what);
}

/* What the schema cannot say. A shape may leave some of a block's bits unused, as 4096x4 of 18 kbit does. */
static bool check(const weir_yaml *root, const weir_device *device) {
    bool fine = true;
    if (device->luts.inputs < 2 || device->luts.inputs > 8) {
        weir_error(weir_yaml_find(root, "luts")->location, "luts: expected 2 to 8 inputs, found %lld",
                   (long long)device->luts.inputs);
        fine = false;
    }
    if (device->luts.joined != 0 && device->luts.joined < device->luts.inputs) {
        weir_error(weir_yaml_find(root, "luts")->location, "luts: joined: expected at least %lld inputs, found %lld",
                   (long long)device->luts.inputs, (long long)device->luts.joined);
        fine = false;
    }
    if (device->luts.placeable > 100) {
        weir_error(weir_yaml_find(root, "luts")->location,
                   "luts: expected at most 100 %% that can be placed, found %lld", (long long)device->luts.placeable);
        fine = false;
    }
    const weir_yaml *memories = weir_yaml_find(root, "memories");
    for (size_t i = 0; i < device->memories.count; i++) {
        const weir_device_memory *memory = &device->memories.item[i];
        for (size_t k = 0; k < memory->shapes.count; k++) {
            const weir_device_shape shape = memory->shapes.item[k];
            if (shape.x * shape.y <= memory->bits) continue;
            weir_error(memories->item[i]->location, "memories: a shape of %lldx%lld has more than %lld bits",
                       (long long)shape.x, (long long)shape.y, (long long)memory->bits);
            fine = false;
        }
    }
    return fine;
}

static weir_device *read_file(const char *path) {
    weir_yaml *root = weir_yaml_read(path);
    if (root == NULL) return NULL;
    weir_arena *arena = weir_arena_new();
    holder *h = weir_arena_alloc(arena, sizeof *h);
    h->arena = arena;
    h->device.path = weir_arena_copy_string(arena, path);
    bool fine = weir_schema_read(arena, root, "device", device_fields, &h->device) && check(root, &h->device);
    weir_yaml_free(root);
    if (h->device.luts.joined == h->device.luts.inputs) h->device.luts.joined = 0; /* one alone */
    if (fine) return &h->device;
    weir_arena_free(arena);
    return NULL;
}

void weir_device_free(weir_device *device) {
    if (device != NULL) weir_arena_free(((holder *)device)->arena);
}

/* --- those that Weir knows --- */

static const weir_named kind = {"device", "boards/devices", ".yaml", "devices"};

char **weir_device_names(size_t *count) { return weir_named_names(&kind, count); }

weir_device *weir_device_read(const char *name, int *status) {
    return weir_device_read_for(WEIR_NOWHERE, name, status);
}

weir_device *weir_device_read_for(weir_location asker, const char *name, int *status) {
    char *path = weir_named_path(&kind, asker, name);
    weir_device *device = path == NULL ? NULL : read_file(path);
    *status = path == NULL ? WEIR_EXIT_USAGE : WEIR_EXIT_INPUT;
    free(path);
    return device;
}

const char *weir_device_family_name(weir_device_family family) {
    assert(family < WEIR_DEVICE_FAMILIES);
    return families[family];
}

const weir_device_memory *weir_device_block(const weir_device *device) {
    for (size_t i = 0; i < device->memories.count; i++) {
        if (device->memories.item[i].kind == WEIR_DEVICE_BLOCK) return &device->memories.item[i];
    }
    return NULL;
}

bool weir_device_multiplier_has(const weir_device *device, const char *stage) {
    for (size_t i = 0; i < device->multipliers.registers.count; i++)
        if (strcmp(device->multipliers.registers.item[i], stage) == 0) return true;
    return false;
}

bool weir_device_absorbs(const weir_device *device, const char *cell) {
    const weir_device_memory *block = weir_device_block(device);
    if (device->family != WEIR_DEVICE_ECP5) return false;
    if (device->multipliers.cell != NULL && strcmp(device->multipliers.cell, cell) == 0)
        return device->multipliers.registers.count > 0;
    return block != NULL && block->output_register && strcmp(block->cell, cell) == 0;
}

bool weir_device_multiplier_takes_output(const weir_device *device) {
    return device->multipliers.absorbs_output ||
           (device->multipliers.cell != NULL && weir_device_absorbs(device, device->multipliers.cell) &&
            weir_device_multiplier_has(device, "output"));
}

bool weir_device_multiplier_takes_operands(const weir_device *device) {
    return device->multipliers.cell != NULL && weir_device_absorbs(device, device->multipliers.cell) &&
           weir_device_multiplier_has(device, "input");
}

bool weir_device_shifts(const weir_device *device, int64_t registers) {
    return device->family == WEIR_DEVICE_XILINX7 && registers >= 3;
}

bool weir_device_memory_takes_output(const weir_device *device) {
    const weir_device_memory *block = weir_device_block(device);
    return block != NULL && weir_device_absorbs(device, block->cell);
}

/* --- printing --- */

static void add_shapes(const weir_device_shapes *shapes, weir_text *text) {
    for (size_t i = 0; i < shapes->count; i++)
        weir_text_format(text, "%s%lldx%lld", i == 0 ? "" : ", ", (long long)shapes->item[i].x,
                         (long long)shapes->item[i].y);
}

static void add_words(const weir_schema_strings *list, const char *between, weir_text *text) {
    for (size_t i = 0; i < list->count; i++) weir_text_format(text, "%s%s", i == 0 ? "" : between, list->item[i]);
}

void weir_device_print_list(weir_device *const *devices, size_t count, weir_text *text) {
    static const char *const headers[] = {"device",      "family",        "LUTs",       "inputs", "flip-flops",
                                          "multipliers", "memory blocks", "block bits", "what"};
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (size_t i = 0; i < count; i++) {
        const weir_device *d = devices[i];
        const weir_device_memory *block = weir_device_block(d);
        weir_table_add(table, d->name);
        weir_table_add(table, families[d->family]);
        weir_table_format(table, "%lld", (long long)d->luts.count);
        weir_table_format(table, "%lld", (long long)d->luts.inputs);
        weir_table_format(table, "%lld", (long long)d->flip_flops);
        weir_table_format(table, "%lld", (long long)d->multipliers.count);
        weir_table_format(table, "%lld", block == NULL ? 0 : (long long)block->count);
        weir_table_format(table, "%lld", block == NULL ? 0 : (long long)block->bits);
        weir_table_add(table, d->title);
    }
    weir_table_print(table, WEIR_TABLE_PLAIN, text);
    weir_table_free(table);
}

void weir_device_print(const weir_device *d, weir_text *text) {
    assert((size_t)d->family < WEIR_DEVICE_FAMILIES);
    weir_text_format(text, "%s: %s\n", d->name, d->title);
    weir_text_format(text, "  family        %s\n", families[d->family]);
    weir_text_format(text, "  logic         %lld lookup tables of %lld inputs, %lld flip-flops%s\n",
                     (long long)d->luts.count, (long long)d->luts.inputs, (long long)d->flip_flops,
                     d->logic_cell == WEIR_DEVICE_SHARED ? " in the same cells" : "");
    if (weir_device_luts(d) < d->luts.count)
        weir_text_format(text, "                of the lookup tables %lld can be placed, carry chains included\n",
                         (long long)weir_device_luts(d));
    if (d->multipliers.count > 0) {
        weir_text_format(text, "  multipliers   %lld %s: ", (long long)d->multipliers.count, d->multipliers.cell);
        add_shapes(&d->multipliers.shapes, text);
        weir_text_format(text, "; accumulator of %lld bits; registers: ", (long long)d->multipliers.accumulator);
        add_words(&d->multipliers.registers, ", ", text);
        weir_text_add(text, d->multipliers.not_inferred ? "; Yosys does not use them\n" : "\n");
    }
    for (size_t i = 0; i < d->memories.count; i++) {
        const weir_device_memory *m = &d->memories.item[i];
        weir_text_format(text, "  memory        %lld %s of %lld bits: ", (long long)m->count, m->cell,
                         (long long)m->bits);
        add_shapes(&m->shapes, text);
        weir_text_format(text, "%s%s%s\n", m->initialized ? "" : "; without initial contents",
                         m->output_register ? "; output register" : "", m->dual_port ? "; two read ports" : "");
    }
    if (d->distributed_ram.kbits > 0)
        weir_text_format(text, "  in logic      %lld kbit of %s, %lldx%lld in %lld lookup tables\n",
                         (long long)d->distributed_ram.kbits, d->distributed_ram.cell,
                         (long long)d->distributed_ram.shape.x, (long long)d->distributed_ram.shape.y,
                         (long long)d->distributed_ram.luts);
    weir_text_format(text, "  clocks        %lld networks, %lld PLLs", (long long)d->clocks.networks,
                     (long long)d->clocks.plls);
    if (d->clocks.oscillator_mhz > 0)
        weir_text_format(text, ", an oscillator of %lld MHz", (long long)d->clocks.oscillator_mhz);
    if (d->clocks.goal_mhz > 0)
        weir_text_format(text, "; hardware is built for %lld MHz", (long long)d->clocks.goal_mhz);
    weir_text_format(text, "\n  synthesis     %s ", d->yosys.command);
    add_words(&d->yosys.options, " ", text);
    if (d->nextpnr.program != NULL) {
        weir_text_format(text, "\n  placement     %s ", d->nextpnr.program);
        add_words(&d->nextpnr.options, " ", text);
    }
    weir_text_char(text, '\n');
    for (size_t i = 0; i < d->notes.count; i++) weir_text_format(text, "  note          %s\n", d->notes.item[i]);
    weir_text_format(text, "  profile       %s\n", d->path);
}

/* --- JSON --- */

static json_t *json_of_shapes(const weir_device_shapes *shapes) {
    json_t *list = json_array();
    for (size_t i = 0; i < shapes->count; i++)
        json_array_append_new(list,
                              json_sprintf("%lldx%lld", (long long)shapes->item[i].x, (long long)shapes->item[i].y));
    return list;
}

json_t *weir_device_json(const weir_device *d) {
    json_t *memories = json_array();
    for (size_t i = 0; i < d->memories.count; i++) {
        const weir_device_memory *m = &d->memories.item[i];
        json_array_append_new(memories, json_pack("{s:s, s:s, s:I, s:I, s:o, s:b, s:b, s:b}", "cell", m->cell, "kind",
                                                  m->kind == WEIR_DEVICE_BLOCK ? "block" : "large", "count",
                                                  (json_int_t)m->count, "bits", (json_int_t)m->bits, "shapes",
                                                  json_of_shapes(&m->shapes), "initialized", m->initialized,
                                                  "output_register", m->output_register, "dual_port", m->dual_port));
    }
    json_t *multipliers = json_pack("{s:s?, s:I, s:o, s:I, s:o, s:b}", "cell", d->multipliers.cell, "count",
                                    (json_int_t)d->multipliers.count, "shapes", json_of_shapes(&d->multipliers.shapes),
                                    "accumulator", (json_int_t)d->multipliers.accumulator, "registers",
                                    weir_schema_json_strings(&d->multipliers.registers), "inferred",
                                    d->multipliers.count > 0 && !d->multipliers.not_inferred);
    return json_pack("{s:s, s:s, s:s, s:{s:I, s:I, s:I}, s:I, s:o, s:o, s:{s:I}, s:I, s:o}", "name", d->name, "title",
                     d->title, "family", families[d->family], "luts", "count", (json_int_t)d->luts.count, "inputs",
                     (json_int_t)d->luts.inputs, "placeable", (json_int_t)weir_device_luts(d), "flip_flops",
                     (json_int_t)d->flip_flops, "multipliers", multipliers, "memories", memories, "distributed_ram",
                     "kbits", (json_int_t)d->distributed_ram.kbits, "goal_mhz", (json_int_t)d->clocks.goal_mhz, "notes",
                     weir_schema_json_strings(&d->notes));
}

int64_t weir_device_luts(const weir_device *d) {
    assert(d->luts.placeable >= 0 && d->luts.placeable <= 100);
    return d->luts.placeable > 0 ? d->luts.count * d->luts.placeable / 100 : d->luts.count;
}

/* --- memories --- */

/* In multiplexers of two bits, what Yosys takes a block for (cost in its brams.txt, of twice a multiplexer's). */
static int64_t worth_of(const weir_device_memory *block) {
    enum { SMALL_BITS = 4096, SMALL = 128, LARGE = 256 };
    return block->bits <= SMALL_BITS ? SMALL : LARGE;
}

/* As Yosys's memory_libmap: words of rows stand side by side in blocks, of the shape for which blocks and the
 * multiplexers that choose a row cost least; of the shapes with words of at most `most` bits. */
static int64_t blocks_of(const weir_device_memory *block, int64_t most, int64_t width, int64_t depth, int64_t *rows) {
    int64_t least = INT64_MAX, chosen = 0;
    *rows = 1;
    for (size_t i = 0; block != NULL && i < block->shapes.count; i++) {
        const weir_device_shape shape = block->shapes.item[i];
        if (shape.y > most) continue;
        const int64_t high = weir_ceil_divide(depth, shape.x), blocks = weir_ceil_divide(high * width, shape.y);
        const int64_t cost = blocks * worth_of(block) + (high - 1) * width;
        if (cost > least) continue;
        least = cost;
        chosen = blocks;
        *rows = high;
    }
    return chosen;
}

int64_t weir_device_blocks(const weir_device *device, int64_t width, int64_t depth, int64_t *rows) {
    return blocks_of(weir_device_block(device), INT64_MAX, width, depth, rows);
}

int64_t weir_device_dual_port_blocks(const weir_device *device, int64_t width, int64_t depth) {
    const weir_device_memory *block = weir_device_block(device);
    if (block == NULL || !block->dual_port) return 0;
    int64_t rows, widest = 0;
    for (size_t i = 0; i < block->shapes.count; i++)
        if (block->shapes.item[i].y > widest) widest = block->shapes.item[i].y;
    const int64_t blocks = blocks_of(block, widest / 2, width, depth, &rows);
    return rows > 1 ? 0 : blocks;
}

/* Wider lines than these take longer to choose from than a row of blocks. */
enum { WORDS_MOST = 32 };

int64_t weir_device_words_a_line(const weir_device *device, int64_t width, int64_t depth) {
    assert(width >= 1 && depth >= 1);
    int64_t rows, least = weir_device_blocks(device, width, depth, &rows), chosen = 1;
    for (int64_t words = 2; rows > 1 && words <= WORDS_MOST && words < depth; words++) {
        int64_t lines;
        const int64_t blocks = weir_device_blocks(device, words * width, weir_ceil_divide(depth, words), &lines);
        if (lines > 1 || (chosen > 1 && blocks >= least)) continue;
        chosen = words;
        least = blocks;
    }
    return chosen;
}
