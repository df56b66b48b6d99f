/* Boards: an FPGA with its clock, UART, pins and programmer, from boards/NAME/board.yaml or a user's file. Other code
 * knows no board by name. */
#ifndef WEIR_BOARD_H
#define WEIR_BOARD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataflow/cost/device.h"
#include "support/text/schema.h"
#include "support/text/text.h"

typedef enum weir_board_quirk {
#define WEIR_BOARD_QUIRK(word, what, remedy) WEIR_BOARD_QUIRK_##word,
#include "board/quirk.def"
#undef WEIR_BOARD_QUIRK
    WEIR_BOARD_QUIRKS
} weir_board_quirk;

typedef enum weir_board_pull { WEIR_BOARD_PULL_NONE, WEIR_BOARD_PULL_UP, WEIR_BOARD_PULL_DOWN } weir_board_pull;
typedef enum weir_board_level { WEIR_BOARD_HIGH, WEIR_BOARD_LOW } weir_board_level;
/* Where the UART's bridge is. */
typedef enum weir_board_adapter { WEIR_BOARD_ON_BOARD, WEIR_BOARD_EXTERNAL } weir_board_adapter;
typedef enum weir_board_memory { WEIR_BOARD_SRAM, WEIR_BOARD_FLASH } weir_board_memory;

/* A pin, by its name in the package; `io` is never NULL where the board names a standard. */
typedef struct weir_board_pin {
    const char *pin, *what, *io;
    int64_t active; /* weir_board_level: of a LED that shines, a button that is pressed */
    int64_t pull;   /* weir_board_pull */
    int64_t value;  /* of a pin in `drive`: 0 or 1, what it is driven with */
} weir_board_pin;

typedef struct weir_board_pins {
    weir_board_pin *item;
    size_t count;
} weir_board_pins;

/* Plain data; absent parts are zero. */
typedef struct weir_board {
    const char *path, *name, *title;
    const char *device_name;   /* or the path of its profile */
    const weir_device *device; /* its profile, never NULL; of the board */
    const char *part, *package, *speed;
    weir_schema_strings nextpnr; /* options of nextpnr: the board's, else the profile's */
    weir_schema_strings pack;    /* further options of the packer */
    const char *io;              /* standard of pins that name none; NULL: the family has none */
    struct {
        const char *pin, *io;
        int64_t hz;
        bool pad; /* the pin is the PLL's own pad, so the PLL reads the clock there */
    } clock;
    struct {
        const char *rx, *tx, *io; /* of the FPGA: it reads rx */
        int64_t pull;             /* of rx */
        int64_t max_baud;
        const char *chip;  /* the USB bridge */
        int64_t adapter;   /* weir_board_adapter */
        int64_t interface; /* number of the bridge's USB interface, where it has several */
    } uart;
    weir_board_pins leds, buttons;
    weir_board_pins reset; /* none or one: a button that resets */
    weir_board_pins drive; /* outputs that have to have a constant value */
    struct {
        const char *id;      /* "0403:6010", lower case; NULL: the board has none of its own */
        const char *product; /* shell pattern of the product's name; NULL: any */
    } usb;
    struct {
        const char *program;
        weir_schema_strings sram, flash; /* arguments; one is FILE */
        /* further ones, before these, to select one of several boards; SERIAL is in one */
        weir_schema_strings serial;
    } programmer;
    uint64_t quirks;
    weir_schema_strings notes, sources;
} weir_board;

/* The board of that name, or of a file or folder (support/file/named.h). NULL after a reported error; `status` is what
 * a command then exits with. */
weir_board *weir_board_read(const char *name_or_path, int *status);
void weir_board_free(weir_board *board);
/* The names that Weir knows, sorted: heap memory, one allocation. NULL after a reported error. */
char **weir_board_names(size_t *count);

bool weir_board_has(const weir_board *board, weir_board_quirk quirk);
const char *weir_board_quirk_word(weir_board_quirk quirk);
const char *weir_board_quirk_what(weir_board_quirk quirk);
const char *weir_board_quirk_remedy(weir_board_quirk quirk);
/* Can the board be programmed so? */
bool weir_board_can_program(const weir_board *board, weir_board_memory memory);
/* The command that does it with this file, as program and arguments, NULL at the end: heap memory, one allocation.
 * `serial` is the USB serial of the board that is meant, NULL the only one. */
char **weir_board_program_command(const weir_board *board, weir_board_memory memory, const char *file,
                                  const char *serial);

/* A line a board; all of one; the same as an object with the keys of the file, a new reference. */
void weir_board_print_list(weir_board *const *boards, size_t count, weir_text *text);
void weir_board_print(const weir_board *board, weir_text *text);
json_t *weir_board_json(const weir_board *board);

#endif
