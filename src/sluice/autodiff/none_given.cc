#include "sluice/autodiff/none_given.h"

#include <unordered_set>

#include "sluice/graph/traverse.h"
#include "sluice/op/carries_gradient.h"

namespace sluice {

namespace {

constinit thread_local NoneGiven* current = nullptr;

}  // namespace

NoneGiven::NoneGiven() : outer_(current) { current = this; }

NoneGiven::~NoneGiven() { current = outer_; }

void NoneGiven::Note(const Value& input) {
  for (NoneGiven* one = current; one; one = one->outer_) {
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
