#include "board/board.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/file/named.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/table.h"
#include "support/text/yaml.h"

/* --- quirks --- */

static const struct {
    const char *what, *remedy;
} quirks[] = {
#define WEIR_BOARD_QUIRK(word, what, remedy) {what, remedy},
#include "board/quirk.def"
#undef WEIR_BOARD_QUIRK
};
static const char *const quirk_words[] = {
#define WEIR_BOARD_QUIRK(word, what, remedy) #word,
#include "board/quirk.def"
#undef WEIR_BOARD_QUIRK
    NULL};

const char *weir_board_quirk_word(weir_board_quirk quirk) { return quirk_words[quirk]; }
const char *weir_board_quirk_what(weir_board_quirk quirk) { return quirks[quirk].what; }
const char *weir_board_quirk_remedy(weir_board_quirk quirk) { return quirks[quirk].remedy; }
bool weir_board_has(const weir_board *board, weir_board_quirk quirk) { return (board->quirks >> quirk & 1) != 0; }

/* --- the schema --- */

static const char *const levels[] = {"high", "low", NULL};
static const char *const pulls[] = {"none", "up", "down", NULL};
static const char *const adapters[] = {"board", "external", NULL};

static bool read_one_pin(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f, void *into);
static json_t *json_of_one_pin(const void *member);

#define STRING WEIR_SCHEMA_STRING
#define STRINGS WEIR_SCHEMA_STRINGS
#define COUNT WEIR_SCHEMA_COUNT
#define FLAG WEIR_SCHEMA_FLAG
#define WORD WEIR_SCHEMA_WORD
#define WORDS WEIR_SCHEMA_WORDS
#define RECORD WEIR_SCHEMA_RECORD
#define RECORDS WEIR_SCHEMA_RECORDS
#define OWN WEIR_SCHEMA_OWN
#define IN(member) offsetof(weir_board, member)
#define OF(member) offsetof(weir_board_pin, member)
#define PIN_FIELDS                                                                                                     \
    {"pin", STRING, true, .at = OF(pin)}, {"what", STRING, false, .at = OF(what)}, { "io", STRING, false, .at = OF(io) }
static const weir_schema_field pin_fields[] = {PIN_FIELDS,
                                               {"active", WORD, true, .at = OF(active), .words = levels},
                                               {"pull", WORD, false, .at = OF(pull), .words = pulls},
                                               {.name = NULL}};
static const weir_schema_field drive_fields[] = {PIN_FIELDS, {"value", COUNT, true, .at = OF(value)}, {.name = NULL}};
static const weir_schema_field clock_fields[] = {{"pin", STRING, true, .at = IN(clock.pin)},
                                                 {"hz", COUNT, true, .at = IN(clock.hz)},
                                                 {"pad", FLAG, false, .at = IN(clock.pad)},
                                                 {"io", STRING, false, .at = IN(clock.io)},
                                                 {.name = NULL}};
static const weir_schema_field uart_fields[] = {{"rx", STRING, true, .at = IN(uart.rx)},
                                                {"tx", STRING, true, .at = IN(uart.tx)},
                                                {"io", STRING, false, .at = IN(uart.io)},
                                                {"pull", WORD, false, .at = IN(uart.pull), .words = pulls},
                                                {"max_baud", COUNT, true, .at = IN(uart.max_baud)},
                                                {"chip", STRING, false, .at = IN(uart.chip)},
                                                {"adapter", WORD, false, .at = IN(uart.adapter), .words = adapters},
                                                {"interface", COUNT, false, .at = IN(uart.interface)},
                                                {.name = NULL}};
static const weir_schema_field usb_fields[] = {
    {"id", STRING, true, .at = IN(usb.id)}, {"product", STRING, false, .at = IN(usb.product)}, {.name = NULL}};
static const weir_schema_field programmer_fields[] = {{"program", STRING, true, .at = IN(programmer.program)},
                                                      {"sram", STRINGS, false, .at = IN(programmer.sram)},
                                                      {"flash", STRINGS, false, .at = IN(programmer.flash)},
                                                      {"serial", STRINGS, false, .at = IN(programmer.serial)},
                                                      {.name = NULL}};
