// Samples and rejected inputs of an op record: the sweep test, the gradient
// check and the microbenchmark derive their cases from them.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "sluice/op/attr.h"

namespace sluice {

// One input: random numbers of a shape, or given values.
struct SampleInput {
  SampleInput(std::initializer_list<int64_t> dims);
  SampleInput(Shape s);
  // Exactly these elements, with their dtype.
  SampleInput(Array v);
  SampleInput(const SampleInput&);
  SampleInput(SampleInput&&) noexcept;
  SampleInput& operator=(const SampleInput&);
  SampleInput& operator=(SampleInput&&) noexcept;
  ~SampleInput();
  Shape shape;
  Array value;
};

// A vector of sample inputs. Records contain thousands, written as lists: the
// code that creates and copies them is compiled once, not in every op's file.
class SampleInputs : public std::vector<SampleInput> {
 public:
  SampleInputs() noexcept;
  SampleInputs(std::initializer_list<SampleInput> inputs);
  SampleInputs(std::vector<SampleInput> inputs) noexcept;
  SampleInputs(const SampleInputs&);
  SampleInputs(SampleInputs&&) noexcept;
  SampleInputs& operator=(const SampleInputs&);
  SampleInputs& operator=(SampleInputs&&) noexcept;
  ~SampleInputs();
};

struct Sample {
  SampleInputs in{};
  Attrs attrs{};
  double lo = -2, hi = 2;  // range of the random numbers
  DTypeSet only{};         // if not empty: only for these dtypes of T
};

// An input that must be rejected, and (part of) the error message.
struct Reject {
  SampleInputs in{};
  Attrs attrs{};
  std::string message{};
  DType dtype = DType::kF32;  // of inputs specified by shape
};

// A reference result: elements as doubles in row-major order.
struct RefArray {
  Shape shape;
  std::vector<double> v;
  DType dtype = DType::kInvalid;  // set for inputs, ignored in results
};

// A naive computation of the op, one element at a time, in double precision.
// Must not share code with the kernel that it checks.
using RefFn = std::function<std::vector<RefArray>(
    const std::vector<RefArray>& in, const Attrs& attrs)>;

}  // namespace sluice
