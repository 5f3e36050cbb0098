// What a captured Python function knows: its code, what it was called with, and
// what was recorded for that.
//
// Shared by the Python object, and by recordings that may be run again when
// gradients of gradients are asked for. Under the GIL, apart from the run
// itself.
#pragma once

#include <memory>
#include <unordered_map>

#include "function_pattern.h"

namespace sluice::py {

struct FunctionOptionsInPython {
  nb::object code, signature;
  nb::object convert;  // code -> code, at the first recording; or None
  std::string name;
  size_t max_traces = 32;
};

// What the code returned: a tree of tensors and of other objects, which are
// returned as they were when it was recorded.
struct Returned {
  TreeDef tree;
  std::vector<nb::object> others;  // holds nothing where a tensor is
  bool alone = false;              // one tensor

  static front_internal::BodyResult Of(const nb::object& result);
  static nb::object Rebuild(front_internal::BodyResult& result);
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
  std::string GraphText(PyObject* const* args, size_t count,
                        PyObject* keywords);
  std::vector<TraceInfo> traces() const;

  const FunctionOptionsInPython& options() const { return options_; }
  bool bound() const { return instance_.is_valid(); }

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
    // Numbers that are tensors for the first time, and the form in which they
    // were numbers.
    struct Number {
      size_t leaf;
      bool whole;
    };
    std::vector<Number> tried{};
    std::shared_ptr<Pattern> instead_of{};
    bool any_whole() const {
      for (const Number& n : tried) {
        if (n.whole) return true;
      }
      return false;
    }
  };

  nb::object Code();  // converted
  nb::object First() const;

  // ---- Which recording serves ----
  Chosen Choose(const Values& values);
  Chosen Begin(std::shared_ptr<Pattern> pattern,
               const std::vector<nb::object>& leaves);
  // run(chosen) for these arguments. Numbers that cannot be tensors are taken
  // for numbers again; functions that turn out to call themselves are recorded
  // again.
  template <class F>
  auto With(const Values& values, F run);
  void Keep(Chosen& chosen);
  void Forget(const Chosen& chosen);
  bool TakeForNumbers(const Chosen& chosen);
  void Evict();
  void Drop(const std::vector<std::shared_ptr<Variant>>& gone);
  // A number that is recorded for each of its values is worth a word.
  void WarnOfNumbers(const Pattern& pattern);
  // Whether this thread is recording it: its lock is held.
  bool RecordingHere() const;
  void RefuseInside(std::string_view what) const;

  // ---- Running the code ----
  // As part of what is recorded around it.
  nb::object Inline(PyObject* const* args, size_t count, PyObject* keywords);
  nb::object CallOpen(Activation& open, const std::vector<Tensor>& tensors);
  nb::object Execute(Activation& own, const std::vector<Tensor>& tensors);

  FunctionOptionsInPython options_;
  Parameters parameters_;
  nb::object instance_;
  bool converted_ = false;
  bool recursive_ = false;
  bool warned_ = false;
  front_internal::FunctionCore core_;
  std::vector<std::shared_ptr<Pattern>> patterns_;  // used last: first
  // Of the last call, to say how the next one differs.
  std::shared_ptr<Pattern> last_pattern_;
  std::shared_ptr<Variant> last_variant_;
};

}  // namespace sluice::py
