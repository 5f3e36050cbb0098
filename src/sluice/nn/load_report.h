// LoadReport: how the tensors of a file differ from those of a model.
#pragma once

#include <string>
#include <vector>

namespace sluice::nn {

struct LoadOptions {
  // Any difference is an error; else what fits is copied.
  bool strict = true;
};

struct LoadReport {
  struct Mismatch {
    std::string name, got, wanted;  // "fc.weight", "f32[10,5]", "f32[10,4]"
  };
  std::vector<std::string> missing;     // the model has them
  std::vector<std::string> unexpected;  // the model has no such
  std::vector<Mismatch> mismatched;

  bool ok() const {
    return missing.empty() && unexpected.empty() && mismatched.empty();
  }
  std::string ToString() const;  // a table, one line for each
};

}  // namespace sluice::nn
