// DecomposeContext: an op composed of others, for a device without a kernel for
// it. The rule is written like a gradient rule:
//
//   .decompose([](DecomposeContext& d) {
//     d.set(d.call("Abs", {d.in(0) - d.in(1)}));
//   })
//
// The result may differ from that of the op's own kernel only by rounding.
// Lives for one application of one rule, on one thread; errors stick, as in any
// rule (op/rule_context.h).
#pragma once

#include "sluice/op/rule_context.h"

namespace sluice {

class DecomposeContext : public RuleContext {
 public:
  DecomposeContext(const OpRecord& op, const Attrs& attrs, int num_outputs)
      : RuleContext(op, attrs, "decomposition") {
    out_.resize(static_cast<size_t>(num_outputs), -1);
  }

  void set(RuleVar value) { set(0, value); }
  void set(int i, RuleVar value) {
    if (value) out_[static_cast<size_t>(i)] = IdOf(value);
  }

 protected:
  Ids out_;  // set by the rule, by output; -1 for none
};

}  // namespace sluice
