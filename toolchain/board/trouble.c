#include "board/trouble.h"

#include <assert.h>
#include <stdlib.h>

#include "support/text/diag.h"

void weir_trouble_set(weir_trouble *trouble, int status, char *text, char *remedy) {
    assert(status != WEIR_EXIT_FINE && text != NULL && remedy != NULL && *remedy != '\0');
    weir_trouble_free(trouble);
    trouble->status = status;
    trouble->text = text;
    trouble->remedy = remedy;
}

int weir_trouble_report(const weir_trouble *trouble) {
    if (trouble->status == WEIR_EXIT_FINE) return WEIR_EXIT_FINE;
    weir_error(WEIR_NOWHERE, "%s", trouble->text);
    if (trouble->output != NULL) weir_note("its messages:\n%s", trouble->output);
    weir_note("%s", trouble->remedy);
    return trouble->status;
}

void weir_trouble_free(weir_trouble *trouble) {
    free(trouble->text);
    free(trouble->remedy);
    free(trouble->output);
    *trouble = (weir_trouble){.status = WEIR_EXIT_FINE};
}
