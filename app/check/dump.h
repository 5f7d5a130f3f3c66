/* Reads a dump of attention from a file: finds which array is which tensor, how its axes are to be
 * read, and checks that all shapes agree. */
#ifndef HEADSCOPE_APP_CHECK_DUMP_H
#define HEADSCOPE_APP_CHECK_DUMP_H

#include "data/arrays/arrays.h"
#include "model/doctor/doctor.h"

/* The options of a call; {0}: none. They override what a file says. */
typedef struct DumpOptions {
    int heads;              /* 0: not given */
    const char *site;       /* "self", "encoder", "decoder" or "cross"; NULL: not given */
    bool causal, unmasked;  /* --causal, --no-causal; neither: the site implies it */
    const char *layout;     /* "BTW", "BHTD" or "FTD"; NULL: not given */
    const char *valid_lens; /* "3,2", one for each example; NULL: not given */
    const char *weights;    /* the array that holds the weights; NULL: found by its name */
} DumpOptions;

typedef struct DumpFile {
    Arrays arrays; /* owned; the dump points into it */
    int *lens;     /* owned */
    Dump dump;
} DumpFile;

/* Checks the options without a file. ERROR_USAGE. */
bool dump_options_check(const DumpOptions *options, Error *error);

/* Reads a file. Returns false with ERROR_USAGE, in one line that begins with the path, if it cannot
 * be read, or can be read in more than one way. */
bool dump_open(DumpFile *file, const char *path, const DumpOptions *options, Error *error);

/* The same for arrays in memory. Takes ownership of *arrays, even on failure. */
bool dump_read(DumpFile *file, Arrays *arrays, const char *name, const DumpOptions *options,
               Error *error);
void dump_close(DumpFile *file); /* {0} is fine */

#endif
