// Text drawn as lines: a small font of our own, every character of ASCII made
// of strokes, so that it can have any size and direction. Other characters are
// shown as a box.
#pragma once

#include <string_view>

#include "sluice/report/canvas.h"

namespace sluice::report {

struct TextStyle {
  double size = 10;  // height of a capital letter
  Color color = {};
  double weight = 1;     // thickness of the strokes, 1 is usual
  bool upwards = false;  // turned, to be read from the right
};

double TextWidth(std::string_view text, double size);

// Where `at` is in the text: its beginning, middle or end, on the base line.
enum class TextAnchor : unsigned char { kStart, kMiddle, kEnd };
void DrawText(Canvas& canvas, std::string_view text, Point at,
              TextAnchor anchor, const TextStyle& style);

}  // namespace sluice::report
