/* GTKWave reads an expected value from a filter file: a group of bits (valid, ready, number of the beat) has a text for
 * each of its values, so that the bench needs no signals for it. Lines exist for the beats of the window only. The save
 * file says that it is /waves/NAME.gtkw: GTKWave then looks for other names in /waves/ beside it, wherever it is.
 * Surfer runs a file of its commands (its user guide, "Commands"): it names signals without their ranges. */
#include "cosim/wave.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scoreboard.h"
#include "support/file/file.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

/* GTKWave's flags of a trace, as its save files have them after '@'. */
enum {
    BIT = 0x28,
    HEX = 0x22,
    DECIMAL = 0x24,
    SIGNED = 0x400,
    FILTERED = 0x2000,
    CLOSED = 0x400000,
    GROUP_BEGIN = 0x800200,
    GROUP_END = 0x1000200
};
/* Filter files that GTKWave 3.3 reads at most. */
enum { MAX_FILTERS = 128 };
/* Of weir_sim_clock: a beat of cycle 0 is offered when time reaches OFFERED, and accepted half a cycle later. */
enum { CYCLE = 10, OFFERED = 100, CYCLES_BEFORE_MARKER = 8 };

typedef struct saving {
    const weir_wave *wave;
    const char *top; /* the bench's scope */
    char *name;      /* of the files, without folder and extension */
    char *folder;    /* of the filter files */
    size_t first;    /* stream that diverges */
} saving;

/* --- expected values --- */

/* Is a recorded beat of the stream another than the reference's, or `last` with it? */
static bool is_wrong(const weir_wave_stream *s, uint64_t beat) {
    weir_comparison c;
    weir_scoreboard_compare_beat(&s->layout, s->code, s->recorded, beat, &c);
    return c.wrong_values + c.unknown_values + c.wrong_lasts > 0;
}

/* Texts of the beats that the window can show: those accepted in it, and the one that is offered when it ends. */
static bool write_filter(const saving *to, const weir_wave_stream *s, uint32_t lane) {
    const uint64_t beats = weir_beats_per_frame(&s->layout), all = beats * (uint64_t)to->wave->frames;
    weir_text text = {0};
    uint64_t beat = 0;
    while (beat < s->recorded->count && weir_beat_cycle(s->recorded, (size_t)beat) < to->wave->from) beat++;
    for (; beat <= s->recorded->count; beat++) {
        const uint64_t element = beat % beats * s->layout.lanes + lane;
        weir_text value = {0};
        if (beat >= all) {
            weir_text_add(&value, "?red?no beat");
        } else {
            if (beat < s->recorded->count && is_wrong(s, beat)) weir_text_add(&value, "?red?");
            if (element < s->layout.frame_elements)
                weir_text_format(&value, "%" PRId64, s->code[beat / beats * s->layout.frame_elements + element]);
            else weir_text_add(&value, "padding");
        }
        /* valid and ready are the upper two bits */
        weir_text_format(&text, "0%08" PRIx64 " .\n1%08" PRIx64 " .\n2%08" PRIx64 " %s\n3%08" PRIx64 " %s\n", beat,
                         beat, beat, value.data, beat, value.data);
        weir_text_free(&value);
    }
    char *path = weir_format("%s/%s_%zu.txt", to->folder, s->part, s->index);
    bool fine = weir_file_write(path, text.data, text.size);
    free(path);
    weir_text_free(&text);
    return fine;
}

/* --- the save file --- */

static void add_signal(weir_text *text, unsigned flags, const char *label, const char *scope, const char *signal) {
    weir_text_format(text, "@%x\n+{%s} %s%s\n", flags, label, scope, signal);
}

/* Bits [low + width - 1 : low] of a signal; GTKWave counts them from the left. */
static void add_bits(weir_text *text, const char *signal, uint32_t whole, uint32_t low, uint32_t width) {
    for (uint32_t bit = low + width; bit-- > low;)
        weir_text_format(text, " (%u)%s", (unsigned)(whole - 1 - bit), signal);
}

