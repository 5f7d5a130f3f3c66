#define _XOPEN_SOURCE 700 /* realpath: POSIX, but glibc declares it only with X/Open */

#include "app/cli/places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <stdint.h>
#endif

#include "data/files/input.h"

enum { PATH_BYTES = 4096 };

static char *joined(const char *folder, const char *between, const char *name) {
    size_t size = strlen(folder) + strlen(between) + strlen(name) + 1;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s%s%s", folder, between, name);
    return path;
}

/* A variable counts only if it holds an absolute path. */
static const char *folder_of(const char *variable) {
    const char *folder = getenv(variable);
    return folder && folder[0] == '/' ? folder : NULL;
}

static char *place(const char *variable, const char *below_home, const char *name) {
    const char *folder = folder_of(variable), *home = folder_of("HOME");
    if (folder) return joined(folder, "/headscope/", name);
    return home ? joined(home, below_home, name) : NULL;
}

char *places_config(void) {
    return place("XDG_CONFIG_HOME", "/.config/headscope/", "config");
}

char *places_last(void) {
    return place("XDG_STATE_HOME", "/.local/state/headscope/", "last");
}

bool places_make_folders(const char *path) {
    char *folder = strdup(path);
    bool good = folder != NULL;
    for (char *slash = folder; good && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        good = mkdir(folder, 0700) == 0 || errno == EEXIST || access(folder, F_OK) == 0;
        *slash = '/';
    }
    free(folder);
    return good;
}

const char *places_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The concatenated path if that file is readable, else NULL. */
static char *if_readable(const char *folder, const char *between, const char *name) {
    char *path = joined(folder, between, name);
    if (path && access(path, R_OK) == 0) return path;
    free(path);
    return NULL;
}

/* The folder of the running program, symbolic links resolved, with a final `/`; NULL if unknown. */
static char *program_folder(void) {
#ifdef __APPLE__
    char link[PATH_BYTES];
    uint32_t size = sizeof link;
    if (_NSGetExecutablePath(link, &size) != 0) return NULL;
    char *path = realpath(link, NULL);
#else
    char *path = realpath("/proc/self/exe", NULL);
#endif
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash) slash[1] = '\0';
    return path;
}

char *places_shipped(const char *name) {
    static const char *const near[] = {"assets/", "../share/headscope/", "../../assets/"};
    static const char *const far[] = {"/usr/local/share/headscope/", "/usr/share/headscope/"};
    char *path = if_readable("", "assets/", name);
    char *program = program_folder();
    for (int i = 0; !path && program && i < 3; i++)
        path = if_readable(program, near[i], name);
    for (int i = 0; !path && i < 2; i++)
        path = if_readable(far[i], "", name);
    free(program);
    return path;
}

char *places_beside(const char *beside, const char *name) {
    size_t folder = (size_t)(places_name(beside) - beside);
    char *path = malloc(folder + strlen(name) + 1);
    if (!path) return NULL;
    memcpy(path, beside, folder);
    memcpy(path + folder, name, strlen(name) + 1);
    return path;
}

char *places_absolute(const char *path) {
    char *whole = realpath(path, NULL);
    if (whole || path[0] == '/') return whole ? whole : strdup(path);
    char *here = realpath(".", NULL);
    whole = here ? joined(here, "/", path) : strdup(path);
    free(here);
    return whole;
}

char *places_read(const char *path, size_t max, size_t *size, Error *error) {
    unsigned char *bytes;
    size_t ignored;
    if (!input_read(&bytes, size ? size : &ignored, path, max, error)) return NULL;
    return (char *)bytes;
}
