#include "sluice/report/thin_line.h"

#include <algorithm>
#include <cmath>

namespace sluice::report {

void AddThinned(Polyline& line, Point p) {
  auto column = [](const Point& q) { return std::floor(q.x * 2); };
  size_t n = line.size();
  // Four of one column in a row are: the first, two between, the last.
  if (n < 4 || column(line[n - 4]) != column(p) ||
      column(line[n - 1]) != column(p)) {
    line.push_back(p);
    return;
  }
  // What was the last takes the place of one between if it lies beyond them.
  Point last = line[n - 1];
  Point &a = line[n - 3], &b = line[n - 2];
  if (last.y < std::min(a.y, b.y)) {
    (a.y <= b.y ? a : b) = last;
  } else if (last.y > std::max(a.y, b.y)) {
    (a.y > b.y ? a : b) = last;
  }
  line[n - 1] = p;
}

}  // namespace sluice::report
