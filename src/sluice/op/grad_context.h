// GradContext: the interface of a gradient rule. A rule gets the op's inputs
// and outputs and the gradients that flow into its outputs, and gives the
// gradients of its inputs by calling other ops:
//
//   .grad([](GradContext& g) {
//     g.set_dx(0, g.dy() * g.call("Cos", {g.in(0)}));
//   })
//
// One rule serves everything: in a graph the calls add nodes, imperatively they
// run at once. Since a rule is made of ops that have rules themselves,
// gradients of gradients need nothing more, and forward mode is the gradient of
// the gradient with respect to what flows in.
//
// Values it passes to ops are kept from the forward run, so it passes on only
// what it needs: g.shape_of(g.in(0)) instead of g.in(0). How ops are called is
// in op/rule_context.h.
//
// Lives for one application of one rule, on one thread. The first error sticks:
// later calls return undefined variables, and the caller of the rule sees it.
#pragma once

#include "sluice/op/rule_context.h"

namespace sluice {

// An undefined one stands for a gradient of zero.
using GradVar = RuleVar;
using GradVars = RuleVars;

class GradContext : public RuleContext {
 public:
  GradContext(const OpRecord& op, const Attrs& attrs)
      : RuleContext(op, attrs, "gradient") {}

  int num_outputs() const { return static_cast<int>(out_.size()); }

  GradVar out(int i = 0) { return VarAt(out_[static_cast<size_t>(i)]); }
  // The gradient of output i; zeros of its shape when nothing flows in.
  GradVar dy(int i = 0);
  bool has_dy(int i) const { return dy_[static_cast<size_t>(i)] >= 0; }
  // dy(i) * factor, and 0 where dy(i) is 0 even if the factor is infinite or
  // NaN there: for factors that are not finite everywhere. This is what makes
  // where(x > 0, sqrt(x), x) have the gradient 1 at -1.
  GradVar times_dy(GradVar factor, int i = 0);
  // Whether the gradient of input i is wanted; others need not be set.
  bool wants(int i) const { return wants_[static_cast<size_t>(i)]; }
  // The gradient of input i. Those of an elementwise op are summed back over
  // the axes along which the input was broadcast.
  void set_dx(int i, GradVar gradient);
  // The same where only some slices along axis 0 were read: `values`, a slice
  // for each entry of the vector `indices`, are to be added there; an index may
  // occur twice. This avoids an array as large as the input.
  void set_dx_rows(int i, GradVar indices, GradVar values);

 protected:
  // To be filled before the rule runs, as in_ is: ids of outputs, of the
  // gradients (-1 where none flows in), and what is wanted.
  Ids out_, dy_;
  SmallVector<bool, 6> wants_;
  // What the rule set, by input; -1 for nothing. As long as in_.
  Ids dx_;
  // The indices of those that were set as rows, -1 for others. Empty when no
  // rows were set.
  Ids dx_rows_;
};

}  // namespace sluice
