#include "viz/scene/screen.h"

#include "model/base/minmax.h"

#include <math.h>

float screen_snapshot_share(const ScreenTrain *train, int snapshot) {
    if (snapshot < 0 || snapshot >= train->snapshots) return 1;
    float share = 1;
    if (train->snapshot_steps && train->last_step > 0)
        share = train->snapshot_steps[snapshot] / train->last_step;
    else if (train->snapshots > 1)
        share = (float)snapshot / (float)(train->snapshots - 1);
    return float_clamp(share, 0, 1);
}

int screen_snapshot_at(const ScreenTrain *train, float share) {
    int nearest = -1;
    float distance_min = INFINITY;
    for (int snapshot = 0; snapshot < train->snapshots; snapshot++) {
        float distance = fabsf(screen_snapshot_share(train, snapshot) - share);
        if (distance < distance_min) nearest = snapshot, distance_min = distance;
    }
    return nearest;
}
