/* Parses which heads of a trace the command line selects. */
#ifndef HEADSCOPE_APP_CLI_HEADS_H
#define HEADSCOPE_APP_CLI_HEADS_H

#include "viz/scene/scene.h"

/* As on the command line. */
typedef struct HeadRequest {
    const char *list; /* "cross.1.2,cross.0.3"; NULL: select by the next three */
    const char *site; /* NULL: all */
    int layer, head;  /* -1: all */
} HeadRequest;

typedef struct HeadChoice {
    ScenePanel *panels; /* [count], owned */
    int count;
    bool listed;       /* from a list: each has a name "(a) cross.1.2" */
    char (*names)[48]; /* owned */
} HeadChoice;

/* ERROR_USAGE for a name that is no site; true for NULL. */
bool heads_check_site(const char *site, Error *error);

/* ERROR_USAGE for a name that is no head, a head that the model lacks, and a list together with
 * site, layer or head. */
bool heads_choose(HeadChoice *choice, const Trace *trace, const HeadRequest *request, Error *error);
void head_choice_free(HeadChoice *choice); /* {0} is fine */

#endif
