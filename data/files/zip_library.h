/* On Linux libzip is not linked, since it brings in a library of ciphers. It must be opened before
 * any of its functions is called. */
#ifndef HEADSCOPE_DATA_FILES_ZIP_LIBRARY_H
#define HEADSCOPE_DATA_FILES_ZIP_LIBRARY_H

#include "model/base/error.h"

/* False with *error where it is not installed. */
bool zip_library_open(Error *error);

#endif
