// What a captured Python function knows: its code, what it was called with, and
// what was recorded for that.
//
// Shared by the Python object, and by recordings that may be run again when
// gradients of gradients are asked for. Under the GIL, apart from the run
// itself.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "function_pattern.h"
#include "own_code.h"

namespace sluice::py {

struct FunctionOptionsInPython {
  nb::object code;
  nb::object signature;  // code -> what it is called with
  nb::object convert;    // code -> code, at the first recording; or None
  std::string name;
  size_t max_traces = 32;
  bool one_graph = false;  // values decide nothing (trace/decisions.h)
};

// What the code returned: a tree of tensors and of other objects, which are
// returned as they were when it was recorded.
//
// With it goes what the code left in places of the program around it, which
// every call writes there.
struct Returned {
  // A tensor: which result it is, and which argument, if it is one of those.
  struct From {
    int result = -1, argument = -1;
  };
  TreeDef tree;
  std::vector<nb::object> others;  // holds nothing where a tensor is
  std::vector<From> from;          // of each leaf
  std::vector<bool> sizes;         // of tensors: a number that sizes make
  bool alone = false;              // one tensor that is no argument
  nb::object writes;               // of Python; holds nothing without any
  std::vector<From> written;       // of the tensors it writes
  nb::object error;                // raised after that, if there is one
  // Tensors of the program around which a branch may hand out.
  std::vector<nb::object> around;

  // `finished` is what the recorder says of writes: (tensors, writes) or None.
  // `arguments` are the objects the code was given, `outside` has the tensors
  // it found in the program around it, by address.
  static front_internal::BodyResult Of(const nb::object& result,
                                       nb::handle finished,
                                       const std::vector<nb::object>& arguments,
                                       const nb::dict& outside);
  // The code has raised: what it had done until then is done, too.
  static front_internal::BodyResult Raised(
      const nb::object& error, nb::handle finished,
      const std::vector<nb::object>& arguments, const nb::dict& outside);
  // Branches are part of the graph: what it hands out may be one of `outside`.
  static front_internal::BodyResult AfterBranches(
      const front_internal::BodyResult& made, const nb::dict& outside);
  // `given` are the objects of the caller's, `values` all arguments.
  static nb::object Rebuild(front_internal::BodyResult& result,
                            const std::vector<nb::object>& given,
                            const Values& values);
};

// The arguments of the call this thread makes, while it lives: what is recorded
// meanwhile is recorded with the caller's own containers.
class CallOfThread {
 public:
  explicit CallOfThread(const Values& values);
  ~CallOfThread();
  CallOfThread(const CallOfThread&) = delete;
  CallOfThread& operator=(const CallOfThread&) = delete;
  // Null when there is none; each is taken once, by the call it belongs to.
  static const Values* Take();
  // For a recording that is made once more.
  static void PutBack(const Values* taken);

 private:
  const Values* before_;
};

class FunctionState : public std::enable_shared_from_this<FunctionState> {
 public:
  // A function; and one whose first argument is always the object that
  // `instance`, a weak reference, refers to.
  FunctionState(const FunctionOptionsInPython& options, nb::object instance);

  // A call. `args` are those after the instance.
  nb::object Call(PyObject* const* args, size_t count, PyObject* keywords);
  // The plan, and the graph, behind a call with these.
  std::string Explain(PyObject* const* args, size_t count, PyObject* keywords);
  MemoryForecast PlanMemory(PyObject* const* args, size_t count,
                            PyObject* keywords);
  std::string GraphText(PyObject* const* args, size_t count,
                        PyObject* keywords);
  std::vector<TraceInfo> traces() const;

  const FunctionOptionsInPython& options() const { return options_; }
  bool bound() const { return instance_.is_valid(); }
  // Whether it is a method of that object.  REQUIRES: bound().
  bool belongs_to(nb::handle object) const { return instance_().is(object); }

  // Forgets what was recorded: the Python object goes.
  void Close();
  // For Python's collector of garbage.
  int Visit(visitproc visit, void* arg) const;
  void Clear();

