/* libzip, which a few files need and which brings a library of ciphers with it. On Linux it is not
 * linked: this opens it, before any of its functions is called. */
#ifndef HEADSCOPE_DATA_FILES_ZIP_LIBRARY_H
#define HEADSCOPE_DATA_FILES_ZIP_LIBRARY_H

#include "model/base/error.h"

/* False with *error where it is not installed. */
bool zip_library_open(Error *error);

#endif
