// Joins many arrays side by side, and the reverse: row r of the whole consists
// of row r of each part, in order. T: a type of the width of each move.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

constexpr int kMaxParts = 64;

struct JoinArgs {
  void* whole;
  int64_t n;      // elements moved
  int64_t row;    // elements of a row of the whole
  int64_t first;  // the offset of the first part in it
  int64_t width;  // of all parts of a row
  int32_t parts;
  int64_t start[kMaxParts + 1];  // of each part in `width`
  void* part[kMaxParts];
};

// Element `i` of the moved ones: in the whole, and in its part.
struct JoinPlace {
  T *whole, *part;
  JoinPlace(const JoinArgs& a, int64_t i) {
    int64_t r = i / a.width, at = i - r * a.width;
    int low = 0, high = a.parts;
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (a.start[middle] <= at) {
        low = middle;
      } else {
        high = middle;
      }
    }
    int64_t begin = a.start[low], size = a.start[low + 1] - begin;
    whole = static_cast<T*>(a.whole) + r * a.row + a.first + at;
    part = static_cast<T*>(a.part[low]) + r * size + at - begin;
  }
};

SL_GLOBAL(join, JoinArgs, a) {
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    JoinPlace p(a, i);
    *p.whole = *p.part;
  }
}

SL_GLOBAL(cut, JoinArgs, a) {
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    JoinPlace p(a, i);
    *p.part = *p.whole;
  }
}

}  // namespace sluice
