#include "sluice/kernels/cpu/conv/tap_layout.h"

#include <algorithm>
#include <numeric>

#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

namespace {

// Source positions u = i * stride + remainder - pad for i in [0, length); those
// inside [0, size) are i in [begin, end).
struct PhaseRange {
  int64_t first;  // u of i == 0
  int64_t begin, end;
};
PhaseRange RangeOf(const TapLayout& t, int axis, int64_t phase) {
  int64_t stride = t.stride[axis], length = t.length[axis];
  int64_t first = phase * t.dilation[axis] % stride - t.pad[axis];
  int64_t begin = first >= 0 ? 0 : (-first - 1) / stride + 1;
  int64_t room = t.in[axis] - first;  // u < in
  int64_t end = room <= 0 ? 0 : (room - 1) / stride + 1;
  begin = std::min(begin, length);
  return {first, begin, std::clamp(end, begin, length)};
}

// The ranges of the last axis, whose divisions would cost more than copying a
// short row; those beyond the first few are computed each time.
class RowRanges {
 public:
  explicit RowRanges(const TapLayout& t) : t_(t) {
    for (int64_t p = 0; p < std::min(t.phases[2], kKept); ++p) {
      kept_[p] = RangeOf(t, 2, p);
    }
  }
  PhaseRange operator[](int64_t phase) const {
    return phase < kKept ? kept_[phase] : RangeOf(t_, 2, phase);
  }

 private:
  static constexpr int64_t kKept = 8;
  const TapLayout& t_;
  PhaseRange kept_[kKept];
};

template <class T, class C>
void CopyRow(const TapLayout& t, const RowRanges& ranges, const T* row, C* to) {
  int64_t stride = t.stride[2];
  for (int64_t phase = 0; phase < t.phases[2]; ++phase, to += t.length[2]) {
    PhaseRange r = ranges[phase];
    std::fill(to, to + r.begin, C(0));
    std::fill(to + r.end, to + t.length[2], C(0));
    int64_t n = r.end - r.begin;
    if (n == 0) continue;
    const T* from = row + r.first + r.begin * stride;
    C* out = to + r.begin;
    if (stride == 1) {
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<C>(from[i]);
    } else if (stride == 2) {  // known, it is done by vectors
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<C>(from[i * 2]);
    } else {
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<C>(from[i * stride]);
    }
  }
}

template <class T, class C>
void UncopyRow(const TapLayout& t, const RowRanges& ranges, const C* from,
               T* row) {
  int64_t stride = t.stride[2];
  for (int64_t phase = 0; phase < t.phases[2]; ++phase, from += t.length[2]) {
    PhaseRange r = ranges[phase];
    if (r.begin == r.end) continue;
    T* to = row + r.first + r.begin * stride;
    const C* in = from + r.begin;
    for (int64_t i = 0; i < r.end - r.begin; ++i) {
      to[i * stride] = static_cast<T>(in[i]);
    }
  }
}

// Calls f(offset of the source row or -1 if outside, row of the copy).
template <class F>
void ForEachRow(const TapLayout& t, F&& f) {
  int64_t row = 0;
  for (int64_t p0 = 0; p0 < t.phases[0]; ++p0) {
    PhaseRange r0 = RangeOf(t, 0, p0);
    for (int64_t i0 = 0; i0 < t.length[0]; ++i0) {
      int64_t u0 = r0.first + i0 * t.stride[0];
      bool inside0 = i0 >= r0.begin && i0 < r0.end;
      for (int64_t p1 = 0; p1 < t.phases[1]; ++p1) {
        PhaseRange r1 = RangeOf(t, 1, p1);
        for (int64_t i1 = 0; i1 < t.length[1]; ++i1, ++row) {
          bool inside = inside0 && i1 >= r1.begin && i1 < r1.end;
          int64_t u1 = r1.first + i1 * t.stride[1];
          f(inside ? (u0 * t.in[1] + u1) * t.in[2] : int64_t{-1}, row);
        }
      }
    }
  }
}

}  // namespace

