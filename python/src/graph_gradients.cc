#include "errors.h"
#include "graph.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/scope.h"
#include "sluice/front/autograd.h"

namespace sluice::py {

namespace {

Tensor OneTensor(nb::handle object, std::string_view what) {
  if (IsTensor(object)) {
    if (!AsTensor(object).defined())
      ThrowValueError(StrCat(what, " is an empty Tensor"));
    return AsTensor(object);
  }
  if (nb::isinstance<Variable>(object))
    return nb::cast<Variable>(object).read();
  ThrowTypeError(StrCat(what, " is a ", Py_TYPE(object.ptr())->tp_name,
                        "; wanted a Tensor or a Variable"));
}

// A variable represents itself, wherever it was read.
Tensor Source(nb::handle object, std::string_view what) {
  if (nb::isinstance<Variable>(object)) {
    const Variable& v = nb::cast<const Variable&>(object);
    return v.symbolic() ? v.handle() : v.tensor();
  }
  return OneTensor(object, what);
}

// An eager tensor, as a constant of the graph, if there is one.
Tensor InGraph(const Tensor& tensor, Graph* graph) {
  if (!graph || tensor.symbolic()) return tensor;
  if (front_internal::Building::Current().graph == graph) {
    return constant(tensor.array());
  }
  GraphScope building(*graph);
  return constant(tensor.array());
}

template <class F>
std::vector<Tensor> Each(nb::handle objects, const char* what, const F& take) {
  std::vector<Tensor> list;
  if (IsTensor(objects) || nb::isinstance<Variable>(objects)) {
    list.push_back(take(objects, what));
    return list;
  }
  if (!PySequence_Check(objects.ptr()) || PyUnicode_Check(objects.ptr())) {
    ThrowTypeError(StrCat("gradients(): ", what, " is a ",
                          Py_TYPE(objects.ptr())->tp_name,
                          "; wanted a Tensor, a Variable or a list of them"));
  }
  for (nb::handle object : nb::iter(objects)) {
    list.push_back(take(object, StrCat(what, "[", list.size(), "]")));
  }
  return list;
}

// None for a missing tensor.
nb::list Listed(const std::vector<Tensor>& tensors) {
  nb::list list;
  for (const Tensor& t : tensors)
    list.append(t.defined() ? nb::cast(t) : nb::none());
  return list;
}

nb::list GradientsOf(nb::handle ys, nb::handle xs, nb::handle grad_ys,
                     std::string_view unconnected, bool sparse) {
  GradOptions options;
  options.zeros_when_unconnected = unconnected == "zero";
  options.none_when_unconnected = unconnected == "none";
  if (unconnected != "error" && unconnected != "zero" &&
      unconnected != "none") {
    ThrowValueError(StrCat("gradients(): unconnected_gradients is \"",
                           unconnected,
                           "\"; wanted \"error\", \"zero\" or \"none\""));
  }
  options.dense = !sparse;
  options.retain_graph = true;
  std::vector<Tensor> from = Each(ys, "ys", OneTensor);
  std::vector<Tensor> to = Each(xs, "xs", Source);
  if (!grad_ys.is_none()) {
    Graph* graph = nullptr;
    for (const Tensor& y : from) {
      if (y.symbolic()) graph = &y.graph();
    }
    options.grad_ys =
        Each(grad_ys, "grad_ys", [&](nb::handle o, std::string_view what) {
          return o.is_none() ? Tensor() : InGraph(ToTensor(o, what), graph);
        });
    if (options.grad_ys.size() != from.size()) {
      ThrowValueError(StrCat("gradients(): grad_ys has ",
                             options.grad_ys.size(), " entries; wanted ",
                             from.size(), ", one for each of ys"));
    }
  }
  return Listed(gradients(from, to, options));
}

}  // namespace

void BindGraphGradients(nb::module_& m) {
  m.def("gradients", &GradientsOf, "ys"_a, "xs"_a, "grad_ys"_a = nb::none(),
        nb::kw_only(), "unconnected_gradients"_a = "error", "sparse"_a = false,
        "The gradients of the sum of all ys with respect to each of xs, "
        "tensors or variables, as a list. In a graph they are more graph. "
        "`grad_ys` is what flows into each y: ones where there is None. An x "
        "the ys do not depend on is an error that says why, \"zero\" or "
        "\"none\" (None).");
}

}  // namespace sluice::py
