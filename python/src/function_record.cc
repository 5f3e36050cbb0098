// Running the code of a captured function: recorded by itself, or as part of
// what is recorded around it, or as a function that calls itself.
#include <nanobind/stl/shared_ptr.h>

#include "errors.h"
#include "function_state.h"
#include "operand.h"
#include "self_call.h"
#include "sluice/base/strings.h"
#include "sluice/front/made_once.h"
#include "sluice/front/recursion.h"
#include "sluice/front/scope.h"
#include "sluice/graph/graph.h"
#include "weak_numbers.h"

namespace sluice::py {

using front_internal::BodyResult;
using front_internal::CodeResult;
using front_internal::RecursionCore;

// The code of a function that runs now, on this thread, and what with.
struct FunctionState::Activation {
  Activation(FunctionState& state, const Pattern& form,
             const std::vector<nb::object>& fixed,
             const std::vector<Tensor>& tensors)
      : state(state), form(form), fixed(fixed) {
    for (const Tensor& t : tensors) types.emplace_back(t.dtype(), t.rank());
    Open().push_back(this);
  }
  ~Activation() { Open().pop_back(); }
  Activation(const Activation&) = delete;
  Activation& operator=(const Activation&) = delete;

  static std::vector<Activation*>& Open() {
    thread_local std::vector<Activation*> open;
    return open;
  }

  // A call with the same but for the elements of tensors: it would go on for
  // ever if it were recorded here.
  bool Repeats(const FunctionState& called, const Values& values,
               std::vector<Tensor>& tensors) const {
    if (&state != &called) return false;
    std::vector<nb::object> leaves;
    if (!form.Collect(values, leaves) || !form.SameFixed(fixed, leaves)) {
      return false;
    }
    tensors = form.Tensors(leaves);
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (types[i] != std::pair(tensors[i].dtype(), tensors[i].rank())) {
        return false;
      }
    }
    return true;
  }

  FunctionState& state;
  const Pattern& form;
  const std::vector<nb::object>& fixed;
  std::vector<std::pair<DType, int>> types;
  bool recorded = false;          // by itself, under the function's lock
  RecursionCore* core = nullptr;  // it calls itself
  std::optional<TreeDef> like;    // what it returns, once that is known
};

// A variant's code, with what it is called with beside tensors.
struct Recording {
  std::shared_ptr<FunctionState> state;
  Pattern form;  // nothing recorded in it; numbers are tensors
  std::vector<nb::object> fixed;
  std::weak_ptr<Variant> variant;
  std::vector<size_t> numbers;  // which of the tensors are
  // The graph being recorded, as Python sees it: whatever holds a tensor of it
  // keeps it, so that no tensor outlives what it is part of.
  nb::object graph{};

  BodyResult Run(const std::vector<Tensor>& args) {
    nb::object keep = std::move(graph);
    std::vector<Value> weak;
    for (size_t i : numbers) {
      if (args[i].symbolic()) weak.push_back(args[i].value());
    }
    WeakNumbers as_numbers(std::move(weak));
    FunctionState::Activation own(*state, form, fixed, args);
    own.recorded = true;
    BodyResult result = Returned::Of(state->Execute(own, args));
    if (auto mine = variant.lock()) mine->recorded = true;
    return result;
  }
};

BodyResult Returned::Of(const nb::object& result) {
  Returned made;
  std::vector<nb::object> leaves;
  std::vector<Tensor> tensors;
  made.tree = TreeDef::Flatten(result, leaves);
  for (nb::object& leaf : leaves) {
    bool tensor = IsTensor(leaf);
    if (tensor) tensors.push_back(AsTensor(leaf));
    made.others.push_back(tensor ? nb::object() : std::move(leaf));
  }
  made.alone = IsTensor(result);
  return {std::move(tensors), UnderGil(std::move(made))};
}

nb::object Returned::Rebuild(BodyResult& result) {
  const auto& returned = *static_cast<const Returned*>(result.note.get());
  if (returned.alone) return Wrap(std::move(result.tensors[0]));
  std::vector<nb::object> leaves;
  leaves.reserve(returned.others.size());
  size_t next = 0;
  for (const nb::object& other : returned.others) {
    leaves.push_back(
        other.is_valid() ? other : Wrap(std::move(result.tensors[next++])));
  }
  return returned.tree.Unflatten(leaves);
}

