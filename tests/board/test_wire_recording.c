/* Recordings: what was recorded plays again, and what differs is told at its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_wire.h"
#include "support/file/file.h"
#include "wire/recording.h"
#include "wire/wire.h"

#define SECOND UINT64_C(1000000)

static char path[] = "recording_XXXXXX";

static const fake_wire_settings bad = {
    .board =
        {.receive_log2 = 11, .send_log2 = 11, .bytes_in = 64, .bytes_out = 10, .clock_hz = 48e6, .real_clock_hz = 48e6},
    .baud = 460800,
    .delay = 1000000,
    .rate = 1e-3,
    .seed = 3,
};

static void check_fine(weir_wire_error error, const weir_failure *why) {
    if (error != WEIR_WIRE_OK) fail_msg("%s: %s", weir_failure_name(error), why->text);
}

/* What a host does; `changed` of its frames is another one. The transport is closed. */
static weir_wire_error talk(const weir_transport *transport, unsigned frames_count, unsigned changed,
                            weir_wire_clock *clock, weir_failure *why) {
    const weir_wire_frames frames = {64, 10, 8};
    weir_wire *wire;
    weir_wire_rate rate;
    uint8_t frame[64], expected[10], result[10];
    check_fine(weir_wire_open(&wire, transport, 115200, why), why);
    weir_wire_error error = weir_wire_probe(wire, 115200, &rate, why);
    if (error == WEIR_WIRE_OK) error = weir_wire_measure_clock(wire, SECOND / 10, clock, why);
    if (error == WEIR_WIRE_OK) error = weir_wire_begin(wire, WEIR_MODE_ACCELERATOR, &frames, why);
    unsigned submitted = 0;
    for (unsigned received = 0; received < frames_count && error == WEIR_WIRE_OK; received++) {
        for (; submitted < frames_count && submitted < received + 8 && error == WEIR_WIRE_OK; submitted++) {
            memset(frame, (int)(submitted * 7), sizeof frame);
            if (submitted == changed) frame[63] ^= 1;
            error = weir_wire_submit(wire, frame, SECOND, why);
        }
        if (error == WEIR_WIRE_OK) error = weir_wire_receive(wire, result, SECOND, why);
        memset(frame, (int)(received * 7), sizeof frame);
        fake_result(frame, sizeof frame, expected, sizeof expected);
        if (error == WEIR_WIRE_OK && received != changed) assert_memory_equal(result, expected, sizeof result);
    }
    if (transport->user != NULL && error == WEIR_WIRE_OK) error = weir_wire_check(wire, NULL, why);
    weir_wire_close(wire);
    return error;
}

static weir_wire_error record(fake_wire_settings settings, weir_wire_clock *clock, weir_failure *why) {
    weir_transport transport;
    fake_wire *fake = fake_wire_new(&settings, &transport);
    check_fine(weir_recording_write(&transport, path, why), why);
    const weir_wire_error error = talk(&transport, 200, 1000, clock, why);
    fake_wire_free(fake);
    return error;
}

static void what_was_recorded_plays_again(void **state) {
    (void)state;
    weir_wire_clock first, second;
    weir_failure why;
    weir_transport transport;
    check_fine(record(bad, &first, &why), &why);
    size_t size;
    char *text = weir_file_read(path, &size);
    assert_non_null(text);
    assert_int_equal(strncmp(text, "weir recording 1\n", 17), 0);
    free(text);
    assert_true(access("recording_XXXXXX.part", F_OK) != 0);
    check_fine(weir_recording_play(&transport, path, &why), &why);
    check_fine(talk(&transport, 200, 1000, &second, &why), &why);
    assert_true(first.hz == second.hz && first.error == second.error);
}

static void a_failure_plays_again(void **state) {
    (void)state;
    fake_wire_settings settings = bad;
    settings.gone_at = 1500000000;
    weir_wire_clock clock;
    weir_failure why, again;
    weir_transport transport;
    assert_int_equal(record(settings, &clock, &why), WEIR_WIRE_GONE);
    check_fine(weir_recording_play(&transport, path, &again), &again);
    assert_int_equal(talk(&transport, 200, 1000, &clock, &again), WEIR_WIRE_GONE);
    assert_string_equal(why.text, again.text);
}

