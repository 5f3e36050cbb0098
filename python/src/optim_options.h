// C++ optimizers with their options by name (sluice/optim/option_list.h).
#pragma once

#include <string>
#include <type_traits>
#include <variant>

#include "errors.h"
#include "optim_parts.h"
#include "sluice/base/strings.h"
#include "sluice/optim/lbfgs.h"
#include "sluice/optim/optimizer.h"
#include "sluice/optim/option_list.h"

namespace sluice::py {

// The options in the dict; missing ones have their defaults.
template <class Options>
Options Read(const nb::dict& given) {
  Options read;
  for (auto [key, value] : given) {
    auto name = nb::cast<std::string>(key);
    const optim::Option<Options>* found = nullptr;
    for (const optim::Option<Options>& o : optim::OptionsOf<Options>()) {
      if (name == o.name) found = &o;
    }
    if (!found) {
      ThrowTypeError(StrCat(Options::kName, " has no option \"", name, "\""));
    }
    PyObject* object = value.ptr();
    if (auto number = std::get_if<double Options::*>(&found->member)) {
      read.** number = PyFloat_AsDouble(object);
    } else if (auto flag = std::get_if<bool Options::*>(&found->member)) {
      int truth = PyObject_IsTrue(object);
      read.** flag = truth == 1;
    } else {
      auto whole = std::get<int64_t Options::*>(found->member);
      read.*whole = PyLong_AsLongLong(object);
    }
    if (PyErr_Occurred()) {
      PyErr_Clear();
      ThrowTypeError(StrCat(Options::kName, ": ", name, " is a ",
                            Py_TYPE(object)->tp_name, "; wanted a number"));
    }
  }
  return read;
}

// (name, default, meaning) of every option.
template <class Options>
nb::list Described() {
  nb::list all;
  const Options defaults;
  for (const optim::Option<Options>& o : optim::OptionsOf<Options>()) {
    std::visit(
        [&](auto member) {
          all.append(nb::make_tuple(o.name, defaults.*member, o.doc));
        },
        o.member);
  }
  return all;
}

template <class Opt>
nb::class_<Opt, optim::Optimizer> Bind(nb::module_& m, const char* name) {
  using Options = typename Opt::Options;
  nb::class_<Opt, optim::Optimizer> cls(m, name);
  cls.def_static("options", &Described<Options>);
  // None: a graph's optimizer, which finds its variables.
  cls.def(
      "__init__",
      [](Opt* self, nb::handle parameters, const nb::dict& options) {
        Options read = Read<Options>(options);
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
      [](Opt& self, nb::handle parameters, const nb::dict& options) {
        return self.add_param_group(ParametersOf(parameters, Options::kName),
                                    Read<Options>(options));
      },
      "parameters"_a, "options"_a);
  cls.def(
      "set_options",
      [](Opt& self, size_t group, const nb::dict& options) {
        self.set_options(group, Read<Options>(options));
      },
      "group"_a, "options"_a);
  return cls;
}

}  // namespace sluice::py
