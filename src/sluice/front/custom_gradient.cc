#include "sluice/op/custom_gradient.h"

#include "sluice/autodiff/graph_grad_context.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/autograd.h"
#include "sluice/front/call.h"
#include "sluice/front/capture.h"
#include "sluice/front/custom_rule.h"
#include "sluice/front/grad_mode.h"
#include "sluice/front/scope.h"
#include "sluice/front/tape.h"

namespace sluice {

namespace {

// What is wrong with what a user's backward returned, or "".
std::string CheckReturned(const std::vector<Tensor>& inputs,
                          const std::vector<Tensor>& returned) {
  if (returned.size() != inputs.size()) {
    return StrCat("its backward returned ", returned.size(),
                  " gradients; wanted ", inputs.size(), ", one per input");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor &g = returned[i], &x = inputs[i];
    if (!g.defined()) continue;
    if (g.dtype() == x.dtype() && g.shape().CompatibleWith(x.shape())) continue;
    return StrCat("its backward returned ", TypeText(g.dtype(), g.shape()),
                  " for input ", i, "; wanted ",
                  TypeText(x.dtype(), x.shape()));
  }
  return {};
}

// A call of a user's function, recorded.
class CustomTapeNode final : public TapeNode {
 public:
  CustomTapeNode(SourceLine line, BackwardFn backward, bool zeros)
      : TapeNode(line), backward_(std::move(backward)), zeros_(zeros) {}

  std::string_view name() const override { return "custom_gradient"; }
  size_t num_outputs() const override { return num_outputs_; }
  const UserBackward* user_backward() const override { return &backward_; }
  void Drop() override {
    inputs_.clear();
    dropped_ = true;
  }
  void Keep(const std::vector<Tensor>& inputs,
            const std::vector<Tensor>& results) {
    inputs_ = inputs;
    num_outputs_ = results.size();
    for (const Tensor& r : results) {
      // Without its history, which leads back here.
      results_.push_back(r.array());
    }
  }

  Status Backward(std::span<const EagerRef> dy, bool record,
                  std::span<EagerRef> dx) override {
    if (dropped_) return UsedUp(name());
    GradModeScope mode(record);
    std::vector<Tensor> results, flows;
    for (size_t i = 0; i < results_.size(); ++i) {
      EagerRef r = MakeRef<EagerValue>(results_[i]);
      r->producer = Ref<TapeNode>::Share(this);
      r->output = static_cast<int>(i);
      results.push_back(Tensor(std::move(r)));
      if (dy[i]) {
        flows.push_back(Tensor(dy[i]));
      } else if (!zeros_) {
        flows.push_back({});
      } else {
        flows.push_back(Tensor(MakeRef<EagerValue>(
            Array::Zeros(results_[i].dtype(), results_[i].shape()))));
      }
    }
    std::vector<Tensor> returned;
    try {
      returned = backward_(inputs_, results, flows);
    } catch (const Error& e) {
      return Status(e.code(), e.what());
    }
    if (std::string wrong = CheckReturned(inputs_, returned); !wrong.empty()) {
      return InvalidArgument(StrCat("[custom_gradient] ", wrong));
    }
    for (size_t i = 0; i < dx.size(); ++i) {
      if (returned[i].defined()) dx[i] = returned[i].eager_gradient();
    }
    return OkStatus();
  }

 private:
  BackwardFn backward_;
  const bool zeros_;
  std::vector<Tensor> inputs_;
  std::vector<Array> results_;
  size_t num_outputs_ = 0;
  bool dropped_ = false;
};

std::vector<Tensor> EagerCustom(const TensorFn& forward,
                                const BackwardFn& backward,
                                const std::vector<Tensor>& inputs,
                                std::source_location where, bool zeros) {
  std::vector<Tensor> results;
  bool records = front_internal::EagerMode::Current().grad;
  {
    NoGrad off;
    results = forward(inputs);
  }
  bool tracked = false;
  for (const Tensor& x : inputs) tracked = tracked || x.requires_grad();
  if (!records || !tracked) return results;
  auto node = MakeRef<CustomTapeNode>(SourceLine::From(where), backward, zeros);
  for (const Tensor& x : inputs) node->edges.push_back(EdgeTo(x.eager()));
  node->SetDepth();
  // A result may be an input: what is recorded must be a value of its own.
  for (Tensor& r : results) r = r.detach();
  node->Keep(inputs, results);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!kFloats.contains(results[i].dtype())) continue;
    results[i].eager()->producer = node;
    results[i].eager()->output = static_cast<int>(i);
  }
  return results;
}