TapLayout MakeTapLayout(const Correlation& c, bool may_borrow) {
  TapLayout t;
  bool borrow = may_borrow && c.stride[2] == 1;
  for (int i = 0; i < kConvAxes; ++i) {
    t.in[i] = c.in[i];
    t.stride[i] = c.stride[i];
    t.dilation[i] = c.dilation[i];
    t.pad[i] = c.pad[i];
    t.kernel[i] = c.kernel[i];
    // Taps t and t + period have the same remainder.
    int64_t period = c.stride[i] / std::gcd(c.stride[i], c.dilation[i]);
    int64_t reach = (c.kernel[i] - 1) * c.dilation[i];
    t.phases[i] = std::min(c.kernel[i], period);
    t.length[i] = c.out[i] + reach / c.stride[i];
    int64_t last = (c.out[i] - 1) * c.stride[i] + reach - c.pad[i];
    borrow = borrow && c.pad[i] <= 0 && last < c.in[i];
  }
  t.copied = !borrow;
  if (borrow) {
    t.channel = c.in_pixels();
    t.step[2] = 1;
    t.step[1] = c.stride[1] * c.in[2];
    t.step[0] = c.stride[0] * c.in[1] * c.in[2];
    t.origin = -((c.pad[0] * c.in[1] + c.pad[1]) * c.in[2] + c.pad[2]);
  } else {
    t.step[2] = 1;
    t.step[1] = t.phases[2] * t.length[2];
    t.step[0] = t.phases[1] * t.length[1] * t.step[1];
    t.channel = t.phases[0] * t.length[0] * t.step[0];
    // Channels a power of two apart would share a few sets of the first-level
    // cache.
    if (t.channel % 128 == 0) t.channel += 16;
    t.origin = 0;
  }
  t.image = t.channel * c.channels * c.groups;
  return t;
}

int64_t TapLayout::TapOffset(const ConvAxes& tap) const {
  if (!copied) {
    return (tap[0] * dilation[0] * in[1] + tap[1] * dilation[1]) * in[2] +
           tap[2] * dilation[2];
  }
  int64_t offset = 0;
  for (int i = 0; i < kConvAxes; ++i) {
    int64_t phase = tap[i] % phases[i];
    int64_t shift = tap[i] * dilation[i] / stride[i];
    offset += (phase * length[i] + shift) * step[i];
  }
  return offset;
}

void TapLayout::FillOffsets(int64_t channels, int64_t* offsets) const {
  for (int64_t c = 0; c < channels; ++c) {
    ConvAxes tap;
    for (tap[0] = 0; tap[0] < kernel[0]; ++tap[0]) {
      for (tap[1] = 0; tap[1] < kernel[1]; ++tap[1]) {
        for (tap[2] = 0; tap[2] < kernel[2]; ++tap[2]) {
          *offsets++ = c * channel + TapOffset(tap);
        }
      }
    }
  }
}

template <class T, class C>
void CopyToTaps(const TapLayout& layout, const T* channel, C* copy) {
  int64_t width = layout.step[1];
  RowRanges ranges(layout);
  ForEachRow(layout, [&](int64_t from, int64_t row) {
    C* to = copy + row * width;
    if (from < 0) {
      std::fill(to, to + width, C(0));
    } else {
      CopyRow(layout, ranges, channel + from, to);
    }
  });
}

template <class T, class C>
void CopyFromTaps(const TapLayout& layout, const C* copy, T* channel) {
  int64_t pixels = layout.in[0] * layout.in[1] * layout.in[2];
  std::fill(channel, channel + pixels, T(0));
  RowRanges ranges(layout);
  ForEachRow(layout, [&](int64_t to, int64_t row) {
    if (to < 0) return;
    UncopyRow(layout, ranges, copy + row * layout.step[1], channel + to);
  });
}

int64_t ImagesPerRound(int64_t images, int64_t bytes) {
  constexpr int64_t kRoundBytes = 8 << 20;
  int64_t fit = std::max<int64_t>(kRoundBytes / std::max<int64_t>(bytes, 1), 1);
  int64_t rounds = std::max<int64_t>((images + fit - 1) / fit, 1);
  return (images + rounds - 1) / rounds;
}

#define SL_INSTANTIATE(T, C)                                      \
  template void CopyToTaps<T, C>(const TapLayout&, const T*, C*); \
  template void CopyFromTaps<T, C>(const TapLayout&, const C*, T*);
SL_INSTANTIATE(float, float)
SL_INSTANTIATE(double, double)
SL_INSTANTIATE(f16, float)
SL_INSTANTIATE(bf16, float)
SL_INSTANTIATE(bf16, bf16)
#undef SL_INSTANTIATE

}  // namespace sluice
