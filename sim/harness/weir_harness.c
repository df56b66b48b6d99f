/* The C side of a bench, one source for every simulator: plays stimulus files into the rings of weir_sim_source, takes
 * the records of weir_sim_sink and weir_sim_tap into result files, ends the run and writes statistics. It is called by
 * weir_sim_service only (DPI in Verilator, a system task elsewhere), always on a falling clock edge, and reaches the
 * bench through VPI; it needs nothing but the C library and vpi_user.h, since it is compiled where the simulators are.
 *
 * Files (see sim/README.md): +weir_run=FILE, or weir_run.txt in the working directory, is the run description, one item
 * a line, '#' starts a comment line, FILE is the rest of the line:
 *   seed S | limit CYCLES | watchdog CYCLES | drain CYCLES | dump FROM TO | statistics FILE
 *   source N profile P file FILE
 *   sink N profile P beats EXPECTED file FILE
 *   tap N file FILE                 (taps and meters that are not named stay off)
 *   meter N
 * A stimulus file is a sequence of beats, each ceil(WIDTH / 32) data words and a flags word (bit 0: last, bit 4:
 * reset_state); a result file has after these the cycle, and flag bit 1 says that data, last or error had unknown bits,
 * bit 2 that last had, bit 3 that the frame is damaged.
 * FILE.unknown, written only then, has for each such beat its index and ceil(WIDTH / 32) words of unknown bits. Words
 * are little-endian.
 *
 * Cost: about 0.1 microseconds a beat in Verilator; nothing per cycle. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vpi_user.h>

void weir_sim_event(int kind);

enum { NAME_SIZE = 128 }; /* of what the benches name */

typedef enum part_kind { PART_SOURCE, PART_SINK, PART_TAP, PART_METER, PART_KINDS } part_kind;

/* One bench part and its file. */
typedef struct part {
    part_kind kind;
    uint32_t index;
    uint32_t profile;
    uint32_t expected; /* beats in the stimulus file, or expected by the sink */
    char *path;
    FILE *file;
    FILE *unknown;
    uint32_t words; /* of data in a record */
    uint32_t depth;
    uint32_t size;  /* words of a record: data, flags, and the cycle in a result */
    uint32_t pack;  /* records in a ring word */
    uint32_t moved; /* beats put into, or taken from, the ring */
    uint32_t count; /* beats accepted, as last read */
    uint32_t unknown_beats;
    s_vpi_vecval *vector; /* a ring word of a source */
    uint32_t *record;
    vpiHandle memory, count_handle, progress, more, enable;
    vpiHandle *slot; /* ring words, looked up once */
} part;

static struct {
    part *parts;
    size_t part_count;
    uint32_t seed;
    uint32_t cycle_limit;
    uint32_t watchdog;
    uint32_t drain;
    bool dump;
    uint32_t dump_from, dump_to;
    char *statistics;
    vpiHandle cycle, wake, done, dump_handle;
    bool complete; /* every sink has what it expects: the drain cycles run once the taps have, too, or had time to */
    uint32_t complete_cycle;
    bool ended; /* of complete: nothing more is waited for from `end_cycle` on */
    uint32_t end_cycle;
    uint64_t activity; /* beats accepted, as last seen; what a sink gets beyond what it expects is none */
    uint32_t activity_cycle;
    uint32_t services;
    uint32_t *meters; /* METER_VALUES for each part */
    bool failed;
} run = {.seed = 1, .cycle_limit = UINT32_MAX, .watchdog = 100000, .drain = 64};

static const char *const part_names[PART_KINDS] = {"source", "sink", "tap", "meter"};
static const char *const part_scopes[PART_KINDS] = {"", ".u_record", ".u_record", ""};
static const char *const meter_names[] = {"busy",     "starved",   "blocked",  "occupancy",
                                          "in_beats", "out_beats", "first_in", "last_out"};
enum { METER_VALUES = sizeof meter_names / sizeof meter_names[0] };

