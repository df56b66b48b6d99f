/* Verilator: its runtime library, the harness object and a precompiled header are made once a machine; a design
 * compiles its generated files only, gathered into a few units that are compiled at the same time.
 *
 * Flags: -O3, which takes 7 % more processor time to build than -O2 and up to 10 % less to simulate. One
 * precompiled header serves every unit only if all have the same options, so what runs rarely (set-up, names for VPI;
 * in a quick build everything) is turned down to -O0 by a pragma. C++14 has the smallest headers; coroutines are an
 * extension there as in C++17. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/backend.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/diag.h"

enum {
    COLD_DISCOUNT = 3,                /* a byte of set-up code compiles this much faster than a hot one */
    SPLIT_BYTES = 400000,             /* size of generated files, of which units are made */
    SPLIT_FUNCTION_STATEMENTS = 5000, /* more to simulate than one function; the optimizer is worse than linear */
    FEW_CYCLES = 50000,               /* -O0 of everything builds in half the time and simulates at 40 % of the speed */
    DEFAULT_PROCESSES = 2,
    MAX_PROCESSES = 64
};

/* What designs share: a precompiled header; the runtime library and the harness. */
enum { HEADER, SUPPORT };

static const char *const programs[] = {"verilator", "g++", "gcc", "ar", NULL};
static const char *const compile_flags[] = {
    "-O3", "-std=gnu++14", "-fcoroutines", "-w", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVL_VALUE_STRING_MAX_WORDS=4096"};
static const char *const verilate_flags[] = {
    "--cc",       "--exe", "--main",      "--timing", "--vpi",      "--top-module", "tb",
    "--prefix",   "Vtb",   "--Mdir",      ".",        "-O3",        "--timescale",  "1ns/1ns",
    "--x-assign", "fast",  "--x-initial", "unique",   "-Wno-fatal", "-Wno-lint",    "-Wno-style"};

static const char header_name[] = "weir_verilated.h";
static const char header_text[] = "#include \"verilated.h\"\n"
                                  "#include \"verilated_timing.h\"\n"
                                  "#include \"verilated_dpi.h\"\n";
/* Verilator's own set-up, formatting and file reading: no part of a cycle. */
static const char set_up_text[] = "#pragma GCC optimize(\"O0\")\n"
                                  "#include \"verilated.cpp\"\n";

/* The perl wrapper around it takes longer than the program itself. */
static const char *verilator(void) { return weir_process_found("verilator_bin") ? "verilator_bin" : "verilator"; }

static bool identify(const weir_sim_build_context *context, weir_text *identity) {
    weir_arguments version = {0}, compiler = {0};
    weir_arguments_add(&version, "%s", verilator());
    weir_arguments_add(&version, "-V");
    weir_arguments_add(&compiler, "g++");
    weir_arguments_add(&compiler, "--version");
    bool fine = weir_tool_run(&version, NULL, context->job->seconds, identity) &&
                weir_tool_run(&compiler, NULL, context->job->seconds, identity);
    weir_arguments_free(&version);
    weir_arguments_free(&compiler);
    for (size_t i = 0; i < sizeof compile_flags / sizeof compile_flags[0]; i++)
        weir_text_format(identity, "%s ", compile_flags[i]);
    for (size_t i = 0; i < sizeof verilate_flags / sizeof verilate_flags[0]; i++)
        weir_text_format(identity, "%s ", verilate_flags[i]);
    weir_text_add(identity, header_text);
    weir_text_add(identity, set_up_text);
    return fine;
}

/* The include folder of the runtime; NULL after a reported error. Heap memory. */
static char *include_folder(double seconds) {
    weir_arguments ask = {0};
    weir_text answer = {0};
    char *folder = NULL;
    weir_arguments_add(&ask, "%s", verilator());
    weir_arguments_add(&ask, "--getenv");
    weir_arguments_add(&ask, "VERILATOR_ROOT");
    if (weir_tool_run(&ask, NULL, seconds, &answer)) {
        const char *root = answer.data ? answer.data : "";
        folder = weir_format("%.*s/include", (int)strcspn(root, "\r\n"), root);
    }
    weir_text_free(&answer);
    weir_arguments_free(&ask);
    return folder;
}

static void add_compile_flags(weir_arguments *arguments, const char *include, bool trace) {
    for (size_t i = 0; i < sizeof compile_flags / sizeof compile_flags[0]; i++)
        weir_arguments_add(arguments, "%s", compile_flags[i]);
    weir_arguments_add(arguments, "-DVM_TRACE=%d", trace);
    weir_arguments_add(arguments, "-DVM_TRACE_FST=%d", trace);
    weir_arguments_add(arguments, "-DVM_TRACE_VCD=0");
    weir_arguments_add(arguments, "-I%s", include);
    weir_arguments_add(arguments, "-I%s/vltstd", include);
}

/* ---- what designs share ---- */

/* Compiles several files at once: the script's arguments are the list of sources, then the compiler and its
 * flags. A header is precompiled, with the optimization of the designs that include it. */
static const char compile_script[] = "sources=$1; shift; running=; status=0\n"
                                     "for source in $sources; do\n"
                                     "  case $source in\n"
                                     "  *.h) \"$@\" -x c++-header \"$source\" -o \"$source.gch\" & ;;\n"
                                     "  *) name=${source##*/}; \"$@\" -c \"$source\" -o \"${name%.*}.o\" & ;;\n"
                                     "  esac\n"
                                     "  running=\"$running $!\"\n"
                                     "done\n"
                                     "for process in $running; do wait $process || status=1; done\n"
                                     "exit $status\n";

static void add_script(weir_arguments *arguments, const char *sources) {
    weir_arguments_add(arguments, "sh");
    weir_arguments_add(arguments, "-c");
    weir_arguments_add(arguments, "%s", compile_script);
    weir_arguments_add(arguments, "sh");
    weir_arguments_add(arguments, "%s", sources);
    weir_arguments_add(arguments, "g++");
}

static bool make_header(const weir_sim_build_context *context, const char *folder) {
    char *include = include_folder(context->job->seconds), *header = weir_path_join(folder, header_name);
    weir_arguments make = {0};
    bool fine = false;
    if (include) {
        add_script(&make, header_name);
        add_compile_flags(&make, include, context->job->trace);
        fine = weir_file_write(header, header_text, sizeof header_text - 1) &&
               weir_tool_run(&make, folder, context->job->seconds, NULL);
    }
    weir_arguments_free(&make);
    free(header);
    free(include);
    return fine;
}

/* Compiles C++ sources of the folder, or with a path, after the shared header. */
static bool compile(const weir_sim_build_context *context, const char *folder, const char *include,
                    const char *sources) {
    const char *header = weir_sim_shared_folder(context, HEADER);
    if (!header) return false;
    weir_arguments make = {0};
    add_script(&make, sources);
    add_compile_flags(&make, include, context->job->trace);
    weir_arguments_add(&make, "-include");
    weir_arguments_add(&make, "%s/%s", header, header_name);
    bool fine = weir_tool_run(&make, folder, context->job->seconds, NULL);
    weir_arguments_free(&make);
    return fine;
}

static bool make_harness(const weir_sim_build_context *context, const char *include, const char *folder) {
    weir_arguments make = {0};
    weir_arguments_add(&make, "gcc");
    weir_arguments_add(&make, "-O2");
    weir_arguments_add(&make, "-I%s/vltstd", include);
    weir_arguments_add(&make, "-c");
    for (const char *const *name = weir_sim_harness; *name; name++)
        weir_arguments_add(&make, "%s/sim/harness/%s.c", context->data_folder, *name);
    bool fine = weir_tool_run(&make, folder, context->job->seconds, NULL);
    weir_arguments_free(&make);
    return fine;
}

static bool make_runtime(const weir_sim_build_context *context, const char *include, const char *folder) {
    static const char *const sources[] = {"verilated_vpi", "verilated_timing", "verilated_threads", "verilated_fst_c"};
    const size_t count = sizeof sources / sizeof sources[0] - !context->job->trace;
    weir_arguments archive = {0};
    weir_text list = {0};
    char *set_up = weir_path_join(folder, "set_up.cpp");
    weir_arguments_add(&archive, "ar");
    weir_arguments_add(&archive, "rcs");
    weir_arguments_add(&archive, "libverilated.a");
    weir_arguments_add(&archive, "set_up.o");
    weir_text_add(&list, "set_up.cpp ");
    for (size_t i = 0; i < count; i++) {
        weir_text_format(&list, "%s/%s.cpp ", include, sources[i]);
        weir_arguments_add(&archive, "%s.o", sources[i]);
    }
    bool fine = weir_file_write(set_up, set_up_text, sizeof set_up_text - 1) &&
                compile(context, folder, include, list.data) &&
                weir_tool_run(&archive, folder, context->job->seconds, NULL);
    for (size_t i = 3; fine && i < archive.count; i++) {
        char *object = weir_path_join(folder, archive.list[i]);
        unlink(object);
        free(object);
    }
    free(set_up);
    weir_text_free(&list);
    weir_arguments_free(&archive);
    return fine;
}

static bool make_support(const weir_sim_build_context *context, const char *folder) {
    char *include = include_folder(context->job->seconds);
    bool fine = include && make_harness(context, include, folder) && make_runtime(context, include, folder);
    free(include);
    return fine;
}

/* ---- a design ---- */

static bool verilate(const weir_sim_build_context *context, const char *folder) {
    const weir_sim_job *job = context->job;
    weir_arguments make = {0};
    weir_arguments_add(&make, "%s", verilator());
    for (size_t i = 0; i < sizeof verilate_flags / sizeof verilate_flags[0]; i++)
        weir_arguments_add(&make, "%s", verilate_flags[i]);
    weir_arguments_add(&make, "--output-split");
    weir_arguments_add(&make, "%d", SPLIT_BYTES);
    weir_arguments_add(&make, "--output-split-cfuncs");
    weir_arguments_add(&make, "%d", SPLIT_FUNCTION_STATEMENTS);
    if (job->trace) weir_arguments_add(&make, "--trace-fst");
    if (job->trace) weir_arguments_add(&make, "-DWEIR_SIM_TRACE");
    for (size_t i = 0; i < job->define_count; i++) weir_arguments_add(&make, "-D%s", job->defines[i]);
    for (size_t i = 0; i < context->file_count; i++) weir_arguments_add(&make, "%s", context->files[i]);
    bool fine = weir_tool_run(&make, folder, job->seconds, NULL);
    weir_arguments_free(&make);
    return fine;
}

typedef struct generated {
    char *name;
    size_t size;
    size_t cost;
    bool cold;
    unsigned unit;
} generated;

/* Everything that runs each cycle is hot: evaluation, the main loop and its wrapper. */
static bool is_cold(const char *name) {
    return strstr(name, "Slow") || strstr(name, "__Syms") || strstr(name, "__Dpi") || strstr(name, "__ConstPool");
}

static int costlier(const void *a, const void *b) {
    const generated *x = a, *y = b;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The generated sources, the costliest first. Heap memory. */
static generated *list_generated(const char *folder, bool quick, size_t *count) {
    generated *files = NULL;
    size_t capacity = 0;
    DIR *handle = opendir(folder);
    for (struct dirent *item; handle && (item = readdir(handle));) {
        const char *dot = strrchr(item->d_name, '.');
        if (!dot || strcmp(dot, ".cpp")) continue;
        char *path = weir_path_join(folder, item->d_name);
        size_t size = 0;
        char *content = weir_file_read(path, &size);
        free(content);
        free(path);
        files = weir_grow(files, &capacity, *count + 1, sizeof *files);
        bool cold = quick || is_cold(item->d_name);
        size_t cost = cold ? size / COLD_DISCOUNT : size;
        files[(*count)++] = (generated){weir_copy_string(item->d_name), size, cost, cold, 0};
    }
    if (handle) closedir(handle);
    if (*count) qsort(files, *count, sizeof *files, costlier);
    return files;
}

static bool write_unit(const char *folder, const generated *files, size_t count, unsigned unit) {
    weir_text text = {0};
    weir_text_add(&text, header_text);
    for (int cold = 0; cold < 2; cold++) {
        if (cold) weir_text_add(&text, "#pragma GCC optimize(\"O0\")\n");
        for (size_t i = 0; i < count; i++) {
            if (files[i].unit == unit && files[i].cold == cold)
                weir_text_format(&text, "#include \"%s\"\n", files[i].name);
        }
    }
    char *path = weir_format("%s/unit%u.cpp", folder, unit);
    bool fine = weir_file_write(path, text.data, text.size);
    free(path);
    weir_text_free(&text);
    return fine;
}

/* Gathers the generated files into units of about the same cost. */
static bool write_units(const char *folder, bool quick, unsigned units) {
    size_t count = 0, load[MAX_PROCESSES] = {0};
    generated *files = list_generated(folder, quick, &count);
    bool fine = true;
    for (size_t i = 0; i < count; i++) {
        unsigned least = 0;
        for (unsigned u = 1; u < units; u++) {
            if (load[u] < load[least]) least = u;
        }
        files[i].unit = least;
        load[least] += files[i].cost;
    }
    for (unsigned u = 0; fine && u < units; u++) fine = write_unit(folder, files, count, u);
    for (size_t i = 0; i < count; i++) free(files[i].name);
    free(files);
    return fine;
}

static bool compile_units(const weir_sim_build_context *context, const char *folder, unsigned units) {
    char *include = include_folder(context->job->seconds);
    weir_text list = {0};
    for (unsigned u = 0; u < units; u++) weir_text_format(&list, "unit%u.cpp ", u);
    const bool fine = include && compile(context, folder, include, list.data);
    weir_text_free(&list);
    free(include);
    return fine;
}

static bool link_program(const weir_sim_build_context *context, const char *folder, unsigned units) {
    const char *support = weir_sim_shared_folder(context, SUPPORT);
    if (!support) return false;
    weir_arguments make = {0};
    weir_arguments_add(&make, "g++");
    weir_arguments_add(&make, "-s");
    for (unsigned u = 0; u < units; u++) weir_arguments_add(&make, "unit%u.o", u);
    for (const char *const *name = weir_sim_harness; *name; name++)
        weir_arguments_add(&make, "%s/%s.o", support, *name);
    weir_arguments_add(&make, "%s/libverilated.a", support);
    if (context->job->trace) weir_arguments_add(&make, "-lz");
    weir_arguments_add(&make, "-pthread");
    weir_arguments_add(&make, "-osimulator");
    bool fine = weir_tool_run(&make, folder, context->job->seconds, NULL);
    weir_arguments_free(&make);
    return fine;
}

static bool make_program(const weir_sim_build_context *context, const char *folder) {
    unsigned units = context->job->processes ? context->job->processes : DEFAULT_PROCESSES;
    char *work = weir_path_join(folder, "generated"), *from = weir_path_join(work, "simulator");
    char *to = weir_path_join(folder, "simulator");
    if (units > MAX_PROCESSES) units = MAX_PROCESSES;
    bool fine = weir_make_folder(work) && verilate(context, work) && write_units(work, context->quick, units) &&
                compile_units(context, work, units) && link_program(context, work, units);
    if (fine && rename(from, to) != 0) {
        weir_error(weir_at(to, 0), "cannot rename to this: %s", strerror(errno));
        fine = false;
    }
    fine = fine && weir_remove_tree(work);
    free(work);
    free(from);
    free(to);
    return fine;
}

static size_t command(const weir_sim_artifact *artifact, const weir_sim_run *run, const char *option,
                      char **arguments) {
    size_t count = 0;
    arguments[count++] = weir_path_join(artifact->folder, "simulator");
    if (option) arguments[count++] = weir_copy_string(option);
    if (run->random_start) {
        arguments[count++] = weir_copy_string("+verilator+rand+reset+2");
        arguments[count++] = weir_format("+verilator+seed+%u", (run->seed & 0x3fffffffu) + 1);
    }
    return count;
}

const weir_sim_backend weir_sim_verilator = {
    .name = "verilator",
    .programs = programs,
    .few_cycles = FEW_CYCLES,
    .identify = identify,
    .shared = {[HEADER] = {"support-header", make_header}, [SUPPORT] = {"support", make_support}},
    .make_program = make_program,
    .command = command};
