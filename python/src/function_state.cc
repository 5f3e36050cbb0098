#include "function_state.h"

#include <algorithm>

#include "errors.h"
#include "recorder.h"
#include "said_line.h"
#include "self_call.h"
#include "sluice/base/strings.h"
#include "sluice/eager/scope.h"

namespace sluice::py {

FunctionState::FunctionState(const FunctionOptionsInPython& options,
                             nb::object instance)
    : options_(options),
      own_code_(options.code),
      parameters_(options.signature(options.code), instance.is_valid() ? 1 : 0),
      instance_(std::move(instance)),
      core_(FunctionOptions{options.name, options.max_traces}) {}

nb::object FunctionState::Code() {
  if (!options_.code.is_valid()) {
    ThrowValueError(options_.name + ": the captured function is gone");
  }
  if (!converted_.is_valid()) {
    converted_ = options_.convert.is_none() ? options_.code
                                            : options_.convert(options_.code);
  }
  return converted_;
}

void FunctionState::LookAgain() {
  // A recording in progress here uses the code as it was.
  if (own_code_.Same() || !options_.code.is_valid() || RecordingHere()) return;
  OwnCode now(options_.code);
  Parameters parameters(options_.signature(options_.code), bound() ? 1 : 0);
  bool same = parameters.HasNamesOf(parameters_);
  own_code_ = std::move(now);
  parameters_ = std::move(parameters);
  converted_.reset();
  // Guards select the valid recordings, unless nothing matches.
  if (same) return;
  for (const auto& pattern : std::exchange(patterns_, {})) {
    Drop(std::exchange(pattern->variants, {}));
  }
  last_pattern_.reset();
  last_variant_.reset();
}

nb::object FunctionState::First() const {
  if (!bound()) return {};
  nb::object self = instance_();
  if (self.is_none()) {
    ThrowValueError(
        StrCat(options_.name, ": the object this method belongs to is gone"));
  }
  return self;
}

FunctionState::Chosen FunctionState::Choose(const Values& values) {
  std::vector<nb::object> leaves = std::exchange(spare_objects_, {});
  for (size_t i = 0; i < patterns_.size(); ++i) {
    // Kept alive here: user classes flatten their objects in Python.
    std::shared_ptr<Pattern> pattern = patterns_[i];
    if (!pattern->Collect(values, leaves)) continue;
    if (i > 0 && i < patterns_.size()) {
      std::rotate(patterns_.begin(),
                  patterns_.begin() + static_cast<std::ptrdiff_t>(i),
                  patterns_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    std::shared_ptr<Variant> broken;
    std::shared_ptr<Variant> variant = pattern->Find(values, leaves, broken);
    if (variant) {
      return Use(std::move(pattern), std::move(variant), std::move(leaves));
    }
    if (broken) return Begin(pattern, leaves, broken);
    std::vector<size_t> moving = pattern->Moving(leaves);
    if (moving.empty()) return Begin(pattern, leaves);
    auto other = std::make_shared<Pattern>(pattern->WithTensors(moving));
    patterns_.insert(patterns_.begin(), other);
    Chosen chosen = Begin(other, leaves);
    chosen.variant->tentative = true;
    for (size_t k : moving) {
      chosen.tried.push_back({k, PyLong_Check(leaves[k].ptr()) != 0});
    }
    chosen.instead_of = pattern;
    return chosen;
  }
  leaves.clear();
  auto pattern =
      std::make_shared<Pattern>(Pattern::Of(parameters_, values, leaves));
  patterns_.insert(patterns_.begin(), pattern);
  return Begin(pattern, leaves);
}

FunctionState::Chosen FunctionState::Use(std::shared_ptr<Pattern> pattern,
                                         std::shared_ptr<Variant> variant,
                                         std::vector<nb::object>&& leaves) {
  Chosen chosen{std::move(pattern), std::move(variant),
                std::exchange(spare_tensors_, {}), std::move(leaves)};
  const std::vector<LeafKind>& kinds = chosen.pattern->kinds;
  chosen.pattern->Tensors(chosen.given, chosen.tensors);
  if (chosen.tensors.size() != kinds.size()) {
    size_t next = 0;
    for (size_t k = 0; k < kinds.size(); ++k) {
      if (kinds[k] == LeafKind::kFixed) continue;
      if (next != k) chosen.given[next] = std::move(chosen.given[k]);
      ++next;
    }
    chosen.given.resize(next);
  }
  chosen.variant->AddHidden(chosen.tensors, chosen.given);
  return chosen;
}

void FunctionState::Keep(Chosen& chosen) {
  if (last_pattern_ != chosen.pattern) last_pattern_ = chosen.pattern;
  if (last_variant_ != chosen.variant) last_variant_ = chosen.variant;
  chosen.variant->tentative = false;
  if (chosen.tried.empty()) return;
  std::erase(patterns_, chosen.instead_of);
  std::vector<std::shared_ptr<Variant>> gone;
  gone.swap(chosen.instead_of->variants);
  Drop(gone);
}

// Destroying the objects may run user code, which may call again.
void FunctionState::HandOn(Chosen& chosen) {
  chosen.given.clear();
  chosen.tensors.clear();
  if (!spare_objects_.capacity()) spare_objects_.swap(chosen.given);
  if (!spare_tensors_.capacity()) spare_tensors_.swap(chosen.tensors);
}

void FunctionState::Forget(const Chosen& chosen) {
  std::erase(chosen.pattern->variants, chosen.variant);
  if (chosen.pattern->variants.empty()) std::erase(patterns_, chosen.pattern);
}

// Integers first: they are used for counting and indexing more often than for
// arithmetic.
bool FunctionState::TakeForNumbers(const Chosen& chosen) {
  if (chosen.variant->recorded) return false;
  bool were_inputs = false;
  for (const Hidden& hidden : chosen.variant->hidden) {
    if (hidden.kind == Hidden::Kind::kTensor) continue;
    were_inputs = numbers_stay_.insert(hidden.text).second || were_inputs;
  }
  if (were_inputs) return true;
  if (chosen.tried.empty()) return false;
  for (const auto& [leaf, whole] : chosen.tried) {
    if (whole || !chosen.any_whole()) chosen.instead_of->stays[leaf] = true;
  }
  return true;
}

// As many variants as there may be traces.
void FunctionState::Evict() {
  size_t count = 0;
  for (const auto& pattern : patterns_) count += pattern->variants.size();
  std::vector<std::shared_ptr<Variant>> gone;
  for (; count > std::max<size_t>(1, options_.max_traces); --count) {
    Pattern& last = *patterns_.back();
    gone.push_back(std::move(last.variants.back()));
    last.variants.pop_back();
    if (last.variants.empty()) patterns_.pop_back();
  }
  Drop(gone);
}

// A recording thread holds the function's lock and wants the GIL: release the
// GIL while waiting for the lock.
void FunctionState::Drop(const std::vector<std::shared_ptr<Variant>>& gone) {
  for (const auto& variant : gone) {
    ReleaseGil released;
    core_.Drop(variant->ref);
  }
}

// For calls on the function by its own code during its recording.
void FunctionState::RefuseInside(std::string_view what) const {
  if (!RecordingHere()) return;
  ThrowValueError(StrCat(options_.name, ".", what,
                         "() is called by the function's own code while it is "
                         "recorded; wanted it outside"));
}

template <class F>
auto FunctionState::With(const Values& values, F run) {
  for (;;) {
    Chosen chosen = Choose(values);
    try {
      auto result = run(chosen);
      Keep(chosen);
      HandOn(chosen);
      return result;
    } catch (nb::python_error& error) {
      if (!chosen.variant->recorded) Forget(chosen);
      if (IsSelfCall(error)) continue;
      if (!error.matches(PyExc_Exception) || chosen.ran) throw;
      if (!TakeForNumbers(chosen)) throw;
    } catch (const Error&) {
      if (!chosen.variant->recorded) Forget(chosen);
      if (chosen.ran || !TakeForNumbers(chosen)) throw;
    } catch (...) {
      if (!chosen.variant->recorded) Forget(chosen);
      throw;
    }
  }
}

nb::object FunctionState::Call(PyObject* const* args, size_t count,
                               PyObject* keywords) {
  if (front_internal::Building::Current().graph) {
    return Inline(args, count, keywords);
  }
  LookAgain();
  Values values = parameters_.Bind(args, count, keywords);
  // An eager call during its own recording.
  if (RecordingHere()) return parameters_.Call(Code(), First(), values);
  return With(values, [&](const Chosen& chosen) {
    std::optional<front_internal::BodyResult> ran;
    try {
      // Releasing and taking the GIL costs as much as a small op.
      {
        SaidLine line;
        ran = core_.CallIfShort(chosen.variant->ref, chosen.tensors,
                                std::source_location::current());
      }
      if (ran) return Rebuilt(chosen, *ran, values);
      CallOfThread call(values);
      ReleaseGil released;
      ran = core_.Call(chosen.variant->ref, chosen.tensors,
                       std::source_location::current());
    } catch (const front_internal::RunFailed& failed) {
      if (!failed.untouched) throw;
    }
    chosen.ran = true;
    // The code itself reports the error, after its earlier effects.
    if (!ran) return parameters_.Call(options_.code, First(), values);
    return Rebuilt(chosen, *ran, values);
  });
}

nb::object FunctionState::Rebuilt(const Chosen& chosen,
                                  front_internal::BodyResult& result,
                                  const Values& values) {
  chosen.ran = true;
  uint64_t before = Epoch(), news = News();
  nb::object made = Returned::Rebuild(result, chosen.given, values);
  // Values that a scheduler sets after the graph differ in every call.
  if (uint64_t after = Epoch(); after != before && news == News()) {
    chosen.variant->guards.Wrote(result.note.get(), before, after);
  }
  return made;
}

template <class Said>
Said FunctionState::Ask(std::string_view method,
                        Said (front_internal::FunctionCore::*ask)(
                            const front_internal::FunctionCore::VariantRef&,
                            const std::vector<Tensor>&),
                        PyObject* const* args, size_t count,
                        PyObject* keywords) {
  RefuseInside(method);
  LookAgain();
  Values values = parameters_.Bind(args, count, keywords);
  return With(values, [&](const Chosen& chosen) {
    ReleaseGil released;
    return (core_.*ask)(chosen.variant->ref, chosen.tensors);
  });
}

std::string FunctionState::Explain(PyObject* const* args, size_t count,
                                   PyObject* keywords) {
  return Ask("explain", &front_internal::FunctionCore::Explain, args, count,
             keywords);
}

MemoryForecast FunctionState::PlanMemory(PyObject* const* args, size_t count,
                                         PyObject* keywords) {
  return Ask("plan_memory", &front_internal::FunctionCore::PlanMemory, args,
             count, keywords);
}

std::string FunctionState::GraphText(PyObject* const* args, size_t count,
                                     PyObject* keywords) {
  return Ask("graph", &front_internal::FunctionCore::GraphText, args, count,
             keywords);
}

std::vector<TraceInfo> FunctionState::traces() const {
  RefuseInside("traces");
  ReleaseGil released;
  return core_.traces();
}

int FunctionState::Visit(visitproc visit, void* arg) const {
  Py_VISIT(options_.code.ptr());
  Py_VISIT(options_.convert.ptr());
  Py_VISIT(options_.signature.ptr());
  Py_VISIT(converted_.ptr());
  if (int result = own_code_.Visit(visit, arg)) return result;
  for (const auto& pattern : patterns_) {
    for (const auto& variant : pattern->variants) {
      if (int result = variant->guards.Visit(visit, arg)) return result;
    }
  }
  return parameters_.Visit(visit, arg);
}

// Nobody can call it any more: no lock is needed.
void FunctionState::Close() {
  std::vector<std::shared_ptr<Pattern>> gone;
  gone.swap(patterns_);
  last_pattern_.reset();
  last_variant_.reset();
  for (const auto& pattern : gone) {
    std::vector<std::shared_ptr<Variant>> variants;
    variants.swap(pattern->variants);
    for (const auto& variant : variants) core_.Drop(variant->ref);
  }
}

void FunctionState::Clear() {
  Close();
  options_.code.reset();
  options_.convert.reset();
  options_.signature.reset();
  converted_.reset();
  own_code_ = OwnCode();
  parameters_.Clear();
}

}  // namespace sluice::py
