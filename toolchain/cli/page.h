/* What commands leave in folders for `weir report`, and pages made of it. */
#ifndef WEIR_CLI_PAGE_H
#define WEIR_CLI_PAGE_H

#include "report/report.h"

/* Files that commands leave in a compiled folder. */
#define WEIR_PAGE_CHECK "check.json"
#define WEIR_PAGE_SIMULATION "simulation.json"
#define WEIR_PAGE_SYNTHESIS "synthesis.json"
#define WEIR_PAGE_FRONT "front.json"

#define WEIR_HTML_OPTION(path)                                                                                         \
    { "html", 0, WEIR_CLI_STRING, &(path), "FILE.html", "write the report as a page" }

/* Leaves a report on this design in its compiled folder, whose next compilation removes it. Nothing is left in a folder
 * that cannot be written to, that is a part of a board's, or that has another design by now: the command has done its
 * work. NULL is fine. */
void weir_page_leave(const char *folder, const char *name, const weir_graph *hardware, const json_t *report);
/* Writes a page of these runs, with Graphviz' layout where it is installed. False after a reported error. */
bool weir_page_write(const char *path, const weir_report_run *runs, size_t count);
/* The same of folders that Weir wrote: compiled ones, boards', sweeps, with what commands left in them. Exit status. */
int weir_page_of_folders(const char *output, const char *const *paths, size_t count);
/* The same for the picture of a run's network alone. */
bool weir_page_draw(const char *path, const weir_report_run *run);

#endif
