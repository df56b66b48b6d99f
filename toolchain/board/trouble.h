/* A problem with a board and the one line that fixes it: a value, for a table, a report, or an error. */
#ifndef WEIR_TROUBLE_H
#define WEIR_TROUBLE_H

typedef struct weir_trouble {
    int status;   /* the command's exit status: WEIR_EXIT_TOOL, WEIR_EXIT_BOARD; WEIR_EXIT_FINE: no problem */
    char *text;   /* what is wrong; heap */
    char *remedy; /* a command, or what to do; heap */
    char *output; /* messages of the program that failed; heap, NULL: there are none */
} weir_trouble;

/* All are heap memory and taken over; what was there before is freed. */
void weir_trouble_set(weir_trouble *trouble, int status, char *text, char *remedy);
/* As an error with its notes; returns the status. */
int weir_trouble_report(const weir_trouble *trouble);
void weir_trouble_free(weir_trouble *trouble);

#endif
