#include "sluice/ops/nn/resize_samples.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "sluice/kernels/reference.h"

namespace sluice {

namespace {

// The elements that output o of an axis is computed from, with their weights.
std::vector<std::pair<int64_t, double>> Made(int64_t o, int64_t in, int64_t out,
                                             const Attrs& attrs) {
  const std::string& how = attrs.get<std::string>("coordinates");
  bool nearest = attrs.get<std::string>("mode") == "nearest";
  double x = double(o), from;
  if (how == "align_corners") {
    from = out > 1 ? x * double(in - 1) / double(out - 1) : 0;
    if (nearest) from = std::floor(from + 0.5);
  } else if (how == "half_pixel") {
    from = (x + 0.5) * double(in) / double(out);
    if (!nearest) from -= 0.5;
  } else {
    from = x * double(in) / double(out);
  }
  from = std::clamp(from, 0.0, double(in - 1));
  double below = std::floor(from);
  auto at = static_cast<int64_t>(below);
  if (nearest) return {{at, 1.0}};
  return {{at, 1 - (from - below)}, {std::min(at + 1, in - 1), from - below}};
}

// f(index in x, index in y, weight) for every element of x that contributes to
// y.
void ForEachPart(
    const Ints& x, const Ints& y, const Attrs& attrs,
    const std::function<void(const Ints&, const Ints&, double)>& f) {
  ref::ForEach(ref::MakeShape(y), [&](const Ints& to) {
    for (auto [row, down] : Made(to[2], x[2], y[2], attrs)) {
      for (auto [column, right] : Made(to[3], x[3], y[3], attrs)) {
        f({to[0], to[1], row, column}, to, down * right);
      }
    }
  });
}

RefArray Zeros(const Ints& dims) {
  return ref::Build(ref::MakeShape(dims), [](const Ints&) { return 0.0; });
}
double& Cell(RefArray& a, const Ints& index) {
  return a.v[static_cast<size_t>(ref::Flat(a.shape, index))];
}

template <class F>
void ForEachCase(F&& f) {
  struct Case {
    Ints x, size;
  };
  for (const Case& c : {Case{{1, 1, 2, 3}, {4, 6}}, Case{{2, 3, 5, 7}, {3, 4}},
                        Case{{1, 2, 4, 4}, {7}}, Case{{1, 1, 3, 2}, {1, 5}},
                        Case{{1, 1, 1, 1}, {3}}, Case{{0, 2, 3, 3}, {2}},
                        Case{{2, 1, 6, 6}, {6}}, Case{{1, 3, 40, 50}, {61, 30}},
                        Case{{1, 1, 2, 5000}, {3, 600}}}) {
    for (const char* mode : {"nearest", "bilinear"}) {
      for (const char* how : {"half_pixel", "align_corners", "asymmetric"}) {
        f(c.x, c.size, Attrs{{"mode", mode}, {"coordinates", how}});
      }
    }
  }
}

}  // namespace

std::vector<RefArray> ResizeReference(const std::vector<RefArray>& in,
                                      const Attrs& attrs) {
  Ints x = ref::DimsOf(in[0].shape), y = x;
  const Ints& size = attrs.get<Ints>("size");
  y[2] = size[0], y[3] = size.back();
  RefArray out = Zeros(y);
  ForEachPart(x, y, attrs, [&](const Ints& from, const Ints& to, double w) {
    Cell(out, to) += w * ref::At(in[0], from);
  });
  return {out};
}

std::vector<RefArray> ResizeGradReference(const std::vector<RefArray>& in,
                                          const Attrs& attrs) {
  Ints x(in[1].v.begin(), in[1].v.end());
  RefArray dx = Zeros(x);
  ForEachPart(x, ref::DimsOf(in[0].shape), attrs,
              [&](const Ints& from, const Ints& to, double w) {
                Cell(dx, from) += w * ref::At(in[0], to);
              });
  return {dx};
}

std::vector<Sample> ResizeSamples() {
  std::vector<Sample> out;
  ForEachCase([&](const Ints& x, const Ints& size, Attrs attrs) {
    attrs.set("size", size);
    out.push_back({.in = {ref::MakeShape(x)}, .attrs = attrs});
    if (x[3] > 10) out.back().only = {DType::kF32, DType::kBF16};
  });
  return out;
}

std::vector<Sample> ResizeGradSamples() {
  std::vector<Sample> out;
  ForEachCase([&](const Ints& x, const Ints& size, const Attrs& attrs) {
    Shape dy{x[0], x[1], size[0], size.back()};
    out.push_back({.in = {dy, Array::Vector(std::span<const int64_t>(x))},
                   .attrs = attrs});
    if (x[3] > 10) out.back().only = {DType::kF32, DType::kBF16};
  });
  return out;
}

}  // namespace sluice
