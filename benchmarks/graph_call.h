// GraphCall: a small graph called the way a user's program calls it, through a
// session's prepared Callable: the plan is made once, inputs are fed, results
// come from the allocator's cache and are dropped at the next call.
//
//   Result<GraphCall> call = GraphCall::Op("Softmax", {x});
//   if (call.ok()) call->Run();
//
// Steps run on the process's own pool, one thread per core. Single threaded.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/eager/tensor.h"
#include "sluice/front/session.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice::bench {

// An input of a call: fed at every call, or a constant of the graph (sizes
// and axes that come as values).
struct CallInput {
  CallInput(Array v, bool fixed = false)
      : value(std::move(v)), constant(fixed) {}
  Array value;
  bool constant;
};
inline CallInput Fixed(Array value) { return {std::move(value), true}; }

class GraphCall {
 public:
  // Makes the graph from tensors for the inputs; may throw sluice::Error.
  using Build =
      std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;

  // Errors: what building, planning or the first run reports; NotFound "no op
  // Conv2D" for an op that this build lacks.
  static Result<GraphCall> Make(std::vector<CallInput> inputs,
                                const Build& build);
  static Result<GraphCall> Op(const std::string& op,
                              std::vector<CallInput> inputs,
                              const Attrs& attrs = {});

  void Run() {
    results_.clear();  // so that its memory is there for the new ones
    results_ = callable_(feeds_);
  }
  // Of the last run.
  const std::vector<Array>& results() const { return results_; }
  // In the order of those inputs that are no constants.
  std::vector<Array>& feeds() { return feeds_; }
  // What the session says of the plan, for a look by hand.
  std::string Explain() { return session_->explain(first_); }

 private:
  GraphCall() = default;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Session> session_;
  Tensor first_;  // of what is fetched
  Callable callable_;
  std::vector<Array> feeds_;
  std::vector<Array> results_;
};

// Fixed pseudo-random numbers in [lo, hi); whole ones for integers.
Array RandomInput(DType dtype, const Shape& shape, double lo = -1,
                  double hi = 1, uint64_t seed = 1);
inline Array RandomFloats(const Shape& shape, double lo = -1, double hi = 1,
                          uint64_t seed = 1) {
  return RandomInput(DType::kF32, shape, lo, hi, seed);
}

}  // namespace sluice::bench