// Whoever builds gradients holds the graph's lock. The user's function may do
// whatever code does that is recorded, and takes the lock itself.
class Unlocked {
 public:
  explicit Unlocked(Graph& graph) SL_NO_THREAD_SAFETY_ANALYSIS
      : graph_(graph),
        locked_(std::exchange(front_internal::Building::Current().locked,
                              nullptr)) {
    graph_.mu().unlock();
  }
  ~Unlocked() SL_NO_THREAD_SAFETY_ANALYSIS {
    graph_.mu().lock();
    front_internal::Building::Current().locked = locked_;
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Graph& graph_;
  Graph* const locked_;
};

// What a tensor is in the graph that is open.
Value ValueIn(const Tensor& t) {
  Capture* capture = Capture::Open();
  return capture ? capture->Now(*capture->ValueOf(t)) : t.value();
}

}  // namespace

void front_internal::BuildCustomRule(GradContext& g, size_t num_inputs,
                                     const BackwardFn& backward, bool zeros) {
  auto* context = dynamic_cast<GraphGradContext*>(&g);
  if (!context) return g.fail("a graph's gradient was asked for elsewhere");
  Graph& graph = context->graph();
  std::vector<Tensor> inputs, results, flows;
  for (size_t i = 0; i < num_inputs; ++i) {
    inputs.emplace_back(graph, context->ValueOf(g.in(static_cast<int>(i))));
  }
  for (int i = 0; i < g.num_outputs(); ++i) {
    results.emplace_back(graph, context->ValueOf(g.out(i)));
    if (!zeros && !g.has_dy(i)) {
      flows.emplace_back();
      continue;
    }
    GradVar dy = g.dy(i);
    if (!dy) return;
    flows.emplace_back(graph, context->ValueOf(dy));
  }
  GraphScope building(graph);
  front_internal::Building::Current().region = &context->region();
  // The nodes may be moved or taken back: a recording forgets them.
  Capture::Region inside(Capture::Open());
  Capture::DrawsApart apart(Capture::Open());
  std::vector<Tensor> returned;
  std::vector<std::pair<Value, Value>> found(inputs.size());
  try {
    Unlocked free(graph);
    returned = backward(inputs, results, flows);
    std::string wrong = CheckReturned(inputs, returned);
    if (!wrong.empty()) throw Error(InvalidArgument(wrong));
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!returned[i].defined()) continue;
      bool rows = returned[i].is_sparse();
      found[i].first = ValueIn(rows ? returned[i].values() : returned[i]);
      if (rows) found[i].second = ValueIn(returned[i].indices());
    }
  } catch (const Error& e) {
    return g.fail(e.what());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto [value, rows] = found[i];
    int k = static_cast<int>(i);
    if (rows) {
      g.set_dx_rows(k, context->VarOf(rows), context->VarOf(value));
    } else if (value) {
      g.set_dx(k, context->VarOf(value));
    }
  }
}

std::vector<Tensor> custom_gradient(const TensorFn& forward,
                                    const BackwardFn& backward,
                                    const std::vector<Tensor>& inputs,
                                    std::source_location where, bool zeros) {
  bool symbolic = front_internal::Building::Current().graph != nullptr;
  for (const Tensor& x : inputs) symbolic = symbolic || x.symbolic();
  if (!symbolic) return EagerCustom(forward, backward, inputs, where, zeros);

  std::vector<Tensor> results = forward(inputs);
  std::vector<DType> dtypes;
  std::vector<Operand> operands(inputs.begin(), inputs.end());
  for (const Tensor& r : results) {
    dtypes.push_back(r.dtype());
    operands.push_back(r);
  }
  size_t count = inputs.size();
  int64_t number =
      RegisterCustomGradient([backward, count, zeros](GradContext& g) {
        front_internal::BuildCustomRule(g, count, backward, zeros);
      });
  return front_internal::CallMany("CustomGradient", operands,
                                  {{"dtypes", dtypes},
                                   {"num_inputs", static_cast<int64_t>(count)},
                                   {"function", number}},
                                  {}, where);
}

}  // namespace sluice
