#include "passes/mase/python.h"

#include <stdbool.h>
#include <string.h>

/* Does Python print the object under this text without quotes? */
static bool is_object(const char *text) { return strncmp(text, "torch.", 6) == 0 || strncmp(text, "tensor(", 7) == 0; }

static void print_string(const char *string, weir_text *text) {
    if (is_object(string)) {
        weir_text_add(text, string);
        return;
    }
    weir_text_char(text, '\'');
    for (const char *c = string; *c != '\0'; c++) {
        if (*c == '\'' || *c == '\\') weir_text_char(text, '\\');
        if (*c == '\n') weir_text_add(text, "\\n");
        else weir_text_char(text, *c);
    }
    weir_text_char(text, '\'');
}

/* Python's shortest form has a point or an exponent. */
static void print_real(double value, weir_text *text) {
    size_t start = text->size;
    weir_text_double(text, value);
    if (strpbrk(text->data + start, ".en") == NULL) weir_text_add(text, ".0");
}

void weir_python_print(const json_t *value, weir_text *text) {
    const char *key;
    const json_t *item;
    size_t index = 0;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        weir_text_char(text, '{');
        json_object_foreach((json_t *)value, key, item) {
            if (index++ > 0) weir_text_add(text, ", ");
            print_string(key, text);
            weir_text_add(text, ": ");
            weir_python_print(item, text);
        }
        weir_text_char(text, '}');
        break;
    case JSON_ARRAY:
        weir_text_char(text, '[');
        json_array_foreach(value, index, item) {
            if (index > 0) weir_text_add(text, ", ");
            weir_python_print(item, text);
        }
        weir_text_char(text, ']');
        break;
    case JSON_STRING: print_string(json_string_value(value), text); break;
    case JSON_INTEGER: weir_text_format(text, "%lld", (long long)json_integer_value(value)); break;
    case JSON_REAL: print_real(json_real_value(value), text); break;
    case JSON_TRUE: weir_text_add(text, "True"); break;
    case JSON_FALSE: weir_text_add(text, "False"); break;
    case JSON_NULL: weir_text_add(text, "None"); break;
    }
}

static void break_line(size_t column, weir_text *text) {
    weir_text_add(text, ",\n");
    for (size_t i = 0; i < column; i++) weir_text_char(text, ' ');
}

/* `column` is where the value starts on its line. */
static void print_at(const json_t *value, size_t column, size_t width, weir_text *text) {
    weir_text line = {NULL, 0, 0};
    weir_python_print(value, &line);
    bool fits = column + line.size <= width || (!json_is_object(value) && !json_is_array(value));
    if (fits) weir_text_add(text, line.data);
    weir_text_free(&line);
    if (fits) return;
    const char *key;
    const json_t *item;
    size_t index = 0;
    weir_text_char(text, json_is_object(value) ? '{' : '[');
    json_object_foreach((json_t *)value, key, item) {
        if (index++ > 0) break_line(column + 1, text);
        size_t start = text->size;
        print_string(key, text);
        weir_text_add(text, ": ");
        print_at(item, column + 1 + text->size - start, width, text);
    }
    json_array_foreach(value, index, item) {
        if (index > 0) break_line(column + 1, text);
        print_at(item, column + 1, width, text);
    }
    weir_text_char(text, json_is_object(value) ? '}' : ']');
}

void weir_python_print_lines(const json_t *value, size_t width, weir_text *text) { print_at(value, 0, width, text); }

json_t *weir_python_tensor(const weir_array *array) {
    enum { EDGE = 3 };
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, "tensor([");
    for (size_t i = 0; i < array->count; i++) {
        if (i > 0) weir_text_add(&text, ", ");
        if (i == EDGE && array->count > 2 * EDGE + 1) {
            weir_text_add(&text, "..., ");
            i = array->count - EDGE;
        }
        if (weir_dtype_is_float(array->dtype)) print_real(weir_array_get(array, i), &text);
        else weir_text_format(&text, "%lld", (long long)weir_array_get_int(array, i));
    }
    weir_text_add(&text, "])");
    json_t *tensor = json_string(text.data);
    weir_text_free(&text);
    return tensor;
}
