#include "named_tensors.h"

#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"

namespace sluice::py {

nb::dict DictOf(const StateDict& state) {
  nb::dict dict;
  for (const auto& [name, tensor] : state) {
    dict[nb::str(name.data(), name.size())] = nb::cast(tensor);
  }
  return dict;
}

StateDict StateOf(nb::handle mapping, std::string_view what) {
  if (!PyMapping_Check(mapping.ptr()) || !nb::hasattr(mapping, "items")) {
    ThrowTypeError(StrCat(what, " is a ", Py_TYPE(mapping.ptr())->tp_name,
                          "; wanted a dict of tensors by name"));
  }
  StateDict state;
  for (nb::handle item : nb::iter(mapping.attr("items")())) {
    nb::object key = item[0], value = item[1];
    if (!PyUnicode_Check(key.ptr())) {
      ThrowTypeError(StrCat(what, " has a key of type ",
                            Py_TYPE(key.ptr())->tp_name, "; wanted str"));
    }
    auto name = nb::cast<std::string>(key);
    state.set(name, ToHostTensor(value, StrCat(what, "[\"", name, "\"]")));
  }
  return state;
}

}  // namespace sluice::py
