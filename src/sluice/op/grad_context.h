// GradContext: the interface of a gradient rule. A rule gets the op's inputs
// and outputs and the gradients of its outputs, and returns the gradients of
// its inputs by calling other ops:
//
//   .grad([](GradContext& g) {
//     g.set_dx(0, g.dy() * g.call("Cos", {g.in(0)}));
//   })
//
// One rule serves all modes: in a graph the calls add nodes, imperatively they
// run at once. Because a rule consists of ops that have rules themselves,
// gradients of gradients need no extra code, and forward mode is the gradient
// of the gradient with respect to the incoming gradient.
//
// Values that it passes to ops are kept from the forward run, so it should pass
// only what it needs: g.shape_of(g.in(0)) instead of g.in(0). op/rule_context.h
// shows how to call ops.
//
// Lives for one application of one rule, on one thread. The first error sticks:
// later calls return undefined variables, and the caller of the rule sees it.
#pragma once

#include "sluice/op/rule_context.h"

namespace sluice {

// An undefined one represents a zero gradient.
using GradVar = RuleVar;
using GradVars = RuleVars;

class GradContext : public RuleContext {
 public:
  GradContext(const OpRecord& op, const Attrs& attrs)
      : RuleContext(op, attrs, "gradient") {}

  int num_outputs() const { return static_cast<int>(out_.size()); }

  GradVar out(int i = 0) { return VarAt(out_[static_cast<size_t>(i)]); }
  // The gradient of output i; zeros of its shape if there is none.
  GradVar dy(int i = 0);
  bool has_dy(int i) const { return dy_[static_cast<size_t>(i)] >= 0; }
  // dy(i) * factor, but 0 wherever dy(i) is 0, even if the factor is infinite
  // or NaN there: for factors that are not finite everywhere. With it, the
  // gradient of where(x > 0, sqrt(x), x) at -1 is 1.
  GradVar times_dy(GradVar factor, int i = 0);
  // Whether the gradient of input i is wanted; others need not be set.
  bool wants(int i) const { return wants_[static_cast<size_t>(i)]; }
  // The gradient of input i. Those of an elementwise op are summed back over
  // the axes along which the input was broadcast.
  void set_dx(int i, GradVar gradient);
  // The same if only some slices along axis 0 were read: `values` has a slice
  // for each entry of the vector `indices`, at which it is added; an index may
  // occur more than once. This avoids an array as large as the input.
  void set_dx_rows(int i, GradVar indices, GradVar values);

 protected:
  // Set before the rule runs, like in_: the ids of outputs and of their
  // gradients (-1 if there is none), and which gradients are wanted.
  Ids out_, dy_;
  SmallVector<bool, 6> wants_;
  // Set by the rule, by input; -1 for none. As long as in_.
  Ids dx_;
  // The indices of sparse gradients, -1 for others. Empty if no gradient is
  // sparse.
  Ids dx_rows_;
};

}  // namespace sluice
