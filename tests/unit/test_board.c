/* Boards: all that ship are read, damaged files are refused with file, line and what was expected, commands are made of
 * their arguments. */
#include "board/board.h"
#include "test_yaml_damage.h"

static weir_board *read_board(const char *name) {
    int status;
    return weir_board_read(name, &status);
}

static int status_of(const char *name) {
    int status = 0;
    weir_board *board = weir_board_read(name, &status);
    if (board != NULL) status = 0;
    weir_board_free(board);
    return status;
}

static void every_board_is_read(void **state) {
    (void)state;
    size_t count;
    char **names = weir_board_names(&count);
    assert_non_null(names);
    assert_true(count >= 6);
    for (size_t i = 0; i < count; i++) {
        weir_board *board = read_board(names[i]);
        assert_non_null(board);
        assert_string_equal(board->name, names[i]);
        assert_non_null(board->device);
        assert_true(board->device->nextpnr.program == NULL || board->nextpnr.count > 0);
        weir_board_free(board);
    }
    free(names);
}

/* From the makers' platform files, as board.yaml names them. */
static void facts(void **state) {
    (void)state;
    static const struct {
        const char *name, *clock, *rx, *tx;
        long long hz;
        bool pad;
    } known[] = {{"icebreaker", "35", "6", "9", 12000000, true},
                 {"ice40hx8k-evn", "J3", "B10", "B12", 12000000, false},
                 {"ulx3s-85f", "G2", "M1", "L4", 25000000, false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        weir_board *board = read_board(known[i].name);
        assert_string_equal(board->clock.pin, known[i].clock);
        assert_string_equal(board->uart.rx, known[i].rx);
        assert_string_equal(board->uart.tx, known[i].tx);
        assert_int_equal(board->clock.hz, known[i].hz);
        assert_int_equal(board->clock.pad, known[i].pad);
        weir_board_free(board);
    }
}

/* --- damaged files --- */

static const char whole[] =
    "name: mine\n"
    "title: My own\n"
    "device: ecp5-25k\n"
    "part: LFE5U-25F-6BG381C\n"
    "package: CABGA381\n"
    "io: LVCMOS33\n"
    "clock: {pin: G2, hz: 25000000}\n"
    "uart: {rx: M1, tx: L4, max_baud: 3000000, chip: FT231X}\n"
    "leds: [{pin: B2, active: high, io: LVCMOS18}, {pin: C2, active: low}]\n"
    "buttons: [{pin: R1, active: low, pull: up}]\n"
    "reset: {pin: D6, active: low}\n"
    "drive: [{pin: F1, value: 1}]\n"
    "usb: {id: \"0403:6015\"}\n"
    "programmer: {program: loader, sram: [-m, FILE], flash: [-f, a=FILE], serial: [--serial, \"usb:SERIAL\"]}\n"
    "quirks: [tty_renumbers, udev_rule]\n"
    "sources: [nowhere]\n";

static weir_board *read_text(const char *text) {
    assert_true(weir_file_write("mine.yaml", text, strlen(text)));
    weir_board *board = read_board("mine.yaml");
    unlink("mine.yaml");
    return board;
}

static void damaged_boards_are_refused(void **state) {
    (void)state;
    static const yaml_damage cases[] = {
        {"leds:", "led:",
         "mine.yaml:9: board: unknown key 'led'\ndid you mean 'leds'?\nmine.yaml:1: board: 'leds' is missing\n"},
        {"pin: G2, ", "", "mine.yaml:7: clock: 'pin' is missing\n"},
        {"rx: M1, ", "", "mine.yaml:8: uart: 'rx' is missing\n"},
        {"pin: G2", "pin: [G2]", "mine.yaml:7: pin: expected text, found a sequence\n"},
        {"hz: 25000000", "hz: 25e6", "mine.yaml:7: expected a whole number from 0 to 2147483647, found '25e6'\n"},
        {"hz: 25000000", "hz: 25", "mine.yaml:7: hz: expected a clock of 1 MHz to 1 GHz\n"},
        {"ecp5-25k", "ecp5-26k", "mine.yaml:3: unknown device 'ecp5-26k'\ndid you mean 'ecp5-25k'?\n"},
        {"hz: 25000000", "hz: 25000000, pad: true", "mine.yaml:7: clock: 'pad' is for iCE40 only\n"},
        {"[tty_renumbers,", "[tty_renumber,",
         "mine.yaml:15: quirks: unknown word 'tty_renumber'\ndid you mean 'tty_renumbers'?\n"},
        {"pull: up", "pull: upwards", "mine.yaml:10: pull: unknown word 'upwards'\nknown: none, up, down\n"},
        {"rx: M1", "rx: L4", "mine.yaml:8: tx: pin 'L4' is already used by rx\n"},
        {"pin: F1", "pin: G2", "mine.yaml:12: a driven output: pin 'G2' is already used by the clock\n"},
        {"value: 1", "value: 2", "mine.yaml:12: drive: expected the value 0 or 1\n"},
        {"0403:6015", "0x0403", "mine.yaml:13: id: expected vendor and product as '0403:6010', in lower case\n"},
        {"sram: [-m, FILE]", "sram: [-m]",
         "mine.yaml:14: sram: expected one argument FILE, the placeholder of the file's name\n"},
        {"usb:SERIAL", "usb",
         "mine.yaml:14: serial: expected SERIAL in one argument, the placeholder of the USB serial\n"},
        {"sram: [-m, FILE], ", "",
         "mine.yaml:14: programmer: the quirk 'flash_only' and no arguments for 'sram' belong together\n"},
        {"chip: FT231X", "adapter: external",
         "mine.yaml:8: uart: the quirk 'no_uart' and 'adapter: external' belong together\n"},
        {", chip: FT231X", "", "mine.yaml:8: uart: expected the USB bridge on the board as 'chip'\n"},
        {"[{pin: B2, active: high, io: LVCMOS18}, {pin: C2, active: low}]", "[]",
         "mine.yaml:9: leds: expected at least one\n"},
        {"[nowhere]", "[]", "mine.yaml:16: sources: expected at least one\n"},
    };
    expect_damage(status_of, whole, cases, sizeof cases / sizeof *cases);
    expect_messages(status_of, "- a\n", "mine.yaml:1: board: expected a mapping\n");
}

/* What the file leaves open is filled in: standards of pins, nextpnr's options of the device. */
static void defaults(void **state) {
    (void)state;
    weir_board *board = read_text(whole);
    assert_non_null(board);
    assert_string_equal(board->leds.item[0].io, "LVCMOS18");
    assert_string_equal(board->leds.item[1].io, "LVCMOS33");
    assert_string_equal(board->clock.io, "LVCMOS33");
    assert_string_equal(board->uart.io, "LVCMOS33");
    assert_int_equal(board->leds.item[1].active, WEIR_BOARD_LOW);
    assert_int_equal(board->buttons.item[0].pull, WEIR_BOARD_PULL_UP);
    assert_int_equal(board->reset.count, 1);
    assert_int_equal(board->nextpnr.count, 1);
    assert_string_equal(board->nextpnr.item[0], "--25k");
    assert_true(weir_board_has(board, WEIR_BOARD_QUIRK_udev_rule) && !weir_board_has(board, WEIR_BOARD_QUIRK_no_uart));
    weir_board_free(board);
}

static void expect_command(const weir_board *board, weir_board_memory memory, const char *serial,
                           const char *expected) {
    char **command = weir_board_program_command(board, memory, "x.bit", serial);
    weir_text text = {NULL, 0, 0};
    for (size_t i = 0; command[i] != NULL; i++) weir_text_format(&text, "%s%s", i == 0 ? "" : " ", command[i]);
    assert_string_equal(text.data, expected);
    weir_text_free(&text);
    free(command);
}

static void commands(void **state) {
    (void)state;
    weir_board *board = read_text(whole);
    expect_command(board, WEIR_BOARD_SRAM, NULL, "loader -m x.bit");
    expect_command(board, WEIR_BOARD_FLASH, "K01", "loader --serial usb:K01 -f a=x.bit");
    weir_board_free(board);
    board = read_board("icebreaker");
    assert_false(weir_board_can_program(board, WEIR_BOARD_SRAM));
    assert_true(weir_board_can_program(board, WEIR_BOARD_FLASH));
    weir_board_free(board);
}

static void unknown_boards(void **state) {
    (void)state;
    expect_unknown(status_of,
                   &(yaml_unknown){"icebreakr", "./absent", "unknown board 'icebreakr'", "did you mean 'icebreaker'?"});
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_board_is_read),
                                       cmocka_unit_test(facts),
                                       cmocka_unit_test(damaged_boards_are_refused),
                                       cmocka_unit_test(defaults),
                                       cmocka_unit_test(commands),
                                       cmocka_unit_test(unknown_boards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
