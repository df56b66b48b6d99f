/* Which characters make up an unquoted name of the text form; shared by its printer and its parser. */
#ifndef WEIR_IR_WORD_H
#define WEIR_IR_WORD_H

#include <stdbool.h>

static inline bool weir_is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '/' || c == '-';
}

#endif
