// Simplifies lines with very many points without changing their appearance.
#pragma once

#include "sluice/report/canvas.h"

namespace sluice::report {

// Appends a point. Within each half pixel column, only the first, highest,
// lowest and last points are kept, which is all that is visible.
void AddThinned(Polyline& line, Point p);

}  // namespace sluice::report
