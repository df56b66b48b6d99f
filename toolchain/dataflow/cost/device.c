#include "dataflow/cost/device.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/schedule/stream.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/suggest.h"
#include "support/text/table.h"
#include "support/text/yaml.h"

static const char *const families[] = {"ice40", "ecp5", "gowin", "xilinx7", NULL};
static const char *const memory_kinds[] = {"block", "large", NULL};
static const char *const logic_cells[] = {"separate", "shared", NULL};
static const char *const register_names[] = {"input", "pipeline", "output", NULL};

/* --- the schema --- */

typedef enum field_kind {
    STRING,
    STRINGS,
    COUNT,
    FLAG,
    INVERSE_FLAG,
    WORD,
    SHAPE,
    SHAPES,
    RECORD,
    MEMORIES
} field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    bool required;
    size_t at;                  /* offset in the record */
    const char *const *words;   /* WORD: those that it may be; STRINGS: the same, unless NULL */
    const struct field *fields; /* RECORD and MEMORIES; a NULL name ends them */
} field;

#define IN(member) offsetof(weir_device, member)
#define OF(member) offsetof(weir_device_memory, member)
static const field yosys_fields[] = {{"command", STRING, true, IN(yosys.command), NULL, NULL},
                                     {"options", STRINGS, false, IN(yosys.options), NULL, NULL},
                                     {.name = NULL}};
static const field nextpnr_fields[] = {{"program", STRING, true, IN(nextpnr.program), NULL, NULL},
                                       {"options", STRINGS, false, IN(nextpnr.options), NULL, NULL},
                                       {"pins", STRINGS, false, IN(nextpnr.pins), NULL, NULL},
                                       {.name = NULL}};
static const field lut_fields[] = {{"count", COUNT, true, IN(luts.count), NULL, NULL},
                                   {"inputs", COUNT, true, IN(luts.inputs), NULL, NULL},
                                   {"joined", COUNT, false, IN(luts.joined), NULL, NULL},
                                   {"placeable", COUNT, false, IN(luts.placeable), NULL, NULL},
                                   {.name = NULL}};
static const field multiplier_fields[] = {
    {"cell", STRING, true, IN(multipliers.cell), NULL, NULL},
    {"count", COUNT, true, IN(multipliers.count), NULL, NULL},
    {"shapes", SHAPES, true, IN(multipliers.shapes), NULL, NULL},
    {"smallest_product", COUNT, false, IN(multipliers.smallest_product), NULL, NULL},
    {"accumulator", COUNT, false, IN(multipliers.accumulator), NULL, NULL},
    {"registers", STRINGS, false, IN(multipliers.registers), register_names, NULL},
    {"absorbs_output", FLAG, false, IN(multipliers.absorbs_output), NULL, NULL},
    {"inferred", INVERSE_FLAG, false, IN(multipliers.not_inferred), NULL, NULL},
    {.name = NULL}};
static const field memory_fields[] = {{"cell", STRING, true, OF(cell), NULL, NULL},
                                      {"kind", WORD, true, OF(kind), memory_kinds, NULL},
                                      {"count", COUNT, true, OF(count), NULL, NULL},
                                      {"bits", COUNT, true, OF(bits), NULL, NULL},
                                      {"shapes", SHAPES, true, OF(shapes), NULL, NULL},
                                      {"initialized", FLAG, true, OF(initialized), NULL, NULL},
                                      {"output_register", FLAG, true, OF(output_register), NULL, NULL},
                                      {"dual_port", FLAG, false, OF(dual_port), NULL, NULL},
                                      {.name = NULL}};
static const field distributed_fields[] = {{"cell", STRING, true, IN(distributed_ram.cell), NULL, NULL},
                                           {"kbits", COUNT, true, IN(distributed_ram.kbits), NULL, NULL},
                                           {"shape", SHAPE, true, IN(distributed_ram.shape), NULL, NULL},
                                           {"luts", COUNT, true, IN(distributed_ram.luts), NULL, NULL},
                                           {.name = NULL}};
static const field clock_fields[] = {{"networks", COUNT, true, IN(clocks.networks), NULL, NULL},
                                     {"plls", COUNT, false, IN(clocks.plls), NULL, NULL},
                                     {"goal_mhz", COUNT, false, IN(clocks.goal_mhz), NULL, NULL},
                                     {"oscillator_mhz", COUNT, false, IN(clocks.oscillator_mhz), NULL, NULL},
                                     {.name = NULL}};
