// A call of an op made from its record, large enough to be worth measuring:
// a sample whose sizes were doubled, equal ones together, as long as the op
// takes them and the call stays short.
#pragma once

#include <string>
#include <vector>

#include "sluice/op/record.h"

namespace sluice::bench {

struct OpCase {
  Attrs attrs;
  std::vector<Array> inputs;
  // Inputs whose elements the sample gives: sizes, axes, exact indices.
  std::vector<bool> given;
  int64_t bytes = 0;  // of inputs and outputs, as far as they are touched
  int64_t held = 0;   // of inputs and outputs
  double flops = 0;   // by the record's cost function; 0: it has none
  bool view = false;  // the result is a view of an input: nothing is touched
  std::string ToString() const;  // "f32[1024,1024] i64[64]"
};

struct OpCaseOptions {
  int64_t target_bytes = 8 << 20;
  double max_seconds = 0.02;  // for one call
  double max_flops = 2e9;     // by the record's cost function
};

// "" when the op can be measured from its record alone, else why not.
std::string WhyNotMeasured(const OpRecord& op);

// Error: no sample runs.
Result<OpCase> MakeOpCase(const OpRecord& op, const OpCaseOptions& options);

}  // namespace sluice::bench
