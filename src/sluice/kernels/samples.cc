#include "sluice/kernels/samples.h"

#include <cmath>
#include <limits>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
using Ints = std::vector<int64_t>;

// Long inputs are for loops and blocks, not for types: a few will do.
constexpr DTypeSet kLongTypes{DType::kF32, DType::kF16, DType::kI8};

Array Text() { return Array::Vector<std::string>({"a", "b"}); }

}  // namespace

std::vector<Sample> UnarySamples(double lo, double hi, bool specials) {
  std::vector<Sample> out;
  for (Shape shape : {Shape{4}, Shape{2, 3}, Shape{}, Shape{0}, Shape{3, 0, 2},
                      Shape{1, 1, 5}, Shape{67}}) {
    out.push_back({.in = {shape}, .attrs = {}, .lo = lo, .hi = hi});
  }
  out.push_back({.in = {{1037}}, .lo = lo, .hi = hi, .only = kLongTypes});
  if (specials) {
    Array x = Array::Vector<float>({0.0f, -0.0f, kInf, -kInf, kNan, 1e-30f});
    out.push_back({.in = {x}, .attrs = {}});
  }
  return out;
}

std::vector<Reject> UnaryRejects(std::string_view op) {
  return {{.in = {},
           .attrs = {},
           .message = StrCat("[", op, "] takes 1 input, got 0")},
          {.in = {Text()},
           .attrs = {},
           .message = StrCat("[", op, "] x is string; wanted one of ")}};
}

std::vector<Sample> BinarySamples(double lo, double hi, bool specials) {
  struct Pair {
    Shape a, b;
  };
  std::vector<Sample> out;
  for (const Pair& p :
       {Pair{{4}, {4}}, Pair{{2, 3}, {3}}, Pair{{3}, {2, 3}}, Pair{{}, {2, 2}},
        Pair{{2, 2}, {}}, Pair{{}, {}}, Pair{{2, 1, 3}, {4, 1}}, Pair{{0}, {1}},
        Pair{{2, 0, 3}, {3}}, Pair{{67}, {67}}}) {
    out.push_back({.in = {p.a, p.b}, .attrs = {}, .lo = lo, .hi = hi});
  }
  out.push_back(
      {.in = {{1031}, {1031}}, .lo = lo, .hi = hi, .only = kLongTypes});
  out.push_back(
      {.in = {{65, 33}, {65, 1}}, .lo = lo, .hi = hi, .only = kLongTypes});
  if (specials) {
    Array a = Array::Vector<float>({0, -0.0f, kInf, kInf, kNan, 1, kNan, -1});
    Array b = Array::Vector<float>({-0.0f, 0, kInf, -kInf, 1, kNan, kNan, 0});
    out.push_back({.in = {a, b}, .attrs = {}});
  }
  return out;
}

std::vector<Reject> BinaryRejects(std::string_view op, DType dtype) {
  std::string_view t = DTypeName(dtype);
  DType other = dtype == DType::kF64 ? DType::kI32 : DType::kF64;
  return {
      {.in = {{2}, {3}},
       .attrs = {},
       .message =
           StrCat("[", op, "] shapes do not broadcast: a is ", t, "[2], b is ",
                  t, "[3]; wanted sizes equal or 1 on every axis"),
       .dtype = dtype},
      {.in = {{2}},
       .attrs = {},
       .message = StrCat("[", op, "] takes 2 inputs, got 1"),
       .dtype = dtype},
      {.in = {{2}, Array::Zeros(other, {2})},
       .attrs = {},
       .message = StrCat("[", op, "] b is ", DTypeName(other), "; wanted ", t),
       .dtype = dtype}};
}

std::vector<Sample> ReduceSamples(bool zero_sizes) {
  std::vector<Sample> out;
  auto add = [&](const Shape& shape, const Ints& axes, bool keep) {
    out.push_back(
        {.in = {shape}, .attrs = {{"axes", axes}, {"keep_dims", keep}}});
    if (shape.num_elements() > 1000) out.back().only = kLongTypes;
  };
  add({}, {}, false);
  add({5}, {}, false);
  add({2, 3}, {}, true);
  add({2, 3}, {0}, false);
  add({2, 3}, {-1}, true);
  add({2, 3, 4}, {1}, false);
  add({2, 3, 4}, {0, 2}, false);
  add({3, 1, 4, 2}, {-3, 3}, true);
  add({3, 1037}, {1}, false);
  add({301, 5}, {0}, false);
  add({0, 3}, {1}, false);
  if (zero_sizes) {
    add({0}, {}, false);
    add({2, 0, 3}, {1}, false);
    add({0, 3}, {0}, true);
  }
  return out;
}

std::vector<Reject> ReduceRejects(std::string_view op, DType dtype) {
  return {
      {.in = {{2, 3}},
       .attrs = {{"axes", Ints{2}}},
       .message =
           StrCat("[", op, "] axis 2 is out of range; wanted -2 <= axis < 2"),
       .dtype = dtype},
      {.in = {{2, 3}},
       .attrs = {{"axes", Ints{0, -2}}},
       .message = StrCat("[", op, "] axis -2 is named twice"),
       .dtype = dtype},
      {.in = {{2, 3}},
       .attrs = {{"axes", true}},
       .message = StrCat(
           "[", op, "] attribute axes is true of kind bool; wanted list(int)"),
       .dtype = dtype},
      {.in = {Text()},
       .attrs = {},
       .message = StrCat("[", op, "] x is string; wanted ")}};
}

}  // namespace sluice