/* Reports on stderr; the run ends at the next chance. */
__attribute__((format(printf, 1, 2))) static void fail(const char *format, ...) {
    va_list arguments;
    fputs("weir harness: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    run.failed = true;
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fputs("weir harness: error: out of memory\n", stderr);
        abort();
    }
    return memory;
}

static char *copy(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(allocate(size, 1), text, size);
}

/* ---- signals ---- */

/* NULL when there is no such signal. */
static vpiHandle find(const char *name) {
    static const char *const prefixes[] = {"TOP.tb.", "tb."};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        char full[2 * NAME_SIZE];
        snprintf(full, sizeof full, "%s%s", prefixes[i], name);
        vpiHandle handle = vpi_handle_by_name(full, NULL);
        if (handle) return handle;
    }
    return NULL;
}

static vpiHandle part_find(const part *p, const char *scope, const char *signal) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "u_%s_%u%s.%s", part_names[p->kind], (unsigned)p->index, scope, signal);
    vpiHandle handle = find(name);
    if (!handle) fail("the bench has no signal 'tb.%s'", name);
    return handle;
}

static uint32_t get(vpiHandle handle) {
    s_vpi_value value = {.format = vpiVectorVal};
    if (!handle) return 0;
    vpi_get_value(handle, &value);
    return (uint32_t)value.value.vector[0].aval & ~(uint32_t)value.value.vector[0].bval;
}

static void put_vector(vpiHandle handle, s_vpi_vecval *vector) {
    s_vpi_value value = {.format = vpiVectorVal};
    value.value.vector = vector;
    vpi_put_value(handle, &value, NULL, vpiNoDelay);
}

static void put(vpiHandle handle, uint32_t number) {
    s_vpi_vecval vector = {0};
    vector.aval = (__typeof__(vector.aval))number;
    if (handle) put_vector(handle, &vector);
}

static uint32_t part_get(const part *p, const char *scope, const char *signal) {
    vpiHandle handle = part_find(p, scope, signal);
    uint32_t number = get(handle);
    if (handle) vpi_free_object(handle);
    return number;
}

static void part_put(const part *p, const char *scope, const char *signal, uint32_t number) {
    vpiHandle handle = part_find(p, scope, signal);
    put(handle, number);
    if (handle) vpi_free_object(handle);
}

static vpiHandle part_slot(part *p, uint32_t beat) {
    uint32_t at = (beat & (p->depth - 1)) / p->pack;
    if (!p->slot[at]) p->slot[at] = vpi_handle_by_index(p->memory, (PLI_INT32)at);
    return p->slot[at];
}

/* ---- run description ---- */

static char *run_path(void) {
    static const char option[] = "+weir_run=";
    s_vpi_vlog_info info;
    if (vpi_get_vlog_info(&info)) {
        for (int i = 0; i < info.argc; i++) {
            if (!strncmp(info.argv[i], option, sizeof option - 1)) return copy(info.argv[i] + sizeof option - 1);
        }
    }
    return copy("weir_run.txt");
}

/* Reads "profile P", "beats N" and "file REST" after the part's kind and index. */
static bool parse_part(part_kind kind, const char *text) {
    part p = {.kind = kind};
    unsigned index = 0;
    int used = 0;
    if (sscanf(text, "%u%n", &index, &used) != 1) return false;
    p.index = index;
    for (text += used;; text += used) {
        char key[16];
        unsigned number = 0;
        used = 0;
        if (sscanf(text, " %15s%n", key, &used) != 1) break;
        if (!strcmp(key, "file")) {
            text += used;
            text += strspn(text, " ");
            p.path = copy(text);
            break;
        }
        text += used;
        if (sscanf(text, "%u%n", &number, &used) != 1) return false;
        if (!strcmp(key, "profile")) p.profile = number;
        else if (!strcmp(key, "beats")) p.expected = number;
        else return false;
    }
    if (kind != PART_METER && !p.path) return false;
    part *grown = realloc(run.parts, (run.part_count + 1) * sizeof *grown);
    if (!grown) abort();
    run.parts = grown;
    run.parts[run.part_count++] = p;
    return true;
}

