// The parameters of a Python function, and the arguments of one call in their
// order: by place, by name or by default.
//
// Holds Python objects: under the GIL.
#pragma once

#include "common.h"
#include "sluice/base/small_vector.h"

namespace sluice::py {

struct Parameter {
  enum class Kind { kPlace, kPlaceOrName, kRest, kName, kNamedRest };
  std::string name;
  nb::object interned;
  Kind kind = Kind::kPlaceOrName;
  nb::object default_value;  // holds nothing: there is none
};

// One value for each parameter; new references.
using Values = SmallVector<nb::object, 8>;

class Parameters {
 public:
  // `signature` is an inspect.Signature. `skip` parameters in front are given
  // by others.
  Parameters(nb::object signature, size_t skip);

  const std::vector<Parameter>& list() const { return list_; }
  // Whether calls that fit the others fit these, but for defaults.
  bool HasNamesOf(const Parameters& others) const;

  // What Python's own call would bind; throws the TypeError it would.
  Values Bind(PyObject* const* args, size_t count, PyObject* keywords) const;
  // The call with these values, `first` in front when it holds something.
  nb::object Call(nb::handle callable, nb::handle first,
                  const Values& values) const;

  int Visit(visitproc visit, void* arg) const;
  void Clear();

 private:
  [[noreturn]] void Refuse(PyObject* const* args, size_t count,
                           PyObject* keywords) const;

  nb::object signature_;  // without the skipped ones
  std::vector<Parameter> list_;
  size_t places_ = 0;  // parameters that may be given by place
  bool plain_ = true;  // no *args, no **kwargs
};

}  // namespace sluice::py
