/* What opens a waveform, by hand: expected values of the beats in the window, wrong ones marked, titles, and GTKWave's
 * limit of filter files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cosim/wave.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

enum { STREAMS = 200, FIRST = 150 };

static char folder[] = "wave-XXXXXX";

static int set_up(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int tear_down(void **state) {
    (void)state;
    return !weir_remove_tree(folder);
}

static char *read_text(const char *name) {
    char *path = weir_path_join(folder, name);
    size_t size = 0;
    char *text = weir_file_exists(path) ? weir_file_read(path, &size) : NULL;
    free(path);
    return text;
}

/* Two frames of three elements of 8 bits, two a beat: beats (1, -2) (3, padding) (4, 5) (-6, padding). Recorded are,
 * before the window, the first; the second with garbage in the padding; the third with another element 1 and `last`
 * right; the fourth with `last` low; and a fifth. */
static const int64_t codes[] = {1, -2, 3, 4, 5, -6};
static uint32_t records[] = {0xfe01, 0, 9, 0xab03, 1, 10, 0x0604, 0, 11, 0x00fa, 0, 12, 0, 0, 13};

static weir_wave_stream stream_of(const weir_beats *beats, const char *name) {
    const weir_beats_layout layout = {.lanes = 2, .element_bits = 8, .is_signed = true, .frame_elements = 3};
    return (weir_wave_stream){.name = name, .part = "tap", .layout = layout, .code = codes, .recorded = beats};
}

static void expected_values(void **state) {
    (void)state;
    static uint32_t unknown[] = {1, 0xff00}; /* bits of padding: no fault */
    const weir_beats beats = {.words = 1, .count = 5, .records = records, .unknown_count = 1, .unknown = unknown};
    weir_wave_stream streams[] = {stream_of(&beats, "fork"), stream_of(&beats, "fork")};
    streams[1].index = 1;
    char *path = weir_path_join(folder, "values.fst");
    const weir_wave wave = {.path = path,
                            .frames = 2,
                            .from = 10,
                            .cycle = 11,
                            .where = "fork",
                            .element = 1,
                            .simulator = WEIR_SIM_ICARUS,
                            .stream_count = 2,
                            .streams = streams};
    assert_true(weir_wave_save(&wave));
    char *text = read_text("values.expected/tap_0.txt");
    assert_string_equal(text, "000000001 .\n100000001 .\n200000001 padding\n300000001 padding\n"
                              "000000002 .\n100000002 .\n200000002 ?red?5\n300000002 ?red?5\n"
                              "000000003 .\n100000003 .\n200000003 ?red?padding\n300000003 ?red?padding\n"
                              "000000004 .\n100000004 .\n200000004 ?red?no beat\n300000004 ?red?no beat\n"
                              "000000005 .\n100000005 .\n200000005 ?red?no beat\n300000005 ?red?no beat\n");
    free(text);
    text = read_text("values.gtkw");
    /* the beat of cycle 11 is on offer from 105 + 10 * 10 to 105 + 10 * 11 */
    assert_non_null(strstr(text, "\n*-5.5 210\n"));
    assert_non_null(strstr(text, "\n@800200\n-fork\n"));
    assert_non_null(strstr(text, "\n@c00200\n-fork [1]\n"));
    assert_non_null(
        strstr(text, "+{element 1 of 2} #{element} (0)tb.u_tap_0.s_data[15:0] (1)tb.u_tap_0.s_data[15:0] "));
    assert_non_null(strstr(text, " (7)tb.u_tap_0.s_data[15:0]\n@2022\n^1 /waves/values.expected/tap_0.txt\n"));
    free(text);
    free(path);
}

/* Of 200 streams those around the one that diverges; of all the signals. A source has none. */
static void limit(void **state) {
    (void)state;
    const weir_beats beats = {.words = 1, .count = 1, .records = records};
    static weir_wave_stream streams[STREAMS];
    static char names[STREAMS][8];
    for (size_t i = 0; i < STREAMS; i++) {
        names[i][0] = 'n';
        names[i][1] = (char)('0' + i / 100);
        names[i][2] = (char)('0' + i / 10 % 10);
        names[i][3] = (char)('0' + i % 10);
        streams[i] = stream_of(&beats, names[i]);
        streams[i].index = i;
    }
    streams[0].part = "source";
    streams[0].recorded = NULL;
    streams[FIRST].layout = (weir_beats_layout){.lanes = 1, .element_bits = 1, .frame_elements = 3};
    char *path = weir_path_join(folder, "many.fst");
    const weir_wave wave = {.path = path,
                            .frames = 1,
                            .where = names[FIRST],
                            .simulator = WEIR_SIM_VERILATOR,
                            .stream_count = STREAMS,
                            .streams = streams};
    assert_true(weir_wave_save(&wave));
    char *text = read_text("many.gtkw");
    size_t filters = 0, groups = 0;
    for (const char *at = text; (at = strstr(at, "\n^1 ")) != NULL; at++) filters++;
    for (const char *at = text; (at = strstr(at, "+{valid} ")) != NULL; at++) groups++;
    assert_int_equal(groups, STREAMS);
    assert_true(filters <= 128 && filters >= 100);
    assert_non_null(strstr(text, "-n000 (input)\n@28\n+{valid} TOP.tb.u_source_0.m_valid\n"));
    /* a single bit */
    assert_non_null(strstr(text, "+{data} TOP.tb.u_tap_150.s_data[0]\n"));
    free(text);
    char *near = read_text("many.expected/tap_151.txt"), *far = read_text("many.expected/tap_20.txt");
    assert_true(near != NULL && far == NULL);
    free(near);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(expected_values), cmocka_unit_test(limit)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
