// Attacks on the shapes, types and number of inputs.
#include <algorithm>

#include "sluice/base/strings.h"
#include "tests/hostile_calls.h"

namespace sluice {

namespace {

using Ints = std::vector<int64_t>;

Ints DimsOf(const Array& array) {
  return {array.shape().dims().begin(), array.shape().dims().end()};
}

// Small whole numbers, so that indices among them are often in range.
Array Filled(DType dtype, const Ints& dims) {
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok() || shape->num_elements() > kMostElements ||
      dtype == DType::kResource) {
    return {};
  }
  return Refill(
      Array::Zeros(dtype, *shape),
      [](int64_t i) { return static_cast<double>(i % 3); },
      [](int64_t i) { return i % 2; });
}

// One element that stands for all of a shape too large for any memory.
Array Vast(DType dtype, const Shape& shape) {
  Array one = Array::Zeros(dtype, {1});
  return Array::View(one, 0, shape, Strides{});
}

}  // namespace

std::vector<Attack> ShapeAttacks(const std::vector<Array>& inputs) {
  std::vector<Attack> attacks;
  auto add = [&](std::string what, std::function<void(HostileCall&)> apply) {
    attacks.push_back({std::move(what), std::move(apply)});
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    DType dtype = inputs[i].dtype();
    if (dtype == DType::kResource) continue;
    std::string name = StrCat("input ", i);
    // A constant of the sample keeps what it can of its elements elsewhere;
    // here the shape is what matters.
    auto shaped = [&](const Ints& dims) {
      add(StrCat(name, " of shape [", Join(dims, ","), "]"),
          [=](HostileCall& c) {
            Array made = i < c.inputs.size() ? Filled(c.inputs[i].dtype(), dims)
                                             : Array();
            if (made) c.inputs[i] = made;
          });
    };
    Ints dims = DimsOf(inputs[i]);
    shaped({});
    shaped({0});
    shaped({3});
    shaped({2, 2});
    shaped({1, 1, 1, 1, 1, 1, 1, 1});
    shaped({2, 1, 2, 1, 2, 1, 2, 1});
    shaped({0, int64_t{1} << 40});
    shaped({int64_t{1} << 40, 0});
    shaped({int64_t{1} << 15, 0, int64_t{1} << 33});
    for (size_t k = 0; k < dims.size(); ++k) {
      Ints changed = dims;
      changed[k] = 0;
      shaped(changed);
      changed[k] = 1;
      shaped(changed);
      changed[k] = dims[k] + 1;
      shaped(changed);
    }
    Ints longer = dims;
    longer.insert(longer.begin(), 1);
    if (longer.size() <= kMaxRank) shaped(longer);
    longer.front() = 2;
    if (longer.size() <= kMaxRank) shaped(longer);
    longer = dims;
    longer.push_back(2);
    if (longer.size() <= kMaxRank) shaped(longer);
    if (!dims.empty()) {
      shaped(Ints(dims.begin() + 1, dims.end()));
      shaped(Ints(dims.begin(), dims.end() - 1));
    }
    for (const Shape& vast :
         {Shape{int64_t{1} << 40}, Shape{1 << 20, 1 << 20},
          Shape{1, int64_t{1} << 45}, Shape{1 << 24, 1, 1 << 24}}) {
      add(StrCat(name, " of shape ", vast), [=](HostileCall& c) {
        if (i >= c.inputs.size()) return;
        DType t = c.inputs[i].dtype();
        if (t != DType::kResource) c.inputs[i] = Vast(t, vast);
      });
    }
    for (DType t :
         {DType::kF32, DType::kF64, DType::kF16, DType::kI32, DType::kI64,
          DType::kU8, DType::kBool, DType::kC64, DType::kString}) {
      if (t == dtype) continue;
      add(StrCat(name, " of type ", DTypeName(t)), [=](HostileCall& c) {
        if (i >= c.inputs.size()) return;
        Array made = Filled(t, DimsOf(c.inputs[i]));
        if (made) c.inputs[i] = made;
      });
    }
    add(StrCat(name, " backwards"), [=](HostileCall& c) {
      if (i < c.inputs.size() && c.inputs[i].num_elements() <= kMostElements) {
        c.inputs[i] = Restride(c.inputs[i], 2);
      }
    });
  }
  add("no inputs", [](HostileCall& c) { c.inputs.clear(); });
  add("an input less", [](HostileCall& c) {
    if (!c.inputs.empty()) c.inputs.pop_back();
  });
  add("an input more", [](HostileCall& c) {
    c.inputs.push_back(c.inputs.empty() ? Array::Scalar(1.0f) : c.inputs[0]);
  });
  add("inputs in reverse",
      [](HostileCall& c) { std::reverse(c.inputs.begin(), c.inputs.end()); });
  return attacks;
}

}  // namespace sluice
