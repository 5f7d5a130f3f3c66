/* What the files of viz/font*.c share. */
#ifndef HEADSCOPE_VIZ_FONT_PARTS_H
#define HEADSCOPE_VIZ_FONT_PARTS_H

#include "viz/font.h"

#include <hb.h>

struct FontFile {
    void *bytes; /* the whole file, mapped */
    size_t size;
    FT_Face face;
    int pixels; /* the size that `face` has now; 0: none yet */
    hb_face_t *shapes;
    hb_buffer_t *buffer; /* for one text at a time */
};

#endif
