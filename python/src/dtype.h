// Element types in Python: sl.float32 and the like, and other spellings that a
// program may use: "float32", "f32", numpy's types, float, int, bool.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "sluice/eager/promote.h"
#include "sluice/tensor/dtype.h"

namespace sluice::py {

namespace nb = nanobind;

// "float32" for f32: the names of the array API.
std::string_view PythonName(DType dtype);

// Throws TypeError if it does not name an element type.
DType DTypeFromPython(nb::handle object);
// The same, but kInvalid if it does not name one.
DType FindDType(nb::handle object);

// The unique Python object of a type, e.g. sl.float32. A new reference.
nb::object PythonDType(DType dtype);

using front_internal::NumberKind;
using front_internal::Promote;

void BindDType(nb::module_& m);

}  // namespace sluice::py

namespace nanobind::detail {

// Functions accept anything that names a type, and return sl.float32 etc.
template <>
struct type_caster<sluice::DType> {
  NB_TYPE_CASTER(sluice::DType, const_name("dtype"))

  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    try {
      value = sluice::py::FindDType(source);
      return value != sluice::DType::kInvalid;
    } catch (...) {
      return false;
    }
  }
  static handle from_cpp(sluice::DType dtype, rv_policy,
                         cleanup_list*) noexcept {
    return sluice::py::PythonDType(dtype).release();
  }
};

}  // namespace nanobind::detail