static const field delay_fields[] = {{"flip_flop", COUNT, true, IN(delays.flip_flop), NULL, NULL},
                                     {"memory", COUNT, true, IN(delays.memory), NULL, NULL},
                                     {"multiplier", COUNT, false, IN(delays.multiplier), NULL, NULL},
                                     {"lut", COUNT, true, IN(delays.lut), NULL, NULL},
                                     {"chain", COUNT, true, IN(delays.chain), NULL, NULL},
                                     {"carry", COUNT, true, IN(delays.carry), NULL, NULL},
                                     {"fanout", COUNT, true, IN(delays.fanout), NULL, NULL},
                                     {"kept", COUNT, false, IN(delays.kept), NULL, NULL},
                                     {"doubling", COUNT, false, IN(delays.doubling), NULL, NULL},
                                     {.name = NULL}};
/* Fields of records inside count from the start of the device, those of a list from the start of its item. */
static const field device_fields[] = {{"name", STRING, true, IN(name), NULL, NULL},
                                      {"title", STRING, true, IN(title), NULL, NULL},
                                      {"family", WORD, true, IN(family), families, NULL},
                                      {"yosys", RECORD, true, 0, NULL, yosys_fields},
                                      {"nextpnr", RECORD, false, 0, NULL, nextpnr_fields},
                                      {"luts", RECORD, true, 0, NULL, lut_fields},
                                      {"flip_flops", COUNT, true, IN(flip_flops), NULL, NULL},
                                      {"logic_cell", WORD, false, IN(logic_cell), logic_cells, NULL},
                                      {"multipliers", RECORD, false, 0, NULL, multiplier_fields},
                                      {"memories", MEMORIES, false, IN(memories), NULL, memory_fields},
                                      {"distributed_ram", RECORD, false, 0, NULL, distributed_fields},
                                      {"clocks", RECORD, false, 0, NULL, clock_fields},
                                      {"delays", RECORD, false, 0, NULL, delay_fields},
                                      {"notes", STRINGS, false, IN(notes), NULL, NULL},
                                      {.name = NULL}};

/* --- reading --- */

/* The profile with the memory of all that it points to. */
typedef struct holder {
    weir_device device;
    weir_arena *arena;
} holder;

static bool expected(const weir_yaml *yaml, const field *f, const char *what) {
    if (yaml->kind == WEIR_YAML_SCALAR) {
        weir_error(yaml->location, "%s: expected %s, found '%.60s'", f->name, what, yaml->text);
    } else {
        weir_error(yaml->location, "%s: expected %s, found a %s", f->name, what,
                   yaml->kind == WEIR_YAML_MAPPING ? "mapping" : "sequence");
    }
    return false;
}

static bool read_string(holder *h, const weir_yaml *yaml, const field *f, const char **into) {
    if (yaml->kind != WEIR_YAML_SCALAR || *yaml->text == '\0') return expected(yaml, f, "text");
    *into = weir_arena_copy_string(h->arena, yaml->text);
    return true;
}

static bool read_word(const weir_yaml *yaml, const field *f, int64_t *into) {
    if (yaml->kind != WEIR_YAML_SCALAR) return expected(yaml, f, "a word");
    for (*into = 0; f->words[*into] != NULL; ++*into) {
        if (strcmp(f->words[*into], yaml->text) == 0) return true;
    }
    weir_error(yaml->location, "%s: unknown word '%s'", f->name, yaml->text);
    weir_suggest_note(yaml->text, f->words);
    return false;
}

static bool read_strings(holder *h, const weir_yaml *yaml, const field *f, weir_device_list *into) {
    if (yaml->kind != WEIR_YAML_SEQUENCE) return expected(yaml, f, "a sequence of strings");
    into->item = weir_arena_array(h->arena, yaml->count, sizeof *into->item);
    bool fine = true;
    for (size_t i = 0; i < yaml->count; i++) {
        int64_t ignored;
        fine = read_string(h, yaml->item[i], f, &into->item[i]) && fine;
        if (fine && f->words != NULL) fine = read_word(yaml->item[i], f, &ignored);
    }
    into->count = yaml->count;
    return fine;
}

/* Digits of a number up to 2^31 - 1, at least 1. */
static bool read_number(const char **at, int64_t *into) {
    *into = 0;
    const char *start = *at;
    for (; **at >= '0' && **at <= '9' && *into <= INT32_MAX; ++*at) *into = *into * 10 + (**at - '0');
    return *at != start && *into >= 1 && *into <= INT32_MAX;
}

