// The parameters of a Python function, and the arguments of one call in their
// order: by position, by name or by default.
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

// One value per parameter; new references.
using Values = SmallVector<nb::object, 8>;

class Parameters {
 public:
  // `signature` is an inspect.Signature. The first `skip` parameters are
  // supplied elsewhere.
  Parameters(nb::object signature, size_t skip);

  const std::vector<Parameter>& list() const { return list_; }
  // Whether calls that fit the others also fit these, apart from defaults.
  bool HasNamesOf(const Parameters& others) const;

  // Binds like Python's own call, and throws the same TypeError.
  Values Bind(PyObject* const* args, size_t count, PyObject* keywords) const;
  // Calls with these values, preceded by `first` unless it is empty.
  nb::object Call(nb::handle callable, nb::handle first,
                  const Values& values) const;

  int Visit(visitproc visit, void* arg) const;
  void Clear();

 private:
  [[noreturn]] void Refuse(PyObject* const* args, size_t count,
                           PyObject* keywords) const;

  nb::object signature_;  // without the skipped ones
  std::vector<Parameter> list_;
  size_t places_ = 0;  // parameters that may be positional
  bool plain_ = true;  // no *args, no **kwargs
};

}  // namespace sluice::py
