/* Two runs for a netlist: synthesis to JSON; then, after what netlist.h does to that, the same netlist as Verilog for
 * simulation. ABC inside Yosys and the programs of YoWASP see little more than the folder they run in: everything is
 * read and written there. */
#include "synth/yosys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cache.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "synth/netlist/family.h"

/* Changes when the same sources shall give another netlist. */
#define FORM "5"

/* --- running --- */

/* The synthesis command of the device for a top module: "synth_ice40 -device u -dsp -top X". */
static char *synthesis(const weir_device *device, bool pads, const char *top) {
    const char *no_pads = weir_synth_family_of(device)->no_pads;
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, device->yosys.command);
    for (size_t i = 0; i < device->yosys.options.count; i++)
        weir_text_format(&text, " %s", device->yosys.options.item[i]);
    if (!pads && no_pads != NULL) weir_text_format(&text, " %s", no_pads);
    weir_text_format(&text, " -top %s", top);
    return text.data;
}

/* The family's own map, and cells that Yosys may not know, as files of the folder that Yosys runs in. No '.v': they are
 * no sources. */
#define MAP "family.map"
#define UNKNOWN "family.cells"

/* The same in two halves, between which the design is kept for its proof; the family's own map, if there is one, leaves
 * the first command behind `map_gates` nothing to do. */
static char *synthesis_in_halves(const weir_synth_request *request) {
    const weir_synth_family *family = weir_synth_family_of(request->device);
    const char *late = family->unmapped == NULL ? "" : family->unmapped;
    char *command = synthesis(request->device, request->pads, request->top);
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "%s -run :map_gates; write_rtlil " WEIR_SYNTH_UNMAPPED "; %s%s -run map_gates:%s", command,
                     family->map != NULL ? "techmap -map +/techmap.v -map " MAP "; " : "", command, late);
    if (family->unmapped != NULL) weir_text_format(&text, "; simplemap; %s -run %s:", command, late);
    free(command);
    return text.data;
}

bool weir_yosys_run(const weir_program *yosys, const char *folder, const char *log, const char *script) {
    weir_arguments arguments = {0};
    weir_arguments_add(&arguments, "%s", yosys->name);
    weir_arguments_add(&arguments, "-q");
    weir_arguments_add(&arguments, "-l");
    weir_arguments_add(&arguments, "%s", log);
    weir_arguments_add(&arguments, "-p");
    weir_arguments_add(&arguments, "%s", script);
    const weir_tool_end end = weir_tool_wait(&arguments, folder, yosys->seconds, "synthesis, seconds", NULL);
    if (end == WEIR_TOOL_LATE) {
        char *late = weir_tool_late(yosys->name, yosys->seconds);
        weir_error(WEIR_NOWHERE, "%s", late);
        weir_note("--timeout SECONDS allows more; a slower folding is synthesized in less time");
        free(late);
    }
    weir_arguments_free(&arguments);
    return end == WEIR_TOOL_FINE;
}

/* NULL after a reported error: a tool that wrote half a file did not notice that the disk is full. */
static json_t *load(const char *path) {
    json_error_t error;
    size_t size = 0;
    char *text = weir_file_read(path, &size);
    json_t *value = text == NULL ? NULL : json_loadb(text, size, 0, &error);
    if (text != NULL && value == NULL) {
        weir_error(weir_at(path, error.line), "a tool wrote only part of it: %s", error.text);
        weir_note("is the disk full?");
    }
    free(text);
    return value;
}