static void what_differs_is_told(void **state) {
    (void)state;
    weir_wire_clock clock;
    weir_failure why;
    weir_transport transport;
    check_fine(record(bad, &clock, &why), &why);
    check_fine(weir_recording_play(&transport, path, &why), &why);
    assert_int_equal(talk(&transport, 200, 150, &clock, &why), WEIR_WIRE_DIFFERS); /* another byte */
    printf("%s\n", why.text);
    check_fine(weir_recording_play(&transport, path, &why), &why);
    assert_int_equal(talk(&transport, 201, 1000, &clock, &why), WEIR_WIRE_DIFFERS); /* more */
    printf("%s\n", why.text);
    check_fine(weir_recording_play(&transport, path, &why), &why);
    assert_int_equal(weir_recording_is_over(&transport, &why), WEIR_WIRE_DIFFERS); /* less */
    printf("%s\n", why.text);
    assert_int_equal(transport.set_baud(transport.user, 9600, &why), WEIR_WIRE_DIFFERS); /* another call */
    printf("%s\n", why.text);
    uint8_t byte = 0;
    assert_int_equal(transport.read(transport.user, &byte, 1, 0, &why), -1);
    assert_int_equal(why.error, WEIR_WIRE_DIFFERS);
    transport.close(transport.user);
}

static void expect(const char *text, weir_wire_error expected) {
    weir_transport transport;
    weir_failure why;
    assert_true(weir_file_write(path, text, strlen(text)));
    const weir_wire_error error = weir_recording_play(&transport, path, &why);
    if (error != expected)
        fail_msg("'%s': %s instead of %s", text, weir_failure_name(error), weir_failure_name(expected));
    if (error == WEIR_WIRE_OK) transport.close(transport.user);
    else printf("%s\n", why.text);
}

static void files_are_checked(void **state) {
    (void)state;
    weir_transport transport;
    weir_failure why;
    assert_int_equal(weir_recording_play(&transport, "no_such_recording", &why), WEIR_WIRE_NOT_FOUND);
    assert_int_equal(weir_recording_play(&transport, ".", &why), WEIR_WIRE_SYSTEM);
    fake_wire *fake = fake_wire_new(&bad, &transport);
    assert_int_equal(weir_recording_write(&transport, "no/such/folder", &why), WEIR_WIRE_NOT_FOUND);
    transport.close(transport.user);
    fake_wire_free(fake);
    expect("weir recording 1\n0 end\n", WEIR_WIRE_OK);
    expect("weir recording 1\n0 to\n1 to 00ff\n2 from\n2 from aa\n2 baud 9600\n3 fail GONE it is gone\n9 end\n",
           WEIR_WIRE_OK);
    expect("", WEIR_WIRE_FORMAT);
    expect("weir recording 2\n0 end\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n0 to 00\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n0 end", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n0 end\n1 to\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n0 to 0\n1 end\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n0 to 0G\n1 end\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n5 to 00\n4 end\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n0 went 00\n1 end\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n0 baud\n1 end\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n0 baud 9600x\n1 end\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n0 fail OK fine\n1 end\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n0 fail NOTHING so\n1 end\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n99999999999999999999 end\n", WEIR_WIRE_FORMAT);
    expect("weir recording 1\n end\n", WEIR_WIRE_FORMAT);
}

/* A disk that is full is told by the next calls, and no whole file appears. */
static void a_full_disk_is_told(void **state) {
    (void)state;
    weir_transport transport;
    weir_failure why;
    if (access("/dev/full", W_OK) != 0) skip();
    remove("full");
    remove("full.part");
    assert_int_equal(symlink("/dev/full", "full.part"), 0);
    fake_wire *fake = fake_wire_new(&bad, &transport);
    check_fine(weir_recording_write(&transport, "full", &why), &why);
    weir_wire_clock clock;
    assert_int_equal(talk(&transport, 2000, 10000, &clock, &why), WEIR_WIRE_SYSTEM);
    printf("%s\n", why.text);
    fake_wire_free(fake);
    assert_true(access("full", F_OK) != 0);
    remove("full.part");
}

int main(void) {
    const int file = mkstemp(path);
    if (file < 0 || close(file) != 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_recorded_plays_again), cmocka_unit_test(a_failure_plays_again),
        cmocka_unit_test(what_differs_is_told),          cmocka_unit_test(files_are_checked),
        cmocka_unit_test(a_full_disk_is_told),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
