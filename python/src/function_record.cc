// Runs the code of a captured function: as a recording of its own, as part of
// an outer recording, or as a recursive function.
#include <nanobind/stl/shared_ptr.h>

#include <utility>

#include "errors.h"
#include "function_state.h"
#include "operand.h"
#include "raised.h"
#include "recorder.h"
#include "same_value.h"
#include "self_call.h"
#include "size.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_owned.h"
#include "sluice/eager/scope.h"
#include "sluice/front/recursion.h"
#include "sluice/graph/graph.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/decisions.h"
#include "sluice/trace/made_once.h"
#include "sluice/trace/region_draft.h"
#include "tensor_values.h"
#include "watched_rules.h"
#include "weak_numbers.h"

namespace sluice::py {

using front_internal::BodyResult;
using front_internal::CodeResult;
using front_internal::RecursionCore;
using front_internal::RulesWatch;

// The code that currently runs on this thread, with its arguments.
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
    struct All {
      std::vector<Activation*> open;
    };
    return ThreadOwned<All>::Get().open;
  }

  // Whether a call is the same except for the elements of tensors: recording it
  // here would not terminate.
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
  bool recorded = false;          // separately, under the function's lock
  const Values* call = nullptr;   // then: the caller's arguments
  RecursionCore* core = nullptr;  // set: it is recursive
  std::optional<TreeDef> like;    // its results, once known
  // Python objects of the tensors given to the code; and of those in hidden
  // places.
  std::vector<nb::object> objects, hidden;
};

namespace {

thread_local const Values* call_of_thread = nullptr;

}  // namespace

CallOfThread::CallOfThread(const Values& values) : before_(call_of_thread) {
  call_of_thread = &values;
}

CallOfThread::~CallOfThread() { call_of_thread = before_; }

const Values* CallOfThread::Take() {
  return std::exchange(call_of_thread, nullptr);
}

void CallOfThread::PutBack(const Values* taken) { call_of_thread = taken; }

// Makes arguments of tensors that were rebound, and of numbers that keep
// changing.
void FunctionState::Hide(Variant& variant, const Variant& broken) {
  variant.hidden = broken.hidden;
  for (auto& [place, text] : broken.guards.OtherTensors()) {
    nb::object derived = DerivedClass(place.Read());
    variant.hidden.push_back({std::move(place), std::move(text),
                              Hidden::Kind::kTensor, std::move(derived)});
  }
  for (auto& [place, text] : broken.guards.OtherNumbers()) {
    if (numbers_stay_.contains(text) || ++number_changes_[text] < 2) continue;
    nb::object now = place.Read();
    auto kind = PyFloat_CheckExact(now.ptr()) ? Hidden::Kind::kFloat
                                              : Hidden::Kind::kCount;
    variant.hidden.push_back({std::move(place), std::move(text), kind});
    variant.tentative = true;
  }
  std::erase_if(variant.hidden,
                [](const Hidden& hidden) { return !hidden.Serves(); });
}

// A variant's code, with its arguments other than tensors.
struct Recording {
  std::shared_ptr<FunctionState> state;
  Pattern form;  // without recordings; numbers are tensors
  std::vector<nb::object> fixed;
  std::weak_ptr<Variant> variant;
  std::vector<size_t> numbers;  // which of the tensors are numbers
  // The Python object of the graph being recorded: every holder of one of its
  // tensors keeps it alive, so that no tensor outlives its graph.
  nb::object graph{};
  // Why it failed, if decisions by value may help: the code has branches or
  // loops that became part of the graph.
  std::string undecided{};
  // The call it was recorded for, if the recording may yet be discarded: the
  // next recording, with decisions by value, is for the same call.
  const Values* recorded_call = nullptr;

  std::vector<Hidden> hidden{};

