// DecomposeContext: an op made of others, for a device that has no kernel of
// it. The rule is written like that of a gradient:
//
//   .decompose([](DecomposeContext& d) {
//     d.set(d.call("Abs", {d.in(0) - d.in(1)}));
//   })
//
// The result may differ from that of the op's own kernel by rounding and in no
// other way. Lives for one application of one rule, on one thread; errors
// stick, as in any rule (op/rule_context.h).
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
  Ids out_;  // what the rule set, by output; -1 for nothing
};

}  // namespace sluice
