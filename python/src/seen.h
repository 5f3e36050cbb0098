// Places where Python programs keep values, and the values seen there.
//
//   Place   where a value is found: a key of a dict, a cell, an attribute
//   Seen    what was there, to be compared with what is there now
//
// Objects are referred to weakly where they can be, so that who remembers what
// was there keeps none of it. Under the GIL.
#pragma once

#include "common.h"
#include "sluice/eager/eager_value.h"

namespace sluice::py {

// Borrowed; null when there is none. Throws what a key's comparison throws.
PyObject* ItemOf(PyObject* dict, PyObject* key);

// The tensor whose elements are there; null for others.
const EagerRef* EagerOf(PyObject* object);

class Place {
 public:
  enum class Kind : int {
    kItem,      // dict[key]
    kInstance,  // object.__dict__[key]
    kCell,      // the contents of a cell
    kType,      // what a class has under a name
    kSlot,      // an attribute that is looked up without code of the user's
    kCode,      // function.__code__
    kDefaults,  // function.__defaults__
    kNamed,     // function.__kwdefaults__
    kElement,   // list[key]
  };

  Place(Kind kind, nb::handle owner, nb::handle key);

  // What is there now; holds nothing when nothing is, or the owner is gone.
  nb::object Read() const;
  // As Python gave it: (kind, owner, key); None when the owner is gone.
  nb::object Parts() const;
  bool operator==(const Place& other) const;
  int Visit(visitproc visit, void* arg) const;

 private:
  PyObject* Owner() const;  // borrowed; null when it is gone

  Kind kind_;
  bool weak_ = false;
  nb::object owner_, key_;
};

// A value as it was seen.
class Seen {
 public:
  Seen() = default;  // nothing was there
  // NotImplemented stands for any tensor.
  explicit Seen(nb::handle value);
  bool Still(PyObject* now) const;  // null: nothing is there
  std::string Text() const;
  bool tensor() const { return kind_ == Kind::kTensor; }
  // Whether both are whole numbers, or floats.
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
