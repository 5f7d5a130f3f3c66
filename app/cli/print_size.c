#include "app/cli/print_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viz/canvas/theme.h"

#define POINTS_MIN 1.0
#define POINTS_MAX (1000 / 2.54 * 72)

static const struct {
    const char *name;
    double points;
} units[] = {{"cm", 72 / 2.54}, {"mm", 72 / 25.4}, {"in", 72}, {"pt", 1}, {"px", 0.75}};

enum { UNITS = sizeof units / sizeof *units };

double length_points(Length length) {
    for (int unit = 0; unit < UNITS; unit++)
        if (length.unit && strcmp(length.unit, units[unit].name) == 0)
            return length.number * units[unit].points;
    return 0;
}

bool length_parse(Length *length, const char *option, const char *text, Error *error) {
    char *end;
    double number = strtod(text, &end);
    *length = (Length){0};
    for (int unit = 0; unit < UNITS && end > text; unit++)
        if (strcmp(end, units[unit].name) == 0) *length = (Length){number, units[unit].name};
    if (!length->unit)
        return error_usage(error, "%s %s: it takes a number with cm, mm, in, pt or px, as in 8cm",
                           option, text);
    double points = length_points(*length);
    if (!(points >= POINTS_MIN && points <= POINTS_MAX))
        return error_usage(error, "%s %s: it takes a length from 1pt to 1000cm", option, text);
    return true;
}

/* Points per logical pixel at the requested font size of the tokens. */
static double points_of_pixel(const PrintSize *size) {
    return length_points(size->font) / (double)FONT_TOKEN;
}

float print_layout_width(const PrintSize *size) {
    if (size->width.number <= 0 || size->font.number <= 0) return 0;
    return (float)(length_points(size->width) / points_of_pixel(size));
}

Length print_width(const PrintSize *size, float layout_width) {
    if (size->font.number <= 0) return size->width;
    const char *unit = size->width.unit ? size->width.unit : size->font.unit;
    double points = (double)layout_width * points_of_pixel(size);
    return (Length){points / length_points((Length){1, unit}), unit};
}
