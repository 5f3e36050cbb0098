// Optimizers of C++ with their options by name, from one list each.
#pragma once

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "errors.h"
#include "optim_parts.h"
#include "sluice/base/strings.h"
#include "sluice/optim/lbfgs.h"
#include "sluice/optim/optimizer.h"

namespace sluice::py {

template <class Options>
struct Field {
  const char* name;
  std::variant<double Options::*, bool Options::*, int64_t Options::*> member;
};
template <class Options>
using Fields = std::vector<Field<Options>>;

// The options in the dict; those it does not name are as in `base`.
template <class Options>
Options Read(const Fields<Options>& fields, const nb::dict& given,
             Options base = {}) {
  for (auto [key, value] : given) {
    auto name = nb::cast<std::string>(key);
    const Field<Options>* found = nullptr;
    for (const Field<Options>& f : fields) {
      if (name == f.name) found = &f;
    }
    if (!found) {
      ThrowTypeError(StrCat(Options::kName, " has no option \"", name, "\""));
    }
    PyObject* object = value.ptr();
    if (auto number = std::get_if<double Options::*>(&found->member)) {
      base.** number = PyFloat_AsDouble(object);
    } else if (auto flag = std::get_if<bool Options::*>(&found->member)) {
      int truth = PyObject_IsTrue(object);
      base.** flag = truth == 1;
    } else {
      auto whole = std::get<int64_t Options::*>(found->member);
      base.*whole = PyLong_AsLongLong(object);
    }
    if (PyErr_Occurred()) {
      PyErr_Clear();
      ThrowTypeError(StrCat(Options::kName, ": ", name, " is a ",
                            Py_TYPE(object)->tp_name, "; wanted a number"));
    }
  }
  return base;
}

template <class Opt>
nb::class_<Opt, optim::Optimizer> Bind(nb::module_& m, const char* name,
                                       Fields<typename Opt::Options> fields) {
  using Options = typename Opt::Options;
  nb::class_<Opt, optim::Optimizer> cls(m, name);
  // None: a graph's, which finds its variables.
  cls.def(
      "__init__",
      [fields](Opt* self, nb::handle parameters, const nb::dict& options) {
        Options read = Read<Options>(fields, options);
        if constexpr (!std::is_same_v<Opt, optim::LBFGS>) {
          if (parameters.is_none()) {
            new (self) Opt(read);
            return;
          }
        }
        new (self) Opt(ParametersOf(parameters, Options::kName), read);
      },
      "parameters"_a.none(), "options"_a);
  cls.def(
      "add_param_group",
      [fields](Opt& self, nb::handle parameters, const nb::dict& options) {
        return self.add_param_group(ParametersOf(parameters, Options::kName),
                                    Read<Options>(fields, options));
      },
      "parameters"_a, "options"_a);
  cls.def(
      "set_options",
      [fields](Opt& self, size_t group, const nb::dict& options) {
        self.set_options(group, Read<Options>(fields, options));
      },
      "group"_a, "options"_a);
  return cls;
}

}  // namespace sluice::py
