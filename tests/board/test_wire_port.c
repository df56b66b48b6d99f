/* Serial ports, played by pseudo-terminals: a whole conversation, and every way in which opening one fails. */
#define _DEFAULT_SOURCE /* setgroups */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_pty.h"
#include "wire/port.h"
#include "wire/wire.h"

static const fake_board_settings settings = {
    .receive_log2 = 12, .send_log2 = 11, .bytes_in = 64, .bytes_out = 10, .clock_hz = 48e6, .real_clock_hz = 24e6};

#define SECOND UINT64_C(1000000)

static void check_fine(weir_wire_error error, const weir_failure *why) {
    if (error != WEIR_WIRE_OK) fail_msg("%s: %s", weir_failure_name(error), why->text);
}

static weir_wire *open_wire(const fake_pty *pty) {
    weir_transport transport;
    weir_wire *wire;
    weir_failure why;
    check_fine(weir_port_open(&transport, pty->path, 3000000, NULL, NULL, &why), &why);
    check_fine(weir_wire_open(&wire, &transport, 3000000, &why), &why);
    return wire;
}

static void frames_go_through_a_terminal(void **state) {
    (void)state;
    fake_pty pty;
    fake_pty_begin(&pty, &settings);
    for (int round = 0; round < 2; round++) { /* a second host finds it as the first did */
        weir_wire *wire = open_wire(&pty);
        weir_failure why;
        weir_wire_identity identity;
        check_fine(weir_wire_identify(wire, &identity, &why), &why);
        const weir_wire_frames frames = {64, 10, 20};
        check_fine(weir_wire_begin(wire, WEIR_MODE_ACCELERATOR, &frames, &why), &why);
        unsigned submitted = 0, received = 0;
        while (received < 2000) {
            uint8_t frame[64], expected[10], result[10];
            for (; submitted < 2000 && submitted < received + 20; submitted++) {
                memset(frame, (int)submitted, sizeof frame);
                check_fine(weir_wire_submit(wire, frame, SECOND, &why), &why);
            }
            check_fine(weir_wire_receive(wire, result, 10 * SECOND, &why), &why);
            memset(frame, (int)received++, sizeof frame);
            fake_result(frame, sizeof frame, expected, sizeof expected);
            assert_memory_equal(result, expected, sizeof result);
        }
        check_fine(weir_wire_check(wire, NULL, &why), &why);
        weir_wire_clock clock;
        check_fine(weir_wire_measure_clock(wire, SECOND / 4, &clock, &why), &why);
        printf("24 MHz: measured %.0f, within %.0f\n", clock.hz, clock.error);
        assert_true(clock.hz - clock.error <= 24e6 && 24e6 <= clock.hz + clock.error);
        weir_wire_close(wire);
    }
    fake_pty_end(&pty);
}

/* Every byte value passes as it is, and any rate. */
static void bytes_are_raw(void **state) {
    (void)state;
    fake_pty pty;
    fake_pty_begin(&pty, &settings);
    weir_wire *wire = open_wire(&pty);
    uint8_t out[4096], in[4096];
    weir_failure why;
    for (size_t i = 0; i < sizeof out; i++) out[i] = (uint8_t)(i ^ i >> 8);
    check_fine(weir_wire_begin(wire, WEIR_MODE_ECHO, NULL, &why), &why);
    check_fine(weir_wire_exchange(wire, out, sizeof out, in, sizeof in, 10 * SECOND, &why), &why);
    assert_memory_equal(out, in, sizeof in);
    weir_wire_close(wire);
    static const unsigned rates[] = {9600, 115200, 122112, 3000000, 12000000};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        weir_transport transport;
        weir_port_facts facts;
        check_fine(weir_port_open(&transport, pty.path, rates[i], NULL, &facts, &why), &why);
        assert_int_equal(facts.baud, rates[i]);
        assert_int_equal(facts.latency_timer, -1);
        assert_int_equal(transport.set_baud(transport.user, 0, &why), WEIR_WIRE_BAUD);
        transport.close(transport.user);
    }
    fake_pty_end(&pty);
}

