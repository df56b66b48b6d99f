#define _XOPEN_SOURCE 700 /* realpath */
#include "frontend/wire/onnx_external.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/file/file.h"

typedef struct external {
    const char *location;
    int64_t offset;
    int64_t length; /* -1: not given */
} external;

static bool complain(weir_location location, const char *name, const char *file, const char *what) {
    weir_error(location, "tensor '%.100s': external data file '%.200s' %s", name, file, what);
    return false;
}

/* Digits only, no overflow. */
static bool parse_size(const char *text, int64_t *value) {
    *value = 0;
    if (*text == '\0') return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || *value > (INT64_MAX - 9) / 10) return false;
        *value = *value * 10 + (*text - '0');
    }
    return true;
}

static bool read_entries(const Onnx__TensorProto *tensor, const char *name, weir_location location, external *p) {
    *p = (external){NULL, 0, -1};
    for (size_t i = 0; i < tensor->n_external_data; i++) {
        const char *key = tensor->external_data[i]->key, *value = tensor->external_data[i]->value;
        bool fine = key != NULL && value != NULL;
        if (fine && strcmp(key, "location") == 0) p->location = value;
        else if (fine && strcmp(key, "offset") == 0) fine = parse_size(value, &p->offset);
        else if (fine && strcmp(key, "length") == 0) fine = parse_size(value, &p->length);
        else if (fine) fine = strcmp(key, "checksum") == 0; /* SHA-1, not checked */
        if (fine) continue;
        weir_error(location, "tensor '%.100s': external data entry '%.40s' has the value '%.40s'", name,
                   key == NULL ? "" : key, value == NULL ? "" : value);
        return false;
    }
    if (p->location != NULL && *p->location != '\0') return true;
    weir_error(location, "tensor '%.100s': external data without a location", name);
    return false;
}

static bool has_parent_step(const char *path) {
    for (const char *part = path; part != NULL; part = strchr(part, '/'), part = part == NULL ? NULL : part + 1) {
        if (strncmp(part, "..", 2) == 0 && (part[2] == '\0' || part[2] == '/')) return true;
    }
    return false;
}

static bool inside(const char *folder, const char *path) {
    size_t length = strlen(folder);
    if (strcmp(folder, "/") == 0) return true;
    return strncmp(folder, path, length) == 0 && path[length] == '/';
}

/* An open descriptor of the regular file, or -1 after a reported error. */
static int open_inside(const char *folder, const external *p, const char *name, weir_location location) {
    const char *problem = NULL;
    int descriptor = -1;
    if (folder == NULL) problem = "cannot be read: the model has no folder";
    else if (*p->location == '/') problem = "has an absolute path";
    else if (has_parent_step(p->location)) problem = "has '..' in its path";
    if (problem != NULL) return complain(location, name, p->location, problem) ? 0 : -1;
    char *joined = weir_path_join(folder, p->location);
    char *base = realpath(folder, NULL), *path = realpath(joined, NULL);
    if (base == NULL || path == NULL) problem = "cannot be found";
    else if (!inside(base, path)) problem = "is a link that leaves the model's folder";
    else descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (problem == NULL && descriptor < 0) problem = strerror(errno);
    struct stat status;
    if (descriptor >= 0 && (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))) {
        problem = "is not a regular file";
        close(descriptor);
        descriptor = -1;
    }
    if (problem != NULL) complain(location, name, p->location, problem);
    free(base);
    free(path);
    free(joined);
    return descriptor;
}

static bool check_extent(int descriptor, const external *p, const char *name, weir_location location, size_t size) {
    struct stat status;
    if (p->length >= 0 && (uint64_t)p->length != size) {
        weir_error(location, "tensor '%.100s' has %lld bytes of external data, its shape and type need %zu", name,
                   (long long)p->length, size);
        return false;
    }
    if (fstat(descriptor, &status) != 0) return complain(location, name, p->location, strerror(errno));
    if (status.st_size >= p->offset && (uint64_t)(status.st_size - p->offset) >= size) return true;
    weir_error(location, "tensor '%.100s': external data file '%.200s' has %lld bytes, %zu at offset %lld are needed",
               name, p->location, (long long)status.st_size, size, (long long)p->offset);
    return false;
}

/* Opens the file and checks that it holds the bytes; -1 after a reported error. */
static int open_checked(const Onnx__TensorProto *tensor, const char *name, weir_location location, const char *folder,
                        size_t size, external *p) {
    if (!read_entries(tensor, name, location, p)) return -1;
    int descriptor = open_inside(folder, p, name, location);
    if (descriptor >= 0 && !check_extent(descriptor, p, name, location, size)) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

bool weir_onnx_external_check(const Onnx__TensorProto *tensor, const char *name, weir_location location,
                              const char *folder, size_t size) {
    external p;
    int descriptor = open_checked(tensor, name, location, folder, size, &p);
    if (descriptor < 0) return false;
    close(descriptor);
    return true;
}

bool weir_onnx_external_read(const Onnx__TensorProto *tensor, const char *name, weir_location location,
                             const char *folder, void *data, size_t size) {
    external p;
    int descriptor = open_checked(tensor, name, location, folder, size, &p);
    if (descriptor < 0) return false;
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(descriptor, (char *)data + done, size - done, (off_t)p.offset + (off_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += (size_t)got;
    }
    close(descriptor);
    return done == size || complain(location, name, p.location, "could not be read");
}