 private:
  friend struct Recording;
  struct Activation;
  struct Chosen {
    std::shared_ptr<Pattern> pattern;
    std::shared_ptr<Variant> variant;
    std::vector<Tensor> tensors;
    std::vector<nb::object> given;  // the objects they are
    // Numbers that are tensors for the first time, and the form in which they
    // were numbers.
    struct Number {
      size_t leaf;
      bool whole;
    };
    std::vector<Number> tried{};
    std::shared_ptr<Pattern> instead_of{};
    // What it does has been done: an error is the code's, and final.
    mutable bool ran = false;
    bool any_whole() const {
      for (const Number& n : tried) {
        if (n.whole) return true;
      }
      return false;
    }
  };

  nb::object Code();  // converted
  nb::object First() const;
  // Before a call: what the code and its defaults are now.
  void LookAgain();

  // ---- Which recording serves ----
  Chosen Choose(const Values& values);
  // `broken` is recorded for the same arguments and does not serve.
  Chosen Begin(std::shared_ptr<Pattern> pattern,
               const std::vector<nb::object>& leaves,
               const std::shared_ptr<Variant>& broken = nullptr);
  Chosen Use(std::shared_ptr<Pattern> pattern, std::shared_ptr<Variant> variant,
             std::vector<nb::object>&& leaves);
  // run(chosen) for these arguments. Numbers that cannot be tensors are taken
  // for numbers again; functions that turn out to call themselves are recorded
  // again.
  template <class F>
  auto With(const Values& values, F run);
  // What the core says of such a call; `method` is asked for it.
  template <class Said>
  Said Ask(std::string_view method,
           Said (front_internal::FunctionCore::*ask)(
               const front_internal::FunctionCore::VariantRef&,
               const std::vector<Tensor>&),
           PyObject* const* args, size_t count, PyObject* keywords);
  // What a call gives back, after what it does to the program around.
  static nb::object Rebuilt(const Chosen& chosen,
                            front_internal::BodyResult& result,
                            const Values& values);
  void Keep(Chosen& chosen);
  // Empties the lists of a call that is over, for the next one.
  void HandOn(Chosen& chosen);
  void Forget(const Chosen& chosen);
  bool TakeForNumbers(const Chosen& chosen);
  void Hide(Variant& variant, const Variant& broken);
  void Evict();
  void Drop(const std::vector<std::shared_ptr<Variant>>& gone);
  // A number that is recorded for each of its values is worth a word; and so is
  // something else that is another in every call.
  void WarnOfNumbers(const Pattern& pattern);
  void WarnOfGuards(const Pattern& pattern, const Variant& variant,
                    const std::string& why);
  // Whether this thread is recording it: its lock is held.
  bool RecordingHere() const;
  void RefuseInside(std::string_view what) const;

  // ---- Running the code ----
  // As part of what is recorded around it.
  nb::object Inline(PyObject* const* args, size_t count, PyObject* keywords);
  nb::object CallOpen(Activation& open, const std::vector<Tensor>& tensors);
  nb::object Execute(Activation& own, const std::vector<Tensor>& tensors);

  FunctionOptionsInPython options_;
  OwnCode own_code_;  // as parameters_ and converted_ were made of it
  Parameters parameters_;
  nb::object instance_;
  nb::object converted_;  // the code; holds nothing before it is
  bool recursive_ = false;
  bool warned_ = false;
  front_internal::FunctionCore core_;
  std::vector<std::shared_ptr<Pattern>> patterns_;  // used last: first
  // How often numbers of the program around were others, by name; and those
  // that cannot be inputs.
  std::unordered_map<std::string, int> number_changes_;
  std::unordered_set<std::string> numbers_stay_;
  // Empty, but for their room: to ask for memory costs a tenth of a short call.
  // Whoever calls takes them, and a call in the midst of it finds none.
  std::vector<nb::object> spare_objects_;
  std::vector<Tensor> spare_tensors_;
  // Of the last call, to say how the next one differs.
  std::shared_ptr<Pattern> last_pattern_;
  std::shared_ptr<Variant> last_variant_;
};

}  // namespace sluice::py
