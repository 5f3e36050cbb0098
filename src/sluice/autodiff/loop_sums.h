// LoopSums: what flows into values that a loop reads around it, such as its
// weights, is a sum over all iterations. How it is made:
//
//   added up    every iteration adds its part to what the backward loop carries
//   left        the backward loop keeps what the part is computed from, and one
//               op computes the sum from all iterations after it: a product of
//               matrices sums over rows, so of the rows of all iterations
//               together it is the sum of their products. Rows stay rows.
//
// Ops that are linear in what varies (a transpose, a product by a weight) are
// applied to the sum, not in every iteration.
//
// Lives for one call of Gradients, whose caller holds the graph's lock.
#pragma once

#include <vector>

#include "sluice/autodiff/inner_gradient.h"

namespace sluice {

class LoopSums {
 public:
  // Of the parts of `inner`, the gradient of the body of `loop`, that flow into
  // `captures`, in this order.
  LoopSums(Graph& graph, Node& loop, InnerGradient& inner,
           std::vector<Value> captures, bool hoist)
      : graph_(graph),
        loop_(loop),
        body_(*loop.regions()[1]),
        inner_(inner),
        captures_(std::move(captures)),
        hoist_(hoist) {}
  Status Plan();

  // A sum the backward loop carries. Starts as zeros.
  struct Carried {
    Value to;  // like this value, or of the known type of the only part
    std::vector<GradPart> parts;
    ValueType type() const { return to ? to.type() : parts[0].dense.type(); }
  };
  const std::vector<Carried>& carried() const { return carried_; }
  // Values of all iterations that are read after the backward loop.
  const std::vector<Value>& collected() const { return collected_; }
  // All that the backward loop has to compute for this.
  std::vector<Value> Wanted() const;

  // After the backward loop, whose results are given: adds the gradients.
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

  // Whether a part is left until after the loop.
  Result<bool> Leave(const GradPart& part);
  // Whether v can be computed from sums and collected values.
  Result<bool> Expand(const Value& v);
  Result<bool> Reduces(const Value& v);
  Result<Value> OverRows(const Value& v, Value a, Value b);
  bool CarriedInstead(const Value& in, const Value& v) const;
  // The same in all iterations, and there after the loop or made there from
  // what is, without computing: a size, a slice of a weight.
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
