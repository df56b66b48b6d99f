#include "board/patch.h"

#include <stdlib.h>
#include <string.h>

#include "board/build.h"
#include "board/memories.h"
#include "board/wrap.h"
#include "graph/manifest.h"
#include "support/file/file.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

#define CONTENTS "contents"
#define DESIGN_SOURCES WEIR_BOARD_DESIGN "/rtl"

weir_fill_memories weir_board_patch_memories(const weir_graph *hardware) {
    weir_fill_memories memories = {NULL, 0, 0};
    weir_fill_add_graph(&memories, hardware);
    weir_fill_add(&memories, WEIR_BOARD_MODEL_FILE, 8, WEIR_BOARD_BUFFER);
    return memories;
}

static bool copy_memories(const weir_fill_memories *memories, const char *from, const char *to) {
    bool fine = true;
    for (size_t i = 0; fine && i < memories->count; i++) fine = weir_tree_copy_file(from, to, memories->item[i].file);
    return fine;
}

/* --- as it is built --- */

bool weir_board_patch_mark(const weir_device *device, const weir_fill_memories *memories, const char *work) {
    char *sources = weir_path_join(work, WEIR_BOARD_SOURCES), *contents = weir_path_join(work, CONTENTS);
    const bool fine = copy_memories(memories, sources, contents) && weir_fill_mark(device, memories, sources);
    free(sources);
    free(contents);
    return fine;
}

/* FOLDER/marks/PLACED, filled with the memories of FOLDER/rtl, is FOLDER/PLACED. */
static bool fill(const weir_device *device, const weir_fill_memories *memories, const weir_board_flow *flow,
                 const char *folder) {
    const char *name = weir_board_flow_placed(flow);
    char *marks = weir_path_join(folder, WEIR_BOARD_MARKS), *sources = weir_path_join(folder, WEIR_BOARD_SOURCES);
    char *from = weir_path_join(marks, name), *to = weir_path_join(folder, name);
    size_t size = 0;
    char *text = weir_file_read(from, &size);
    const bool fine =
        text != NULL && weir_fill(device, memories, text, marks, sources) && weir_file_write(to, text, size);
    free(text);
    free(from);
    free(to);
    free(marks);
    free(sources);
    return fine;
}

bool weir_board_patch_keep(const weir_device *device, const weir_fill_memories *memories, const weir_board_flow *flow,
                           const char *placed, size_t size, const char *work, const char *folder) {
    char *contents = weir_path_join(work, CONTENTS), *marked = weir_path_join(work, WEIR_BOARD_SOURCES);
    char *marks = weir_path_join(folder, WEIR_BOARD_MARKS), *sources = weir_path_join(folder, WEIR_BOARD_SOURCES);
    char *file = weir_path_join(marks, weir_board_flow_placed(flow));
    const bool fine = copy_memories(memories, marked, marks) && copy_memories(memories, contents, sources) &&
                      weir_file_write(file, placed, size) && fill(device, memories, flow, folder);
    free(file);
    free(contents);
    free(marked);
    free(marks);
    free(sources);
    return fine;
}

/* --- other parameters --- */

static bool is_memory(const weir_fill_memories *memories, const char *name) {
    for (size_t i = 0; i < memories->count; i++) {
        if (strcmp(memories->item[i].file, name) == 0) return true;
    }
    return false;
}

typedef struct comparison {
    const weir_fill_memories *memories;
    const char *old, *new; /* folders */
    bool differs;          /* it has been said */
} comparison;

static size_t line_size(const char *text) { return strcspn(text, "\n"); }

static void report_difference(const char *name, const char *old, const char *new) {
    int line = 1;
    while (*old != '\0' && line_size(old) == line_size(new) && memcmp(old, new, line_size(old)) == 0) {
        old += line_size(old) + (old[line_size(old)] == '\n');
        new += line_size(new) + (new[line_size(new)] == '\n');
        line++;
    }
    weir_error(weir_at(name, line), "the model needs hardware other than the bitstream's");
    weir_note("here it is '%.*s', and was '%.*s'", (int)line_size(new), new, (int)line_size(old), old);
}

