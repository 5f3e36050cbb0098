// The C++ input pipeline in Python.
//
// A Pipeline is a stage and the exceptions of its Python functions. A pass over
// it is a PipelineIterator, whose threads may call Python: nothing waits for
// them while holding the GIL.
#pragma once

#include <atomic>
#include <memory>

#include "callback.h"
#include "common.h"
#include "errors.h"
#include "owned_function.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/data/position.h"

namespace sluice::py {

// Exceptions of Python functions. C++ passes on their text; the reader of the
// pipeline gets the original exceptions, looked up by that text.
class Failures {
 public:
  // REQUIRES: the GIL.
  void Keep(nb::python_error& error);
  // Raises the exception whose text ends `message`, if there is one.
  // REQUIRES: the GIL.
  void Raise(std::string_view message);

 private:
  struct Failure {
    std::string text;
    Callback exception;
  };
  Mutex mu_;
  std::vector<Failure> kept_ SL_GUARDED_BY(mu_);
};

struct Pipeline {
  data::StageRef stage;
  // Its own, and those of pipelines combined with it.
  std::vector<std::shared_ptr<Failures>> failures{std::make_shared<Failures>()};
  std::shared_ptr<std::atomic<uint64_t>> passes =
      std::make_shared<std::atomic<uint64_t>>(0);
  // The functions that its stages call; stages hold no references themselves.
  OwnedFunctions owned{};

  OwnedFunctions& functions() { return owned; }
  // The same functions with another stage.
  Pipeline With(data::StageRef next) const {
    Pipeline made{std::move(next), failures};
    made.owned = owned;
    return made;
  }
  // The same with one more function.
  Pipeline With(data::StageRef next, OwnedFunction function) const {
    Pipeline made = With(std::move(next));
    made.owned.push_back(std::move(function));
    return made;
  }
};

// Calls Python on the current thread and keeps its exceptions.
template <class F>
auto Guarded(Failures& failures, const F& f) -> decltype(f()) {
  TakeGil gil;
  try {
    return f();
  } catch (...) {
    SetPythonError();
    nb::python_error error;
    failures.Keep(error);
    throw error;
  }
}

// Elements between C++ and Python: a single tensor as itself, several as a
// tuple.
nb::object ElementToPython(const data::Element& element);
data::Element ElementFromPython(nb::handle object, std::string_view what);

void BindPipeline(nb::module_& m);     // Pipeline and its stages
void BindDataSources(nb::module_& m);  // tensors, files, generators
void BindSampling(nb::module_& m);     // orders of rows, rows put together

}  // namespace sluice::py
