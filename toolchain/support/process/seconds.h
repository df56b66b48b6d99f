/* Time for measuring. */
#ifndef WEIR_SECONDS_H
#define WEIR_SECONDS_H

/* Monotonic, since an unspecified start. */
double weir_seconds(void);

#endif
