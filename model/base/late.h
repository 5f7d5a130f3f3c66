/* Opens large libraries when they are first needed instead of at program start, since most runs do
 * not need them (bench/RESULTS.md). A file lists the functions of a library once, and names it:
 *
 *     #define FUNCTIONS(VALUE, NOTHING)
 *         VALUE(int, SDL_Init, (Uint32 flags), (flags))
 *         NOTHING(SDL_Quit, (void), ())
 *     LATE_LIBRARY(open_sdl, FUNCTIONS, HEADSCOPE_LATE_SDL, "window", "Shows the window",
 *                  "recommended")
 *
 * This defines each function under its own name, as a call through a pointer; a note for packagers
 * (below); and `static bool open_sdl(Error *error)`, which must succeed before any of the functions
 * is called. All other files include the library's own header and call it as usual. A signature
 * that differs from the header's does not compile.
 *
 * The Makefile compiles such a file with HEADSCOPE_LATE and the libraries' sonames, or without
 * (`make LATE=0`, and on other systems than Linux): then LATE_LIBRARY defines an open_sdl that
 * always succeeds, and the library is linked. */
#ifndef HEADSCOPE_MODEL_BASE_LATE_H
#define HEADSCOPE_MODEL_BASE_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"

typedef struct LateFunction {
    const char *name;
    void *pointer; /* address of the function pointer to set */
} LateFunction;

/* Opens the library until the program ends, and sets all function pointers. False with *error,
 * which names the library, if it or one of the functions is missing. */
bool late_open(const char *library, const LateFunction *functions, size_t count, Error *error);

/* One entry of FUNCTIONS, as a definition and as a row of the table for late_open. A name that is a
 * macro is expanded. */
#define LATE_VALUE(type, name, parameters, arguments)                                              \
    static __typeof__(name) *late_##name;                                                          \
    type name parameters {                                                                         \
        return late_##name arguments;                                                              \
    }
#define LATE_NOTHING(name, parameters, arguments)                                                  \
    static __typeof__(name) *late_##name;                                                          \
    void name parameters {                                                                         \
        late_##name arguments;                                                                     \
    }
#define LATE_VALUE_ROW(type, name, parameters, arguments) {LATE_TEXT(name), &late_##name},
#define LATE_NOTHING_ROW(name, parameters, arguments)     {LATE_TEXT(name), &late_##name},
#define LATE_TEXT(name)                                   LATE_TEXT_OF(name)
#define LATE_TEXT_OF(name)                                #name

/* The note that lists libraries that `ldd` does not show, for packagers: "ELF dlopen metadata",
 * https://systemd.io/ELF_DLOPEN_METADATA/. `readelf -n` lists it as type 0x407c0c0a of FDO.
 * `priority` is "required", "recommended" or "suggested". */
#define LATE_NOTE_JSON(soname, feature, description, priority)                                     \
    "[{\"feature\":\"" feature "\",\"description\":\"" description "\",\"priority\":\"" priority   \
    "\",\"soname\":[\"" soname "\"]}]"
#define LATE_NOTE(name, json)                                                                      \
    static const struct {                                                                          \
        uint32_t owner_size, json_size, type;                                                      \
        char owner[4];                                                                             \
        _Alignas(4) char text[sizeof json];                                                        \
    } name LATE_IN_NOTES = {4, sizeof json, 0x407c0c0a, "FDO", json};
#define LATE_IN_NOTES LATE_NO_ASAN __attribute__((used, section(".note.dlopen"), aligned(4)))

/* clang's address sanitizer would insert gaps between the notes. */
#ifdef __clang__
#define LATE_NO_ASAN __attribute__((no_sanitize("address")))
#else
#define LATE_NO_ASAN
#endif

#ifdef HEADSCOPE_LATE
#define LATE_LIBRARY(open, FUNCTIONS, soname, feature, description, priority)                      \
    FUNCTIONS(LATE_VALUE, LATE_NOTHING)                                                            \
    LATE_NOTE(open##_note, LATE_NOTE_JSON(soname, feature, description, priority))                 \
    static bool open(Error *error) {                                                               \
        static const LateFunction functions[] = {FUNCTIONS(LATE_VALUE_ROW, LATE_NOTHING_ROW)};     \
        return late_open(soname, functions, sizeof functions / sizeof *functions, error);          \
    }
#else
#define LATE_LIBRARY(open, FUNCTIONS, soname, feature, description, priority)                      \
    static bool open(Error *error) {                                                               \
        (void)error;                                                                               \
        return true;                                                                               \
    }
#endif

#endif
