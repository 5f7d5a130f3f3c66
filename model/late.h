/* Functions of a library that is opened when it is first needed, not as the program starts: for
 * large ones that most runs do without (bench/RESULTS.md). A file lists the functions once, and
 * with the macros below defines each under its own name, as a call of what late_open found:
 *
 *     #define FUNCTIONS(VALUE, NOTHING)
 *         VALUE(int, SDL_Init, (Uint32 flags), (flags))
 *         NOTHING(SDL_Quit, (void), ())
 *     FUNCTIONS(LATE_VALUE, LATE_NOTHING)
 *     static const LateFunction functions[] = {FUNCTIONS(LATE_ENTRY, LATE_ENTRY_NOTHING)};
 *
 * All others include the library's own header, call it as ever, and do not link it. A signature
 * that differs from the header's does not compile. */
#ifndef HEADSCOPE_MODEL_LATE_H
#define HEADSCOPE_MODEL_LATE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/error.h"

/* A function, and the pointer that will be called. */
typedef struct LateFunction {
    const char *name;
    void *pointer; /* where it is kept */
} LateFunction;

/* Opens the library, for as long as the program runs, and finds all the functions; quick where that
 * was done before. False with *error, which names the library, if it or a function is not there. No
 * function may be called before. */
bool late_open(const char *library, const LateFunction *functions, size_t count, Error *error);

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
#define LATE_ENTRY(type, name, parameters, arguments)   {#name, &late_##name},
#define LATE_ENTRY_NOTHING(name, parameters, arguments) {#name, &late_##name},

#endif