static bool save(const char *path, const json_t *value) {
    char *text = json_dumps(value, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    bool fine = text != NULL && weir_file_write(path, text, strlen(text));
    free(text);
    return fine;
}

/* --- the design --- */

typedef struct making {
    const weir_synth_request *request;
    const char *rtl; /* where the sources are, and Yosys runs */
} making;

static bool move(const char *from_folder, const char *to_folder, const char *name) {
    char *from = weir_path_join(from_folder, name), *to = weir_path_join(to_folder, name);
    bool fine = weir_file_copy(from, to);
    remove(from);
    free(from);
    free(to);
    return fine;
}

/* Absorbs, and has what it comes to written in Verilog. Nets are split into bits: Icarus simulates vectors whose bits
 * have many drivers three times slower, and stops at second names of nets, of which it makes assignments. */
static bool finish_netlist(const making *m, const char *folder) {
    char *path = weir_path_join(folder, "netlist.json"), *counts = weir_path_join(folder, "absorbed.json");
    char *mapped = weir_path_join(folder, WEIR_SYNTH_MAPPED);
    json_t *netlist = load(mapped);
    weir_netlist_absorbed absorbed = {0};
    const weir_synth_family *family = weir_synth_family_of(m->request->device);
    weir_netlist_drop_scopes(netlist);
    if (netlist != NULL && family->mend != NULL) family->mend(netlist);
    bool fine = netlist != NULL && weir_netlist_absorb(netlist, m->request->device, &absorbed) && save(path, netlist);
    json_t *count = json_pack("{s:I, s:I}", "multiplier_bits", (json_int_t)absorbed.multiplier_bits, "memory_bits",
                              (json_int_t)absorbed.memory_bits);
    fine = fine && save(counts, count);
    fine = fine && weir_yosys_run(m->request->yosys, folder, "verilog.log",
                                  "read_json netlist.json; opt_clean; splitnets; write_verilog -noattr netlist.v");
    json_decref(count);
    json_decref(netlist);
    free(mapped);
    free(path);
    free(counts);
    return fine;
}

/* Where a file of boards/cells is; NULL of NULL. Heap memory. */
static char *cells_path(const char *file) {
    char *data = file == NULL ? NULL : weir_data_folder();
    char *path = data == NULL ? NULL : weir_format("%s/boards/cells/%s", data, file);
    free(data);
    return path;
}

static bool copy_cells(const making *m, const char *file, const char *name) {
    char *from = cells_path(file), *to = weir_path_join(m->rtl, name);
    const bool fine = from == NULL || weir_file_copy(from, to);
    free(from);
    free(to);
    return fine;
}

/* The family's files are no part of what the next run is named after. */
static void remove_cells(const making *m, const char *name) {
    char *path = weir_path_join(m->rtl, name);
    remove(path);
    free(path);
}

/* Are kept modules flattened, too? Yosys would put pads around each of them. */
static bool is_flat(const weir_synth_request *request) {
    const weir_synth_family *family = weir_synth_family_of(request->device);
    return family->flat || (request->pads && family->no_pads != NULL);
}

static bool make_netlist(void *user, const char *folder) {
    const making *m = user;
    const weir_synth_family *family = weir_synth_family_of(m->request->device);
    char *command = synthesis_in_halves(m->request);
    char *flatten = weir_format("hierarchy -top %s; setattr -mod -unset keep_hierarchy *; ", m->request->top);
    char *script = weir_format("%sread_verilog *.v; %s%s; check -assert; autoname; write_json " WEIR_SYNTH_MAPPED,
                               family->unknown == NULL ? "" : "read_verilog -lib " UNKNOWN "; ",
                               is_flat(m->request) ? flatten : "", command);
    bool fine = copy_cells(m, family->map, MAP) && copy_cells(m, family->unknown, UNKNOWN) &&
                weir_yosys_run(m->request->yosys, m->rtl, "yosys.log", script);
    remove_cells(m, MAP);
    remove_cells(m, UNKNOWN);
    fine = fine && move(m->rtl, folder, WEIR_SYNTH_UNMAPPED) && move(m->rtl, folder, WEIR_SYNTH_MAPPED) &&
           move(m->rtl, folder, "yosys.log");
    fine = fine && finish_netlist(m, folder);
    free(command);
    free(flatten);
    free(script);
    return fine;
}

static void hash_list(weir_hash *hash, const weir_schema_strings *list) {
    for (size_t i = 0; i < list->count; i++) weir_hash_add_string(hash, list->item[i]);
    weir_hash_add_number(hash, list->count);
}

static void hash_cells(weir_hash *hash, const char *file) {
    char *path = cells_path(file);
    size_t size = 0;
    char *text = path == NULL ? NULL : weir_file_read_quietly(path, &size);
    if (text != NULL) weir_hash_add_string(hash, text);
    free(text);
    free(path);
}

static weir_hash hash_tool(const weir_program *yosys, const weir_device *device) {
    const weir_synth_family *family = weir_synth_family_of(device);
    weir_hash hash = weir_hash_start();
    weir_hash_add_string(&hash, FORM);
    if (family->mend != NULL) weir_hash_add_string(&hash, family->mended);
    if (family->unmapped != NULL) weir_hash_add_string(&hash, family->unmapped);
    hash_cells(&hash, family->map);
    hash_cells(&hash, family->unknown);
    weir_hash_add_string(&hash, yosys->name);
    weir_hash_add_string(&hash, yosys->version);
    weir_hash_add_string(&hash, device->yosys.command);
    hash_list(&hash, &device->yosys.options);
    hash_list(&hash, &device->multipliers.registers); /* what may be absorbed */
    for (size_t i = 0; i < device->memories.count; i++)
        weir_hash_add_number(&hash, device->memories.item[i].output_register);
    return hash;
}

static char *entry_name(const char *kind, weir_hash hash) {
    char digits[33];
    weir_hash_print(&hash, digits);
    return weir_format("%s-%s", kind, digits);
}

static bool read_counts(weir_synth_netlist *netlist) {
    char *path = weir_path_join(netlist->folder, "absorbed.json");
    json_t *counts = load(path);
    netlist->absorbed.multiplier_bits = json_integer_value(json_object_get(counts, "multiplier_bits"));
    netlist->absorbed.memory_bits = json_integer_value(json_object_get(counts, "memory_bits"));
    json_decref(counts);
    free(path);
    return counts != NULL;
}

static int read_netlist(weir_synth_netlist *netlist) {
    char *path = weir_path_join(netlist->folder, "netlist.json");
    netlist->json = load(path);
    bool fine = netlist->json != NULL && read_counts(netlist);
    if (fine && json_object_get(json_object_get(netlist->json, "modules"), netlist->top) == NULL) {
        weir_error(weir_at(path, 0), "the netlist has no module '%s'", netlist->top);
        fine = false;
    }
    free(path);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_TOOL;
}

int weir_yosys_netlist(const weir_synth_request *request, weir_synth_netlist *netlist) {
    char *rtl = weir_path_join(request->folder, "rtl");
    making m = {request, rtl};
    *netlist = (weir_synth_netlist){
        .held = -1, .key = hash_tool(request->yosys, request->device), .top = weir_copy_string(request->top)};
    weir_hash_add_string(&netlist->key, request->top);
    if (request->pads) weir_hash_add_string(&netlist->key, is_flat(request) ? "pads, flat" : "pads");
    int status = weir_tree_hash(rtl, &netlist->key) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE) {
        char *name = entry_name("yosys-netlist", netlist->key);
        bool made = false;
        netlist->folder = weir_cache_entry(request->cache, name, true, make_netlist, &m, &netlist->held, &made);
        netlist->cached = !made;
        free(name);
        status = netlist->folder == NULL ? WEIR_EXIT_TOOL : read_netlist(netlist);
    }
    free(rtl);
    return status;
}

