#include "model/base/late.h"

#include <dlfcn.h>
#include <string.h>

/* RTLD_LAZY: symbols that are never called are never looked up. */
bool late_open(const char *library, const LateFunction *functions, size_t count, Error *error) {
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    for (size_t i = 0; handle && i < count; i++) {
        void *found = dlsym(handle, functions[i].name);
        if (!found) handle = NULL;
        /* ISO C has no cast to a function pointer. */
        memcpy(functions[i].pointer, &found, sizeof found);
    }
    const char *reason = handle ? NULL : dlerror();
    return handle || error_set(error, "%s cannot be used: %s", library,
                               reason ? reason : "it lacks a function");
}
