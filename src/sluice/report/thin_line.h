// Lines of very many points, thinned so that they look the same.
#pragma once

#include "sluice/report/canvas.h"

namespace sluice::report {

// Appends a point. Of those in one half of a column of pixels the first, the
// highest, the lowest and the last are kept, which is all one can see.
void AddThinned(Polyline& line, Point p);

}  // namespace sluice::report
