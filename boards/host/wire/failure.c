#include "wire/failure.h"

#include <stdarg.h>
#include <stdio.h>

weir_wire_error weir_failure_set(weir_failure *why, weir_wire_error error, const char *format, ...) {
    if (why == NULL) return error;
    why->error = error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return error;
}

const char *weir_failure_name(weir_wire_error error) {
    switch (error) {
#define WEIR_WIRE_ERROR(name, meaning)                                                                                 \
    case WEIR_WIRE_##name: return #name;
        WEIR_WIRE_ERRORS(WEIR_WIRE_ERROR)
#undef WEIR_WIRE_ERROR
    }
    return "?";
}

const char *weir_failure_meaning(weir_wire_error error) {
    switch (error) {
#define WEIR_WIRE_ERROR(name, meaning)                                                                                 \
    case WEIR_WIRE_##name: return meaning;
        WEIR_WIRE_ERRORS(WEIR_WIRE_ERROR)
#undef WEIR_WIRE_ERROR
    }
    return "?";
}
