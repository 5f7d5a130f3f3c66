#include "viz/scene/lesson.h"

#include "model/base/minmax.h"

#include <math.h>
#include <stdio.h>

const char *lesson_name(const char *const *names, int index, char *number, size_t size) {
    if (names && names[index]) return names[index];
    snprintf(number, size, "%d", index);
    return number;
}

bool lesson_is_nowhere(const LessonOrigin *origin) {
    return origin->example < 0 || origin->step < 0 || origin->head < 0;
}

/* --- colours ---------------------------------------------------------------------------------- */

/* In degrees, ordered so that neighbours differ most, also for red-green colour blindness. */
static const float hues[LESSON_HUES] = {255, 55, 160, 345, 95, 300, 205, 25};

#define CHROMA      0.135F
#define CHROMA_PALE 0.06F
#define LIGHTEST    0.86F
#define DARKEST     0.48F
#define ALONE       0.70F /* of a single step */
#define DEGREE      0.01745329252F

static uint8_t channel(float linear) {
    float value = linear <= 0.0031308F ? 12.92F * linear : 1.055F * powf(linear, 1 / 2.4F) - 0.055F;
    return (uint8_t)lroundf(255 * float_clamp(value, 0, 1));
}

/* Converts OKLCh to sRGB; sets *inside if the colour lies within sRGB. */
static Color from_oklch(float light, float chroma, float hue, bool *inside) {
    float a = chroma * cosf(hue * DEGREE), b = chroma * sinf(hue * DEGREE);
    float l = light + 0.3963377774F * a + 0.2158037573F * b;
    float m = light - 0.1055613458F * a - 0.0638541728F * b;
    float s = light - 0.0894841775F * a - 1.2914855480F * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    float red = 4.0767416621F * l - 3.3077115913F * m + 0.2309699292F * s;
    float green = -1.2684380046F * l + 2.6097574011F * m - 0.3413193965F * s;
    float blue = -0.0041960863F * l - 0.7034186147F * m + 1.7076147010F * s;
    float min = fminf(red, fminf(green, blue)), max = fmaxf(red, fmaxf(green, blue));
    *inside = min >= -1e-3F && max <= 1.001F;
    return (Color){channel(red), channel(green), channel(blue), 255};
}

Color lesson_color(int head, int step, int steps) {
    if (head < 0) head = 0;
    if (step < 0) step = 0;
    if (step >= steps) step = steps - 1;
    float share = steps > 1 ? (float)step / (float)(steps - 1) : 0;
    float light = steps > 1 ? LIGHTEST + share * (DARKEST - LIGHTEST) : ALONE;
    float chroma = head % LESSON_HEADS < LESSON_HUES ? CHROMA : CHROMA_PALE;
    bool inside = false;
    Color color = {0};
    /* reduce the chroma until the colour lies within sRGB */
    for (; !inside && chroma > 0; chroma -= 0.01F)
        color = from_oklch(light, chroma, hues[head % LESSON_HUES], &inside);
    return color;
}
