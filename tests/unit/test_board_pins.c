/* Constraint files, one of each format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "board/pins.h"

static void expect_pins(const char *name, size_t leds, const char *file, const char *expected) {
    static const weir_board_net_clock clocks[] = {{"core", 62500000}};
    int status;
    weir_board *board = weir_board_read(name, &status);
    assert_non_null(board);
    assert_string_equal(weir_board_pins_file(board), file);
    weir_board_ports ports = weir_board_ports_of(board, leds);
    weir_text text = {NULL, 0, 0};
    weir_board_pins_print(board, &ports, clocks, 1, &text);
    assert_string_equal(text.data, expected);
    weir_text_free(&text);
    free(ports.item);
    weir_board_free(board);
}

static void formats(void **state) {
    (void)state;
    expect_pins(
        "icebreaker", 2, "pins.pcf",
        "set_io clk 35\nset_frequency clk 12\nset_io -pullup yes rx 6\nset_io tx 9\nset_io led[0] 37\nset_io led[1] 11\n"
        "set_io button 10\n");
    expect_pins(
        "ulx3s-85f", 1, "pins.lpf",
        "BLOCK ASYNCPATHS;\n"
        "LOCATE COMP \"clk\" SITE \"G2\";\nIOBUF PORT \"clk\" IO_TYPE=LVCMOS33 PULLMODE=NONE;\nFREQUENCY PORT \"clk\" 25 MHZ;\n"
        "LOCATE COMP \"rx\" SITE \"M1\";\nIOBUF PORT \"rx\" IO_TYPE=LVCMOS33 PULLMODE=NONE;\n"
        "LOCATE COMP \"tx\" SITE \"L4\";\nIOBUF PORT \"tx\" IO_TYPE=LVCMOS33;\n"
        "LOCATE COMP \"led\" SITE \"B2\";\nIOBUF PORT \"led\" IO_TYPE=LVCMOS33;\n"
        "LOCATE COMP \"button\" SITE \"D6\";\nIOBUF PORT \"button\" IO_TYPE=LVCMOS33 PULLMODE=UP;\n"
        "LOCATE COMP \"drive\" SITE \"F1\";\nIOBUF PORT \"drive\" IO_TYPE=LVCMOS33;\n"
        "FREQUENCY NET \"core\" 62.5 MHZ;\n");
    expect_pins("tangnano9k", 1, "pins.cst",
                "IO_LOC \"clk\" 52;\nIO_PORT \"clk\" IO_TYPE=LVCMOS33 PULL_MODE=NONE;\n"
                "IO_LOC \"rx\" 18;\nIO_PORT \"rx\" IO_TYPE=LVCMOS33 PULL_MODE=UP;\n"
                "IO_LOC \"tx\" 17;\nIO_PORT \"tx\" IO_TYPE=LVCMOS33 PULL_MODE=NONE;\n"
                "IO_LOC \"led\" 10;\nIO_PORT \"led\" IO_TYPE=LVCMOS18 PULL_MODE=NONE;\n"
                "IO_LOC \"button\" 3;\nIO_PORT \"button\" IO_TYPE=LVCMOS18 PULL_MODE=UP;\n");
    expect_pins("olimex-gatemate", 9, "pins.ccf",
                "Pin_in \"clk\" Loc = \"IO_SB_A8\";\nPin_in \"rx\" Loc = \"IO_SA_A6\" | PULLUP=true;\n"
                "Pin_out \"tx\" Loc = \"IO_SA_B6\";\nPin_out \"led\" Loc = \"IO_SB_B6\";\n"
                "Pin_in \"button\" Loc = \"IO_SB_B7\" | PULLUP=true;\n");
    expect_pins(
        "arty-a7-35", 1, "pins.xdc",
        "set_property CFGBVS VCCO [current_design]\nset_property CONFIG_VOLTAGE 3.3 [current_design]\n"
        "set_property -dict {PACKAGE_PIN E3 IOSTANDARD LVCMOS33} [get_ports {clk}]\n"
        "create_clock -name clk -period 10 [get_ports {clk}]\n"
        "set_property -dict {PACKAGE_PIN A9 IOSTANDARD LVCMOS33} [get_ports {rx}]\nset_false_path -from [get_ports {rx}]\n"
        "set_property -dict {PACKAGE_PIN D10 IOSTANDARD LVCMOS33} [get_ports {tx}]\nset_false_path -to [get_ports {tx}]\n"
        "set_property -dict {PACKAGE_PIN H5 IOSTANDARD LVCMOS33} [get_ports {led}]\nset_false_path -to [get_ports {led}]\n"
        "set_property -dict {PACKAGE_PIN C2 IOSTANDARD LVCMOS33} [get_ports {button}]\n"
        "set_false_path -from [get_ports {button}]\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
