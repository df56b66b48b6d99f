#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "sim/cache.h"
#include "sim/driver.h"
#include "support/text/diag.h"
#include "support/text/table.h"

enum { SCHEMA = 1 };

static const char help_text[] =
    "Built simulators, netlists and placements are cached, so that the next run of the same design starts at once. ACTION is\n"
    "  show   list the entries (default)\n"
    "  check  compare every file with its hash; removes damaged entries and those of earlier versions of weir, and exits\n"
    "         with 1 if any entry was damaged\n"
    "  clear  remove every entry that no run is using\n"
    "Each run checks the entries that it uses and rebuilds damaged ones; clearing the cache is always safe.\n";

static const char *state_of(const weir_cache_item *item) {
    if (item->state == WEIR_CACHE_COMPLETE) return item->in_use ? "in use" : "complete";
    return item->state == WEIR_CACHE_EARLIER ? "of an earlier version" : "damaged";
}

static json_t *json_of(const weir_cache_list *list, const char *folder) {
    json_t *entries = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const weir_cache_item *item = &list->item[i];
        json_array_append_new(entries, json_pack("{s:s, s:I, s:I, s:b, s:b, s:s}", "name", item->name, "bytes",
                                                 (json_int_t)item->size, "used", (json_int_t)item->used, "complete",
                                                 item->state == WEIR_CACHE_COMPLETE, "in_use", item->in_use, "state",
                                                 state_of(item)));
    }
    return json_pack("{s:i, s:s, s:I, s:I, s:o}", "schema", SCHEMA, "folder", folder, "bytes", (json_int_t)list->size,
                     "limit", (json_int_t)WEIR_SIM_CACHE_LIMIT, "entries", entries);
}

static void print_list(const weir_cache_list *list, const char *folder) {
    static const char *const headers[] = {"Entry", "KiB", "Last used", "State"};
    weir_text text = {NULL, 0, 0};
    if (list->count > 0) {
        weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
        for (size_t i = 0; i < list->count; i++) {
            const weir_cache_item *item = &list->item[i];
            char when[32] = "";
            struct tm day;
            if (localtime_r(&item->used, &day) != NULL) strftime(when, sizeof when, "%Y-%m-%d %H:%M", &day);
            weir_table_add(table, item->name);
            weir_table_format(table, "%" PRIu64, (item->size + 1023) / 1024);
            weir_table_add(table, when);
            weir_table_add(table, state_of(item));
        }
        weir_table_print(table, WEIR_TABLE_PIPE, &text);
        weir_table_free(table);
    }
    weir_text_format(&text, "%s: %zu entries, %" PRIu64 " KiB of at most %" PRIu64 "\n", folder, list->count,
                     (list->size + 1023) / 1024, WEIR_SIM_CACHE_LIMIT / 1024);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
}

static int show(const weir_cache_list *list, const char *folder, bool json) {
    if (json) {
        char *text = weir_cli_json(json_of(list, folder));
        fputs(text, stdout);
        free(text);
    } else {
        print_list(list, folder);
    }
    return WEIR_EXIT_FINE;
}

static int check(const weir_cache_list *list, const char *folder) {
    size_t damaged = 0, earlier = 0;
    bool fine = true;
    for (size_t i = 0; i < list->count; i++) {
        const weir_cache_item *item = &list->item[i];
        if (item->state == WEIR_CACHE_COMPLETE) continue;
        if (item->state == WEIR_CACHE_EARLIER) {
            earlier++;
            weir_note("%s: of an earlier version; removed", item->path);
        } else {
            damaged++;
            weir_error(weir_at(item->path, 0), "damaged cache entry removed; the next run that needs it rebuilds it");
        }
        fine = weir_cache_remove(folder, item) && fine;
    }
    printf("%s: %zu entries, %zu damaged", folder, list->count, damaged);
    if (earlier > 0) printf(", %zu of an earlier version", earlier);
    putchar('\n');
    return fine && damaged == 0 ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

static int clear(const weir_cache_list *list, const char *folder) {
    size_t removed = 0, used = 0;
    uint64_t size = 0;
    bool fine = true;
    for (size_t i = 0; i < list->count; i++) {
        if (list->item[i].in_use) {
            used++;
        } else if (weir_cache_remove(folder, &list->item[i])) {
            removed++;
            size += list->item[i].size;
        } else {
            fine = false;
        }
    }
    printf("%s: %zu entries removed, %" PRIu64 " KiB; %zu in use\n", folder, removed, (size + 1023) / 1024, used);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

int weir_command_cache(int argc, char **argv) {
    bool json = false;
    const weir_cli_option options[] = {
        {"json", 'j', WEIR_CLI_FLAG, &json, NULL, "print the list as JSON"},
        {.name = NULL},
    };
    size_t count;
    int status = weir_cli_parse("cache", options, help_text, argc, argv, 0, 1, &count);
    if (status >= 0) return status;
    const char *action = count == 0 ? "show" : argv[1];
    const bool shows = strcmp(action, "show") == 0, checks = strcmp(action, "check") == 0;
    if (!shows && !checks && strcmp(action, "clear") != 0)
        return weir_cli_misuse("cache", "unknown action '%s', expected show, check or clear", action);
    if (json && !shows) return weir_cli_misuse("cache", "--json requires the action show");
    char *folder = weir_sim_cache(NULL);
    if (folder == NULL) return WEIR_EXIT_INPUT;
    weir_cache_list list = weir_cache_read(folder);
    weir_cache_inspect(&list, checks);
    status = shows ? show(&list, folder, json) : checks ? check(&list, folder) : clear(&list, folder);
    weir_cache_list_free(&list);
    free(folder);
    return status;
}
