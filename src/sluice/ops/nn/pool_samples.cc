#include "sluice/ops/nn/pool_samples.h"

#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/kernels/reference.h"

namespace sluice {

namespace {

struct Case {
  Ints x;  // [batch, channels, ...]
  Attrs attrs;
};

// Attributes of both kinds of pool; y's sizes come from the reference.
std::vector<Case> Cases(int axes) {
  auto kernel = [](Ints k) { return Attrs::Entry("kernel_size", k); };
  auto strides = [](Ints s) { return Attrs::Entry("strides", s); };
  auto padding = [](Ints p) { return Attrs::Entry("padding", p); };
  Attrs::Entry ceil("ceil_mode", true);
  std::vector<Case> line = {
      {{1, 1, 5}, {kernel({2})}},
      {{2, 3, 8}, {kernel({3}), strides({2}), padding({1})}},
      {{1, 2, 7}, {kernel({3}), strides({3}), ceil}},
      {{2, 1, 9}, {kernel({4}), strides({1}), padding({3, 1})}},
      {{1, 2, 6}, {kernel({2}), strides({4}), padding({1, 0}), ceil}},
      {{1, 1, 0}, {kernel({2}), padding({1})}},
      {{0, 2, 5}, {kernel({2})}},
      {{1, 2, 5000}, {kernel({3}), strides({2}), padding({1})}},
      {{1, 1, 5000}, {kernel({4500}), strides({100})}}};
  std::vector<Case> plane = {
      {{1, 1, 4, 4}, {kernel({2})}},
      {{2, 3, 7, 9}, {kernel({3}), strides({2}), padding({1})}},
      {{1, 2, 8, 21}, {kernel({3, 2}), strides({1, 2}), padding({1, 0})}},
      {{1, 2, 6, 7}, {kernel({2, 3}), strides({3, 2}), ceil}},
      {{2, 1, 5, 6}, {kernel({3}), strides({1}), padding({2, 1, 0, 2})}},
      {{1, 2, 5, 5}, {kernel({2}), strides({2}), padding({1}), ceil}},
      {{1, 1, 6, 40}, {kernel({1, 5}), strides({1, 3})}},
      {{1, 3, 5, 5}, {kernel({5})}},
      {{2, 0, 4, 4}, {kernel({2})}},
      {{1, 2, 0, 4}, {kernel({2}), padding({1})}},
      {{3, 5, 33, 65}, {kernel({2})}},
      {{1, 4, 60, 61}, {kernel({3}), strides({2}), padding({1})}}};
  std::vector<Case> space = {
      {{1, 1, 3, 4, 5}, {kernel({2})}},
      {{1, 2, 5, 4, 6}, {kernel({3, 2, 3}), strides({2}), padding({1})}},
      {{2, 1, 4, 5, 4},
       {kernel({2}), strides({1, 2, 3}), padding({0, 1, 1, 0, 1, 1}), ceil}},
      {{0, 1, 3, 3, 3}, {kernel({2})}},
      {{2, 4, 12, 11, 13}, {kernel({2})}}};
  return axes == 1 ? line : axes == 2 ? plane : space;
}

SampleInput Of(const Ints& dims) { return {ref::MakeShape(dims)}; }
SampleInput Values(const Ints& v) {
  return {Array::Vector(std::span<const int64_t>(v))};
}

int64_t Elements(const Ints& x) { return ref::MakeShape(x).num_elements(); }

enum class Takes { kX, kXAndGradient, kXAndAnother, kGradientAndShape };

Sample Make(Takes takes, const Ints& x, const Attrs& attrs, const Shape& y) {
  Sample sample{.attrs = attrs};
  if (takes == Takes::kX) sample.in = {Of(x)};
  if (takes == Takes::kXAndGradient) sample.in = {Of(x), y};
  if (takes == Takes::kXAndAnother) sample.in = {Of(x), Of(x)};
  if (takes == Takes::kGradientAndShape) sample.in = {y, Values(x)};
  if (Elements(x) > 1000) sample.only = {DType::kF32, DType::kF16};
  return sample;
}

// Computed without images: records are built whenever a program starts, and
// pooling here took most of that time.
Shape PooledShape(const Ints& x, const Attrs& attrs) {
  Ints none = x;
  none[0] = 0;
  RefArray empty;
  empty.shape = ref::MakeShape(none);
  Ints y = ref::DimsOf(MaxPoolReference({empty}, attrs)[0].shape);
  y[0] = x[0];
  return ref::MakeShape(y);
}

Ints Sized(int64_t size, int axes) {
  Ints dims(static_cast<size_t>(axes) + 2, size);
  dims[0] = 1, dims[1] = 2;
  return dims;
}

std::vector<Sample> Samples(int axes, Takes takes, bool max) {
  std::vector<Sample> out;
  std::vector<Case> cases = Cases(axes);
  if (max) {
    cases.push_back({Sized(7, axes),
                     {{"kernel_size", Ints{2}},
                      {"strides", Ints{1}},
                      {"dilation", Ints{3}}}});
    cases.push_back({Sized(5, axes),
                     {{"kernel_size", Ints{3}},
                      {"strides", Ints{2}},
                      {"padding", Ints{2}},
                      {"dilation", Ints{2}},
                      {"ceil_mode", true}}});
    // A window that meets padding alone.
    cases.push_back({Sized(1, axes),
                     {{"kernel_size", Ints{2}},
                      {"padding", Ints{1}},
                      {"dilation", Ints{2}}}});
  }
  for (const Case& c : cases) {
    Shape y = PooledShape(c.x, c.attrs);
    out.push_back(Make(takes, c.x, c.attrs, y));
    if (max || c.attrs.find("padding") == nullptr) continue;
    Attrs without = c.attrs;
    without.set("count_include_pad", false);
    out.push_back(Make(takes, c.x, without, y));
  }
  if (max) {
    // Equal elements and NaN.
    float nan = std::nanf("");
    std::vector<float> v(static_cast<size_t>(Elements(Sized(2, axes))), 1.0f);
    v[0] = 3, v[1] = 3, v.back() = nan;
    Array x = Array::Of<float>(ref::MakeShape(Sized(2, axes)),
                               std::span<const float>(v));
    Sample sample{.in = {x}, .attrs = {{"kernel_size", Ints{2}}}};
    if (takes == Takes::kXAndGradient) {
      sample.in.push_back(Of(Sized(1, axes)));
    }
    if (takes == Takes::kXAndAnother) sample.in.push_back(Of(Sized(2, axes)));
    out.push_back(sample);
  }
  return out;
}

std::vector<Sample> AdaptiveSamples(int axes, Takes takes) {
  std::vector<Sample> out;
  auto add = [&](int64_t batch, Ints in, Ints sizes) {
    Ints x = {batch, 2}, y = x;
    for (size_t i = 0; i < static_cast<size_t>(axes); ++i) {
      x.push_back(in[i % in.size()]);
      y.push_back(sizes[sizes.size() == 1 ? 0 : i]);
    }
    Attrs attrs;
    if (takes == Takes::kX || takes == Takes::kXAndAnother) {
      attrs.set("output_size", sizes);
    }
    out.push_back(Make(takes, x, attrs, ref::MakeShape(y)));
  };
  add(1, {5, 7}, {1});
  add(2, {7, 6}, {3});
  add(1, {4, 9}, {4});
  add(1, {3, 2}, {5});
  add(0, {4, 4}, {2});
  add(1, {70, 80}, {7});
  add(1, {3, 9000}, {2});
  if (axes == 2) add(2, {9, 5}, {2, 3});
  return out;
}

std::vector<Reject> Refusals(
    std::string_view op, const std::vector<SampleInput>& in,
    const std::vector<std::pair<Attrs, std::string>>& list) {
  std::vector<Reject> out;
  for (const auto& [attrs, message] : list) {
    out.push_back(
        {.in = in, .attrs = attrs, .message = StrCat("[", op, "] ", message)});
  }
  return out;
}

std::vector<std::pair<Attrs, std::string>> WindowRefusals(int axes) {
  std::string counts = axes == 1 ? "1" : StrCat("1 or ", axes);
  return {
      {{}, "attribute kernel_size is missing"},
      {{{"kernel_size", Ints{}}}, "kernel_size is []; wanted at least 1"},
      {{{"kernel_size", Ints{0}}},
       "kernel_size is [0]; wanted every entry >= 1"},
      {{{"kernel_size", Ints{1, 1, 1, 1}}},
       StrCat("kernel_size is [1,1,1,1]; wanted ", counts, " entries")},
      {{{"kernel_size", Ints{2}}, {"strides", Ints{0}}},
       "strides is [0]; wanted every entry >= 1"},
      {{{"kernel_size", Ints{2}}, {"padding", Ints{-1}}},
       "padding is [-1]; wanted every entry >= 0"},
      {{{"kernel_size", Ints{2}}, {"padding", Ints{2}}},
       "padding is [2], kernel_size is [2]; wanted padding smaller than the "
       "kernel"},
      {{{"kernel_size", Ints{6}}}, "kernel does not fit: "},
      {{{"kernel_size", Ints{INT64_MAX}}, {"padding", Ints{1}}},
       "kernel does not fit: "},
      {{{"kernel_size", Ints{INT64_MAX}}, {"padding", Ints{INT64_MAX}}},
       "padding is [9223372036854775807], "}};
}

}  // namespace

std::vector<Sample> MaxPoolSamples(int axes) {
  return Samples(axes, Takes::kX, true);
}
std::vector<Sample> MaxPoolGradSamples(int axes) {
  return Samples(axes, Takes::kXAndGradient, true);
}
std::vector<Sample> MaxPoolPickSamples(int axes) {
  return Samples(axes, Takes::kXAndAnother, true);
}
std::vector<Sample> AvgPoolSamples(int axes) {
  return Samples(axes, Takes::kX, false);
}
std::vector<Sample> AvgPoolGradSamples(int axes) {
  return Samples(axes, Takes::kGradientAndShape, false);
}
std::vector<Sample> AdaptivePoolSamples(int axes) {
  return AdaptiveSamples(axes, Takes::kX);
}
std::vector<Sample> AdaptiveMaxPoolGradSamples(int axes) {
  return AdaptiveSamples(axes, Takes::kXAndGradient);
}
std::vector<Sample> AdaptiveMaxPoolPickSamples(int axes) {
  return AdaptiveSamples(axes, Takes::kXAndAnother);
}
std::vector<Sample> AdaptiveAvgPoolGradSamples(int axes) {
  return AdaptiveSamples(axes, Takes::kGradientAndShape);
}

std::vector<Reject> PoolRejects(std::string_view op, int axes) {
  std::vector<Reject> out =
      Refusals(op, {Of(Sized(5, axes))}, WindowRefusals(axes));
  Attrs two{{"kernel_size", Ints{2}}};
  out.push_back(
      {.in = {{2, 3}},
       .attrs = two,
       .message = StrCat("[", op, "] x is f32[2,3]; wanted rank ", axes + 2)});
  out.push_back({.in = {Of(Sized(5, axes))},
                 .attrs = two,
                 .message = StrCat("[", op, "] x is i32; wanted one of "),
                 .dtype = DType::kI32});
  return out;
}

std::vector<Reject> MaxPoolGradRejects(std::string_view op, int axes) {
  SampleInput x = Of(Sized(5, axes)), dy = Of(Sized(2, axes));
  std::vector<Reject> out = Refusals(op, {x, dy}, WindowRefusals(axes));
  Attrs two{{"kernel_size", Ints{2}}};
  out.push_back(
      {.in = {x, Of(Sized(3, axes))},
       .attrs = two,
       .message = StrCat("[", op, "] dy is f32", ref::MakeShape(Sized(3, axes)),
                         "; wanted ", ref::MakeShape(Sized(2, axes)))});
  out.push_back(
      {.in = {x, {2, 3}},
       .attrs = two,
       .message = StrCat("[", op, "] dy is f32[2,3]; wanted rank ", axes + 2)});
  return out;
}

std::vector<Reject> AvgPoolGradRejects(std::string_view op, int axes) {
  SampleInput x = Values(Sized(5, axes)), dy = Of(Sized(2, axes));
  std::vector<Reject> out = Refusals(op, {dy, x}, WindowRefusals(axes));
  Attrs two{{"kernel_size", Ints{2}}};
  out.push_back(
      {.in = {Of(Sized(3, axes)), x},
       .attrs = two,
       .message = StrCat("[", op, "] dy is f32", ref::MakeShape(Sized(3, axes)),
                         "; wanted ", ref::MakeShape(Sized(2, axes)))});
  out.push_back(
      {.in = {dy, Array::Vector<int64_t>({2, 3})},
       .attrs = two,
       .message = StrCat("[", op, "] shape is [2,3]; wanted rank ", axes + 2)});
  out.push_back(
      {.in = {dy, Array::Vector<int64_t>({-2})},
       .attrs = two,
       .message = StrCat("[", op, "] shape[0] is -2; wanted a size")});
  return out;
}

std::vector<Reject> MaxPoolPickRejects(std::string_view op, int axes,
                                       const Attrs& attrs) {
  SampleInput x = Of(Sized(5, axes)), other = Of(Sized(4, axes));
  return {
      {.in = {x, other},
       .attrs = attrs,
       .message =
           StrCat("[", op, "] shapes differ: x is f32",
                  ref::MakeShape(Sized(5, axes)), ", v is f32",
                  ref::MakeShape(Sized(4, axes)), "; wanted equal shapes")},
      {.in = {{2, 3}, {2, 3}},
       .attrs = attrs,
       .message = StrCat("[", op, "] x is f32[2,3]; wanted rank ", axes + 2)}};
}

std::vector<Reject> AdaptivePoolRejects(std::string_view op, int axes) {
  std::vector<Reject> out = Refusals(
      op, {Of(Sized(5, axes))},
      {{{}, "attribute output_size is missing"},
       {{{"output_size", Ints{}}}, "output_size is []; wanted at least 1"},
       {{{"output_size", Ints{0}}},
        "output_size is [0]; wanted every entry >= 1"},
       {{{"output_size", Ints{1, 2, 3, 4}}},
        "output_size is [1,2,3,4]; wanted 1"},
       {{{"output_size", Ints{INT64_MAX}}}, "shape [1,2,9223372036854775807"}});
  out.push_back(
      {.in = {{2, 3}},
       .attrs = {{"output_size", Ints{1}}},
       .message = StrCat("[", op, "] x is f32[2,3]; wanted rank ", axes + 2)});
  out.push_back(
      {.in = {Of(Sized(0, axes))},
       .attrs = {{"output_size", Ints{1}}},
       .message = StrCat("[", op, "] x is f32", ref::MakeShape(Sized(0, axes)),
                         "; wanted no empty spatial axis")});
  return out;
}

std::vector<Reject> AdaptiveMaxPoolGradRejects(std::string_view op, int axes) {
  Ints other = Sized(2, axes);
  other[0] = 3;
  std::string rank = StrCat("wanted rank ", axes + 2);
  return {
      {.in = {{2, 3}, Of(Sized(2, axes))},
       .attrs = {},
       .message = StrCat("[", op, "] x is f32[2,3]; ", rank)},
      {.in = {Of(Sized(5, axes)), {2, 3}},
       .attrs = {},
       .message = StrCat("[", op, "] dy is f32[2,3]; ", rank)},
      {.in = {Of(Sized(5, axes)), Of(other)},
       .attrs = {},
       .message = StrCat("[", op, "] dy is f32", ref::MakeShape(other),
                         "; wanted ", ref::MakeShape(Sized(2, axes)))},
      {.in = {Of(Sized(5, axes)), Of(Sized(0, axes))},
       .attrs = {},
       .message = StrCat("[", op, "] dy is f32", ref::MakeShape(Sized(0, axes)),
                         "; wanted ", ref::MakeShape(Sized(1, axes)))}};
}

std::vector<Reject> AdaptiveAvgPoolGradRejects(std::string_view op, int axes) {
  Ints other = Sized(2, axes);
  other[0] = 3;
  std::string rank = StrCat("wanted rank ", axes + 2);
  return {{.in = {Of(Sized(2, axes)), Array::Vector<int64_t>({2, 3})},
           .attrs = {},
           .message = StrCat("[", op, "] shape is [2,3]; ", rank)},
          {.in = {{2, 3}, Values(Sized(5, axes))},
           .attrs = {},
           .message = StrCat("[", op, "] dy is f32[2,3]; ", rank)},
          {.in = {Of(other), Values(Sized(5, axes))},
           .attrs = {},
           .message = StrCat("[", op, "] dy is f32", ref::MakeShape(other),
                             "; wanted ", ref::MakeShape(Sized(2, axes)))},
          {.in = {Of(Sized(2, axes)), Array::Vector<int64_t>({-1})},
           .attrs = {},
           .message = StrCat("[", op, "] shape[0] is -1; wanted a size")}};
}

}  // namespace sluice
