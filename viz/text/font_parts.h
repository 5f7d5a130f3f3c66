/* What the files of viz/text/font*.c share. */
#ifndef HEADSCOPE_VIZ_TEXT_FONT_PARTS_H
#define HEADSCOPE_VIZ_TEXT_FONT_PARTS_H

#include "viz/text/font.h"

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
