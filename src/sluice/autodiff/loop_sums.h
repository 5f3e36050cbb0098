// LoopSums: the gradients of a loop's captures, such as weights, are sums over
// all iterations. There are two ways to compute one:
//
//   added up    the backward loop carries the sum; iterations add their parts
//   left        the backward loop collects the operands of the part, and one op
//               after it computes the sum from all iterations: a matrix product
//               sums over rows, so the product of the rows of all iterations is
//               the sum of their products. Rows stay rows.
//
// Ops that are linear in the varying operand (a transpose, a product by a
// weight) are applied to the sum, not in every iteration.
//
// Lives for one call of Gradients, whose caller holds the graph's lock.
#pragma once

#include <vector>

#include "sluice/autodiff/inner_gradient.h"

namespace sluice {

class LoopSums {
 public:
  // For the parts of `inner`, the gradient of the body of `loop`, that flow
  // into `captures`, in this order.
  LoopSums(Graph& graph, Node& loop, InnerGradient& inner,
           std::vector<Value> captures, bool hoist)
      : graph_(graph),
        loop_(loop),
        body_(*loop.regions()[1]),
        inner_(inner),
        captures_(std::move(captures)),
        hoist_(hoist) {}
  Status Plan();

  // A sum that the backward loop carries. Starts as zeros.
  struct Carried {
    Value to;  // has the type of this value, or of the only part
    std::vector<GradPart> parts;
    ValueType type() const { return to ? to.type() : parts[0].dense.type(); }
  };
  const std::vector<Carried>& carried() const { return carried_; }
  // Values of all iterations that are read after the backward loop.
  const std::vector<Value>& collected() const { return collected_; }
  // Everything that the backward loop must compute for the sums.
  std::vector<Value> Wanted() const;

  // Adds the gradients after the backward loop, given its results.
  struct Results {
    std::vector<Value> carried;
    std::vector<Value> lists;  // of collected(), by iteration
    Value trips;
  };
  Status Flow(const Results& results, Region& region, GradFlow& flow);

 private:
  struct Left {
    size_t capture;
    GradPart part;
    std::vector<Value> reads;  // of collected()
  };

  // Whether a part is deferred until after the loop.
  Result<bool> Leave(const GradPart& part);
  // Whether v can be computed from sums and collected values.
  Result<bool> Expand(const Value& v);
  Result<bool> Reduces(const Value& v);
  Result<Value> OverRows(const Value& v, Value a, Value b);
  bool CarriedInstead(const Value& in, const Value& v) const;
  // Whether v is the same in all iterations and available after the loop,
  // possibly by ops that do not compute: a size, a slice of a weight.
  bool Invariant(const Value& v) const;
  void Collect(const Value& v);

  bool SizesKnown(const Left& left) const;
  bool OnlySurelyThere(const Left& left) const;
  Result<std::vector<Value>> Compute(const std::vector<Left>& left,
                                     const Results& results, Region& region);
  Result<std::vector<Value>> Nothing(const std::vector<Left>& left,
                                     Region& region);
  Result<std::vector<Value>> WhereItRan(const std::vector<Left>& left,
                                        const Results& results, Region& region);

  Graph& graph_;
  Node& loop_;
  Region& body_;
  InnerGradient& inner_;
  const std::vector<Value> captures_;
  const bool hoist_;

  std::vector<Carried> carried_;
  std::vector<Value> collected_, reads_;
  std::vector<Left> left_;
  ValueSet products_;          // collected for products
  Graph::ValueMap rewritten_;  // products in the form that sums over rows
};

}  // namespace sluice
