// Whether a call fits a trace, beyond types and sizes: modes, flags of its
// tensors, shared memory and attached gradients and hooks.
#include "sluice/eager/same_memory.h"
#include "sluice/eager/shared_outside.h"
#include "sluice/eager/view_write.h"
#include "sluice/trace/function_trace.h"
#include "sluice/trace/trace_finish.h"

namespace sluice::front_internal {

std::string_view MisfitText(Misfit misfit) {
  switch (misfit) {
    case Misfit::kNone:
      return "";
    case Misfit::kMode:
      return "a mode is another than in the last trace";
    case Misfit::kElements:
      return "elements that code has read while it was recorded were written "
             "since";
    case Misfit::kRequiresGrad:
      return "tensors around the function require gradients and did not, or "
             "did";
    case Misfit::kHooks:
      return "tensors around the function have other hooks";
    case Misfit::kMoved:
      return "a tensor around the function was given other memory (data)";
    case Misfit::kAliases:
      return "an argument is also a tensor the function reads by itself";
    case Misfit::kOrder:
      return "a tensor lies otherwise in memory, and views of it are written";
    case Misfit::kGradients:
      return "tensors around the function have gradients they had not, or lack "
             "some they had";
  }
  return "";
}

bool Trace::ElementsRead::Still() const {
  if (!then.Still()) return false;
  return !SharedOutside::Is(&then.value->writes()) ||
         SharedOutside::SumOf(then.value->array) == sum;
}

Misfit Trace::MisfitOf(const std::vector<Tensor>& args) const {
  for (const Capture::Fact& fact : facts) {
    if (!fact.Still()) return Misfit::kMode;
  }
  for (const ElementsRead& read : elements_read) {
    if (!read.Still()) return Misfit::kElements;
  }
  for (const ArgumentLook& look : argument_looks) {
    if (!look.Fits(args)) return Misfit::kAliases;
  }
  for (const Look& look : looks) {
    if (look.argument >= 0) continue;
    if (look.tensor->requires_grad) return Misfit::kRequiresGrad;
    // It has been given a history of its own since.
    if (!look.tensor->view_of) return Misfit::kRequiresGrad;
  }
  Misfit outside = OutsideMisfit(args);
  if (outside != Misfit::kNone) return outside;
  Misfit argument = ArgumentMisfit(args);
  if (argument != Misfit::kNone) return argument;
  for (const GradSeen& seen : grads_seen) {
    if (!seen.then.Still(*TensorAt(seen.source, args))) {
      return Misfit::kGradients;
    }
  }
  for (const Capture::HistorySeen& seen : histories_seen) {
    if (!seen.Still(*TensorAt(seen.entry, args))) return Misfit::kRequiresGrad;
  }
  // Checked last: gradients that are written exist.
  if (WritesAreSeenElsewhere(args)) return Misfit::kAliases;
  return Misfit::kNone;
}

// Captured tensors.
Misfit Trace::OutsideMisfit(const std::vector<Tensor>& args) const {
  for (size_t i = num_args; i < sources.size(); ++i) {
    const Source& s = sources[i];
    if (s.grad_of >= 0) continue;
    EagerValue& value = *s.value;
    if (value.view_of) RefreshView(value);
    if (value.tracked() != s.requires_grad || !value.producer != s.leaf) {
      return Misfit::kRequiresGrad;
    }
    if (HooksOf(value) != s.hooks) return Misfit::kHooks;
    if (value.moved != s.moved) return Misfit::kMoved;
    for (const Tensor& arg : args) {
      if (arg.eager() == s.value) return Misfit::kAliases;
    }
  }
  return Misfit::kNone;
}

Misfit Trace::ArgumentMisfit(const std::vector<Tensor>& args) const {
  for (size_t i = 0; i < num_args; ++i) {
    const EagerRef& same = sources[i].same;
    if (same && args[i].eager() != same) return Misfit::kAliases;
    if (HooksOf(*args[i].eager()) != sources[i].hooks) return Misfit::kHooks;
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    const Source& s = sources[i];
    if (s.order_matters &&
        TensorAt(i, args)->array.contiguous() != s.contiguous) {
      return Misfit::kOrder;
    }
  }
  return Misfit::kNone;
}

bool Trace::IsLook(size_t source) const {
  for (const ArgumentLook& look : argument_looks) {
    if (look.argument() == source) return true;
  }
  return false;
}

// Whether a write is visible through other arguments, which may differ between
// calls.
bool Trace::WritesAreSeenElsewhere(const std::vector<Tensor>& args) const {
  for (const Landing& landing : landings) {
    if (landing.grad || num_args == 0) continue;
    const Array& own = ArrayAt(landing.source, args);
    if (IsReference(own.dtype())) continue;
    size_t others = landing.source < num_args ? sources.size() : num_args;
    for (size_t i = 0; i < others; ++i) {
      if (i == landing.source || static_cast<int64_t>(i) == place ||
          sources[i].grad_of >= 0 || IsLook(i)) {
        continue;
      }
      const EagerRef& other = TensorAt(i, args);
      if (other == TensorAt(landing.source, args) ||
          IsReference(other->array.dtype())) {
        continue;
      }
      if (SameMemory(own, other->array)) return true;
    }
  }
  return false;
}

}  // namespace sluice::front_internal
