// The state of modules as a whole: loading, conversion.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "errors.h"
#include "nn_args.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/operand.h"
#include "sluice/front/state_dict.h"
#include "sluice/io/load_into.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice::py {

namespace {

Tensor& TensorOnly(nb::handle object, std::string_view what) {
  if (!IsTensor(object)) {
    ThrowTypeError(StrCat(what, " is a ", Py_TYPE(object.ptr())->tp_name,
                          "; wanted a Tensor"));
  }
  return AsTensor(object);
}

std::vector<Tensor> TensorsOf(nb::handle list, std::string_view what) {
  if (IsTensor(list)) return {AsTensor(list)};
  std::vector<Tensor> all;
  for (nb::handle t : nb::iter(list)) all.push_back(TensorOnly(t, what));
  return all;
}

using Names = std::vector<std::string>;

Names NamesOf(const std::vector<io::KeyReport::Row>& rows) {
  Names names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

// Copies elements into the targets. Types are converted as by a copy; arrays of
// other libraries are read in place. Returns the names that are missing,
// unexpected, and of another shape, and a table of them.
std::tuple<Names, Names, Names, std::string> Load(const std::string& type,
                                                  nb::dict targets,
                                                  nb::handle state,
                                                  bool strict) {
  StateDict to, from;
  for (auto [name, tensor] : targets) {
    to.set(nb::cast<std::string>(name), AsTensor(tensor));
  }
  for (nb::handle item : nb::iter(nb::getattr(state, "items")())) {
    nb::object name = item[0], value = item[1];
    if (!nb::isinstance<nb::str>(name)) {
      ThrowTypeError("load_state_dict(): a key is no str");
    }
    auto key = nb::cast<std::string>(name);
    Array array = SharedArrayOf(value, StrCat("load_state_dict(): ", key));
    if (const Tensor* target = to.find(key);
        target && target->shape() == PartialShape(array.shape())) {
      array = CastArray(array, target->dtype());
    }
    from.set(key, TensorOf(std::move(array)));
  }
  io::KeyReport report;
  try {
    ReleaseGil released;
    report = io::load_into(to, from, {.strict = strict});
  } catch (const Error& e) {
    throw Error(Status(
        e.code(),
        StrCat(type, ": the state is of another model; nothing was loaded\n",
               e.what())));
  }
  return {NamesOf(report.missing), NamesOf(report.extra),
          NamesOf(report.mismatched),
          report.clean() ? std::string() : report.table()};
}

// New elements for a tensor that keeps its identity, which optimizers and
// recorded functions rely on.
void SetData(nb::handle object, nb::handle data) {
  Tensor& t = TensorOnly(object, "tensor");
  Tensor other = TensorArg(data, "data");
  EagerValue& value = *t.eager();
  if (!value.producer) {
    value.writes().count++;
    value.array = other.array();
    return;
  }
  throw Error(FailedPrecondition("the tensor was computed; wanted a leaf"));
}

// Copies consecutive ranges of a vector into tensors.
void FromVector(nb::handle vector, nb::handle tensors) {
  Tensor from = TensorArg(vector, "vector_to_parameters(): vec");
  std::vector<Tensor> all = TensorsOf(tensors, "a parameter");
  int64_t wanted = 0, at = 0;
  for (const Tensor& t : all) wanted += t.num_elements();
  if (from.rank() != 1 || from.num_elements() != wanted) {
    ThrowValueError(StrCat("vector_to_parameters(): vec is ", from.shape(),
                           "; wanted a vector of ", wanted));
  }
  NoGrad off;
  for (const Tensor& t : all) {
    Tensor part = slice(from, {at}, {t.num_elements()});
    at += t.num_elements();
    PartialShape shape = t.shape();
    std::vector<int64_t> sizes(shape.dims().begin(), shape.dims().end());
    if (part.dtype() != t.dtype()) part = cast(part, t.dtype());
    t.copy_(reshape(part, nn::Ints(sizes)));
  }
}

}  // namespace

void BindNnState(nb::module_& m) {
  m.def("nn_load", &Load, "type"_a, "targets"_a, "state"_a, "strict"_a);
  m.def("nn_from_vector", &FromVector, "vector"_a, "tensors"_a);
  m.def("nn_set_data", &SetData, "tensor"_a, "data"_a);
  // The elements as another type, without gradients; shared if they have that
  // type already and no copy is requested.
  m.def(
      "nn_converted",
      [](nb::handle object, DType dtype, bool copy) {
        Array array = TensorOnly(object, "tensor").array();
        if (array.dtype() != dtype) {
          if (array.on_host()) return TensorOf(CastArray(array, dtype));
          return cast(TensorOf(array), dtype);
        }
        return TensorOf(copy ? ValueOrThrow(array.Clone()) : array);
      },
      "tensor"_a, "dtype"_a, "copy"_a = false);
  m.def(
      "nn_detached",
      [](nb::handle object) { return TensorOnly(object, "tensor").detach(); },
      "tensor"_a);
  m.def(
      "nn_is_leaf",
      [](nb::handle object) {
        const Tensor& t = TensorOnly(object, "tensor");
        return !t.symbolic() && t.is_leaf();
      },
      "tensor"_a);
  m.def(
      "nn_zero_grad",
      [](nb::handle tensors) {
        for (const Tensor& t : TensorsOf(tensors, "a parameter")) t.zero_grad();
      },
      "tensors"_a);
}

}  // namespace sluice::py