  BodyResult Run(const std::vector<Tensor>& args) {
    nb::object keep = std::move(graph);
    std::vector<Value> weak;
    for (size_t i : numbers) {
      if (args[i].symbolic()) weak.push_back(args[i].value());
      front_internal::SetNumber(args[i]);
    }
    WeakNumbers as_numbers(std::move(weak));
    FunctionState::Activation own(*state, form, fixed, args);
    own.recorded = true;
    const Values* call = own.call = CallOfThread::Take();
    undecided.clear();
    recorded_call = nullptr;
    nb::object recorder = NewRecorder();
    RecorderScope scope(recorder);
    try {
      size_t place = args.size() - hidden.size();
      for (const Hidden& one : hidden) {
        own.hidden.push_back(TensorOfClass(args[place++], one.derived));
        const char* feed = one.kind == Hidden::Kind::kTensor  ? "feed"
                           : one.kind == Hidden::Kind::kCount ? "feed_count"
                                                              : "feed_float";
        recorder.attr(feed)(one.place.Parts(), own.hidden.back(), one.text);
      }
      Begin(recorder);
      // The caller's containers are restored: their current contents count.
      nb::object result = nb::module_::import_("sluice._convert.values")
                              .attr("copied")(state->Execute(own, args));
      nb::object finished = recorder.attr("finish")(result);
      nb::object guards = finished[0], writes = finished[1];
      if (auto mine = variant.lock()) {
        mine->guards.Add(guards);
        nb::object same = recorder.attr("same_containers")();
        if (!same.is_none()) mine->same_containers = same;
        if (Capture* capture = Capture::Current()) {
          std::vector<EagerRef> captured;
          for (const Capture::Entry& entry : capture->entries()) {
            if (!entry.grad_of) captured.push_back(entry.value);
          }
          mine->guards.AddCaptured(captured);
        }
        mine->recorded = true;
      }
      // Some of its values may turn out to be unknown.
      if (MayDecide(recorder)) {
        undecided = "what it leaves depends on values";
        recorded_call = call;
      }
      own.objects.insert(own.objects.end(), own.hidden.begin(),
                         own.hidden.end());
      BodyResult made =
          Returned::Of(result, writes, own.objects, recorder.attr("tensors"));
      if (nb::cast<bool>(recorder.attr("chose"))) {
        made = Returned::AfterBranches(made, recorder.attr("tensors"));
      }
      return made;
    } catch (nb::python_error& error) {
      nb::error_scope kept;  // the current exception propagates
      bool chose = MayDecide(recorder);
      bool raised = error.matches(PyExc_Exception) && !IsSelfCall(error);
      if (raised && call && (!chose || Decisions::OfBranches())) {
        if (auto made = Raised(recorder, error, own)) return *std::move(made);
      }
      recorder.attr("abandon")();
      if (chose && raised) undecided = WhyByValues(error);
      CallOfThread::PutBack(call);
      throw;
    } catch (const Error& error) {
      nb::error_scope kept;
      recorder.attr("abandon")();
      if (MayDecide(recorder)) undecided = error.what();
      CallOfThread::PutBack(call);
      throw;
    } catch (...) {
      nb::error_scope kept;
      recorder.attr("abandon")();
      throw;
    }
  }

  // The effects of the code when it raises. Nothing if the recording failed,
  // and not the code.
  std::optional<BodyResult> Raised(const nb::object& recorder,
                                   const nb::python_error& error,
                                   FunctionState::Activation& own) const {
    auto mine = variant.lock();
    // Code that was recorded before with numbers as inputs does not raise
    // because of them.
    const bool in_vain = mine && mine->tentative && !mine->recorded;
    if (!mine || in_vain || IsRefusal(error)) return std::nullopt;
    try {
      nb::object finished = recorder.attr("finish")(nb::none());
      own.objects.insert(own.objects.end(), own.hidden.begin(),
                         own.hidden.end());
      nb::object as_written = nb::module_::import_("sluice._convert.errors")
                                  .attr("as_written")(Normalized(error));
      return Returned::Raised(as_written, finished[1], own.objects,
                              recorder.attr("tensors"));
    } catch (nb::python_error&) {
      return std::nullopt;
    }
  }

  // Whether branches or loops of its code have become part of the graph, and
  // could be decided by value instead.
  bool MayDecide(const nb::object& recorder) const {
    return !state->options().one_graph &&
           nb::cast<bool>(recorder.attr("chose"));
  }

  nb::object NewRecorder() const {
    nb::object made =
        nb::module_::import_("sluice._convert.recorder")
            .attr("Recorder")(state->options().name,
                              !state->options().convert.is_none());
    return made;
  }

  void Begin(const nb::object& recorder) const {
    state->Code();  // first reports code that it cannot convert
    nb::object first = state->First();
    recorder.attr("begin")(state->options().code,
                           first.is_valid() ? first : nb::none(),
                           form.FixedNames(), fixed);
  }
};

