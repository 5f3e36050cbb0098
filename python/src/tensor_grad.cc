// The gradient part of the class Tensor.
#include "autograd.h"
#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/eager/data_alias.h"
#include "sluice/eager/rows.h"
#include "sluice/eager/tape.h"
#include "sluice/front/autograd.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/known_gradients.h"
#include "tape_function.h"
#include "tensor.h"

namespace sluice::py {

namespace {

// The result of register_hook. Holds the tensor until removed, as a Python
// object that the garbage collector can see.
class HookHandle {
 public:
  HookHandle(nb::object tensor, int id) : tensor_(std::move(tensor)), id_(id) {}
  void Remove() {
    nb::object tensor = std::move(tensor_);
    if (tensor.is_valid()) AsTensor(tensor).remove_hook(id_);
  }

  static int Traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    Py_VISIT(nb::inst_ptr<HookHandle>(self)->tensor_.ptr());
    return 0;
  }
  static int Clear(PyObject* self) {
    if (!nb::inst_ready(self)) return 0;
    nb::object gone = std::move(nb::inst_ptr<HookHandle>(self)->tensor_);
    return 0;
  }
  static inline PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void*>(&Traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(&Clear)},
      {0, nullptr}};

 private:
  nb::object tensor_;
  int id_;
};

HookHandle RegisterHook(nb::handle self, nb::handle hook) {
  if (!PyCallable_Check(hook.ptr())) {
    ThrowTypeError(StrCat("register_hook: got a ", Py_TYPE(hook.ptr())->tp_name,
                          "; wanted a function of the gradient"));
  }
  int id = AsTensor(self).register_hook(HookFunction(hook));
  return HookHandle(nb::borrow(self), id);
}

// Tensors of a graph do not require gradients: gradients there are requested by
// name.
void SetRequiresGrad(const Tensor& t, bool wanted) {
  if (t.symbolic() && !t.traced() && !wanted) return;
  t.requires_grad_(wanted);
}

// For a method that returns its object: Tensor.detach_(3) is possible, too.
const Tensor& Self(nb::handle self) {
  if (IsTensor(self)) return AsTensor(self);
  ThrowTypeError(
      StrCat("got a ", Py_TYPE(self.ptr())->tp_name, "; wanted a Tensor"));
}

// Run-time properties are unavailable while a function is recorded.
void CheckKnown(const Tensor& t, std::string_view what) {
  if (Capture* capture = t.traced() ? Capture::Open() : nullptr) {
    capture->CheckFlowKnown(*t.identity(), what);
  }
}

bool RequiresGrad(const Tensor& t) {
  CheckKnown(t, "requires_grad");
  return t.requires_grad();
}

bool IsLeaf(const Tensor& t) {
  CheckKnown(t, "is_leaf");
  return (!t.symbolic() || t.traced()) && t.is_leaf();
}

void SetGrad(const Tensor& t, nb::handle value) {
  Tensor grad = TensorOrNone(value, "grad");
  if (grad.defined()) CheckGradient(grad, t, "grad");
  t.set_grad(grad);
}

// For these tensors only, as if they were all the leaves.
void BackwardTo(const Tensor& y, const Tensor& gradient,
                const std::vector<Tensor>& inputs,
                Tensor::BackwardOptions options) {
  GradOptions how{.none_when_unconnected = true,
                  .retain_graph = options.retain_graph,
                  .create_graph = options.create_graph};
  if (gradient.defined()) how.grad_ys = {gradient};
  front_internal::CheckGradientsKnown({y}, inputs);
  std::vector<Tensor> found = gradients({y}, inputs, how);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!found[i].defined()) continue;
    Tensor before = inputs[i].grad();
    inputs[i].set_grad(before.defined() ? AddGradients(before, found[i])
                                        : found[i]);
  }
}

void Backward(const Tensor& y, nb::handle gradient, nb::handle retain_graph,
              bool create_graph, nb::handle inputs) {
  Tensor flow = TensorOrNone(gradient, "backward: gradient");
  if (flow.defined()) CheckGradient(flow, y, "backward: gradient");
  bool retain =
      retain_graph.is_none() ? create_graph : nb::cast<bool>(retain_graph);
  Tensor::BackwardOptions options{retain, create_graph};
  if (inputs.is_none()) {
    ReleaseGil released;
    y.backward(flow, options);
    return;
  }
  std::vector<Tensor> to;
  if (IsTensor(inputs)) {
    to.push_back(AsTensor(inputs));
  } else {
    for (nb::handle x : nb::iter(inputs)) {
      if (!IsTensor(x)) ThrowTypeError("backward: inputs holds no tensors");
      to.push_back(AsTensor(x));
    }
  }
  if (to.empty()) ThrowValueError("backward: inputs is empty");
  ReleaseGil released;
  BackwardTo(y, flow, to, options);
}

