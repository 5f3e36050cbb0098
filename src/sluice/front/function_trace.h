// Trace: one recording of a user's function (front/function.h): the graph its
// code made, and the programs that run it and its gradient.
//
// Made under the function's lock; then shared with recorded calls, which ask
// for the gradient one at a time.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sluice/front/capture.h"
#include "sluice/front/function.h"
#include "sluice/front/rows.h"
#include "sluice/session/local_master.h"

namespace sluice::front_internal {

// What of the arguments decides which trace serves.
struct Signature {
  std::vector<std::pair<DType, int>> args;
  bool operator==(const Signature&) const = default;
  // The same without a list of one's own: most calls find their trace.
  bool Is(const std::vector<Tensor>& tensors) const;
};

Signature SignatureOf(const std::vector<Tensor>& args);
std::string Text(const std::pair<DType, int>& arg);  // "f32[?,?]"

// The gradient of a call, as another program on the same graph: what flows into
// the results is fed, too, and the forward part is computed again.
struct TraceGradient {
  std::shared_ptr<Program> program;
  std::vector<int> wanted;  // per source (arguments, then captured): which
                            // result is its gradient, or -1
};

// One recording. What is fed: the arguments, then what was captured. What comes
// back: the results, then what was written, then gradients.
struct Trace {
  FunctionCore::VariantRef variant;
  std::shared_ptr<const void> note;
  Signature signature;
  TraceInfo info;
  std::shared_ptr<Graph> graph;
  std::unique_ptr<LocalMaster> master;
  std::shared_ptr<Program> program;
  struct Source {
    EagerRef value;
    EagerRef grad_of;  // set: the gradient this tensor has now is fed instead
    Capture::Entry::Part part = Capture::Entry::Part::kWhole;
    bool overwritten = false;  // its new elements may be written over it
    const Array& array() const {
      if (!grad_of) return value->array;
      const EagerValue& grad = *grad_of->grad;
      switch (part) {
        case Capture::Entry::Part::kIndices:
          return grad.rows->indices->array;
        case Capture::Entry::Part::kValues:
          return grad.rows->values->array;
        default:
          return grad.array;
      }
    }
  };
  std::vector<Source> captured;
  std::vector<Capture::GradSeen> grads_seen;
  std::vector<Capture::Fact> facts;
  size_t num_results = 0;
  bool random = false;  // it draws random numbers
  struct Landing {
    EagerRef target;
    bool grad;
    bool rows = false;  // two results: indices and values
  };
  std::vector<Landing> landings;  // of the results after the first ones
  std::vector<EagerRef> cleared;  // whose gradient is taken away
  // Gradients the code replaces or clears without a look at them: they go
  // before the plan runs, which may need the memory.
  std::vector<EagerRef> dropped;
  std::vector<Value> feeds, results;
  std::vector<Value> flow_args;  // what flows into each result, once asked for
  std::optional<TraceGradient> gradient;

  // Runs the code once, with tensors of a new graph. Throws what it throws.
  static std::shared_ptr<Trace> Record(const FunctionCore::VariantRef& variant,
                                       const std::string& name,
                                       const std::vector<Tensor>& args,
                                       std::source_location where);

  // Built when it is asked for.
  Result<TraceGradient> Gradient();

  // Gradients are where they were, and are missing where they were; what else
  // was asked for is as it was.
  bool Fits() const {
    for (const Capture::Fact& fact : facts) {
      if (!fact.Still()) return false;
    }
    for (const Capture::GradSeen& seen : grads_seen) {
      if (!seen.Still()) return false;
    }
    return true;
  }
};

}  // namespace sluice::front_internal