size_t weir_synth_netlist_cells(const weir_synth_netlist *netlist) {
    const json_t *modules = json_object_get(netlist->json, "modules");
    return json_object_size(json_object_get(json_object_get(modules, netlist->top), "cells"));
}

void weir_synth_netlist_free(weir_synth_netlist *netlist) {
    if (netlist->folder != NULL) weir_cache_release(netlist->held);
    free(netlist->folder);
    free(netlist->top);
    json_decref(netlist->json);
    *netlist = (weir_synth_netlist){.held = -1};
}

/* --- between the design and the pins --- */

static json_t *ports_of(const weir_synth_netlist *design) {
    return json_object_get(json_object_get(json_object_get(design->json, "modules"), design->top), "ports");
}

static size_t bits_of(const json_t *port) { return json_array_size(json_object_get(port, "bits")); }

static bool is_output(const json_t *port) {
    return strcmp(json_string_value(json_object_get(port, "direction")), "output") == 0;
}

/* Adds the design's header without a body. */
static void add_stub(weir_text *text, const weir_synth_netlist *design) {
    const char *name, *separator = "";
    json_t *port;
    weir_text_format(text, "(* blackbox *)\nmodule %s (", design->top);
    json_object_foreach(ports_of(design), name, port) {
        weir_text_format(text, "%s\n  %s wire [%zu:0] %s", separator, is_output(port) ? "output" : "input",
                         bits_of(port) - 1, name);
        separator = ",";
    }
    weir_text_add(text, "\n);\nendmodule\n\n");
}

