/* Which operators have no tests: cover_op ROOT [--planted], ROOT being tests/op.
 * Every operator of op.def that has a kernel has a folder with a case whose values are known and one that is refused,
 * every one that becomes hardware a case with `hardware: yes`, and every folder with cases is named after an operator.
 * --planted: without any one of these, it must be missed. Exit status 0 or 1. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/kernel.h"
#include "op/case.h"
#include "op/subject.h"
#include "passes/passes.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

typedef enum need { NEED_VALUES, NEED_REFUSAL, NEED_HARDWARE, NEEDS } need;

static const char *const text_of[NEEDS] = {"\n--- values\n", "\n--- diagnostics\n", "\nhardware: yes\n"};

typedef struct text_count {
    const char *text;
    int files;
} text_count;

static void count_file(void *user, const char *path) {
    text_count *c = user;
    size_t size;
    char *content = weir_file_read(path, &size);
    c->files += content != NULL && strstr(content, c->text) != NULL;
    free(content);
}

/* How many cases of the folder have the text; -1 when there is no folder. */
static int count_cases(const char *folder, const char *text) {
    text_count c = {text, 0};
    return op_folder_visit(folder, count_file, &c) < 0 ? -1 : c.files;
}

static bool is_needed(weir_op op, need what) {
    return what != NEED_HARDWARE ? weir_kernel_exists(op) : weir_lower_integer_takes(op) == WEIR_LOWERED_HARDWARE;
}

/* Complaints about what is missing; what is `without` counts as absent. */
static int count_missing(const char *root, weir_op without, need absent, bool quiet) {
    int missing = 0;
    for (int op = 1; op < WEIR_OP_COUNT; op++) {
        char *name = subject_folder((weir_op)op), *folder = weir_path_join(root, name);
        for (need what = 0; what < NEEDS; what++) {
            if (!is_needed((weir_op)op, what)) continue;
            if (count_cases(folder, text_of[what]) > 0 && !((weir_op)op == without && what == absent)) continue;
            missing++;
            if (!quiet)
                fprintf(stderr, "%s: no case with '%.*s'\n", folder, (int)strlen(text_of[what]) - 2, text_of[what] + 1);
        }
        free(folder);
        free(name);
    }
    return missing;
}

/* Folders with cases that no operator is called after. */
static int count_strangers(const char *root) {
    struct dirent **entry;
    const int found = scandir(root, &entry, NULL, alphasort);
    int strangers = 0;
    for (int i = 0; i < found; i++) {
        char *folder = weir_path_join(root, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.' && count_cases(folder, "--- graph\n") > 0 &&
            subject_of_path(folder) == WEIR_OP_NONE) {
            fprintf(stderr, "%s: expected an operator's name\n", folder);
            strangers++;
        }
        free(folder);
        free(entry[i]);
    }
    if (found >= 0) free(entry);
    return found < 0 ? 1 : strangers;
}

/* Is each absence seen? */
static bool check_planted(const char *root) {
    int planted = 0, seen = 0;
    for (int op = 1; op < WEIR_OP_COUNT; op++) {
        for (need what = 0; what < NEEDS; what++) {
            if (!is_needed((weir_op)op, what)) continue;
            planted++;
            seen += count_missing(root, (weir_op)op, what, true) == 1;
        }
    }
    printf("%d of %d planted absences seen\n", seen, planted);
    return planted > 0 && seen == planted;
}

int main(int count, char **argument) {
    if (count < 2 || count > 3 || (count == 3 && strcmp(argument[2], "--planted") != 0)) {
        fprintf(stderr, "usage: cover_op ROOT [--planted]\n");
        return 2;
    }
    if (count == 3) return check_planted(argument[1]) ? 0 : 1;
    return count_missing(argument[1], WEIR_OP_NONE, NEEDS, false) + count_strangers(argument[1]) == 0 ? 0 : 1;
}
