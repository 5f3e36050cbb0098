// A Python function that C++ calls and that our Python objects own, so that
// Python's garbage collector can see it: a pipeline that belongs to the object
// whose method it calls is a reference cycle, and must be collectable.
//
// C++ has a FunctionSlot, which owns nothing. Each Python object through which
// the function may be called has an OwnedFunction with its own reference, which
// its tp_traverse visits and its tp_clear drops. A call through a slot whose
// owners are all gone raises; no reachable object can make such a call. State
// that a call leaves for the next one, such as a suspended generator, is kept
// with the function: each owner also has its own reference to that.
//
// Everything here under the GIL.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common.h"

namespace sluice::py {

class FunctionSlot {
 public:
  // A reference for the duration of a call.
  nb::object Borrow() const {
    if (!function_) {
      PyErr_SetString(PyExc_RuntimeError,
                      "the function of a pipeline is called, but the pipeline "
                      "is gone");
      throw nb::python_error();
    }
    return nb::borrow(function_);
  }
  // Every owner keeps it until Drop. REQUIRES: it is not kept yet.
  void Keep(nb::handle object) {
    kept_.push_back(object.ptr());
    for (int i = 0; i < owners_; ++i) object.inc_ref();
  }
  bool keeps(nb::handle object) const {
    return std::find(kept_.begin(), kept_.end(), object.ptr()) != kept_.end();
  }
  void Drop(nb::handle object) {
    auto at = std::find(kept_.begin(), kept_.end(), object.ptr());
    if (at == kept_.end()) return;
    kept_.erase(at);  // first: destruction may reenter here
    for (int i = owners_; i > 0; --i) object.dec_ref();
  }

 private:
  friend class OwnedFunction;
  PyObject* function_ = nullptr;
  std::vector<PyObject*> kept_;
  int owners_ = 0;
};

class OwnedFunction {
 public:
  explicit OwnedFunction(nb::handle function)
      : slot_(std::make_shared<FunctionSlot>()) {
    slot_->function_ = function.ptr();
    Take();
  }
  OwnedFunction(const OwnedFunction& other) : slot_(other.slot_) { Take(); }
  OwnedFunction(OwnedFunction&& other) noexcept
      : slot_(std::move(other.slot_)) {}
  OwnedFunction& operator=(OwnedFunction other) noexcept {
    std::swap(slot_, other.slot_);
    return *this;
  }
  ~OwnedFunction() {
    if (!slot_) return;
    PyObject* function = slot_->function_;
    if (--slot_->owners_ > 0) {  // nothing goes: they have references, too
      for (PyObject* object : slot_->kept_) Py_DECREF(object);
      Py_XDECREF(function);
      return;
    }
    slot_->function_ = nullptr;
    std::vector<PyObject*> kept = std::move(slot_->kept_);
    slot_->kept_.clear();
    for (PyObject* object : kept) Py_DECREF(object);
    Py_XDECREF(function);
  }

  const std::shared_ptr<FunctionSlot>& slot() const { return slot_; }
  // The references owned here, for tp_traverse.
  PyObject* function() const { return slot_->function_; }
  const std::vector<PyObject*>& kept() const { return slot_->kept_; }

 private:
  void Take() {
    ++slot_->owners_;
    Py_XINCREF(slot_->function_);
    for (PyObject* object : slot_->kept_) Py_INCREF(object);
  }

  std::shared_ptr<FunctionSlot> slot_;  // null when moved from
};

using OwnedFunctions = std::vector<OwnedFunction>;

// The slots of a class T with a member functions(), for nb::type_slots.
template <class T>
struct OwnedFunctionSlots {
  static int Traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    for (const OwnedFunction& f : nb::inst_ptr<T>(self)->functions()) {
      Py_VISIT(f.function());
      for (PyObject* object : f.kept()) Py_VISIT(object);
    }
    return 0;
  }
  static int Clear(PyObject* self) {
    if (!nb::inst_ready(self)) return 0;
    // Moved out first: destruction may access this object again.
    OwnedFunctions gone = std::move(nb::inst_ptr<T>(self)->functions());
    nb::inst_ptr<T>(self)->functions().clear();
    return 0;
  }
  static inline PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void*>(&Traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(&Clear)},
      {0, nullptr}};
};

}  // namespace sluice::py
