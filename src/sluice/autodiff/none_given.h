// NoneGiven: inputs of functions of the user's to which their backward gave no
// gradient. In a branch that is a way on which there is none, where another one
// may have one; as one graph they would be zeros.
//
// On the stack of whoever differentiates a branch; found by the thread.
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

  // For all of them on this thread.
  static void Note(const Value& input);
  // Whether one of those inputs was made of `x`, in a way gradients flow.
  bool To(const Value& x) const;

 private:
  NoneGiven* const outer_;
  std::vector<Value> inputs_;
};

}  // namespace sluice