static void add_element(weir_text *text, const weir_beats_layout *layout, const char *data, uint32_t lane) {
    const uint32_t width = weir_beats_width(layout), bits = layout->element_bits;
    const unsigned flags = DECIMAL | (layout->is_signed ? SIGNED : 0);
    if (layout->lanes == 1) {
        add_signal(text, flags, "element", data, "");
        return;
    }
    weir_text_format(text, "@%x\n+{element %u of %u} #{element}", flags, (unsigned)lane, (unsigned)layout->lanes);
    add_bits(text, data, width, lane * bits, bits);
    weir_text_char(text, '\n');
}

static bool add_expected(const saving *to, weir_text *text, const weir_wave_stream *s, const char *scope,
                         uint32_t lane) {
    weir_text_format(text, "@%x\n^1 /waves/%s.expected/%s_%zu.txt\n+{expected} #{expected} %ss_valid %ss_ready",
                     HEX | FILTERED, to->name, s->part, s->index, scope, scope);
    char *count = weir_format("%su_record.count[31:0]", scope);
    add_bits(text, count, 32, 0, 32);
    weir_text_char(text, '\n');
    free(count);
    return write_filter(to, s, lane);
}

/* "fc1", "x (input)", and of a node with several streams "fork", "fork [1]", ... */
static char *title_of(const weir_wave *wave, size_t index) {
    const weir_wave_stream *s = &wave->streams[index];
    size_t before = 0;
    for (const weir_wave_stream *other = s; other-- > wave->streams && strcmp(other->part, s->part) == 0;)
        before += strcmp(other->name, s->name) == 0;
    weir_text title = {0};
    weir_text_plain(&title, s->name, strlen(s->name));
    if (strcmp(s->part, "tap") != 0) weir_text_add(&title, s->recorded == NULL ? " (input)" : " (output)");
    if (before > 0) weir_text_format(&title, " [%zu]", before);
    return title.data;
}

/* GTKWave's name of a port, of one bit as the simulators write it. */
static char *data_of(const saving *to, const char *port, uint32_t width) {
    if (width > 1) return weir_format("%sdata[%u:0]", port, (unsigned)(width - 1));
    return weir_format(to->wave->simulator == WEIR_SIM_VERILATOR ? "%sdata[0]" : "%sdata", port);
}

static bool add_stream(const saving *to, weir_text *text, size_t index) {
    const weir_wave *wave = to->wave;
    const weir_wave_stream *s = &wave->streams[index];
    const bool diverges = index == to->first, is_source = s->recorded == NULL;
    const unsigned closed = diverges ? 0 : CLOSED;
    const uint32_t lane = diverges && wave->where != NULL ? (uint32_t)(wave->element % s->layout.lanes) : 0;
    const size_t distance = index < to->first ? to->first - index : index - to->first;
    char *scope = weir_format("%su_%s_%zu.", to->top, s->part, s->index);
    char *port = weir_format("%s%c_", scope, is_source ? 'm' : 's');
    char *data = data_of(to, port, weir_beats_width(&s->layout));
    char *title = title_of(wave, index);
    weir_text_format(text, "@%x\n-%s\n", GROUP_BEGIN | closed, title);
    add_signal(text, BIT, "valid", port, "valid");
    add_signal(text, BIT, "ready", port, "ready");
    add_signal(text, BIT, "last", port, "last");
    add_signal(text, HEX, "data", data, "");
    add_signal(text, DECIMAL, "beat", scope, is_source ? "count[31:0]" : "u_record.count[31:0]");
    add_element(text, &s->layout, data, lane);
    const bool fine = is_source || distance >= MAX_FILTERS / 2 || add_expected(to, text, s, scope, lane);
    weir_text_format(text, "@%x\n-%s\n", GROUP_END | closed, title);
    free(title);
    free(scope);
    free(port);
    free(data);
    return fine;
}

static bool write_beside(const saving *to, const char *extension, const weir_text *text) {
    char *folder = weir_path_folder(to->wave->path), *path = weir_format("%s/%s.%s", folder, to->name, extension);
    const bool fine = weir_file_write(path, text->data, text->size);
    free(folder);
    free(path);
    return fine;
}

