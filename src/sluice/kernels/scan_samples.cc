#include "sluice/kernels/scan_samples.h"

#include <algorithm>

#include "sluice/base/strings.h"

namespace sluice {

RefFn ScanReference(std::function<double(const std::vector<double>&)> fold) {
  return [fold](const std::vector<RefArray>& in, const Attrs& attrs) {
    const RefArray& x = in[0];
    auto axis = static_cast<size_t>(
        ref::Axis(attrs.get<int64_t>("axis"), x.shape.rank()));
    const AttrValue* exclusive = attrs.find("exclusive");
    bool skip = exclusive && attrs.get<bool>("exclusive");
    bool reverse = attrs.get<bool>("reverse");
    return std::vector<RefArray>{ref::Build(x.shape, [&](Ints index) {
      int64_t end = index[axis], size = x.shape.dim(static_cast<int>(axis));
      std::vector<double> v;
      for (int64_t i = 0; i < size; ++i) {
        bool before = reverse ? i > end : i < end;
        if (!before && (skip || i != end)) continue;
        index[axis] = i;
        v.push_back(ref::At(x, index));
      }
      if (reverse) std::reverse(v.begin(), v.end());
      return fold(v);
    })};
  };
}

std::vector<Sample> ScanSamples(bool exclusive, double lo, double hi) {
  std::vector<Sample> out;
  auto add = [&](const Shape& shape, int64_t axis, bool reverse, bool skip) {
    Attrs attrs = {{"axis", axis}, {"reverse", reverse}};
    if (exclusive) attrs.set("exclusive", skip);
    out.push_back({.in = {shape}, .attrs = attrs, .lo = lo, .hi = hi});
  };
  add({5}, 0, false, false);
  add({67}, 0, false, false);
  add({67}, -1, true, false);
  add({3, 37}, 1, false, true);
  add({3, 37}, 1, true, true);
  add({3, 5}, 0, false, false);
  add({3, 5}, 0, true, true);
  add({2, 3, 4}, 1, false, false);
  add({2, 3, 4}, 1, true, false);
  add({9, 300}, 0, false, false);
  add({0}, 0, false, false);
  add({2, 0, 3}, 0, false, false);
  return out;
}

std::vector<Reject> ScanRejects(std::string_view op) {
  return {{.in = {Shape()},
           .message = StrCat("[", op, "] x is f32[]; wanted rank 1 or more")},
          {.in = {{2, 3}},
           .attrs = {{"axis", 2}},
           .message = StrCat(
               "[", op, "] axis 2 is out of range; wanted -2 <= axis < 2")},
          {.in = {Array::Vector<std::string>({"a"})},
           .message = StrCat("[", op, "] x is string; wanted one of ")}};
}

}  // namespace sluice
