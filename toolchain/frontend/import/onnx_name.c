#include "frontend/import/onnx_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/text/keyword.h"

enum { LENGTH_LIMIT = 100 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_legal(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static void add_legal(char *text, const char *part, size_t length) {
    size_t size = strlen(text);
    for (size_t i = 0; i < length && size < LENGTH_LIMIT; i++) text[size++] = is_legal(part[i]) ? part[i] : '_';
    text[size] = '\0';
}

/* Makes what was joined an identifier; `otherwise` is used when no letter or digit is left. */
static void finish(char *text, const char *otherwise) {
    if (text[strspn(text, "_")] == '\0') {
        *text = '\0';
        add_legal(text, otherwise, strlen(otherwise));
        for (char *c = text; *c != '\0'; c++) *c = lower(*c);
    }
    if (text[strspn(text, "_")] == '\0') strcpy(text, "node");
    if (is_digit(*text)) {
        memmove(text + 1, text, strlen(text) + 1);
        *text = '_';
    }
    if (weir_is_keyword(text)) strcat(text, "_");
}

/* Is the part nothing but the operator's name as exporters number it ("Gemm", "Gemm_3") or as quantizers change it
 * ("Gemm_quant" of type QGemm)? */
static bool says_operator(const char *part, size_t length, const char *op_type) {
    static const char suffix[] = "_quant";
    size_t tail = sizeof suffix - 1, digits = length;
    if (length > tail && strncmp(part + length - tail, suffix, tail) == 0) length -= tail;
    for (digits = length; digits > 0 && is_digit(part[digits - 1]);) digits--;
    if (digits < length && digits > 1 && part[digits - 1] == '_') length = digits - 1;
    const char *plain = strncmp(op_type, "QLinear", 7) == 0 ? op_type + 7 : op_type;
    if (*plain == 'Q' && plain[1] >= 'A' && plain[1] <= 'Z') plain++;
    return (strlen(op_type) == length && strncmp(part, op_type, length) == 0) ||
           (strlen(plain) == length && strncmp(part, plain, length) == 0);
}

/* In "layers/layers.0" the first part says nothing that the second does not. */
static bool repeated_by_next(const char *part, size_t length) {
    const char *next = part + length;
    next += strspn(next, "/");
    return strncmp(part, next, length) == 0 && next[length] == '.';
}

void weir_onnx_name_node(const char *name, const char *op_type, char text[WEIR_ONNX_NAME_SIZE]) {
    *text = '\0';
    for (const char *part = name == NULL ? "" : name; *(part += strspn(part, "/")) != '\0';) {
        size_t length = strcspn(part, "/");
        bool last = part[length + strspn(part + length, "/")] == '\0';
        if (!(last && says_operator(part, length, op_type)) && !(!last && repeated_by_next(part, length))) {
            if (*text != '\0') add_legal(text, "_", 1);
            add_legal(text, part, length);
        }
        part += length;
    }
    finish(text, op_type);
}

void weir_onnx_name_graph(const char *file, char text[WEIR_ONNX_NAME_SIZE]) {
    *text = '\0';
    add_legal(text, file, strcspn(file, "."));
    finish(text, "model");
}
