/* A progress line on stderr for long work; silent when stderr is not a terminal. */
#ifndef WEIR_PROGRESS_H
#define WEIR_PROGRESS_H

/* "WHAT: DONE of TOTAL, about TIME left", as far as the pace since `begun` (weir_seconds; 0: not known) tells after a
 * fifth of a second; a total that is smaller counts as DONE. */
void weir_progress(const char *what, double done, double total, double begun);
/* Clears the line. */
void weir_progress_end(void);

#endif
