/* What the precision of numbers allows. */
#include <math.h>

#include "model/doctor/doctor_case.h"

double precision_roundoff(DumpPrecision precision) {
    static const int bits[] = {53, 24, 11, 8};
    return ldexp(1, -bits[precision]);
}

/* f16 has no number between 0 and 6e-8. The others reach 1e-38 and below: hidden weights are 0 but
 * for what a mask of -27 or more lets through. */
double precision_floor(DumpPrecision precision) {
    static const double floors[] = {1e-20, 1e-12, 6e-8, 1e-12};
    return floors[precision];
}

double precision_largest(DumpPrecision precision) {
    static const double largest[] = {1.7e308, 3.4e38, 65504, 3.38e38};
    return largest[precision];
}

static bool fits(double x, DumpPrecision precision) {
    static const int bits[] = {53, 24, 11, 8}, least[] = {-1074, -149, -24, -133};
    if (x == 0 || !isfinite(x)) return true;
    if (fabs(x) > precision_largest(precision)) return false;
    int exponent;
    frexp(x, &exponent);
    int unit = exponent - bits[precision];
    if (unit < least[precision]) unit = least[precision];
    double steps = ldexp(x, -unit);
    return steps == nearbyint(steps);
}

bool numbers_fit(const double *numbers, long count, DumpPrecision precision) {
    for (long i = 0; i < count; i++)
        if (!fits(numbers[i], precision)) return false;
    return true;
}

int numbers_decimals(const double *numbers, long count, DumpPrecision precision) {
    double roundoff = precision_roundoff(precision), power = 10;
    if (precision == PRECISION_F16 || precision == PRECISION_BF16) return 0;
    for (int decimals = 2; decimals <= 6; decimals++) {
        power = pow(10, decimals);
        long i = 0;
        for (; i < count; i++) {
            double steps = numbers[i] * power;
            if (!isfinite(steps)) continue;
            /* Numbers too large for the grid to show say nothing. */
            double blur = 2 * roundoff * fabs(steps);
            if (blur > 0.1 || fabs(steps - nearbyint(steps)) > blur) break;
        }
        if (i == count) return decimals;
    }
    return 0;
}
