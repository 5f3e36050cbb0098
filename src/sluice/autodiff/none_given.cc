#include "sluice/autodiff/none_given.h"

#include <unordered_set>

#include "sluice/autodiff/gradient_scopes.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/carries_gradient.h"

namespace sluice {

NoneGiven::NoneGiven() : outer_(GradientScopes::Here().none_given) {
  GradientScopes::Here().none_given = this;
}

NoneGiven::~NoneGiven() { GradientScopes::Here().none_given = outer_; }

void NoneGiven::Note(const Value& input) {
  NoneGiven* one = GradientScopes::Here().none_given;
  for (; one; one = one->outer_) {
    one->inputs_.push_back(input);
  }
}

bool NoneGiven::To(const Value& x) const {
  std::vector<Value> open = inputs_;
  std::unordered_set<Value, ValueHash> seen(open.begin(), open.end());
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    if (v == x) return true;
    if (v.node->is_args() ||
        (v.node->op().flow == Flow::kNone && !v.node->op().grad)) {
      continue;
    }
    for (const Value& in : InputsWithCaptures(*v.node)) {
      if (CarriesGradient(in.dtype()) && seen.insert(in).second) {
        open.push_back(in);
      }
    }
  }
  return false;
}

}  // namespace sluice
