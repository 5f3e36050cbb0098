#include "feed_values.h"

#include "errors.h"
#include "fit_array.h"
#include "foreign_array.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/tensor/plain_bools.h"

namespace sluice::py {

namespace {

// Elements that are reference-counted objects: handles, lists.
bool IsHandle(DType dtype) {
  return dtype == DType::kResource || dtype == DType::kList;
}

// Literals: numbers, texts and lists of them, as opposed to foreign arrays.
bool WrittenDown(PyObject* o) {
  return PyFloat_Check(o) || PyLong_Check(o) || PyList_Check(o) ||
         PyTuple_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o);
}

}  // namespace

std::string FeedPlace(const Value& to) {
  return StrCat("the feed of \"", to.ToString(), "\"");
}

void FeedValues::Add(nb::handle object, DType dtype, const Value& to,
                     bool keep) {
  Array seen;
  bool own = false;  // no other owner
  if (IsTensor(object)) {
    const Tensor& tensor = AsTensor(object);
    if (!tensor.defined())
      ThrowValueError(StrCat(FeedPlace(to), " is an empty Tensor"));
    if (tensor.symbolic()) {
      ThrowTypeError(StrCat(FeedPlace(to),
                            " is part of a graph and has elements only in a "
                            "step; wanted a number, a list or an array"));
    }
    seen = tensor.array();
  } else if (std::unique_ptr<NumpyView> view = NumpyView::Of(object)) {
    seen = ValueOrThrow(WithPlainBools(view->array()));
    views_.push_back(std::move(view));
  } else if (!WrittenDown(object.ptr()) &&
             (seen = FromForeign(object, /*share=*/true))) {
    objects_.push_back(nb::borrow(object));
  } else {
    Given given = Take(object, FeedPlace(to));
    if (given.tensor.defined() && given.tensor.symbolic()) {
      ThrowTypeError(StrCat(FeedPlace(to),
                            " is part of a graph and has elements only in a "
                            "step; wanted a number, a list or an array"));
    }
    own = !given.tensor.defined();
    seen = own ? std::move(given.array) : given.tensor.array();
  }
  if (IsHandle(seen.dtype())) {
    arrays_.push_back(std::move(seen));
    return;
  }
  // For conversion, a device's elements are copied to the host first.
  if (seen.dtype() != dtype) seen = ValueOrThrow(OnHost(seen));
  Array fitting = FitArray(seen, dtype);
  own |= fitting.rep() != seen.rep();
  if (!own && !fitting.contiguous()) {
    fitting = ValueOrThrow(fitting.AsContiguous());
    own = true;
  }
  if (!own && keep) {
    fitting = ValueOrThrow(fitting.Clone());
    own = true;
  }
  if (own) {
    arrays_.push_back(std::move(fitting));
    return;
  }
  // A device array keeps its stream ordering, which a borrowed array lacks:
  // work on it may be pending.
  arrays_.push_back(fitting.on_host() ? fitting.Borrowed() : fitting);
  owners_.push_back(std::move(fitting));
}

Tensor ResultTensor(Array array) {
  if (!IsHandle(array.dtype()) && !array.unique()) {
    array = ValueOrThrow(array.Clone());
  }
  return TensorOf(std::move(array));
}

}  // namespace sluice::py