static bool read_shape(const weir_yaml *yaml, const field *f, weir_device_shape *into) {
    static const char what[] = "a shape as '256x16'";
    if (yaml->kind != WEIR_YAML_SCALAR) return expected(yaml, f, what);
    const char *at = yaml->text;
    if (read_number(&at, &into->x) && *at == 'x' && (at++, read_number(&at, &into->y)) && *at == '\0') return true;
    return expected(yaml, f, what);
}

static bool read_shapes(holder *h, const weir_yaml *yaml, const field *f, weir_device_shapes *into) {
    if (yaml->kind != WEIR_YAML_SEQUENCE || yaml->count == 0) return expected(yaml, f, "a sequence of shapes");
    into->item = weir_arena_array(h->arena, yaml->count, sizeof *into->item);
    into->count = yaml->count;
    bool fine = true;
    for (size_t i = 0; i < yaml->count; i++) fine = read_shape(yaml->item[i], f, &into->item[i]) && fine;
    return fine;
}

static bool read_record(holder *h, const weir_yaml *yaml, const char *what, const field *fields, void *into);

static bool read_memories(holder *h, const weir_yaml *yaml, const field *f, weir_device_memories *list) {
    if (yaml->kind != WEIR_YAML_SEQUENCE) return expected(yaml, f, "a sequence of mappings");
    list->item = weir_arena_array(h->arena, yaml->count, sizeof *list->item);
    list->count = yaml->count;
    bool fine = true;
    for (size_t i = 0; i < yaml->count; i++)
        fine = read_record(h, yaml->item[i], f->name, f->fields, &list->item[i]) && fine;
    return fine;
}

static bool read_field(holder *h, const weir_yaml *yaml, const field *f, char *record) {
    void *into = record + f->at;
    switch (f->kind) {
    case STRING: return read_string(h, yaml, f, into);
    case STRINGS: return read_strings(h, yaml, f, into);
    case COUNT:
        return (yaml->kind == WEIR_YAML_SCALAR || expected(yaml, f, "a whole number")) &&
               weir_yaml_int(yaml, 0, INT32_MAX, into);
    case FLAG: return weir_yaml_bool(yaml, into);
    case INVERSE_FLAG: {
        bool fine = weir_yaml_bool(yaml, into);
        *(bool *)into = !*(bool *)into;
        return fine;
    }
    case WORD: return read_word(yaml, f, into);
    case SHAPE: return read_shape(yaml, f, into);
    case SHAPES: return read_shapes(h, yaml, f, into);
    case RECORD: return read_record(h, yaml, f->name, f->fields, record);
    case MEMORIES: return read_memories(h, yaml, f, into);
    }
    return false;
}

static const field *find_field(const field *fields, const char *name) {
    while (fields->name != NULL && strcmp(fields->name, name) != 0) fields++;
    return fields->name == NULL ? NULL : fields;
}

static void unknown_key(const weir_yaml *yaml, size_t index, const char *what, const field *fields) {
    const char *names[32] = {NULL};
    for (size_t i = 0; fields[i].name != NULL; i++) names[i] = fields[i].name;
    weir_error(yaml->key_location[index], "%s: unknown key '%s'", what, yaml->key[index]);
    weir_suggest_note(yaml->key[index], names);
}

