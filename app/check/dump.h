/* What somebody's attention wrote into a file, made ready for the doctor: which array is what, how
 * its axes are to be read, and that all shapes agree. */
#ifndef HEADSCOPE_APP_CHECK_DUMP_H
#define HEADSCOPE_APP_CHECK_DUMP_H

#include "data/arrays/arrays.h"
#include "model/doctor/doctor.h"

/* What the call says of the files; {0}: nothing. It goes before what a file says of itself. */
typedef struct DumpOptions {
    int heads;              /* 0: not said */
    const char *site;       /* "self", "encoder", "decoder" or "cross"; NULL: not said */
    bool causal, unmasked;  /* the site is causal, is not; neither: as the site implies */
    const char *layout;     /* "BTW", "BHTD" or "FTD"; NULL: not said */
    const char *valid_lens; /* "3,2", one for each example; NULL: not said */
    const char *weights;    /* the array that holds the weights; NULL: by its name */
} DumpOptions;

typedef struct DumpFile {
    Arrays arrays; /* owned; the dump's numbers lie in it */
    int *lens;     /* owned */
    Dump dump;
} DumpFile;

/* Checks the options by themselves. ERROR_USAGE. */
bool dump_options_check(const DumpOptions *options, Error *error);

/* Reads a file. Every failure is one line that begins with the path, and ERROR_USAGE: the file
 * cannot be judged. Shapes that can be read in two ways are asked about in the same way. */
bool dump_open(DumpFile *file, const char *path, const DumpOptions *options, Error *error);

/* The same of arrays that stand in memory; takes them over whatever comes of it. */
bool dump_read(DumpFile *file, Arrays *arrays, const char *name, const DumpOptions *options,
               Error *error);
void dump_close(DumpFile *file); /* {0} is fine */

#endif
