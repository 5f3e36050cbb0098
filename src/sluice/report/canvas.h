// Canvas: a bitmap with antialiased lines and text.
//
// Positions are in pixels from the upper left corner; they may be fractional or
// outside. A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::report {

struct Color {
  uint8_t red = 0, green = 0, blue = 0;
};

struct Point {
  double x = 0, y = 0;
};
using Polyline = std::vector<Point>;

class Canvas {
 public:
  // REQUIRES: 1 <= width, height.
  Canvas(int width, int height, Color background);

  int width() const { return width_; }
  int height() const { return height_; }
  // Rows from the top, three bytes per pixel.
  const std::string& pixels() const { return pixels_; }

  // `opacity`: 0 to 1.
  void Rectangle(Point from, Point to, Color color, double opacity = 1);
  // Draws all lines in one pass: crossings and joints are not drawn twice.
  void Lines(const std::vector<Polyline>& lines, double width, Color color,
             double opacity = 1);
  void Line(Point from, Point to, double width, Color color,
            double opacity = 1) {
    Lines({{from, to}}, width, color, opacity);
  }

 private:
  // The coverage of a pixel by lines, from 0 to 1.
  struct Mask {
    int left = 0, top = 0, width = 0, height = 0;
    std::vector<float> cover;
  };
  static void Cover(Mask& mask, Point a, Point b, double radius);
  void Blend(int x, int y, Color color, double amount);

  int width_, height_;
  std::string pixels_;
};

}  // namespace sluice::report
