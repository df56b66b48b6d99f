#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "dataflow/cost/device.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static const char help_text[] =
    "Without DEVICE: one line per device profile. DEVICE is one of these names, or the path of a profile of your own; those\n"
    "in boards/devices (share/weir/boards/devices of an installation) are examples.\n";

static void add_json(json_t *value, weir_text *text) {
    char *lines = weir_cli_json(value);
    weir_text_add(text, lines);
    free(lines);
}

static int show(const char *name, bool json, weir_text *text) {
    int status;
    weir_device *device = weir_device_read(name, &status);
    if (device == NULL) return status;
    if (json) add_json(weir_device_json(device), text);
    else weir_device_print(device, text);
    weir_device_free(device);
    return WEIR_EXIT_FINE;
}

static void print_all(weir_device *const *devices, size_t count, bool json, weir_text *text) {
    if (!json) {
        weir_device_print_list(devices, count, text);
        return;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, weir_device_json(devices[i]));
    add_json(list, text);
}

/* All that can be read: errors tell of the others. */
static int list(bool json, weir_text *text) {
    size_t names_count, count = 0;
    int status;
    char **names = weir_device_names(&names_count);
    if (names == NULL) return WEIR_EXIT_INPUT;
    weir_device **devices = weir_calloc(names_count + 1, sizeof(*devices));
    for (size_t i = 0; i < names_count; i++) {
        devices[count] = weir_device_read(names[i], &status);
        count += devices[count] != NULL;
    }
    print_all(devices, count, json, text);
    for (size_t i = 0; i < count; i++) weir_device_free(devices[i]);
    free(devices);
    free(names);
    return count == names_count ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

int weir_command_devices(int argc, char **argv) {
    bool json = false;
    const weir_cli_option options[] = {{"json", 'j', WEIR_CLI_FLAG, &json, NULL, "print JSON"}, {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("devices", options, help_text, argc, argv, 0, 1, &count);
    if (status >= 0) return status;
    weir_text text = {NULL, 0, 0};
    status = count == 1 ? show(argv[1], json, &text) : list(json, &text);
    if (text.size > 0) fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
    return status;
}
