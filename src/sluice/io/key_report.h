// KeyReport: a comparison of the names in a file with the expected names. A
// plain value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/front/state_dict.h"

namespace sluice::io {

struct KeyReport {
  struct Row {
    std::string name;
    std::string got, wanted;  // e.g. "f32[2,3]"; empty: missing
  };
  std::vector<Row> missing;     // expected, but not present
  std::vector<Row> extra;       // present, but not expected
  std::vector<Row> mismatched;  // with another type or shape
  size_t fitting = 0;           // number of matching names

  bool clean() const {
    return missing.empty() && extra.empty() && mismatched.empty();
  }
  // "2 of 5 tensors do not fit", and a line for each: name, problem, got,
  // wanted. Long tables are shortened.
  std::string table() const;
};

KeyReport compare_keys(const StateDict& wanted, const StateDict& got);

}  // namespace sluice::io
