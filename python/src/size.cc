#include "size.h"

#include "caller_line.h"
#include "errors.h"
#include "op_call.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/scope.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/decisions.h"
#include "sluice/trace/size_guard.h"

namespace sluice::py {

namespace {

// Never released.
PyTypeObject* symbol_type = nullptr;  // their common base class
PyObject* make_size = nullptr;        // (tensor, axis) -> SymInt
PyObject* make_count = nullptr;       // (sizes) -> SymInt

// The recording a tensor belongs to; null for none.
SizeGuards* Recording(const Tensor& tensor) {
  Capture* capture = Capture::Current();
  if (!capture || !capture->sizes() || !tensor.defined() ||
      !tensor.symbolic() || &capture->graph() != &tensor.graph()) {
    return nullptr;
  }
  return capture->sizes().get();
}

SizeGuards& RecordingNow(const Tensor& tensor) {
  SizeGuards* guards = Recording(tensor);
  if (!guards) {
    throw Error(FailedPrecondition(
        "a size of a function being recorded is used when that is over, or in "
        "another one; wanted int(size) where it is kept"));
  }
  return *guards;
}

// The identity of a size, its value in the recorded call (None: it depends on
// elements), its name, and whether every region may read it.
nb::object Describe(const Tensor& tensor, int axis) {
  SizeGuards& guards = RecordingNow(tensor);
  Value value = tensor.value();
  PartialShape shape = ValueOrThrow(guards.now().ShapeOf(value));
  int64_t now = shape.rank_known() ? shape.dim(axis) : kUnknownDim;
  const Region& root = guards.graph().root();
  bool everywhere = value.node->region() == &root;
  // Arguments have no node id, but the node that owns their region has.
  const Region& home = *value.node->region();
  bool arg = value.node->is_args();
  int id = arg ? (home.owner() ? home.owner()->id() : -1) : value.node->id();
  nb::object key =
      nb::make_tuple(guards.serial(), id, arg ? home.label() : std::string(),
                     value.index, axis);
  nb::object hint = now >= 0 ? nb::object(nb::int_(now)) : nb::none();
  // Its current value: the tensor may be written later.
  return nb::make_tuple(key, hint, guards.NameOf(value, axis), everywhere,
                        Tensor(guards.graph(), value));
}

// Runs code whose nodes must be visible in all regions. Returns the value
// itself: the result of the code may belong to the region being recorded.
nb::object InRoot(nb::callable code) {
  front_internal::SavedBuilding saved;
  front_internal::Building& building = front_internal::Building::Current();
  building.region = nullptr;
  building.controls.clear();
  nb::object made = code();
  if (!IsTensor(made) || !AsTensor(made).symbolic()) return made;
  const Tensor& tensor = AsTensor(made);
  return nb::cast(Tensor(tensor.graph(), tensor.value()));
}

}  // namespace

bool IsSymbol(nb::handle object) {
  return symbol_type && PyType_IsSubtype(Py_TYPE(object.ptr()), symbol_type);
}

Tensor SymbolTensor(nb::handle object) {
  // A size that the code has branched on is a number from then on.
  if (!IsSymbol(object)) {
    return constant(Literal(Array::Scalar(nb::cast<int64_t>(object))));
  }
  return nb::cast<Tensor>(object.attr("_tensor")());
}

nb::object SizeOfAxis(const Tensor& tensor, int axis) {
  int64_t size = tensor.shape().dim(axis);
  if (size >= 0) return nb::int_(size);
  if (!make_size || !Recording(tensor)) return nb::none();
  return nb::handle(make_size)(Wrap(tensor), axis);
}

nb::object CountOf(const Tensor& tensor) {
  int64_t count = tensor.num_elements();
  if (count >= 0) return nb::int_(count);
  PartialShape shape = tensor.shape();
  if (!make_count || !shape.rank_known() || !Recording(tensor)) {
    return nb::none();
  }
  nb::list sizes;
  for (int i = 0; i < shape.rank(); ++i) sizes.append(SizeOfAxis(tensor, i));
  return nb::handle(make_count)(sizes);
}

bool IsSizes(nb::handle sequence) {
  PyObject* o = sequence.ptr();
  if (!symbol_type || !Capture::Current()) return false;
  if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
  bool any = false;
  PyObject** items = PySequence_Fast_ITEMS(o);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    bool symbol = IsSymbol(items[i]);
    any = any || symbol;
    if (!symbol && !(PyLong_Check(items[i]) && !PyBool_Check(items[i]))) {
      return false;
    }
  }
  return any;
}

Tensor SizesVector(nb::handle sequence) {
  std::vector<Given> parts;
  nb::object held = nb::steal(PySequence_Tuple(sequence.ptr()));
  if (!held.is_valid()) throw nb::python_error();
  for (nb::handle part : nb::borrow<nb::tuple>(held)) {
    parts.push_back(Take(part, "a size"));
    parts.back().weak = false;
  }
  return CallOne("Stack", std::move(parts), {{"axis", int64_t{0}}});
}

void BindSizes(nb::module_& m) {
  m.def(
      "set_size_makers",
      [](nb::object type, nb::object size, nb::object count) {
        symbol_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());
        make_size = size.release().ptr();
        make_count = count.release().ptr();
      },
      "type"_a, "size"_a, "count"_a);
  m.def("describe_size", &Describe, "tensor"_a, "axis"_a);
  m.def("in_root", &InRoot, "code"_a);
  m.def(
      "require_size",
      [](const Tensor& condition, std::string text) {
        Status status =
            RecordingNow(condition).Require(condition.value(), std::move(text));
        if (status.ok()) return;
        // It depends on a number argument of the function.
        Decisions* here = Decisions::Here();
        if (here && here->Decide(condition, PythonLine())) return;
        throw Error(status);
      },
      "condition"_a, "text"_a,
      "What is recorded serves calls in which this scalar is what it is now.");
  m.def(
      "known_shape",
      [](const Tensor& t) -> nb::object {
        PartialShape shape = t.shape();
        if (!shape.rank_known()) return nb::none();
        nb::list sizes;
        for (int64_t d : shape.dims()) {
          sizes.append(d < 0 ? nb::none() : nb::object(nb::int_(d)));
        }
        return nb::tuple(sizes);
      },
      "tensor"_a,
      "The sizes as far as they are known whatever the arguments are, else "
      "None.");
}

}  // namespace sluice::py
