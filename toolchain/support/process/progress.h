/* A progress line on stderr for long work; silent when stderr is not a terminal. */
#ifndef WEIR_PROGRESS_H
#define WEIR_PROGRESS_H

/* "WHAT: DONE of TOTAL"; a total that is smaller counts as DONE. */
void weir_progress(const char *what, double done, double total);
/* Clears the line. */
void weir_progress_end(void);

#endif
