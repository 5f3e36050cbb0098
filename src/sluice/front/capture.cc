#include "sluice/front/capture.h"

#include <optional>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/call.h"
#include "sluice/front/operators.h"
#include "sluice/front/rows.h"
#include "sluice/front/scope.h"
#include "sluice/passes/raise_for_gradients.h"

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

Capture* Capture::Suspend() { return std::exchange(CurrentCapture(), nullptr); }

void Capture::Resume(Capture* suspended) { CurrentCapture() = suspended; }

Capture::Entry& Capture::At(const EagerRef& value) {
  return At(value, PartialShape(value->array.shape()));
}

Capture::Entry& Capture::At(const EagerRef& value, const PartialShape& shape) {
  auto [it, fresh] = index_.try_emplace(value.get(), entries_.size());
  if (fresh) {
    std::string name = StrCat("captured_", entries_.size());
    std::optional<MutexLock> lock;
    if (front_internal::Building::Current().locked != &graph_) {
      lock.emplace(graph_.mu());
    }
    Value arg = ValueOrThrow(
        graph_.AddArg(graph_.root(), name, {value->array.dtype(), shape}));
    entries_.push_back({value, arg, arg, false, false, {}});
  }
  return entries_[it->second];
}

Value Capture::GradPart(const EagerRef& part, const EagerRef& grad_of,
                        Entry::Part which) {
  // Another call may find more or fewer rows.
  PartialShape shape = part->array.shape();
  shape.set_dim(0, kUnknownDim);
  Entry& entry = At(part, shape);
  entry.grad_of = grad_of;
  entry.part = which;
  return entry.now;
}

void Capture::Note(std::shared_ptr<const int> fact, std::string name) {
  for (const Fact& known : facts_) {
    if (known.now == fact) return;
  }
  int then = *fact;
  facts_.push_back({std::move(fact), then, std::move(name)});
}

Status Capture::Backward(const Tensor& loss, const Tensor& gradient) {
  std::vector<Value> xs;
  std::vector<size_t> which;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].value->requires_grad) continue;
    xs.push_back(entries_[i].now);
    which.push_back(i);
  }
  std::vector<Value> y = {loss.value()};
  std::vector<Value> seed;
  if (gradient) seed.push_back(gradient.value());
  std::vector<GradientValue> found;
  {
    front_internal::SavedBuilding saved;
    MutexLock lock(graph_.mu());
    front_internal::Building::Current().locked = &graph_;
    SL_RETURN_IF_ERROR(RaiseForGradients(graph_, y, xs));
    SL_ASSIGN_OR_RETURN(
        found,
        GradientsOrRows(graph_, y, xs, seed, {.none_when_unconnected = true}));
  }
  bool any = false;
  for (size_t k = 0; k < which.size(); ++k) {
    if (!found[k]) continue;
    any = true;
    Tensor more = GradientTensor(graph_, found[k], xs[k].shape());
    Tensor before = GradOf(entries_[which[k]].value);
    Entry& entry = entries_[which[k]];
    entry.grad = before ? AddGradients(before, more) : more;
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
  if (!known) grads_seen_.push_back(GradSeen(value));
  if (!before) return {};
  if (before->rows) {
    auto rows = MakeRef<Tensor::GraphRows>();
    rows->indices =
        GradPart(before->rows->indices, value, Entry::Part::kIndices);
    rows->values = GradPart(before->rows->values, value, Entry::Part::kValues);
    rows->dense = before->array.shape();
    Shape sizes = before->array.shape();
    Attrs shape{{"value", Array::Vector(sizes.dims())}};
    rows->shape = front_internal::CallOne("Const", {}, shape, {},
                                          std::source_location::current())
                      .value();
    return Tensor(graph_, std::move(rows));
  }
  Entry& its = At(before);
  its.grad_of = value;
  return Tensor(graph_, its.now);
}

}  // namespace sluice