FunctionState::Chosen FunctionState::Begin(
    std::shared_ptr<Pattern> pattern, const std::vector<nb::object>& leaves) {
  auto variant = std::make_shared<Variant>();
  variant->fixed = pattern->Fixed(leaves);
  Recording made{shared_from_this(), *pattern, variant->fixed, variant, {}};
  made.form.variants.clear();
  size_t place = 0;
  for (LeafKind& kind : made.form.kinds) {
    if (kind == LeafKind::kFixed) continue;
    if (kind == LeafKind::kNumber) made.numbers.push_back(place);
    kind = LeafKind::kTensor;
    ++place;
  }
  std::shared_ptr<Recording> recording = UnderGil(std::move(made));
  front_internal::FunctionVariant about;
  about.body = [recording](const std::vector<Tensor>& args) {
    TakeGil gil;
    return recording->Run(args);
  };
  about.opened = [recording](const std::shared_ptr<Graph>& graph) {
    TakeGil gil;
    recording->graph = nb::cast(graph);
  };
  about.names = pattern->TensorNames();
  about.fixed = pattern->FixedText(variant->fixed);
  about.why = last_variant_ ? Difference(parameters_, *last_pattern_,
                                         *last_variant_, *pattern, leaves)
                            : "the first call";
  variant->ref = core_.Add(std::move(about));
  pattern->variants.insert(pattern->variants.begin(), variant);
  Chosen chosen{pattern, variant, pattern->Tensors(leaves)};
  Evict();
  WarnOfNumbers(*pattern);
  return chosen;
}

bool FunctionState::RecordingHere() const {
  for (const Activation* open : Activation::Open()) {
    if (&open->state == this && open->recorded) return true;
  }
  return false;
}

void FunctionState::WarnOfNumbers(const Pattern& pattern) {
  constexpr size_t kMany = 8;
  if (warned_ || pattern.variants.size() < kMany) return;
  for (size_t k = 0; k < pattern.kinds.size(); ++k) {
    if (!pattern.stays[k]) continue;
    warned_ = true;
    std::string text =
        StrCat(options_.name, ": argument ", pattern.names[k],
               " is used as a number and the function is recorded anew for "
               "each of its values, ",
               pattern.variants.size(),
               " so far; wanted few values, or code that takes a tensor");
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) {
      throw nb::python_error();
    }
    return;
  }
}

nb::object FunctionState::Execute(Activation& own,
                                  const std::vector<Tensor>& tensors) {
  if (!recursive_) {
    return parameters_.Call(Code(), First(),
                            own.form.Together(own.fixed, tensors));
  }
  RecursionCore core(
      [&](const std::vector<Tensor>& in) -> CodeResult {
        nb::object result =
            parameters_.Call(Code(), First(), own.form.Together(own.fixed, in));
        Parts parts = TakeParts(result, options_.name + ": what it returns");
        own.like = parts.tree;
        return {std::move(parts.tensors), parts.Text()};
      },
      options_.name);
  own.core = &core;
  return CallOpen(own, tensors);
}

nb::object FunctionState::CallOpen(Activation& open,
                                   const std::vector<Tensor>& tensors) {
  std::vector<Tensor> results =
      open.core->Call(tensors, std::source_location::current());
  return Together(*open.like, results);
}

nb::object FunctionState::Inline(PyObject* const* args, size_t count,
                                 PyObject* keywords) {
  front_internal::MadeOnce::Run run(core_.made());
  Values values = parameters_.Bind(args, count, keywords);
  std::vector<Activation*>& open = Activation::Open();
  std::vector<Tensor> tensors;
  for (size_t i = open.size(); i-- > 0;) {
    if (!open[i]->Repeats(*this, values, tensors)) continue;
    if (open[i]->core) return CallOpen(*open[i], tensors);
    recursive_ = true;
    ThrowSelfCall();
  }
  std::vector<nb::object> leaves;
  Pattern form = Pattern::Of(parameters_, values, leaves);
  std::vector<nb::object> fixed = form.Fixed(leaves);
  bool outermost = open.empty();
  for (;;) {
    tensors = form.Tensors(leaves);
    Activation own(*this, form, fixed, tensors);
    try {
      // What is not recorded by itself gets its arguments as they are.
      if (!recursive_) return parameters_.Call(Code(), First(), values);
      return Execute(own, tensors);
    } catch (const nb::python_error& error) {
      if (!outermost || !IsSelfCall(error)) throw;
    }
  }
}

}  // namespace sluice::py