static bool parse_line(const char *line) {
    char key[32];
    int used = 0;
    unsigned a = 0, b = 0;
    if (sscanf(line, " %31s%n", key, &used) != 1 || key[0] == '#') return true;
    const char *rest = line + used + strspn(line + used, " ");
    for (int kind = 0; kind < PART_KINDS; kind++) {
        if (!strcmp(key, part_names[kind])) return parse_part((part_kind)kind, rest);
    }
    if (!strcmp(key, "statistics")) {
        run.statistics = copy(rest);
        return true;
    }
    int numbers = sscanf(rest, "%u %u", &a, &b);
    if (!strcmp(key, "dump") && numbers == 2) {
        run.dump = true;
        run.dump_from = a;
        run.dump_to = b;
        return true;
    }
    if (numbers != 1) return false;
    if (!strcmp(key, "seed")) run.seed = a;
    else if (!strcmp(key, "limit")) run.cycle_limit = a;
    else if (!strcmp(key, "watchdog")) run.watchdog = a ? a : 1;
    else if (!strcmp(key, "drain")) run.drain = a;
    else return false;
    return true;
}

static void read_run(void) {
    char *line = NULL;
    size_t size = 0;
    char *path = run_path();
    FILE *file = fopen(path, "r");
    unsigned number = 0;
    if (!file) {
        fail("cannot read run description '%s': %s", path, strerror(errno));
        free(path);
        return;
    }
    while (!run.failed && getline(&line, &size, file) >= 0) {
        number++;
        line[strcspn(line, "\r\n")] = '\0';
        if (!parse_line(line)) fail("%s:%u: cannot understand '%s'", path, number, line);
    }
    fclose(file);
    free(line);
    free(path);
    if (!run.statistics) run.statistics = copy("weir_statistics.txt");
}

/* ---- files ---- */

static void words_to_bytes(const uint32_t *words, size_t count, unsigned char *bytes) {
    for (size_t i = 0; i < count; i++) {
        for (int b = 0; b < 4; b++) bytes[4 * i + (size_t)b] = (unsigned char)(words[i] >> (8 * b));
    }
}

static void write_words(part *p, FILE *file, const uint32_t *words, size_t count) {
    unsigned char bytes[256];
    while (count) {
        size_t some = count < sizeof bytes / 4 ? count : sizeof bytes / 4;
        words_to_bytes(words, some, bytes);
        if (fwrite(bytes, 4, some, file) != some) {
            fail("cannot write '%s': %s", p->path, strerror(errno));
            return;
        }
        words += some;
        count -= some;
    }
}

