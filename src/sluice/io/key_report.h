// KeyReport: how the names in a file compare with the names wanted. A plain
// value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/front/state_dict.h"

namespace sluice::io {

struct KeyReport {
  struct Row {
    std::string name;
    std::string got, wanted;  // "f32[2,3]"; empty: not there
  };
  std::vector<Row> missing;     // wanted, and not there
  std::vector<Row> extra;       // there, and not wanted
  std::vector<Row> mismatched;  // of another type or shape
  size_t fitting = 0;           // names that are in order

  bool clean() const {
    return missing.empty() && extra.empty() && mismatched.empty();
  }
  // "2 of 5 tensors do not fit", and a line for each: name, problem, got,
  // wanted. Long tables are cut.
  std::string table() const;
};

KeyReport compare_keys(const StateDict& wanted, const StateDict& got);

}  // namespace sluice::io
