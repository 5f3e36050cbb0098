// Text drawn as lines: a small font of our own with all ASCII characters made
// of strokes, so that it scales and rotates. Other characters are shown as a
// box.
#pragma once

#include <string_view>

#include "sluice/report/canvas.h"

namespace sluice::report {

struct TextStyle {
  double size = 10;  // height of a capital letter
  Color color = {};
  double weight = 1;     // stroke thickness; 1 is normal
  bool upwards = false;  // rotated, to be read from the right
};

double TextWidth(std::string_view text, double size);

// The meaning of `at`: the start, middle or end of the text's baseline.
enum class TextAnchor : unsigned char { kStart, kMiddle, kEnd };
void DrawText(Canvas& canvas, std::string_view text, Point at,
              TextAnchor anchor, const TextStyle& style);

}  // namespace sluice::report
