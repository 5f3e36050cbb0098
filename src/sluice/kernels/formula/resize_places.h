// The source positions on an image axis for the elements of a resized image.
// For the host and, from its source, for other devices.
//
// Plain functions of values.
#pragma once

#include <cstdint>

namespace sluice::resize_places {

enum class Coordinates : int32_t { kHalfPixel, kAlignCorners, kAsymmetric };

// The element nearest to output o, in integer arithmetic, because a rounded
// quotient may be on the wrong side. Wide: an unsigned type that holds 4 in
// out.
template <class Wide>
inline int64_t NearestAt(int64_t o, int64_t in, int64_t out, Coordinates how) {
  Wide at, size(static_cast<uint64_t>(in)), wanted(static_cast<uint64_t>(out));
  Wide place(static_cast<uint64_t>(o));
  if (how == Coordinates::kHalfPixel) {
    at = (2 * place + 1) * size / (2 * wanted);
  } else if (how == Coordinates::kAsymmetric) {
    at = place * size / wanted;
  } else if (out == 1 || in == 0) {
    at = 0;
  } else {
    at = (2 * place * (size - 1) + (wanted - 1)) / (2 * (wanted - 1));
  }
  auto nearest = static_cast<int64_t>(at);
  return nearest < in ? nearest : in - 1;
}

// The position of output o between elements.
inline double PlaceBetween(int64_t o, int64_t in, int64_t out,
                           Coordinates how) {
  auto x = static_cast<double>(o), size = static_cast<double>(in);
  auto wanted = static_cast<double>(out);
  if (how == Coordinates::kHalfPixel) {
    double place = (x + 0.5) * size / wanted - 0.5;
    return place > 0 ? place : 0;
  }
  if (how == Coordinates::kAsymmetric) return x * size / wanted;
  return out == 1 ? 0 : x * (size - 1) / (wanted - 1);
}

}  // namespace sluice::resize_places