/* When the beats of a cycle are offered. */
static int64_t time_of(int64_t cycle) { return OFFERED + CYCLE * cycle; }

static bool save_gtkwave(const saving *to) {
    const weir_wave *wave = to->wave;
    const int64_t marker = time_of(wave->cycle);
    weir_text text = {0};
    bool fine = true;
    weir_text_format(&text, "[dumpfile] \"/waves/%s.fst\"\n[savefile] \"/waves/%s.gtkw\"\n", to->name, to->name);
    weir_text_format(
        &text, "[timestart] %" PRId64 "\n[size] 1400 800\n*-5.5 %" PRId64 "\n[signals_width] 360\n[sst_expanded] 0\n",
        marker - CYCLE * CYCLES_BEFORE_MARKER, marker);
    add_signal(&text, BIT, "clk", to->top, "clk");
    add_signal(&text, BIT, "rst", to->top, "rst");
    add_signal(&text, DECIMAL, "cycle", to->top, "cycle[31:0]");
    for (size_t i = 0; fine && i < wave->stream_count; i++) fine = add_stream(to, &text, i);
    fine = fine && write_beside(to, "gtkw", &text);
    weir_text_free(&text);
    return fine;
}

/* A command takes one word. */
static void add_word(weir_text *text, const char *title) {
    for (; *title != '\0'; title++) weir_text_char(text, *title == ' ' ? '_' : *title);
}

static void add_surfer_stream(const saving *to, weir_text *text, size_t index) {
    static const char *const signals[] = {"valid", "ready", "last", "data"};
    const weir_wave_stream *s = &to->wave->streams[index];
    const bool is_source = s->recorded == NULL;
    char *title = title_of(to->wave, index);
    weir_text_add(text, "divider_add ");
    add_word(text, title);
    free(title);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        weir_text_format(text, "\nvariable_add %su_%s_%zu.%c_%s", to->top, s->part, s->index, is_source ? 'm' : 's',
                         signals[i]);
    weir_text_format(text, "\nvariable_add %su_%s_%zu.%s\n", to->top, s->part, s->index,
                     is_source ? "count" : "u_record.count");
}

/* The stream that diverges comes first. */
static bool save_surfer(const saving *to) {
    const weir_wave *wave = to->wave;
    weir_text text = {0};
    weir_text_format(&text, "variable_add %sclk\nvariable_add %srst\nvariable_add %scycle\n", to->top, to->top,
                     to->top);
    add_surfer_stream(to, &text, to->first);
    for (size_t i = 0; i < wave->stream_count; i++)
        if (i != to->first) add_surfer_stream(to, &text, i);
    weir_text_format(&text, "zoom_to %" PRId64 " %" PRId64 "\ncursor_set %" PRId64 "\n",
                     time_of((int64_t)wave->cycle - CYCLES_BEFORE_MARKER),
                     time_of(wave->cycle + 2 * CYCLES_BEFORE_MARKER), time_of(wave->cycle));
    const bool fine = write_beside(to, "sucl", &text);
    weir_text_free(&text);
    return fine;
}

bool weir_wave_save(const weir_wave *wave) {
    assert(wave->stream_count > 0 && wave->frames >= 0);
    const char *name = weir_path_name(wave->path), *dot = strrchr(name, '.');
    const size_t size = dot == NULL ? strlen(name) : (size_t)(dot - name);
    char *folder = weir_path_folder(wave->path);
    saving to = {.wave = wave,
                 .top = wave->simulator == WEIR_SIM_VERILATOR ? "TOP.tb." : "tb.",
                 .name = weir_format("%.*s", (int)size, name)};
    to.folder = weir_format("%s/%s.expected", folder, to.name);
    for (size_t i = wave->stream_count; wave->where != NULL && i-- > 0;) {
        if (strcmp(wave->streams[i].name, wave->where) == 0) to.first = i;
    }
    bool fine = weir_remove_tree(to.folder) && weir_make_folder(to.folder) && save_gtkwave(&to) && save_surfer(&to);
    free(folder);
    free(to.folder);
    free(to.name);
    return fine;
}
