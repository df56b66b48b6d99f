/* The bench is a page of Verilog that connects the board's pins; the design's files are found and checked for the
 * memory files that they name. */
#include "board/simulated.h"

#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

#define BOOT UINT64_C(1000000000) /* ps: a PLL's lock and a reset */

struct weir_board_sim {
    weir_scratch *scratch; /* has the bench */
    weir_sim_artifact artifact;
    bool is_built;
    weir_sim_serial *line;
};

/* ---- files ---- */

typedef struct file_list {
    const char *folder;
    char **item;
    size_t count, capacity;
} file_list;

static void add_file(file_list *files, char *path) {
    files->item = weir_grow(files->item, &files->capacity, files->count + 1, sizeof *files->item);
    files->item[files->count++] = path;
}

static bool ends_with(const char *text, size_t size, const char *ending) {
    const size_t length = strlen(ending);
    return size > length && memcmp(text + size - length, ending, length) == 0;
}

static bool visit(void *user, const char *path) {
    file_list *files = user;
    const bool is_bench = strncmp(path, "tb/", 3) == 0 || strstr(path, "/tb/") != NULL;
    if (!is_bench && ends_with(path, strlen(path), ".v")) add_file(files, weir_path_join(files->folder, path));
    return true;
}

/* The bench, what the bench has in it, the design. */
static bool collect(const weir_board_sim_options *options, const char *bench, file_list *files) {
    char *data = weir_data_folder();
    if (data == NULL) return false;
    add_file(files, weir_copy_string(bench));
    add_file(files, weir_path_join(data, "sim/bench/weir_sim_serial.v"));
    free(data);
    for (size_t i = 0; i < options->file_count; i++) add_file(files, weir_copy_string(options->files[i]));
    const char *const folders[] = {options->models, options->folder};
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof folders / sizeof *folders; i++) {
        files->folder = folders[i];
        fine = folders[i] == NULL || weir_tree_walk(folders[i], visit, files);
    }
    return fine;
}

/* ---- models of cells ---- */

static bool has_module(const file_list *files, const char *name, size_t size) {
    for (size_t i = 0; i < files->count; i++) {
        const char *file = weir_path_name(files->item[i]);
        if (strlen(file) == size + 2 && memcmp(file, name, size) == 0) return true;
    }
    return false;
}

/* Yosys' models have modules without a body, of PLLs for one; a file of the same name has the whole module, and the
 * empty one gets another name here. */
static bool add_cells(const char *from, const char *to, file_list *files) {
    static const char head[] = "module ";
    size_t size = 0;
    char *text = weir_file_read(from, &size);
    weir_text kept = {0};
    if (text == NULL) return false;
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
        size_t before = 0;
        if (strncmp(line, head, sizeof head - 1) == 0) {
            const char *name = line + sizeof head - 1;
            const size_t letters = strcspn(name, " (#;\n");
            if (has_module(files, name, letters)) before = sizeof head - 1 + letters;
        }
        weir_text_add_n(&kept, line, before);
        if (before > 0) weir_text_add(&kept, "_without_body");
        weir_text_add_n(&kept, line + before, length - before);
        line += length;
    }
    const bool fine = weir_file_write(to, kept.data, kept.size);
    if (fine) add_file(files, weir_copy_string(to));
    weir_text_free(&kept);
    free(text);
    return fine;
}

static void free_files(file_list *files) {
    for (size_t i = 0; i < files->count; i++) free(files->item[i]);
    free(files->item);
}

/* ---- memory files ---- */

/* The next string literal outside of comments: its first character and its size; NULL: there is none. */
static const char *next_literal(const char *text, size_t *size) {
    for (; *text; text++) {
        if (text[0] == '/' && text[1] == '/') {
            text += strcspn(text, "\n");
            if (!*text) return NULL;
        } else if (text[0] == '/' && text[1] == '*') {
            text = strstr(text + 2, "*/");
            if (text == NULL) return NULL;
            text++;
        } else if (*text == '"') {
            *size = 0;
            for (text++; text[*size] && text[*size] != '"' && text[*size] != '\n'; ++*size)
                if (text[*size] == '\\' && text[*size + 1]) ++*size;
            return text;
        }
    }
    return NULL;
}

