/* A curve over the steps of a run in bounded room: neighbours are merged as it grows. */
#ifndef HEADSCOPE_APP_TRAINING_CURVE_H
#define HEADSCOPE_APP_TRAINING_CURVE_H

enum { CURVE_POINTS = 2000 };

/* The mean of `stride` values, drawn at the last one's step. */
typedef struct CurvePoint {
    int step;
    float value;
} CurvePoint;

/* {0} is an empty one. */
typedef struct Curve {
    int count;
    int stride;  /* values a point; 0 stands for 1 */
    int pending; /* values of the point to come, below stride */
    double sum;  /* of those */
    CurvePoint points[CURVE_POINTS];
} Curve;

/* Adds a value at a step after the last one. When all points are taken, each two become one, and
 * from then on a point takes twice as many values. */
void curve_add(Curve *curve, int step, double value);

#endif