static bool read_record(holder *h, const weir_yaml *yaml, const char *what, const field *fields, void *into) {
    if (yaml->kind != WEIR_YAML_MAPPING) {
        weir_error(yaml->location, "%s: expected a mapping", what);
        return false;
    }
    bool fine = true;
    for (size_t i = 0; i < yaml->count; i++) {
        const field *f = find_field(fields, yaml->key[i]);
        if (f == NULL) unknown_key(yaml, i, what, fields);
        fine = f != NULL && read_field(h, yaml->item[i], f, into) && fine;
    }
    for (const field *f = fields; f->name != NULL; f++) {
        if (!f->required || weir_yaml_find(yaml, f->name) != NULL) continue;
        weir_error(yaml->location, "%s: '%s' is missing", what, f->name);
        fine = false;
    }
    return fine;
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
        weir_error(weir_yaml_find(root, "luts")->location,
                   "luts: expected joined ones of at least %lld inputs, found %lld", (long long)device->luts.inputs,
                   (long long)device->luts.joined);
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
    bool fine = read_record(h, root, "device", device_fields, &h->device) && check(root, &h->device);
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

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static char *devices_folder(void) {
    char *data = weir_data_folder(), *folder = data == NULL ? NULL : weir_path_join(data, "boards/devices");
    free(data);
    return folder;
}

char **weir_device_names(size_t *count) {
    char *path = devices_folder();
    DIR *folder = path == NULL ? NULL : opendir(path);
    if (path != NULL && folder == NULL) weir_error(weir_at(path, 0), "cannot read the device profiles");
    char **found = NULL;
    size_t bytes = 0, capacity = 0;
    *count = 0;
    for (const struct dirent *e = folder == NULL ? NULL : readdir(folder); e != NULL; e = readdir(folder)) {
        const size_t size = strlen(e->d_name);
        if (size <= 5 || strcmp(e->d_name + size - 5, ".yaml") != 0) continue;
        found = weir_grow(found, &capacity, *count + 1, sizeof *found);
        found[(*count)++] = weir_format("%.*s", (int)size - 5, e->d_name);
        bytes += size;
    }
    if (folder != NULL) closedir(folder);
    free(path);
    if (folder == NULL) return NULL;
    if (*count > 0) qsort(found, *count, sizeof *found, by_name);
    char **names = weir_malloc(*count * sizeof *names + bytes + 1), *at = (char *)(names + *count);
    for (size_t i = 0; i < *count; i++) {
        names[i] = strcpy(at, found[i]);
        at += strlen(at) + 1;
        free(found[i]);
    }
    free(found);
    return names;
}

static bool is_path(const char *name) {
    const size_t size = strlen(name);
    return strchr(name, '/') != NULL || (size > 5 && strcmp(name + size - 5, ".yaml") == 0);
}

weir_device *weir_device_read(const char *name, int *status) {
    *status = WEIR_EXIT_INPUT;
    if (is_path(name)) return read_file(name);
    size_t count;
    char **names = weir_device_names(&count);
    if (names == NULL) return NULL;
    weir_device *device = NULL;
    if (count > 0 && bsearch(&name, names, count, sizeof *names, by_name) != NULL) {
        char *folder = devices_folder(), *path = weir_format("%s/%s.yaml", folder, name);
        device = read_file(path);
        free(path);
        free(folder);
    } else {
        const char *near = weir_suggest(name, (const char *const *)names, count);
        *status = WEIR_EXIT_USAGE;
        weir_error(WEIR_NOWHERE, "unknown device '%s'", name);
        if (near != NULL) weir_note("did you mean '%s'?", near);
        else weir_note("'weir devices' lists those known; a path to a profile of your own works too");
    }
    free(names);
    return device;
}

const char *weir_device_family_name(weir_device_family family) { return families[family]; }

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

static void add_words(const weir_device_list *list, const char *between, weir_text *text) {
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

static json_t *json_of_words(const weir_device_list *words) {
    json_t *list = json_array();
    for (size_t i = 0; i < words->count; i++) json_array_append_new(list, json_string(words->item[i]));
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
    json_t *multipliers =
        json_pack("{s:s?, s:I, s:o, s:I, s:o, s:b}", "cell", d->multipliers.cell, "count",
                  (json_int_t)d->multipliers.count, "shapes", json_of_shapes(&d->multipliers.shapes), "accumulator",
                  (json_int_t)d->multipliers.accumulator, "registers", json_of_words(&d->multipliers.registers),
                  "inferred", d->multipliers.count > 0 && !d->multipliers.not_inferred);
    return json_pack("{s:s, s:s, s:s, s:{s:I, s:I, s:I}, s:I, s:o, s:o, s:{s:I}, s:I, s:o}", "device", d->name, "title",
                     d->title, "family", families[d->family], "luts", "count", (json_int_t)d->luts.count, "inputs",
                     (json_int_t)d->luts.inputs, "placeable", (json_int_t)weir_device_luts(d), "flip_flops",
                     (json_int_t)d->flip_flops, "multipliers", multipliers, "memories", memories, "distributed_ram",
                     "kbits", (json_int_t)d->distributed_ram.kbits, "goal_mhz", (json_int_t)d->clocks.goal_mhz, "notes",
                     json_of_words(&d->notes));
}

int64_t weir_device_luts(const weir_device *d) {
    return d->luts.placeable > 0 ? d->luts.count * d->luts.placeable / 100 : d->luts.count;
}

/* --- memories --- */

/* In multiplexers of two bits, what Yosys takes a block for (cost in its brams.txt, of twice a multiplexer's). */
static int64_t worth_of(const weir_device_memory *block) {
    enum { SMALL_BITS = 4096, SMALL = 128, LARGE = 256 };
    return block->bits <= SMALL_BITS ? SMALL : LARGE;
}

/* As Yosys's memory_libmap: words of rows stand side by side in blocks, of the shape for which blocks and the multiplexers that
 * choose a row cost least; of the shapes with words of at most `most` bits. */
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
