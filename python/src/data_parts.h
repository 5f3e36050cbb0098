// The input pipeline of C++ as Python sees it.
//
// A Pipeline is a stage and what Python's functions in it have raised; a pass
// over it is a PipelineIterator, whose threads may call Python: nothing waits
// for them with the GIL held.
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

// Exceptions of Python's functions. C++ hands on their text; whoever reads the
// pipeline gets the exceptions themselves back by it.
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
  // Its own, and those of pipelines joined to it.
  std::vector<std::shared_ptr<Failures>> failures{std::make_shared<Failures>()};
  std::shared_ptr<std::atomic<uint64_t>> passes =
      std::make_shared<std::atomic<uint64_t>>(0);
  // What its stages call; they have no reference of their own.
  OwnedFunctions owned{};

  OwnedFunctions& functions() { return owned; }
  // The same functions, another stage.
  Pipeline With(data::StageRef next) const {
    Pipeline made{std::move(next), failures};
    made.owned = owned;
    return made;
  }
  // And one function more.
  Pipeline With(data::StageRef next, OwnedFunction function) const {
    Pipeline made = With(std::move(next));
    made.owned.push_back(std::move(function));
    return made;
  }
};

// Calls Python on whatever thread this is; what it raises is kept.
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

// Elements between C++ and Python: one tensor is itself, several are a tuple.
nb::object ElementToPython(const data::Element& element);
data::Element ElementFromPython(nb::handle object, std::string_view what);

void BindPipeline(nb::module_& m);     // Pipeline and its stages
void BindDataSources(nb::module_& m);  // tensors, files, generators
void BindSampling(nb::module_& m);     // orders of rows, rows put together

}  // namespace sluice::py
