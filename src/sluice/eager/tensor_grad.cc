// The gradient side of Tensor.
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/backward.h"
#include "sluice/eager/call.h"
#include "sluice/eager/grad_lock.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/recording.h"
#include "sluice/eager/rows.h"
#include "sluice/eager/view_write.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/op/registry.h"

namespace sluice {

bool Tensor::requires_grad() const {
  if (Recording::Open() || traced()) {
    if (is_sparse() || (symbolic() && !traced() && !Recording::Open())) {
      return false;
    }
    EagerRef value = here();
    if (value->traced) Recording::Current()->Now(*value);
    return value->tracked();
  }
  if (symbolic() || is_sparse()) return false;
  EagerValue& value = *eager();
  if (value.view_of) RefreshView(value);
  return value.tracked();
}

const Tensor& Tensor::requires_grad_(bool wanted) const {
  EagerRef value = here();
  if (value->traced) Recording::Current()->Now(*value);
  if (value->producer) {
    throw Error(FailedPrecondition(
        StrCat("requires_grad_: ", value->Describe(),
               ", was made by a recorded call; wanted a leaf, such as "
               "detach() gives")));
  }
  if (wanted && !kDifferentiable.contains(value->dtype())) {
    throw Error(InvalidArgument(
        StrCat("requires_grad_: ", value->Describe(),
               "; only floating-point values carry gradients")));
  }
  if (value->traced && value->requires_grad != wanted) {
    Recording::Current()->SetRequiresGrad(value, wanted);
  }
  value->requires_grad = wanted;
  return *this;
}

bool Tensor::is_leaf() const {
  EagerRef value = here();
  if (value->traced) Recording::Current()->Now(*value);
  if (!value->traced && value->view_of) RefreshView(*value);
  return !value->producer;
}

Tensor Tensor::grad() const {
  EagerRef value = here();
  if (value->traced) {
    Recording* recording = Recording::Current();
    recording->RequireGrad(*value);
    EagerRef g = recording->GradOf(*value);
    return g ? Tensor(std::move(g)) : Tensor();
  }
  MutexLock lock(front_internal::GradMutex(*value));
  const EagerRef& g = value->grad_place ? *value->grad_place : value->grad;
  return g ? Tensor(g) : Tensor();
}

void Tensor::set_grad(const Tensor& grad) const {
  EagerRef value = here();
  if (value->traced) {
    Recording::Current()->SetGrad(
        value, grad.defined() ? GradientRef(grad) : EagerRef());
    return;
  }
  EagerRef now = grad.defined() ? grad.eager_gradient() : EagerRef();
  MutexLock lock(front_internal::GradMutex(*value));
  std::swap(value->grad, now);  // the old one ends after the lock
}

void Tensor::zero_grad() const { set_grad({}); }

void Tensor::backward(const Tensor& gradient, BackwardOptions options,
                      Where where) const {
  Status status;
  if (symbolic() && !Recording::Open() && !traced()) {
    status = FailedPrecondition(
        StrCat("backward: \"", name(),
               "\" is part of a graph; wanted gradients() there"));
  } else {
    EagerRef roots[] = {here()};
    EagerRef flows[] = {gradient.defined() ? gradient.to_dense().here()
                                           : EagerRef()};
    BackwardRequest request{.roots = roots,
                            .gradients = flows,
                            .retain = options.retain_graph,
                            .record = options.create_graph};
    status = RunBackward(request).status();
  }
  if (status.ok()) return;
  throw Error(status.WithLine(StrCat("at ", SourceLine::From(where))));
}

Tensor Tensor::detach() const {
  if (symbolic() || Recording::Open()) {
    if (traced() && is_sparse()) return *this;
    Operand operands[] = {*this};
    return front_internal::CallOne("StopGradient", operands, {}, {},
                                   Where::current());
  }
  const EagerRef& from = eager();
  EagerRef value = MakeRef<EagerValue>(from->array);
  value->line = from->line;
  value->view = true;
  value->log = Ref<WriteLog>::Share(&from->writes());
  static const OpRecord* stop = FindOp("StopGradient");
  EagerValue* inputs[] = {from.get()};
  NoteView(*value, *stop, {}, inputs, /*records=*/true);
  return Tensor(std::move(value));
}

Tensor Tensor::clone(Where where) const {
  Operand operands[] = {*this};
  Tensor same = front_internal::CallOne("Identity", operands, {}, {}, where);
  if (same.symbolic()) return same;
  same.eager()->array = ValueOrThrow(array().Clone());
  same.eager()->view = false;
  same.eager()->view_of = nullptr;
  same.eager()->SetLog({});
  return same;
}

namespace {

// Of a value that is recorded: code of a branch would change what is met on
// all ways.
void CheckHook(const EagerValue& value) {
  Recording* recording = value.traced ? Recording::Current() : nullptr;
  if (recording) recording->CheckHook(value);
}

}  // namespace

int Tensor::register_hook(GradHook hook) const {
  EagerRef shared = here();
  EagerValue& value = *shared;
  if (!value.tracked()) {
    throw Error(FailedPrecondition(StrCat("register_hook: ", value.Describe(),
                                          ", does not require gradients")));
  }
  if (value.traced && value.traced->entry >= 0 && !value.producer) {
    throw Error(Unimplemented(
        StrCat("register_hook: ", value.Describe(),
               ", is a leaf outside of the captured function, which would get "
               "another hook at every call; wanted it registered outside")));
  }
  CheckHook(value);
  EagerValue::Extras& extras = value.extras();
  int id = extras.next_hook++;
  if (!value.producer) {
    extras.hooks.emplace_back(id, std::move(hook));
    return id;
  }
  value.producer->hooks.push_back({value.output, id, std::move(hook), {}});
  return id;
}

void Tensor::remove_hook(int id) const {
  EagerRef shared = here();
  EagerValue& value = *shared;
  CheckHook(value);
  std::erase_if(value.extras().hooks,
                [&](const auto& hook) { return hook.first == id; });
  if (!value.producer) return;
  std::erase_if(value.producer->hooks, [&](const TapeNode::Hook& hook) {
    return hook.output == value.output && hook.id == id;
  });
}

void Tensor::retain_grad() const {
  EagerRef shared = here();
  EagerValue& value = *shared;
  if (!value.producer || value.extras().retains_grad) return;
  CheckHook(value);
  value.extras().retains_grad = true;
  // The node must not keep the value alive, which keeps the node: both look at
  // a place the gradient is put into.
  value.grad_place = std::make_shared<EagerRef>();
  value.producer->hooks.push_back({value.output, -1, {}, value.grad_place});
}

}  // namespace sluice
