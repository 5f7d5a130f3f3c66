#define _DARWIN_C_SOURCE /* flock */

#include "data/files/beside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/utf8.h"

#define PART_BEGIN ".headscope-"
#define PART_END   ".part"
enum { PART_ENDING = 64, MAX_LINKS = 40 };

/* --- names ------------------------------------------------------------------------------------ */

static char *joined(const char *folder, size_t length, const char *name) {
    size_t size = strlen(name) + 1;
    char *path = malloc(length + size);
    if (!path) return NULL;
    memcpy(path, folder, length);
    memcpy(path + length, name, size);
    return path;
}

/* The length of the folder in a path, including its last slash; 0 if the path has none. */
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static char *folder_of(const char *path) {
    size_t length = folder_length(path);
    return length ? joined(path, length, "") : strdup(".");
}

/* The target of a link, as a path from the current folder. NULL with errno. */
static char *follow(const char *link) {
    char to[PATH_MAX];
    ssize_t length = readlink(link, to, sizeof to - 1);
    if (length < 0) return NULL;
    to[length] = '\0';
    return joined(link, to[0] == '/' ? 0 : folder_length(link), to);
}

static bool is_link(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

char *beside_target(const char *path) {
    char *target = strdup(path);
    for (int links = 0; target && is_link(target); links++) {
        char *next = links < MAX_LINKS ? follow(target) : NULL;
        if (links >= MAX_LINKS) errno = ELOOP;
        int reason = errno;
        free(target);
        errno = reason;
        target = next;
    }
    return target;
}

static size_t max_name_length(const char *path) {
    char *folder = folder_of(path);
    long max = folder ? pathconf(folder, _PC_NAME_MAX) : -1;
    free(folder);
    return max > 0 ? (size_t)max : 255;
}

/* FNV-1a. */
static uint64_t hash_of(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

/* The file name; where `room` more bytes would make it too long, its beginning and a hash. */
static char *stem_of(const char *path, size_t room) {
    const char *name = path + folder_length(path);
    size_t length = strlen(name), max = max_name_length(path);
    if (length + room <= max) return strdup(name);
    char hash[24];
    int size = snprintf(hash, sizeof hash, "~%016" PRIx64, hash_of(name));
    size_t taken = room + (size_t)size;
    return joined(name, max > taken ? utf8_cut(name, max - taken) : 0, hash);
}

static char *named(const char *path, size_t room, const char *ending) {
    char *stem = stem_of(path, room);
    char *name = stem ? joined(stem, strlen(stem), ending) : NULL;
    char *whole = name ? joined(path, folder_length(path), name) : NULL;
    free(stem);
    free(name);
    return whole;
}

char *beside_name(const char *path, const char *ending) {
    return named(path, strlen(ending), ending);
}

char *beside_part(const char *path, int attempt) {
    char ending[PART_ENDING];
    snprintf(ending, sizeof ending, PART_BEGIN "%ld-%d" PART_END, (long)getpid(), attempt);
    return named(path, PART_ENDING, ending);
}

/* --- partial files of killed processes -------------------------------------------------------- */

static const char *after_digits(const char *text) {
    size_t digits = strspn(text, "0123456789");
    return digits ? text + digits : NULL;
}

/* True if a folder entry is a partial file of the file with this stem. */
static bool is_part(const char *entry, const char *stem) {
    size_t length = strlen(stem), begin = sizeof PART_BEGIN - 1;
    if (strncmp(entry, stem, length) != 0) return false;
    entry += length;
    if (strncmp(entry, PART_BEGIN, begin) != 0) return false;
    entry = after_digits(entry + begin);
    if (!entry || *entry != '-') return false;
    entry = after_digits(entry + 1);
    return entry && strcmp(entry, PART_END) == 0;
}

bool beside_lock(int file, const char *path) {
    struct stat mine, there;
    errno = 0;
    return flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &mine) == 0 &&
           lstat(path, &there) == 0 && mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

/* Locked while it is removed: who has just made it finds it gone and makes another. */
static void remove_unless_locked(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode)) return;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    if (beside_lock(file, path)) unlink(path);
    close(file);
}

void beside_clean(const char *path) {
    char *folder = folder_of(path), *stem = stem_of(path, PART_ENDING);
    DIR *stream = folder && stem ? opendir(folder) : NULL;
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char *part =
            is_part(entry->d_name, stem) ? joined(path, folder_length(path), entry->d_name) : NULL;
        if (part) remove_unless_locked(part);
        free(part);
    }
    if (stream) closedir(stream);
    free(folder);
    free(stem);
}

bool beside_is_same(const char *a, const char *b) {
    struct stat first, second;
    return strcmp(a, b) == 0 ||
           (stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
            first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}
