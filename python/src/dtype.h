// Element types as Python sees them: sl.float32 and its kin, and what else a
// program may write for one: "float32", "f32", numpy's types, float, int, bool.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "sluice/eager/promote.h"
#include "sluice/tensor/dtype.h"

namespace sluice::py {

namespace nb = nanobind;

// "float32" for f32: the names of the array API.
std::string_view PythonName(DType dtype);

// Throws TypeError when it names no element type.
DType DTypeFromPython(nb::handle object);
// The same where the object may name none: kInvalid.
DType FindDType(nb::handle object);

// The one Python object of a type: sl.float32. A new reference.
nb::object PythonDType(DType dtype);

using front_internal::NumberKind;
using front_internal::Promote;

void BindDType(nb::module_& m);

}  // namespace sluice::py

namespace nanobind::detail {

// Functions take whatever names a type, and give sl.float32.
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
