/* The simulated board: bytes through its tty at any baud, its time, its faults. The board echoes each byte plus the
 * number of bytes before it, at a bit of 8 cycles of its clock; so its baud is the clock's eighth. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <asm/termbits.h>
#include <sys/ioctl.h>

#include <cmocka.h>

#include "board/simulated.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "support/text/diag.h"

#define MILLISECOND UINT64_C(1000000000) /* of picoseconds */
enum { BIT = 8, SIZE = 600 };

typedef struct host {
    weir_board_sim *sim;
    weir_sim_serial *line;
    int tty;
    uint64_t read;
    uint64_t begun; /* ps */
} host;

static char *source(const char *name) {
    const char *root = getenv("WEIR_SOURCE");
    return weir_format("%s/tests/board/simulated/%s", root ? root : ".", name);
}

static void open_tty(host *h, unsigned baud) {
    struct termios2 settings;
    h->tty = open(weir_sim_serial_tty(h->line), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    assert_true(h->tty >= 0);
    assert_int_equal(ioctl(h->tty, TCGETS2, &settings), 0);
    settings.c_cflag = CS8 | CREAD | CLOCAL | BOTHER | BOTHER << IBSHIFT;
    settings.c_ispeed = settings.c_ospeed = baud;
    assert_int_equal(ioctl(h->tty, TCSETS2, &settings), 0);
    h->read = 0;
}

/* The echo at this clock, with the host at this baud. */
static host start(weir_simulator simulator, double clock_hz, unsigned baud, weir_sim_serial_options line) {
    static const weir_board_sim_input button[] = {{"button", true}};
    char *folder = source("echo");
    line.clock_hz = clock_hz;
    line.seconds = 300;
    const weir_board_sim_options options = {
        .folder = folder, .inputs = button, .input_count = 1, .simulator = simulator, .line = line};
    int status;
    host h = {.sim = weir_board_sim_start(&options, &status)};
    free(folder);
    assert_non_null(h.sim);
    h.line = weir_board_sim_line(h.sim);
    h.begun = weir_sim_serial_now(h.line);
    open_tty(&h, baud);
    return h;
}

static void stop(host *h) {
    close(h->tty);
    weir_board_sim_stop(h->sim);
}

static void pass(host *h, uint64_t picoseconds) {
    const char *why;
    if (!weir_sim_serial_wait(h->line, weir_sim_serial_now(h->line) + picoseconds, &why)) fail_msg("%s", why);
}

/* Writes `size` bytes and reads what comes back, until so many have come or nothing does for 20 ms of the board. */
static size_t exchange(host *h, const unsigned char *out, size_t size, unsigned char *in, size_t wanted) {
    size_t written = 0, got = 0;
    while (written < size || got < wanted) {
        const ssize_t put = written < size ? write(h->tty, out + written, size - written) : 0;
        if (put > 0) {
            weir_sim_serial_wrote(h->line, (uint64_t)put);
            written += (size_t)put;
        }
        const uint64_t before = weir_sim_serial_now(h->line);
        pass(h, 20 * MILLISECOND);
        const uint64_t there = weir_sim_serial_delivered(h->line) - h->read;
        if (there == 0 && weir_sim_serial_now(h->line) - before >= 20 * MILLISECOND) break;
        for (uint64_t left = there; left;) {
            unsigned char bytes[SIZE];
            struct pollfd wait = {h->tty, POLLIN, 0};
            assert_int_equal(poll(&wait, 1, 10000), 1);
            const ssize_t some = read(h->tty, bytes, left < SIZE ? left : SIZE);
            assert_true(some > 0);
            for (ssize_t i = 0; i < some; i++, got++)
                if (got < wanted) in[got] = bytes[i];
            h->read += (uint64_t)some;
            left -= (uint64_t)some;
        }
    }
    return got;
}

static void fill(unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(i * i * 7 + i / 3);
}

static bool is_echo(const unsigned char *in, const unsigned char *out, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (in[i] != (unsigned char)(out[i] + i)) return false;
    return true;
}

/* ---- bytes ---- */

/* The end in simulated time of an exchange of `size` bytes. */
static uint64_t echoes(weir_simulator simulator, double clock_hz, unsigned baud, size_t size) {
    unsigned char out[SIZE], in[SIZE];
    host h = start(simulator, clock_hz, baud, (weir_sim_serial_options){0});
    fill(out, size);
    assert_int_equal(exchange(&h, out, size, in, size), size);
    assert_true(is_echo(in, out, size));
    const weir_sim_serial_counts counts = weir_sim_serial_count(h.line);
    assert_int_equal(counts.to_board, size);
    assert_int_equal(counts.from_board, size);
    assert_int_equal(counts.framing + counts.unknown + counts.overrun, 0);
    const uint64_t end = weir_sim_serial_now(h.line) - h.begun;
    const double bits = (double)end * 1e-12 * baud; /* one byte after the other, and one echo behind the last */
    assert_true(bits > 10. * (double)size && bits < 10.2 * (double)size + 60);
    stop(&h);
    return end;
}

static void test_bauds(void **state) {
    (void)state;
    const uint64_t end = echoes(WEIR_SIM_VERILATOR, 12e6, 1500000, SIZE);
    assert_int_equal(echoes(WEIR_SIM_VERILATOR, 12e6, 1500000, SIZE), end); /* time is the board's alone */
    echoes(WEIR_SIM_VERILATOR, BIT * 115200., 115200, 100);
    echoes(WEIR_SIM_VERILATOR, BIT * 3e6, 3000000, SIZE);
    echoes(WEIR_SIM_VERILATOR, BIT * 31250., 31250, 20); /* in no list of rates */
    echoes(WEIR_SIM_VERILATOR, BIT * 1520551., 1520551, 100);
    echoes(WEIR_SIM_VERILATOR, BIT * 1520551. * 1.03, 1520551, 100);
    assert_int_equal(echoes(WEIR_SIM_ICARUS, 12e6, 1500000, 100), echoes(WEIR_SIM_VERILATOR, 12e6, 1500000, 100));
}

/* A host at another rate reads garbage; one that then finds the right one is understood. */
static void wrong_baud(weir_simulator simulator) {
    unsigned char out[SIZE], in[SIZE];
    fill(out, SIZE);
    host h = start(simulator, 12e6, 6000000, (weir_sim_serial_options){0});
    const size_t got = exchange(&h, out, 100, in, SIZE);
    weir_sim_serial_counts counts = weir_sim_serial_count(h.line);
    assert_int_equal(counts.to_board, 100);
    assert_true(counts.from_board > 0 && counts.framing > 0);
    assert_true(got != 100 || !is_echo(in, out, 100));
    close(h.tty);
    pass(&h, 20 * MILLISECOND);
    const uint64_t before = weir_sim_serial_delivered(h.line);
    open_tty(&h, 1500000);
    ioctl(h.tty, TCFLSH, TCIFLUSH);
    h.read = before;
    assert_int_equal(exchange(&h, out, 10, in, 10), 10);
    for (int i = 1; i < 10; i++)
        assert_int_equal((unsigned char)(in[i] - in[i - 1]), (unsigned char)(out[i] - out[i - 1] + 1));
    stop(&h);
}

static void test_wrong_baud(void **state) {
    (void)state;
    wrong_baud(WEIR_SIM_VERILATOR);
    wrong_baud(WEIR_SIM_ICARUS);
    unsigned char out[1] = {'x'}, in[1];
    host h = start(WEIR_SIM_VERILATOR, 12e6, 375000, (weir_sim_serial_options){.baud_ratio = 4}); /* the chip's fault */
    assert_int_equal(exchange(&h, out, 1, in, 1), 1);
    assert_int_equal(in[0], 'x');
    stop(&h);
}

/* ---- time ---- */

static double processor_seconds(const host *h) {
    clockid_t clock;
    struct timespec time;
    assert_int_equal(clock_getcpuclockid((pid_t)weir_sim_serial_count(h->line).process, &clock), 0);
    assert_int_equal(clock_gettime(clock, &time), 0);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A program that knows nothing of the board's time. Silent, the board costs nothing worth mentioning. */
static void test_alone(void **state) {
    (void)state;
    unsigned char out[SIZE], in[SIZE];
    fill(out, SIZE);
    host h = start(WEIR_SIM_VERILATOR, BIT * 115200., 115200, (weir_sim_serial_options){.is_free = true});
    for (int round = 0; round < 2; round++) {
        const size_t size = 100;
        size_t got = 0;
        assert_int_equal(write(h.tty, out + (size_t)round * size, size), size);
        while (got < size) {
            struct pollfd wait = {h.tty, POLLIN, 0};
            assert_int_equal(poll(&wait, 1, 60000), 1);
            const ssize_t some = read(h.tty, in + (size_t)round * size + got, size - got);
            assert_true(some > 0);
            got += (size_t)some;
        }
        nanosleep(&(struct timespec){1, 0}, NULL);
        const double before = processor_seconds(&h), begin = weir_seconds();
        nanosleep(&(struct timespec){1, 500000000}, NULL);
        const double load = (processor_seconds(&h) - before) / (weir_seconds() - begin);
        if (load > 0.1) fail_msg("the idle board takes %.0f %% of a processor", 100 * load);
    }
    assert_true(is_echo(in, out, 200));
    stop(&h);
}

static void test_coupled(void **state) {
    (void)state;
    host h = start(WEIR_SIM_VERILATOR, 12e6, 1500000, (weir_sim_serial_options){0});
    for (int i = 0; i < 10; i++) {
        const uint64_t before = weir_sim_serial_now(h.line);
        pass(&h, MILLISECOND);
        assert_in_range(weir_sim_serial_now(h.line) - before, MILLISECOND, MILLISECOND + 10 * MILLISECOND / 1500);
    }
    const double before = processor_seconds(&h);
    const uint64_t now = weir_sim_serial_now(h.line);
    nanosleep(&(struct timespec){0, 500000000}, NULL);
    assert_true(processor_seconds(&h) - before < 0.02);
    assert_int_equal(weir_sim_serial_now(h.line), now);
    stop(&h);
}

static void test_delay(void **state) {
    (void)state;
    unsigned char out[SIZE], in[SIZE];
    host h = start(WEIR_SIM_VERILATOR, 12e6, 1500000, (weir_sim_serial_options){.delay = 2 * MILLISECOND});
    fill(out, SIZE);
    assert_int_equal(exchange(&h, out, 1, in, 1), 1);
    const uint64_t one = weir_sim_serial_now(h.line);
    assert_in_range(one - h.begun, 4 * MILLISECOND, 4 * MILLISECOND + 50 * MILLISECOND / 1500);
    assert_int_equal(exchange(&h, out + 1, SIZE - 1, in + 1, SIZE - 1), SIZE - 1); /* in flight together */
    assert_in_range(weir_sim_serial_now(h.line) - one, 8 * MILLISECOND, 9 * MILLISECOND);
    assert_true(is_echo(in, out, SIZE));
    stop(&h);
}

/* ---- faults ---- */

static void test_silence(void **state) {
    (void)state;
    unsigned char out[4] = "abc", in[SIZE];
    const weir_sim_serial_options silent[] = {
        {.to_board.is_silent = true}, {.to_host.is_silent = true}, {.is_low = true}};
    const uint64_t to_board[] = {0, 3, 0}, from_board[] = {0, 3, 0};
    for (size_t i = 0; i < 3; i++) {
        host h = start(WEIR_SIM_VERILATOR, 12e6, 1500000, silent[i]);
        assert_int_equal(exchange(&h, out, 3, in, 3), 0);
        assert_int_equal(weir_sim_serial_count(h.line).to_board, to_board[i]);
        assert_int_equal(weir_sim_serial_count(h.line).from_board, from_board[i]);
        stop(&h);
    }
}

/* What comes of SIZE bytes. */
static size_t damaged(weir_sim_damage to_board, weir_sim_damage to_host, unsigned char *in) {
    unsigned char out[SIZE];
    host h =
        start(WEIR_SIM_VERILATOR, 12e6, 1500000, (weir_sim_serial_options){.to_board = to_board, .to_host = to_host});
    fill(out, SIZE);
    const size_t got = exchange(&h, out, SIZE, in, 2 * SIZE);
    stop(&h);
    return got;
}

static void test_damage(void **state) {
    (void)state;
    unsigned char out[SIZE], in[2 * SIZE], again[2 * SIZE], other[2 * SIZE];
    const weir_sim_damage none = {0}, half = {.lost = 0.5, .seed = 1}, half_else = {.lost = 0.5, .seed = 2};
    fill(out, SIZE);
    assert_int_equal(damaged(none, (weir_sim_damage){.changed = 1}, in), SIZE);
    for (size_t i = 0; i < SIZE; i++) {
        const unsigned difference = in[i] ^ (unsigned char)(out[i] + i);
        assert_true(difference && !(difference & (difference - 1)));
    }
    assert_int_equal(damaged(none, (weir_sim_damage){.doubled = 1}, in), 2 * SIZE);
    for (size_t i = 0; i < 2 * SIZE; i++) assert_int_equal(in[i], (unsigned char)(out[i / 2] + i / 2));
    assert_int_equal(damaged((weir_sim_damage){.doubled = 1}, none, in), 2 * SIZE);
    for (size_t i = 0; i < 2 * SIZE; i++) assert_int_equal(in[i], (unsigned char)(out[i / 2] + i));
    const size_t got = damaged(half, none, in);
    assert_in_range(got, SIZE * 4 / 10, SIZE * 6 / 10);
    assert_int_equal(damaged(half, none, again), got);
    assert_memory_equal(again, in, got);
    assert_true(damaged(half_else, none, other) != got || memcmp(other, in, got) != 0);
    assert_in_range(damaged(none, half, other), SIZE * 4 / 10, SIZE * 6 / 10);
}

/* The board forgets, its time goes on, and the host has the same tty. */
static void reset(weir_simulator simulator) {
    unsigned char out[SIZE], in[SIZE];
    fill(out, SIZE);
    host h = start(simulator, 12e6, 1500000, (weir_sim_serial_options){.reset_at = 50});
    const size_t got = exchange(&h, out, 100, in, 100);
    assert_in_range(got, 40, 99);
    assert_true(is_echo(in, out, 40));
    assert_int_equal(weir_sim_serial_count(h.line).resets, 1);
    const uint64_t now = weir_sim_serial_now(h.line);
    assert_true(now > 20 * MILLISECOND);
    weir_sim_serial_reset(h.line);
    pass(&h, MILLISECOND);
    assert_int_equal(weir_sim_serial_count(h.line).resets, 2);
    assert_true(weir_sim_serial_now(h.line) >= now + MILLISECOND);
    assert_int_equal(exchange(&h, out, 100, in, 100), 100);
    assert_true(is_echo(in, out, 100)); /* counts from 0 */
    stop(&h);
}

static void test_reset(void **state) {
    (void)state;
    reset(WEIR_SIM_VERILATOR);
    reset(WEIR_SIM_ICARUS);
}

static void test_unplug(void **state) {
    (void)state;
    unsigned char out[SIZE], in[SIZE];
    const char *why;
    fill(out, SIZE);
    host h =
        start(WEIR_SIM_VERILATOR, 12e6, 1500000, (weir_sim_serial_options){.unplug_at = 10, .away = 5 * MILLISECOND});
    char *first = weir_copy_string(weir_sim_serial_tty(h.line));
    assert_int_equal(write(h.tty, out, 20), 20);
    weir_sim_serial_wrote(h.line, 20);
    while (weir_sim_serial_tty(h.line)) pass(&h, MILLISECOND);
    assert_int_equal(weir_sim_serial_ttys(h.line), 2);
    assert_true(write(h.tty, out, 1) < 0 && errno == EIO);
    close(h.tty);
    const uint64_t gone = weir_sim_serial_now(h.line);
    assert_true(weir_sim_serial_wait(h.line, gone + 4 * MILLISECOND, &why) && !weir_sim_serial_tty(h.line));
    assert_true(weir_sim_serial_wait(h.line, gone + 6 * MILLISECOND, &why) && weir_sim_serial_tty(h.line));
    assert_string_not_equal(weir_sim_serial_tty(h.line), first);
    open_tty(&h, 1500000);
    assert_int_equal(exchange(&h, out, 10, in, 10), 10);
    stop(&h);
    free(first);
}

/* ---- what must not happen ---- */

static void test_memory_files(void **state) {
    (void)state;
    char *folder = source("rom"), *memories = weir_copy_string("memory_files");
    char *first = weir_path_join(memories, "first.hex"), *second = weir_path_join(memories, "second.hex");
    unlink(first);
    unlink(second);
    assert_true(weir_make_folder(memories));
    for (int simulator = 0; simulator < WEIR_SIMULATORS; simulator++) {
        const weir_board_sim_options options = {.folder = folder,
                                                .simulator = (weir_simulator)simulator,
                                                .line = {.folder = memories, .clock_hz = 12e6, .seconds = 300}};
        int status;
        weir_diag_log *log = weir_diag_capture();
        unlink(first);
        assert_null(weir_board_sim_start(&options, &status));
        assert_int_equal(status, WEIR_EXIT_INPUT);
        assert_non_null(strstr(weir_diag_log_error(log), "there is no memory file 'first.hex'"));
        weir_diag_release(log);
        assert_int_equal(weir_diag_log_count(log), 1);
        weir_diag_log_free(log);

        log = weir_diag_capture();
        assert_true(weir_file_write(first, "00\n00\n", 6));
        assert_null(weir_board_sim_start(&options, &status));
        assert_int_equal(status, WEIR_EXIT_INPUT);
        assert_non_null(strstr(weir_diag_log_error(log), "second.hex"));
        weir_diag_release(log);
        weir_diag_log_free(log);

        assert_true(weir_file_write(second, "00\n00\n", 6));
        weir_board_sim *sim = weir_board_sim_start(&options, &status);
        assert_non_null(sim);
        weir_board_sim_stop(sim);
        unlink(second);
    }
    free(folder);
    free(memories);
    free(first);
    free(second);
}

static bool lives(long process) {
    char *path = weir_format("/proc/%ld/stat", process);
    size_t size;
    char *text = weir_file_read_quietly(path, &size);
    const char *end = text ? strrchr(text, ')') : NULL;
    const bool is_alive = end && end[2] != 'Z' && end[2] != 'X';
    free(path);
    free(text);
    return is_alive;
}

/* Whatever ends the host ends the board, idle or not. */
static void test_killed(void **state) {
    (void)state;
    for (int is_free = 0; is_free < 2; is_free++) {
        int ends[2];
        long process = 0;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            host h = start(WEIR_SIM_VERILATOR, 12e6, 1500000, (weir_sim_serial_options){.is_free = is_free});
            process = weir_sim_serial_count(h.line).process;
            if (write(ends[1], &process, sizeof process) != sizeof process) _exit(1);
            for (;;) pause();
        }
        assert_int_equal(read(ends[0], &process, sizeof process), sizeof process);
        assert_true(lives(process));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        const double begin = weir_seconds();
        while (lives(process) && weir_seconds() - begin < 20) nanosleep(&(struct timespec){0, 10000000}, NULL);
        assert_false(lives(process));
        close(ends[0]);
        close(ends[1]);
    }
}

/* A simulator that dies is told, not waited for. */
static void test_dead(void **state) {
    (void)state;
    const char *why = NULL;
    host h = start(WEIR_SIM_VERILATOR, 12e6, 1500000, (weir_sim_serial_options){0});
    kill((pid_t)weir_sim_serial_count(h.line).process, SIGKILL);
    assert_false(weir_sim_serial_wait(h.line, MILLISECOND, &why));
    assert_non_null(strstr(why, "the simulator ended"));
    stop(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bauds),        cmocka_unit_test(test_wrong_baud), cmocka_unit_test(test_alone),
        cmocka_unit_test(test_coupled),      cmocka_unit_test(test_delay),      cmocka_unit_test(test_silence),
        cmocka_unit_test(test_damage),       cmocka_unit_test(test_reset),      cmocka_unit_test(test_unplug),
        cmocka_unit_test(test_memory_files), cmocka_unit_test(test_killed),     cmocka_unit_test(test_dead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