static bool read_words(part *p, s_vpi_vecval *vector, size_t count) {
    unsigned char bytes[4];
    for (size_t i = 0; i < count; i++) {
        if (fread(bytes, 1, 4, p->file) != 4) {
            fail("'%s' ends within a beat", p->path);
            return false;
        }
        vector[i].aval = (__typeof__(vector->aval))((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
                                                    (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
        vector[i].bval = 0;
    }
    return true;
}

static void open_files(part *p) {
    p->file = fopen(p->path, p->kind == PART_SOURCE ? "rb" : "wb");
    if (!p->file) {
        fail("cannot open '%s': %s", p->path, strerror(errno));
        return;
    }
    if (p->kind == PART_SOURCE) {
        long size = fseek(p->file, 0, SEEK_END) ? -1 : ftell(p->file);
        long beat = 4 * ((long)p->words + 1);
        rewind(p->file);
        if (size < 0 || size % beat) {
            fail("'%s' has %ld bytes: not a multiple of %ld, the bytes of a beat", p->path, size, beat);
            return;
        }
        p->expected = (uint32_t)(size / beat);
    }
    setvbuf(p->file, NULL, _IOFBF, 1 << 16);
}

static void open_unknown(part *p) {
    size_t size = strlen(p->path) + sizeof ".unknown";
    char *path = allocate(size, 1);
    snprintf(path, size, "%s.unknown", p->path);
    p->unknown = fopen(path, "wb");
    if (!p->unknown) fail("cannot open '%s': %s", path, strerror(errno));
    free(path);
}

/* ---- streams ---- */

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Decorrelates the parts' generators; never 0. */
static uint32_t part_seed(const part *p) {
    uint32_t x = run.seed * 0x9e3779b9u ^ (p->index * 4u + (uint32_t)p->kind + 1u) * 0x85ebca6bu;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    x = (x ^ x >> 12) * 0x297a2d39u;
    x ^= x >> 15;
    return x ? x : 1;
}

static void open_stream(part *p) {
    const char *scope = part_scopes[p->kind];
    uint32_t width = part_get(p, scope, "width");
    p->depth = part_get(p, scope, "depth");
    p->pack = part_get(p, scope, "pack");
    if (run.failed) return;
    if (!width || p->depth < 32 || (p->depth & (p->depth - 1))) {
        fail("%s %u: width %u, depth %u: expected a width, and a power of two of at least 32", part_names[p->kind],
             (unsigned)p->index, (unsigned)width, (unsigned)p->depth);
        return;
    }
    p->words = (width + 31) / 32;
    p->size = p->words + (p->kind == PART_SOURCE ? 1 : 2);
    p->vector = allocate((size_t)p->pack * p->size, sizeof *p->vector);
    p->record = allocate(p->size, sizeof *p->record);
    p->slot = allocate(p->depth / p->pack, sizeof *p->slot);
    p->memory = part_find(p, scope, "mem");
    p->count_handle = part_find(p, scope, "count");
    p->progress = part_find(p, scope, p->kind == PART_SOURCE ? "limit" : "drained");
    if (p->kind == PART_SOURCE) p->more = part_find(p, scope, "more");
    if (p->kind != PART_TAP) {
        part_put(p, "", "seed", part_seed(p));
        part_put(p, "", "profile", p->profile);
    }
    if (p->kind != PART_SOURCE) {
        part_put(p, scope, "enable", 1);
        part_put(p, scope, "target", p->expected);
    }
    open_files(p);
}

/* Puts whole ring words, each once all its old records are accepted. */
static void fill(part *p) {
    if (p->moved == p->expected) return;
    while (p->moved < p->expected && p->moved + p->pack - p->count <= p->depth) {
        uint32_t records = smaller(p->pack, p->expected - p->moved);
        if (!read_words(p, p->vector, (size_t)records * p->size)) return;
        put_vector(part_slot(p, p->moved), p->vector);
        p->moved += records;
    }
    put(p->progress, p->moved);
    put(p->more, p->moved < p->expected);
}

/* Keeps the unknown bits of a record aside and sets its flag. */
static void note_unknown(part *p, const s_vpi_vecval *record, uint32_t *flags) {
    uint32_t index = p->moved;
    *flags |= 2;
    p->unknown_beats++;
    if (!p->unknown) open_unknown(p);
    if (!p->unknown) return;
    write_words(p, p->unknown, &index, 1);
    for (uint32_t i = 0; i < p->words; i++) {
        uint32_t bits = (uint32_t)record[i].bval;
        write_words(p, p->unknown, &bits, 1);
    }
}

static void take_record(part *p, const s_vpi_vecval *record) {
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < p->size; i++) {
        uint32_t bits = (uint32_t)record[i].bval;
        p->record[i] = (uint32_t)record[i].aval & ~bits;
        unknown |= bits;
    }
    if (unknown) note_unknown(p, record, &p->record[p->words]);
    if (record[p->words].bval & 1) p->record[p->words] |= 4;
    write_words(p, p->file, p->record, p->size);
    p->moved++;
}

static void drain(part *p) {
    if (p->moved == p->count) return;
    while (p->moved != p->count && !run.failed) {
        s_vpi_value value = {.format = vpiVectorVal};
        vpi_get_value(part_slot(p, p->moved), &value);
        do {
            take_record(p, value.value.vector + (p->moved & (p->pack - 1)) * p->size);
        } while (p->moved != p->count && (p->moved & (p->pack - 1)));
    }
    put(p->progress, p->moved);
}

/* ---- the end ---- */

static void read_meters(void) {
    for (size_t i = 0; i < run.part_count; i++) {
        for (size_t k = 0; run.parts[i].kind == PART_METER && k < METER_VALUES; k++)
            run.meters[i * METER_VALUES + k] = part_get(&run.parts[i], "", meter_names[k]);
    }
}

static void write_part(FILE *file, size_t i) {
    const part *p = &run.parts[i];
    const char *scope = part_scopes[p->kind];
    fprintf(file, "%s %u", part_names[p->kind], (unsigned)p->index);
    if (p->kind == PART_METER) {
        for (size_t k = 0; k < METER_VALUES; k++)
            fprintf(file, " %s %u", meter_names[k], (unsigned)run.meters[i * METER_VALUES + k]);
    } else {
        fprintf(file, " beats %u expected %u first %u last %u", (unsigned)p->count, (unsigned)p->expected,
                (unsigned)part_get(p, scope, "first_cycle"), (unsigned)part_get(p, scope, "last_cycle"));
        if (p->kind == PART_SOURCE) {
            fprintf(file, " errors %u", (unsigned)part_get(p, scope, "errors"));
        } else {
            fprintf(file, " unknown %u violation %u violation_cycle %u", (unsigned)p->unknown_beats,
                    (unsigned)part_get(p, ".u_check", "violation"),
                    (unsigned)part_get(p, ".u_check", "violation_cycle"));
        }
    }
    fputc('\n', file);
}

static void close_file(part *p, FILE **file) {
    if (*file && (ferror(*file) | fclose(*file))) fail("cannot write '%s': %s", p->path, strerror(errno));
    *file = NULL;
}

static void finish(const char *status, uint32_t cycle) {
    if (!run.complete) read_meters();
    for (size_t i = 0; i < run.part_count; i++) {
        close_file(&run.parts[i], &run.parts[i].file);
        close_file(&run.parts[i], &run.parts[i].unknown);
    }
    if (run.failed) return;
    FILE *file = fopen(run.statistics, "w");
    if (file) {
        fprintf(file, "status %s\ncycles %u\nservices %u\n", status,
                (unsigned)(run.complete ? run.complete_cycle : cycle), (unsigned)run.services);
        for (size_t i = 0; i < run.part_count; i++) write_part(file, i);
        fputs("end\n", file);
        if (ferror(file) | fclose(file)) file = NULL;
    }
    if (!file) fail("cannot write '%s': %s", run.statistics, strerror(errno));
    if (run.failed) remove(run.statistics);
    put(run.done, 1);
}

/* ---- events ---- */

static uint32_t after(uint32_t cycle, uint32_t delay) {
    return cycle > UINT32_MAX - delay ? UINT32_MAX : cycle + delay;
}

/* Next cycle at which the harness must look again even when no part calls. */
static void set_wake(uint32_t cycle) {
    uint32_t wake = smaller(run.cycle_limit, after(cycle, (run.watchdog + 3) / 4));
    if (run.complete) wake = smaller(wake, after(run.ended ? run.end_cycle : cycle, run.drain));
    if (run.dump) wake = smaller(wake, cycle < run.dump_from ? run.dump_from : run.dump_to);
    put(run.wake, wake);
}

static void start(void) {
    read_run();
    run.cycle = find("u_clock.cycle");
    run.wake = find("u_service.wake");
    run.done = find("u_service.done");
    run.dump_handle = find("u_service.dump");
    if (!run.cycle || !run.wake || !run.done || !run.dump_handle)
        fail("the bench needs 'tb.u_clock' and 'tb.u_service'");
    run.meters = allocate(run.part_count * METER_VALUES, sizeof *run.meters);
    for (size_t i = 0; i < run.part_count && !run.failed; i++) {
        part *p = &run.parts[i];
        if (p->kind == PART_METER) part_put(p, "", "enable", 1);
        else open_stream(p);
        if (!run.failed && p->kind == PART_SOURCE) fill(p);
    }
    if (run.dump && run.dump_from == 0) put(run.dump_handle, 1);
    if (!run.failed) set_wake(0);
}

/* What results do not need, the end of a frame that a pool leaves out, may still be under way; it is waited for half as
 * long as the run has taken. */
static void wait_for_taps(uint32_t cycle) {
    bool all = true;
    for (size_t i = 0; i < run.part_count; i++) {
        const part *p = &run.parts[i];
        if (p->kind == PART_TAP && p->count < p->expected) all = false;
    }
    run.ended = all || cycle >= after(run.complete_cycle, run.complete_cycle / 2);
    run.end_cycle = cycle;
}

/* Returns what the run has come to, or NULL to go on. */
static const char *judge(uint32_t cycle) {
    bool complete = true;
    bool sinks = false;
    uint64_t activity = 0;
    for (size_t i = 0; i < run.part_count; i++) {
        const part *p = &run.parts[i];
        if (p->kind == PART_SINK) sinks = true;
        if (p->kind == PART_SINK || p->kind == PART_SOURCE) activity += smaller(p->count, p->expected);
    }
    for (size_t i = 0; i < run.part_count; i++) {
        const part *p = &run.parts[i];
        if (p->kind == (sinks ? PART_SINK : PART_SOURCE) && p->count < p->expected) complete = false;
    }
    if (complete && !run.complete) {
        run.complete = true;
        run.complete_cycle = cycle;
        read_meters();
    }
    if (run.complete && !run.ended) wait_for_taps(cycle);
    if (activity != run.activity) {
        run.activity = activity;
        run.activity_cycle = cycle;
    }
    if (run.dump && cycle >= run.dump_to) return "window";
    if (run.ended && cycle >= after(run.end_cycle, run.drain)) return "done";
    if (cycle >= run.cycle_limit) return "limit";
    if (!run.complete && cycle - run.activity_cycle >= run.watchdog) return "deadlock";
    return NULL;
}

static void service(void) {
    uint32_t cycle = get(run.cycle);
    run.services++;
    for (size_t i = 0; i < run.part_count && !run.failed; i++) {
        part *p = &run.parts[i];
        if (p->kind == PART_METER) continue;
        p->count = get(p->count_handle);
        if (p->kind == PART_SOURCE) fill(p);
        else drain(p);
    }
    if (run.dump && cycle >= run.dump_from) put(run.dump_handle, 1);
    const char *status = judge(cycle);
    if (status || run.failed) finish(status, cycle);
    else set_wake(cycle);
}

void weir_sim_event(int kind) {
    if (kind == 0) start();
    else service();
    if (run.failed) vpi_control(vpiFinish, 1);
}

/* ---- registration with a simulator that loads VPI modules (Verilator has the DPI import instead) ---- */

#ifdef WEIR_HARNESS_VPI
static PLI_INT32 call(PLI_BYTE8 *user) {
    s_vpi_value value = {.format = vpiIntVal};
    (void)user;
    vpiHandle self = vpi_handle(vpiSysTfCall, NULL);
    vpiHandle arguments = self ? vpi_iterate(vpiArgument, self) : NULL;
    vpiHandle kind = arguments ? vpi_scan(arguments) : NULL;
    if (!kind) {
        fail("$weir_sim_event needs an argument");
        vpi_control(vpiFinish, 1);
        return 0;
    }
    vpi_get_value(kind, &value);
    vpi_free_object(arguments);
    weir_sim_event((int)value.value.integer);
    return 0;
}

static void registration(void) {
    static char name[] = "$weir_sim_event";
    s_vpi_systf_data task = {.type = vpiSysTask, .tfname = name, .calltf = call};
    vpi_register_systf(&task);
}

void (*vlog_startup_routines[])(void) = {registration, NULL};
#endif
