#include "sluice/op/custom_gradient.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/same_memory.h"
#include "sluice/eager/scope.h"
#include "sluice/eager/tape.h"
#include "sluice/front/autograd.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/custom_rule.h"
#include "sluice/trace/memory_of.h"

namespace sluice {

namespace {

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
    if (std::string wrong = front_internal::WrongGradients(inputs_, returned);
        !wrong.empty()) {
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

// A result may be an input, or look into one: what is recorded must be a value
// of its own. Written in place it would change that input, around the user's
// backward: a look of a kind that no recorded call writes through.
Tensor OwnValue(const Tensor& result, const std::vector<Tensor>& inputs) {
  EagerRef from = result.eager();
  bool look = from->tracked();
  for (const Tensor& x : inputs) {
    look = look || SameMemory(from->array, x.eager()->array);
  }
  EagerRef value = MakeRef<EagerValue>(from->array);
  value->line = from->line;
  value->SetLog(Ref<WriteLog>::Share(&from->writes()));
  value->view = look;
  return Tensor(std::move(value));
}

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
  for (Tensor& r : results) r = OwnValue(r, inputs);
  node->Keep(inputs, results);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!kDifferentiable.contains(results[i].dtype())) continue;
    results[i].eager()->producer = node;
    results[i].eager()->output = static_cast<int>(i);
  }
  return results;
}

}  // namespace

std::vector<Tensor> custom_gradient(const TensorFn& forward,
                                    const BackwardFn& backward,
                                    const std::vector<Tensor>& inputs,
                                    std::source_location where, bool zeros) {
  bool symbolic = front_internal::Building::Current().graph != nullptr;
  for (const Tensor& x : inputs) symbolic = symbolic || x.symbolic();
  if (!symbolic) return EagerCustom(forward, backward, inputs, where, zeros);

  Capture* capture = Capture::Open();
  const uint64_t before = capture ? capture->made() : 0;
  std::vector<Tensor> results = forward(inputs);
  std::vector<DType> dtypes;
  std::vector<Operand> operands(inputs.begin(), inputs.end());
  for (const Tensor& r : results) {
    dtypes.push_back(r.dtype());
    operands.push_back(r);
  }
  size_t count = inputs.size();
  Array number = RegisterCustomGradient(
      [backward, count, zeros](GradContext& g) {
        front_internal::BuildCustomRule(g, count, backward, zeros);
      },
      /*sees_flow=*/!zeros);
  std::vector<Tensor> made =
      front_internal::CallMany("CustomGradient", operands,
                               {{"dtypes", dtypes},
                                {"num_inputs", static_cast<int64_t>(count)},
                                {"function", number}},
                               {}, where);
  // As imperatively: what looks into a tensor that was there before.
  for (size_t i = 0; capture && i < results.size(); ++i) {
    EagerRef from = capture->ValueOf(results[i]);
    EagerRef base = MemoryOf(from);
    if (base->traced->serial > before) continue;
    capture->MayBe(*capture->ValueOf(made[i]), base,
                   TraceState::Perhaps::How::kLook);
  }
  return made;
}

}  // namespace sluice
