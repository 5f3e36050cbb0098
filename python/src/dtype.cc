#include "dtype.h"

#include <array>

#include "common.h"
#include "errors.h"

namespace sluice::py {

namespace {

struct Name {
  DType dtype;
  std::string_view name;
};
constexpr Name kNames[] = {
    {DType::kF32, "float32"},   {DType::kF64, "float64"},
    {DType::kF16, "float16"},   {DType::kBF16, "bfloat16"},
    {DType::kI8, "int8"},       {DType::kI16, "int16"},
    {DType::kI32, "int32"},     {DType::kI64, "int64"},
    {DType::kU8, "uint8"},      {DType::kU16, "uint16"},
    {DType::kU32, "uint32"},    {DType::kU64, "uint64"},
    {DType::kBool, "bool"},     {DType::kC64, "complex64"},
    {DType::kString, "string"}, {DType::kResource, "resource"},
    {DType::kList, "list"},
};

// The Python object's contents: nanobind cannot bind an enumeration with
// attributes.
struct Type {
  DType dtype;
};

// Owned for the life of the process.
std::array<PyObject*, kNumDTypes>& Objects() {
  static std::array<PyObject*, kNumDTypes> objects{};
  return objects;
}

DType FromText(std::string_view text) {
  for (const Name& n : kNames) {
    if (n.name == text) return n.dtype;
  }
  if (text == "float" || text == "single") return DType::kF32;
  if (text == "double") return DType::kF64;
  if (text == "half") return DType::kF16;
  if (text == "int" || text == "long") return DType::kI64;
  return DTypeFromName(text);
}

// An attribute; empty if the object does not have it or raises. Not
// nb::hasattr: numpy's names are Python code, in which Ctrl-C may be pressed.
nb::object FindAttribute(PyObject* object, const char* name) {
  PyObject* found = PyObject_GetAttrString(object, name);
  if (!found) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();
    PyErr_Clear();
  }
  return nb::steal(found);
}

}  // namespace

std::string_view PythonName(DType dtype) {
  for (const Name& n : kNames) {
    if (n.dtype == dtype) return n.name;
  }
  return "invalid";
}

DType FindDType(nb::handle object) {
  if (nb::isinstance<Type>(object)) return nb::inst_ptr<Type>(object)->dtype;
  PyObject* o = object.ptr();
  if (PyUnicode_Check(o)) {
    return FromText(nb::cast<std::string_view>(object));
  }
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::kF32;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::kI64;
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::kBool;
  if (o == reinterpret_cast<PyObject*>(&PyComplex_Type)) return DType::kC64;
  if (o == reinterpret_cast<PyObject*>(&PyUnicode_Type)) return DType::kString;
  // np.dtype("float32") and ml_dtypes have `name`, np.float32 has `__name__`;
  // torch.float32 prints as "torch.float32".
  for (const char* attribute : {"name", "__name__"}) {
    nb::object name = FindAttribute(o, attribute);
    if (name.is_valid() && PyUnicode_Check(name.ptr())) {
      std::string_view text = nb::cast<std::string_view>(name);
      if (text == "bool_") return DType::kBool;
      if (DType found = FromText(text); found != DType::kInvalid) return found;
    }
  }
  if (!PyType_Check(o) && nb::hasattr(object, "itemsize") &&
      nb::hasattr(object, "is_floating_point")) {
    std::string text = nb::cast<std::string>(nb::str(object));
    if (size_t dot = text.rfind('.'); dot != std::string::npos) {
      return FromText(std::string_view(text).substr(dot + 1));
    }
  }
  return DType::kInvalid;
}

DType DTypeFromPython(nb::handle object) {
  DType dtype = FindDType(object);
  if (dtype == DType::kInvalid) {
    ThrowTypeError("dtype is " + nb::cast<std::string>(nb::repr(object)) +
                   "; wanted sluice.float32, \"float32\", a numpy type, ...");
  }
  return dtype;
}

nb::object PythonDType(DType dtype) {
  return nb::borrow(Objects()[static_cast<size_t>(dtype)]);
}

void BindDType(nb::module_& m) {
  nb::class_<Type>(m, "dtype",
                   "The type of a tensor's elements: sl.float32 and its kin.")
      .def_prop_ro("name",
                   [](Type t) { return std::string(PythonName(t.dtype)); })
      .def_prop_ro("itemsize", [](Type t) { return DTypeSize(t.dtype); })
      .def_prop_ro("is_floating_point",
                   [](Type t) { return IsFloating(t.dtype); })
      .def_prop_ro("is_complex", [](Type t) { return t.dtype == DType::kC64; })
      .def_prop_ro("is_signed", [](Type t) { return IsSigned(t.dtype); })
      .def("__repr__",
           [](Type t) { return "sluice." + std::string(PythonName(t.dtype)); })
      .def("__hash__", [](Type t) { return static_cast<int64_t>(t.dtype); })
      .def(
          "__eq__",
          [](Type t, nb::handle other) { return FindDType(other) == t.dtype; },
          "other"_a.none())
      .def("__reduce__",
           [](Type t) { return std::string(PythonName(t.dtype)); });
  m.def(
      "find_dtype",
      [](nb::handle o) { return PythonDType(DTypeFromPython(o)); },
      "dtype"_a.none());
  m.def(
      "promote_types",
      [](nb::handle a, nb::handle b) {
        DType x = DTypeFromPython(a), y = DTypeFromPython(b);
        bool numbers = (IsPlainData(x) && IsPlainData(y)) || x == y;
        if (!numbers) {
          ThrowTypeError(
              "promote_types(): strings and numbers have no type in "
              "common");
        }
        return PythonDType(Promote(x, y));
      },
      "a"_a.none(), "b"_a.none());
  for (const Name& n : kNames) {
    nb::object made = nb::cast(Type{n.dtype});
    Objects()[static_cast<size_t>(n.dtype)] = made.inc_ref().ptr();
    m.attr(std::string(n.name).c_str()) = made;
  }
}

}  // namespace sluice::py
