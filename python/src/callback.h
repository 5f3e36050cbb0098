// A Python callable kept by C++: hooks, traced functions, loop bodies. Copies
// share it; the last one releases it under the GIL, on any thread.
#pragma once

#include <memory>

#include "caller_line.h"
#include "common.h"

namespace sluice::py {

class Callback {
 public:
  explicit Callback(nb::handle callable)
      : object_(callable.inc_ref().ptr(), [](PyObject* o) {
          // Too late after the interpreter has been finalized.
          if (!Py_IsInitialized()) return;
          TakeGil gil;
          Py_DECREF(o);
        }) {}

  // REQUIRES: the GIL. Callers from C++ open a TakeGil first.
  nb::handle object() const { return object_.get(); }
  // Whether no copy shares it.
  bool sole() const { return object_.use_count() == 1; }
  template <class... Args>
  nb::object operator()(Args&&... args) const {
    return object()(std::forward<Args>(args)...);
  }

 private:
  std::shared_ptr<PyObject> object_;
};

}  // namespace sluice::py
