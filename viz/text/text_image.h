/* A rendered text: its coverage. */
#ifndef HEADSCOPE_VIZ_TEXT_TEXT_IMAGE_H
#define HEADSCOPE_VIZ_TEXT_TEXT_IMAGE_H

typedef struct TextImage {
    int width, height;       /* device pixels */
    int ascent;              /* rows above the baseline */
    unsigned char *coverage; /* [height,width], 255 is full */
} TextImage;

#endif
