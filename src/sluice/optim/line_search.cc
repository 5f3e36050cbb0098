#include "sluice/optim/line_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice::optim {

namespace {

// Where the cubic through both points, with their slopes, is lowest, held in
// [low, high]; the middle of these where there is no such place.
double LowestOfCubic(const Point& a, const Point& b, double low, double high) {
  double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t);
  double square = d1 * d1 - a.slope * b.slope;
  double middle = (low + high) / 2;
  if (!(square >= 0)) return middle;
  double d2 = std::copysign(std::sqrt(square), b.t - a.t);
  double t =
      b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2));
  return std::isfinite(t) ? std::clamp(t, low, high) : middle;
}

struct Search {
  const std::function<Point(double)>& at;
  const Point& start;
  const LineSearchOptions& options;
  int left;

  // Written so that a loss that is NaN is too high.
  bool TooHigh(const Point& p) const {
    return !(p.loss <= start.loss + options.decrease * p.t * start.slope);
  }
  bool Flat(const Point& p) const {
    return std::abs(p.slope) <= -options.curvature * start.slope;
  }
  Point At(double t) {
    --left;
    return at(t);
  }

  // Between both there is a length that serves.
  Point Zoom(Point low, Point high) {
    bool slow = false;  // the last one was near an end, too
    while (true) {
      if (high.loss < low.loss) std::swap(low, high);
      if (left <= 0 || std::abs(high.t - low.t) <= options.min_width) break;
      auto [least, most] = std::minmax(low.t, high.t);
      bool known = std::isfinite(high.loss) && std::isfinite(high.slope);
      double t =
          known ? LowestOfCubic(low, high, least, most) : (least + most) / 2;
      // One guess at an end of the bracket may be right; a second one in a row
      // would hardly make it narrower.
      const double margin = 0.1 * (most - least);
      const bool near = std::min(most - t, t - least) < margin;
      const bool moved = near && (slow || t <= least || t >= most);
      if (moved) t = most - t < t - least ? most - margin : least + margin;
      slow = near && !moved;

      Point p = At(t);
      if (TooHigh(p) || p.loss >= low.loss) {
        high = p;
        continue;
      }
      if (Flat(p)) return p;
      if (p.slope * (high.t - low.t) >= 0) high = low;
      low = p;
    }
    return low;
  }

  Point Run(double first) {
    Point before = start, p = At(first);
    for (int seen = 0; left > 0; ++seen) {
      // The second point is a guess far out: that it is higher says little.
      if (TooHigh(p) || (seen > 1 && p.loss >= before.loss)) {
        return Zoom(before, p);
      }
      if (Flat(p)) return p;
      if (p.slope >= 0) return Zoom(before, p);
      const double t =
          LowestOfCubic(before, p, p.t + 0.01 * (p.t - before.t), 10 * p.t);
      before = std::exchange(p, At(t));
    }
    return Zoom(start, p);  // the lower one
  }
};

}  // namespace

Point SearchStrongWolfe(const std::function<Point(double)>& at,
                        const Point& start, double first,
                        const LineSearchOptions& options) {
  return Search{at, start, options, 1 + options.max_points}.Run(first);
}

}  // namespace sluice::optim
