// The state of a captured Python function: its code, its argument patterns, and
// its recordings.
//
// Shared by the Python object and by recordings that may be run again for
// gradients of gradients. Under the GIL, except for the run itself.
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

// The result of the code: a tree of tensors and other objects, which are
// returned as they were recorded.
//
// Also holds the code's writes to places outside, which every call repeats.
struct Returned {
  // A tensor: its index among the results, and among the arguments if it is
  // one.
  struct From {
    int result = -1, argument = -1;
  };
  TreeDef tree;
  std::vector<nb::object> others;  // empty where there is a tensor
  std::vector<From> from;          // of each leaf
  std::vector<bool> sizes;         // of tensors: a number that sizes make
  bool alone = false;              // one tensor that is no argument
  nb::object writes;               // Python's writes; empty without any
  std::vector<From> written;       // of the tensors it writes
  nb::object error;                // raised after the writes, if set
  // Tensors outside that a branch may return.
  std::vector<nb::object> around;

  // `finished` is the recorder's result for writes: (tensors, writes) or None.
  // `arguments` are the objects the code was given; `outside` has the tensors
  // it captured, by address.
  static front_internal::BodyResult Of(const nb::object& result,
                                       nb::handle finished,
                                       const std::vector<nb::object>& arguments,
                                       const nb::dict& outside);
  // The code has raised: its earlier effects are kept.
  static front_internal::BodyResult Raised(
      const nb::object& error, nb::handle finished,
      const std::vector<nb::object>& arguments, const nb::dict& outside);
  // Branches are part of the graph: results may be among `outside`.
  static front_internal::BodyResult AfterBranches(
      const front_internal::BodyResult& made, const nb::dict& outside);
  // `given` are the caller's objects, `values` all arguments.
  static nb::object Rebuild(front_internal::BodyResult& result,
                            const std::vector<nb::object>& given,
                            const Values& values);
};

// The arguments of this thread's current call: a recording made during the call
// refers to the caller's own containers.
class CallOfThread {
 public:
  explicit CallOfThread(const Values& values);
  ~CallOfThread();
  CallOfThread(const CallOfThread&) = delete;
  CallOfThread& operator=(const CallOfThread&) = delete;
  // Null if there are none; each is taken once, by the call it belongs to.
  static const Values* Take();
  // For a recording that is repeated.
  static void PutBack(const Values* taken);

 private:
  const Values* before_;
};

class FunctionState : public std::enable_shared_from_this<FunctionState> {
 public:
  // A function; or one whose first argument is always the object that the weak
  // reference `instance` refers to.
  FunctionState(const FunctionOptionsInPython& options, nb::object instance);

  // A call. `args` are those after the instance.
  nb::object Call(PyObject* const* args, size_t count, PyObject* keywords);
  // The plan, or the graph, for a call with these arguments.
  std::string Explain(PyObject* const* args, size_t count, PyObject* keywords);
  MemoryForecast PlanMemory(PyObject* const* args, size_t count,
                            PyObject* keywords);
  std::string GraphText(PyObject* const* args, size_t count,
                        PyObject* keywords);
  std::vector<TraceInfo> traces() const;

  const FunctionOptionsInPython& options() const { return options_; }
  bool bound() const { return instance_.is_valid(); }
  // Whether it is a method of that object. REQUIRES: bound().
  bool belongs_to(nb::handle object) const { return instance_().is(object); }

  // Drops all recordings, before the Python object is destroyed.
  void Close();
  // For Python's garbage collector.
  int Visit(visitproc visit, void* arg) const;
  void Clear();

 private:
  friend struct Recording;
  struct Activation;
  struct Chosen {
    std::shared_ptr<Pattern> pattern;
    std::shared_ptr<Variant> variant;
    std::vector<Tensor> tensors;
    std::vector<nb::object> given;  // their objects
    // Numbers that are tensors for the first time, and the pattern in which
    // they were fixed.
    struct Number {
      size_t leaf;
      bool whole;
    };
    std::vector<Number> tried{};
    std::shared_ptr<Pattern> instead_of{};
    // Its effects have happened: an error is the code's own, and final.
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
  // Before a call: checks for changed code and defaults.
  void LookAgain();

  // ---- Selecting the recording ----
  Chosen Choose(const Values& values);
  // `broken` was recorded for the same arguments, but its guards do not hold.
  Chosen Begin(std::shared_ptr<Pattern> pattern,
               const std::vector<nb::object>& leaves,
               const std::shared_ptr<Variant>& broken = nullptr);
  Chosen Use(std::shared_ptr<Pattern> pattern, std::shared_ptr<Variant> variant,
             std::vector<nb::object>&& leaves);
  // Calls run(chosen) for these arguments. Numbers that cannot be tensors
  // become fixed again; functions found to be recursive are recorded again.
  template <class F>
  auto With(const Values& values, F run);
  // The core's report on such a call, from `method`.
  template <class Said>
  Said Ask(std::string_view method,
           Said (front_internal::FunctionCore::*ask)(
               const front_internal::FunctionCore::VariantRef&,
               const std::vector<Tensor>&),
           PyObject* const* args, size_t count, PyObject* keywords);
  // The result of a call, after its writes to the program outside.
  static nb::object Rebuilt(const Chosen& chosen,
                            front_internal::BodyResult& result,
                            const Values& values);
  void Keep(Chosen& chosen);
  // Empties the lists of a finished call, for reuse.
  void HandOn(Chosen& chosen);
  void Forget(const Chosen& chosen);
  bool TakeForNumbers(const Chosen& chosen);
  void Hide(Variant& variant, const Variant& broken);
  void Evict();
  void Drop(const std::vector<std::shared_ptr<Variant>>& gone);
  // Warns about numbers that are recorded for each value, and about other
  // values that differ in every call.
  void WarnOfNumbers(const Pattern& pattern);
  void WarnOfGuards(const Pattern& pattern, const Variant& variant,
                    const std::string& why);
  // Whether this thread is recording it: its lock is held.
  bool RecordingHere() const;
  void RefuseInside(std::string_view what) const;

  // ---- Running the code ----
  // As part of an outer recording.
  nb::object Inline(PyObject* const* args, size_t count, PyObject* keywords);
  nb::object CallOpen(Activation& open, const std::vector<Tensor>& tensors);
  nb::object Execute(Activation& own, const std::vector<Tensor>& tensors);

  FunctionOptionsInPython options_;
  OwnCode own_code_;  // as parameters_ and converted_ were made of it
  Parameters parameters_;
  nb::object instance_;
  nb::object converted_;  // empty before conversion
  bool recursive_ = false;
  bool warned_ = false;
  front_internal::FunctionCore core_;
  std::vector<std::shared_ptr<Pattern>> patterns_;  // most recently used first
  // How often outside numbers have changed, by name; and those that cannot be
  // inputs.
  std::unordered_map<std::string, int> number_changes_;
  std::unordered_set<std::string> numbers_stay_;
  // Empty lists kept for their capacity: an allocation costs a tenth of a short
  // call. A call takes them, and a nested call finds none.
  std::vector<nb::object> spare_objects_;
  std::vector<Tensor> spare_tensors_;
  // Of the previous call, to describe how the next one differs.
  std::shared_ptr<Pattern> last_pattern_;
  std::shared_ptr<Variant> last_variant_;
};

}  // namespace sluice::py
