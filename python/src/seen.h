// Places where Python programs store values, and values seen there.
//
//   Place   the location of a value: a key of a dict, a cell, an attribute
//   Seen    the value found there earlier, for comparison with the current one
//
// Objects are referenced weakly where possible, so that remembering them does
// not keep them alive. Under the GIL.
#pragma once

#include "common.h"
#include "sluice/eager/eager_value.h"

namespace sluice::py {

// Borrowed; null if there is none. Throws if comparing the key throws.
PyObject* ItemOf(PyObject* dict, PyObject* key);

// The tensor's value, if the object is a tensor; otherwise null.
const EagerRef* EagerOf(PyObject* object);

class Place {
 public:
  enum class Kind : int {
    kItem,      // dict[key]
    kInstance,  // object.__dict__[key]
    kCell,      // the contents of a cell
    kType,      // an attribute of a class
    kSlot,      // an attribute that is found without user code
    kCode,      // function.__code__
    kDefaults,  // function.__defaults__
    kNamed,     // function.__kwdefaults__
    kElement,   // list[key]
  };

  Place(Kind kind, nb::handle owner, nb::handle key);

  // The current value; empty if there is none, or the owner is gone.
  nb::object Read() const;
  // As given by Python: (kind, owner, key); None if the owner is gone.
  nb::object Parts() const;
  bool operator==(const Place& other) const;
  int Visit(visitproc visit, void* arg) const;

 private:
  PyObject* Owner() const;  // borrowed; null if it is gone

  Kind kind_;
  bool weak_ = false;
  nb::object owner_, key_;
};

// A value seen earlier.
class Seen {
 public:
  Seen() = default;  // there was no value
  // NotImplemented represents any tensor.
  explicit Seen(nb::handle value);
  bool Still(PyObject* now) const;  // null: there is no value
  std::string Text() const;
  bool tensor() const { return kind_ == Kind::kTensor; }
  // Whether both are integers, or both floats.
  bool IsNumberLike(PyObject* now) const {
    if (kind_ != Kind::kValue || Py_TYPE(value_.ptr()) != Py_TYPE(now)) {
      return false;
    }
    return PyLong_CheckExact(now) || PyFloat_CheckExact(now);
  }
  int Visit(visitproc visit, void* arg) const;

 private:
  enum class Kind : uint8_t { kNothing, kValue, kWeak, kTensor, kAny };
  Kind kind_ = Kind::kNothing;
  nb::object value_;
  EagerRef eager_;
};

}  // namespace sluice::py