static const weir_schema_field board_fields[] = {
    {"name", STRING, true, .at = IN(name)},
    {"title", STRING, true, .at = IN(title)},
    {"device", STRING, true, .at = IN(device_name)},
    {"part", STRING, true, .at = IN(part)},
    {"package", STRING, true, .at = IN(package)},
    {"speed", STRING, false, .at = IN(speed)},
    {"nextpnr", STRINGS, false, .at = IN(nextpnr)},
    {"pack", STRINGS, false, .at = IN(pack)},
    {"io", STRING, false, .at = IN(io)},
    {"clock", RECORD, true, .fields = clock_fields},
    {"uart", RECORD, true, .fields = uart_fields},
    {"leds", RECORDS, true, .at = IN(leds), .fields = pin_fields, .size = sizeof(weir_board_pin)},
    {"buttons", RECORDS, false, .at = IN(buttons), .fields = pin_fields, .size = sizeof(weir_board_pin)},
    {"reset", OWN, false, .at = IN(reset), .fields = pin_fields, .read = read_one_pin, .json = json_of_one_pin},
    {"drive", RECORDS, false, .at = IN(drive), .fields = drive_fields, .size = sizeof(weir_board_pin)},
    {"usb", RECORD, false, .fields = usb_fields},
    {"programmer", RECORD, true, .fields = programmer_fields},
    {"quirks", WORDS, false, .at = IN(quirks), .words = quirk_words},
    {"notes", STRINGS, false, .at = IN(notes)},
    {"sources", STRINGS, true, .at = IN(sources)},
    {.name = NULL}};

static bool read_one_pin(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f, void *into) {
    weir_board_pins *pins = into;
    pins->item = weir_arena_array(arena, 1, sizeof *pins->item);
    pins->count = 1;
    return weir_schema_read(arena, yaml, f->name, f->fields, pins->item);
}

static json_t *json_of_one_pin(const void *member) {
    const weir_board_pins *pins = member;
    return pins->count == 0 ? NULL : weir_schema_json(pin_fields, pins->item);
}

/* --- checks beyond the schema --- */

/* The board with the memory of all that it points to. */
typedef struct holder {
    weir_board board;
    weir_arena *arena;
    weir_device *device;
} holder;

typedef struct checker {
    const weir_board *board;
    const char *pin[64]; /* those seen, and their users */
    const char *user[64];
    size_t count;
    bool fine;
} checker;

enum { PINS_MOST = 64 };

static void fault(checker *c, const weir_yaml *yaml, const char *text) {
    weir_error(yaml->location, "%s", text);
    c->fine = false;
}

/* A pin has one user. */
static void take_pin(checker *c, const weir_yaml *yaml, const char *pin, const char *user) {
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->pin[i], pin) != 0) continue;
        weir_error(yaml->location, "%s: pin '%s' is already used by %s", user, pin, c->user[i]);
        c->fine = false;
    }
    if (c->count == PINS_MOST) {
        fault(c, yaml, "more than 64 pins");
        return;
    }
    c->pin[c->count] = pin;
    c->user[c->count++] = user;
}

static void take_pins(checker *c, const weir_yaml *yaml, const weir_board_pins *pins, const char *user) {
    for (size_t i = 0; i < pins->count; i++)
        take_pin(c, yaml->kind == WEIR_YAML_SEQUENCE ? yaml->item[i] : yaml, pins->item[i].pin, user);
}

static void check_pins(checker *c, const weir_yaml *root) {
    const weir_board *b = c->board;
    const weir_yaml *uart = weir_yaml_find(root, "uart"), *reset = weir_yaml_find(root, "reset"),
                    *buttons = weir_yaml_find(root, "buttons"), *drive = weir_yaml_find(root, "drive");
    take_pin(c, weir_yaml_find(root, "clock"), b->clock.pin, "the clock");
    take_pin(c, weir_yaml_find(uart, "rx"), b->uart.rx, "rx");
    take_pin(c, weir_yaml_find(uart, "tx"), b->uart.tx, "tx");
    take_pins(c, weir_yaml_find(root, "leds"), &b->leds, "a LED");
    if (buttons != NULL) take_pins(c, buttons, &b->buttons, "a button");
    if (reset != NULL) take_pins(c, reset, &b->reset, "reset");
    if (drive != NULL) take_pins(c, drive, &b->drive, "a driven output");
    for (size_t i = 0; i < b->drive.count; i++)
        if (b->drive.item[i].value > 1) fault(c, drive->item[i], "drive: expected the value 0 or 1");
}

/* "0403:6010" */
static bool is_usb_id(const char *id) {
    static const char digits[] = "0123456789abcdef";
    return strlen(id) == 9 && strspn(id, digits) == 4 && id[4] == ':' && strspn(id + 5, digits) == 4;
}