BodyResult Returned::Of(const nb::object& result, nb::handle finished,
                        const std::vector<nb::object>& arguments,
                        const nb::dict& outside) {
  Returned made;
  std::vector<nb::object> leaves, seen;
  std::vector<Tensor> tensors;
  // One object is one tensor for the caller too, wherever it occurs.
  auto place = [&](const nb::object& leaf) {
    From from;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].is(leaf)) from.argument = static_cast<int>(i);
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      if (seen[i].is(leaf)) from.result = static_cast<int>(i);
    }
    if (from.result < 0) {
      from.result = static_cast<int>(tensors.size());
      tensors.push_back(AsTensor(leaf));
      seen.push_back(leaf);
    }
    return from;
  };
  made.tree = TreeDef::Flatten(result, leaves);
  for (nb::object& leaf : leaves) {
    // A captured tensor is returned unchanged; a number made from sizes is a
    // result of the graph.
    bool size = IsSymbol(leaf);
    bool tensor =
        size ||
        (IsTensor(leaf) &&
         !outside.contains(nb::cast(reinterpret_cast<uintptr_t>(leaf.ptr()))));
    nb::object held = size ? nb::cast(SymbolTensor(leaf)) : leaf;
    made.from.push_back(tensor ? place(held) : From());
    made.sizes.push_back(size);
    made.others.push_back(tensor ? nb::object() : std::move(leaf));
  }
  if (!finished.is_none()) {
    made.writes = finished[1];
    for (nb::handle leaf : nb::iter(finished[0])) {
      made.written.push_back(place(nb::borrow(leaf)));
    }
  }
  made.alone = IsTensor(result) && made.from[0].result >= 0 &&
               made.from[0].argument < 0 && !made.writes.is_valid();
  return {std::move(tensors), UnderGil(std::move(made))};
}

BodyResult Returned::Raised(const nb::object& error, nb::handle finished,
                            const std::vector<nb::object>& arguments,
                            const nb::dict& outside) {
  BodyResult made = Of(nb::none(), finished, arguments, outside);
  auto note = std::static_pointer_cast<const Returned>(made.note);
  Returned raising = *note;
  raising.error = error;
  made.note = UnderGil(std::move(raising));
  made.once = true;
  return made;
}

BodyResult Returned::AfterBranches(const BodyResult& made,
                                   const nb::dict& outside) {
  Returned returned = *static_cast<const Returned*>(made.note.get());
  for (auto [address, tensor] : outside) {
    returned.around.push_back(nb::borrow(tensor));
  }
  BodyResult after = made;
  after.note = UnderGil(std::move(returned));
  return after;
}

nb::object Returned::Rebuild(BodyResult& result,
                             const std::vector<nb::object>& given,
                             const Values& values) {
  const auto& returned = *static_cast<const Returned*>(result.note.get());
  // After a branch, only a run can tell that a result is an argument or a
  // captured tensor.
  auto wrapped = [&](Tensor& tensor) -> nb::object {
    if (!tensor.symbolic() && !tensor.identity()->unique()) {
      for (const auto* owners : {&given, &returned.around}) {
        for (const nb::object& own : *owners) {
          const EagerRef* eager = IsTensor(own) ? EagerOf(own.ptr()) : nullptr;
          if (eager && *eager == tensor.identity()) return own;
        }
      }
    }
    return Wrap(std::move(tensor));
  };
  if (returned.alone) return wrapped(result.tensors[0]);
  std::vector<nb::object> made(result.tensors.size());
  auto object = [&](const From& from) {
    if (from.argument >= 0) {
      const nb::object& own = given[static_cast<size_t>(from.argument)];
      if (IsTensor(own)) return own;
    }
    auto k = static_cast<size_t>(from.result);
    if (!made[k].is_valid()) made[k] = wrapped(result.tensors[k]);
    return made[k];
  };
  if (returned.writes.is_valid()) {
    nb::list tensors;
    for (const From& from : returned.written) tensors.append(object(from));
    nb::list arguments;
    for (const nb::object& value : values) arguments.append(value);
    returned.writes(tensors, arguments);
  }
  if (returned.error.is_valid()) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(returned.error.ptr())),
                    returned.error.ptr());
    throw nb::python_error();
  }
  std::vector<nb::object> leaves;
  leaves.reserve(returned.others.size());
  for (size_t i = 0; i < returned.others.size(); ++i) {
    const nb::object& other = returned.others[i];
    nb::object leaf = other.is_valid() ? other : object(returned.from[i]);
    if (returned.sizes[i]) leaf = OnlyElement(AsTensor(leaf), "a size");
    leaves.push_back(std::move(leaf));
  }
  return returned.tree.Unflatten(leaves);
}