static void expect_refused(const char *path, unsigned baud, weir_wire_error expected) {
    weir_transport transport;
    weir_failure why;
    const weir_wire_error error = weir_port_open(&transport, path, baud, NULL, NULL, &why);
    if (error != expected)
        fail_msg("%s: %s instead of %s", path, weir_failure_name(error), weir_failure_name(expected));
    printf("%s: %s\n", weir_failure_name(error), why.text);
    assert_non_null(strstr(why.text, path));
    assert_int_equal(weir_port_open(&transport, path, baud, NULL, NULL, NULL), expected);
}

/* In a child that is nobody, where this is root. */
static void become_nobody(void) {
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)) _exit(100);
}

static bool others_can_open(const char *path) {
    const pid_t child = fork();
    if (child == 0) {
        become_nobody();
        _exit(open(path, O_RDWR | O_NOCTTY) < 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    return WEXITSTATUS(status) == 0;
}

static void expect_refused_to_others(const char *path, weir_wire_error expected) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        weir_transport transport;
        become_nobody();
        _exit((int)weir_port_open(&transport, path, 115200, NULL, NULL, NULL));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
}

static void refusals(void **state) {
    (void)state;
    fake_pty pty;
    fake_pty_begin(&pty, &settings);
    expect_refused("/dev/no_such_port", 115200, WEIR_WIRE_NOT_FOUND);
    expect_refused("/dev/null", 115200, WEIR_WIRE_NOT_A_PORT);
    expect_refused(pty.path, 0, WEIR_WIRE_BAUD);
    assert_int_equal(chmod(pty.path, 0666), 0);
    weir_transport transport;
    weir_failure why;
    check_fine(weir_port_open(&transport, pty.path, 115200, NULL, NULL, &why), &why);
    expect_refused(pty.path, 115200, WEIR_WIRE_IN_USE); /* root: by the lock; others: by TIOCEXCL */
    expect_refused_to_others(pty.path, WEIR_WIRE_IN_USE);
    assert_false(others_can_open(pty.path)); /* a program that knows of no lock */
    transport.close(transport.user);
    assert_true(others_can_open(pty.path));
    expect_refused_to_others(pty.path, WEIR_WIRE_OK); /* it is free again */
    assert_int_equal(chmod(pty.path, 0), 0);
    expect_refused_to_others(pty.path, WEIR_WIRE_NOT_ALLOWED);
    fake_pty_end(&pty);
}

static void a_terminal_that_disappears_is_told(void **state) {
    (void)state;
    fake_pty pty;
    fake_pty_begin(&pty, &settings);
    weir_wire *wire = open_wire(&pty);
    weir_failure why;
    uint32_t value;
    check_fine(weir_wire_read(wire, WEIR_REGISTER_MAGIC, &value, &why), &why);
    fake_pty_end(&pty);
    assert_int_equal(weir_wire_read(wire, WEIR_REGISTER_MAGIC, &value, &why), WEIR_WIRE_GONE);
    printf("%s\n", why.text);
    assert_int_equal(weir_wire_begin(wire, WEIR_MODE_ECHO, NULL, &why), WEIR_WIRE_GONE);
    weir_wire_close(wire);
}

/* sysfs as an FTDI chip has it, below a folder. */
static void the_latency_timer_is_read(void **state) {
    (void)state;
    fake_pty pty;
    fake_pty_begin(&pty, &settings);
    char folder[] = "/tmp/weir_port_XXXXXX", path[300], command[400];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/class/tty/%s/device", folder, strrchr(pty.path, '/') + 1);
    snprintf(command, sizeof command, "mkdir -p %s", path);
    assert_int_equal(system(command), 0);
    static const int timers[] = {16, 1};
    for (size_t i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "echo %d >%s/latency_timer", timers[i], path);
        assert_int_equal(system(command), 0);
        weir_transport transport;
        weir_port_facts facts;
        weir_failure why;
        check_fine(weir_port_open(&transport, pty.path, 115200, folder, &facts, &why), &why);
        assert_int_equal(facts.latency_timer, timers[i]);
        assert_false(facts.is_low_latency);
        char advice[200] = "";
        assert_int_equal(weir_port_advice(&facts, pty.path, advice, sizeof advice), timers[i] > 1);
        assert_int_equal(strstr(advice, "16 ms") != NULL, timers[i] > 1);
        transport.close(transport.user);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    fake_pty_end(&pty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_go_through_a_terminal),
        cmocka_unit_test(bytes_are_raw),
        cmocka_unit_test(refusals),
        cmocka_unit_test(a_terminal_that_disappears_is_told),
        cmocka_unit_test(the_latency_timer_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