static size_t count_places(const weir_schema_strings *arguments, const char *place) {
    size_t count = 0;
    for (size_t i = 0; i < arguments->count; i++) count += strstr(arguments->item[i], place) != NULL;
    return count;
}

static void check_programmer(checker *c, const weir_yaml *root) {
    const weir_board *b = c->board;
    const weir_yaml *yaml = weir_yaml_find(root, "programmer");
    if (b->programmer.sram.count == 0 && b->programmer.flash.count == 0)
        fault(c, yaml, "programmer: expected arguments for 'sram' or 'flash'");
    if (b->programmer.sram.count > 0 && count_places(&b->programmer.sram, "FILE") != 1)
        fault(c, weir_yaml_find(yaml, "sram"), "sram: expected one argument FILE, the placeholder of the file's name");
    if (b->programmer.flash.count > 0 && count_places(&b->programmer.flash, "FILE") != 1)
        fault(c, weir_yaml_find(yaml, "flash"),
              "flash: expected one argument FILE, the placeholder of the file's name");
    if (b->programmer.serial.count > 0 && count_places(&b->programmer.serial, "SERIAL") != 1)
        fault(c, weir_yaml_find(yaml, "serial"),
              "serial: expected SERIAL in one argument, the placeholder of the USB serial");
}

static void check_rest(checker *c, const weir_yaml *root) {
    const weir_board *b = c->board;
    const weir_yaml *usb = weir_yaml_find(root, "usb");
    if (b->clock.hz < 1000000 || b->clock.hz > 1000000000)
        fault(c, weir_yaml_find(weir_yaml_find(root, "clock"), "hz"), "hz: expected a clock of 1 MHz to 1 GHz");
    if (b->clock.pad && b->device->family != WEIR_DEVICE_ICE40)
        fault(c, weir_yaml_find(root, "clock"), "clock: 'pad' is for iCE40 only");
    if (b->leds.count == 0) fault(c, weir_yaml_find(root, "leds"), "leds: expected at least one");
    if (usb != NULL && !is_usb_id(b->usb.id))
        fault(c, weir_yaml_find(usb, "id"), "id: expected vendor and product as '0403:6010', in lower case");
    if (weir_board_has(b, WEIR_BOARD_QUIRK_no_uart) != (b->uart.adapter == WEIR_BOARD_EXTERNAL))
        fault(c, weir_yaml_find(root, "uart"), "uart: the quirk 'no_uart' and 'adapter: external' belong together");
    if (b->uart.adapter == WEIR_BOARD_ON_BOARD && b->uart.chip == NULL)
        fault(c, weir_yaml_find(root, "uart"), "uart: expected the USB bridge on the board as 'chip'");
    if (weir_board_has(b, WEIR_BOARD_QUIRK_flash_only) != (b->programmer.sram.count == 0))
        fault(c, weir_yaml_find(root, "programmer"),
              "programmer: the quirk 'flash_only' and no arguments for 'sram' belong together");
    if (b->sources.count == 0) fault(c, weir_yaml_find(root, "sources"), "sources: expected at least one");
}

/* What the schema leaves open. */
static void complete(weir_board *b) {
    if (b->nextpnr.count == 0) b->nextpnr = b->device->nextpnr.options;
    if (b->clock.io == NULL) b->clock.io = b->io;
    if (b->uart.io == NULL) b->uart.io = b->io;
    weir_board_pins *const lists[] = {&b->leds, &b->buttons, &b->reset, &b->drive};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; k < lists[i]->count; k++)
            if (lists[i]->item[k].io == NULL) lists[i]->item[k].io = b->io;
}

/* --- reading --- */

/* A path in a board's file counts from the file's folder. */
static void find_device(weir_arena *arena, weir_board *board) {
    const char *name = board->device_name;
    if (*name == '/' || !weir_named_is_path(name)) return;
    char *folder = weir_path_folder(board->path), *path = weir_path_join(folder, name);
    board->device_name = weir_arena_copy_string(arena, path);
    free(path);
    free(folder);
}

static bool read_all(holder *h, const weir_yaml *root) {
    weir_board *b = &h->board;
    if (!weir_schema_read(h->arena, root, "board", board_fields, b)) return false;
    int status;
    find_device(h->arena, b);
    h->device = weir_device_read_for(weir_yaml_find(root, "device")->location, b->device_name, &status);
    if (h->device == NULL) return false;
    b->device = h->device;
    checker c = {.board = b, .fine = true};
    check_pins(&c, root);
    check_programmer(&c, root);
    check_rest(&c, root);
    complete(b);
    return c.fine;
}

