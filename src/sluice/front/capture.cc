#include "sluice/front/capture.h"

#include <optional>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/operators.h"
#include "sluice/front/scope.h"

namespace sluice {

namespace {

Capture*& CurrentCapture() {
  thread_local Capture* current = nullptr;
  return current;
}

}  // namespace

Capture::Capture(Graph& graph)
    : graph_(graph), outer_(std::exchange(CurrentCapture(), this)) {}

Capture::~Capture() { CurrentCapture() = outer_; }

Capture* Capture::Current() { return CurrentCapture(); }

Capture::Entry& Capture::At(const EagerRef& value) {
  auto [it, fresh] = index_.try_emplace(value.get(), entries_.size());
  if (fresh) {
    const Array& a = value->array;
    std::string name = StrCat("captured_", entries_.size());
    std::optional<MutexLock> lock;
    if (front_internal::Building::Current().locked != &graph_) {
      lock.emplace(graph_.mu());
    }
    Value arg = ValueOrThrow(graph_.AddArg(
        graph_.root(), name, {a.dtype(), PartialShape(a.shape())}));
    entries_.push_back({value, arg, arg, false, false, {}});
  }
  return entries_[it->second];
}

Status Capture::Backward(const Tensor& loss, const Tensor& gradient) {
  std::vector<Value> xs;
  std::vector<size_t> which;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].value->requires_grad) continue;
    xs.push_back(entries_[i].now);
    which.push_back(i);
  }
  Value y = loss.value();
  std::vector<Value> seed;
  if (gradient) seed.push_back(gradient.value());
  std::vector<Value> found;
  {
    front_internal::SavedBuilding saved;
    MutexLock lock(graph_.mu());
    front_internal::Building::Current().locked = &graph_;
    SL_ASSIGN_OR_RETURN(found, Gradients(graph_, {&y, 1}, xs, seed,
                                         {.none_when_unconnected = true}));
  }
  bool any = false;
  for (size_t k = 0; k < which.size(); ++k) {
    if (!found[k]) continue;
    any = true;
    Tensor more(graph_, found[k]);
    Tensor before = GradOf(entries_[which[k]].value);
    Entry& entry = entries_[which[k]];
    entry.grad = before ? before + more : more;
    entry.grad_set = true;
  }
  if (any) return OkStatus();
  return FailedPrecondition(
      StrCat("backward: ", loss.name(),
             " was made from no tensor that requires gradients"));
}

Tensor Capture::GradOf(const EagerRef& value) {
  Entry& entry = At(value);
  if (entry.grad_set) return entry.grad;
  EagerRef before = value->grad;
  bool known = false;
  for (const GradSeen& seen : grads_seen_) {
    known = known || seen.value == value;
  }
  if (!known) grads_seen_.push_back({value, static_cast<bool>(before)});
  if (!before) return {};
  Entry& its = At(before);
  its.grad_of = value;
  return Tensor(graph_, its.now);
}

}  // namespace sluice
