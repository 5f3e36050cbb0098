// A Python callable that C++ keeps: hooks, traced functions, loop bodies.
// Copies share it; the last one lets go of it under the GIL, on whatever thread
// that happens.
#pragma once

#include <memory>

#include "caller_line.h"
#include "common.h"

namespace sluice::py {

class Callback {
 public:
  explicit Callback(nb::handle callable)
      : object_(callable.inc_ref().ptr(), [](PyObject* o) {
          // Too late once the interpreter is gone.
          if (!Py_IsInitialized()) return;
          TakeGil gil;
          Py_DECREF(o);
        }) {}

  // REQUIRES: the GIL. Whoever calls from C++ opens a TakeGil before.
  nb::handle object() const { return object_.get(); }
  // No copy shares it.
  bool sole() const { return object_.use_count() == 1; }
  template <class... Args>
  nb::object operator()(Args&&... args) const {
    return object()(std::forward<Args>(args)...);
  }

 private:
  std::shared_ptr<PyObject> object_;
};

}  // namespace sluice::py