/* `name`: what its name must be; NULL: any. */
static weir_board *read_file(const char *path, const char *name) {
    weir_yaml *root = weir_yaml_read(path);
    if (root == NULL) return NULL;
    weir_arena *arena = weir_arena_new();
    holder *h = weir_arena_alloc(arena, sizeof *h);
    h->arena = arena;
    h->board.path = weir_arena_copy_string(arena, path);
    bool fine = read_all(h, root);
    if (fine && name != NULL && strcmp(h->board.name, name) != 0) {
        weir_error(weir_yaml_find(root, "name")->location, "name: expected '%s', like its folder, found '%s'", name,
                   h->board.name);
        fine = false;
    }
    weir_yaml_free(root);
    if (fine) return &h->board;
    weir_board_free(&h->board);
    return NULL;
}

void weir_board_free(weir_board *board) {
    if (board == NULL) return;
    holder *h = (holder *)board;
    weir_device_free(h->device);
    weir_arena_free(h->arena);
}

static const weir_named kind = {"board", "boards", "/board.yaml", "boards"};

char **weir_board_names(size_t *count) { return weir_named_names(&kind, count); }

weir_board *weir_board_read(const char *name, int *status) {
    char *path = weir_named_path(&kind, WEIR_NOWHERE, name);
    weir_board *board = path == NULL ? NULL : read_file(path, weir_named_is_path(name) ? NULL : name);
    *status = path == NULL ? WEIR_EXIT_USAGE : WEIR_EXIT_INPUT;
    free(path);
    return board;
}

/* --- programming --- */

static const weir_schema_strings *arguments_for(const weir_board *board, weir_board_memory memory) {
    return memory == WEIR_BOARD_SRAM ? &board->programmer.sram : &board->programmer.flash;
}

bool weir_board_can_program(const weir_board *board, weir_board_memory memory) {
    return arguments_for(board, memory)->count > 0;
}

/* The argument with the value in the place of the word, and a zero byte. */
static void add_argument(weir_text *text, const char *argument, const char *word, const char *value) {
    const char *at = word == NULL ? NULL : strstr(argument, word);
    if (at == NULL) {
        weir_text_add(text, argument);
    } else {
        weir_text_add_n(text, argument, (size_t)(at - argument));
        weir_text_add(text, value);
        weir_text_add(text, at + strlen(word));
    }
    weir_text_char(text, '\0');
}

char **weir_board_program_command(const weir_board *board, weir_board_memory memory, const char *file,
                                  const char *serial) {
    const weir_schema_strings *arguments = arguments_for(board, memory);
    assert(arguments->count > 0);
    const size_t serials = serial == NULL ? 0 : board->programmer.serial.count;
    weir_text text = {NULL, 0, 0};
    add_argument(&text, board->programmer.program, NULL, NULL);
    for (size_t i = 0; i < serials; i++) add_argument(&text, board->programmer.serial.item[i], "SERIAL", serial);
    for (size_t i = 0; i < arguments->count; i++) add_argument(&text, arguments->item[i], "FILE", file);
    const size_t count = 1 + serials + arguments->count;
    char **command = weir_malloc((count + 1) * sizeof *command + text.size), *at = (char *)(command + count + 1);
    memcpy(at, text.data, text.size);
    for (size_t i = 0; i < count; i++) {
        command[i] = at;
        at += strlen(at) + 1;
    }
    command[count] = NULL;
    weir_text_free(&text);
    return command;
}

/* --- printing --- */

static void add_frequency(int64_t hz, weir_text *text) {
    weir_text_double(text, (double)hz / 1e6);
    weir_text_add(text, " MHz");
}

void weir_board_print_list(weir_board *const *boards, size_t count, weir_text *text) {
    static const char *const headers[] = {"board", "device", "family", "clock", "UART", "programmer", "what"};
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (size_t i = 0; i < count; i++) {
        const weir_board *b = boards[i];
        weir_text clock = {NULL, 0, 0};
        add_frequency(b->clock.hz, &clock);
        weir_table_add(table, b->name);
        weir_table_add(table, b->device->name);
        weir_table_add(table, weir_device_family_name((weir_device_family)b->device->family));
        weir_table_take(table, &clock);
        weir_table_add(table, b->uart.adapter == WEIR_BOARD_EXTERNAL ? "external" : b->uart.chip);
        weir_table_add(table, b->programmer.program);
        weir_table_add(table, b->title);
    }
    weir_table_print(table, WEIR_TABLE_PLAIN, text);
    weir_table_free(table);
}