/* A file of the new design. */
static bool compare_file(void *user, const char *name) {
    comparison *c = user;
    if (is_memory(c->memories, name)) return true;
    char *old_path = weir_path_join(c->old, name), *new_path = weir_path_join(c->new, name);
    size_t old_size = 0, new_size = 0;
    char *new = weir_file_read(new_path, &new_size),
         *old = weir_file_exists(old_path) ? weir_file_read(old_path, &old_size) : weir_copy_string("");
    const bool same = old != NULL && new != NULL &&old_size == new_size &&memcmp(old, new, old_size) == 0;
    if (old != NULL && new != NULL && !same) report_difference(name, old, new);
    c->differs |= !same;
    free(old);
    free(new);
    free(old_path);
    free(new_path);
    return same;
}

static int pack(const weir_board *board, const weir_fill_memories *memories, const char *folder, double seconds,
                json_t *report) {
    const weir_board_flow *flow = weir_board_flow_of(board);
    weir_program packer;
    size_t bytes = 0;
    if (flow == NULL || !weir_board_flow_packer(flow, &packer)) return WEIR_EXIT_TOOL;
    packer.seconds = seconds;
    int status = fill(board->device, memories, flow, folder) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE) status = weir_board_flow_pack(flow, board, &packer, folder, &bytes);
    if (status == WEIR_EXIT_FINE) json_object_set_new(report, "bitstream_bytes", json_integer((json_int_t)bytes));
    weir_program_free(&packer);
    return status;
}

/* The new design as it lies among the sources of a bitstream: with the ports that its board has to its memories. */
static bool prepare(const weir_graph *hardware, const char *design, const char *prepared, json_t *report) {
    weir_board_memories reached = {NULL, 0, 0, 0, 1, 1, 1};
    const bool loadable = json_is_true(json_object_get(report, "loadable"));
    const char *top = json_string_value(json_object_get(report, "top"));
    bool fine = weir_tree_copy(design, prepared);
    if (json_object_get(report, "memories") != NULL)
        fine = fine && weir_board_memories_add(hardware, top, prepared, loadable, &reached) &&
               weir_board_memories_tell(&reached, prepared, loadable, report);
    weir_board_memories_free(&reached);
    return fine;
}

int weir_board_patch(const weir_board *board, const weir_graph *hardware, const char *folder, double seconds,
                     const char *work, json_t *report) {
    char *sources = weir_path_join(folder, WEIR_BOARD_SOURCES), *design = weir_path_join(folder, DESIGN_SOURCES),
         *prepared = weir_path_join(work, WEIR_BOARD_SOURCES);
    const bool is_known = weir_fill_is_known(board->device);
    weir_fill_memories memories = weir_board_patch_memories(hardware);
    comparison c = {&memories, sources, prepared, false};
    int status = WEIR_EXIT_INPUT;
    uint32_t build, model;
    if (prepare(hardware, design, prepared, report) && weir_tree_walk(prepared, compare_file, &c) && !c.differs &&
        weir_tree_copy(prepared, sources) && weir_board_wrap_ids(sources, &build, &model) &&
        (!is_known || weir_board_wrap_model(sources, model, WEIR_BOARD_BUFFER))) {
        json_object_set_new(report, "model", json_sprintf("0x%08x", model));
        json_object_del(report, "simulated"); /* that was the old one */
        const bool packs = is_known && json_is_string(json_object_get(report, "bitstream"));
        status = packs ? pack(board, &memories, folder, seconds, report) : WEIR_EXIT_FINE;
    }
    if (status == WEIR_EXIT_FINE && !weir_board_manifest_write(folder, report)) status = WEIR_EXIT_INPUT;
    weir_fill_free(&memories);
    free(prepared);
    free(sources);
    free(design);
    return status;
}
