#include "cli/board_patch.h"

#include <stdlib.h>
#include <string.h>

#include "board/patch.h"
#include "cli/board_make.h"
#include "dataflow/folding.h"
#include "graph/manifest.h"
#include "ir/graph/print.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/manifest.h"
#include "support/file/scratch.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"

typedef struct old_board {
    weir_board_manifest manifest;
    weir_board *board;
    weir_graph *hardware;
    char *graph; /* file of it */
} old_board;

static int read_old(const weir_board_patching *p, old_board *old) {
    int status = WEIR_EXIT_INPUT;
    char *design = weir_path_join(p->folder, WEIR_BOARD_DESIGN);
    old->graph = weir_path_join(design, "hardware.weir");
    free(design);
    if (!weir_board_manifest_read(p->folder, &old->manifest)) return WEIR_EXIT_INPUT;
    old->board = weir_board_read(old->manifest.board, &status);
    if (old->board == NULL) return status;
    old->hardware = weir_graph_load(old->graph);
    if (old->hardware == NULL || !weir_folding_verify(old->hardware)) return WEIR_EXIT_INPUT;
    if (p->load != NULL && !old->manifest.loadable) {
        weir_error(weir_at(p->folder, 0), "its memories cannot be written over the link");
        weir_note("'weir board build --loadable' makes bitstreams whose memories can");
        return WEIR_EXIT_INPUT;
    }
    if (p->model != NULL && !weir_graph_patchable(old->hardware)) {
        weir_error(weir_at(p->folder, 0), "its hardware depends on the parameters that it was built with");
        weir_note("'weir board build --patchable' makes bitstreams that take others");
        return WEIR_EXIT_INPUT;
    }
    return WEIR_EXIT_FINE;
}

static void free_old(old_board *old) {
    weir_graph_free(old->hardware);
    weir_board_free(old->board);
    weir_board_manifest_free(&old->manifest);
    free(old->graph);
}

/* --- the folder --- */

typedef struct copying {
    const char *from, *to;
} copying;

/* Of the board's folder all but the design and what the folder's own keeping needs. */
static bool copy_file(void *user, const char *path) {
    const copying *c = user;
    if (path[0] == '.' || strncmp(path, WEIR_BOARD_DESIGN "/", sizeof WEIR_BOARD_DESIGN) == 0 ||
        strcmp(path, WEIR_MANIFEST) == 0)
        return true;
    return weir_tree_copy_file(c->from, c->to, path);
}

/* The model as the board's design was compiled: device, top, folding, tables. */
static int compile(weir_board_patching *p, const old_board *old, const char *design, const char *work) {
    weir_text text = {NULL, 0, 0};
    weir_folding_write(old->hardware, weir_graph_interval(old->hardware), &text);
    char *folding = weir_path_join(work, "folding.yaml");
    int status = weir_file_write(folding, text.data, text.size) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    weir_module *module = status == WEIR_EXIT_FINE ? weir_job_read_frames(p->model, &p->job.sizes) : NULL;
    weir_job job = p->job;
    job.device = weir_graph_device(old->hardware);
    job.clock = weir_graph_clock(old->hardware);
    job.top = json_string_value(json_object_get(old->manifest.report, "top"));
    job.folding = folding;
    job.like = old->graph;
    job.patchable = true;
    status = module == NULL ? WEIR_EXIT_INPUT : weir_job_emit(&job, module, design);
    if (module != NULL && status == WEIR_EXIT_INPUT)
        weir_note("'%s' does not fit the design of '%s': it must be the same network with the same node names",
                  p->model, p->folder);
    weir_module_free(module);
    weir_text_free(&text);
    free(folding);
    return status;
}

static int make(weir_board_patching *p, old_board *old, const char *staging, const char *work) {
    char *design = weir_path_join(staging, WEIR_BOARD_DESIGN), *graph = weir_path_join(design, "hardware.weir");
    copying c = {p->folder, staging};
    int status =
        weir_tree_walk(p->folder, copy_file, &c) && weir_make_folder(design) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE) status = compile(p, old, design, work);
    weir_graph *hardware = status == WEIR_EXIT_FINE ? weir_graph_load(graph) : NULL;
    if (hardware == NULL || !weir_folding_verify(hardware))
        status = status == WEIR_EXIT_FINE ? WEIR_EXIT_INPUT : status;
    else status = weir_board_patch(old->board, hardware, staging, (double)p->seconds, work, old->manifest.report);
    weir_graph_free(hardware);
    free(design);
    free(graph);
    return status;
}

/* The folder becomes the new model's. */
static int replace(weir_board_patching *p, old_board *old, const char *work) {
    weir_folder *output = weir_folder_open(p->folder, WEIR_FOLDER_WHOLE);
    int status = output == NULL ? WEIR_EXIT_INPUT : make(p, old, weir_folder_staging(output), work);
    if (output != NULL && status != WEIR_EXIT_FINE) weir_folder_abandon(output);
    else if (output != NULL && !weir_folder_commit(output)) status = WEIR_EXIT_INPUT;
    return status;
}

/* A simulated board begins with the parameters that the folder had. */
static bool keep_memories(const weir_board_patching *p, const char *to) {
    char *from = weir_path_join(p->folder, WEIR_BOARD_SOURCES);
    const bool fine = weir_tree_copy(from, to);
    free(from);
    return fine;
}

static int patch(void *user) {
    weir_board_patching *p = user;
    old_board old = {.board = NULL};
    int status = read_old(p, &old);
    weir_scratch *scratch = status == WEIR_EXIT_FINE ? weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "weights-") : NULL;
    char *before = scratch == NULL ? NULL : weir_path_join(weir_scratch_path(scratch), "before");
    const bool simulates = p->load != NULL && p->load->sim;
    if (status == WEIR_EXIT_FINE && (scratch == NULL || (simulates && !keep_memories(p, before))))
        status = WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE && p->model != NULL) status = replace(p, &old, weir_scratch_path(scratch));
    if (status == WEIR_EXIT_FINE && !weir_board_make_tell(old.manifest.report, p->json)) status = WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE && p->load != NULL) {
        p->load->folder = p->folder;
        p->load->memories = simulates ? before : NULL;
        status = weir_board_run_folder(p->load);
    }
    weir_scratch_free(scratch);
    free(before);
    free_old(&old);
    return status;
}

int weir_board_patching_run(weir_board_patching *p) { return weir_plugins_guard(&p->job.plugins, patch, p); }