static void print_pins(const char *label, const weir_board_pins *pins, bool driven, weir_text *text) {
    static const char *const pull[] = {"", ", pulled up", ", pulled down"};
    for (size_t i = 0; i < pins->count; i++) {
        const weir_board_pin *p = &pins->item[i];
        weir_text_format(text, "  %-13s %s", i == 0 ? label : "", p->pin);
        if (driven) weir_text_format(text, " = %lld", (long long)p->value);
        else weir_text_format(text, ", active %s%s", levels[p->active], pull[p->pull]);
        if (p->io != NULL) weir_text_format(text, ", %s", p->io);
        if (p->what != NULL) weir_text_format(text, ": %s", p->what);
        weir_text_char(text, '\n');
    }
}

static void print_command(const weir_board *b, weir_board_memory memory, weir_text *text) {
    if (!weir_board_can_program(b, memory)) return;
    char **command = weir_board_program_command(b, memory, "FILE", NULL);
    weir_text_format(text, "  %-13s", memory == WEIR_BOARD_SRAM ? "program" : "flash");
    for (size_t i = 0; command[i] != NULL; i++) weir_text_format(text, " %s", command[i]);
    weir_text_char(text, '\n');
    free(command);
}

static void print_list(const char *label, const weir_schema_strings *list, weir_text *text) {
    for (size_t i = 0; i < list->count; i++) weir_text_format(text, "  %-13s %s\n", i == 0 ? label : "", list->item[i]);
}

static void print_uart(const weir_board *b, weir_text *text) {
    weir_text_format(text, "  UART          rx %s, tx %s, up to %lld baud, ", b->uart.rx, b->uart.tx,
                     (long long)b->uart.max_baud);
    if (b->uart.adapter == WEIR_BOARD_EXTERNAL) weir_text_add(text, "through an external adapter");
    else weir_text_format(text, "through %s", b->uart.chip);
    if (b->uart.interface > 0) weir_text_format(text, ", interface %lld", (long long)b->uart.interface);
    weir_text_char(text, '\n');
    if (b->usb.id != NULL) {
        weir_text_format(text, "  USB           %s", b->usb.id);
        if (b->usb.product != NULL) weir_text_format(text, " '%s'", b->usb.product);
        weir_text_char(text, '\n');
    }
}

static void print_words(const char *label, const weir_schema_strings *words, weir_text *text) {
    if (words->count == 0) return;
    weir_text_format(text, "  %-13s", label);
    for (size_t i = 0; i < words->count; i++) weir_text_format(text, " %s", words->item[i]);
    weir_text_char(text, '\n');
}

void weir_board_print(const weir_board *b, weir_text *text) {
    weir_text_format(text, "%s: %s\n  device        %s (%s, %s%s%s)\n", b->name, b->title, b->device->name, b->part,
                     b->package, b->speed == NULL ? "" : ", speed grade ", b->speed == NULL ? "" : b->speed);
    weir_text_format(text, "  clock         pin %s, ", b->clock.pin);
    add_frequency(b->clock.hz, text);
    weir_text_add(text, b->clock.pad ? ", the PLL's own pad\n" : "\n");
    print_uart(b, text);
    print_pins("LEDs", &b->leds, false, text);
    print_pins("buttons", &b->buttons, false, text);
    print_pins("reset", &b->reset, false, text);
    print_pins("drive", &b->drive, true, text);
    print_words("nextpnr", &b->nextpnr, text);
    print_words("pack", &b->pack, text);
    print_command(b, WEIR_BOARD_SRAM, text);
    print_command(b, WEIR_BOARD_FLASH, text);
    for (int q = 0; q < WEIR_BOARD_QUIRKS; q++) {
        if (!weir_board_has(b, (weir_board_quirk)q)) continue;
        weir_text_format(text, "  quirk         %s: %s\n                %s\n", quirk_words[q], quirks[q].what,
                         quirks[q].remedy);
    }
    print_list("note", &b->notes, text);
    print_list("source", &b->sources, text);
    weir_text_format(text, "  board file    %s\n", b->path);
}

json_t *weir_board_json(const weir_board *board) { return weir_schema_json(board_fields, board); }
