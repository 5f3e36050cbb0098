#include "sluice/report/canvas.h"

#include <algorithm>
#include <cmath>

namespace sluice::report {

Canvas::Canvas(int width, int height, Color background)
    : width_(width), height_(height) {
  size_t count = static_cast<size_t>(width) * static_cast<size_t>(height);
  pixels_.reserve(3 * count);
  for (size_t i = 0; i < count; ++i) {
    for (uint8_t c : {background.red, background.green, background.blue}) {
      pixels_.push_back(static_cast<char>(c));
    }
  }
}

void Canvas::Blend(int x, int y, Color color, double amount) {
  size_t at = 3 * (static_cast<size_t>(y) * static_cast<size_t>(width_) +
                   static_cast<size_t>(x));
  const uint8_t to[3] = {color.red, color.green, color.blue};
  for (size_t c = 0; c < 3; ++c) {
    double old = static_cast<unsigned char>(pixels_[at + c]);
    pixels_[at + c] =
        static_cast<char>(std::lround(old + (to[c] - old) * amount));
  }
}

void Canvas::Rectangle(Point from, Point to, Color color, double opacity) {
  auto edge = [](double v, int most) {
    return static_cast<int>(std::clamp(std::round(v), 0.0, double(most)));
  };
  for (int y = edge(from.y, height_); y < edge(to.y, height_); ++y) {
    for (int x = edge(from.x, width_); x < edge(to.x, width_); ++x) {
      Blend(x, y, color, opacity);
    }
  }
}

void Canvas::Cover(Mask& mask, Point a, Point b, double radius) {
  if (a.y > b.y) std::swap(a, b);
  double reach = radius + 0.5;
  double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
  auto clamp_to = [](double v, int first, int count) {
    return static_cast<int>(
        std::clamp(v, double(first), double(first + count - 1)));
  };
  int top = clamp_to(std::floor(a.y - reach), mask.top, mask.height);
  int bottom = clamp_to(std::floor(b.y + reach), mask.top, mask.height);
  for (int y = top; y <= bottom; ++y) {
    double center = y + 0.5;
    // Only the part of the line that comes near to this row counts.
    double from = a.x, to = b.x;
    if (dy > 0) {
      from = a.x + dx * std::clamp((center - reach - a.y) / dy, 0.0, 1.0);
      to = a.x + dx * std::clamp((center + reach - a.y) / dy, 0.0, 1.0);
    }
    if (from > to) std::swap(from, to);
    int left = clamp_to(std::floor(from - reach), mask.left, mask.width);
    int right = clamp_to(std::floor(to + reach), mask.left, mask.width);
    float* row =
        mask.cover.data() + static_cast<ptrdiff_t>(y - mask.top) * mask.width;
    for (int x = left; x <= right; ++x) {
      double px = x + 0.5 - a.x, py = center - a.y;
      double t =
          length2 > 0 ? std::clamp((px * dx + py * dy) / length2, 0.0, 1.0) : 0;
      double distance = std::hypot(px - t * dx, py - t * dy);
      auto cover = static_cast<float>(std::clamp(reach - distance, 0.0, 1.0));
      float& old = row[x - mask.left];
      old = std::max(old, cover);
    }
  }
}

void Canvas::Lines(const std::vector<Polyline>& lines, double width,
                   Color color, double opacity) {
  // Lines thinner than a pixel are one pixel wide and fainter.
  double radius = std::max(width, 1.0) / 2;
  opacity *= std::min(width, 1.0);
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (const Polyline& line : lines) {
    for (const Point& p : line) {
      left = std::min(left, p.x);
      right = std::max(right, p.x);
      top = std::min(top, p.y);
      bottom = std::max(bottom, p.y);
    }
  }
  double reach = radius + 1;
  auto cut = [](double v, int most) {
    return static_cast<int>(std::clamp(v, 0.0, double(most)));
  };
  Mask mask;
  mask.left = cut(std::floor(left - reach), width_);
  mask.top = cut(std::floor(top - reach), height_);
  mask.width = cut(std::ceil(right + reach), width_) - mask.left;
  mask.height = cut(std::ceil(bottom + reach), height_) - mask.top;
  if (mask.width <= 0 || mask.height <= 0) return;
  mask.cover.assign(
      static_cast<size_t>(mask.width) * static_cast<size_t>(mask.height), 0);
  for (const Polyline& line : lines) {
    if (line.size() == 1) Cover(mask, line[0], line[0], radius);
    for (size_t i = 1; i < line.size(); ++i) {
      Cover(mask, line[i - 1], line[i], radius);
    }
  }
  const float* cover = mask.cover.data();
  for (int y = mask.top; y < mask.top + mask.height; ++y) {
    for (int x = mask.left; x < mask.left + mask.width; ++x, ++cover) {
      if (*cover > 0) Blend(x, y, color, double(*cover) * opacity);
    }
  }
}

}  // namespace sluice::report
