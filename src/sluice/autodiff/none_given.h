// NoneGiven: inputs of user functions for which their backward returned no
// gradient. A branch may have no gradient where another branch has one; in one
// graph it would be zeros.
//
// On the stack of the code that differentiates a branch; found by thread.
#pragma once

#include <vector>

#include "sluice/graph/value.h"

namespace sluice {

class NoneGiven {
 public:
  NoneGiven();
  ~NoneGiven();
  NoneGiven(const NoneGiven&) = delete;
  NoneGiven& operator=(const NoneGiven&) = delete;

  // Reports the input to all of them on this thread.
  static void Note(const Value& input);
  // Whether one of those inputs depends on `x` in a way that gradients flow.
  bool To(const Value& x) const;

 private:
  NoneGiven* const outer_;
  std::vector<Value> inputs_;
};

}  // namespace sluice