// Drops the tensor's history.
void DetachInPlace(const Tensor& t) {
  const EagerRef here = t.here();
  EagerValue& value = *here;
  if (value.traced) return Capture::Current()->Detach(here);
  value.producer = {};
  value.output = 0;
  value.requires_grad = false;
  value.grad_place = nullptr;
}

uint32_t Version(const Tensor& t) {
  if ((t.symbolic() && !t.traced()) || t.is_sparse()) return 0;
  const EagerRef here = t.here();
  const Ref<WriteLog>& log = here->log;
  return log ? log->count : 0;
}

bool RetainsGrad(const Tensor& t) {
  if ((t.symbolic() && !t.traced()) || t.is_sparse()) return false;
  const EagerRef here = t.here();
  const EagerValue& value = *here;
  return value.producer && value.extra && value.extra->retains_grad;
}

void SetData(const Tensor& t, nb::handle value) {
  if (!IsTensor(value)) {
    ThrowTypeError(StrCat("data is a ", Py_TYPE(value.ptr())->tp_name,
                          "; wanted a Tensor"));
  }
  set_data(t, AsTensor(value));
}

void BindSparse(nb::class_<Tensor>& cls) {
  cls.def_prop_ro("is_sparse", &Tensor::is_sparse,
                  "A gradient of which only some slices along axis 0 are kept.")
      .def("indices", &Tensor::indices,
           "Of a sparse gradient: where its slices belong.")
      .def("values", &Tensor::values, "Of a sparse gradient: its slices.")
      .def(
          "to_dense", [](const Tensor& t) { return t.to_dense(); },
          "A sparse gradient as a whole; other tensors as they are.")
      .def(
          "coalesce", [](const Tensor& t) { return t.coalesce(); },
          "A sparse gradient with every index once, smallest first.");
}

}  // namespace

void BindTensorGrad(nb::module_& m) {
  nb::class_<HookHandle>(m, "HookHandle", nb::type_slots(HookHandle::slots),
                         "A hook that can be taken away.")
      .def("remove", &HookHandle::Remove, "Takes the hook away.")
      .def("__enter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__exit__", [](HookHandle& h, const nb::args&) { h.Remove(); });
  nb::class_<Tensor> cls = TensorClass();
  cls.def_prop_rw("requires_grad", &RequiresGrad, &SetRequiresGrad,
                  "Whether gradients flow to this tensor, or through it.")
      .def(
          "requires_grad_",
          [](nb::handle self, bool wanted) {
            SetRequiresGrad(Self(self), wanted);
            return nb::borrow(self);
          },
          "requires_grad"_a = true, "Sets requires_grad; returns the tensor.")
      .def_prop_ro("_tracked", &Tensor::requires_grad)
      .def_prop_ro("is_leaf", &IsLeaf,
                   "No recorded call made it: backward() leaves its grad.")
      .def_prop_rw(
          "grad", [](const Tensor& t) { return OrNone(t.grad()); }, &SetGrad,
          nb::for_setter(nb::arg("value").none()),
          "What backward() added up; None before.")
      .def("zero_grad", &Tensor::zero_grad, "Takes the gradient away.")
      .def("backward", &Backward, "gradient"_a = nb::none(),
           "retain_graph"_a = nb::none(), "create_graph"_a = false,
           "inputs"_a = nb::none(),
           "Adds the gradients of this scalar (or of its product with "
           "`gradient`) to the grad of every leaf it was made from, or of "
           "`inputs` alone.")
      .def_prop_rw("data", &Tensor::detach, &SetData,
                   "The same elements, a constant to gradients: writes to it "
                   "are writes to the tensor. Assigned to, the tensor has "
                   "another one's elements and shares them.")
      .def("detach", &Tensor::detach,
           "The same elements, a constant to gradients.")
      .def(
          "detach_",
          [](nb::handle self) {
            DetachInPlace(Self(self));
            return nb::borrow(self);
          },
          "Forgets how the tensor was made.")
      .def(
          "clone", [](const Tensor& t) { return t.clone(); },
          "A copy that gradients flow through.")
      .def("register_hook", &RegisterHook, "hook"_a,
           "Calls hook(grad) when the gradient of this tensor is known; what "
           "it returns, if not None, takes its place. The result has remove().")
      .def("retain_grad", &Tensor::retain_grad,
           "Keeps the grad of a tensor that is no leaf.")
      .def_prop_ro("retains_grad", &RetainsGrad)
      .def_prop_ro("_version", &Version, "How often it was written in place.");
  cls.attr("grad") = cls.attr("grad").attr("deleter")(
      nb::cpp_function([](const Tensor& t) { t.zero_grad(); }));
  BindSparse(cls);
}

}  // namespace sluice::py
