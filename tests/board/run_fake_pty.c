/* A fake board at a pseudo-terminal until standard input ends. usage: run_fake_pty BYTES_IN BYTES_OUT; prints the
 * terminal's path. */
#include <stdio.h>
#include <stdlib.h>

#include "fake_pty.h"

int main(int count, char **argument) {
    if (count != 3) return 2;
    const fake_board_settings settings = {.receive_log2 = 12,
                                          .send_log2 = 11,
                                          .bytes_in = strtoul(argument[1], NULL, 10),
                                          .bytes_out = strtoul(argument[2], NULL, 10),
                                          .clock_hz = 48e6,
                                          .real_clock_hz = 48e6};
    fake_pty pty;
    fake_pty_begin(&pty, &settings);
    printf("%s\n", pty.path);
    fflush(stdout);
    while (getchar() != EOF) continue;
    fake_pty_end(&pty);
    return 0;
}