FunctionState::Chosen FunctionState::Begin(
    std::shared_ptr<Pattern> pattern, const std::vector<nb::object>& leaves,
    const std::shared_ptr<Variant>& broken) {
  auto variant = std::make_shared<Variant>();
  variant->fixed = pattern->Fixed(leaves);
  std::string why = last_variant_ ? Difference(parameters_, *last_pattern_,
                                               *last_variant_, *pattern, leaves)
                                  : "the first call";
  if (broken) {
    std::string what = broken->guards.Broken();
    if (!what.empty()) why = what;
    Hide(*variant, *broken);
  }
  Recording made{shared_from_this(), *pattern, variant->fixed, variant, {}};
  made.hidden = variant->hidden;
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
  about.decidable = [recording] { return !recording->undecided.empty(); };
  about.undecided = [recording] {
    TakeGil gil;
    if (recording->recorded_call) {
      CallOfThread::PutBack(std::exchange(recording->recorded_call, nullptr));
    }
    return recording->undecided;
  };
  about.watch_rules = [recording]() -> std::unique_ptr<RulesWatch> {
    TakeGil gil;
    return WatchRules(recording->NewRecorder());
  };
  about.names = pattern->TensorNames();
  for (const Hidden& hidden : variant->hidden) {
    about.names.push_back(hidden.text +
                          (hidden.kind == Hidden::Kind::kCount ? "#" : ""));
    if (hidden.kind != Hidden::Kind::kTensor && variant->tentative) {
      why += StrCat("; ", hidden.text, " is an input from now on");
    }
  }
  about.fixed = pattern->FixedText(variant->fixed);
  about.why = why;
  variant->ref = core_.Add(std::move(about));
  pattern->variants.insert(pattern->variants.begin(), variant);
  Chosen chosen = Use(pattern, variant, std::vector<nb::object>(leaves));
  Evict();
  WarnOfNumbers(*pattern);
  if (broken) WarnOfGuards(*pattern, *variant, why);
  return chosen;
}

void FunctionState::WarnOfGuards(const Pattern& pattern, const Variant& variant,
                                 const std::string& why) {
  constexpr size_t kMany = 8;
  size_t count = 0;
  for (const auto& other : pattern.variants) {
    bool same = other->fixed.size() == variant.fixed.size();
    for (size_t i = 0; same && i < variant.fixed.size(); ++i) {
      same = SameValue(other->fixed[i], variant.fixed[i]);
    }
    count += same ? 1 : 0;
  }
  if (warned_ || count < kMany) return;
  warned_ = true;
  std::string text = StrCat(
      options_.name, ": recorded anew for the ", count, "th time, because ",
      why, "; wanted what its code reads to stay, or to be a tensor");
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) {
    throw nb::python_error();
  }
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
    own.objects.clear();
    Values values = own.form.Together(own.fixed, tensors, &own.objects);
    if (nb::object recorder = CurrentRecorder(); recorder.is_valid()) {
      nb::list given, callers;
      for (const nb::object& value : values) given.append(value);
      const Values* call = own.recorded ? own.call : CallOfThread::Take();
      if (call) {
        for (const nb::object& value : *call) callers.append(value);
      }
      nb::object used = recorder.attr("arguments")(given, callers);
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = nb::object(used[static_cast<nb::ssize_t>(i)]);
      }
    }
    return parameters_.Call(Code(), First(), values);
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
  LookAgain();
  Values values = parameters_.Bind(args, count, keywords);
  if (nb::object recorder = CurrentRecorder(); recorder.is_valid()) {
    Code();
    recorder.attr("inlined")(options_.code);
  }
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
      // A call that is not recorded separately gets its arguments unchanged.
      if (!recursive_) return parameters_.Call(Code(), First(), values);
      return Execute(own, tensors);
    } catch (const nb::python_error& error) {
      if (!outermost || !IsSelfCall(error)) throw;
    }
  }
}

}  // namespace sluice::py
