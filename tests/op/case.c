#include "op/case.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_case.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

bool op_case_read(char *text, op_case *c) {
    *c = (op_case){.graph = NULL};
    const case_field header[] = {{"tolerance", &c->tolerance},
                                 {"hardware", &c->hardware},
                                 {"interval", &c->interval},
                                 {"reference", &c->reference},
                                 {"planted", &c->planted}};
    const case_field sections[] = {{"graph", &c->graph},
                                   {"data", &c->data},
                                   {"nest", &c->nest},
                                   {"values", &c->values},
                                   {"diagnostics", &c->diagnostics},
                                   {"refusal", &c->refusal}};
    return read_case_text(text, header, sizeof header / sizeof *header, sections, sizeof sections / sizeof *sections) &&
           c->graph != NULL;
}

int op_folder_visit(const char *folder, op_file_visit *visit, void *user) {
    struct dirent **entry;
    const int found = scandir(folder, &entry, NULL, alphasort);
    int files = found < 0 ? -1 : 0;
    for (int i = 0; i < found; i++) {
        const size_t length = strlen(entry[i]->d_name);
        if (length > 4 && strcmp(entry[i]->d_name + length - 4, ".txt") == 0) {
            char *path = weir_path_join(folder, entry[i]->d_name);
            visit(user, path);
            files++;
            free(path);
        }
        free(entry[i]);
    }
    if (found >= 0) free(entry);
    return files;
}
