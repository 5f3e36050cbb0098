// The raw functions behind grad, vjp, jvp, vmap, checkpoint and custom_vjp, on
// flat lists of tensors. _transforms.py and autograd/ give them their faces.
#include <unordered_set>

#include "autograd.h"
#include "bindings.h"
#include "errors.h"
#include "op_call.h"
#include "operand.h"
#include "sluice/front/capture.h"
#include "sluice/front/grad_mode.h"
#include "sluice/front/tape.h"
#include "sluice/front/vmap.h"
#include "tensor_fn.h"

namespace sluice::py {

namespace {

nb::list Gradients(nb::handle ys, nb::handle xs, nb::handle grad_ys,
                   bool retain_graph, bool create_graph,
                   std::string_view unconnected, bool dense) {
  std::vector<Tensor> from = TensorList(ys, "outputs");
  std::vector<Tensor> to = TensorList(xs, "inputs");
  GradOptions options{.zeros_when_unconnected = unconnected == "zeros",
                      .none_when_unconnected = unconnected == "none",
                      .retain_graph = retain_graph,
                      .create_graph = create_graph,
                      .dense = dense};
  if (!grad_ys.is_none()) {
    options.grad_ys = TensorList(grad_ys, "grad_outputs");
    for (size_t i = 0; i < options.grad_ys.size() && i < from.size(); ++i) {
      if (!options.grad_ys[i] || !from[i]) continue;
      CheckGradient(options.grad_ys[i], from[i], "grad_outputs");
    }
  }
  std::vector<Tensor> found;
  {
    ReleaseGil released;
    found = gradients(from, to, options);
  }
  return ListOf(found);
}

// The points a function is differentiated at. What is part of a graph, or was
// computed on the way to an outer gradient, becomes a value of its own that
// leads back there: what else of the program depends on it is none of ours.
// Leaves that require gradients, as parameters do, stay what they are, for
// functions that know them by another way. Of the rest leaves are made. Gives
// the points, and whether each is such a leaf.
nb::tuple Points(nb::handle xs) {
  std::vector<Tensor> points;
  nb::list made;
  for (const Tensor& x : TensorList(xs, "arguments")) {
    bool plain = !x.symbolic() && !x.requires_grad() && !Capture::Current();
    bool apart =
        x.symbolic() ? x.dtype() != DType::kResource : !plain && !x.is_leaf();
    if (plain) {
      points.push_back(x.detach().requires_grad_());
    } else {
      points.push_back(apart ? CallOne("Identity", {{x, {}, false}}) : x);
    }
    made.append(plain);
  }
  return nb::make_tuple(ListOf(points), made);
}

// Whether a gradient of one of the ys flows to a leaf that is none of these: to
// something the program outside knows of.
bool ReachesBeyond(nb::handle ys, nb::handle leaves) {
  std::unordered_set<const EagerValue*> own;
  for (const Tensor& t : TensorList(leaves, "leaves")) {
    if (t && !t.symbolic()) own.insert(t.eager().get());
  }
  std::vector<const TapeNode*> open;
  for (const Tensor& y : TensorList(ys, "outputs")) {
    if (!y || y.symbolic()) continue;
    const EagerValue& value = *y.eager();
    if (value.producer) open.push_back(value.producer.get());
    if (!value.producer && value.requires_grad && !own.count(&value)) {
      return true;
    }
  }
  std::unordered_set<const TapeNode*> seen(open.begin(), open.end());
  while (!open.empty()) {
    const TapeNode* node = open.back();
    open.pop_back();
    for (const TapeEdge& edge : node->edges) {
      if (edge.leaf && !own.count(edge.leaf.get())) return true;
      if (edge.node && seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
    }
  }
  return false;
}

// backward(inputs, results, grads) -> one gradient or None per input. Where
// nothing flows in, None is given.
nb::list CustomGradient(nb::handle forward, nb::handle backward,
                        nb::handle inputs) {
  BackwardFn back = [call = Callback(backward)](const std::vector<Tensor>& xs,
                                                const std::vector<Tensor>& ys,
                                                const std::vector<Tensor>& gs) {
    TakeGil gil;
    return TensorList(call(ListOf(xs), ListOf(ys), ListOf(gs)),
                      "what backward returned");
  };
  std::vector<Tensor> given = TensorList(inputs, "inputs");
  TensorFn run = TensorFnOf(forward, "what forward returned");
  std::vector<Tensor> results;
  {
    ReleaseGil released;
    results = custom_gradient(run, back, given, std::source_location::current(),
                              /*zeros=*/false);
  }
  return ListOf(results);
}

nb::list Checkpoint(nb::handle f, nb::handle inputs) {
  std::vector<Tensor> given = TensorList(inputs, "inputs");
  TensorFn run = checkpoint(TensorFnOf(f, "what the function returned"));
  std::vector<Tensor> results;
  {
    ReleaseGil released;
    results = run(given);
  }
  return ListOf(results);
}

void Gradcheck(nb::handle f, nb::handle inputs, double eps, double tolerance,
               bool second_order) {
  std::vector<Tensor> xs = TensorList(inputs, "inputs");
  TensorFn run = TensorFnOf(f, "what the function returned");
  ReleaseGil released;
  gradcheck(
      run, xs,
      {.step = eps, .tolerance = tolerance, .second_order = second_order});
}

// A function over lanes, recorded for one signature.
class LanesOf {
 public:
  LanesOf(nb::handle f, const std::vector<std::optional<int>>& in_axes,
          const std::vector<std::optional<int>>& out_axes, std::string name)
      : core_(TensorFnOf(f, "what the function under vmap returned"),
              {Axes(in_axes), Axes(out_axes), std::move(name)}) {}

  nb::list Call(nb::handle args) {
    std::vector<Tensor> given = TensorList(args, "arguments");
    std::vector<Tensor> results;
    {
      ReleaseGil released;
      results = core_.Call(given, std::source_location::current());
    }
    return ListOf(results);
  }
  std::string Report() const { return core_.report().ToString(); }

 private:
  static std::vector<int> Axes(const std::vector<std::optional<int>>& given) {
    std::vector<int> axes;
    for (const std::optional<int>& axis : given) {
      axes.push_back(axis.value_or(unbatched));
    }
    return axes;
  }

  front_internal::VmapCore core_;
};

}  // namespace

void BindTransforms(nb::module_& m) {
  m.def("gradients", &Gradients, "outputs"_a, "inputs"_a,
        "grad_outputs"_a.none(), "retain_graph"_a, "create_graph"_a,
        "unconnected"_a, "dense"_a);
  m.def("points", &Points, "arguments"_a);
  m.def("reaches_beyond", &ReachesBeyond, "outputs"_a, "leaves"_a);
  m.def(
      "same_tensor",
      [](const Tensor& a, const Tensor& b) {
        if (a.symbolic() || b.symbolic()) {
          return a.symbolic() && b.symbolic() && a.value() == b.value();
        }
        return a.eager_gradient() == b.eager_gradient();
      },
      "a"_a, "b"_a);
  m.def(
      "is_recording",
      [] {
        return Capture::Current() || front_internal::EagerMode::Current().grad;
      },
      "Calls on this thread end up in a graph or on the tape.");
  m.def("custom_gradient", &CustomGradient, "forward"_a, "backward"_a,
        "inputs"_a);
  m.def("checkpoint", &Checkpoint, "f"_a, "inputs"_a);
  m.def("gradcheck", &Gradcheck, "f"_a, "inputs"_a, "eps"_a, "tolerance"_a,
        "second_order"_a);
  nb::class_<LanesOf>(m, "LanesOf")
      .def(nb::init<nb::handle, const std::vector<std::optional<int>>&,
                    const std::vector<std::optional<int>>&, std::string>(),
           "f"_a, "in_axes"_a, "out_axes"_a, "name"_a)
      .def("__call__", &LanesOf::Call, "args"_a)
      .def("report", &LanesOf::Report);
}

}  // namespace sluice::py
