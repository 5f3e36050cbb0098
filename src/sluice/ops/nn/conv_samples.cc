#include "sluice/ops/nn/conv_samples.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/reference.h"

namespace sluice {

namespace {

// One convolution in terms of the forward pass.
struct Case {
  int64_t batch, channels, rows, groups;
  Ints in, kernel;  // one per axis
  Ints strides{}, padding{}, dilation{};
  bool large = false;  // for blocks and threads, not for types

  int64_t Entry(const Ints& list, size_t i, int64_t otherwise) const {
    return list.empty() ? otherwise : list[list.size() == 1 ? 0 : i];
  }
  int64_t Pads(size_t i) const {
    if (padding.size() == 2 * in.size()) {
      return padding[2 * i] + padding[2 * i + 1];
    }
    return 2 * Entry(padding, i, 0);
  }
  int64_t Reach(size_t i) const {
    return Entry(dilation, i, 1) * (kernel[i] - 1) + 1;
  }
  int64_t Out(size_t i) const {
    return (in[i] + Pads(i) - Reach(i)) / Entry(strides, i, 1) + 1;
  }
  // Elements of the image behind the last one a kernel reaches.
  int64_t Rest(size_t i) const {
    return in[i] + Pads(i) - Reach(i) - (Out(i) - 1) * Entry(strides, i, 1);
  }
  Ints X() const {
    Ints dims = {batch, channels};
    dims.insert(dims.end(), in.begin(), in.end());
    return dims;
  }
  Ints W() const {
    Ints dims = {rows, channels / groups};
    dims.insert(dims.end(), kernel.begin(), kernel.end());
    return dims;
  }
  Ints Y() const {
    Ints dims = {batch, rows};
    for (size_t i = 0; i < in.size(); ++i) dims.push_back(Out(i));
    return dims;
  }
  Attrs attrs() const {
    return {{"strides", strides},
            {"padding", padding},
            {"dilation", dilation},
            {"groups", groups}};
  }
};

std::vector<Case> Cases(int axes) {
  std::vector<Case> line = {{1, 1, 1, 1, {5}, {3}},
                            {2, 3, 4, 1, {7}, {3}, {}, {1}},
                            {2, 3, 5, 1, {9}, {2}, {2}, {1, 0}},
                            {1, 2, 6, 2, {11}, {3}, {3}, {2}, {2}},
                            {1, 4, 4, 4, {6}, {3}, {1}, {1}, {1}},
                            {2, 6, 9, 3, {8}, {1}},
                            {1, 3, 7, 1, {4}, {4}, {2}, {0}, {}},
                            {3, 2, 5, 1, {5}, {2}, {4}, {3}, {3}},
                            {2, 2, 5, 1, {11}, {3}, {}, {1}},
                            {0, 2, 3, 1, {5}, {3}},
                            {1, 0, 3, 1, {5}, {3}},
                            {1, 2, 0, 1, {5}, {3}},
                            {1, 2, 3, 1, {0}, {2}, {}, {1}},
                            {2, 40, 21, 1, {150}, {9}, {}, {4}, {}, true},
                            {1, 17, 40, 1, {90}, {5}, {2}, {2}, {}, true}};
  std::vector<Case> plane = {
      {1, 1, 1, 1, {3, 3}, {2, 2}},
      {2, 3, 4, 1, {5, 6}, {3, 3}, {}, {1}},
      {1, 2, 5, 1, {6, 5}, {3, 2}, {2, 1}, {1, 0}},
      {1, 2, 3, 1, {5, 7}, {3, 3}, {2}, {0, 1, 2, 1}},
      {2, 2, 6, 1, {7, 7}, {3, 3}, {}, {2}, {2}},
      {1, 3, 9, 1, {8, 9}, {3, 5}, {3, 2}, {2, 3}, {2, 1}},
      {1, 4, 8, 2, {5, 5}, {3, 3}, {}, {1}},
      {1, 10, 15, 5, {4, 4}, {2, 2}, {2}},
      {2, 5, 5, 5, {6, 19}, {3, 3}, {}, {1}},
      {1, 3, 6, 3, {7, 7}, {3, 3}, {2}, {1}},
      {2, 7, 10, 1, {4, 5}, {1, 1}},
      {2, 4, 9, 1, {5, 5}, {1, 1}, {2}},
      {1, 2, 5, 1, {4, 4}, {3, 3}, {}, {4}},
      {1, 2, 5, 1, {6, 6}, {2, 2}, {}, {3}, {7}},
      {2, 1, 6, 1, {5, 9}, {3, 3}, {}, {1}},
      {0, 2, 3, 1, {4, 4}, {3, 3}},
      {2, 0, 3, 1, {4, 4}, {3, 3}},
      {2, 2, 3, 1, {0, 3}, {2, 2}, {}, {1}},
      {2, 13, 70, 1, {9, 10}, {3, 3}, {}, {1}, {}, true},
      {1, 48, 20, 1, {7, 7}, {3, 3}, {}, {1}, {}, true},
      {1, 3, 24, 1, {30, 31}, {7, 7}, {2}, {3}, {}, true},
      {2, 20, 18, 1, {12, 11}, {3, 3}, {2}, {1}, {}, true},
      {3, 24, 24, 24, {14, 20}, {3, 3}, {2}, {1}, {}, true}};
  std::vector<Case> space = {
      {1, 1, 1, 1, {3, 3, 3}, {2, 2, 2}},
      {1, 2, 5, 1, {4, 5, 3}, {3, 2, 3}, {}, {1}},
      {2, 3, 6, 1, {4, 3, 5}, {2, 2, 2}, {2, 1, 2}, {1, 0, 1}},
      {1, 4, 6, 2, {5, 4, 4}, {2, 1, 2}, {2}, {0, 1, 1, 0, 2, 1}, {2, 1, 1}},
      {1, 3, 3, 3, {3, 4, 5}, {3, 3, 3}, {}, {1}},
      {1, 1, 5, 1, {2, 3, 8}, {2, 2, 2}, {}, {1}},
      {0, 2, 3, 1, {3, 3, 3}, {2, 2, 2}},
      {1, 12, 20, 1, {5, 6, 7}, {3, 3, 3}, {}, {1}, {}, true}};
  return axes == 1 ? line : axes == 2 ? plane : space;
}

using Inputs = std::vector<SampleInput> (*)(const Case&);
SampleInput Of(const Ints& dims) { return {ref::MakeShape(dims)}; }
SampleInput Values(const Ints& v) {
  return {Array::Vector(std::span<const int64_t>(v))};
}

std::vector<Sample> Samples(int axes, Inputs inputs) {
  std::vector<Sample> out;
  for (const Case& c : Cases(axes)) {
    out.push_back({.in = inputs(c), .attrs = c.attrs()});
    if (c.large) out.back().only = {DType::kF32, DType::kBF16};
  }
  return out;
}

// Ones in every spatial axis.
Ints Sized(int64_t first, int64_t second, int64_t size, int axes) {
  Ints dims(static_cast<size_t>(axes) + 2, size);
  dims[0] = first, dims[1] = second;
  return dims;
}

// Attributes that every op rejects, whatever its inputs.
void AddAttrRejects(std::string_view op, int axes,
                    const std::vector<SampleInput>& in,
                    std::vector<Reject>& out) {
  auto add = [&](const Attrs& attrs, std::string message) {
    out.push_back(
        {.in = in, .attrs = attrs, .message = StrCat("[", op, "] ", message)});
  };
  add({{"strides", Ints{0}}}, "strides is [0]; wanted every entry >= 1");
  add({{"dilation", Ints{-1}}}, "dilation is [-1]; wanted every entry >= 1");
  add({{"padding", Ints{-1}}}, "padding is [-1]; wanted every entry >= 0");
  std::string counts = axes == 1 ? "1" : StrCat("1 or ", axes);
  add({{"strides", Ints{1, 1, 1, 1}}},
      StrCat("strides is [1,1,1,1]; wanted ", counts, " entries"));
  add({{"padding", Ints{1, 1, 1, 1, 1}}},
      StrCat("padding is [1,1,1,1,1]; wanted ", counts, " or ", 2 * axes,
             " entries"));
  add({{"groups", 0}}, "attribute groups is 0; wanted 1 to 1073741824");
}

}  // namespace

std::vector<Sample> ConvSamples(int axes) {
  return Samples(axes, [](const Case& c) {
    return std::vector<SampleInput>{Of(c.X()), Of(c.W())};
  });
}
std::vector<Sample> ConvInputGradSamples(int axes) {
  return Samples(axes, [](const Case& c) {
    return std::vector<SampleInput>{Of(c.Y()), Of(c.W()), Values(c.X())};
  });
}
std::vector<Sample> ConvFilterGradSamples(int axes) {
  return Samples(axes, [](const Case& c) {
    return std::vector<SampleInput>{Of(c.X()), Of(c.Y()), Values(c.W())};
  });
}

std::vector<Sample> ConvTransposeSamples(int axes) {
  std::vector<Sample> out;
  for (const Case& c : Cases(axes)) {
    Ints x = c.X(), y = c.Y();
    if (std::find(x.begin() + 2, x.end(), 0) != x.end()) continue;
    Attrs attrs = c.attrs();
    Ints extra;
    for (size_t i = 0; i < c.in.size(); ++i) extra.push_back(c.Rest(i));
    attrs.set("output_padding", extra);
    out.push_back({.in = {Of(y), Of(c.W())}, .attrs = attrs});
    if (c.large) out.back().only = {DType::kF32, DType::kBF16};
  }
  // More output padding than the stride, which a dilation allows.
  Ints x = Sized(1, 2, 3, axes);
  out.push_back(
      {.in = {Of(x), Of(Sized(2, 3, 2, axes))},
       .attrs = {{"dilation", Ints{3}}, {"output_padding", Ints{2}}}});
  return out;
}

std::vector<Reject> ConvRejects(std::string_view op, int axes) {
  std::vector<Reject> out;
  auto shape = [&](int64_t a, int64_t b, int64_t n) {
    return ref::MakeShape(Sized(a, b, n, axes));
  };
  auto add = [&](const Shape& x, const Shape& w, const Attrs& attrs,
                 std::string message) {
    out.push_back({.in = {x, w},
                   .attrs = attrs,
                   .message = StrCat("[", op, "] ", message)});
  };
  AddAttrRejects(op, axes, {shape(1, 2, 4), shape(3, 2, 3)}, out);
  add({2, 3}, shape(3, 2, 3), {},
      StrCat("x is f32[2,3]; wanted rank ", axes + 2));
  add(shape(1, 2, 4), {2}, {}, StrCat("w is f32[2]; wanted rank ", axes + 2));
  add(shape(1, 2, 4), shape(3, 4, 3), {},
      StrCat("channels differ: x is f32", shape(1, 2, 4), ", w is f32",
             shape(3, 4, 3),
             ", groups is 1; wanted x.dim(1) == groups * "
             "w.dim(1)"));
  add(shape(1, 3, 4), shape(2, 1, 3), {{"groups", 2}},
      StrCat("x is f32", shape(1, 3, 4),
             ", groups is 2; wanted groups to divide the channels"));
  add(shape(1, 4, 4), shape(3, 2, 3), {{"groups", 2}},
      StrCat("w is f32", shape(3, 2, 3),
             ", groups is 2; wanted groups to divide w.dim(0)"));
  add(shape(1, 2, 4), shape(3, 2, 0), {},
      StrCat("w is f32", shape(3, 2, 0),
             "; wanted a kernel of size 1 or more"));
  add(shape(1, 2, 4), shape(3, 2, 7), {{"padding", Ints{1}}},
      StrCat("kernel does not fit: x is f32", shape(1, 2, 4), ", w is f32",
             shape(3, 2, 7)));
  add(shape(1, 2, 4), shape(3, 2, 3), {{"dilation", Ints{INT64_MAX}}},
      "kernel does not fit: ");
  add(shape(1, 2, 4), shape(3, 2, 3), {{"padding", Ints{INT64_MAX}}},
      StrCat("x is f32", shape(1, 2, 4),
             ", padding is [9223372036854775807]; "
             "the padded image has too many "
             "elements"));
  add(shape(1, 2, 4), shape(3, 2, 3),
      {{"padding", Ints{int64_t{1} << 40}},
       {"dilation", Ints{int64_t{1} << 40}}},
      StrCat("x is f32", shape(1, 2, 4), ", padding is "));
  out.push_back({.in = {shape(1, 2, 4), shape(3, 2, 3)},
                 .attrs = {},
                 .message = StrCat("[", op, "] x is u16; wanted one of "),
                 .dtype = DType::kU16});
  return out;
}

std::vector<Reject> ConvTransposeRejects(std::string_view op, int axes) {
  std::vector<Reject> out;
  auto shape = [&](int64_t a, int64_t b, int64_t n) {
    return ref::MakeShape(Sized(a, b, n, axes));
  };
  auto add = [&](const Shape& x, const Shape& w, const Attrs& attrs,
                 std::string message) {
    out.push_back({.in = {x, w},
                   .attrs = attrs,
                   .message = StrCat("[", op, "] ", message)});
  };
  AddAttrRejects(op, axes, {shape(1, 2, 4), shape(2, 3, 3)}, out);
  add({2}, shape(2, 3, 3), {}, StrCat("x is f32[2]; wanted rank ", axes + 2));
  add(shape(1, 2, 4), {2}, {}, StrCat("w is f32[2]; wanted rank ", axes + 2));
  add(shape(1, 2, 4), shape(3, 2, 3), {},
      StrCat("channels differ: x is f32", shape(1, 2, 4), ", w is f32",
             shape(3, 2, 3), "; wanted x.dim(1) == w.dim(0)"));
  add(shape(1, 3, 4), shape(3, 2, 3), {{"groups", 2}},
      StrCat("w is f32", shape(3, 2, 3),
             ", groups is 2; wanted groups to divide w.dim(0)"));
  add(shape(1, 2, 4), shape(2, 3, 0), {},
      StrCat("w is f32", shape(2, 3, 0),
             "; wanted a kernel of size 1 or more"));
  add(shape(1, 2, 1), shape(2, 3, 3), {{"padding", Ints{2}}},
      StrCat("no output on axis 2: x is f32", shape(1, 2, 1)));
  add(shape(1, 2, 4), shape(2, 3, 3),
      {{"strides", Ints{2}}, {"output_padding", Ints{2}}},
      "output_padding is [2]; wanted less than the stride or the dilation");
  add(shape(1, 2, 4), shape(2, 3, 3), {{"output_padding", Ints{-1}}},
      "output_padding is [-1]; wanted every entry >= 0");
  add(shape(1, 2, 4), shape(2, 3, 3), {{"strides", Ints{INT64_MAX}}},
      "shape [1,3,9223372036854775807");
  return out;
}

std::vector<Reject> ConvInputGradRejects(std::string_view op, int axes) {
  std::vector<Reject> out;
  auto shape = [&](int64_t a, int64_t b, int64_t n) {
    return ref::MakeShape(Sized(a, b, n, axes));
  };
  auto add = [&](const Shape& dy, const Shape& w, Array x, const Attrs& attrs,
                 std::string message) {
    out.push_back({.in = {dy, w, std::move(x)},
                   .attrs = attrs,
                   .message = StrCat("[", op, "] ", message)});
  };
  Array x = Values(Sized(1, 2, 4, axes)).value;
  AddAttrRejects(op, axes, {shape(1, 3, 2), shape(3, 2, 3), x}, out);
  add(shape(1, 3, 3), shape(3, 2, 3), x, {},
      StrCat("dy is f32", shape(1, 3, 3), "; wanted ", shape(1, 3, 2)));
  add({1, 3}, shape(3, 2, 3), x, {},
      StrCat("dy is f32[1,3]; wanted rank ", axes + 2));
  add(shape(1, 3, 2), shape(3, 2, 5), x, {},
      StrCat("kernel does not fit: shape is ", shape(1, 2, 4)));
  add(shape(1, 3, 2), shape(3, 1, 3), x, {},
      StrCat("channels differ: shape is ", shape(1, 2, 4)));
  add(shape(1, 3, 2), shape(3, 2, 3), Array::Vector<int64_t>({1, -2}), {},
      "shape[1] is -2; wanted a size of at least 0");
  add(shape(1, 3, 2), shape(3, 2, 3), Array::Vector<int64_t>({1, 2}), {},
      StrCat("shape is [1,2]; wanted rank ", axes + 2));
  return out;
}

std::vector<Reject> ConvFilterGradRejects(std::string_view op, int axes) {
  std::vector<Reject> out;
  auto shape = [&](int64_t a, int64_t b, int64_t n) {
    return ref::MakeShape(Sized(a, b, n, axes));
  };
  auto add = [&](const Shape& x, const Shape& dy, Array w, const Attrs& attrs,
                 std::string message) {
    out.push_back({.in = {x, dy, std::move(w)},
                   .attrs = attrs,
                   .message = StrCat("[", op, "] ", message)});
  };
  Array w = Values(Sized(3, 2, 3, axes)).value;
  AddAttrRejects(op, axes, {shape(1, 2, 4), shape(1, 3, 2), w}, out);
  add(shape(1, 2, 4), shape(1, 3, 3), w, {},
      StrCat("dy is f32", shape(1, 3, 3), "; wanted ", shape(1, 3, 2)));
  add({1, 3}, shape(1, 3, 2), w, {},
      StrCat("x is f32[1,3]; wanted rank ", axes + 2));
  add(shape(1, 2, 2), shape(1, 3, 2), w, {},
      StrCat("kernel does not fit: x is f32", shape(1, 2, 2), ", shape is ",
             shape(3, 2, 3)));
  add(shape(1, 3, 4), shape(1, 3, 2), w, {},
      StrCat("channels differ: x is f32", shape(1, 3, 4)));
  add(shape(1, 2, 4), shape(1, 3, 2), Values(Sized(3, 2, 0, axes)).value, {},
      StrCat("shape is ", shape(3, 2, 0)));
  add(shape(1, 2, 4), shape(1, 3, 2), Array::Vector<int64_t>({3, 2}), {},
      StrCat("shape is [3,2]; wanted rank ", axes + 2));
  return out;
}

}  // namespace sluice