/* Verilog of the module WEIR_SYNTH_PINS. Bits of the chains are handed out in the order of ports. */
static char *pins_text(const weir_synth_netlist *design) {
    weir_text text = {NULL, 0, 0}, instance = {NULL, 0, 0};
    size_t inputs = 1, outputs = 1;
    const char *name;
    json_t *port;
    add_stub(&text, design);
    json_object_foreach(ports_of(design), name, port) {
        const size_t bits = bits_of(port);
        size_t *next = is_output(port) ? &outputs : &inputs;
        weir_text_add(&instance, instance.size == 0 ? "" : ",");
        if (strcmp(name, "clk") == 0) {
            weir_text_add(&instance, "\n    .clk(clk)");
            continue;
        }
        weir_text_format(&instance, "\n    .%s(%s[%zu:%zu])", name, is_output(port) ? "found" : "given_q",
                         *next + bits - 1, *next);
        *next += bits;
    }
    weir_text_format(&text,
                     "module " WEIR_SYNTH_PINS " (input wire clk, input wire given, output wire sum);\n"
                     "  reg  [%zu:0] given_q;\n  wire [%zu:1] found;\n  reg  [%zu:1] found_q;\n  reg  [%zu:0] sum_q;\n"
                     "  always @(posedge clk) begin\n    given_q <= {given_q[%zu:0], given};\n    found_q <= found;\n"
                     "    sum_q <= {found_q ^ sum_q[%zu:0], 1'b0};\n  end\n  assign sum = sum_q[%zu];\n"
                     "  %s " WEIR_SYNTH_DESIGN " (%s\n  );\nendmodule\n",
                     inputs - 1, outputs - 1, outputs - 1, outputs - 1, inputs - 2, outputs - 2, outputs - 1,
                     design->top, instance.data);
    weir_text_free(&instance);
    return text.data;
}

typedef struct pins_making {
    const weir_program *yosys;
    const char *text, *command;
} pins_making;

static bool make_pins(void *user, const char *folder) {
    const pins_making *m = user;
    char *path = weir_path_join(folder, "pins.v");
    char *script = weir_format("read_verilog pins.v; %s; write_json pins.json", m->command);
    bool fine =
        weir_file_write(path, m->text, strlen(m->text)) && weir_yosys_run(m->yosys, folder, "yosys.log", script);
    free(script);
    free(path);
    return fine;
}

json_t *weir_yosys_pins(const weir_program *yosys, const weir_device *device, const char *cache,
                        const weir_synth_netlist *design) {
    char *text = pins_text(design), *command = synthesis(device, true, WEIR_SYNTH_PINS);
    pins_making m = {yosys, text, command};
    weir_hash hash = hash_tool(yosys, device);
    weir_hash_add_string(&hash, text);
    char *name = entry_name("yosys-pins", hash);
    int held = -1;
    bool made = false;
    char *folder = weir_cache_entry(cache, name, true, make_pins, &m, &held, &made);
    char *path = folder == NULL ? NULL : weir_path_join(folder, "pins.json");
    json_t *pins = path == NULL ? NULL : load(path);
    if (folder != NULL) weir_cache_release(held);
    free(path);
    free(folder);
    free(name);
    free(command);
    free(text);
    return pins;
}

json_t *weir_yosys_join(const weir_synth_netlist *design, const json_t *pins) {
    json_t *joined = json_deep_copy(design->json), *modules = json_object_get(joined, "modules");
    json_t *top = json_object_get(json_object_get(pins, "modules"), WEIR_SYNTH_PINS);
    const char *name;
    json_t *module;
    json_object_del(json_object_get(json_object_get(modules, design->top), "attributes"), "top");
    json_object_foreach(json_object_get(pins, "modules"), name, module) {
        if (json_object_get(modules, name) == NULL) json_object_set(modules, name, module);
    }
    json_object_set(modules, WEIR_SYNTH_PINS, top);
    return joined;
}
