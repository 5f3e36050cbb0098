#include "errors.h"
#include "graph.h"
#include "sluice/base/strings.h"

namespace sluice::py {

namespace {

int64_t SizeFromPython(nb::handle object, std::string_view what, size_t axis) {
  if (object.is_none()) return kUnknownDim;
  PyObject* index = PyNumber_Index(object.ptr());
  if (!index) {
    PyErr_Clear();
    ThrowTypeError(StrCat(what, ": shape[", axis, "] is a ",
                          Py_TYPE(object.ptr())->tp_name,
                          "; wanted a whole number, or None for any size"));
  }
  int64_t size = PyLong_AsLongLong(index);
  Py_DECREF(index);
  if (PyErr_Occurred()) PyErr_Clear(), size = -2;
  if (size < -1) {
    ThrowValueError(StrCat(what, ": shape[", axis, "] is ",
                           nb::cast<std::string>(nb::str(object)),
                           "; wanted a size, or None for any"));
  }
  return size;
}

}  // namespace

PartialShape ShapeFromPython(nb::handle object, std::string_view what) {
  if (object.is_none()) return {};
  std::vector<int64_t> sizes;
  if (PyIndex_Check(object.ptr())) {
    sizes.push_back(SizeFromPython(object, what, 0));
  } else if (PySequence_Check(object.ptr()) && !PyUnicode_Check(object.ptr())) {
    for (nb::handle size : nb::iter(object)) {
      sizes.push_back(SizeFromPython(size, what, sizes.size()));
    }
  } else {
    ThrowTypeError(StrCat(what, ": shape is a ", Py_TYPE(object.ptr())->tp_name,
                          "; wanted None or a list of sizes"));
  }
  return ValueOrThrow(PartialShape::Make(sizes));
}

nb::object ShapeToPython(const PartialShape& shape) {
  if (!shape.rank_known()) return nb::none();
  nb::list sizes;
  for (int64_t size : shape.dims()) {
    sizes.append(size < 0 ? nb::none() : nb::cast(size));
  }
  return nb::tuple(sizes);
}

}  // namespace sluice::py
