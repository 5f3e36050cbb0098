// The cases the sweep makes from op records: every sample with every dtype its
// type variables claim, inputs filled with fixed pseudo-random numbers.
#pragma once

#include <string>
#include <vector>

#include "sluice/op/record.h"

namespace sluice {

struct SweepCase {
  std::string name;  // "sample 2, T = f16": for messages
  size_t sample = 0;
  bool first = true;  // of this sample: for what does not depend on types
  Attrs attrs;        // as the sample gives them
  std::vector<Array> inputs;
  std::vector<DType> bound;  // dtypes of the record's type variables, in order
};

// Made once per op and kept.
const std::vector<SweepCase>& CasesOf(const OpRecord& op);

// The inputs of a reject, zeros where only a shape is given.
std::vector<Array> InputsOf(const Reject& reject);

// Elements as doubles; strings by the number they spell, complex by the real
// part.
RefArray ToRef(const Array& array);

// The same elements in another layout: 0 transposed, 1 every other element of
// the last axis, 2 backwards. Scalars come back as views without a difference.
Array Restride(const Array& array, int kind);
inline constexpr int kNumLayouts = 3;

// How that layout lies in memory: what is stored, and the view of it.
struct Restrided {
  Shape stored;
  int64_t offset = 0;
  Strides strides{};
};
Restrided LayoutOf(const Array& array, int kind);

// How far a float result may be from one that is right.
double AllowedError(const OpRecord& op, DType dtype, double want);

// "" when `got` is what the record promises of `want`, else what differs.
std::string Differences(const OpRecord& op, const Array& got,
                        const RefArray& want);

}  // namespace sluice
