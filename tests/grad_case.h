// One call of an op, differentiated: a graph that computes from the op's inputs
//   loss      a weighted sum of all its floating-point outputs
//   slope     the change of loss along the direction v, by reverse mode
//   forward   the same by forward mode
//   bend      the change of slope along the direction u, by reverse mode twice
// so that each can be held against differences of the one before it.
#pragma once

#include <memory>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct GradValues {
  double loss = 0, slope = 0, forward = 0, bend = 0;
};

class GradCase {
 public:
  // Errors: the op or one of its gradients cannot be built.
  static Result<std::unique_ptr<GradCase>> Make(const OpRecord& op,
                                                const Attrs& attrs,
                                                std::vector<Array> inputs);

  // At the inputs moved by a * v + b * u.
  Result<GradValues> At(double a, double b) const;
  // Whether any input or output carries gradients at all.
  bool differentiable() const { return !moved_.empty() && outputs_ > 0; }
  // Moves the inputs to another place nearby.
  void Nudge(int attempt);

 private:
  GradCase() : graph_("grad_case") {}
  Status Build(const OpRecord& op, const Attrs& attrs);
  // <a, b> over all pairs, as a scalar of the graph.
  Result<Value> Inner(const std::vector<Value>& a, const std::vector<Value>& b);
  Result<Value> Add(std::string_view op, std::vector<Value> inputs,
                    const Attrs& attrs = {});
  Result<Value> Constant(const Array& value);

  Graph graph_;
  DType dtype_ = DType::kInvalid;
  std::vector<Array> inputs_;
  std::vector<size_t> moved_;  // inputs of dtype_
  std::vector<Array> v_, u_;   // directions, by entry of moved_
  int outputs_ = 0;            // floating-point ones
};

// Numbers in [-1, 1), never near 0.
Array Direction(DType dtype, const Shape& shape, uint64_t stream);

}  // namespace sluice
