/* svg_check FILE: do the texts of a picture lie inside it, and none over another? Without a browser, so letters count
 * as wide as those of a usual sans-serif font at most are: 0.62 of their height, bold ones 0.68. Exit status 1 when
 * not; each finding on a line. Reads what Weir writes: an element a line, attributes in double quotes. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 20000, LINE = 4096 };

typedef struct box {
    double left, top, right, bottom;
    char text[48];
} box;

/* The value of the attribute in the element; NULL: none. */
static const char *attribute(const char *line, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = line; (at = strstr(at, name)) != NULL; at += length)
        if (at > line && at[-1] == ' ' && at[length] == '=') return at + length + 2;
    return NULL;
}

static double number(const char *line, const char *name, double otherwise) {
    const char *value = attribute(line, name);
    return value == NULL ? otherwise : strtod(value, NULL);
}

/* Characters; an entity is one. */
static size_t letters(const char *text) {
    size_t count = 0;
    for (; *text != '\0' && *text != '<'; text++, count++)
        if (*text == '&') text += strcspn(text, ";");
    return count;
}

/* Where the text lies; turned by -90 degrees around its own position: it runs upwards. */
static box box_of(const char *line, double font) {
    const char *text = strchr(line, '>') + 1, *anchor = attribute(line, "text-anchor");
    const double size = number(line, "font-size", font), x = number(line, "x", 0), y = number(line, "y", 0);
    const bool bold = attribute(line, "font-weight") != NULL;
    const double width = (double)letters(text) * size * (bold ? 0.68 : 0.62);
    const double before = anchor == NULL || *anchor == 's' ? 0 : *anchor == 'm' ? width / 2 : width;
    box b = {x - before, y - 0.75 * size, x - before + width, y + 0.2 * size, ""};
    if (attribute(line, "transform") != NULL)
        b = (box){x - 0.75 * size, y + before - width, x + 0.2 * size, y + before, ""};
    snprintf(b.text, sizeof b.text, "%.*s", (int)strcspn(text, "<"), text);
    return b;
}

static bool overlap(const box *a, const box *b) {
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static size_t check(const char *path, box *all) {
    char line[LINE];
    double width = 0, height = 0, font = 12;
    size_t count = 0, found = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        printf("cannot be read\n");
        return 1;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "<svg", 4) == 0) {
            width = number(line, "width", 0);
            height = number(line, "height", 0);
            font = number(line, "font-size", font);
        }
        if (strncmp(line, "<text", 5) == 0 && count < TEXTS) all[count++] = box_of(line, font);
        if (strstr(line, "<script") != NULL && ++found > 0) printf("a script\n");
    }
    fclose(file);
    if (count == 0 && ++found > 0) printf("no text\n");
    for (size_t i = 0; i < count; i++) {
        if (all[i].left < 0 || all[i].top < 0 || all[i].right > width || all[i].bottom > height) {
            printf("'%s' is not inside\n", all[i].text);
            found++;
        }
        for (size_t k = 0; k < i; k++) {
            if (!overlap(&all[i], &all[k])) continue;
            printf("'%s' lies over '%s'\n", all[i].text, all[k].text);
            found++;
        }
    }
    return found;
}

int main(int argc, char **argv) {
    box *all = calloc(TEXTS, sizeof *all);
    const size_t found = argc == 2 && all != NULL ? check(argv[1], all) : 1;
    free(all);
    return found > 0;
}