/* Every literal that names a memory file names one that is there. */
static bool check_memories(const char *path, const char *folder) {
    size_t ignored, size;
    bool fine = true;
    char *text = weir_file_read(path, &ignored);
    if (text == NULL) return false;
    for (const char *at = text; (at = next_literal(at, &size)); at += size + (at[size] == '"')) {
        if (!ends_with(at, size, ".hex") && !ends_with(at, size, ".mem")) continue;
        char *name = weir_format("%.*s", (int)size, at), *file = weir_path_join(folder, name);
        if (!weir_file_exists(name[0] == '/' ? name : file)) {
            int line = 1;
            for (const char *c = text; c < at; c++) line += *c == '\n';
            weir_error(weir_at(path, line), "there is no memory file '%s' in '%s'", name, folder);
            fine = false;
        }
        free(name);
        free(file);
    }
    free(text);
    return fine;
}

/* ---- the bench ---- */

static bool write_bench(const weir_board_sim_options *options, const char *path) {
    weir_text text = {0};
    weir_text_add(&text, "`timescale 1ps / 1ps\n"
                         "module tb;\n"
                         "    wire clk, rx, tx;\n"
                         "    weir_sim_serial u_serial (.clk(clk), .to_board(rx), .from_board(tx));\n"
                         "    " WEIR_SIMULATED_TOP " u_board (\n"
                         "        .clk(clk), .rx(rx)");
    for (size_t i = 0; i < options->input_count; i++)
        weir_text_format(&text, ", .%s(1'b%d)", options->inputs[i].port, options->inputs[i].value);
    weir_text_add(&text, ", .tx(tx)\n"
                         "    );\n"
                         "endmodule\n");
    const bool fine = weir_file_write(path, text.data, text.size);
    weir_text_free(&text);
    return fine;
}

static int build(weir_board_sim *sim, const weir_board_sim_options *options, const char *memories) {
    file_list files = {0};
    char *bench = weir_path_join(weir_scratch_path(sim->scratch), "tb.v");
    char *cells = weir_path_join(weir_scratch_path(sim->scratch), "cells.v");
    bool fine = write_bench(options, bench) && collect(options, bench, &files) &&
                (options->cells == NULL || add_cells(options->cells, cells, &files));
    for (size_t i = 2; fine && i < files.count; i++) fine = check_memories(files.item[i], memories);
    int status = WEIR_EXIT_INPUT;
    if (fine) {
        const char *defines[2];
        size_t define_count = 0;
        if (options->cells != NULL) defines[define_count++] = "NO_ICE40_DEFAULT_ASSIGNMENTS";
        if (options->clocks_plls) defines[define_count++] = "WEIR_SIM_OSCILLATOR=tb.u_serial";
        const weir_sim_job job = {.simulator = options->simulator,
                                  .defines = defines,
                                  .define_count = define_count,
                                  .cycles = options->cycles,
                                  .seconds = options->seconds,
                                  .files = (const char *const *)files.item,
                                  .file_count = files.count,
                                  .cache_folder = options->cache_folder};
        status = weir_sim_build(&job, &sim->artifact);
        sim->is_built = status == WEIR_EXIT_FINE;
    }
    free_files(&files);
    free(bench);
    free(cells);
    return status;
}

/* Nobody talks to a board while its reset lasts. */
static bool boot(weir_sim_serial *line, uint64_t time, int *status) {
    const char *why;
    if (weir_sim_serial_wait(line, time > 0 ? time : BOOT, &why)) return true;
    weir_error(WEIR_NOWHERE, "cannot simulate: %s", why);
    *status = WEIR_EXIT_TOOL;
    return false;
}

weir_board_sim *weir_board_sim_start(const weir_board_sim_options *options, int *status) {
    weir_board_sim *sim = weir_calloc(1, sizeof *sim);
    weir_sim_serial_options line = options->line;
    if (line.folder == NULL) line.folder = options->folder;
    *status = WEIR_EXIT_INPUT;
    sim->scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX);
    if (sim->scratch) *status = build(sim, options, line.folder);
    if (*status == WEIR_EXIT_FINE) sim->line = weir_sim_serial_start(&sim->artifact, &line, status);
    if (sim->line && boot(sim->line, options->boot, status)) return sim;
    weir_board_sim_stop(sim);
    return NULL;
}

void weir_board_sim_stop(weir_board_sim *sim) {
    if (sim == NULL) return;
    weir_sim_serial_stop(sim->line);
    if (sim->is_built) weir_sim_artifact_free(&sim->artifact);
    weir_scratch_free(sim->scratch);
    free(sim);
}

weir_sim_serial *weir_board_sim_line(weir_board_sim *sim) { return sim->line; }
